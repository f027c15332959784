"""What a check can find, each with its sentence: a divergence, a wrong size, wrong numbers.

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
from engine.core.wording import ShowBytes

TIED_NAMED = 6


def describe_pair(pair: BytesPair, show: ShowBytes) -> str:
    """A pair as sentences write it: `a + b`."""
    return f"{show(pair[0])} + {show(pair[1])}"


@dataclass(frozen=True)
class Standing:
    """Where the pair that a trainer took stands, just before it merges.

    Attributes:
        count: how often it stands side by side.
        unknown: its tokens that are no bytes and that no earlier step makes.
        merged_at: the earlier step, from 0, that merged it already.
        crosses_border: its bytes stand in the corpus, but never inside a pretoken.
        earlier: (step, from 0; its count there): the last time it had a count that would win now.
    """

    count: int
    unknown: tuple[bytes, ...] = ()
    merged_at: int | None = None
    crosses_border: bool = False
    earlier: tuple[int, int] | None = None

    def describe(self, show: ShowBytes) -> str:
        """Where it stands, as a clause."""
        if self.unknown:
            return f"no earlier merge makes {' or '.join(map(show, self.unknown))}"
        if self.merged_at is not None:
            return f"merge {self.merged_at + 1:,} has merged it already, and it stands nowhere"
        if self.crosses_border:
            return "it never stands inside a pretoken, only across a border between two"
        if not self.count:
            return "it stands nowhere"
        text = f"it stands side by side {times(self.count)}"
        if self.earlier is not None:
            step, count = self.earlier
            text += f"; before merge {step + 1:,} it was {count:,}, which would have won here"
        return text


@dataclass(frozen=True)
class Divergence:
    """The first step that is not by the rule.

    Attributes:
        step: from 0.
        rule, rule_count: the pair that the rule takes there; `None` if none is left.
        tied: all the pairs that are as frequent as the rule's.
        taken: the trainer's pair.
        claimed_count: the count that the trainer tells, if it tells one.
        standing: where the trainer's pair stands.
    """

    step: int
    rule: BytesPair | None
    rule_count: int
    tied: tuple[BytesPair, ...]
    taken: BytesPair
    claimed_count: int | None
    standing: Standing

    @property
    def is_of_count_only(self) -> bool:
        """The pair is the rule's; only the claimed count is wrong."""
        return self.taken == self.rule

    def describe(self, show: ShowBytes) -> Iterator[str]:
        """The divergence, a sentence or two a line."""
        if self.is_of_count_only:
            yield (
                f"The first wrong count is at merge {self.step + 1:,}: the pair "
                f"{describe_pair(self.taken, show)} is right, but it stands side by side "
                f"{times(self.rule_count)}, not {self.claimed_count:,}."
            )
            return
        yield f"The first merge that is not by the rule is merge {self.step + 1:,}."
        yield f"The rule takes {self._describe_rule(show)}."
        yield f"Yours is {describe_pair(self.taken, show)}: {self.standing.describe(show)}."

    def _describe_rule(self, show: ShowBytes) -> str:
        if self.rule is None:
            return "nothing: no pair is left"
        text = f"{describe_pair(self.rule, show)}, side by side {times(self.rule_count)}"
        others = [pair for pair in self.tied if pair != self.rule]
        if not others:
            return f"{text}; no other pair is as frequent"
        named = ", ".join(describe_pair(pair, show) for pair in others[:TIED_NAMED])
        more = len(others) - TIED_NAMED
        return f"{text}, tied with {named}" + (f" and {more:,} more" if more > 0 else "")


def times(count: int) -> str:
    """`once`, `2 times`, `1,000 times`."""
    return "once" if count == 1 else f"{count:,} times"


@dataclass(frozen=True)
class SizeFinding:
    """There are more or fewer merges than were asked for, though the rule has enough pairs."""

    merges: int
    wanted: int
    special_tokens: int

    def describe(self, lines: int | None = None) -> str:
        """How far off the number is, and what that number hints at.

        Args:
            lines: by how many the list is longer, where a slip in it explains the divergence.
        """
        few = "few" if self.merges < self.wanted else "many"
        off = self.merges - self.wanted
        text = f"Too {few} merges, by {abs(off):,}: {self.merges:,}, not {self.wanted:,}."
        if lines:
            missing = "missing from" if lines < 0 else "too many in"
            accounted = f"That is what is {missing} the list."
            return f"{text} {accounted}" if lines == off else text
        hints = list(self._hints(abs(off)))
        return f"{text} Perhaps {', or '.join(hints)}." if hints else text

    def _hints(self, off: int) -> Iterator[str]:
        """What is so many."""
        if off == 256:
            yield "the 256 bytes were not counted as tokens of the vocabulary"
        if off == 1:
            yield "a loop is off by one"
        if off == self.special_tokens:
            yield "the special tokens were counted twice or not at all"
        elif off == 256 + self.special_tokens:
            yield "the 256 bytes and the special tokens were not counted"


# -- the vocabulary and the new ids
#
# The rule numbers the 256 bytes, then the special tokens, then the merges in their order. A trainer
# may number otherwise and still be right: that is worth a note. A token too few or too many is not.
NAMED = 5
"""Tokens that a sentence names; it says how many more there are."""


@dataclass(frozen=True)
class Renumbered:
    """The first id that has another token than by the rule; `None` where there is none."""

    token_id: int
    token: bytes | None
    by_rule: bytes | None

    def describe(self, show: ShowBytes) -> str:
        """The id and its two tokens, as a clause."""
        has = "nothing" if self.token is None else show(self.token)
        rule = "nothing" if self.by_rule is None else show(self.by_rule)
        return f"id {self.token_id} is {has}, by the rule {rule}"


@dataclass(frozen=True)
class VocabularyFinding:
    """How a vocabulary differs from the 256 bytes, the special tokens and the merges' tokens."""

    missing: tuple[bytes, ...]
    extra: tuple[bytes, ...]
    renumbered: Renumbered | None

    @property
    def is_consistent(self) -> bool:
        """Whether it has the right tokens, however they are numbered."""
        return not self.missing and not self.extra

    def describe(self, show: ShowBytes) -> str:
        """How the vocabulary is, in one sentence."""
        if self.missing or self.extra:
            parts = [("lacks", self.missing), ("has, beyond what it should,", self.extra)]
            differences = (f"{verb} {_some(tokens, show)}" for verb, tokens in parts if tokens)
            return f"The vocabulary {' and '.join(differences)}."
        if self.renumbered is None:
            return "The vocabulary is what these merges make, with the ids that the rule gives."
        first = self.renumbered.describe(show)
        return f"The vocabulary has the right tokens, but numbers them otherwise: {first}."


def _some(tokens: Sequence[bytes], show: ShowBytes) -> str:
    named = ", ".join(map(show, tokens[:NAMED]))
    more = len(tokens) - NAMED
    return f"{named} and {more:,} more" if more > 0 else named


def vocabulary_finding(
    vocab: Mapping[int, bytes], steps: Sequence[ClaimedStep], special_tokens: Sequence[str]
) -> VocabularyFinding:
    """Compare a vocabulary with what the trainer's own merges make of it.

    >>> vocab = dict(enumerate([b"<e>", *(bytes((byte,)) for byte in range(256)), b"ab"]))
    >>> print(vocabulary_finding(vocab, [ClaimedStep(b"a", b"b")], ["<e>"]).describe(repr))
    The vocabulary has the right tokens, but numbers them otherwise: id 0 is b'<e>', by the rule \
b'\\x00'.
    """
    expected = [*base_vocab(special_tokens), *(step.left + step.right for step in steps)]
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
        None if first is None else Renumbered(first, vocab.get(first), by_rule.get(first)),
    )


@dataclass(frozen=True)
class IdFinding:
    """The new ids that a trainer reports.

    Attributes:
        first_id: the id of the first merge.
        expected: what it is by the rule.
        broken: the first step, from 0, whose id is not one more than that before it; `None` if all
            count up.
    """

    first_id: int
    expected: int
    broken: int | None

    def describe(self) -> str | None:
        """What is wrong with the ids, in one sentence; `None` if they are those of the rule."""
        if self.broken is not None:
            return f"The new ids do not count up: that of merge {self.broken + 1:,} is out of line."
        if self.first_id != self.expected:
            return f"New tokens are numbered from {self.first_id} on, by the rule {self.expected}."
        return None


def id_finding(steps: Sequence[ClaimedStep], first_id: int) -> IdFinding | None:
    """Whether the reported ids count up; `None` if no step reports one."""
    ids = [(place, step.new_id) for place, step in enumerate(steps) if step.new_id is not None]
    if not ids:
        return None
    place, new_id = ids[0]
    broken = next((at for at, other in ids if other - at != new_id - place), None)
    return IdFinding(new_id - place, first_id, broken)


FURTHER = 1000
"""How many merges behind the divergence a hypothesis is run for, at the most."""


@dataclass(frozen=True)
class Explanation:
    """A mistake that makes the trainer's merges up to the divergence, and some from there on.

    Attributes:
        cause, sentence: the mistake; where two were made, both.
        merges: how many merges it makes as the trainer does, from the divergence on.
        all: whether these are all that the trainer made.
        alike: other variants of the mistake that explain as much.
        lines: see `Slip`; `None` for the mistakes of trainers.
    """

    cause: str
    sentence: str
    merges: int
    all: bool
    alike: tuple[str, ...] = ()
    lines: int | None = None

    @property
    def explains_enough(self) -> bool:
        """Whether it explains all that is tried of it."""
        return self.all or self.merges > FURTHER


@dataclass(frozen=True)
class Report:
    """The outcome of a check.

    Attributes:
        merges: how many merges the trainer made.
        divergence: the first that is not by the rule; `None` if all are.
        explanations: the mistakes that would have made it, the likeliest first.
        by_rule_after: how many merges behind the divergence are what the rule takes after the
            trainer's own merges before them.
        counts_claimed, counts_wrong: how many counts the trainer reported, how many are wrong.
        size, vocabulary, ids: what was found of these; `None` if they were not looked at.
        notes: how tokens that are no bytes were read.
        has_text: whether there was a text to look for mistakes in, and not its counts alone.
    """

    merges: int
    divergence: Divergence | None
    explanations: tuple[Explanation, ...]
    by_rule_after: int
    counts_claimed: int
    counts_wrong: int
    size: SizeFinding | None
    vocabulary: VocabularyFinding | None
    ids: IdFinding | None
    notes: tuple[str, ...] = ()
    has_text: bool = True

    @property
    def agrees(self) -> bool:
        """Whether the merges, their number and the tokens of the vocabulary are by the rule."""
        consistent = self.vocabulary is None or self.vocabulary.is_consistent
        numbered = self.ids is None or self.ids.broken is None
        return self.divergence is None and self.size is None and consistent and numbered

    def describe(self, show: ShowBytes = spell) -> Iterator[str]:
        """The outcome, a sentence or two a line."""
        for note in self.notes:
            yield f"{note[0].upper()}{note[1:]}."
        if self.divergence is None:
            counts = " with the counts told" if self.counts_claimed else ""
            yield f"All {self.merges:,} merges are by the rule{counts}."
        else:
            yield from self.divergence.describe(show)
            yield from self._why()
            yield from self._after(self.divergence)
            if self.counts_wrong:
                yield f"{self.counts_wrong:,} of the {self.counts_claimed:,} counts told are wrong."
        if self.size is not None:
            yield self.size.describe(self.lines)
        if self.vocabulary is not None:
            yield self.vocabulary.describe(show)
        if self.ids is not None and (ids := self.ids.describe()) is not None:
            yield ids

    @property
    def likely(self) -> tuple[Explanation, ...]:
        """The explanations worth telling: beside one that explains all, none that does not."""
        whole = tuple(each for each in self.explanations if each.explains_enough)
        return whole or self.explanations

    @property
    def lead(self) -> str:
        """What the first explanation is called: a cause is likely if it explains half at least."""
        assert self.divergence is not None
        first = self.explanations[0]
        behind = min(self.merges - self.divergence.step, FURTHER + 1)
        likely = first.all or (first.merges > 1 and 2 * first.merges >= behind)
        return "Likely cause" if likely else "Possible cause"

    @property
    def lines(self) -> int | None:
        """By how many lines the list is longer, if a slip in it is what explains it best."""
        return self.explanations[0].lines if self.explanations else None

    def _why(self) -> Iterator[str]:
        if not self.has_text:
            yield "No cause was looked for: that takes the text, and here are only its counts."
        elif not self.explanations:
            yield "None of the known mistakes that were tried on this corpus explains it."
        for place, explanation in enumerate(self.likely):
            lead = "Explains it, too" if place else self.lead
            yield f"{lead} ({explanation.cause}): {explanation.sentence}. {_reach(explanation)}"

    def _after(self, divergence: Divergence) -> Iterator[str]:
        behind = self.merges - divergence.step - 1
        if self.lines is not None:
            return  # what is behind is the rule's list: the slip says so
        if not behind:
            yield "It is the last merge."
        elif divergence.is_of_count_only and self.by_rule_after == behind:
            yield "The merges themselves are all by the rule."
        elif self.by_rule_after == behind:
            slip = "" if any(each.all for each in self.explanations) else "It is one slip. "
            yield f"{slip}Given it, all later merges ({behind:,}) are by the rule."
        else:
            yield (
                f"{self.by_rule_after:,} of {behind:,} later merges are what the rule takes after "
                "yours before them."
            )


def _reach(explanation: Explanation) -> str:
    """How far a mistake explains what the trainer did."""
    alike = f" So would {', '.join(explanation.alike)}." if explanation.alike else ""
    more = explanation.merges - 1
    if explanation.lines is not None:
        return (
            "All the others are the rule's, in its order: a slip in the list, not in the trainer."
        )
    if explanation.all:
        mistake = "these mistakes" if " + " in explanation.cause else "this mistake"
        return f"A trainer with {mistake} makes exactly your merges.{alike}"
    if not more:
        return f"It explains this merge only; the next one differs again.{alike}"
    as_far = ", as far as it was tried" if more == FURTHER else ""
    return f"It explains this merge and the next {more:,}{as_far}.{alike}"


def as_dict(report: Report) -> dict[str, object]:
    """The report as `json.dumps` takes it; tokens in GPT-2's spelling, steps counted from 1.

    >>> as_dict(Report(3, None, (), 0, 0, 0, None, None, None))["agrees"]
    True
    """
    vocabulary = report.vocabulary
    return {
        "agrees": report.agrees,
        "merges": report.merges,
        "divergence": None if report.divergence is None else _divergence_as_dict(report.divergence),
        "causes": [
            {
                "cause": explanation.cause,
                "sentence": explanation.sentence,
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
            "missing": _tokens(vocabulary.missing),
            "extra": _tokens(vocabulary.extra),
            "numbered_by_rule": vocabulary.renumbered is None,
        },
        "told": list(report.describe()),
    }


def _divergence_as_dict(divergence: Divergence) -> dict[str, object]:
    standing = divergence.standing
    return {
        "step": divergence.step + 1,
        "kind": "count" if divergence.is_of_count_only else "pair",
        "rule": None if divergence.rule is None else _tokens(divergence.rule),
        "rule_count": divergence.rule_count,
        "tied": _pairs(divergence.tied),
        "taken": _tokens(divergence.taken),
        "taken_count": standing.count,
        "told_count": divergence.claimed_count,
        "unknown_tokens": _tokens(standing.unknown),
        "merged_at_step": None if standing.merged_at is None else standing.merged_at + 1,
        "crosses_border": standing.crosses_border,
        "would_have_won_before_step": None if standing.earlier is None else standing.earlier[0] + 1,
    }


def _tokens(tokens: Iterable[bytes]) -> list[str]:
    return [spell(token) for token in tokens]


def _pairs(pairs: Iterable[BytesPair]) -> list[list[str]]:
    return [_tokens(pair) for pair in pairs]
