"""The work behind the race screen: trainers one after the other, in a thread.

As the training job, it runs in a daemon thread and speaks only through messages. What it fills, the
race and its sizes, may be read meanwhile: both only grow.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import chain
from time import monotonic, sleep

from textual.message import Message

from bpe_tui import messages
from bpe_tui.config import RunConfig
from engine.race import Course, Race, SizeRace, bearable_part, sample
from engine.trainer import base_vocab

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


class RaceJob:
    """Races on the counts of a run; `post` takes the messages.

    Attributes:
        part: the part of the corpus that is raced on.
        race: all merges on that part; `None` until it is known what to race on.
        sizes: a few merges on growing parts of it.
        ended, complete: whether nothing more comes, and whether nothing is missing.
    """

    def __init__(
        self,
        config: RunConfig,
        counts: Mapping[bytes, int],
        post: Callable[[Message], object],
    ) -> None:
        self._config, self._counts, self._post = config, counts, post
        self.part = 1.0
        self.race: Race | None = None
        self.sizes: SizeRace | None = None
        self.ended = self.complete = False
        self._cancelled = threading.Event()
        self._thread = threading.Thread(target=self._run, name="race", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def cancel(self) -> None:
        """Ask the job to stop; it does so within a slice or a step."""
        self._cancelled.set()

    @property
    def cancelled(self) -> bool:
        return self._cancelled.is_set()

    def _run(self) -> None:
        try:
            self._race()
        except Exception as error:
            self._post(messages.JobFailed(error))

    def _prepare(self) -> tuple[Race, SizeRace]:
        config, counts = self._config, self._counts
        self.part = bearable_part(counts, MOST_BYTES)
        if self.part < 1:
            counts = sample(counts, self.part)
        course = Course(
            config.vocab_size,
            config.special_tokens,
            config.tie_rule,
            config.min_count,
            config.max_token_length,
            TRAINER_SECONDS,
        )
        few = min(config.vocab_size, len(base_vocab(config.special_tokens)) + SIZE_MERGES)
        sizes = SizeRace(counts, replace(course, vocab_size=few, budget=SIZE_SECONDS))
        return Race(counts, course), sizes

    def _race(self) -> None:
        self.race, self.sizes = self._prepare()
        due = monotonic()
        for _ in chain(self.race.slices(), self.sizes.slices()):
            if self.cancelled:
                break
            if monotonic() >= due:
                self._post(messages.RaceRan())
                due = monotonic() + NEWS_SECONDS
            sleep(REST_SECONDS)
        else:
            self.complete = True
        self.ended = True
        self._post(messages.RaceRan())
