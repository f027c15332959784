"""Trainers that go wrong in one way: the deviations that a student's merges are compared with.

A right trainer counts every pair of neighbours, replaces the best from left to right, and keeps the
counts true. `Habits` says which of these three things is done otherwise; the rest is done right. A
word that holds the merged pair is recounted as a whole: slower than `PairIndex`, but each mistake
is then one small function.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from engine.alphabets.merging import merge_pair
from engine.analysis.check.assignment import Assignment, count_text
from engine.analysis.check.deviation import Taken
from engine.bpe.ties import TIE_RULES, FirstSeen, Key, PairKey, TieRule
from engine.bpe.trainers.heap import queue_of
from engine.bpe.trainers.problem import Problem
from engine.core.events import Pair
from engine.core.gpt2_bytes import spell
from engine.recording.numbering import TokensById
from engine.text.pretokenize import to_text

# Tie rules that nobody means to use, but that slip in: the deviations beside `TIE_RULES`.


def _smallest(key_of: Callable[[bytes], Key]) -> Callable[[TokensById, FirstSeen], PairKey]:
    """The rule whose winner has the smallest (left, right), each token seen through a function."""

    def make_key(vocab: TokensById, first_seen: FirstSeen) -> PairKey:
        return lambda pair: (key_of(vocab[pair[0]]), key_of(vocab[pair[1]]))

    return make_key


def _greatest(text_of: Callable[[bytes], str]) -> Callable[[TokensById, FirstSeen], PairKey]:
    """The rule whose winner has the greatest (left, right), each token as a text."""
    return _smallest(lambda token: turned(text_of(token)))


def turned(text: str) -> tuple[int, ...]:
    """A key that sorts texts the other way round: a prefix comes behind what it begins.

    >>> min(["a", "ab", "b"], key=turned), min(["a", "ab"], key=turned)
    ('b', 'ab')
    """
    return (*(-ord(char) for char in text), 1)


def _greatest_ids(vocab: TokensById, first_seen: FirstSeen) -> PairKey:
    return lambda pair: (-pair[0], -pair[1])


def _greatest_joined(vocab: TokensById, first_seen: FirstSeen) -> PairKey:
    return lambda pair: turned((vocab[pair[0]] + vocab[pair[1]]).decode("latin-1"))


def _first_counted(vocab: TokensById, first_seen: FirstSeen) -> PairKey:
    entered: dict[Pair, Key] = {}

    def key(pair: Pair) -> Key:
        # A pair is asked for when it is counted first: at the merge that made its younger token.
        if pair not in entered:
            entered[pair] = max(*pair, 255), first_seen(pair)
        return entered[pair]

    return key


STRAY_ORDERS = (
    TieRule("smallest bytes", "the smaller (left bytes, right bytes) wins", _smallest(lambda t: t)),
    TieRule(
        "first counted",
        "the pair that entered the dict of counts first wins, as with max(counts, key=counts.get)",
        _first_counted,
    ),
    TieRule("greatest ids", "the greater (left id, right id) wins", _greatest_ids),
    TieRule(
        "greatest spelling",
        "the greater pair of strings in GPT-2's spelling (Ġ for a space) wins, not of bytes",
        _greatest(spell),
    ),
    TieRule(
        "smallest spelling",
        "the smaller pair of strings in GPT-2's spelling (Ġ for a space) wins, not of bytes",
        _smallest(spell),
    ),
    TieRule(
        "greatest text",
        "the greater pair of strings decoded from UTF-8 wins, not of bytes",
        _greatest(lambda token: token.decode("utf-8", "replace")),
    ),
    TieRule("greatest joined", "the pair whose joined bytes are greater wins", _greatest_joined),
)

ORDERS = (*TIE_RULES.values(), *STRAY_ORDERS)


Word = Sequence[int]
PairsOf = Callable[[Word], Iterator[Pair]]
Change = tuple[Pair, int]
"""A pair whose count changes, and by how much."""
Changes = Callable[[Word, Word, Pair, int], Iterator[Change]]
"""(word before, word after, merged pair, new id) → the pairs whose counts change, and by what."""


def pairs_apart(word: Word) -> Iterator[Pair]:
    """The pairs of neighbours, a pair that overlaps itself counted without overlap.

    >>> list(pairs_apart([7, 7, 7]))
    [(7, 7)]
    """
    last: Pair | None = None
    for pair in pairwise(word):
        if pair == last:
            last = None
        else:
            yield pair
            last = pair


def merge_from_the_right(word: Word, pair: Pair, new_id: int) -> list[int]:
    """Replace the pair from right to left.

    >>> merge_from_the_right([6, 6, 6], (6, 6), 300)
    [6, 300]
    """
    return merge_pair(word[::-1], pair[::-1], new_id)[::-1]


def merge_first_only(word: Word, pair: Pair, new_id: int) -> list[int]:
    """Replace only the first occurrence, as `list.index` finds it."""
    for place, adjacent in enumerate(pairwise(word)):
        if adjacent == pair:
            return [*word[:place], new_id, *word[place + 2 :]]
    return list(word)


def recounted(pairs_of: PairsOf) -> Changes:
    """The changes if a word is counted anew."""

    def changes(before: Word, after: Word, pair: Pair, new_id: int) -> Iterator[Change]:
        yield from ((gone, -1) for gone in pairs_of(before))
        yield from ((come, +1) for come in pairs_of(after))

    return changes


def only_new_pairs(before: Word, after: Word, pair: Pair, new_id: int) -> Iterator[Change]:
    """New pairs are counted; the pairs that they took tokens from keep their old counts."""
    return ((come, +1) for come in pairwise(after) if new_id in come)


def only_old_pairs(before: Word, after: Word, pair: Pair, new_id: int) -> Iterator[Change]:
    """Old pairs are counted down; those with the new token are never counted."""
    yield from ((gone, -1) for gone in pairwise(before))
    yield from ((left, +1) for left in pairwise(after) if new_id not in left)


def nothing(before: Word, after: Word, pair: Pair, new_id: int) -> Iterator[Change]:
    """The counts stay as they were at the start."""
    return iter(())


def neighbours_before(before: Word, after: Word, pair: Pair, new_id: int) -> Iterator[Change]:
    """The neighbours of each occurrence are read from the word as it was.

    Where two occurrences stand side by side (`abab`) the neighbour is about to merge, too: pairs
    are counted that will not be there, and the pair of the two new tokens is not.
    """
    position, last = 0, len(before) - 2
    while position <= last:
        if (before[position], before[position + 1]) != pair:
            position += 1
            continue
        yield pair, -1
        if position:
            yield (before[position - 1], pair[0]), -1
            yield (before[position - 1], new_id), +1
        if position < last:
            yield (pair[1], before[position + 2]), -1
            yield (new_id, before[position + 2]), +1
        position += 2


exactly = recounted(pairwise)


@dataclass(frozen=True)
class Habits:
    """How a trainer counts, merges and keeps its counts; by default rightly.

    `skips_gone`: a pair that stands nowhere any more is passed over, though it is still counted.
    """

    pairs_of: PairsOf = pairwise
    merge_word: Callable[[Word, Pair, int], list[int]] = merge_pair
    changes: Changes = exactly
    skips_gone: bool = False


class HabitualIndex:
    """The words of a problem and the counts that a trainer with such habits believes in."""

    def __init__(self, problem: Problem, habits: Habits) -> None:
        self._habits = habits
        self._words: list[list[int]] = problem.words()
        self._word_counts = list(problem.counts.values())
        self.counts: Counter[Pair] = Counter()
        self._places: defaultdict[Pair, set[int]] = defaultdict(set)
        for place, (word, count) in enumerate(zip(self._words, self._word_counts, strict=True)):
            for pair in habits.pairs_of(word):
                self.counts[pair] += count
                self._places[pair].add(place)

    def stands(self, pair: Pair) -> bool:
        """Whether the pair stands side by side anywhere."""
        words = (self._words[place] for place in self._places.get(pair, ()))
        return any(pair in pairwise(word) for word in words)

    def first_seen(self, pair: Pair) -> tuple[int, int]:
        """(index of the pretoken, position in it); behind all others if it stands nowhere."""
        for place in sorted(self._places.get(pair, ())):
            for position, adjacent in enumerate(pairwise(self._words[place])):
                if adjacent == pair:
                    return place, position
        return len(self._words), 0

    def merge(self, pair: Pair, new_id: int) -> list[Pair]:
        """Merge and correct the counts, by habit; the pairs to choose from anew."""
        deltas: Counter[Pair] = Counter()
        for place in list(self._places.get(pair, ())):
            before = self._words[place]
            after = self._habits.merge_word(before, pair, new_id)
            if len(after) == len(before):
                continue
            self._words[place] = after
            for changed, by in self._habits.changes(before, after, pair, new_id):
                deltas[changed] += by * self._word_counts[place]
            for adjacent in pairwise(after):
                if new_id in adjacent:
                    self._places[adjacent].add(place)
        for changed, by in deltas.items():
            self.counts[changed] += by
            if self.counts[changed] <= 0:
                del self.counts[changed]
        if not self.stands(pair):
            self.counts.pop(pair, None)
        again = (changed for changed, by in deltas.items() if by > 0 or changed == pair)
        return [changed for changed in again if changed in self.counts]


def trained(problem: Problem, habits: Habits) -> Iterator[Taken]:
    """The merges of a trainer with these habits, with the counts that it believes in.

    >>> from engine.analysis.check.assignment import Assignment
    >>> aaaa = Assignment(lambda: b"aaaa").problem()
    >>> [next(trained(aaaa, habits)).count for habits in (Habits(), Habits(pairs_of=pairs_apart))]
    [3, 2]
    """
    index = HabitualIndex(problem, habits)
    queue, choose = queue_of(problem, index.counts, index.first_seen)
    made: dict[bytes, int] = {}
    while (best := queue.pop_best(choose)) is not None:
        pair, vocab = best[0], problem.vocab
        if habits.skips_gone and not index.stands(pair):
            continue
        yield Taken(vocab[pair[0]], vocab[pair[1]], index.counts[pair])
        token = vocab[pair[0]] + vocab[pair[1]]
        if token not in made:  # a pair that is merged in part only comes again
            made[token] = problem.join(pair)
        for changed in index.merge(pair, made[token]):
            queue.push(changed)


# The corpus as a trainer may have read it, where it did not read it as it should.
#
# Each reading is a text and the mark that parts its documents. The mark stands in no text, so it is
# cut out as a special token is: any way to read a corpus can be told by where the marks are.


@dataclass(frozen=True)
class Reading:
    """A way to read a corpus: what happens to its documents, and what stands between them."""

    name: str
    sentence: str
    read: Callable[[Assignment, bytes], bytes]

    def changes(self, assignment: Assignment) -> bool:
        """Whether this corpus reads otherwise so."""
        mark = _mark(assignment)
        return self.read(assignment, mark) != mark.join(assignment.documents)

    def counts(self, assignment: Assignment) -> Mapping[bytes, int]:
        """The pretokens of the corpus if it is read so."""
        mark = _mark(assignment)
        return count_text(self.read(assignment, mark), assignment.pattern, [to_text(mark)])


def _mark(assignment: Assignment) -> bytes:
    """Bytes that stand nowhere in the corpus."""
    mark = b"\0document\0"
    while mark in assignment.text:
        mark += b"\0"
    return mark


def _special_tokens_as_text(assignment: Assignment, mark: bytes) -> bytes:
    return assignment.text


def _documents_joined(assignment: Assignment, mark: bytes) -> bytes:
    return b"".join(assignment.documents)


def _documents_stripped(assignment: Assignment, mark: bytes) -> bytes:
    return mark.join(document.strip() for document in assignment.documents)


def _line_by_line(assignment: Assignment, mark: bytes) -> bytes:
    return mark.join(assignment.documents).replace(b"\n", b"\n" + mark)


def _lines_without_ends(assignment: Assignment, mark: bytes) -> bytes:
    return mark.join(assignment.documents).replace(b"\n", mark)


def _newlines_translated(assignment: Assignment, mark: bytes) -> bytes:
    return mark.join(assignment.documents).replace(b"\r\n", b"\n").replace(b"\r", b"\n")


def _decoded_with_losses(assignment: Assignment, mark: bytes) -> bytes:
    return mark.join(assignment.documents).decode("utf-8", "replace").encode()


SPECIAL_COUNTED = Reading(
    "special-counted",
    "the text of special tokens is counted: they are not cut out before counting",
    _special_tokens_as_text,
)
DOCUMENTS_JOINED = Reading(
    "documents-joined",
    "documents are not kept apart: special tokens are removed, and what stood around them joins",
    _documents_joined,
)
OTHER_READINGS = (
    Reading(
        "documents-stripped",
        "documents are stripped: the whitespace at their edges is lost",
        _documents_stripped,
    ),
    Reading(
        "line-by-line",
        "the corpus is read line by line: no pretoken goes on behind a newline",
        _line_by_line,
    ),
    Reading(
        "newlines-lost",
        "the corpus is read in lines without their ends: newlines are never counted",
        _lines_without_ends,
    ),
    Reading(
        "newlines-translated",
        "the file is opened as text without newline='': every \\r\\n is read as \\n",
        _newlines_translated,
    ),
    Reading(
        "bytes-replaced",
        "the file is decoded with errors='replace': invalid bytes become U+FFFD",
        _decoded_with_losses,
    ),
)
