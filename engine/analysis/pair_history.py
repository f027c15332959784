"""The history of a pair of tokens in a training: its count at every step, and what reduced it.

A pair can occur once the younger of its two tokens is made. From then on its count only falls: a
merge that takes one of its tokens somewhere takes the pair there, too. So there are two reasons why
a pair has not merged: it occurs nowhere, or more frequent pairs took of its occurrences.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from engine.bpe.record import Record
from engine.core.events import PAIR_SIGN, Pair
from engine.core.wording import Sentence, Words, amount, frequency, say, together
from engine.recording.playback import AnyMergeFrame


@dataclass(frozen=True)
class PairLoss:
    """A merge that took occurrences of another pair.

    Attributes:
        step: the step right after the merge.
        merged: the pair that it merged.
        count: the number of occurrences that it took.
    """

    step: int
    merged: Pair
    count: int


@dataclass(frozen=True)
class PairHistory:
    """The count of a pair at every recorded step, and why it changed.

    Attributes:
        pair: the ids of its two tokens.
        step, last: the step that the history is seen from, and the last step recorded.
        younger, made: the token of the pair that is made last, and the first step that has it.
        steps, counts: the steps at which the count changes, from `made` on, and the new counts.
        merged: the step right after the pair merges; `None` if it does not.
        losses: the merges of other pairs that took of it, up to `last`, in their order.
        recuts: the steps at which another pattern cuts the corpus, each with the new count.
        more_frequent: the number of pairs with a higher count at `step`.
        min_count: the least count that merges; 0 if counts did not choose the merges.
        last_merge: the last merge recorded, with the number of its occurrences, if the most
            frequent pair merges; otherwise `None`.
    """

    pair: Pair
    step: int
    last: int
    younger: int
    made: int
    steps: tuple[int, ...]
    counts: tuple[int, ...]
    merged: int | None
    losses: tuple[PairLoss, ...]
    recuts: tuple[tuple[int, int], ...]
    more_frequent: int
    min_count: int = 0
    last_merge: PairLoss | None = None

    def count_at(self, step: int) -> int:
        """Return the count of the pair at a recorded step."""
        place = bisect_right(self.steps, step) - 1
        return self.counts[place] if place >= 0 else 0

    @property
    def count(self) -> int:
        """The count at `step`."""
        return self.count_at(self.step)

    @property
    def ever_occurs(self) -> bool:
        """Whether the pair occurs at any step."""
        return any(self.counts)

    def largest_losses(self, until: int) -> list[PairLoss]:
        """Return the losses up to a step, the largest first."""
        return sorted(
            (loss for loss in self.losses if loss.step <= until),
            key=lambda loss: (-loss.count, loss.step),
        )

    def sentences(
        self, token: Callable[[int], bytes], named: int = 2, within: bytes = b""
    ) -> list[Sentence]:
        """Return the history in sentences.

        Args:
            token: returns the bytes of a token, by its id.
            named: the number of losses that are named; the others are added up.
            within: the characters that the pair is a part of, or all of.
        """
        inside = say(" (in {within})", within=within) if within else say("")
        pair = say("{pair}{inside}", pair=_name(self.pair, token), inside=inside)
        if not self.ever_occurs:
            sentences = [say("{pair}: {outcome}", pair=pair, outcome=self.outcome)]
        else:
            template = "{pair}: {begun} at step {made}"
            if self.made > self.step:
                template = "{pair}: no {younger} yet; merge {made} makes it, {begun} then"
            younger, begun, made = token(self.younger), f"{self.counts[0]:,}", f"{self.made:,}"
            first = say(template, pair=pair, younger=younger, made=made, begun=begun)
            told = [first, *self._losses(token, named), *self._recuts(), *self._rest()]
            sentences = [say("{history}.", history=together(told)), self.outcome]
        return [*sentences, *filter(None, (self.needed, self._last(token)))]

    def _losses(self, token: Callable[[int], bytes], named: int) -> Iterator[Sentence]:
        losses = self.largest_losses(self.step)
        for loss in sorted(losses[:named], key=lambda loss: loss.step):
            # The tokens of the pair that the merge takes: `its h`.
            both = zip(self.pair, reversed(loss.merged), strict=True)
            taken: list[Sentence] = []
            for shared in dict.fromkeys(mine for mine, other in both if mine == other):
                taken += [*[say(" or ")] * bool(taken), say("its {token}", token=token(shared))]
            yield say(
                "; {pair} took {taken} {times} at merge {step}",
                pair=_name(loss.merged, token),
                taken=together(taken or [say("of it")]),
                times=frequency(loss.count),
                step=f"{loss.step:,}",
            )
        if others := losses[named:]:
            merges = say("{others} more merges", others=f"{len(others):,}")
            if len(others) == 1:
                merges = say("1 more merge")
            n = f"{sum(loss.count for loss in others):,}"
            yield say("; {merges} took {n}", merges=merges, n=n)

    def _recuts(self) -> Iterator[Sentence]:
        template = "; the new cut at step {step} has it {times}"
        for step, count in self.recuts:
            if step <= self.step:
                yield say(template, step=f"{step:,}", times=frequency(count))

    def _rest(self) -> Iterator[Sentence]:
        if self.made > self.step:
            return
        if self.merged is not None and self.merged <= self.step:
            yield say("; it merged itself at merge {merged}", merged=f"{self.merged:,}")
        elif not self.count:
            yield say("; none is left")
        elif self.count < self.counts[0]:
            yield say("; {count} left", count=f"{self.count:,}")

    def _last(self, token: Callable[[int], bytes]) -> Sentence | None:
        """Name the pair that beat this one at the end, if its own count was high enough."""
        last, count = self.last_merge, self.count_at(self.last)
        if self.merged is not None or last is None or count < max(self.min_count, 1):
            return None
        return say(
            "The last merge, {step}, took {pair}, which occurred {times}.",
            step=f"{last.step:,}",
            pair=_name(last.merged, token),
            times=frequency(last.count),
        )

    @property
    def outcome(self) -> Sentence:
        """When the pair merges, or why it does not, as seen from `step`.

        It begins as a part of a sentence if the pair never occurs.
        """
        merged = "" if self.merged is None else f"{self.merged:,}"
        if not self.ever_occurs:
            never = say("the two never occur side by side in one pretoken of this corpus")
            template = "{never}, but the tokenizer joins them at merge {merged}."
            return say(template if merged else "{never}.", never=never, merged=merged)
        if self.merged is not None:
            if self.merged <= self.step:
                return say("It is merge {merged}.", merged=merged)
            times = frequency(self.count_at(self.merged - 1))
            return say("It merges at merge {merged}, {times}.", merged=merged, times=times)
        never = say("does not merge in the {last} recorded", last=amount(self.last, "step"))
        if self.made > self.step:
            return say("It {never}.", never=never)
        if not self.count:
            return say("It did not merge: others took all of it.")
        ahead, end = self.more_frequent, self.count_at(self.last)
        rank = say("No pair occurs more often")
        if ahead:
            template = "{n} pair occurs more often" if ahead == 1 else "{n} pairs occur more often"
            rank = say(template, n=f"{ahead:,}")
        left = say("{n} are" if end > 1 else "{n} is" if end else "none is", n=f"{end:,}")
        rest = say("") if end == self.count else say(", and {left} left at the last", left=left)
        return say("{rank} here; it {never}{rest}.", rank=rank, never=never, rest=rest)

    @property
    def needed(self) -> Sentence | None:
        """How often a pair must occur to merge; `None` if this one does occur so often."""
        end = self.count_at(self.last)
        is_taken = self.merged is not None or (self.ever_occurs and not end)
        if is_taken or end >= self.min_count:
            return None
        if self.min_count == 1:
            return say("Only a pair that occurs can merge.")
        return say(
            "A pair must occur at least {least} to merge (--min-count {min_count}).",
            least=frequency(self.min_count),
            min_count=str(self.min_count),
        )


def _name(pair: Pair, token: Callable[[int], bytes]) -> Words:
    """Name a pair: `o+t`."""
    left, right = map(token, pair)
    return left, PAIR_SIGN, right


def pair_history(frame: AnyMergeFrame, pair: Pair) -> PairHistory:
    """Return the history of a pair in the frame's run, as seen from the frame.

    >>> from engine import Timeline, Trainer
    >>> counts = {b"low": 5, b"lower": 2}
    >>> frame = Timeline(counts, Trainer(counts, 259).steps()).seek(1)
    >>> history = pair_history(frame, (ord("o"), ord("w")))
    >>> history.steps, history.counts, history.merged
    ((0, 1), (7, 0), 1)
    >>> pair_history(frame, (ord("w"), ord("e"))).losses
    (PairLoss(step=1, merged=(111, 119), count=2),)
    """
    record, last = frame.run.record, frame.recorded_steps
    younger = max(pair, key=frame.step_making)
    made = frame.step_making(younger)
    merged = frame.step_of(pair)
    number = record.pairs.number_of(pair)
    given = isinstance(record, Record) and last <= record.given_steps
    min_count = 0 if given else record.min_count
    steps, counts, losses = list[int](), list[int](), list[PairLoss]()
    recuts: list[tuple[int, int]] = []
    for states, values in record.histories(pair, last):
        if steps:  # where another pattern cuts the corpus, no merge changes the count
            recuts.append((states[0], values[0]))
        losses += (
            PairLoss(step, record.pair_of(step - 1), before - after)
            for step, before, after in zip(states[1:], values, values[1:], strict=False)
            if step != merged and after < before
        )
        steps, counts = steps + states, counts + values
    if not steps or steps[0] > made:
        steps, counts = [made, *steps], [0, *counts]
    at_step = record.counts.at(frame.step)
    count = 0 if number is None or number >= len(at_step) else at_step[number]
    return PairHistory(
        pair=pair,
        step=frame.step,
        last=last,
        younger=younger,
        made=made,
        steps=tuple(steps),
        counts=tuple(counts),
        merged=merged,
        losses=tuple(losses),
        recuts=tuple(recuts),
        more_frequent=int(np.count_nonzero(at_step > count)) if any(counts) else 0,
        min_count=min_count,
        last_merge=_last_merge(record, last) if isinstance(record, Record) and not given else None,
    )


def _last_merge(record: Record, last: int) -> PairLoss | None:
    """Return the last of the first `last` merges, with its count; `None` if there are none."""
    if not last:
        return None
    return PairLoss(last, record.pair_of(last - 1), record.winning_counts[last - 1])
