"""PickyBPE: a merge may remove a token that is hardly used any more.

Plain BPE keeps each token that it needed on the way to a longer one: ` strawber` after
` strawberry`. PickyBPE (Chizhov and others, EMNLP 2024, arXiv 2409.04599) looks at the two parts of
each merge. If the merge took more than a threshold of a part's occurrences, the part goes. Its
other occurrences fall into the parts that it was made of, or into theirs if these have gone. The
vocabulary has room for another token then, and a later merge may make the same token again.

It does what the authors' program does (github.com/pchizhov/picky_bpe), with two differences where
a second pair makes a token that is there. Counts stay exact, and no token is counted as new.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import chain, pairwise
from typing import Any

from engine.bpe.record import MergeStep
from engine.bpe.removals import RemadeIds, Removal, Removals
from engine.bpe.trainer import StopReason, Trainer
from engine.bpe.trainers import heap
from engine.bpe.trainers.algorithm import Algorithm, CodeLine, StepPart, TrainingTask
from engine.bpe.trainers.heap import queue_of
from engine.core.errors import RemovalError
from engine.core.events import Pair
from engine.encoding.alphabet import DEFAULT_UNITS
from engine.encoding.merging import merge_pair
from engine.recording.merge_record import MergeReport

LEAST_THRESHOLD = 0.5
"""Below it a merge could remove a token that occurs more often elsewhere."""
MOST_MERGES = 8
"""Most merges for each token asked for: removals may undo merges without end."""


UNITS_TO_SPLIT = ("bytes", "characters")
"""Units in which merged tokens differ only if their bytes do."""


def check_picky(threshold: float, units: str = DEFAULT_UNITS) -> None:
    """Raise `RemovalError` if a threshold is out of range, or no token of such units can go."""
    if units not in UNITS_TO_SPLIT:
        raise RemovalError(f"tokens are removed with units of {' or '.join(UNITS_TO_SPLIT)} only")
    if not LEAST_THRESHOLD <= threshold <= 1:
        raise RemovalError(
            f"the threshold is the part of a token's occurrences that a merge takes, from "
            f"{LEAST_THRESHOLD} to 1, and this is {threshold:g}; the paper's are 0.6 to 0.9"
        )


class PickyTrainer(Trainer):
    """A training whose merges may remove tokens.

    Args:
        counts, vocab_size, special_tokens: as for `Trainer`.
        threshold: a part of a merge goes if the merge took a greater share of its occurrences; 1
            removes nothing.
        options: `tie_rule`, `min_count`, `max_token_length` and `units` of `Trainer`.

    Attributes:
        removals: the tokens that each step removed.

    Raises:
        RemovalError: the threshold is out of range, or the units are `end-of-word`.

    >>> trainer = PickyTrainer({b"abc": 9, b"ab": 1, b"d": 1}, 259, threshold=0.8)
    >>> [(step.token, [gone.share for gone in step.gone]) for step in trainer.steps()]
    [(b'ab', []), (b'abc', [0.9]), (b'ab', [])]
    """

    def __init__(
        self,
        counts: Mapping[bytes, int],
        vocab_size: int,
        special_tokens: Sequence[str] = (),
        *,
        threshold: float,
        **options: Any,
    ) -> None:
        check_picky(threshold, options.get("units", DEFAULT_UNITS))
        super().__init__(
            counts, vocab_size, special_tokens, algorithm=heap.ALGORITHM.name, **options
        )
        record = self.record
        corpus = _Corpus(self._task)
        counts_at_start = [corpus.tokens[place] for place in range(record.first_id)]
        self.removals = record.removals = Removals(threshold, counts_at_start)
        record.ids = RemadeIds(record.ids, self.removals, record.first_id)
        record.by_rule = False  # counts rise where a token falls apart, so no heap predicts a pair
        self.algorithm = ALGORITHM._replace(
            run=partial(_merges, corpus=corpus, removals=self.removals)
        )

    @property
    def vocab(self) -> dict[int, bytes]:
        """id → bytes, of all tokens that are there now."""
        return self.removals.vocab(self.record.vocab, len(self.record))

    @property
    def _is_full(self) -> bool:
        return self.removals.sizes[len(self.record)] >= self.vocab_size

    def _first_steps(self, wanted: int) -> Iterator[MergeStep]:
        steps = super()._first_steps(MOST_MERGES * wanted)
        while not self._is_full and (step := next(steps, None)) is not None:
            yield step

    def _why_stopped(self, counts: Mapping[bytes, int]) -> StopReason:
        goes_round = len(self.record) == MOST_MERGES * self.merges_wanted and not self._is_full
        return StopReason.GOES_ROUND if goes_round else super()._why_stopped(counts)


class _Corpus:
    """The pretokens in tokens, with the counts of tokens and pairs."""

    def __init__(self, task: TrainingTask) -> None:
        self._task = task
        self._pretokens = task.spelled()
        self._times = list(task.counts.values())
        self.tokens, self.pairs = Counter[int](), dict[Pair, int]()
        self._holders: defaultdict[int, set[int]] = defaultdict(set)
        self._changes = Counter[Pair]()
        self.changed: set[int] = set()
        for place, pretoken in enumerate(self._pretokens):
            self._count(place, pretoken, 1)
        self.take_changes()

    def merge(self, pair: Pair, made: int) -> int:
        """Replace a pair everywhere; return the number of replacements."""
        before = self.tokens[made]
        for place in self._holders[pair[0]] & self._holders[pair[1]]:
            pretoken = self._pretokens[place]
            if pair in pairwise(pretoken):
                self._rewrite(place, merge_pair(pretoken, pair, made))
        return self.tokens[made] - before

    def split(self, token_id: int, parts: Sequence[int]) -> None:
        """Take a token apart everywhere."""
        for place in tuple(self._holders[token_id]):
            apart = (parts if each == token_id else (each,) for each in self._pretokens[place])
            self._rewrite(place, [each for several in apart for each in several])

    def take_changes(self) -> tuple[dict[Pair, int], list[Pair]]:
        """Count the pairs as they are now.

        Returns:
            the new counts of the pairs that changed since the last call, and those that rose.
        """
        changes = self._task.mergeable(self._changes)
        after = {pair: self.pairs.get(pair, 0) + by for pair, by in changes.items() if by}
        self.pairs.update(after)
        for pair, count in after.items():
            if not count:
                del self.pairs[pair]
        self._changes, self.changed = Counter(), set()
        return after, [pair for pair, by in changes.items() if by > 0]

    def first_seen(self, pair: Pair) -> tuple[int, int]:
        """Return the first pretoken with a pair, and the pair's first place there."""
        for place in sorted(self._holders[pair[0]] & self._holders[pair[1]]):
            if pair in (there := list(pairwise(self._pretokens[place]))):
                return place, there.index(pair)
        return len(self._pretokens), 0

    def _rewrite(self, place: int, tokens: Sequence[int]) -> None:
        before = self._pretokens[place]
        self._count(place, before, -1)
        self._pretokens[place] = list(tokens)
        self._count(place, tokens, 1)
        for token_id in set(before).difference(tokens):
            self._holders[token_id].discard(place)
        self.changed.add(place)

    def _count(self, place: int, tokens: Sequence[int], sign: int) -> None:
        times = sign * self._times[place]
        for token_id in tokens:
            self.tokens[token_id] += times
            self._holders[token_id].add(place)
        for pair in pairwise(tokens):
            self._changes[pair] += times


def _merges(task: TrainingTask, corpus: _Corpus, removals: Removals) -> Iterator[MergeReport]:
    """Yield the merges, and log the tokens that they remove."""
    base = len(task.vocab)
    made_of: dict[int, Pair] = {}
    id_of: dict[bytes, int] = {}
    absent: set[int] = set()

    def parts_of(token_id: int) -> tuple[int, ...]:
        """Return a removed token's parts, and theirs if they have been removed."""
        if token_id not in absent:
            return (token_id,)
        left, right = made_of[token_id]
        return (*parts_of(left), *parts_of(right))

    # Put all pairs into a heap.
    queue, choose = queue_of(task, corpus.pairs, corpus.first_seen)
    # Pop the best pair.
    while (best := queue.pop_best(choose)) is not None:
        pair, _ = best
        if (count := corpus.pairs[pair]) < task.min_count:
            return
        # Join its two tokens; the same bytes are the same token.
        place = task.join(pair)
        made = id_of.setdefault(task.vocab[place], place)
        made_of.setdefault(made, pair)
        absent.discard(made)
        # Replace the pair everywhere.
        taken = corpus.merge(pair, made)
        # Remove the parts that the merge took nearly all occurrences of.
        gone: list[Removal] = []
        for part in dict.fromkeys(pair):
            left = corpus.tokens[part]
            if part >= base and taken / (taken + left) > removals.threshold:
                absent.add(part)
                parts = parts_of(part)
                corpus.split(part, parts)
                gone.append(Removal(part, parts, taken, left))
        touched = {made, *pair, *chain.from_iterable(each.parts for each in gone)}
        token_counts = [corpus.tokens[each] for each in touched]
        removals.token_counts.append([*touched], token_counts, width=len(task.vocab))
        removals.append(made, gone)
        # Push the pairs whose counts have risen; those that fell become stale.
        pretokens = len(corpus.changed)
        after, risen = corpus.take_changes()
        for each in risen:
            queue.push(each)
        report = task.merge(pair, count, after, taken, pretokens)
        report.gained = sum(each.left * (len(each.parts) - 1) for each in gone)
        yield report


PSEUDOCODE = (
    CodeLine("heap ← all pairs by their counts"),
    CodeLine("while the vocabulary is too small:"),
    CodeLine("  best ← top pair", (StepPart.CHOOSE,)),
    CodeLine("  new ← join best", (StepPart.JOIN,)),
    CodeLine("  replace best in all pretokens", (StepPart.REPLACE,)),
    CodeLine("  for each part of best:", (StepPart.CORRECT,)),
    CodeLine("    if new took most of it:", (StepPart.CORRECT,)),
    CodeLine("      take the others apart", (StepPart.CORRECT,)),
    CodeLine("  push pairs with higher counts", (StepPart.ENTER,)),
)

ALGORITHM = Algorithm(
    "picky",
    "the most frequent pair; a part that is hardly used any more goes",
    heap.heap,  # removes nothing; a trainer replaces it
    PSEUDOCODE,
    counters=(),
)
