"""`UnigramTimeline`: a recorded Unigram training with a cursor. Going back or jumping is free."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from engine.recording.player import Player
from engine.text.excerpt import Excerpt
from engine.text.patterns import PatternLike
from engine.unigram.frame import UnigramFrame, UnigramRun
from engine.unigram.record import EmStep, PruneStep, Record
from engine.unigram.statistics import UnigramStatistics
from engine.unigram.trainer import Event


class UnigramTimeline(Player[UnigramFrame]):
    """The steps of a run and a cursor among them.

    Step 0 is the seed, step k the state after the first k steps. Events may be added at any time;
    the cursor stays where it is.

    Args:
        record: the run's record, as `Seeded` tells it.
        events: those that the trainer has yielded so far; all but the steps are passed over.
        words: the pretokens of the corpus, most frequent first.
        excerpt: the beginning of the corpus, for frames to show.
        pattern: what cuts text that is to be encoded.

    >>> from engine.unigram.trainer import UnigramTrainer
    >>> trainer = UnigramTrainer({"hug": 10, "pug": 5, "hugs": 5, "bun": 4}, 10)
    >>> events = list(trainer.steps())
    >>> timeline = UnigramTimeline(trainer.record, events)
    >>> len(timeline), timeline.frame.size, timeline.frame.segment("hugs")
    (3, 15, ['hugs'])
    >>> timeline.forward(3).texts[-2:], [piece.text for piece in timeline.frame.came_by.pruned]
    (['hug', 'pug'], ['bun', 'hugs'])
    >>> [piece.text for piece in timeline.back().leads_on.pruned]  # what is about to go
    ['bun', 'hugs']
    """

    run: UnigramRun

    def __init__(
        self,
        record: Record,
        events: Iterable[Event] = (),
        *,
        words: Mapping[str, int] | None = None,
        excerpt: Excerpt | None = None,
        pattern: PatternLike = "gpt2",
    ) -> None:
        super().__init__(UnigramRun(record, words, excerpt, pattern))
        self.extend(events)

    @property
    def prunes(self) -> Sequence[int]:
        """The steps that a prune led to."""
        return self.run.prunes

    @property
    def statistics(self) -> UnigramStatistics:
        """The run in numbers."""
        return self.run.statistics

    def step_at(self, index: int) -> EmStep | PruneStep:
        """Any recorded step, by its index."""
        return self.run.step_at(index)

    def _frame_at(self, step: int) -> UnigramFrame:
        return UnigramFrame(self.run, step, len(self))
