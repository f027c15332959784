"""From a corpus to a trained model, for every model alike: read it, count it, make the steps.

Nothing here knows a screen. A `TrainingListener` is told how far the work is; a job posts that to a
screen, a command draws a bar, a transcript waits. What a listener raises stops the work and reaches
the caller: so a training is cancelled.

    corpus ──count──> CountedCorpus ──start──> Training ──pull its steps──> recording, stop reason
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from typing import Any, Protocol

from engine.core.errors import BpeError
from engine.core.events import CountProgress, WorkProgress
from engine.counting.cache import KeptCount
from engine.counting.count import count_corpus
from engine.counting.counts_file import CorpusCount
from engine.text.corpus import Corpus
from engine.text.excerpt import Excerpt
from engine.text.patterns import PatternLike
from engine.text.pretokenize import SpecialSplitter

NOT_KEPT = KeptCount(None)


@dataclass(frozen=True)
class CountedCorpus:
    """What a training starts from. Without a corpus there is nothing in it.

    Attributes:
        counts: pretoken → how often it occurs, in order of first appearance.
        documents, bytes_read: how many there are in the corpus.
        cut_head: cuts the beginning of the corpus into pretokens.
    """

    counts: Counter[bytes] = field(default_factory=Counter)
    documents: int = 0
    bytes_read: int = 0
    cut_head: Callable[[], Excerpt] = lambda: Excerpt.of(b"")

    @cached_property
    def excerpt(self) -> Excerpt:
        """The beginning of the corpus in pretokens; cut when first asked for."""
        return self.cut_head()


class StepMaker(Protocol):
    """What makes the steps: the trainer of a model, or a replay."""

    @property
    def stop_reason(self) -> Enum | None:
        """Why there are no more steps, once there are none."""

    def steps(self) -> Iterator[Any]:
        """The steps; between them a `WorkProgress` wherever they take long."""


@dataclass
class Training:
    """A model's trainer, and the recording of its steps.

    Args:
        trainer: makes the steps.
        record: makes the recording, which is at step 0 then; `None` where nobody wants one.
        begins_with: the trainer's own event before which there is no step 0, if it has such.

    Attributes:
        recording: the player of the steps, once there is one.
    """

    trainer: Any
    record: Callable[[], Any] | None = None
    begins_with: type[object] | None = None
    recording: Any = None

    @property
    def stop_reason(self) -> Enum:
        """Why training ended.

        Raises:
            BpeError: it has not.
        """
        maker: StepMaker = self.trainer
        if maker.stop_reason is None:
            raise BpeError("training ended without a reason")
        return maker.stop_reason

    def complete(self) -> Any:
        """The recording with all steps, where nobody else has added them; it stays at step 0."""
        self.recording.extend_to(len(self.recording.run.record))
        self.recording.complete()
        return self.recording


class TrainingListener:
    """Hears of a training, in this order. A subclass overrides what it wants to know."""

    def on_partial(self, count: CorpusCount) -> None:
        """The counts so far, after each chunk. Look at once: they change after the call."""

    def on_progress(self, progress: CountProgress) -> None:
        """How far the reading is, after each chunk."""

    def on_counted(self, corpus: CountedCorpus) -> None:
        """All of the corpus is counted."""

    def on_begun(self, training: Training, corpus: CountedCorpus) -> None:
        """There is a step 0, and the recording if one is wanted."""

    def on_work(self, work: WorkProgress) -> None:
        """How far the work on a step is, where steps take long."""

    def on_step(self, step: Any) -> None:
        """A step is made, and in the record."""

    def on_ended(self, training: Training) -> None:
        """No step will follow."""


def train_on_corpus(
    corpus: Corpus | None,
    pattern: PatternLike,
    special_tokens: Sequence[str],
    start: Callable[[CountedCorpus], Training],
    *,
    kept: KeptCount = NOT_KEPT,
    workers: int | None = None,
    listener: TrainingListener | None = None,
    splitter: SpecialSplitter | None = None,
) -> Training:
    """Read a corpus, count its pretokens, and make all steps of a training on them.

    Args:
        corpus: what to train on; `None` to go through a tokenizer's merges without one.
        pattern, special_tokens: what cuts the corpus into pretokens.
        start: makes the training from the counts.
        kept: where the count may be found from an earlier run, and is kept for a later one.
        workers: how many count at once; by default one a core.
        listener: is told how far it is.
        splitter: what cuts special tokens out, where there is more to it; see `count_corpus`.

    Returns:
        the training, with its steps made.

    Raises:
        BpeError: the corpus cannot be read, or `start` refuses what it has to train with.
    """
    listener = listener or TrainingListener()
    counted, count = CountedCorpus(), None
    if corpus is not None:
        bytes_read = corpus.bytes_total or 0  # of a kept count, whose corpus is not read

        def on_progress(progress: CountProgress) -> None:
            nonlocal bytes_read
            bytes_read = progress.bytes_read
            listener.on_progress(progress)

        count = find_or_count(
            *(corpus, pattern, special_tokens, kept, workers),
            *(on_progress, listener.on_partial, splitter),
        )
        counted = CountedCorpus(
            *(count.counts, count.documents, bytes_read),
            lambda: Excerpt.of(
                *(corpus.head, pattern, special_tokens),
                complete=corpus.head_is_all,
                splitter=splitter,
                examples=corpus.examples,
            ),
        )
        listener.on_counted(counted)
    training = start(counted)
    _make_steps(training, counted, listener)
    listener.on_ended(training)
    if count is not None:
        kept.keep(count)  # at last: nobody waits for it now
    return training


def find_or_count(
    corpus: Corpus,
    pattern: PatternLike,
    special_tokens: Sequence[str],
    kept: KeptCount,
    workers: int | None = None,
    on_progress: Callable[[CountProgress], None] | None = None,
    on_partial: Callable[[CorpusCount], None] | None = None,
    splitter: SpecialSplitter | None = None,
) -> CorpusCount:
    """The count of a corpus, as it was kept or made now. Who wants to keep it does so then."""
    if (found := kept.find()) is not None:
        corpus.read_head()
        return found
    return count_corpus(corpus, pattern, special_tokens, workers, on_progress, on_partial, splitter)


def _make_steps(training: Training, counted: CountedCorpus, listener: TrainingListener) -> None:
    def begin() -> None:
        if training.record is not None:
            training.recording = training.record()
        listener.on_begun(training, counted)

    if training.begins_with is None:
        begin()
    for event in training.trainer.steps():
        if type(event) is WorkProgress:
            listener.on_work(event)
        elif type(event) is training.begins_with:
            begin()
        else:
            listener.on_step(event)
