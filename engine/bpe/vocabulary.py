"""The vocabularies of the steps of a run, and how often each token stands in the corpus.

Counting needs no corpus: a byte or character starts with its own count; a merge that replaces a
pair n times makes n of the new token, and takes n from each of its parts. So the counts at step k
are one sum over the first k merges. A token's row is its place (see `engine.recording`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import cached_property

import numpy as np

from engine.bpe.record import Record
from engine.core.arrays import Ints
from engine.encoding.alphabet import Alphabet, ByteAlphabet, is_white_space
from engine.recording.token_table import NONE, Merges, TokenTable
from engine.recording.vocabulary import Vocabulary
from engine.text.pretokenize import to_bytes, to_text


class RunVocabularies:
    """The vocabulary of every step of a run.

    Args:
        record: of the run.
        counts: the pretokens that it was trained on; may be empty, where there is no corpus.
        alphabet: what the pretokens are spelled in at step 0.
    """

    def __init__(self, record: Record, counts: Mapping[bytes, int], alphabet: Alphabet) -> None:
        self._record = record
        self._alphabet = alphabet
        self._counts = counts
        self._table: TokenTable | None = None
        self._occurrences: Ints = np.zeros(0, dtype=np.int64)

    def at(self, step: int, recorded_steps: int) -> Vocabulary:
        """The tokens after the first `step` merges, of so many that are recorded."""
        if self._table is None or len(self._table.merges) < step:
            # The table comes last: another thread takes the rest to be there if it is.
            self._occurrences = self._record.first_occurrences(recorded_steps)
            self._table = self._table_of(recorded_steps)
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
        if self._alphabet.inside.spells_apart:
            return self._character_counts(self._alphabet.inside)
        found: Counter[int] = Counter()
        for pretoken, times in self._counts.items():
            for token_id in self._alphabet.spell(pretoken):
                found[token_id] += times
        return self._by_place(found)

    def _by_place(self, found: Mapping[int, int]) -> Ints:
        """Counts by id as counts by place."""
        counts = np.zeros(self._record.first_id, dtype=np.int64)
        for token_id, times in found.items():
            counts[self._record.ids.place_of(token_id)] = times
        return counts

    def _character_counts(self, alphabet: Alphabet) -> Ints:
        """Each distinct character is spelled once, and all are counted at C speed."""
        marker, words = self._alphabet.marker, self._counts
        if marker is not None:
            words = {word: count for word, count in words.items() if not is_white_space(word)}
        texts = list(map(to_text, words))
        times = np.fromiter(words.values(), dtype=np.int64, count=len(words))
        lengths = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
        joined = np.frombuffer("".join(texts).encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
        weighted = np.bincount(joined, weights=np.repeat(times, lengths))
        found: Counter[int] = Counter()
        for character in np.flatnonzero(weighted).tolist():
            for token_id in alphabet.spell(to_bytes(chr(character))):
                found[token_id] += int(weighted[character])
        if marker is not None:
            found[marker] = int(times.sum())
        return self._by_place(found)

    def _byte_counts(self) -> Ints:
        lengths = np.fromiter(map(len, self._counts), dtype=np.int64, count=len(self._counts))
        times = np.fromiter(self._counts.values(), dtype=np.int64, count=len(self._counts))
        joined = np.frombuffer(b"".join(self._counts), dtype=np.uint8)
        weighted = np.bincount(joined, weights=np.repeat(times, lengths), minlength=256)
        return weighted.astype(np.int64)
