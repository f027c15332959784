"""`check`: hold a trainer's merges against the rule, find the cause of the first slip; the report.

The trainer's merges are made one after the other. At every step the rule's choice is asked for *in
the state that the trainer's own merges led to*; then the trainer's merge is made, whatever the rule
says. So each merge is judged by itself: a slip early on does not condemn the thousands behind it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from engine.analysis.check.causes import CAUSES
from engine.analysis.check.claim import Assignment, Claim, Token
from engine.analysis.check.mistaken_trainer import LARGEST_TRIED, Case, Cause, Deviation, Slip, Way
from engine.analysis.check.report import (
    FURTHER,
    Divergence,
    Explanation,
    Report,
    SizeFinding,
    Standing,
    VocabularyFinding,
    id_finding,
    vocabulary_finding,
)
from engine.analysis.check.steps_file import ClaimedStep
from engine.bpe.trainers.heap import queue_of
from engine.bpe.trainers.indexed import PairIndex
from engine.core.events import BytesPair, Pair
from engine.text.patterns import PatternLike


@dataclass(frozen=True)
class Judged:
    """A merge and what the rule says of it.

    Attributes:
        count: how often the trainer's pair stands there just before it merges.
        rule: the pair that the rule takes there; `None` if none is left.
        rule_count: how often that one stands there.
        by_rule: the trainer takes the rule's pair, or one that it passed over before and that is
            as frequent.
    """

    step: ClaimedStep
    count: int
    rule: BytesPair | None
    rule_count: int
    by_rule: bool

    @property
    def fits(self) -> bool:
        """Whether it is by the rule, with a true count if the trainer tells one."""
        return self.by_rule and self.step.count in (None, self.count)


class Judge:
    """Makes a trainer's merges over the corpus, and says of each whether it is by the rule.

    >>> judge = Judge(Assignment(lambda: b"low low lower"))
    >>> [judged.by_rule for judged in judge.verdicts([ClaimedStep(b"l", b"o")])]
    [False]
    """

    def __init__(self, assignment: Assignment) -> None:
        self._task = assignment.task()
        self._index = PairIndex(self._task)
        # Special tokens are never merged: of them no id is known.
        self._ids = {bytes((byte,)): byte for byte in range(256)}
        # Forced merges make counts fall as the rule's own do, so a lazy heap stays exact.
        self._queue, self._choose = queue_of(self._task, self._index.counts, self._index.first_seen)
        self._passed_over: set[Pair] = set()

    def verdicts(self, steps: Sequence[ClaimedStep]) -> Iterator[Judged]:
        """Make these merges; before each is made, say what the rule would do."""
        for step in steps:
            judged = self._judged(step)
            yield judged
            if judged.count:
                self._merge(step)

    def count_of(self, pair: BytesPair) -> int:
        """How often the pair stands side by side now."""
        return self._index.counts.get(self._pair(pair), 0)

    def knows(self, token: bytes) -> bool:
        """Whether the token is a byte or some merge so far has made it."""
        return token in self._ids

    @property
    def has_pairs_left(self) -> bool:
        """Whether any two tokens stand side by side yet."""
        return bool(self._index.counts)

    def tied(self) -> list[BytesPair]:
        """All the pairs that have the top count now."""
        counts, vocab = self._index.counts, self._task.vocab
        top = max(counts.values(), default=0)
        pairs = [pair for pair, count in counts.items() if count == top]
        return sorted((vocab[left], vocab[right]) for left, right in pairs)

    def _pair(self, pair: BytesPair) -> Pair:
        return self._ids.get(pair[0], -1), self._ids.get(pair[1], -1)

    def _judged(self, step: ClaimedStep) -> Judged:
        count, claimed = self.count_of(step.pair), self._pair(step.pair)
        best = self._queue.pop_best(self._choose)
        if best is None:
            return Judged(step, count, None, 0, by_rule=count > 0)
        pair, vocab = best[0], self._task.vocab
        rule, rule_count = (vocab[pair[0]], vocab[pair[1]]), self._index.counts[pair]
        by_rule = pair == claimed
        if not by_rule:  # the heap has let go of the pair: it is not offered again
            self._passed_over.add(pair)
            by_rule = claimed in self._passed_over and count >= rule_count
        return Judged(step, count, rule, rule_count, by_rule)

    def _merge(self, step: ClaimedStep) -> None:
        new_id = self._task.join(self._pair(step.pair))
        merge = self._index.merge(self._pair(step.pair), new_id)
        self._ids.setdefault(step.left + step.right, new_id)
        for changed in map(self._task.pairs.__getitem__, merge.changed):
            if new_id in changed:
                self._queue.push(changed)


def check(
    vocab: Mapping[int, bytes | str] | None,
    merges: Sequence[tuple[Token, Token]],
    corpus: str | os.PathLike[str],
    vocab_size: int | None = None,
    special_tokens: Sequence[str] = (),
    pattern: PatternLike = "gpt2",
    tie_rule: str = "lexicographic",
) -> Report:
    """Tell whether these merges are what the rule gives on a corpus; if not, where and why.

    Args:
        vocab: id → bytes; `None` to look at the merges only. It need not fit the merges. Text is
            taken for what spells the bytes: GPT-2's spelling, hex and others, told by all tokens
            together; `report.notes` says for which.
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
    claim: Claim, assignment: Assignment, on_judged: Callable[[Judged], object] | None = None
) -> Report:
    """`check` for a claim, however it was read; `on_judged` is told of each merge as it is judged.

    >>> here = Assignment(lambda: b"low low lower newer")
    >>> report = check_claim(Claim.of(None, [(b"o", b"w"), (b"l", b"ow"), (b"e", b"r")]), here)
    >>> print(*report.describe(), sep="\\n")
    All 3 merges are by the rule.
    """
    judge = Judge(assignment)
    judgements: list[Judged] = []
    for judged in judge.verdicts(claim.steps):
        judgements.append(judged)
        if on_judged is not None:
            on_judged(judged)
    wrong = next((place for place, judged in enumerate(judgements) if not judged.fits), None)
    divergence = None if wrong is None else _divergence(claim.steps, wrong, assignment)
    behind = [] if wrong is None else judgements[wrong + 1 :]
    return Report(
        merges=len(claim.steps),
        divergence=divergence,
        explanations=() if divergence is None else _explanations(claim, divergence, assignment),
        by_rule_after=sum(judged.by_rule for judged in behind),
        counts_claimed=sum(step.count is not None for step in claim.steps),
        counts_wrong=sum(judged.step.count not in (None, judged.count) for judged in judgements),
        size=_size_finding(len(claim.steps), judge, assignment),
        vocabulary=_vocabulary_finding(claim, assignment),
        ids=id_finding(claim.steps, assignment.first_id),
        notes=claim.notes,
        has_text=assignment.has_text,
    )


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
    return not inside and assignment.has_text and token in assignment.text


def _explanations(
    claim: Claim, divergence: Divergence, assignment: Assignment
) -> tuple[Explanation, ...]:
    """The mistakes that make the claimed merges, with the claimed counts if any does."""
    if not assignment.has_text:
        return ()
    is_tie = divergence.taken in divergence.tied and not divergence.is_of_count_only
    case = Case(assignment, claim.steps, divergence.step, is_tie)
    found = explain(case, CAUSES.values())
    if not found and not divergence.is_of_count_only:
        uncounted = [replace(step, count=None) for step in claim.steps]
        if uncounted != claim.steps:
            found = explain(replace(case, steps=uncounted), CAUSES.values())
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


# -- the causes of a divergence


COSTS = 0, 1, 2


TRIED_WITH_OTHERS = 2
"""How many of the mistakes that explain a part are tried together with any other."""


_Found = list[tuple[Explanation, Deviation | Slip]]


def explain(case: Case, causes: Collection[Cause]) -> list[Explanation]:
    """The mistakes that explain the divergence, the one that explains most merges first.

    What explains all that is tried of it explains as much as what explains the whole list; of
    causes that explain as much, the earlier comes first.
    """
    by_rule = Way.by_rule(case.assignment)
    found: _Found = []
    for cost in COSTS:
        tried = [cause for cause in causes if cause.cost == cost]
        found = sorted([*found, *_explaining(case, tried, by_rule)], key=_reach)
        if found and found[0][0].explains_enough:
            return [explanation for explanation, _ in found]
    return [*_together(case, causes, found), *(explanation for explanation, _ in found)]


def _reach(found: tuple[Explanation, Deviation | Slip]) -> int:
    return -min(found[0].merges, FURTHER + 1)


def _explaining(case: Case, causes: Iterable[Cause], way: Way) -> _Found:
    """What each cause explains in its best variant, made beside the mistakes of `way`."""
    found: _Found = []
    for cause in causes:
        tried = [(_tried(case, cause, each, way), each) for each in cause.deviations(case)]
        best = max(tried, key=lambda each: each[0].merges, default=None)
        if best is None or not best[0].merges:
            continue
        alike = (
            deviation.variant
            for explanation, deviation in tried
            if explanation.merges == best[0].merges and deviation is not best[1]
        )
        found.append((replace(best[0], alike=tuple(alike)), best[1]))
    return found


def _together(case: Case, causes: Collection[Cause], found: _Found) -> Iterator[Explanation]:
    """Two mistakes that explain everything together, if there are such."""
    if len(case.assignment.text) > LARGEST_TRIED:
        return
    case = replace(case, is_tie=True)  # further on there may be ties
    for part, first in found[:TRIED_WITH_OTHERS]:
        if not isinstance(first, Deviation):
            continue
        others = [cause for cause in causes if cause.cost < 2 and cause.name != part.cause]
        way = first.change(Way.by_rule(case.assignment)).counted()
        for whole, _ in sorted(_explaining(case, others, way), key=_reach):
            if whole.explains_enough and whole.lines is None:
                cause, sentence = (
                    f"{part.cause} + {whole.cause}",
                    f"{part.sentence}; and {whole.sentence}",
                )
                yield replace(whole, cause=cause, sentence=sentence)
                return


def _tried(case: Case, cause: Cause, deviation: Deviation | Slip, way: Way) -> Explanation:
    """How many merges from the divergence on a trainer with the mistake makes, too."""
    lines = deviation.lines if isinstance(deviation, Slip) else None
    steps = case.steps if lines is not None else case.steps[: case.divergence + 1 + FURTHER]
    made = 0
    for step, taken in zip(steps, deviation.merges(way), strict=False):
        if taken.pair != step.pair or step.count not in (None, taken.count):
            break
        made += 1
    all_made = made == len(case.steps)
    merges = 0 if lines is not None and not all_made else max(0, made - case.divergence)
    return Explanation(cause.name, deviation.sentence, merges, all_made, lines=lines)
