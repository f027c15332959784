"""What a check finds, and how it is told.

Sentences quote tokens, which may be any bytes, so whoever tells them says how tokens are shown.
Steps are counted from 1, as on the screen.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from engine.analysis.check.causes import FURTHER, Explanation
from engine.analysis.check.numbering import IdFinding, VocabularyFinding
from engine.core.events import BytesPair
from engine.core.gpt2_bytes import spell
from engine.encoding.token_text import Show

TIED_NAMED = 6


def pair_told(pair: BytesPair, show: Show) -> str:
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

    def told(self, show: Show) -> str:
        if self.unknown:
            return f"no earlier step makes {' or '.join(map(show, self.unknown))}"
        if self.merged_at is not None:
            return f"step {self.merged_at + 1:,} has merged it already, and it stands nowhere"
        if self.crosses_border:
            return "it never stands inside a pretoken, only across a border between two"
        if not self.count:
            return "it stands nowhere"
        told = f"it stands side by side {times(self.count)}"
        if self.earlier is not None:
            step, count = self.earlier
            told += f"; before step {step + 1:,} it was {count:,}, which would have won here"
        return told


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
        """The pair is the rule's; only the count that was told is wrong."""
        return self.taken == self.rule

    def told(self, show: Show) -> Iterator[str]:
        if self.is_of_count_only:
            yield (
                f"The first wrong count is at step {self.step + 1:,}: the pair "
                f"{pair_told(self.taken, show)} is right, but it stands side by side "
                f"{times(self.rule_count)}, not {self.claimed_count:,}."
            )
            return
        yield f"The first merge that is not by the rule is step {self.step + 1:,}."
        yield f"The rule takes {self._rule_told(show)}."
        yield f"Yours is {pair_told(self.taken, show)}: {self.standing.told(show)}."

    def _rule_told(self, show: Show) -> str:
        if self.rule is None:
            return "nothing: no pair is left"
        told = f"{pair_told(self.rule, show)}, side by side {times(self.rule_count)}"
        others = [pair for pair in self.tied if pair != self.rule]
        if not others:
            return f"{told}; no other pair is as frequent"
        named = ", ".join(pair_told(pair, show) for pair in others[:TIED_NAMED])
        more = len(others) - TIED_NAMED
        return f"{told}, tied with {named}" + (f" and {more:,} more" if more > 0 else "")


def times(count: int) -> str:
    return "once" if count == 1 else f"{count:,} times"


@dataclass(frozen=True)
class SizeFinding:
    """There are more or fewer merges than were asked for, though the rule has enough pairs."""

    merges: int
    wanted: int
    special_tokens: int

    def told(self) -> str:
        few = "few" if self.merges < self.wanted else "many"
        off = abs(self.merges - self.wanted)
        told = f"Too {few} merges, by {off:,}: {self.merges:,}, not {self.wanted:,}."
        return told + (f" {hint}" if (hint := self._hint(off)) else "")

    def _hint(self, off: int) -> str | None:
        hints = {
            256: "That is 256, the bytes: they count as tokens of the vocabulary.",
            256 + self.special_tokens: "That is the 256 bytes and the special tokens: they count.",
            1: "A loop is off by one.",
            self.special_tokens: "That is the number of special tokens: each counts, and once.",
        }
        return hints.get(off)


@dataclass(frozen=True)
class Report:
    """The outcome of a check.

    Attributes:
        merges: how many merges the trainer made.
        divergence: the first that is not by the rule; `None` if all are.
        explanations: the mistakes that would have made it, the likeliest first.
        by_rule_after: of the merges behind the divergence, how many are what the rule takes after
            the trainer's own merges before them.
        counts_told, counts_wrong: how many counts the trainer told, how many of them are wrong.
        size, vocabulary, ids: what is to be said of these, if they were looked at.
    """

    merges: int
    divergence: Divergence | None
    explanations: tuple[Explanation, ...]
    by_rule_after: int
    counts_told: int
    counts_wrong: int
    size: SizeFinding | None
    vocabulary: VocabularyFinding | None
    ids: IdFinding | None

    @property
    def agrees(self) -> bool:
        """Whether the merges, their number and the tokens of the vocabulary are by the rule."""
        consistent = self.vocabulary is None or self.vocabulary.is_consistent
        numbered = self.ids is None or self.ids.broken is None
        return self.divergence is None and self.size is None and consistent and numbered

    def told(self, show: Show = spell) -> Iterator[str]:
        """The outcome, a sentence or two a line."""
        if self.divergence is None:
            counts = " with the counts told" if self.counts_told else ""
            yield f"All {self.merges:,} merges are by the rule{counts}."
        else:
            yield from self.divergence.told(show)
            yield from self._why()
            yield self._after(self.divergence)
            if self.counts_wrong:
                yield f"{self.counts_wrong:,} of the {self.counts_told:,} counts told are wrong."
        if self.size is not None:
            yield self.size.told()
        if self.vocabulary is not None:
            yield self.vocabulary.told(show)
        if self.ids is not None and (told := self.ids.told()) is not None:
            yield told

    def _why(self) -> Iterator[str]:
        if not self.explanations:
            yield "None of the known mistakes that were tried on this corpus explains it."
        for place, explanation in enumerate(self.explanations):
            likely = explanation.all or explanation.merges > 1
            first = "Likely cause" if likely else "Possible cause"
            lead = "Explains it, too" if place else first
            yield f"{lead} ({explanation.cause}): {explanation.sentence}. {_reach(explanation)}"

    def _after(self, divergence: Divergence) -> str:
        behind = self.merges - divergence.step - 1
        if not behind:
            return "It is the last merge."
        if divergence.is_of_count_only and self.by_rule_after == behind:
            return "The merges themselves are all by the rule."
        if self.by_rule_after == behind:
            slip = "" if any(each.all for each in self.explanations) else "It is one slip. "
            return f"{slip}Given it, all later merges ({behind:,}) are by the rule."
        return (
            f"{self.by_rule_after:,} of {behind:,} later merges are what the rule takes after "
            "yours before them."
        )


def _reach(explanation: Explanation) -> str:
    """How far a mistake explains what the trainer did."""
    alike = f" So would {', '.join(explanation.alike)}." if explanation.alike else ""
    more = explanation.merges - 1
    if explanation.all:
        return f"A trainer with this mistake makes exactly your merges.{alike}"
    if not more:
        return f"It explains this step only; the next one differs again.{alike}"
    as_far = ", as far as it was tried" if more == FURTHER else ""
    return f"It explains this step and the next {more:,}{as_far}.{alike}"


# A report as plain values for JSON; tokens are in GPT-2's spelling, steps counted from 1.


def as_dict(report: Report) -> dict[str, object]:
    """The report as `json.dumps` takes it.

    >>> from engine.analysis.check.findings import Report
    >>> as_dict(Report(3, None, (), 0, 0, 0, None, None, None))["agrees"]
    True
    """
    vocabulary = report.vocabulary
    return {
        "agrees": report.agrees,
        "merges": report.merges,
        "divergence": None if report.divergence is None else _divergence(report.divergence),
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
        "counts_told": report.counts_told,
        "counts_wrong": report.counts_wrong,
        "merges_wanted": report.merges if report.size is None else report.size.wanted,
        "vocabulary": vocabulary
        and {
            "missing": _tokens(vocabulary.missing),
            "extra": _tokens(vocabulary.extra),
            "numbered_by_rule": vocabulary.renumbered is None,
        },
        "told": list(report.told()),
    }


def _divergence(divergence: Divergence) -> dict[str, object]:
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
