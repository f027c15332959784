"""`Algorithm`: a way to find the merges, and the `TrainingTask` that it solves."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain
from typing import Literal, NamedTuple

from engine.bpe.ties import FirstSeen, PairKey, TieRule
from engine.bpe.trainers.pseudocode import CodeLine
from engine.bpe.trainers.symbols import Symbols
from engine.bpe.trainers.work_counts import WorkCounts
from engine.core.events import Pair
from engine.core.slow_modules import np
from engine.encoding.alphabet import BYTES
from engine.encoding.encoders import RankHeap
from engine.recording.merge_record import MergeBatch, MergeReport, PairNumbers


def is_wordy(token: bytes, most_words: int) -> bool:
    """Whether a token has more words than allowed, or a colon and a space.

    Words are separated by spaces, as in SuperBPE (arXiv 2503.13423), whose code has both limits: it
    lets no token go on past the colon that ends a prompt.

    >>> is_wordy(b" of the", 2), is_wordy(b" one of the", 2), is_wordy(b"so: ", 2)
    (False, True, True)
    """
    return b": " in token or sum(map(bool, token.split(b" "))) > most_words


ANY_NUMBER = 2**62
"""A number of merges that no training reaches."""

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
        earlier: merges of bytes, in ids, whose tokens end the vocab. They are made before the first
            step, whatever their counts.
        pairs: the numbers of the pairs, shared with the record; at first those before the first
            step.
        start: the counts of these pairs, by number.
        uses: the number of occurrences of each token of the vocab before the first step.
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
        earlier: Sequence[Pair] = (),
    ) -> None:
        self.counts = counts
        self.vocab = vocab
        self.tie_rule = tie_rule
        self.min_count = min_count
        self.max_token_length = max_token_length
        self.spell = spell
        self.most_words = most_words
        self.earlier = earlier
        if earlier:
            ids = range(len(vocab) - len(earlier), len(vocab))
            merges = zip(earlier, enumerate(ids), strict=True)
            self.spell = RankHeap(BYTES, dict(merges)).encode
        self.wanted = ANY_NUMBER
        self.pairs, self.start, self.uses = self._start()
        self.work = WorkCounts()

    @cached_property
    def symbols(self) -> Symbols:
        """The pretokens in one flat array."""
        if self.spell is IN_BYTES:
            units = np.frombuffer(b"".join(self.counts), np.uint8).astype(np.int32)
            return Symbols(units, list(map(len, self.counts)), self.counts.values())
        spelled = self.spelled()
        joined = np.fromiter(chain.from_iterable(spelled), np.int32)
        return Symbols(joined, list(map(len, spelled)), self.counts.values())

    def _start(self) -> tuple[PairNumbers, list[int], list[int]]:
        """Return the pairs before the first step, their counts, and those of the tokens."""
        found = {pair: count for pair, (count, _) in self.symbols.pairs.items()}
        pairs = self.mergeable(found)
        return PairNumbers(pairs), list(pairs.values()), self.symbols.uses(len(self.vocab))

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


TrainerName = Literal["native", "fast", "heap", "indexed", "naive"]


class Algorithm(NamedTuple):
    """A way to find the merges.

    Attributes:
        run: yields the merges, best first, until no pair is left: one by one or in batches. The
            caller stops pulling when there are enough.
        pseudocode: the algorithm for people to read.
        counters: the fields of `WorkCounts` that it adds to.
        static_only: whether it needs a tie rule whose keys never change.
        bytes_only: whether pretokens must be spelled in bytes.
        task_type: the class of task that `run` takes.
        can_solve: whether it can train on these pretoken counts by this tie rule.
    """

    name: str
    summary: str
    run: Callable[[TrainingTask], Iterator[MergeReport | MergeBatch]]
    pseudocode: tuple[CodeLine, ...]
    counters: tuple[str, ...]
    static_only: bool = False
    bytes_only: bool = False
    task_type: type[TrainingTask] = TrainingTask
    can_solve: Callable[[Mapping[bytes, int], TieRule], bool] = lambda counts, tie_rule: True
