"""Trainers with mistakes: in reading the corpus, counting, merging, or keeping the counts.

A right trainer counts every pair of neighbours, replaces the best from left to right, and keeps the
counts true. `Habits` replace some of these. After a merge a word is counted again as a whole. That
is slower than `PairIndex`, but each mistake is one small function. A `Procedure` is habits and all
that comes before them, so several mistakes can be combined.
"""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import regex

from engine.analysis.check.claim import Assignment
from engine.analysis.check.steps_file import ClaimedStep
from engine.bpe.ties import TIE_RULES, FirstSeen, PairKey, TieKey, TieRule
from engine.bpe.trainers.algorithm import TrainingTask
from engine.bpe.trainers.fast import fast
from engine.bpe.trainers.heap import HeapEntry, LazyHeap, heap, queue_of
from engine.bpe.trainers.native import NativeTask
from engine.core.events import Pair
from engine.core.gpt2_bytes import spell
from engine.core.wording import Sentence
from engine.counting.count import count_text
from engine.encoding.alphabet import UNITS
from engine.encoding.merging import merge_pair
from engine.native.merging import KERNEL_TIE_RULES, can_merge
from engine.recording.merge_record import PairNumbers, TokensById
from engine.text.patterns import Pattern
from engine.text.pretokenize import to_bytes, to_text

# -- tie rules and patterns that slip in, tried beside `TIE_RULES` and `PATTERNS`


def turned(text: str) -> tuple[int, ...]:
    """Return a key that reverses the order of texts; a prefix sorts after longer texts.

    >>> min(["a", "ab", "b"], key=turned), min(["a", "ab"], key=turned)
    ('b', 'ab')
    """
    return (*(-ord(char) for char in text), _AFTER_LONGER)


_AFTER_LONGER = 1


def _latin(token: bytes) -> tuple[int, ...]:
    return turned(token.decode("latin-1"))


def _by_tokens(name: str, summary: str, key: Callable[[bytes, bytes], TieKey]) -> TieRule:
    """Return the rule whose winner has the smallest key of its two tokens."""
    return TieRule(
        name, summary, lambda vocab, first_seen: lambda pair: key(*map(vocab.__getitem__, pair))
    )


def _greatest(name: str, summary: str, text_of: Callable[[bytes], str]) -> TieRule:
    """Return the rule whose winner has the greatest (left, right), each token as a text."""
    return _by_tokens(name, summary, lambda *pair: tuple(turned(text_of(each)) for each in pair))


FIRST_COUNTED = "first counted"


def _first_counted(vocab: TokensById, first_seen: FirstSeen) -> PairKey:
    entered: dict[Pair, TieKey] = {}

    def key(pair: Pair) -> TieKey:
        # The first key of a pair is asked for at the merge that made its younger token.
        if pair not in entered:
            entered[pair] = max(*pair, 255), first_seen(pair)
        return entered[pair]

    return key


ORDERS = (
    *TIE_RULES.values(),
    _by_tokens(
        "smallest bytes",
        "the smaller (left bytes, right bytes) wins",
        lambda left, right: (left, right),
    ),
    TieRule(
        FIRST_COUNTED,
        "the pair that entered the dict of counts first wins, as with max(counts, key=counts.get)",
        _first_counted,
    ),
    TieRule(
        "last seen",
        "the pair met last in the corpus as it is now wins, as with >= in a loop for the greatest",
        lambda vocab, first_seen: lambda pair: tuple(-place for place in first_seen(pair)),
        static=False,
    ),
    TieRule(
        "greatest ids",
        "the greater (left id, right id) wins",
        lambda vocab, first_seen: lambda pair: (-pair[0], -pair[1]),
    ),
    _greatest(
        "greatest spelling",
        "the greater pair of strings in GPT-2's spelling (Ġ for a space) wins, not of bytes",
        spell,
    ),
    _by_tokens(
        "smallest spelling",
        "the smaller pair of strings in GPT-2's spelling (Ġ for a space) wins, not of bytes",
        lambda left, right: (spell(left), spell(right)),
    ),
    _greatest(
        "greatest text",
        "the greater pair of strings decoded from UTF-8 wins, not of bytes",
        lambda token: token.decode("utf-8", "replace"),
    ),
    _greatest(
        "greatest repr",
        "the greater pair of reprs wins, where b'\\n' is spelled with a backslash, not of bytes",
        repr,
    ),
    _by_tokens(
        "right first",
        "the greater (right bytes, left bytes) wins",
        lambda left, right: (_latin(right), _latin(left)),
    ),
    _by_tokens(
        "longest token",
        "the longer joined token wins, then the greater (left bytes, right bytes)",
        lambda left, right: (-len(left) - len(right), _latin(left), _latin(right)),
    ),
    _by_tokens(
        "shortest token",
        "the shorter joined token wins, then the greater (left bytes, right bytes)",
        lambda left, right: (len(left) + len(right), _latin(left), _latin(right)),
    ),
    _by_tokens(
        "greatest joined",
        "the pair whose joined bytes are greater wins",
        lambda left, right: _latin(left + right),
    ),
)


@dataclass(frozen=True)
class StrayPattern:
    """A regex whose matches alone are counted: the text between them is lost.

    Python's own `re` and `regex` agree on all of these.
    """

    source: str

    def count(self, texts: Iterable[str]) -> Counter[bytes]:
        r"""Count each match in these texts.

        >>> StrayPattern(r"\w+").count(["low, low"])
        Counter({b'low': 2})
        """
        compiled = regex.compile(self.source)
        counts: Counter[str] = Counter()
        for text in texts:
            counts.update(match.group() for match in compiled.finditer(text))
        return Counter({to_bytes(text): count for text, count in counts.items() if text})


STRAY_PATTERNS = tuple(
    map(
        StrayPattern,
        (
            r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+",
            r"'(?:[sdmt]|ll|ve|re)| ?[a-zA-Z]+| ?[0-9]+| ?[^\sa-zA-Z0-9]+|\s+(?!\S)|\s+",
            r"'(?:[sdmt]|ll|ve|re)|\p{L}+|\p{N}+|[^\s\p{L}\p{N}]+|\s+",
            r" ?\w+| ?[^\s\w]+|\s+(?!\S)|\s+",
            r" ?\w+| ?[^\s\w]+|\s+",
            r" ?\w+| ?[^\s\w]+",
            r" ?\w+|[^\s\w]+",
            r"\w+|[^\w\s]+|\s+",
            r"\w+|[^\w\s]+",
            r"\w+|[^\w\s]",
            r"\w+|\W+",
            r"\w+",
            r" ?\S+",
            r"\S+",
            r"[^ ]+",
            r"'(?:[sdmt]|ll|ve|re)|\p{L}+|\p{N}+|[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
        ),
    )
)


# -- habits: how a trainer counts, merges and keeps its counts

Word = Sequence[int]
PairsOf = Callable[[Word], Iterator[Pair]]
CountDelta = tuple[Pair, int]
"""A pair whose count changes, and by how much."""
CountUpdate = Callable[[Word, Word, Pair, int], Iterator[CountDelta]]
"""(word before, word after, merged pair, new id) → the changes of counts."""


def recounted(pairs_of: PairsOf) -> CountUpdate:
    """Return the right update: the pairs of the old word go, those of the new one come."""

    def update(before: Word, after: Word, pair: Pair, new_id: int) -> Iterator[CountDelta]:
        yield from ((gone, -1) for gone in pairs_of(before))
        yield from ((come, +1) for come in pairs_of(after))

    return update


EXACTLY = recounted(pairwise)
"""The update that counts every pair of neighbours, before and after."""


@dataclass(frozen=True)
class Habits:
    """The habits of a trainer in counting and merging; by default the right ones.

    Attributes:
        pairs_of: the pairs that it counts in a word at the start.
        merge_word: replaces a pair in a word by the new id.
        changes: corrects its counts after that.
        weighs_changes: whether a pretoken changes the counts as often as it occurs, not by one.
        checks_heap: whether it compares the count of an entry in its heap with the true one.
        skips_gone: whether it skips pairs that occur nowhere any more, though it counts them.
        merges_a_round: number of merges that it makes before it looks at the counts again; 0 for
            all tied pairs.
    """

    pairs_of: PairsOf = pairwise
    merge_word: Callable[[Word, Pair, int], list[int]] = merge_pair
    changes: CountUpdate = EXACTLY
    weighs_changes: bool = True
    checks_heap: bool = True
    skips_gone: bool = False
    merges_a_round: int = 1


class UncountedTask(TrainingTask):
    """A task whose pairs `MistakenIndex` counts, in its own way."""

    def _start(self) -> tuple[PairNumbers, list[int], list[int]]:
        return PairNumbers(()), [], []


NOWHERE = (1 << 60, 0)
"""A place after all pretokens."""


class MistakenIndex:
    """The words of a training task, and the counts that a trainer with such habits has."""

    def __init__(self, task: TrainingTask, habits: Habits) -> None:
        self._habits = habits
        self._words: list[list[int]] = task.spelled()
        self._word_counts = list(task.counts.values())
        self.counts: Counter[Pair] = Counter()
        # A set of numbers would take ten times as much memory; a place may be there twice.
        self._places: defaultdict[Pair, array[int]] = defaultdict(lambda: array("i"))
        for place, (word, count) in enumerate(zip(self._words, self._word_counts, strict=True)):
            for pair in habits.pairs_of(word):
                self.counts[pair] += count
            for pair in pairwise(word):
                self._places[pair].append(place)

    def occurs(self, pair: Pair) -> bool:
        """Whether the pair occurs in any word."""
        words = (self._words[place] for place in self._places.get(pair, ()))
        return any(pair in pairwise(word) for word in words)

    def first_seen(self, pair: Pair) -> tuple[int, int]:
        """Return (index of the pretoken, position in it); the greatest if it occurs nowhere."""
        for place in sorted(set(self._places.get(pair, ()))):
            pairs = list(pairwise(self._words[place]))
            if pair in pairs:
                return place, pairs.index(pair)
        return NOWHERE

    def merge(self, pair: Pair, new_id: int) -> list[Pair]:
        """Merge a pair and correct the counts by habit; return the pairs to push."""
        deltas: Counter[Pair] = Counter()
        for place in dict.fromkeys(self._places.get(pair, ())):
            before = self._words[place]
            after = self._habits.merge_word(before, pair, new_id)
            if len(after) == len(before):
                continue
            self._words[place] = after
            weight = self._word_counts[place] if self._habits.weighs_changes else 1
            for changed, by in self._habits.changes(before, after, pair, new_id):
                deltas[changed] += by * weight
            for adjacent in pairwise(after):
                if new_id in adjacent:
                    self._places[adjacent].append(place)
        for changed, by in deltas.items():
            self.counts[changed] += by
            if self.counts[changed] <= 0:
                del self.counts[changed]
        if not self.occurs(pair):
            self.counts.pop(pair, None)
        # An entry whose count fell is stale; a right heap corrects it later.
        again = (
            changed
            for changed, by in deltas.items()
            if by > 0 or changed == pair or (by and not self._habits.checks_heap)
        )
        return [changed for changed in again if changed in self.counts]


class UncheckedHeap(LazyHeap):
    """A heap whose entries are taken as they are, stale or not."""

    def is_stale(self, entry: HeapEntry) -> bool:
        return False


def merges_with_habits(task: TrainingTask, habits: Habits) -> Iterator[ClaimedStep]:
    """Yield the merges of a trainer with these habits, with the counts that it has.

    >>> from engine.analysis.check.claim import Assignment
    >>> aaaa = Assignment(lambda: b"aaaa").task()
    >>> next(merges_with_habits(aaaa, Habits()))
    ClaimedStep(left=b'a', right=b'a', count=3, new_id=None)
    """
    index = MistakenIndex(task, habits)
    kind = LazyHeap if habits.checks_heap else UncheckedHeap
    queue, choose = queue_of(task, index.counts, index.first_seen, kind)
    made: dict[bytes, int] = {}
    vocab = task.vocab
    while (pair := queue.pop_best(choose)) is not None:
        if habits.skips_gone and not index.occurs(pair):
            continue
        chosen = [pair]
        most = habits.merges_a_round or [*index.counts.values()].count(index.counts[pair])
        while len(chosen) < most and (pair := queue.pop_best(choose)) is not None:
            chosen.append(pair)
        yield from [ClaimedStep(vocab[a], vocab[b], index.counts[a, b]) for a, b in chosen]
        for pair in chosen:
            token = vocab[pair[0]] + vocab[pair[1]]
            if token not in made:  # a pair that was merged only in part merges again
                made[token] = task.join(pair)
            for changed in index.merge(pair, made[token]):
                queue.push(changed)


def merges_in_kernel(
    assignment: Assignment, counts: Mapping[bytes, int], rule: TieRule
) -> Iterator[ClaimedStep]:
    """Yield the merges that a tie rule takes, one that the kernel knows or not."""
    is_known = rule.name in KERNEL_TIE_RULES
    task = assignment.task(counts, rule if is_known else TIE_RULES["lexicographic"], NativeTask)
    merger, vocab = task.merger, task.vocab
    entered: list[int] = []  # pair → its first cell when it came about

    def first_seen(pair: Pair) -> tuple[int, int]:
        number = merger.number_of(*pair)
        assert number is not None  # it occurs
        return (entered[number] if rule.static else merger.first_cell(number)), 0

    key = rule.make_key(vocab, first_seen)
    place_of = lambda number: (key(pair := merger.pair_of(number)), pair)  # noqa: E731
    asks_at_entry = rule.name == FIRST_COUNTED
    while True:
        if asks_at_entry:
            entered += map(merger.first_cell, range(len(entered), merger.pair_count))
        best: int | None
        if is_known:
            best = merger.pop()
        else:
            ties = merger.ties()
            best = min(ties, key=place_of) if ties else None
        if best is None:
            return
        pair = merger.pair_of(best)
        yield ClaimedStep(vocab[pair[0]], vocab[pair[1]], merger.count_of(best))
        task.join(pair)
        merger.merge(best)


# -- procedures: habits, and all that comes before them

Documents = Sequence[bytes]
DocumentReader = Callable[[Assignment, Documents], Documents]
"""(assignment, the documents so far) → the documents that a trainer reads."""

Recount = Callable[[Assignment, Mapping[bytes, int]], Mapping[bytes, int]]
"""(assignment, the pretoken counts so far) → the pretoken counts that a trainer has."""


@dataclass(frozen=True)
class Procedure:
    """All the steps of a trainer, from reading the corpus to keeping the counts.

    Attributes:
        readings: change the documents, one after the other, before they are cut.
        pattern: cuts the documents.
        recounts: change the counts of the pretokens, one after the other.
        characters: whether the merges start from characters instead of bytes.
        pretokens: the pretoken counts, if readings and pattern have been applied already; the
            recounts have not.
    """

    assignment: Assignment
    pattern: Pattern | StrayPattern
    tie_rule: TieRule
    readings: tuple[DocumentReader, ...] = ()
    recounts: tuple[Recount, ...] = ()
    characters: bool = False
    habits: Habits = Habits()
    pretokens: Mapping[bytes, int] | None = None

    @classmethod
    def by_rule(cls, assignment: Assignment) -> Procedure:
        """Return the procedure without any mistake."""
        return cls(assignment, assignment.pattern, assignment.tie_rule, pretokens=assignment.counts)

    def reading(self, read: DocumentReader) -> Procedure:
        """Return this procedure with one more change of the documents."""
        return replace(self, readings=(*self.readings, read), pretokens=None)

    def recounting(self, recount: Recount) -> Procedure:
        """Return this procedure with one more change of the pretoken counts."""
        return replace(self, recounts=(*self.recounts, recount))

    def cutting(self, pattern: Pattern | StrayPattern) -> Procedure:
        """Return this procedure with another pattern."""
        return replace(self, pattern=pattern, pretokens=None)

    def merges(self) -> Iterator[ClaimedStep]:
        """Return the merges that are made, with the counts that the trainer has."""
        counts = self.counts()
        for recount in self.recounts:
            counts = recount(self.assignment, counts)
        is_habitual = self.habits != Habits()
        if not self.characters and not is_habitual and can_merge(counts):
            return merges_in_kernel(self.assignment, counts, self.tie_rule)
        kind = UncountedTask if is_habitual else TrainingTask
        if self.characters:
            base = UNITS["characters"].base(counts)
            task = kind(base.counts, base.tokens, self.tie_rule, 1, spell=base.alphabet.spell)
        else:
            task = self.assignment.task(counts, self.tie_rule, kind)
        if is_habitual:
            return merges_with_habits(task, self.habits)
        # `heap` knows where a pair occurs first, even if the rule asks only once.
        is_usual = self.tie_rule.static and self.tie_rule.name in TIE_RULES
        merges = fast(task) if is_usual and not self.characters else heap(task)
        pairs = ((task.pairs[merge.number], merge.count) for merge in merges)
        return (ClaimedStep(task.vocab[a], task.vocab[b], count) for (a, b), count in pairs)

    def counts(self) -> Mapping[bytes, int]:
        """Return the pretokens that are cut, with their counts."""
        if self.pretokens is not None:
            return self.pretokens
        documents: Documents = self.assignment.documents
        for read in self.readings:
            documents = read(self.assignment, documents)
        if isinstance(self.pattern, StrayPattern):
            return self.pattern.count(map(to_text, documents))
        # A mark that occurs in no document separates them: a special token is cut out.
        mark = b"\0document\0"
        while any(mark in document for document in documents):
            mark += b"\0"
        return count_text(mark.join(documents), self.pattern, [to_text(mark)])


# -- causes: mistakes to try

LARGEST_TRIED = 1 << 23
"""Bytes of the largest small corpus."""


@dataclass(frozen=True)
class DivergenceCase:
    """A divergence to explain.

    Attributes:
        assignment: what the trainer was asked to do.
        steps: what it did.
        divergence: the first of these steps that is not by the rule, from 0.
        is_tie: whether the trainer's pair there is as frequent as the rule's.
    """

    assignment: Assignment
    steps: Sequence[ClaimedStep]
    divergence: int
    is_tie: bool

    @property
    def is_small(self) -> bool:
        """Whether causes that cost much time or memory are tried."""
        return len(self.assignment.text) <= LARGEST_TRIED


@dataclass(frozen=True)
class Deviation:
    """A trainer with one mistake.

    Attributes:
        sentence: describes the mistake.
        change: adds the mistake to a procedure.
        variant: its name among the deviations of its cause, if there are several.
    """

    sentence: str | Sentence
    change: Callable[[Procedure], Procedure]
    variant: str = ""


@dataclass(frozen=True)
class Slip:
    """A wrong list of merges from a trainer that is right.

    It explains a divergence only if it explains all of the list.

    Attributes:
        steps: the list.
        lines: by how many lines it is longer than it should be.
    """

    sentence: Sentence
    steps: Sequence[ClaimedStep]
    lines: int
    variant: str = ""


@dataclass(frozen=True)
class Cause:
    """A known mistake.

    Attributes:
        name, sentence: its name and its description.
        deviations: gives the trainers with this mistake that are worth trying in a case.
        cost: 0 if a try takes a moment, 1 if the corpus is counted again, 2 if that is done often.
            The dearer are tried only if nothing cheaper explains everything.
    """

    name: str
    sentence: str
    deviations: Callable[[DivergenceCase], Iterable[Deviation | Slip]]
    cost: int = 0
