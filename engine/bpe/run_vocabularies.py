"""The vocabularies of the steps of a run, and the count of each token in the corpus.

The counts need no corpus: a byte or character starts with its own count. A merge that replaces a
pair n times adds n to the new token and subtracts n from each of its parts. So the counts at step
k are one sum over the first k merges. A token's row is its place (see `engine.recording`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property

from engine.bpe.record import Record
from engine.core.arrays import Ints
from engine.core.slow_modules import np
from engine.encoding.alphabet import Alphabet, ByteAlphabet
from engine.encoding.merging import NONE
from engine.recording.change_log import ChangeLog
from engine.recording.merge_record import copied
from engine.recording.token_table import MergeRows, TokenTable
from engine.recording.vocabulary import Vocabulary


class RunVocabularies:
    """The vocabulary of every step of a run.

    Args:
        record: the record of the run.
        counts: the pretoken counts that it was trained on; empty if there is no corpus.
        alphabet: spells the pretokens at step 0.

    Attributes:
        counts_log: the count of each token at each step, for merges that do not determine it.
        replayed: the occurrences of the first merges in these pretokens, if the record has those in
            others, of an earlier phase.
    """

    def __init__(self, record: Record, counts: Mapping[bytes, int], alphabet: Alphabet) -> None:
        self.counts_log: ChangeLog | None = None
        self._record = record
        self._alphabet = alphabet
        self._counts = counts
        self._special_places = sorted(map(record.ids.place_of, record.ids.specials))
        self._table: TokenTable | None = None
        self._occurrences: Ints = np.zeros(0, dtype=np.int64)
        self.replayed: Sequence[int] = ()

    def at(self, step: int, recorded_steps: int) -> Vocabulary:
        """Return the tokens after the first `step` merges; `recorded_steps` are recorded so far."""
        if self._table is None or len(self._table.merges) < step:
            # Assign the table last: another thread relies on the rest when it finds the table.
            self._occurrences = np.array(copied(self._record.occurrences, recorded_steps))
            self._occurrences[: len(self.replayed)] = self.replayed
            record, steps = self._record, recorded_steps
            first, place_of = record.first_id, record.ids.place_of
            merged = (record.pair_of(rank) for rank in range(steps))
            pairs = ((place_of(left), place_of(right)) for left, right in merged)
            self._table = TokenTable(
                np.array([record.id_of(place) for place in range(first + steps)], dtype=np.int64),
                record.vocab[: first + steps],
                MergeRows.of(zip(pairs, range(first, first + steps), range(steps), strict=True)),
                np.array(self._special_places, dtype=np.int64),
                self._alphabet,
            )
        size = self._record.first_id + step
        # There are no counts without a corpus.
        if not self._counts:
            return Vocabulary(self._table, size, step)
        return Vocabulary(self._table, size, step, self._counts_at(self._table, step))

    def _counts_at(self, table: TokenTable, step: int) -> Ints:
        first = self._record.first_id
        counts = np.zeros(first + step, dtype=np.int64)
        if self.counts_log is not None:
            logged = self.counts_log.at(step)[: len(counts)]
            counts[: len(logged)] = logged
            counts[self._special_places] = NONE
            return counts
        made = self._occurrences[:step]
        counts[: len(self._base_counts)] = self._base_counts
        counts[self._special_places] = NONE
        counts[first:] = made
        for part in (table.merges.left[:step], table.merges.right[:step]):
            # Sums of integers in float64 are exact up to 2⁵³.
            taken = np.bincount(part, weights=made, minlength=len(counts))
            counts -= taken.astype(np.int64)
        return counts

    @cached_property
    def _base_counts(self) -> Ints:
        """The count of each token of step 0 in all pretokens, by its place."""
        pretokens, size = self._counts, len(self._counts)
        if isinstance(self._alphabet, ByteAlphabet):
            lengths = np.fromiter(map(len, pretokens), dtype=np.int64, count=size)
            times = np.fromiter(pretokens.values(), dtype=np.int64, count=size)
            joined = np.frombuffer(b"".join(pretokens), dtype=np.uint8)
            weighted = np.bincount(joined, weights=np.repeat(times, lengths), minlength=256)
            return weighted.astype(np.int64)
        found: Counter[int] = Counter()  # by id
        for pretoken, count in pretokens.items():
            for token_id in self._alphabet.spell(pretoken):
                found[token_id] += count
        counts = np.zeros(self._record.first_id, dtype=np.int64)
        for token_id, count in found.items():
            counts[self._record.ids.place_of(token_id)] = count
        return counts
