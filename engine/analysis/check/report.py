"""The outcome of a check, and the sentences for each finding: a divergence, its cause, the sizes.

Sentences quote tokens, which may be any bytes, so the caller says how tokens are shown. Merges are
counted from 1 in sentences, as on the screen, and from 0 in attributes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from engine.analysis.check.steps_file import ClaimedStep
from engine.bpe.trainer import base_vocab
from engine.core.events import BytesPair
from engine.core.gpt2_bytes import spell
from engine.core.wording import (
    ENGLISH,
    Messages,
    Sentence,
    ShowBytes,
    Value,
    Words,
    amount,
    frequency,
    parted,
    say,
    together,
)

TIED_NAMED = 6
"""Number of tied pairs that a sentence names."""


def _name(pair: BytesPair) -> Words:
    """Return a pair as sentences write it: `a + b`."""
    return pair[0], " + ", pair[1]


# -- the first merge that differs


@dataclass(frozen=True)
class TakenPair:
    """The pair that a trainer took, as it is just before it merges.

    Attributes:
        count: the count of the pair.
        unknown: those of its tokens that are no bytes and that no earlier step makes.
        merged_at: the earlier step, from 0, that merged it already.
        crosses_border: its bytes occur in the corpus, but never inside a pretoken.
        earlier: (step, from 0; its count there): the last time its count would have won here;
            `None` if its count now is as high as the winner's.
    """

    count: int
    unknown: tuple[bytes, ...] = ()
    merged_at: int | None = None
    crosses_border: bool = False
    earlier: tuple[int, int] | None = None

    @property
    def clause(self) -> Sentence:
        """A clause about where the pair occurs."""
        if self.unknown:
            return say("no earlier merge makes {n}", n=parted(" or ", self.unknown))
        if self.merged_at is not None:
            n = f"{self.merged_at + 1:,}"
            return say("merge {n} has merged it already, and it occurs nowhere", n=n)
        if self.crosses_border:
            return say("it never occurs inside a pretoken, only across a border between two")
        if not self.count:
            return say("it occurs nowhere")
        occurs = say("it occurs {times}", times=frequency(self.count))
        if self.earlier is None:
            return occurs
        n, count = (f"{number:,}" for number in (self.earlier[0] + 1, self.earlier[1]))
        won = say("before merge {n} it was {count}, which would have won here", n=n, count=count)
        return say("{occurs}; {won}", occurs=occurs, won=won)


@dataclass(frozen=True)
class Divergence:
    """The first step that is not by the rule.

    Attributes:
        step: from 0.
        rule, rule_count: the pair that the rule takes there; `None` if none is left.
        tied: all pairs with the same count as the rule's, itself included.
        taken: the trainer's pair.
        claimed_count: the count that the trainer reports; `None` if it reports none.
        taken_pair: what is known of the trainer's pair.
    """

    step: int
    rule: BytesPair | None
    rule_count: int
    tied: tuple[BytesPair, ...]
    taken: BytesPair
    claimed_count: int | None
    taken_pair: TakenPair

    @property
    def is_of_count_only(self) -> bool:
        """Whether the pair is right and only the reported count is wrong."""
        return self.taken == self.rule

    @property
    def sentences(self) -> Iterator[Sentence]:
        """The divergence, in lines of a sentence or two."""
        taken, n = _name(self.taken), f"{self.step + 1:,}"
        if self.is_of_count_only:
            times, count = frequency(self.rule_count), f"{self.claimed_count:,}"
            yield say(WRONG_COUNT, n=n, pair=taken, times=times, count=count)
            return
        yield say("The first merge that is not by the rule is merge {n}.", n=n)
        yield self._rule_told()
        yield say("Yours is {pair}: {where}.", pair=taken, where=self.taken_pair.clause)

    def _rule_told(self) -> Sentence:
        if self.rule is None:
            return say("The rule takes nothing: no pair is left.")
        pair, times = _name(self.rule), frequency(self.rule_count)
        others = [_name(pair) for pair in self.tied if pair != self.rule]
        if not others:
            return say(RULE_ALONE, pair=pair, times=times)
        tied: Value = parted(", ", others[:TIED_NAMED])
        if (more := len(others) - TIED_NAMED) > 0:
            tied = say("{pairs} {more}", pairs=tied, more=say("and {n} more", n=f"{more:,}"))
        return say(TIED, pair=pair, times=times, tied=tied)


WRONG_COUNT = (
    "The first wrong count is at merge {n}: the pair {pair} is right, but it occurs {times}, not "
    "{count}."
)
RULE_ALONE = "The rule takes {pair}, which occurs {times}; no other pair is as frequent."
TIED = "The rule takes {pair}, which occurs {times}, tied with {tied}."
TRIED = 1001
"""Number of merges from the divergence on for which a cause is tried, at the most."""


@dataclass(frozen=True)
class LikelyMistake:
    """A mistake that makes the trainer's merges up to the divergence, and some from there on.

    Attributes:
        cause, sentence: the name of the mistake and its description, or those of two mistakes.
        merges: the number of the trainer's merges that it makes, from the divergence on.
        all: whether it makes all of them, to the end.
        alike: other variants of the mistake that explain as much.
        lines: for a slip, as `Slip` has it; `None` for the mistakes of trainers.
    """

    cause: str
    sentence: str | Sentence
    merges: int
    all: bool
    alike: tuple[str, ...] = ()
    lines: int | None = None

    @property
    def explains_enough(self) -> bool:
        """Whether it explains all merges for which causes are tried."""
        return self.all or self.merges >= TRIED

    @property
    def said(self) -> Sentence:
        """Its description, which can be translated."""
        return self.sentence if isinstance(self.sentence, Sentence) else say(self.sentence)

    @property
    def reach(self) -> Sentence:
        """A sentence on how many of the trainer's merges it explains."""
        more = f"{self.merges - 1:,}"
        if self.lines is not None:
            return say(ONE_SLIP if self.lines else NO_OTHERS)
        if self.all:
            reach = say(OF_SEVERAL if " + " in self.cause else OF_ONE)
        elif self.merges == TRIED:
            reach = say("It explains this merge and the next {n}, as far as it was tried.", n=more)
        else:
            reach = say("It explains this merge and the next {n}.", n=more)
        if not self.alike:
            return reach
        return together([reach, say(" So would {names}.", names=", ".join(self.alike))])


OF_ONE = "A trainer with this mistake makes exactly your merges."
OF_SEVERAL = "A trainer with these mistakes makes exactly your merges."
NO_OTHERS = "No merge of the rule is missing, and none is too many."
ONE_SLIP = "All the others are the rule's, in its order: a slip in the list, not in the trainer."


# -- the number of merges


@dataclass(frozen=True)
class SizeFinding:
    """A wrong number of merges: the rule has enough pairs to make as many as were asked for.

    Attributes:
        last_count, next_count: counts of the last merge, and of the one that the rule makes next.
    """

    merges: int
    wanted: int
    special_tokens: int
    last_count: int = 0
    next_count: int = 0

    def told(self, lines: int | None = None) -> Sentence:
        """Return how far off the number is, and what that difference hints at.

        Args:
            lines: by how many the list is longer, where a slip in it explains the divergence.
        """
        is_short, off = self.merges < self.wanted, self.merges - self.wanted
        template, same = (TOO_FEW, MISSING) if is_short else (TOO_MANY, BEYOND_LIST)
        numbers = {"n": f"{abs(off):,}", "merges": f"{self.merges:,}", "all": f"{self.wanted:,}"}
        told = say(template, **numbers)
        if lines:
            return together([told, say(same)]) if lines == off else told
        hints = []
        if abs(off) == 256:
            hints.append("the 256 bytes were not counted as tokens of the vocabulary")
        if abs(off) == 1:
            hints.append("a loop is off by one")
        if abs(off) == self.special_tokens:
            hints.append("the special tokens were counted twice or not at all")
        elif abs(off) == 256 + self.special_tokens:
            hints.append("the 256 bytes and the special tokens were not counted")
        if is_short and self.last_count > self.next_count > 0:
            hints.append("pairs under a minimum count were left out")
        if not hints:
            return told
        named = [part for hint in hints for part in (say(", or "), say(hint))][1:]
        return together([told, say(" Perhaps {hints}.", hints=together(named))])


TOO_FEW = "Too few merges, by {n}: {merges}, not {all}."
TOO_MANY = "Too many merges, by {n}: {merges}, not {all}."
MISSING = " That is what is missing from the list."
BEYOND_LIST = " That is what is too many in the list."

# -- the vocabulary and the new ids
#
# The rule numbers the 256 bytes, then the special tokens, then the merges in their order. A trainer
# may number otherwise and still be right: that is worth a note. A token too few or too many is not.

NAMED = 5
"""Number of tokens that a sentence names; the others are counted."""


@dataclass(frozen=True)
class RenumberedToken:
    """An id with another token than by the rule; `None` if it has no token."""

    token_id: int
    token: bytes | None
    by_rule: bytes | None


@dataclass(frozen=True)
class VocabularyFinding:
    """The difference of a vocabulary from the 256 bytes, special tokens and merged tokens.

    Attributes:
        missing, extra: the tokens that it lacks, and those that it should not have.
        renumbered: the first id that differs; `None` if all are by the rule.
        specials_first: whether only the special tokens come before the bytes.
    """

    missing: tuple[bytes, ...]
    extra: tuple[bytes, ...]
    renumbered: RenumberedToken | None
    specials_first: bool = False

    @property
    def is_consistent(self) -> bool:
        """Whether it has the right tokens, however they are numbered."""
        return not self.missing and not self.extra

    @property
    def sentence(self) -> Sentence:
        """The finding in one sentence."""
        if not self.is_consistent:
            found = []
            for template, tokens in (("lacks {tokens}", self.missing), (BEYOND, self.extra)):
                named: Value = parted(", ", tokens[:NAMED])
                if (more := len(tokens) - NAMED) > 0:
                    named = say("{tokens} and {n} more", tokens=named, n=f"{more:,}")
                found += [say(template, tokens=named)] if tokens else []
            template = "The vocabulary {one} and {other}." if found[1:] else "The vocabulary {one}."
            return say(template, one=found[0], other=found[-1])
        if self.renumbered is None:
            return say(AS_MADE)
        first = self.renumbered
        has, rule = (
            say("nothing") if token is None else token for token in (first.token, first.by_rule)
        )
        told = say(RENUMBERED, id=str(first.token_id), token=has, by_rule=rule)
        return together([told, say(" "), say(SPECIALS_FIRST)]) if self.specials_first else told


SPECIALS_FIRST = "The special tokens come first, which is right, too."
AS_MADE = "The vocabulary is what these merges make, with the ids that the rule gives."
BEYOND = "has, beyond what it should, {tokens}"
RENUMBERED = (
    "The vocabulary has the right tokens, but numbers them otherwise: id {id} is {token}, by the "
    "rule {by_rule}."
)


def vocabulary_finding(
    vocab: Mapping[int, bytes], steps: Sequence[ClaimedStep], special_tokens: Sequence[str]
) -> VocabularyFinding:
    """Compare a vocabulary with the one that the trainer's own merges make.

    >>> vocab = dict(enumerate([b"<e>", *(bytes((byte,)) for byte in range(256)), b"ab"]))
    >>> print(vocabulary_finding(vocab, [ClaimedStep(b"a", b"b")], ["<e>"]).sentence.describe(repr))
    The vocabulary has the right tokens, but numbers them otherwise: id 0 is b'<e>', by the rule \
b'\\x00'. The special tokens come first, which is right, too.
    """
    expected = [*base_vocab(special_tokens), *(step.left + step.right for step in steps)]
    first_id = len(expected) - len(steps)
    has, should = Counter(vocab.values()), Counter(expected)
    by_rule = dict(enumerate(expected))
    differing = (
        token_id
        for token_id in sorted(vocab.keys() | by_rule.keys())
        if vocab.get(token_id) != by_rule.get(token_id)
    )
    first = next(differing, None)
    return VocabularyFinding(
        tuple((should - has).elements()),
        tuple((has - should).elements()),
        None if first is None else RenumberedToken(first, vocab.get(first), by_rule.get(first)),
        # The rule's order, but with the bytes after the special tokens.
        [vocab[token_id] for token_id in sorted(vocab)]
        == [*expected[256:first_id], *expected[:256], *expected[first_id:]],
    )


@dataclass(frozen=True)
class IdFinding:
    """The new ids that a trainer reports.

    Attributes:
        first_id: the id of the first merge.
        expected: that id by the rule.
        broken: the first step, from 0, whose id is not one more than the one before; `None` if all
            count up.
    """

    first_id: int
    expected: int
    broken: int | None

    @property
    def sentence(self) -> Sentence | None:
        """One sentence on what is wrong with the ids; `None` if nothing is."""
        if self.broken is not None:
            template = "The new ids do not count up: that of merge {n} is out of line."
            return say(template, n=f"{self.broken + 1:,}")
        if self.first_id != self.expected:
            template = "New tokens are numbered from {id} on, by the rule {other}."
            return say(template, id=str(self.first_id), other=str(self.expected))
        return None


def id_finding(steps: Sequence[ClaimedStep], first_id: int) -> IdFinding | None:
    """Check that the reported ids count up from `first_id`; `None` if no step reports one."""
    ids = [(place, step.new_id) for place, step in enumerate(steps) if step.new_id is not None]
    if not ids:
        return None
    place, new_id = ids[0]
    broken = next((at for at, other in ids if other - at != new_id - place), None)
    return IdFinding(new_id - place, first_id, broken)


# -- all of it


@dataclass(frozen=True)
class Report:
    """The outcome of a check.

    Attributes:
        merges: the number of merges that the trainer made.
        divergence: the first that is not by the rule; `None` if all are.
        explanations: the mistakes that would have made it, the likeliest first.
        by_rule_after: the number of merges after the divergence that the rule takes, too, given
            the trainer's own merges before them.
        counts_claimed, counts_wrong: the number of reported counts, and of those that are wrong.
        size, vocabulary, ids: what was found of these; `None` if they were not looked at.
        notes: how tokens that are not bytes were read.
    """

    merges: int
    divergence: Divergence | None
    explanations: tuple[LikelyMistake, ...]
    by_rule_after: int
    counts_claimed: int
    counts_wrong: int
    size: SizeFinding | None
    vocabulary: VocabularyFinding | None
    ids: IdFinding | None
    notes: tuple[str, ...] = ()

    @property
    def agrees(self) -> bool:
        """Whether the merges, their number and the tokens of the vocabulary are by the rule."""
        consistent = self.vocabulary is None or self.vocabulary.is_consistent
        numbered = self.ids is None or self.ids.broken is None
        return self.divergence is None and self.size is None and consistent and numbered

    def describe(self, show: ShowBytes = spell, messages: Messages = ENGLISH) -> Iterator[str]:
        """Yield the outcome in lines of a sentence or two.

        Args:
            show: how tokens are written.
            messages: a language's texts, English by default.
        """
        for sentence in self._sentences():
            yield sentence.translated(messages).describe(show)

    def _sentences(self) -> Iterator[Sentence]:
        for note in self.notes:
            yield say("{note}.", note=f"{note[0].upper()}{note[1:]}")
        # By how many lines the list is longer, if a slip in it is the best explanation.
        lines = self.explanations[0].lines if self.explanations else None
        if self.divergence is None:
            right = RIGHT_COUNTS if self.counts_claimed else ALL_RIGHT
            one = ONE_RIGHT_COUNT if self.counts_claimed else ONE_RIGHT
            yield say(one if self.merges == 1 else right, n=f"{self.merges:,}")
        else:
            yield from self.divergence.sentences
            yield from self._causes_told()
            if lines is None:  # else the rest is the rule's list: the slip's sentence says so
                yield self._rest_told(self.divergence)
            if self.counts_wrong:
                template = ONE_WRONG if self.counts_wrong == 1 else SOME_WRONG
                counts = amount(self.counts_claimed, "count")
                yield say(template, n=f"{self.counts_wrong:,}", counts=counts)
        if self.size is not None:
            yield self.size.told(lines)
        if self.vocabulary is not None:
            yield self.vocabulary.sentence
        if self.ids is not None and (wrong := self.ids.sentence) is not None:
            yield wrong

    def _causes_told(self) -> Iterator[Sentence]:
        if not self.explanations:
            yield say("None of the known mistakes that were tried on this corpus explains it.")
            return
        lead = say("Likely cause")
        for each in self.explanations:
            yield say(CAUSE, lead=lead, cause=each.cause, mistake=each.said, reach=each.reach)
            lead = say("Explains it, too")

    def _rest_told(self, divergence: Divergence) -> Sentence:
        later, n = self.merges - divergence.step - 1, f"{self.by_rule_after:,}"
        if not later:
            return say("It is the last merge.")
        if divergence.is_of_count_only and self.by_rule_after == later:
            return say("The merges themselves are all by the rule.")
        if self.by_rule_after == later:
            is_explained = any(each.all for each in self.explanations)
            return say(GIVEN_IT if is_explained else GIVEN_YOURS, n=n)
        return say(LATER, n=n, all=f"{later:,}")


CAUSE = "{lead} ({cause}): {mistake}. {reach}"
GIVEN_IT = "Given it, all later merges ({n}) are by the rule."
GIVEN_YOURS = "All later merges ({n}) are what the rule takes after yours before them."
LATER = "{n} of {all} later merges are what the rule takes after yours before them."
ONE_WRONG = "{n} of the {counts} reported is wrong."
SOME_WRONG = "{n} of the {counts} reported are wrong."
ALL_RIGHT = "All {n} merges are by the rule."
ONE_RIGHT = "The one merge is by the rule."
ONE_RIGHT_COUNT = "The one merge is by the rule with the counts reported."
RIGHT_COUNTS = "All {n} merges are by the rule with the counts reported."


def as_dict(report: Report) -> dict[str, object]:
    """Return the report as `json.dumps` takes it; tokens in GPT-2's spelling, steps from 1.

    >>> as_dict(Report(3, None, (), 0, 0, 0, None, None, None))["agrees"]
    True
    """
    vocabulary, divergence, differing = report.vocabulary, report.divergence, None
    if divergence is not None:
        pair = divergence.taken_pair
        differing = {
            "step": divergence.step + 1,
            "kind": "count" if divergence.is_of_count_only else "pair",
            "rule": None if divergence.rule is None else _spelled(divergence.rule),
            "rule_count": divergence.rule_count,
            "tied": [_spelled(tied) for tied in divergence.tied],
            "taken": _spelled(divergence.taken),
            "taken_count": pair.count,
            "told_count": divergence.claimed_count,
            "unknown_tokens": _spelled(pair.unknown),
            "merged_at_step": None if pair.merged_at is None else pair.merged_at + 1,
            "crosses_border": pair.crosses_border,
            "would_have_won_before_step": None if pair.earlier is None else pair.earlier[0] + 1,
        }
    return {
        "agrees": report.agrees,
        "merges": report.merges,
        "divergence": differing,
        "causes": [
            {
                "cause": explanation.cause,
                "sentence": str(explanation.sentence),
                "merges_explained": explanation.merges,
                "explains_all": explanation.all,
            }
            for explanation in report.explanations
        ],
        "later_merges_by_rule": report.by_rule_after,
        "counts_told": report.counts_claimed,
        "counts_wrong": report.counts_wrong,
        "merges_wanted": report.merges if report.size is None else report.size.wanted,
        "vocabulary": vocabulary
        and {
            "missing": _spelled(vocabulary.missing),
            "extra": _spelled(vocabulary.extra),
            "numbered_by_rule": vocabulary.renumbered is None,
        },
        "told": list(report.describe()),
    }


def _spelled(tokens: Iterable[bytes]) -> list[str]:
    return [spell(token) for token in tokens]
