"""The record of a training run: every step, compactly, and the `MergeStep`s made from it.

A step changes the counts of some pairs; keeping that list for each step is enough to know every
count at every step (see `change_log`). So a `MergeStep` is a thin view: two words of memory, its
facts computed when asked for, however many steps and ties there are.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate, islice, product, repeat

from engine.bpe.heap import HeapReplay
from engine.bpe.ties import TieRule, never_seen
from engine.core.arrays import Integers, Ints, np
from engine.core.events import BytesPair, Pair, StaleEntry
from engine.encoding.alphabet import (
    DEFAULT_UNITS,
    END_OF_WORD,
    UNITS,
    Alphabet,
    ByteAlphabet,
    Units,
)
from engine.recording.change_log import ChangeLog
from engine.recording.merge_record import (
    IdMap,
    MergeBatch,
    MergeRecord,
    MergeReport,
    PairNumbers,
    PairStep,
    copied,
)


class MergeStep(PairStep):
    """One merge during training: of the most frequent pair, or in a replay of a given one."""

    __slots__ = ()

    record: Record

    @property
    def count(self) -> int:
        """How often the pair stood side by side before this step."""
        return self.record.count_of(self.index)

    def _shared_top(self) -> Iterable[Pair]:
        """The pairs of the top count; its own alone where no count chose it."""
        if self.record.given:
            return (self.pair,)
        counts = self.record.counts_to_choose_by(self.index)
        if not self.record.by_rule and self.count < counts.max(initial=0):
            return (self.pair,)  # prescribed, whatever the counts
        return self.record.pairs_with_count(counts, self.count)

    @property
    def forbidden_rivals(self) -> tuple[tuple[Pair, int], ...]:
        """The forbidden pairs that stood no less often, with their counts, most frequent first."""
        return tuple(
            (pair, count)
            for pair, count in self.record.forbidden_pairs(self.index)
            if count >= self.count
        )

    def _chosen_by(self) -> dict[str, object]:
        return {"count": self.count}

    @property
    def discarded(self) -> tuple[StaleEntry, ...]:
        """The stale entries that a heap pops before it finds this pair."""
        return self.record.heap.discarded(self.index) if self.record.by_rule else ()

    def __repr__(self) -> str:
        return (
            f"<MergeStep {self.index}: {self.left!r} + {self.right!r} → {self.new_id}, "
            f"count {self.count}>"
        )


@dataclass
class ForkRules:
    """What a fork does whatever the counts say.

    Attributes:
        forced: the pair that merges first after the fork; `None` if the rule is left to choose.
        forbidden: each pair that may not merge → the index of the first merge that it may not be.
        replayed: how many merges are there because the run that was forked made them.
    """

    forced: BytesPair | None = None
    forbidden: Mapping[BytesPair, int] = field(default_factory=dict)
    replayed: int = 0

    def forbidden_at(self, index: int) -> list[BytesPair]:
        """The pairs that merge `index` may not be."""
        return [pair for pair, first in self.forbidden.items() if first <= index]

    def forces(self, index: int) -> bool:
        """Whether merge `index` is the forced one."""
        return self.forced is not None and index == self.replayed


class Record(MergeRecord[MergeStep]):
    """The steps of one run of byte-pair encoding: trained, forked or replayed.

    Attributes:
        ids: the ids of the tokens in `vocab`; in a run of ours their places.
        units, alphabet: what the merges start from, and what spells a pretoken in it.
        first_id: how many tokens there are before the first merge, and so its place: 256 bytes, or
            other units, and the special tokens. Its id, too, in a run of ours.
        tie_key: the tie rule's key of a pair; of use where the rule is static.
        by_rule: whether every merge is what the tie rule takes of the most frequent pairs. A fork
            (`what_if`) prescribes some, and then no heap tells which pair is next.
        prescribed: what a fork was told to do whatever the counts say; `None` in any other run.
        given: whether the merges are a tokenizer's, replayed (`replay`): none was chosen here.
    """

    def __init__(
        self,
        vocab: list[bytes],
        special_tokens: Sequence[str],
        tie_rule: TieRule,
        pairs: PairNumbers,
        start: Sequence[int],
        given_ids: IdMap | None = None,
        *,
        alphabet: Alphabet | None = None,
        units: Units = UNITS[DEFAULT_UNITS],
    ) -> None:
        super().__init__()
        self.vocab = vocab
        first = len(vocab) - len(special_tokens)
        self.ids = given_ids or IdMap(
            vocab, {token: first + number for number, token in enumerate(special_tokens)}
        )
        self.alphabet = alphabet or ByteAlphabet([self.ids.id_of(byte) for byte in range(256)])
        self.units = units
        self.special_tokens = tuple(special_tokens)
        self.first_id = len(vocab)
        self.tie_rule = tie_rule
        self.pairs = self.ids.pairs_in_ids(pairs)
        # No pair is ever more frequent than the first that merges.
        small = max(start, default=0) < 2**31
        self.counts = ChangeLog(start, "i" if small else "q")
        self.tie_key = tie_rule.make_key(self.ids.tokens, never_seen)
        self.given = given_ids is not None
        self.by_rule = not self.given
        self.fork_rules: ForkRules | None = None
        self._counts = array("q")
        self._spelled_until = -1
        self._spelled: dict[bytes, list[int]] = {}

    @cached_property
    def heap(self) -> HeapReplay:
        """What a lazily deleted heap of the pairs claims, by the same numbers."""
        return HeapReplay(self)

    def _step(self, index: int) -> MergeStep:
        return MergeStep(self, index)

    def append(self, merge: MergeReport) -> MergeStep:
        """Write one step down."""
        index = len(self.pretokens)
        self.counts.append(merge.changed, merge.after, width=len(self.pairs))
        self.merged.append(merge.number)
        self._counts.append(merge.count)
        self.occurrences.append(merge.occurrences)
        self.removed.append(self.removed[index] + merge.occurrences)
        self.pretokens.append(merge.pretokens)
        return MergeStep(self, index)

    def append_many(self, batch: MergeBatch) -> Iterator[MergeStep]:
        """Write several steps down. Each is there for others, and in `vocab`, as it is pulled."""
        removed = accumulate(batch.occurrences, initial=self.removed[-1])
        self.counts.append_many(batch.changed, batch.after, batch.changes_ends, batch.widths)
        self.merged.extend(batch.numbers)
        self._counts.extend(batch.counts)
        self.occurrences.extend(batch.occurrences)
        self.removed.extend(islice(removed, 1, None))
        vocab = self.vocab
        for pretokens, left, right in zip(batch.pretokens, batch.lefts, batch.rights, strict=True):
            vocab.append(vocab[left] + vocab[right])
            self.pretokens.append(pretokens)
            yield MergeStep(self, len(self.pretokens) - 1)

    def append_unchanged(self, numbers: Sequence[int]) -> Iterator[MergeStep]:
        """Write steps down that merge pairs which stand nowhere, and so change nothing."""
        first, steps = len(self), len(numbers)
        nothing = array("q", bytes(8 * steps))
        self.counts.append_unchanged(steps, width=len(self.pairs))
        self.merged.extend(numbers)
        self._counts.extend(nothing)
        self.occurrences.extend(nothing)
        self.removed.extend(repeat(self.removed[first], steps))
        self.pretokens.extend(nothing)
        return (MergeStep(self, index) for index in range(first, first + steps))

    def token(self, token_id: int) -> bytes:
        """The bytes of any token of the run."""
        return self.ids.tokens[token_id]

    def covers(self, token_id: int) -> bytes:
        """The bytes of a pretoken that the token stands for: less `</w>`, which stands for none."""
        token = self.token(token_id)
        return token.removesuffix(END_OF_WORD) if self.ends_word(token_id) else token

    def decoded(self, token_id: int) -> bytes:
        """The bytes that decoding the token gives: a space for `</w>`."""
        return self.covers(token_id) + (b" " if self.ends_word(token_id) else b"")

    def ends_word(self, token_id: int) -> bool:
        """Whether the token has the end of a word in it, and not just the same characters."""
        marker = self.alphabet.marker
        if marker is None:
            return False
        while (rank := self.rank_of(token_id)) >= 0:
            token_id = self.pair_of(rank)[1]
        return token_id == marker

    def id_of(self, place: int) -> int:
        """The id of the token at a place of `vocab`."""
        return self.ids.id_of(place)

    def new_id(self, index: int) -> int:
        """The id of the token that step `index` made."""
        return self.ids.id_of(self.first_id + index)

    def rank_of(self, token_id: int) -> int:
        """The step that made a token; negative for one that was there before the first."""
        return self.ids.place_of(token_id) - self.first_id

    def places_of(self, index: int) -> Pair:
        """The pair that step `index` merged, by the places of its tokens."""
        left, right = self.pair_of(index)
        return self.ids.place_of(left), self.ids.place_of(right)

    def count_of(self, index: int) -> int:
        """The count of the pair that step `index` merged."""
        return self._counts[index]

    def counts_until(self, steps: int) -> Ints:
        """`count_of` the first `steps` merges, at once."""
        return copied(self._counts, steps)

    def forbidden_pairs(self, index: int) -> list[tuple[Pair, int]]:
        """The pairs that merge `index` may not be, most frequent first, with their counts then.

        Those that stand nowhere are left out.
        """
        if self.fork_rules is None:
            return []
        counts = self.counts.at(index)
        standing = [
            (self.pairs[number], int(counts[number]))
            for number in self._forbidden_numbers(index)
            if number < len(counts) and counts[number]
        ]
        return sorted(standing, key=lambda pair_count: (-pair_count[1], pair_count[0]))

    def counts_to_choose_by(self, index: int) -> Integers:
        """The counts of the pairs before merge `index`, forbidden ones as if they stood nowhere."""
        counts = self.counts.at(index)
        counts[[number for number in self._forbidden_numbers(index) if number < len(counts)]] = 0
        return counts

    def _forbidden_numbers(self, index: int) -> list[int]:
        """The numbers of the pairs that merge `index` may not be.

        They are forbidden by their bytes, and several tokens may have the same.
        """
        if self.fork_rules is None or not (forbidden := self.fork_rules.forbidden_at(index)):
            return []
        size = len(self.vocab)
        if self._spelled_until != size:  # looked through once a run, as a run is shown when it ends
            self._spelled_until, self._spelled = (
                size,
                self._ids_by_bytes(list(self.fork_rules.forbidden)),
            )
        ids = self._spelled
        pairs = (pair for left, right in forbidden for pair in product(ids[left], ids[right]))
        return [number for pair in pairs if (number := self.pairs.number_of(pair)) is not None]

    def _ids_by_bytes(self, pairs: Sequence[BytesPair]) -> dict[bytes, list[int]]:
        """token → its ids, of the tokens in these pairs."""
        ids: dict[bytes, list[int]] = {part: [] for pair in pairs for part in pair}
        for place, token in enumerate(self.vocab):
            if token in ids:
                ids[token].append(self.ids.id_of(place))
        return ids

    def pairs_with_count(self, counts: Integers, count: int) -> list[Pair]:
        """The pairs that have just this count in a state of `self.counts`."""
        return [self.pairs[number] for number in np.flatnonzero(counts == count).tolist()]

    @property
    def nbytes(self) -> int:
        """Bytes that the record's columns take."""
        return self.counts.nbytes + 8 * (len(self.pairs) + 5 * len(self))
