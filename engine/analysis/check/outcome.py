"""A report as plain values for JSON; tokens are in GPT-2's spelling, steps counted from 1."""

from __future__ import annotations

from collections.abc import Iterable

from engine.analysis.check.findings import Divergence, Report
from engine.core.events import BytesPair
from engine.core.gpt2_bytes import spell


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
