"""The work behind the race screen: trainers one after the other, in a thread.

What it fills, the race and its sizes, may be read meanwhile: both only grow.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import chain
from time import monotonic, sleep

from textual.message import Message

from bpe_tui.session import messages
from bpe_tui.session.config import RunConfig
from bpe_tui.session.jobs import Job
from engine.bpe.race import Course, Race, SizeRace, bearable_part, sample
from engine.encoding.units import UNITS

TRAINER_SECONDS = 8.0
"""What each trainer may take for all merges; `naive` needs it."""
SIZE_MERGES = 200
SIZE_SECONDS = 4.0
"""How many merges each makes on each part of the corpus, and how long it may take."""
MOST_BYTES = 4_000_000
"""Of a corpus with more bytes in its distinct pretokens a part is raced on: memory is finite."""
REST_SECONDS = 0.003
"""After each slice the screen has the interpreter for so long."""
NEWS_SECONDS = 1 / 5


class RaceJob(Job):
    """Races on the counts of a run.

    Attributes:
        part: the part of the corpus that is raced on.
        race: all merges on that part; `None` until it is known what to race on.
        sizes: a few merges on growing parts of it.
        complete: whether nothing is missing.
    """

    def __init__(
        self,
        config: RunConfig,
        counts: Mapping[bytes, int],
        post: Callable[[Message], object],
    ) -> None:
        super().__init__("race", post)
        self._config, self._counts = config, counts
        self.part = 1.0
        self.race: Race | None = None
        self.sizes: SizeRace | None = None
        self.complete = False

    @property
    def cancelled(self) -> bool:
        return self._cancelled.is_set()

    @property
    def runs(self) -> bool:
        """Whether there is more to come."""
        return not (self.complete or self.cancelled)

    def work(self) -> None:
        self.race, self.sizes = self._prepare()
        due = monotonic()
        for _ in chain(self.race.slices(), self.sizes.slices()):
            self.check_cancelled()
            if monotonic() >= due:
                self.post(messages.RaceRan())
                due = monotonic() + NEWS_SECONDS
            sleep(REST_SECONDS)
        self.complete = True
        self.post(messages.RaceRan())

    def failed(self, error: Exception) -> Message:
        return messages.JobFailed(error)

    def _prepare(self) -> tuple[Race, SizeRace]:
        config, counts = self._config, self._counts
        self.part = bearable_part(counts, MOST_BYTES)
        if self.part < 1:
            counts = sample(counts, self.part)
        course = Course(
            config.size,
            config.special_tokens,
            config.tie_rule,
            config.min_count,
            config.max_token_length,
            config.units,
            TRAINER_SECONDS,
        )
        first = len(UNITS[config.units].base(counts).tokens) + len(config.special_tokens)
        few = min(config.size, first + SIZE_MERGES)
        sizes = SizeRace(counts, replace(course, vocab_size=few, budget=SIZE_SECONDS))
        return Race(counts, course), sizes
