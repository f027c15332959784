"""The number of places that each merge of a run replaces, in distinct pretokens.

A trainer that keeps each distinct pretoken once touches a place in it once, however often the
pretoken occurs. The record has the occurrences in the corpus instead. So the places are counted on
demand: encode each pretoken with all merges, and take its tokens apart.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from time import monotonic

from engine.core.arrays import Ints
from engine.core.slow_modules import np
from engine.recording.affected_pretokens import LONGEST_TAKEN_APART
from engine.recording.merge_record import MergeRecord, PairStep


class PlaceTally:
    """The places that each merge of a training replaced, and the places that were there.

    A *place* is a pair of neighbouring tokens in a distinct pretoken. `read` works in slices of
    time, for a screen that must not wait.

    Args:
        pretokens: the distinct pretokens.
        encode: returns the tokens of a pretoken after all merges that are known at the call.
        record: the record of the merges.

    Attributes:
        too_long: whether a pretoken is too long to be taken apart; then nothing is counted.
        replaced, places: the places that each merge replaced, and those at each step, as far as
            they are `read`.
    """

    def __init__(
        self,
        pretokens: Iterable[bytes],
        encode: Callable[[bytes], Sequence[int]],
        record: MergeRecord[PairStep],
    ) -> None:
        self._pretokens = list(pretokens)
        self.too_long = any(len(pretoken) > LONGEST_TAKEN_APART for pretoken in self._pretokens)
        self._encode = encode
        self._record = record
        self._reading: Iterator[None] | None = None
        self.replaced: Ints = np.zeros(0, dtype=np.int64)
        self.places: Ints = np.zeros(0, dtype=np.int64)

    def read(self, steps: int, seconds: float = 3600.0) -> bool:
        """Count for some seconds; return whether the first `steps` merges have been counted."""
        deadline = monotonic() + seconds
        while len(self.places) <= steps and not self.too_long:
            self._reading = self._reading or self._read(steps)
            for _ in self._reading:
                if monotonic() > deadline:
                    return False
            self._reading = None
        return not self.too_long

    def _read(self, steps: int) -> Iterator[None]:
        """Count the first `steps` merges; yield after each pretoken."""
        found = Counter[int]()
        spelled = 0
        for pretoken in self._pretokens:
            tokens = self._encode(pretoken)
            found.update(tokens)
            spelled += bool(tokens)
            yield
        first, pair_of = self._record.first_id, self._record.pair_of
        times = [found[token_id] for token_id in range(max(found, default=0) + 1)]
        # A token has replaced the pair wherever a later token was made of it, too.
        for token_id in range(len(times) - 1, first - 1, -1):
            if times[token_id]:
                for part in pair_of(token_id - first):
                    times[part] += times[token_id]
        replaced = np.zeros(steps, dtype=np.int64)
        made = times[first : first + steps]
        replaced[: len(made)] = made
        at_start = sum(times[:first]) - spelled
        self.replaced = replaced
        self.places = at_start - np.concatenate(([0], np.cumsum(replaced)))
