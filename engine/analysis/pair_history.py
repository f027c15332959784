"""The history of a pair of tokens in a training: its count at every step, and what reduced it.

A pair can occur once the younger of its two tokens is made. From then on its count only falls: a
merge that takes one of its tokens somewhere takes the pair there, too. So there are two reasons why
a pair has not merged: it occurs nowhere, or more frequent pairs took of its occurrences.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from engine.bpe.record import Record
from engine.core.events import Pair, pair_name
from engine.core.wording import ENGLISH, Messages, amount, text_of, times
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

    def describe(
        self,
        show: Callable[[int], str],
        named: int = 2,
        within: str = "",
        messages: Messages = ENGLISH,
    ) -> list[str]:
        """Return the history in sentences.

        Args:
            show: writes a token, by its id.
            named: the number of losses that are named; the others are added up.
            within: the characters that the pair is a part of, or all of.
            messages: a language's texts, English by default.
        """
        inside = text_of(messages, " (in {within})", within=within) if within else ""
        pair = pair_name(*map(show, self.pair)) + inside
        if not self.ever_occurs:
            outcome = self.describe_outcome(messages)
            sentences = [f"{pair}: {outcome[0].lower()}{outcome[1:]}"]
        else:
            begun = f"{self.counts[0]:,}"
            if self.made > self.step:
                younger = show(self.younger)
                template = "{pair}: no {younger} yet; merge {made} makes it, {begun} then"
                first = text_of(
                    messages,
                    template,
                    pair=pair,
                    younger=younger,
                    made=f"{self.made:,}",
                    begun=begun,
                )
            else:
                template = "{pair}: {begun} at step {made}"
                first = text_of(messages, template, pair=pair, begun=begun, made=f"{self.made:,}")
            changes = self._describe_losses(show, messages, named)
            changes += self._describe_recuts(messages)
            rest = self._describe_rest(messages)
            template = "{first}{changes}{rest}."
            told = text_of(messages, template, first=first, changes=changes, rest=rest)
            sentences = [told, self.describe_outcome(messages)]
        return [
            *sentences,
            *filter(None, (self.needed_in(messages), self._describe_last_merge(show, messages))),
        ]

    def _describe_losses(self, show: Callable[[int], str], messages: Messages, named: int) -> str:
        losses = self.largest_losses(self.step)
        text = ""
        for loss in sorted(losses[:named], key=lambda loss: loss.step):
            # The tokens of the pair that the merge takes: `its h`.
            both = zip(self.pair, reversed(loss.merged), strict=True)
            shared = dict.fromkeys(token for token, other in both if token == other)
            template = "its {token}"
            taken = text_of(messages, " or ").join(
                text_of(messages, template, token=show(token)) for token in shared
            ) or text_of(messages, "of it")
            template = "; {show} took {taken} {times}"
            text += text_of(
                messages,
                template,
                show=pair_name(*map(show, loss.merged)),
                taken=taken,
                times=times(loss.count, messages),
            )
            text += text_of(messages, " at merge {step}", step=f"{loss.step:,}")
        if others := losses[named:]:
            template = "{others} more merges"
            merges = (
                text_of(messages, "1 more merge")
                if len(others) == 1
                else text_of(messages, template, others=f"{len(others):,}")
            )
            template = "; {merges} took {n}"
            text += text_of(
                messages, template, merges=merges, n=f"{sum(loss.count for loss in others):,}"
            )
        return text

    def _describe_recuts(self, messages: Messages) -> str:
        template = "; the new cut at step {step} has it {times}"
        return "".join(
            text_of(messages, template, step=f"{step:,}", times=times(count, messages))
            for step, count in self.recuts
            if step <= self.step
        )

    def _describe_rest(self, messages: Messages) -> str:
        if self.made > self.step:
            return ""
        if self.merged is not None and self.merged <= self.step:
            template = "; it merged itself at merge {merged}"
            return text_of(messages, template, merged=f"{self.merged:,}")
        if not self.count:
            return text_of(messages, "; none is left")
        template = "; {count} left"
        return (
            text_of(messages, template, count=f"{self.count:,}")
            if self.count < self.counts[0]
            else ""
        )

    def _describe_last_merge(self, show: Callable[[int], str], messages: Messages = ENGLISH) -> str:
        """Name the pair that beat this one at the end, if its own count was high enough."""
        last, count = self.last_merge, self.count_at(self.last)
        if self.merged is not None or last is None or count < max(self.min_count, 1):
            return ""
        template = "The last merge, {step}, took {show}"
        taken = text_of(
            messages, template, step=f"{last.step:,}", show=pair_name(*map(show, last.merged))
        )
        template = "{taken}, which occurred {times}."
        return text_of(messages, template, taken=taken, times=times(last.count, messages))

    @property
    def outcome(self) -> str:
        """A sentence: when the pair merges, or why it does not, as seen from `step`."""
        return self.describe_outcome()

    def describe_outcome(self, messages: Messages = ENGLISH) -> str:
        """Say when the pair merges, or why it does not, as seen from `step`."""
        if not self.ever_occurs:
            never = text_of(
                messages, "The two never occur side by side in one pretoken of this corpus"
            )
            if self.merged is not None:
                template = "{never}, but the tokenizer joins them at merge {merged}."
                return text_of(messages, template, never=never, merged=f"{self.merged:,}")
            return text_of(messages, "{never}.", never=never)
        if self.merged is not None:
            if self.merged <= self.step:
                return text_of(messages, "It is merge {merged}.", merged=f"{self.merged:,}")
            template = "It merges at merge {merged}, {times}."
            return text_of(
                messages,
                template,
                merged=f"{self.merged:,}",
                times=times(self.count_at(self.merged - 1), messages),
            )
        template = "does not merge in the {last} recorded"
        never = text_of(
            messages, template, last=str(amount(self.last, "step").translated(messages))
        )
        if self.made > self.step:
            return text_of(messages, "It {never}.", never=never)
        if not self.count:
            return text_of(messages, "It did not merge: others took all of it.")
        ahead, end = self.more_frequent, self.count_at(self.last)
        if not ahead:
            rank = text_of(messages, "No pair occurs more often")
        else:
            template = "{n} pair occurs more often" if ahead == 1 else "{n} pairs occur more often"
            rank = text_of(messages, template, n=f"{ahead:,}")
        template = "{n} are" if end > 1 else "{n} is" if end else "none is"
        left = text_of(messages, template, n=f"{end:,}")
        template = ", and {left} left at the last"
        rest = "" if end == self.count else text_of(messages, template, left=left)
        template = "{rank} here; it {never}{rest}."
        return text_of(messages, template, rank=rank, never=never, rest=rest)

    def needed_in(self, messages: Messages = ENGLISH) -> str:
        """Say how often a pair must occur to merge; "" if this one does occur so often."""
        end = self.count_at(self.last)
        is_taken = self.merged is not None or (self.ever_occurs and not end)
        if is_taken or end >= self.min_count:
            return ""
        if self.min_count == 1:
            return text_of(messages, "Only a pair that occurs can merge.")
        least = times(self.min_count, messages)
        template = "A pair must occur at least {least} to merge (--min-count {min_count})."
        return text_of(messages, template, least=least, min_count=str(self.min_count))


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
