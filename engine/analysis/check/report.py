"""The outcome of a check, and the sentences for each finding: a divergence, its cause, the sizes.

Sentences quote tokens, which may be any bytes, so the caller says how tokens are shown. Merges are
counted from 1 in sentences, as on the screen, and from 0 in attributes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from engine.analysis.check.steps_file import ClaimedStep
from engine.bpe.trainer import base_vocab
from engine.core.events import BytesPair
from engine.core.gpt2_bytes import spell
from engine.core.wording import ENGLISH, Messages, Sentence, ShowBytes, amount, say, text_of, times

TIED_NAMED = 6
"""Number of tied pairs that a sentence names."""


def describe_pair(pair: BytesPair, show: ShowBytes) -> str:
    """Return a pair as sentences write it: `a + b`."""
    return f"{show(pair[0])} + {show(pair[1])}"


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

    def describe(self, show: ShowBytes, messages: Messages = ENGLISH) -> str:
        """Return a clause about where the pair occurs."""
        text = partial(text_of, messages)
        if self.unknown:
            return text("no earlier merge makes {n}", n=" or ".join(map(show, self.unknown)))
        if self.merged_at is not None:
            n = f"{self.merged_at + 1:,}"
            return text("merge {n} has merged it already, and it occurs nowhere", n=n)
        if self.crosses_border:
            return text("it never occurs inside a pretoken, only across a border between two")
        if not self.count:
            return text("it occurs nowhere")
        occurs = text("it occurs {times}", times=times(self.count, messages))
        if self.earlier is None:
            return occurs
        n, count = (f"{number:,}" for number in (self.earlier[0] + 1, self.earlier[1]))
        won = text("before merge {n} it was {count}, which would have won here", n=n, count=count)
        return f"{occurs}; {won}"


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

    def describe(self, show: ShowBytes, messages: Messages = ENGLISH) -> Iterator[str]:
        """Yield the divergence in lines of a sentence or two."""
        text, taken, n = partial(text_of, messages), describe_pair(self.taken, show), self.step + 1
        if self.is_of_count_only:
            often = {"times": times(self.rule_count, messages), "count": f"{self.claimed_count:,}"}
            yield text(WRONG_COUNT, n=f"{n:,}", pair=taken, **often)
            return
        yield text("The first merge that is not by the rule is merge {n}.", n=f"{n:,}")
        yield self._describe_rule(show, messages)
        where = self.taken_pair.describe(show, messages)
        yield text("Yours is {pair}: {where}.", pair=taken, where=where)

    def _describe_rule(self, show: ShowBytes, messages: Messages = ENGLISH) -> str:
        if self.rule is None:
            return text_of(messages, "The rule takes nothing: no pair is left.")
        others = [pair for pair in self.tied if pair != self.rule]
        named = ", ".join(describe_pair(pair, show) for pair in others[:TIED_NAMED])
        if (more := len(others) - TIED_NAMED) > 0:
            named = f"{named} {text_of(messages, 'and {n} more', n=f'{more:,}')}"
        pair, often = describe_pair(self.rule, show), times(self.rule_count, messages)
        alone = text_of(messages, RULE_ALONE, pair=pair, times=often)
        return text_of(messages, TIED, pair=pair, times=often, tied=named) if others else alone


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

    def mistake(self, messages: Messages) -> str:
        """Return its description in the language of a table."""
        return str(self.said.translated(messages))

    def describe_reach(self, messages: Messages = ENGLISH) -> str:
        """Return a sentence on how many of the trainer's merges it explains."""
        text, more = partial(text_of, messages), f"{self.merges - 1:,}"
        alike = text(" So would {names}.", names=", ".join(self.alike)) if self.alike else ""
        if self.lines is not None:
            return text(ONE_SLIP if self.lines else NO_OTHERS)
        if self.all:
            reach = text(OF_SEVERAL if " + " in self.cause else OF_ONE)
        elif self.merges == TRIED:
            reach = text("It explains this merge and the next {n}, as far as it was tried.", n=more)
        else:
            reach = text("It explains this merge and the next {n}.", n=more)
        return f"{reach}{alike}"


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

    def describe(self, lines: int | None = None, messages: Messages = ENGLISH) -> str:
        """Return how far off the number is, and what that difference hints at.

        Args:
            lines: by how many the list is longer, where a slip in it explains the divergence.
        """
        is_short, off = self.merges < self.wanted, self.merges - self.wanted
        template, same = (TOO_FEW, MISSING) if is_short else (TOO_MANY, BEYOND_LIST)
        numbers = {"n": f"{abs(off):,}", "merges": f"{self.merges:,}", "all": f"{self.wanted:,}"}
        text = text_of(messages, template, **numbers)
        if lines:
            return f"{text}{text_of(messages, same)}" if lines == off else text
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
        named = text_of(messages, ", or ").join(messages.get(hint, hint) for hint in hints)
        return text + text_of(messages, " Perhaps {hints}.", hints=named) if hints else text


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

    def describe(self, show: ShowBytes, messages: Messages = ENGLISH) -> str:
        """Return the finding in one sentence."""
        text = partial(text_of, messages)
        if not self.is_consistent:
            found = []
            for template, tokens in (("lacks {tokens}", self.missing), (BEYOND, self.extra)):
                named, more = ", ".join(map(show, tokens[:NAMED])), len(tokens) - NAMED
                if more > 0:
                    named = text("{tokens} and {n} more", tokens=named, n=f"{more:,}")
                found += [text(template, tokens=named)] if tokens else []
            one, *other = found
            template = "The vocabulary {one} and {other}." if other else "The vocabulary {one}."
            return text(template, one=one, other="".join(other))
        if self.renumbered is None:
            return text(AS_MADE)
        first = self.renumbered
        has, rule = (
            text("nothing") if token is None else show(token)
            for token in (first.token, first.by_rule)
        )
        said = text(RENUMBERED, id=str(first.token_id), token=has, by_rule=rule)
        return f"{said} {text(SPECIALS_FIRST)}" if self.specials_first else said


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
    >>> print(vocabulary_finding(vocab, [ClaimedStep(b"a", b"b")], ["<e>"]).describe(repr))
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

    def describe(self, messages: Messages = ENGLISH) -> str | None:
        """Return one sentence on what is wrong with the ids; `None` if nothing is."""
        if self.broken is not None:
            template = "The new ids do not count up: that of merge {n} is out of line."
            return text_of(messages, template, n=f"{self.broken + 1:,}")
        if self.first_id != self.expected:
            ids = {"id": str(self.first_id), "other": str(self.expected)}
            template = "New tokens are numbered from {id} on, by the rule {other}."
            return text_of(messages, template, **ids)
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
        for note in self.notes:
            yield f"{note[0].upper()}{note[1:]}."
        # By how many lines the list is longer, if a slip in it is the best explanation.
        lines = self.explanations[0].lines if self.explanations else None
        if self.divergence is None:
            right = RIGHT_COUNTS if self.counts_claimed else ALL_RIGHT
            one = ONE_RIGHT_COUNT if self.counts_claimed else ONE_RIGHT
            n = f"{self.merges:,}"
            yield text_of(messages, one) if self.merges == 1 else text_of(messages, right, n=n)
        else:
            yield from self.divergence.describe(show, messages)
            yield from self._describe_causes(messages)
            if lines is None:  # else the rest is the rule's list: the slip's sentence says so
                yield from self._describe_rest(self.divergence, messages)
            if self.counts_wrong:
                wrong, of = f"{self.counts_wrong:,}", amount(self.counts_claimed, "count")
                template = ONE_WRONG if self.counts_wrong == 1 else SOME_WRONG
                yield text_of(messages, template, n=wrong, counts=str(of.translated(messages)))
        if self.size is not None:
            yield self.size.describe(lines, messages)
        if self.vocabulary is not None:
            yield self.vocabulary.describe(show, messages)
        if self.ids is not None and (ids := self.ids.describe(messages)) is not None:
            yield ids

    def _describe_causes(self, messages: Messages) -> Iterator[str]:
        if not self.explanations:
            yield text_of(messages, NO_CAUSE)
        else:
            lead = "Likely cause"
            for each in self.explanations:
                told = {"mistake": each.mistake(messages), "reach": each.describe_reach(messages)}
                told["lead"], told["cause"] = text_of(messages, lead), each.cause
                yield text_of(messages, CAUSE, **told)
                lead = "Explains it, too"

    def _describe_rest(self, divergence: Divergence, messages: Messages) -> Iterator[str]:
        later, n = self.merges - divergence.step - 1, f"{self.by_rule_after:,}"
        if not later:
            yield text_of(messages, "It is the last merge.")
        elif divergence.is_of_count_only and self.by_rule_after == later:
            yield text_of(messages, "The merges themselves are all by the rule.")
        elif self.by_rule_after == later:
            is_explained = any(each.all for each in self.explanations)
            yield text_of(messages, GIVEN_IT if is_explained else GIVEN_YOURS, n=n)
        else:
            yield text_of(messages, LATER, n=n, all=f"{later:,}")


NO_CAUSE = "None of the known mistakes that were tried on this corpus explains it."
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
