"""What became of a pair of tokens: how often it stood there, which merges took of it, where it is.

A pair comes to stand when the younger of its two tokens is made. From then on its count only falls:
a merge that takes one of its tokens at a place takes the pair there, too. So why a pair has not
merged has one of two answers: it stands nowhere, or other pairs stood more often and took of it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from engine.core.events import Pair
from engine.recording.playback import AnyMergeFrame


@dataclass(frozen=True)
class Taken:
    """A merge that took occurrences of another pair.

    Attributes:
        step: the step right after it.
        merged: the pair that it merged.
        count: how many it took.
    """

    step: int
    merged: Pair
    count: int


@dataclass(frozen=True)
class PairHistory:
    """The count of a pair at every recorded step, and why it changed.

    Attributes:
        pair: the ids of its two tokens.
        step, last: where the history was asked for, and the last step recorded.
        younger, made: that of its tokens which is made last, and the step from which it is there.
        steps, counts: from each of these steps on, the first being `made`, it stands so often.
        merged: the step right after it merges; `None` if it does not.
        taken: the merges of other pairs that took of it, up to `last`, in their order.
        more_frequent: how many pairs stand more often at `step`.
    """

    pair: Pair
    step: int
    last: int
    younger: int
    made: int
    steps: tuple[int, ...]
    counts: tuple[int, ...]
    merged: int | None
    taken: tuple[Taken, ...]
    more_frequent: int

    def count_at(self, step: int) -> int:
        """How often the pair stands side by side at a recorded step."""
        place = bisect_right(self.steps, step) - 1
        return self.counts[place] if place >= 0 else 0

    @property
    def count(self) -> int:
        """How often it stands there at `step`."""
        return self.count_at(self.step)

    @property
    def ever_stands(self) -> bool:
        """Whether it stands anywhere at any step."""
        return any(self.counts)

    def most_taken(self, until: int) -> list[Taken]:
        """The merges up to a step that took of it, those that took most first."""
        return sorted(
            (taken for taken in self.taken if taken.step <= until),
            key=lambda taken: (-taken.count, taken.step),
        )

    def describe(self, show: Callable[[int], str], named: int = 2) -> list[str]:
        """The history in sentences.

        Args:
            show: how a token is written, by its id.
            named: so many merges that took of it are named; the others are counted.
        """
        pair = _joined(show, self.pair)
        if not self.ever_stands:
            return [
                f"{pair} stands 0 times, at this step and at every other: the two are never side "
                "by side in one pretoken. Only a pair that stands somewhere can merge."
            ]
        return [
            f"{self._beginning(pair, show)}{self._losses(show, named)}{self._present()}.",
            self.outcome,
        ]

    def _beginning(self, pair: str, show: Callable[[int], str]) -> str:
        begun = f"{self.counts[0]:,}"
        if self.made > self.step:
            younger = show(self.younger)
            return f"{pair}: no {younger} yet; merge {self.made:,} makes it, {begun} then"
        return f"{pair}: {begun} at step {self.made:,}"

    def _losses(self, show: Callable[[int], str], named: int) -> str:
        taken = self.most_taken(self.step)
        told = sorted(taken[:named], key=lambda merge: merge.step)
        said = "".join(
            f"; {_joined(show, merge.merged)} took {_shared(show, self.pair, merge.merged)} "
            f"{merge.count:,} times at merge {merge.step:,}"
            for merge in told
        )
        if others := taken[named:]:
            merges = "1 more merge" if len(others) == 1 else f"{len(others):,} more merges"
            said += f"; {merges} took {sum(merge.count for merge in others):,}"
        return said

    def _present(self) -> str:
        if self.made > self.step:
            return ""
        if self.merged is not None and self.merged <= self.step:
            return f"; it merged itself at merge {self.merged:,}"
        if not self.count:
            return "; none is left"
        return f"; {self.count:,} left" if self.count < self.counts[0] else ""

    @property
    def outcome(self) -> str:
        """Whether it merges, and when; or what keeps it from that, seen from `step`."""
        if not self.ever_stands:
            return "The two are side by side nowhere in the corpus, so nothing was learnt of them."
        if self.merged is not None:
            if self.merged <= self.step:
                return f"It is merge {self.merged:,}."
            return f"It merges at merge {self.merged:,}, {self.count_at(self.merged - 1):,} times."
        if self.made > self.step:
            return f"It does not merge in the {self.last:,} steps recorded."
        if not self.count:
            return "It did not merge: others took all of it."
        ahead = self.more_frequent
        rank = (
            "No pair stands more often"
            if not ahead
            else f"{ahead:,} {'pair stands' if ahead == 1 else 'pairs stand'} more often"
        )
        end = self.count_at(self.last)
        rest = "" if end == self.count else f", and {_left(end)} left at the last"
        return f"{rank} here; it does not merge in the {self.last:,} steps recorded{rest}."


def pair_history(frame: AnyMergeFrame, pair: Pair) -> PairHistory:
    """The history of a pair of the frame's run, as far as it is recorded, seen from the frame.

    >>> from engine import Timeline, Trainer
    >>> counts = {b"low": 5, b"lower": 2}
    >>> frame = Timeline(counts, Trainer(counts, 259).steps()).seek(1)
    >>> history = pair_history(frame, (ord("o"), ord("w")))
    >>> history.steps, history.counts, history.merged
    ((0, 1), (7, 0), 1)
    >>> pair_history(frame, (ord("w"), ord("e"))).taken
    (Taken(step=1, merged=(111, 119), count=2),)
    """
    record, last = frame.run.record, frame.recorded_steps
    younger = max(pair, key=frame.step_making)
    made = frame.step_making(younger)
    merged = frame.step_of(pair)
    number = record.number_of(pair)
    if number is None:
        return PairHistory(pair, frame.step, last, younger, made, (made,), (0,), merged, (), 0)
    states, values = record.counts.history(number, last)
    steps, counts = states.tolist(), values.tolist()
    if not steps or steps[0] > made:
        steps.insert(0, made)
        counts.insert(0, 0)
    taken = tuple(
        Taken(step, record.pair_of(step - 1), before - after)
        for step, before, after in zip(steps[1:], counts, counts[1:], strict=False)
        if step != merged and after < before
    )
    at_step = record.counts.at(frame.step)
    count = at_step[number] if number < len(at_step) else 0
    more_frequent = int(np.count_nonzero(at_step > count))
    return PairHistory(
        pair,
        frame.step,
        last,
        younger,
        made,
        tuple(steps),
        tuple(counts),
        merged,
        taken,
        more_frequent,
    )


def _left(count: int) -> str:
    return f"{count:,} are" if count > 1 else "1 is" if count else "none is"


def _joined(show: Callable[[int], str], pair: Sequence[int]) -> str:
    return "│".join(map(show, pair))


def _shared(show: Callable[[int], str], pair: Pair, merged: Pair) -> str:
    """What a merge takes of a pair: the token that both have, `its h`."""
    left, right = pair
    shared = []
    if merged[1] == left:
        shared.append(left)
    if merged[0] == right:
        shared.append(right)
    return " or ".join(f"its {show(token)}" for token in dict.fromkeys(shared)) or "of it"
