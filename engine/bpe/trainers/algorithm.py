"""The parts that training algorithms share: their task, their work counts, their pseudocode."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import Enum
from functools import cached_property
from typing import NamedTuple

from engine.bpe.ties import FirstSeen, PairKey, TieRule
from engine.core.arrays import Integers, Ints, SmallInts
from engine.core.events import Pair
from engine.core.registry import Registry, registry_of
from engine.core.slow_modules import np
from engine.encoding.merging import count_pairs
from engine.recording.merge_record import MergeBatch, MergeReport, PairNumbers

# All algorithms find the same merges, but their work differs by orders of magnitude. Each adds to
# the counters in its task's `WorkCounts`, never inside a loop over tokens: it adds the length of
# the list it has gone through, a few additions for each step. A `WorkLog` stores the counters step
# by step.


class WorkCounts:
    """The work of an algorithm so far; `COUNTERS` explains the numbers."""

    pairs_scanned: int = 0
    pretokens_visited: int = 0
    tokens_read: int = 0
    places_checked: int = 0
    heap_pushes: int = 0
    heap_pops: int = 0
    stale_entries: int = 0
    bucket_moves: int = 0
    refreshes: int = 0


class WorkCounter(NamedTuple):
    """One of the numbers of `WorkCounts`.

    `adds_up` is false for a number that describes work counted elsewhere: a stale entry was popped,
    a refresh is a scan.
    """

    name: str
    label: str
    meaning: str
    adds_up: bool = True


COUNTERS: Registry[WorkCounter] = registry_of(
    "counter",
    WorkCounter("pairs_scanned", "pairs scanned", "pairs looked at to find the best"),
    WorkCounter("pretokens_visited", "pretokens visited", "pretokens gone through", adds_up=False),
    WorkCounter("tokens_read", "tokens read", "tokens of these pretokens, each time"),
    WorkCounter("places_checked", "places checked", "places noted for a pair, looked up"),
    WorkCounter("heap_pushes", "heap pushes", "entries put into the heap"),
    WorkCounter("heap_pops", "heap pops", "entries taken out of the heap"),
    WorkCounter("stale_entries", "stale entries", "of those, out of date", adds_up=False),
    WorkCounter("bucket_moves", "bucket moves", "pairs put into a lower bucket"),
    WorkCounter("refreshes", "refreshes", "times the active set was made", adds_up=False),
)


class WorkLog:
    """The totals of some counters after each step, in a column each.

    >>> work, log = WorkCounts(), WorkLog(("heap_pops", "stale_entries"))
    >>> for stale in (0, 2):
    ...     work.heap_pops += 1 + stale
    ...     work.stale_entries += stale
    ...     log.append(work)
    >>> log.total("heap_pops", 2), log.at_step("heap_pops", 2), log.operations(2).tolist()
    (4, 3, [1, 4])
    """

    def __init__(self, counters: Sequence[str]) -> None:
        self.counters = tuple(counters)
        self._columns = {name: array("q") for name in self.counters}
        self._length = 0

    def __len__(self) -> int:
        """Return the number of logged steps."""
        return self._length

    def append(self, work: WorkCounts) -> None:
        """Log the totals at the end of one more step."""
        for name, column in self._columns.items():
            column.append(getattr(work, name))
        self._length += 1

    def total(self, counter: str, step: int) -> int:
        """Return the count for the first `step` steps and the preparation."""
        return self._columns[counter][step - 1] if step else 0

    def at_step(self, counter: str, step: int) -> int:
        """Return the count for step `step` alone; step 1 includes the preparation."""
        return self.total(counter, step) - self.total(counter, step - 1) if step else 0

    def operations(self, steps: int) -> Ints:
        """Return the sum of the counters that add up, after each of the first `steps` steps."""
        summed = np.zeros(steps, dtype=np.int64)
        for name, column in self._columns.items():
            if COUNTERS[name].adds_up:
                summed += np.frombuffer(column[:steps], dtype=np.int64)
        return summed


COLON_SPACE = ord(":"), ord(" ")


def is_wordy(token: bytes, most_words: int) -> bool:
    """Whether a token has more words than allowed, or a colon and a space.

    Words are separated by spaces, as in SuperBPE (arXiv 2503.13423), whose code has both limits: it
    lets no token go on past the colon that ends a prompt.

    >>> is_wordy(b" of the", 2), is_wordy(b" one of the", 2), is_wordy(b"so: ", 2)
    (False, True, True)
    """
    return b": " in token or sum(map(bool, token.split(b" "))) > most_words


BORDER = -1
INSIDE = -2
"""A cell inside a token: neither its first nor its last cell."""

BLOCK = 1 << 20
BYTE_PAIRS = 1 << 16


class Symbols:
    """All pretokens in one flat array, in which a token's neighbours are found without links.

    Each byte of a pretoken has a cell, and there is a border cell before and after every pretoken.
    A token, at first a single byte, has its id in its *first and its last* cell. So for a token
    that starts at cell `p`,

        the left neighbour's id is in cell  p − 1,
        the right neighbour's id is in cell  p + (bytes of the token),

    and a merge writes two cells and blanks at most two. The cells are one block of memory that
    Python reads as an `array` (fast for one cell) and numpy as an `NDArray` (fast for many).

    Attributes:
        cells, cells_array: the cells, for Python and for numpy.
        pretoken_of, pretoken_array: cell → index of its pretoken.
        starts_type: the smallest integer type of numpy that can number the cells.
        times, times_array: index of a pretoken → its count.

    Args:
        counts: the pretokens and their counts.
        refused: a pair of bytes that is neither counted nor listed.
    """

    def __init__(self, counts: Mapping[bytes, int], refused: Pair | None = None) -> None:
        self._refused = None if refused is None else refused[0] << 8 | refused[1]
        sizes = np.fromiter(map(len, counts), np.int64, len(counts)) + 1
        borders = np.concatenate(([0], np.cumsum(sizes)))
        text = np.frombuffer(b"\0".join((b"", *counts, b"")), np.uint8)
        self.cells, self.cells_array = _shared_ints(len(text))
        self.cells_array[:] = text
        self.cells_array[borders] = BORDER
        self.pretoken_of, self.pretoken_array = _shared_ints(len(text))
        self.pretoken_array[:-1] = np.repeat(np.arange(len(counts)), sizes)
        self.starts_type = np.result_type(np.int32, np.min_scalar_type(-len(text)))
        self.times = list(counts.values())
        self.times_array = np.array(self.times, dtype=np.int64)

    def byte_pair_counts(self) -> tuple[list[int], list[int]]:
        """Return the pairs of bytes that occur, as left · 256 + right, and their counts."""
        totals = np.zeros(BYTE_PAIRS, dtype=np.int64)
        for starts, pairs in self._byte_pairs():
            weights = self.times_array.take(self.pretoken_array.take(starts))
            np.add.at(totals, pairs, weights)  # `bincount` would add floats
        present = np.flatnonzero(totals)
        return present.tolist(), totals[present].tolist()

    def byte_pair_starts(self) -> tuple[Integers, Ints]:
        """Return the cells where byte pairs start, sorted by pair, and the end of each part."""
        blocks = list(self._byte_pairs())
        starts = np.concatenate([block[0] for block in blocks])
        pairs = np.concatenate([block[1] for block in blocks])
        lengths = np.bincount(pairs, minlength=BYTE_PAIRS)
        # Stable, so that the starts of one pair stay in ascending order.
        starts = starts.take(pairs.argsort(kind="stable"))
        return starts, np.cumsum(lengths[lengths > 0])

    def _byte_pairs(self) -> Iterator[tuple[Integers, np.typing.NDArray[np.uint16]]]:
        """Yield, block by block, the cells where a pair of bytes starts, and these pairs."""
        cells = self.cells_array
        for begin in range(0, len(cells), BLOCK):
            right = cells[begin + 1 :][:BLOCK]
            left = cells[begin:][: len(right)]
            starts = ((left != BORDER) & (right != BORDER)).nonzero()[0]
            pairs = (left.take(starts) << 8 | right.take(starts)).astype(np.uint16)
            if self._refused is not None:
                allowed = pairs != self._refused
                starts, pairs = starts[allowed], pairs[allowed]
            yield (starts + begin).astype(self.starts_type), pairs


def _shared_ints(length: int) -> tuple[array[int], SmallInts]:
    """Return zeros of 32 bits that Python and numpy share."""
    ints = array("i", bytes(4)) * length
    return ints, np.frombuffer(ints, dtype=np.int32)


# -- pseudocode: an algorithm for people to read


class StepPart(Enum):
    """A part of a step, which each step goes through once; the value describes it.

    `heap` alone has the moves of its heap instead; a step may have any number of them.
    """

    COUNT = "the pairs are counted"
    CHOOSE = "the best pair is found"
    JOIN = "its two tokens are joined to a new one"
    REPLACE = "the pair is replaced by it"
    CORRECT = "the counts are corrected"
    ENTER = "the new pairs wait for their turn"


class Move(Enum):
    """A single operation on the heap; the value describes it."""

    POP_STALE = "pop, stale"
    PUSH_BACK = "push back with the true count"
    POP = "pop, true: this pair merges"
    PUSH = "push a new pair"


PartOrMove = Move | StepPart


class CodeLine(NamedTuple):
    """A line of pseudocode; it is active in the parts of a step that `during` names."""

    text: str
    during: tuple[PartOrMove, ...] = ()


def parts_of_step(lines: tuple[CodeLine, ...]) -> list[PartOrMove]:
    """Return the parts of a step, in the order of the pseudocode's lines.

    >>> lines = CodeLine("find it", (StepPart.CHOOSE,)), CodeLine("join it", (StepPart.JOIN,))
    >>> [part.name for part in parts_of_step(lines)]
    ['CHOOSE', 'JOIN']
    """
    return list(dict.fromkeys(part for line in lines for part in line.during))


# -- the task of an algorithm


Spell = Callable[[bytes], list[int]]
IN_BYTES: Spell = list
"""Spells a pretoken in its bytes, which are the ids of the tokens."""


class PairTask:
    """The part of a task that trainings of all models that merge pairs share.

    Attributes:
        counts: distinct pretoken → its count, in order of first appearance; no zeros.
        spell: spells a pretoken in token ids, before any merge.
        pairs: the numbers of the pairs, shared with the record.
    """

    counts: Mapping[bytes, int]
    spell: Spell
    pairs: PairNumbers

    def spelled(self) -> list[list[int]]:
        """Return the pretokens as lists of token ids, before any merge."""
        return list(map(self.spell, self.counts))

    def mergeable(self, pairs: Mapping[Pair, int]) -> Mapping[Pair, int]:
        """Return the pairs that may merge, with their counts; here all of them."""
        return pairs

    def merge(
        self, pair: Pair, count: int, after: Mapping[Pair, int], occurrences: int, pretokens: int
    ) -> MergeReport:
        """Report a step; `after` maps each pair whose count changed to its new count."""
        changed = [self.pairs.number_or_new(pair) for pair in after]
        number = self.pairs.number_or_new(pair)
        return MergeReport(number, count, changed, list(after.values()), occurrences, pretokens)


class TrainingTask(PairTask):
    """The task of a training algorithm. Algorithms build their data structures from it.

    Attributes:
        counts: distinct pretoken → its count, in order of first appearance; no zeros.
        vocab: id → bytes; the algorithm adds the token of each merge with `join`.
        tie_rule: chooses among pairs of equal count.
        min_count: rarer pairs are not merged.
        max_token_length: most bytes of a token, at least two; `None` for no limit. A pair that
            would make a longer token is ignored: it is neither counted nor recorded, as in
            SentencePiece and Hugging Face.
        spell: spells a pretoken in token ids, before any merge.
        most_words: most words of a token (see `is_wordy`); `None` for no limit. Pairs beyond it are
            ignored like those of too long tokens.
        given: merges to make first, in ids, whatever their counts. One whose pair does not occur
            makes its token all the same. Algorithms with `takes_given` make them.
        pairs: the numbers of the pairs, shared with the record; at first those before any merge.
        start: the counts of these pairs, by number.
        work: the work of the algorithm so far.
    """

    def __init__(
        self,
        counts: Mapping[bytes, int],
        vocab: list[bytes],
        tie_rule: TieRule,
        min_count: int,
        max_token_length: int | None = None,
        spell: Spell = IN_BYTES,
        most_words: int | None = None,
        given: Sequence[Pair] = (),
    ) -> None:
        self.counts = counts
        self.vocab = vocab
        self.tie_rule = tie_rule
        self.min_count = min_count
        self.max_token_length = max_token_length
        self.spell = spell
        self.most_words = most_words
        self.given = given
        self.pairs, self.start = self._start()
        self.work = WorkCounts()

    @cached_property
    def symbols(self) -> Symbols:
        """The pretokens in one flat array; for algorithms that merge only bytes."""
        # Of all pairs of bytes only one may be wordy.
        return Symbols(self.counts, None if self.most_words is None else COLON_SPACE)

    def _start(self) -> tuple[PairNumbers, list[int]]:
        """Return the pairs before any merge in the order of their ids, and their counts."""
        if self.spell is IN_BYTES:
            byte_pairs, counts = self.symbols.byte_pair_counts()
            return PairNumbers(divmod(pair, 256) for pair in byte_pairs), counts
        found = sorted(self.mergeable(count_pairs(self.spelled(), self.counts.values())).items())
        return PairNumbers(pair for pair, _ in found), [count for _, count in found]

    def join(self, pair: Pair) -> int:
        """Add the token that the pair makes to the vocab; return its id."""
        self.vocab.append(self.vocab[pair[0]] + self.vocab[pair[1]])
        return len(self.vocab) - 1

    def may_merge(self, pair: Pair) -> bool:
        """Whether the token that the pair makes is short enough."""
        if self.max_token_length is None and self.most_words is None:
            return True
        left, right = self.vocab[pair[0]], self.vocab[pair[1]]
        if self.max_token_length is not None and len(left) + len(right) > self.max_token_length:
            return False
        return self.most_words is None or not is_wordy(left + right, self.most_words)

    def mergeable(self, pairs: Mapping[Pair, int]) -> Mapping[Pair, int]:
        """Return the pairs whose tokens are short enough, with their counts."""
        if self.max_token_length is None and self.most_words is None:
            return pairs
        return {pair: count for pair, count in pairs.items() if self.may_merge(pair)}

    def tie_key(self, first_seen: FirstSeen) -> PairKey:
        """Return the tie rule's key function for this task."""
        return self.tie_rule.make_key(self.vocab, first_seen)


class Algorithm(NamedTuple):
    """A way to find the merges.

    Attributes:
        run: yields the merges one by one, best first, until no pair is left. It knows no target
            size: the caller stops pulling when there are enough.
        pseudocode: the algorithm for people to read.
        counters: the fields of `WorkCounts` that it adds to.
        static_only: whether it needs a tie rule whose keys never change.
        bytes_only: whether pretokens must be spelled in bytes.
        takes_given: whether it makes the given merges of a task first.
        task_type: the class of task that `run` takes.
        batches: yields up to a number of merges in columns; `None` if it makes no batches.
        can_solve: whether it can train on these pretoken counts by this tie rule.
    """

    name: str
    summary: str
    run: Callable[[TrainingTask], Iterator[MergeReport]]
    pseudocode: tuple[CodeLine, ...]
    counters: tuple[str, ...]
    static_only: bool = False
    bytes_only: bool = False
    takes_given: bool = False
    task_type: type[TrainingTask] = TrainingTask
    batches: Callable[[TrainingTask, int], Iterator[MergeBatch]] | None = None
    can_solve: Callable[[Mapping[bytes, int], TieRule], bool] = lambda counts, tie_rule: True
