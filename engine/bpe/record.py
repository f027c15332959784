"""The record of a training run: every step in compact form, and the `MergeStep`s made from it.

A step changes the counts of some pairs. The list of these changes is enough to know every count at
every step (see `change_log`). So a `MergeStep` is a thin view of two words of memory, which
computes its facts on demand.
"""

from __future__ import annotations

import sys
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from functools import cache, cached_property
from itertools import accumulate, islice, product, repeat
from typing import TYPE_CHECKING, Any, NamedTuple

from engine.bpe.ties import PairKey, TieRule, never_seen
from engine.core.arrays import Integers
from engine.core.events import BytesPair, Pair
from engine.core.slow_modules import np
from engine.encoding.alphabet import (
    DEFAULT_UNITS,
    END_OF_WORD,
    UNITS,
    Alphabet,
    ByteAlphabet,
    Units,
)
from engine.encoding.merging import MergesInIds, merge_arrays
from engine.recording.change_log import ChangeLog
from engine.recording.merge_record import (
    IdMap,
    MergeBatch,
    MergeRecord,
    MergeReport,
    PairNumbers,
    PairsInIds,
    PairStep,
    PhaseStart,
)
from engine.text.patterns import Pattern, PatternLike, name_of

if TYPE_CHECKING:
    from engine.encoding.tokenizer import Tokenizer
    from engine.recording.training_input import CountedCorpus


class MergeStep(PairStep):
    """One merge during training: of the most frequent pair, or in a replay of a given pair."""

    __slots__ = ()

    record: Record

    @property
    def count(self) -> int:
        """The number of occurrences of the pair before this step."""
        return self.record.winning_counts[self.index]

    def _shared_top(self) -> Iterable[Pair]:
        """Return the pairs of the top count; only its own pair if no count chose it."""
        if self.index < self.record.given_steps:
            return (self.pair,)
        part = self.record.part_of(self.index)
        counts = part.counts_to_choose_by(self.index)
        if not part.by_rule and self.count < counts.max(initial=0):
            return (self.pair,)  # prescribed, whatever the counts
        return part.pairs_with_count(counts, self.count)

    def _chosen_by(self) -> dict[str, object]:
        return {"count": self.count}

    def __repr__(self) -> str:
        return (
            f"<MergeStep {self.index}: {self.left!r} + {self.right!r} → {self.new_id}, "
            f"count {self.count}>"
        )


class ForkRules:
    """The rules of a fork that override the counts.

    Attributes:
        forced: the pair that merges first after the fork; `None` if the tie rule chooses.
        forbidden: pair that may not merge → index of the first merge for which it is forbidden.
        replayed: number of merges repeated from the run that was forked.
    """

    def __init__(
        self, forced: BytesPair | None, forbidden: Mapping[BytesPair, int], replayed: int = 0
    ) -> None:
        self.forced, self.forbidden, self.replayed = forced, forbidden, replayed

    def forces(self, index: int) -> bool:
        """Whether merge `index` is the forced one."""
        return self.forced is not None and index == self.replayed


class Recut(NamedTuple):
    """The corpus as another pattern cuts it from a part of a run on.

    Attributes:
        pattern: the new pattern.
        corpus: the corpus as it cuts it.
        counts: its pretokens that the part trains on.
        occurrences: the number of replacements of each earlier merge, made again in them.
    """

    pattern: Pattern
    corpus: CountedCorpus
    counts: Mapping[bytes, int]
    occurrences: Sequence[int]


CONTINUED = "new merges"
"""Name of the phase after a tokenizer's own merges."""


class Record(MergeRecord[MergeStep]):
    """The steps of one run of byte-pair encoding: trained, forked or replayed.

    Attributes:
        ids: the ids of the tokens in `vocab`; in a run of ours their places.
        units, alphabet: the tokens before any merge, and the speller of a pretoken in them.
        first_id: number of tokens before the first merge: 256 bytes or other units, and the special
            tokens. So it is the place of the first merge's token, and in a run of ours its id.
        winning_counts: the count of the pair that each step merged.
        pattern: cut the corpus into the pretokens.
        fork_rules: the rules of a fork that override the counts; `None` in any other run.
        given_steps: number of first merges that a tokenizer gave (`replay`): none in a run of ours,
            all in a replay; counts chose those after them.
        given: whether the tokens and the first merges are a tokenizer's.
        recut: the corpus as the pattern of the part cuts it; `None` of the first part.
    """

    _step_type = MergeStep
    recut: Recut | None = None

    def __init__(
        self,
        vocab: list[bytes],
        special_tokens: Sequence[str],
        tie_rule: TieRule,
        pairs: PairNumbers,
        start: Sequence[int],
        given_ids: IdMap | None = None,
        *,
        alphabet: Alphabet,
        units: Units = UNITS[DEFAULT_UNITS],
        min_count: int = 1,
        pattern: PatternLike = "gpt2",
    ) -> None:
        super().__init__()
        self.pattern = pattern
        self.min_count = min_count
        self.vocab = vocab
        first = len(vocab) - len(special_tokens)
        self.ids = given_ids or IdMap(
            vocab, {token: first + number for number, token in enumerate(special_tokens)}
        )
        self.alphabet = alphabet
        self.units = units
        self.special_tokens = tuple(special_tokens)
        self.first_id = len(vocab)
        self.tie_rule = tie_rule
        self.pairs = pairs if given_ids is None else PairsInIds(pairs, given_ids)
        # No pair is ever more frequent than the first merged pair.
        small = max(start, default=0) < 2**31
        self.counts = ChangeLog(start, "i" if small else "q")
        self.given = given_ids is not None
        self.given_steps = sys.maxsize if self.given else 0
        self.fork_rules: ForkRules | None = None
        self.winning_counts = array("q")
        self._ids_until = -1
        self._ids_of_token: dict[bytes, list[int]] = {}

    def __getstate__(self) -> dict[str, Any]:
        """Pickle without functions, which follow from the rest."""
        follows = "tie_key", "left_key"
        return {name: value for name, value in vars(self).items() if name not in follows}

    @cached_property
    def tie_key(self) -> PairKey:
        """The tie rule's key function; use it only if the rule is static."""
        return self.tie_rule.make_key(self.ids.tokens, never_seen)

    @cached_property
    def left_key(self) -> Callable[[int], Any]:
        """Returns the first part of the key, which a left token has in all of its pairs.

        Use it only if the rule compares left tokens first.
        """
        return cache(lambda left: self.tie_key((left, left))[0])

    @property
    def by_rule(self) -> bool:
        """Whether the tie rule chose every merge; else no heap predicts the next pair."""
        return not self.given and self.fork_rules is None

    @property
    def has_heap_array(self) -> bool:
        """Whether a heap keeps the order: not if keys change, or a fork prescribes merges."""
        return self.by_rule and self.tie_rule.static

    def append(self, merge: MergeReport) -> MergeStep:
        """Append one step."""
        index = len(self.pretokens)
        self.counts.append(merge.changed, merge.after, width=len(self.pairs))
        self.merged.append(merge.number)
        self.winning_counts.append(merge.count)
        self.occurrences.append(merge.occurrences)
        self.removed.append(self.removed[index] + merge.occurrences)
        self.pretokens.append(merge.pretokens)
        return self[index]

    def append_many(self, batch: MergeBatch) -> Iterator[MergeStep]:
        """Append several steps; each becomes visible, also in `vocab`, when it is pulled."""
        removed = accumulate(batch.occurrences, initial=self.removed[-1])
        self.counts.append_many(batch.changed, batch.after, batch.changes_ends, batch.widths)
        self.merged.extend(batch.numbers)
        self.winning_counts.extend(batch.counts)
        self.occurrences.extend(batch.occurrences)
        self.removed.extend(islice(removed, 1, None))
        vocab, part, make_step = self.vocab, self.parts[0], self._step_type
        columns = zip(batch.pretokens, batch.lefts, batch.rights, strict=True)
        for index, (pretokens, left, right) in enumerate(columns, len(self.pretokens)):
            vocab.append(vocab[left] + vocab[right])
            self.pretokens.append(pretokens)
            yield make_step(part, index)

    def append_all(self, made: Iterable[MergeReport | MergeBatch]) -> Iterator[MergeStep]:
        """Append the steps of an algorithm, each as it is pulled."""
        for report in made:
            if isinstance(report, MergeReport):
                yield self.append(report)
            else:
                yield from self.append_many(report)

    def append_unchanged(self, numbers: Sequence[int]) -> Iterator[MergeStep]:
        """Append steps that change nothing, because their pairs do not occur."""
        first, steps = len(self), len(numbers)
        nothing = array("q", bytes(8 * steps))
        self.counts.append_unchanged(steps, width=len(self.pairs))
        self.merged.extend(numbers)
        self.winning_counts.extend(nothing)
        self.occurrences.extend(nothing)
        self.removed.extend(repeat(self.removed[first], steps))
        self.pretokens.extend(nothing)
        return (MergeStep(self, index) for index in range(first, first + steps))

    @property
    def phase_starts(self) -> list[PhaseStart]:
        """The borders between phases: new cuts, or the end of a tokenizer's merges."""
        if self.given:
            is_over = self.given_steps < sys.maxsize
            return [PhaseStart(self.given_steps, CONTINUED)] if is_over else []
        cuts = ((part.counts.first, part.recut.pattern) for part in self.parts[1:])
        return [
            PhaseStart(step, f"pattern {name_of(pattern) or pattern.source}")
            for step, pattern in cuts
        ]

    def add_part(
        self, recut: Recut, pairs: PairNumbers, counts: Sequence[int], removed: int
    ) -> Record:
        """Begin a part in which another pattern cuts the corpus; return it, to append steps to.

        Args:
            recut: the corpus as that pattern cuts it.
            pairs: its numbered pairs.
            counts: the count of each pair in the new pretokens, after all merges so far.
            removed: the tokens that the corpus has lost in them.
        """
        part = copy(self)  # shares the columns of the steps
        small = max(counts, default=0) < 2**31
        part.recut, part.pairs = recut, pairs
        part.counts = ChangeLog(counts, "i" if small else "q", len(self))
        self.removed[len(self)] = removed
        self.parts.append(part)  # last: another thread goes by it
        return part

    def token(self, token_id: int) -> bytes:
        """Return the bytes of any token of the run."""
        return self.ids.tokens[token_id]

    def covers(self, token_id: int) -> bytes:
        """Return the bytes of a pretoken that the token represents, without `</w>`."""
        token = self.token(token_id)
        return token.removesuffix(END_OF_WORD) if self.ends_word(token_id) else token

    def decoded(self, token_id: int) -> bytes:
        """Return the decoded bytes of the token: a space for `</w>`."""
        return self.covers(token_id) + (b" " if self.ends_word(token_id) else b"")

    def to_tokenizer(self, step: int, pattern: PatternLike) -> Tokenizer:
        """Return the tokenizer after the first `step` merges; `pattern` is that of the training.

        If the ends of words are marked, its tokens are the decoded bytes: `est ` for `est</w>`.

        >>> from engine import Trainer
        >>> trainer = Trainer({b"low": 5}, 7, units="end-of-word")
        >>> tokenizer = trainer.record.to_tokenizer(len(list(trainer.steps())), "whitespace")
        >>> ids = tokenizer.encode("low\\nlaw")
        >>> [tokenizer.vocab[token_id] for token_id in ids], tokenizer.decode(ids)
        ([b'l', b'ow ', b'l', b'<unk>', b'w '], 'low l<unk>w ')
        """
        from engine.encoding.tokenizer import Tokenizer  # the first frame has none

        ids = list(map(self.ids.id_of, range(self.first_id + step)))
        pairs, special_ids = self.first_pairs(step), self.ids.special_ids
        if isinstance(self.alphabet, ByteAlphabet):
            vocab, known = dict(zip(ids, map(self.token, ids), strict=True)), None
            if len(set(vocab.values())) == len(vocab):  # so the bytes of a token tell its id
                lefts, rights = zip(*pairs, strict=True) if pairs else ((), ())
                known = merge_arrays(lefts, rights, ids[self.first_id :])
            merges: Sequence[BytesPair] = (
                [(vocab[left], vocab[right]) for left, right in pairs]
                if known is None
                else MergesInIds(vocab, known, special_ids.values())
            )
            return Tokenizer(vocab, merges, special_ids, pattern)
        # Different tokens of characters may have equal bytes: `<unk>` and the merge of its
        # characters. So bytes do not identify the tokens of a merge: the tokenizer gets its ids.
        table = {pair: (index, self.new_id(index)) for index, pair in enumerate(pairs)}
        vocab = {token_id: self.decoded(token_id) for token_id in ids}
        merges = [(vocab[left], vocab[right]) for left, right in table]
        return Tokenizer(vocab, merges, special_ids, pattern, alphabet=self.alphabet, table=table)

    def ends_word(self, token_id: int) -> bool:
        """Whether the token contains the end-of-word marker, not just the same characters."""
        marker = self.alphabet.marker
        if marker is None:
            return False
        while (rank := self.rank_of(token_id)) >= 0:
            token_id = self.pair_of(rank)[1]
        return token_id == marker

    def id_of(self, place: int) -> int:
        """Return the id of the token at a place of `vocab`."""
        return self.ids.id_of(place)

    def new_id(self, index: int) -> int:
        """Return the id of the token that step `index` made."""
        return self.ids.id_of(self.first_id + index)

    def rank_of(self, token_id: int) -> int:
        """Return the index of the step that made a token; negative if no step made it."""
        return self.ids.place_of(token_id) - self.first_id

    def forbidden_pairs(self, index: int) -> list[tuple[Pair, int]]:
        """Return the pairs that a fork forbids for merge `index`, the most frequent first.

        Pairs that do not occur are left out.
        """
        counts = self.counts.at(index)
        occurring = [
            (self.pairs[number], int(counts[number]))
            for number in self._forbidden_numbers(index)
            if number < len(counts) and counts[number]
        ]
        return sorted(occurring, key=lambda pair_count: (-pair_count[1], pair_count[0]))

    def counts_to_choose_by(self, index: int) -> Integers:
        """Return the counts of the pairs before merge `index`, with 0 for forbidden pairs."""
        counts = self.counts.at(index)
        counts[[number for number in self._forbidden_numbers(index) if number < len(counts)]] = 0
        return counts

    def _forbidden_numbers(self, index: int) -> list[int]:
        """Return the numbers of the pairs that are forbidden for merge `index`.

        Pairs are forbidden by their bytes, and several tokens may have the same bytes.
        """
        if self.fork_rules is None:
            return []
        forbidden = [pair for pair, first in self.fork_rules.forbidden.items() if first <= index]
        if not forbidden:
            return []
        size = len(self.vocab)
        if self._ids_until != size:  # once for each run, because a run is shown when it ends
            self._ids_until = size
            self._ids_of_token = {part: [] for pair in self.fork_rules.forbidden for part in pair}
            for place, token in enumerate(self.vocab):
                if token in self._ids_of_token:
                    self._ids_of_token[token].append(self.ids.id_of(place))
        ids = self._ids_of_token
        pairs = (pair for left, right in forbidden for pair in product(ids[left], ids[right]))
        return [number for pair in pairs if (number := self.pairs.number_of(pair)) is not None]

    def pairs_with_count(self, counts: Integers, count: int) -> list[Pair]:
        """Return the pairs with exactly this count in a state of `self.counts`."""
        return [self.pairs[number] for number in np.flatnonzero(counts == count).tolist()]

    @property
    def nbytes(self) -> int:
        """Memory of the record's columns, in bytes."""
        counted: int = sum(part.counts.nbytes + 8 * len(part.pairs) for part in self.parts)
        return counted + 8 * 5 * len(self)
