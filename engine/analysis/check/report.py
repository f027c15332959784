"""The outcome of a check, in sentences and as plain values for JSON."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from engine.analysis.check.explanation import FURTHER, Explanation
from engine.analysis.check.findings import Divergence, IdFinding, SizeFinding, VocabularyFinding
from engine.core.events import BytesPair
from engine.core.gpt2_bytes import spell
from engine.core.wording import Show


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

    def describe(self, show: Show = spell) -> Iterator[str]:
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
