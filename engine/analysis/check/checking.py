"""`check`: compare a trainer's merges with the rule, and find the cause of the first difference.

The trainer's merges are made one after the other. At every step the rule's choice is asked for *in
the state that the trainer's own merges led to*; then the trainer's merge is made, whatever the rule
says. So each merge is judged by itself: an early slip does not condemn the thousands after it.

A cause is a hypothesis: *a trainer with this mistake makes these very merges.* So such a trainer is
run over the corpus from the first merge on. It explains the merges that both make. A wrong
hypothesis differs from the trainer early, so it costs little.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import NamedTuple

from engine.analysis.check.causes import CAUSES, OF_LISTS
from engine.analysis.check.claim import Assignment, Claim, ClaimedToken
from engine.analysis.check.forced_merges import forced_merges
from engine.analysis.check.mistaken_trainer import Cause, Deviation, DivergenceCase, Procedure, Slip
from engine.analysis.check.report import (
    TRIED,
    Divergence,
    LikelyMistake,
    Report,
    SizeFinding,
    TakenPair,
    id_finding,
    vocabulary_finding,
)
from engine.analysis.check.steps_file import ClaimedStep
from engine.bpe.ties import TieRuleName
from engine.core.arguments import checked
from engine.core.events import BytesPair, Pair, WorkProgress
from engine.core.wording import say
from engine.encoding.merging import NONE
from engine.text.patterns import PatternLike


@dataclass(frozen=True)
class JudgedMerge:
    """A trainer's merge, and the rule's choice in the same state.

    Attributes:
        count: the count of the trainer's pair just before it merges.
        rule: the pair that the rule takes there; `None` if none is left.
        rule_count: the count of the rule's pair.
        by_rule: whether the trainer takes the rule's pair, or one that it passed over before and
            that is as frequent.
    """

    step: ClaimedStep
    count: int
    rule: BytesPair | None
    rule_count: int
    by_rule: bool

    @property
    def fits(self) -> bool:
        """Whether it is by the rule, and its reported count, if any, is true."""
        return self.by_rule and self.step.count in (None, self.count)


class Judge:
    """A comparison of a trainer's merges with the rule, as they are made over the corpus.

    Attributes:
        ids: token → id, for bytes and the tokens that were made by a merge so far.

    >>> judge = Judge(Assignment(lambda: b"low low lower"))
    >>> [judged.by_rule for judged in judge.verdicts([ClaimedStep(b"l", b"o")])]
    [False]
    """

    def __init__(self, assignment: Assignment) -> None:
        self._merges = forced_merges(assignment)
        # Special tokens never merge, so their ids are not needed.
        self.ids = {bytes((byte,)): byte for byte in range(256)}
        self._lost_ties: set[Pair] = set()

    def verdicts(self, steps: Sequence[ClaimedStep]) -> Iterator[JudgedMerge]:
        """Make these merges; yield each with the rule's choice just before it is made."""
        vocab = self._merges.vocab
        for step in steps:
            count, claimed = self.count_of(step.pair), self._pair(step.pair)
            pair = self._merges.pop_best()
            if pair is None:
                yield JudgedMerge(step, count, None, 0, by_rule=count > 0)
            else:
                rule, rule_count = (vocab[pair[0]], vocab[pair[1]]), self._merges.count_of(pair)
                by_rule = pair == claimed
                if not by_rule:  # the pair has left the heap, which will not offer it again
                    self._lost_ties.add(pair)
                    by_rule = claimed in self._lost_ties and count >= rule_count
                yield JudgedMerge(step, count, rule, rule_count, by_rule)
            if count:
                self.ids.setdefault(step.left + step.right, self._merges.merge(claimed))

    def count_of(self, pair: BytesPair) -> int:
        """Return the count of a pair now."""
        return self._merges.count_of(self._pair(pair))

    def tied(self) -> list[BytesPair]:
        """Return all pairs with the top count now, sorted."""
        counts, vocab = self._merges.counts(), self._merges.vocab
        top = max(counts.values(), default=0)
        pairs = [pair for pair, count in counts.items() if count == top]
        return sorted((vocab[left], vocab[right]) for left, right in pairs)

    @property
    def highest(self) -> int:
        """The highest count of a pair now; 0 without any."""
        return max(self._merges.counts().values(), default=0)

    @property
    def is_done(self) -> bool:
        """Whether no pair is left."""
        return not self._merges.counts()

    def _pair(self, pair: BytesPair) -> Pair:
        left, right = pair
        return self.ids.get(left, NONE), self.ids.get(right, NONE)


# -- the check


@checked
def check(
    vocab: Mapping[int, bytes | str] | None,
    merges: Sequence[tuple[ClaimedToken, ClaimedToken]],
    corpus: str | os.PathLike[str],
    vocab_size: int | None = None,
    special_tokens: Sequence[str] = (),
    pattern: PatternLike = "gpt2",
    tie_rule: TieRuleName = "lexicographic",
) -> Report:
    """Check whether these merges are what the rule gives on a corpus; if not, where and why.

    Args:
        vocab: id → bytes; `None` to check merges of bytes only. It need not fit the merges. Text is
            read as a spelling of the bytes: GPT-2's, hex or others, recognized by all tokens
            together; `report.notes` names it.
        merges: (left, right) in the order learnt: bytes, text, or ids of the vocabulary.
        corpus: the file that they were learnt from.
        vocab_size: the size that was asked for; `None` if any number of merges will do.
        special_tokens, pattern, tie_rule: as `train_bpe` takes them.

    Returns:
        a `Report`; `report.agrees` is the verdict, `report.describe()` says it in sentences.

    Raises:
        BpeError: one of its subclasses, for a file or an argument that will not do.
    """
    assignment = Assignment.of_file(corpus, special_tokens, pattern, tie_rule, vocab_size)
    return check_claim(Claim.of(vocab, merges), assignment)


def check_claim(
    claim: Claim,
    assignment: Assignment,
    on_judged: Callable[[JudgedMerge], object] = id,
    on_work: Callable[[WorkProgress], object] = id,
) -> Report:
    """Check a claim, however it was read.

    Args:
        on_judged: is called with each merge as it is judged.
        on_work: is called before each mistake is tried.

    >>> here = Assignment(lambda: b"low low lower newer")
    >>> report = check_claim(Claim.of(None, [(b"o", b"w"), (b"l", b"ow"), (b"e", b"r")]), here)
    >>> print(*report.describe(), sep="\\n")
    All 3 merges are by the rule.
    """
    judge = Judge(assignment)
    judgements: list[JudgedMerge] = []
    for judged in judge.verdicts(claim.steps):
        judgements.append(judged)
        on_judged(judged)
    wrong = next((place for place, judged in enumerate(judgements) if not judged.fits), None)
    later = [] if wrong is None else judgements[wrong + 1 :]
    merges, specials, size = len(claim.steps), assignment.special_tokens, assignment.vocab_size
    wanted = merges if size is None else size - assignment.first_id  # the vocabulary is full then
    enough = min(merges, wanted) if judge.is_done else wanted
    highest = judge.highest if wrong is None else 0
    del judge  # its pretokens take as much memory as those of a trainer
    divergence = None if wrong is None else _divergence(claim.steps, wrong, assignment)
    return Report(
        merges=merges,
        divergence=divergence,
        explanations=()
        if divergence is None
        else _explanations(claim, divergence, assignment, on_work),
        by_rule_after=sum(judged.by_rule for judged in later),
        counts_claimed=sum(step.count is not None for step in claim.steps),
        counts_wrong=sum(judged.step.count not in (None, judged.count) for judged in judgements),
        size=None
        if merges == enough
        else SizeFinding(
            merges, wanted, len(specials), judgements[-1].count if judgements else 0, highest
        ),
        vocabulary=None
        if claim.vocab is None
        else vocabulary_finding(claim.vocab, claim.steps, specials),
        ids=id_finding(claim.steps, assignment.first_id),
        notes=claim.notes,
    )


def _divergence(steps: Sequence[ClaimedStep], place: int, assignment: Assignment) -> Divergence:
    """Make the merges up to the divergence once more, and look closely there.

    On the way the counts of the pair that the trainer takes there are noted: the first time it was
    not known which pair that would be.
    """
    judge, step = Judge(assignment), steps[place]
    counts = [judge.count_of(step.pair) for _ in judge.verdicts(steps[:place])]
    judged = next(judge.verdicts([step]))
    token, top = step.left + step.right, judged.rule_count
    crosses_border = (
        judged.count == 0
        and not any(token in pretoken for pretoken in assignment.counts)
        and token in assignment.text
    )
    return Divergence(
        step=place,
        rule=judged.rule,
        rule_count=top,
        tied=tuple(judge.tied()),
        taken=step.pair,
        claimed_count=step.count,
        taken_pair=TakenPair(
            judged.count,
            tuple(token for token in step.pair if token not in judge.ids),
            next((at for at in range(place) if steps[at].pair == step.pair), None),
            crosses_border,
            # In a tie the rule decided, and no count.
            next(
                (
                    (at, counts[at])
                    for at in reversed(range(place))
                    if counts[at] > top > judged.count
                ),
                None,
            ),
        ),
    )


# -- the causes of a divergence

COSTS = 0, 1, 2
TRIED_WITH_OTHERS = 2
"""Number of mistakes that are tried together with any other if none explains everything."""

PATIENCE_SECONDS = 10
"""Time after which no further mistake is tried on a corpus that is not small."""

LEAST = 20
"""Least number of merges that a mistake explains if it is named and does not explain everything."""


class Tried(NamedTuple):
    """A mistake as it is reported, and as it was tried."""

    explanation: LikelyMistake
    deviation: Deviation | Slip


def _explanations(
    claim: Claim,
    divergence: Divergence,
    assignment: Assignment,
    on_work: Callable[[WorkProgress], object],
) -> tuple[LikelyMistake, ...]:
    """Find the mistakes that make the claimed merges, with the claimed counts if possible."""
    is_tie = divergence.taken in divergence.tied and not divergence.is_of_count_only
    case = DivergenceCase(assignment, claim.steps, divergence.step, is_tie)
    until = inf if case.is_small else time.monotonic() + PATIENCE_SECONDS
    found = explain(case, CAUSES.values(), on_work, until)
    if not found and not divergence.is_of_count_only:
        uncounted = [replace(step, count=None) for step in claim.steps]
        if uncounted != claim.steps:
            found = explain(replace(case, steps=uncounted), CAUSES.values(), on_work, until)
    return tuple(found)


def explain(
    case: DivergenceCase,
    causes: Collection[Cause],
    on_work: Callable[[WorkProgress], object] = id,
    until: float = inf,
) -> list[LikelyMistake]:
    """Return the mistakes that explain a divergence: everything, or else most merges.

    Args:
        until: the time of the monotonic clock, in seconds, after which no further one is tried.

    A mistake is tried on a limited number of merges. One that explains all of those counts as much
    as one that explains the whole list. Of causes that explain as much, the earlier comes first.

    Where no mistake explains everything, those that explain most are tried together with any other:
    two mistakes are named if each of them is needed.
    """
    by_rule = Procedure.by_rule(case.assignment)
    found: list[Tried] = []
    groups = [[cause for cause in causes if cause.cost == cost] for cost in COSTS]
    if not case.is_small:  # two lists are compared sooner than such a corpus is counted
        groups.insert(0, [cause for cause in causes if cause.name in OF_LISTS])
    for group in groups:
        tried = _with_progress(group, on_work)
        found = sorted([*found, *_explained(case, tried, by_rule, until)], key=_by_merges)
        if whole := [each.explanation for each in found if each.explanation.explains_enough]:
            return whole
    # A wrong idea explains some merges, too: only what explains most of them is named.
    most = min(len(case.steps) - case.divergence, TRIED)
    likely = [each.explanation for each in found if each.explanation.merges >= max(most / 2, LEAST)]
    return [*_explain_together(case, causes, found)] or likely


def _with_progress(
    causes: Sequence[Cause], on_work: Callable[[WorkProgress], object]
) -> Iterator[Cause]:
    for number, cause in enumerate(causes):
        on_work(WorkProgress("looking for the cause", number, len(causes)))
        yield cause


def _by_merges(tried: Tried) -> int:
    return -min(tried.explanation.merges, TRIED)


def _explained(
    case: DivergenceCase, causes: Iterable[Cause], procedure: Procedure, until: float = inf
) -> list[Tried]:
    """Try each cause, added to the mistakes of `procedure`; return its best variant.

    On a large corpus the first cause that explains enough is the last one that is tried.
    """
    found: list[Tried] = []
    for cause in causes:
        tried = []
        # To look for variants may take long, too: it reads the corpus again.
        for deviation in cause.deviations(case) if time.monotonic() < until else ():
            if time.monotonic() > until:
                break
            made = _alike(case, deviation, procedure)
            lines = deviation.lines if isinstance(deviation, Slip) else None
            all_made = made == len(case.steps)
            count = 0 if lines is not None and not all_made else max(0, made - case.divergence)
            explanation = LikelyMistake(
                cause.name, deviation.sentence, count, all_made, lines=lines
            )
            tried.append(Tried(explanation, deviation))
        best = max(tried, key=lambda each: each.explanation.merges, default=None)
        if best is None or not best.explanation.merges:
            continue
        alike = []
        for other in tried:
            as_many = other.explanation.merges == best.explanation.merges
            if as_many and other is not best and other.deviation.variant:
                alike.append(other.deviation.variant)
        found.append(best._replace(explanation=replace(best.explanation, alike=tuple(alike))))
        if best.explanation.explains_enough and not case.is_small:
            break
    return found


def _alike(case: DivergenceCase, deviation: Deviation | Slip, procedure: Procedure) -> int:
    """Return the number of merges, from the first on, that a trainer with the mistake makes, too.

    The trainer, which takes much memory, is freed before the next one is made.
    """
    if isinstance(deviation, Slip):
        steps, merges = case.steps, iter(deviation.steps)
    else:
        steps = case.steps[: case.divergence + TRIED]
        merges = deviation.change(procedure).merges()
    made = 0
    for step, taken in zip(steps, merges, strict=False):
        if taken.pair != step.pair or step.count not in (None, taken.count):
            break
        made += 1
    return made


def _explain_together(
    case: DivergenceCase, causes: Collection[Cause], found: list[Tried]
) -> Iterator[LikelyMistake]:
    """Find two mistakes that explain everything together."""
    if not case.is_small:
        return
    case = replace(case, is_tie=True)  # further on there may be ties
    for part, first in found[:TRIED_WITH_OTHERS]:
        if not isinstance(first, Deviation):
            continue
        others = [cause for cause in causes if cause.cost != COSTS[-1] and cause.name != part.cause]
        procedure = first.change(Procedure.by_rule(case.assignment))
        procedure = replace(procedure, pretokens=procedure.counts())  # once for all variants
        for whole, _ in sorted(_explained(case, others, procedure), key=_by_merges):
            if whole.explains_enough:
                yield replace(
                    whole,
                    cause=f"{part.cause} + {whole.cause}",
                    sentence=say("{one}; and {other}", one=part.said, other=whole.said),
                )
                return
