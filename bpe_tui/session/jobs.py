"""The work beside the screen: read the corpus, count it, train."""

from __future__ import annotations

import threading
from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import Enum
from time import monotonic, sleep

from textual.message import Message

from bpe_tui.session import messages
from bpe_tui.session.config import RunConfig
from bpe_tui.session.job import Job
from bpe_tui.session.protocols import Playable
from bpe_tui.session.recent_files import remember
from engine.alphabets.merging import count_pairs
from engine.alphabets.units import DEFAULT_UNITS, UNITS, Units
from engine.core.errors import BpeError
from engine.core.events import CountProgress
from engine.counting.cache import KeptCount
from engine.counting.count import CorpusCount, count_corpus
from engine.text.corpus import Corpus
from engine.text.excerpt import Excerpt
from engine.text.patterns import Pattern

BATCH_SECONDS = 1 / 30
MOST_AT_ONCE = 4000
"""Steps in a batch; taking in more would keep the screen from a key."""
READING_SECONDS = 1 / 10
PREVIEW_SECONDS = 1 / 2
SHOWN_SECONDS = 1.0
"""How long training waits for the first frame, at the most."""
SETTLE_SECONDS = 0.1
"""How long it leaves the screen alone after that."""
PREVIEW_PAIRS = 10
PREVIEW_PRETOKENS = 20_000
"""Pretokens that the preview looks at; the frequent ones come early in any text."""


class CorpusJob(Job):
    """What reads a corpus and records steps, with news a few times a second."""

    def __init__(self, name: str, post: Callable[[Message], object]) -> None:
        super().__init__(name, post)
        self._shown = threading.Event()

    def go_on(self) -> None:
        """Record steps: the corpus is on the screen."""
        self._shown.set()

    def failed(self, error: Exception) -> Message:
        return messages.JobFailed(error)

    def read(
        self,
        corpus: Corpus,
        kept: KeptCount,
        pattern: str | Pattern,
        special: Sequence[str],
        units: Units = UNITS[DEFAULT_UNITS],
    ) -> tuple[CorpusCount, int]:
        """The counts of the corpus, perhaps as they were kept, and how many bytes it has."""
        if (found := kept.find()) is not None:
            corpus.read_head()
            return found, corpus.bytes_total or 0
        progress = _ReadingProgress(self.post, self.check_cancelled, units)
        count = count_corpus(
            corpus,
            pattern,
            special,
            on_progress=progress.on_progress,
            on_partial=progress.on_partial,
        )
        return count, progress.bytes_read

    def record(self, steps: Iterator[object]) -> None:
        """Make the steps, and post them in batches."""
        batch: list[object] = []
        due = monotonic()
        for step in steps:
            self.check_cancelled()
            batch.append(step)
            if monotonic() >= due or len(batch) == MOST_AT_ONCE:
                self.post(messages.StepsRecorded(batch))
                batch = []
                self.let_screen_come_first()
                due = monotonic() + BATCH_SECONDS
        self.post(messages.StepsRecorded(batch))

    def let_screen_come_first(self) -> None:
        """Once there is a step to go to, wait for the first frame and the first key.

        Two threads share one interpreter: training would take half of the screen's time.
        """
        if not self._shown.is_set():
            self._shown.wait(SHOWN_SECONDS)
            sleep(SETTLE_SECONDS)


class TrainingJob(CorpusJob):
    """Reads a corpus and trains a model on it, as `config` says."""

    def __init__(self, config: RunConfig, post: Callable[[Message], object]) -> None:
        super().__init__("training", post)
        self.config = config

    @property
    def units(self) -> Units:
        """What the pairs are of that are shown while the corpus is read."""
        return UNITS[DEFAULT_UNITS]

    @abstractmethod
    def train(
        self, counts: Mapping[bytes, int], excerpt: Excerpt, begin: Callable[[Playable], None]
    ) -> Enum | None:
        """Train on these pretokens; why it ended.

        `begin` is told of the recording before the first step is posted.
        """

    def work(self) -> None:
        config, corpus = self.config, Corpus(self.config.corpus)
        kept = config.kept_count(corpus)
        count, bytes_read = self.read(
            corpus, kept, config.pattern, config.special_tokens, self.units
        )
        self.post(messages.Indexing(len(count.counts)))

        def begin(recording: Playable) -> None:
            self.post(messages.TrainingStarted(recording, count.documents, bytes_read))
            remember(config)

        cut = config.pattern, config.special_tokens
        excerpt = Excerpt.of(corpus.head, *cut, complete=corpus.head_is_all)
        reason = self.train(count.counts, excerpt, begin)
        if reason is None:
            raise BpeError("training ended without a reason")
        self.post(messages.TrainingEnded(reason))
        kept.keep(count)  # now that nobody waits for it


class _ReadingProgress:
    """Turns the counting's callbacks into a few messages a second, with a look at the pairs."""

    def __init__(
        self,
        post: Callable[[Message], object],
        check_cancelled: Callable[[], None],
        units: Units,
    ) -> None:
        self._post = post
        self._check_cancelled = check_cancelled
        self._units = units
        self._started = monotonic()
        self._next_message = self._started
        self._next_preview = self._started
        self._pairs: list[tuple[bytes, bytes, int]] = []
        self.bytes_read = 0

    def on_partial(self, count: CorpusCount) -> None:
        if monotonic() < self._next_preview:
            return
        base = self._units.base(count.earliest(PREVIEW_PRETOKENS))
        words = map(base.alphabet.spell, base.counts)
        pairs = count_pairs(words, base.counts.values())
        best = sorted(pairs, key=pairs.__getitem__, reverse=True)[:PREVIEW_PAIRS]
        shown = base.tokens
        self._pairs = [(shown[pair[0]], shown[pair[1]], pairs[pair]) for pair in best]
        self._next_preview = monotonic() + PREVIEW_SECONDS

    def on_progress(self, progress: CountProgress) -> None:
        self._check_cancelled()
        self.bytes_read = progress.bytes_read
        now = monotonic()
        if now >= self._next_message:
            rate = progress.bytes_read / max(now - self._started, 1e-6)
            self._post(messages.Reading(progress, rate, self._pairs))
            self._next_message = now + READING_SECONDS
