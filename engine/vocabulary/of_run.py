"""The vocabularies of the steps of a run, and how often each token stands in the corpus.

Counting needs no corpus: a byte or character starts with its own count; a merge that replaces a
pair n times makes n of the new token, and takes n from each of its parts. So the counts at step k
are one sum over the first k merges. A token's row is its place (see `token_ids`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from functools import cached_property

import numpy as np

from engine.alphabets import Alphabet, ByteAlphabet
from engine.change_log import Ints
from engine.record import Record
from engine.vocabulary.merge_columns import NONE, Merges
from engine.vocabulary.token_table import TokenTable
from engine.vocabulary.vocabulary import Vocabulary


class RunVocabularies:
    """`at(step)` for the run that `record` tells, on the pretokens that `counts` counts."""

    def __init__(self, record: Record, counts: Mapping[bytes, int], alphabet: Alphabet) -> None:
        self._record = record
        self._alphabet = alphabet
        self._counts = counts
        self._table: TokenTable | None = None
        self._occurrences: Ints = np.zeros(0, dtype=np.int64)

    def at(self, step: int, recorded_steps: int) -> Vocabulary:
        """The tokens after the first `step` merges, of so many that are recorded."""
        if self._table is None or len(self._table.merges) < step:
            self._table = self._table_of(recorded_steps)
            self._occurrences = self._record.first_occurrences(recorded_steps).copy()
        size = self._record.first_id + step
        # Without a corpus there is nothing to count.
        counts = self._counts_at(self._table, step) if self._counts else None
        return Vocabulary(self._table, size, step, counts)

    def _table_of(self, steps: int) -> TokenTable:
        record = self._record
        first = record.first_id
        return TokenTable(
            np.array([record.ids.id_of(place) for place in range(first + steps)], dtype=np.int64),
            record.vocab[: first + steps],
            Merges.of((record.places_of(rank), first + rank, rank) for rank in range(steps)),
            np.array(self._special_places, dtype=np.int64),
            self._alphabet,
        )

    @cached_property
    def _special_places(self) -> list[int]:
        return sorted(map(self._record.ids.place_of, self._record.ids.specials))

    def _counts_at(self, table: TokenTable, step: int) -> Ints:
        first = self._record.first_id
        made = self._occurrences[:step]
        counts = np.zeros(first + step, dtype=np.int64)
        counts[: len(self._base_counts)] = self._base_counts
        counts[self._special_places] = NONE
        counts[first:] = made
        for part in (table.merges.left[:step], table.merges.right[:step]):
            # Sums of whole numbers in float64 are exact up to 2⁵³.
            taken = np.bincount(part, weights=made, minlength=len(counts))
            counts -= taken.astype(np.int64)
        return counts

    @cached_property
    def _base_counts(self) -> Ints:
        """How often each token of step 0 stands in all pretokens, by its place."""
        if isinstance(self._alphabet, ByteAlphabet):
            return self._byte_counts()
        found: defaultdict[int, int] = defaultdict(int)
        for pretoken, times in self._counts.items():
            for token_id in self._alphabet.spell(pretoken):
                found[token_id] += times
        counts = np.zeros(self._record.first_id, dtype=np.int64)
        for token_id, times in found.items():
            counts[self._record.ids.place_of(token_id)] = times
        return counts

    def _byte_counts(self) -> Ints:
        lengths = np.fromiter(map(len, self._counts), dtype=np.int64, count=len(self._counts))
        times = np.fromiter(self._counts.values(), dtype=np.int64, count=len(self._counts))
        joined = np.frombuffer(b"".join(self._counts), dtype=np.uint8)
        weighted = np.bincount(joined, weights=np.repeat(times, lengths), minlength=256)
        return weighted.astype(np.int64)
