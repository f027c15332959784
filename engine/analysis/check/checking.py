"""`check`: hold a trainer's merges against the rule, and look for the cause of the first slip."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace

from engine.analysis.check.assignment import Assignment
from engine.analysis.check.claim import Claim, ClaimedStep
from engine.analysis.check.deviation import Case
from engine.analysis.check.explaining import Explanation, explain
from engine.analysis.check.findings import Divergence, Report, SizeFinding, Standing
from engine.analysis.check.judge import Judge, Judged
from engine.analysis.check.numbering import VocabularyFinding, id_finding, vocabulary_finding
from engine.core.events import BytesPair
from engine.text.patterns import Pattern


def check(
    vocab: Mapping[int, bytes] | None,
    merges: Sequence[BytesPair],
    corpus: str | os.PathLike[str],
    vocab_size: int | None = None,
    special_tokens: Sequence[str] = (),
    pattern: str | Pattern = "gpt2",
    tie_rule: str = "lexicographic",
) -> Report:
    """Tell whether these merges are what the rule gives on a corpus; if not, where and why.

    Args:
        vocab: id → bytes; `None` to look at the merges only. It need not fit the merges.
        merges: (left bytes, right bytes) in the order learnt.
        corpus: the file that they were learnt from.
        vocab_size: the size that was asked for; `None` if any number of merges will do.
        special_tokens, pattern, tie_rule: as `train_bpe` takes them.

    Returns:
        a `Report`; `report.agrees` is the verdict, `report.told()` says it in sentences.

    Raises:
        BpeError: one of its subclasses, for a file or an argument that will not do.
    """
    assignment = Assignment.of_file(corpus, special_tokens, pattern, tie_rule, vocab_size)
    return check_claim(Claim.of(vocab, merges), assignment)


def check_claim(claim: Claim, assignment: Assignment) -> Report:
    """`check` for what a trainer says in any way.

    >>> here = Assignment(lambda: b"low low lower newer")
    >>> report = check_claim(Claim.of(None, [(b"o", b"w"), (b"l", b"ow"), (b"e", b"r")]), here)
    >>> print(*report.told(), sep="\\n")
    All 3 merges are by the rule.
    """
    judge = Judge(assignment)
    judgements = list(judge.verdicts(claim.steps))
    wrong = next((place for place, judged in enumerate(judgements) if not _fits(judged)), None)
    divergence = None if wrong is None else _divergence(claim.steps, wrong, assignment)
    behind = [] if wrong is None else judgements[wrong + 1 :]
    return Report(
        merges=len(claim.steps),
        divergence=divergence,
        explanations=() if divergence is None else _explanations(claim, divergence, assignment),
        by_rule_after=sum(judged.by_rule for judged in behind),
        counts_told=sum(step.count is not None for step in claim.steps),
        counts_wrong=sum(judged.step.count not in (None, judged.count) for judged in judgements),
        size=_size_finding(len(claim.steps), judge, assignment),
        vocabulary=_vocabulary_finding(claim, assignment),
        ids=id_finding(claim.steps, assignment.first_id),
    )


def _fits(judged: Judged) -> bool:
    return judged.by_rule and judged.step.count in (None, judged.count)


def _divergence(steps: Sequence[ClaimedStep], place: int, assignment: Assignment) -> Divergence:
    """Make the merges up to the divergence once more and look closely there.

    On the way the pair that the trainer takes there is followed, which nobody knew to do before.
    """
    judge, step = Judge(assignment), steps[place]
    counts = [judge.count_of(step.pair) for _ in judge.verdicts(steps[:place])]
    judged = next(judge.verdicts([step]))
    rule, count = judged.rule, judged.rule_count
    return Divergence(
        step=place,
        rule=rule,
        rule_count=count,
        tied=tuple(judge.tied()),
        taken=step.pair,
        claimed_count=step.count,
        standing=Standing(
            judged.count,
            tuple(token for token in step.pair if not judge.knows(token)),
            next((at for at in range(place) if steps[at].pair == step.pair), None),
            judged.count == 0 and _crosses_border(step.left + step.right, assignment),
            next(((at, counts[at]) for at in reversed(range(place)) if counts[at] > count), None),
        ),
    )


def _crosses_border(token: bytes, assignment: Assignment) -> bool:
    """Whether the bytes stand somewhere in the corpus, but not inside any pretoken."""
    inside = any(token in pretoken for pretoken in assignment.counts)
    return not inside and token in assignment.text


def _explanations(
    claim: Claim, divergence: Divergence, assignment: Assignment
) -> tuple[Explanation, ...]:
    """The mistakes that make the claimed merges; with the counts told, if any does."""
    is_tie = divergence.taken in divergence.tied and not divergence.is_of_count_only
    case = Case(assignment, claim.steps, divergence.step, is_tie)
    found = explain(case)
    if not found and not divergence.is_of_count_only:
        uncounted = [replace(step, count=None) for step in claim.steps]
        if uncounted != claim.steps:
            found = explain(replace(case, steps=uncounted))
    return tuple(found)


def _size_finding(merges: int, judge: Judge, assignment: Assignment) -> SizeFinding | None:
    """What is wrong with the number of merges; `judge` is at their end."""
    wanted = assignment.merges_wanted
    if wanted is None or merges == wanted or (merges < wanted and not judge.has_pairs_left):
        return None
    return SizeFinding(merges, wanted, len(assignment.special_tokens))


def _vocabulary_finding(claim: Claim, assignment: Assignment) -> VocabularyFinding | None:
    if claim.vocab is None:
        return None
    return vocabulary_finding(claim.vocab, claim.steps, assignment.special_tokens)
