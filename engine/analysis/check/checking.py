"""`check`: hold a trainer's merges against the rule, find the cause of the first slip; the report.

The trainer's merges are made one after the other. At every step the rule's choice is asked for *in
the state that the trainer's own merges led to*; then the trainer's merge is made, whatever the rule
says. So each merge is judged by itself: a slip early on does not condemn the thousands behind it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from engine.analysis.check.causes import CAUSES
from engine.analysis.check.claim import Assignment, Claim, Token
from engine.analysis.check.explanation import FURTHER, Case, Explanation, explain
from engine.analysis.check.findings import (
    Divergence,
    IdFinding,
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
from engine.core.gpt2_bytes import spell
from engine.core.wording import ShowBytes
from engine.text.patterns import PatternLike


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
