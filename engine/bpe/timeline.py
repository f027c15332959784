"""`Timeline`: the recorded steps with a cursor. Nothing is trained anew to go back or jump."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from engine.bpe.frame import Frame
from engine.bpe.record import MergeStep, Record
from engine.bpe.run import Run
from engine.bpe.statistics import Statistics
from engine.bpe.trainer import Trainer
from engine.recording.merge_frame import MergeTimeline
from engine.text.excerpt import Excerpt
from engine.text.patterns import PatternLike


class Timeline(MergeTimeline[Frame]):
    """The steps of a run and a cursor among them.

    Step k is the state after the first k merges: step 0 is the corpus in single bytes, or in what
    else the run starts from. Steps may be added at the end at any time; the cursor stays where it
    is.

    Args:
        counts: the pretoken counts that were trained on, `Trainer.counts`.
        steps: the steps recorded so far, all of one run, from the first.
        record: the run's record, needed only if there are no steps yet.
        run: a run that exists already. Of the other arguments only `steps` is used then.
        pattern, special_tokens, excerpt: see `engine.bpe.run.Run`.

    Attributes:
        run: what is recorded.
        came_from: where the cursor was before it last moved.

    >>> counts = {b"low": 5, b"lower": 2}
    >>> timeline = Timeline(counts, Trainer(counts, 258).steps())
    >>> timeline.forward().merge.token, timeline.forward().merge.token, timeline.cursor
    (b'ow', b'low', 2)
    >>> timeline.back().tokens_of(b"lower")
    (108, 256, 101, 114)
    """

    run: Run

    def __init__(
        self,
        counts: Mapping[bytes, int],
        steps: Iterable[MergeStep] = (),
        *,
        record: Record | None = None,
        run: Run | None = None,
        pattern: PatternLike = "gpt2",
        special_tokens: Sequence[str] | None = None,
        excerpt: Excerpt | None = None,
    ) -> None:
        steps = list(steps)
        if run is None:
            run = Run(
                counts,
                _record_of(steps, record, counts),
                pattern=pattern,
                special_tokens=special_tokens,
                excerpt=excerpt,
            )
        super().__init__(run)
        self._moves_done = 0
        self.extend(steps)

    @property
    def record(self) -> Record:
        """What wrote the steps down."""
        return self.run.record

    @property
    def statistics(self) -> Statistics:
        """The whole run in numbers, for charts."""
        return self.run.statistics

    def _frame_at(self, step: int) -> Frame:
        return Frame(self.run, step, len(self), self._moves_done)

    def seek(self, step: int) -> Frame:
        """Go to a step, and to its first move in the heap.

        Raises:
            TimelineError: it is not recorded.
        """
        if self._moves_done and 0 <= step <= len(self):
            # Between two steps, so that even the step at the cursor is a way to go.
            self.came_from = self._cursor
            self._moves_done = 0
            self._frame = None
        return super().seek(step)

    def sub_step(self) -> Frame:
        """Make one move of the next merge in the heap; after the last, the merge itself."""
        moves = len(self.frame.queue.moves())
        if self._moves_done + 1 >= moves:
            return self.forward()
        self.came_from = self._cursor
        self._moves_done += 1
        self._frame = None
        return self.frame


def _record_of(
    steps: Sequence[MergeStep], record: Record | None, counts: Mapping[bytes, int]
) -> Record:
    if steps:
        return steps[0].record
    # A record without steps is false, as anything empty is.
    return Trainer(counts, 256).record if record is None else record
