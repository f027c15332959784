"""What every training algorithm is given, and what it shares with the others."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cached_property

from engine.bpe.heap import Move
from engine.bpe.ties import FirstSeen, PairKey, TieRule
from engine.bpe.trainers.symbols import Symbols
from engine.bpe.trainers.work import Work
from engine.core.events import Pair
from engine.encoding.alphabet import BYTES, Alphabet, ByteAlphabet
from engine.encoding.merging import count_pairs
from engine.recording.merge_record import Merge, MergeBatch
from engine.recording.numbering import PairNumbers

# -- pseudocode: what an algorithm does, for people to read


class Phase(Enum):
    """A part of a step, which each step goes through once; the value says it in words.

    `heap` alone goes by the moves of its heap instead, of which a step has any number.
    """

    COUNT = "the pairs are counted"
    CHOOSE = "the best pair is found"
    JOIN = "its two tokens are joined to a new one"
    REPLACE = "the pair is replaced by it"
    CORRECT = "the counts are corrected"
    ENTER = "the new pairs wait for their turn"


Moment = Move | Phase


@dataclass(frozen=True)
class CodeLine:
    """A line of pseudocode; `during` are the moments of a step at which it is at work."""

    text: str
    during: tuple[Moment, ...] = ()


def phases_of(lines: tuple[CodeLine, ...]) -> list[Moment]:
    """The moments of a step in the order of the lines.

    >>> lines = CodeLine("find it", (Phase.CHOOSE,)), CodeLine("join it", (Phase.JOIN,))
    >>> [phase.name for phase in phases_of(lines)]
    ['CHOOSE', 'JOIN']
    """
    return list(dict.fromkeys(moment for line in lines for moment in line.during))


# -- the problem, and an algorithm that solves it


class Problem:
    """The training problem. Algorithms build from it what they work with.

    Attributes:
        counts: distinct pretoken → how often it occurs, in order of first appearance; no zeros.
        vocab: id → bytes; the algorithm adds the token of each merge with `join`.
        tie_rule: which pair of several with the same count merges.
        min_count: pairs rarer than this are not merged.
        max_token_length: no token gets longer than so many bytes, two at the least; `None`: as
            long as it will. A pair that would make a longer one is no pair to anybody: not counted,
            not recorded. So SentencePiece and Hugging Face have it, too.
        alphabet: what the pretokens are spelled in at first.
        pairs: the numbers of the pairs, shared with the record; at first those before any merge.
        start: the count of each of these, by its number.
        work: what the algorithm has done so far.
    """

    def __init__(
        self,
        counts: Mapping[bytes, int],
        vocab: list[bytes],
        tie_rule: TieRule,
        min_count: int,
        max_token_length: int | None = None,
        alphabet: Alphabet = BYTES,
    ) -> None:
        self.counts = counts
        self.vocab = vocab
        self.tie_rule = tie_rule
        self.min_count = min_count
        self.max_token_length = max_token_length
        self.alphabet = alphabet
        self.pairs, self.start = self._start()
        self.work = Work()

    @cached_property
    def symbols(self) -> Symbols:
        """The pretokens in one flat array, a byte a cell; for algorithms that merge only bytes."""
        return Symbols(self.counts)

    def _start(self) -> tuple[PairNumbers, list[int]]:
        """The pairs before any merge with their counts, in the order of their ids."""
        if isinstance(self.alphabet, ByteAlphabet):
            byte_pairs, counts = self.symbols.byte_pair_counts()
            return PairNumbers(divmod(pair, 256) for pair in byte_pairs), counts
        found = sorted(self.mergeable(count_pairs(self.spelled(), self.counts.values())).items())
        return PairNumbers(pair for pair, _ in found), [count for _, count in found]

    def spelled(self) -> list[list[int]]:
        """The pretokens as lists of token ids, before any merge."""
        if self.alphabet is BYTES:
            return [list(pretoken) for pretoken in self.counts]  # ids are bytes: nothing to spell
        return [self.alphabet.spell(pretoken) for pretoken in self.counts]

    def join(self, pair: Pair) -> int:
        """Add the token that the pair makes to the vocab; its id."""
        self.vocab.append(self.vocab[pair[0]] + self.vocab[pair[1]])
        return len(self.vocab) - 1

    def may_merge(self, pair: Pair) -> bool:
        """Whether the token that the pair makes is short enough; one that is not never counts."""
        if self.max_token_length is None:
            return True
        return len(self.vocab[pair[0]]) + len(self.vocab[pair[1]]) <= self.max_token_length

    def mergeable(self, pairs: Mapping[Pair, int]) -> Mapping[Pair, int]:
        """Of pairs with their counts, those that may merge."""
        if self.max_token_length is None:
            return pairs
        return {pair: count for pair, count in pairs.items() if self.may_merge(pair)}

    def merge(
        self, pair: Pair, count: int, after: Mapping[Pair, int], occurrences: int, pretokens: int
    ) -> Merge:
        """The report of a step; `after` maps each pair whose count changed to its new count."""
        return Merge.of(self.pairs, pair, count, after, occurrences, pretokens)

    def tie_key(self, first_seen: FirstSeen) -> PairKey:
        """The tie rule's key for pairs of this problem."""
        return self.tie_rule.make_key(self.vocab, first_seen)


@dataclass(frozen=True)
class Algorithm:
    """A way to find the merges.

    Attributes:
        run: yields the merges one by one, best first, until no pair is left. Whoever runs it stops
            pulling when there are enough, so an algorithm knows no target size.
        pseudocode: what it does, for people.
        counters: those of `Work` that it adds to.
        static_only: it follows only tie rules whose keys never change.
        bytes_only: pretokens have to be spelled in bytes.
        problem: the kind of problem that `run` is given.
        batches: the merges again, in columns, at the most so many; `None` if it makes none.
        can_solve: whether it can train on these pretoken counts by a rule at all.
    """

    name: str
    summary: str
    run: Callable[[Problem], Iterator[Merge]]
    pseudocode: tuple[CodeLine, ...]
    counters: tuple[str, ...]
    static_only: bool = False
    bytes_only: bool = False
    problem: type[Problem] = Problem
    batches: Callable[[Problem, int], Iterator[MergeBatch]] | None = None
    can_solve: Callable[[Mapping[bytes, int], TieRule], bool] = lambda counts, tie_rule: True
