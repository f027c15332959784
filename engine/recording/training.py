"""Training of any model on a corpus: read the corpus, count it, make the steps.

Nothing here knows a screen. A `TrainingListener` receives the progress: a job posts it to a screen,
a command draws a bar, a transcript waits. To cancel a training, the listener raises an error, which
stops the work and reaches the caller.

    corpus ──count──> CountedCorpus ──start──> Training ──pull its steps──> recording, stop reason
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from functools import cached_property, partial
from operator import mul
from typing import TYPE_CHECKING, Any

from engine.core.arguments import is_whole
from engine.core.errors import BpeError, CountsError, VocabSizeError
from engine.core.events import ChunkCounted, CountProgress, WorkProgress
from engine.counting.count import count_corpus
from engine.counting.plain import CorpusCount
from engine.text.corpus import Corpus
from engine.text.patterns import PatternLike
from engine.text.pretokenize import SpecialSplitter

if TYPE_CHECKING:
    from engine.counting.cache import KeptCount
    from engine.text.excerpt import Excerpt

LARGEST_VOCABULARY = 2**31 - 1
"""Largest size of a vocabulary that can be asked for: an id is a signed integer of 32 bits."""

LONGEST_COUNTED = 2**63
"""The first length of a text that is too long to count: counts are kept in 64 bits."""


def check_size(vocab_size: int) -> None:
    """Raise `VocabSizeError` if no vocabulary can have this size.

    Each trainer also has a smallest size, that of its tokens before the first step.
    """
    if not is_whole(vocab_size):
        raise VocabSizeError(
            f"the size of a vocabulary is a whole number, and this is {vocab_size!r}"
        )
    if vocab_size > LARGEST_VOCABULARY:
        raise VocabSizeError(
            f"a vocabulary has at most {LARGEST_VOCABULARY:,} tokens; ask for fewer"
        )


def check_counts(counts: Mapping[Any, int], kind: type[bytes] | type[str] = bytes) -> None:
    """Raise `CountsError` unless pretokens are of a kind and sums of counts fit into 64 bits."""
    if {*map(type, counts.values())} - {int} and not all(map(is_whole, counts.values())):
        raise CountsError("a count is no whole number; count how often each pretoken occurs")
    if not set(map(type, counts)) <= {kind}:
        raise CountsError("pretokens are all bytes, of Unigram all texts; these are not")
    if min(counts.values(), default=0) < 0:
        raise CountsError("a count is negative; leave out what does not occur")
    length = sum(map(mul, counts.values(), map(len, counts)))
    if length >= LONGEST_COUNTED:
        raise CountsError(
            f"the counts stand for a text of {length:,} bytes or characters, and sums of them "
            f"are kept in 64 bits; divide the counts until it is below {LONGEST_COUNTED:,}"
        )


class CountOrigin(Enum):
    """The origin of the counts of a corpus; the value says it in words."""

    COUNTED = "counted now"
    KEPT = "kept from an earlier run"
    FILE = "from a counts file"


class CountedCorpus:
    """The counts that a training starts from; empty if there is no corpus.

    Attributes:
        counts: pretoken → number of occurrences, in order of first appearance.
        documents, bytes_read: their numbers in the corpus.
        cut_head: cuts the beginning of the corpus into pretokens; `None` without a corpus.
        origin: whether the text was counted for this training.
    """

    def __init__(
        self,
        counts: Counter[bytes] | None = None,
        documents: int = 0,
        bytes_read: int = 0,
        cut_head: Callable[[], Excerpt] | None = None,
        origin: CountOrigin = CountOrigin.COUNTED,
    ) -> None:
        self.counts: Counter[bytes] = Counter() if counts is None else counts
        self.documents, self.bytes_read = documents, bytes_read
        self.cut_head, self.origin = cut_head, origin

    @cached_property
    def excerpt(self) -> Excerpt:
        """The beginning of the corpus in pretokens, cut at first use."""
        from engine.text.excerpt import Excerpt  # as below

        return Excerpt.of(b"") if self.cut_head is None else self.cut_head()


class Training:
    """A model's trainer, and the recording of its steps.

    Args:
        trainer: the trainer of a model, or a replay. `steps()` yields its steps, and a
            `WorkProgress` between slow steps; `stop_reason` is `None` until the last step.
        record: makes the recording, which is at step 0 then; `None` if no recording is needed.
        begins_with: the type of the trainer's event that precedes step 0; `None` if it has none.

    Attributes:
        recording: the player of the steps, once it is made.
    """

    def __init__(
        self,
        trainer: Any,
        record: Callable[[], Any] | None = None,
        begins_with: type[object] | None = None,
    ) -> None:
        self.trainer, self.record, self.begins_with = trainer, record, begins_with
        self.recording: Any = None

    @property
    def stop_reason(self) -> Enum:
        """The reason why training ended.

        Raises:
            BpeError: training has not ended.
        """
        reason: Enum | None = self.trainer.stop_reason
        if reason is None:
            raise BpeError("training ended without a reason")
        return reason

    def complete(self) -> Any:
        """Add all recorded steps to the recording and return it; its cursor stays at step 0."""
        self.recording.extend_to(len(self.recording.run.record))
        self.recording.complete()
        return self.recording


class TrainingListener:
    """A receiver of a training's events, in this order. A subclass overrides what it needs."""

    def on_chunk(self, chunk: ChunkCounted) -> None:
        """Receive each chunk that was counted; none if the counts were there already."""

    def on_progress(self, progress: CountProgress) -> None:
        """Receive the progress of reading, after each chunk."""

    def on_counted(self, corpus: CountedCorpus) -> None:
        """Receive the counts of the whole corpus."""

    def on_begun(self, training: Training, corpus: CountedCorpus) -> None:
        """Receive the training at step 0, with its recording if there is one."""

    def on_work(self, work: WorkProgress) -> None:
        """Receive the progress of the work on a slow step."""

    def on_step(self, step: Any) -> None:
        """Receive a step, which is in the record already."""

    def on_ended(self, training: Training) -> None:
        """Receive the training after its last step."""


def train_on_corpus(
    corpus: Corpus | None,
    pattern: PatternLike,
    special_tokens: Sequence[str],
    start: Callable[[CountedCorpus], Training],
    *,
    kept: KeptCount | None = None,
    workers: int | None = None,
    listener: TrainingListener | None = None,
    splitter: SpecialSplitter | None = None,
) -> Training:
    """Read a corpus, count its pretokens, and make all steps of a training on them.

    Args:
        corpus: the corpus; `None` to replay a tokenizer's merges without one.
        pattern, special_tokens: cut the corpus into pretokens.
        start: makes the training from the counts.
        kept: the stored count of an earlier run; a new count is stored there. `None` stores none.
        workers: number of workers that count; by default one for each core.
        listener: receives the events.
        splitter: cuts special tokens out, if that needs more than their list; see `count_corpus`.

    Returns:
        the training, with its steps made.

    Raises:
        BpeError: the corpus cannot be read, or `start` refuses the counts.
    """
    listener = listener or TrainingListener()
    counted, count = CountedCorpus(), None
    if corpus is not None:
        bytes_read = corpus.reader.total or 0  # for a stored count, whose corpus is not read

        def on_progress(progress: CountProgress) -> None:
            nonlocal bytes_read
            bytes_read = progress.bytes_read
            listener.on_progress(progress)

        origin = CountOrigin.FILE if corpus.holds_counts else CountOrigin.KEPT

        def on_chunk(chunk: ChunkCounted) -> None:
            nonlocal origin
            origin = CountOrigin.COUNTED
            listener.on_chunk(chunk)

        count = find_or_count(
            corpus,
            pattern,
            special_tokens,
            kept,
            workers,
            on_progress=on_progress,
            splitter=splitter,
            on_chunk=on_chunk,
        )
        counted = CountedCorpus(
            count.counts,
            count.documents,
            bytes_read,
            cut_head=partial(cut_head, corpus, pattern, special_tokens, splitter),
            origin=origin,
        )
        listener.on_counted(counted)
    training = start(counted)
    _make_steps(training, counted, listener)
    listener.on_ended(training)
    if kept is not None and count is not None:
        kept.keep(count)  # last, so that nothing waits for it
    return training


def cut_head(
    corpus: Corpus,
    pattern: PatternLike,
    special_tokens: Sequence[str],
    splitter: SpecialSplitter | None,
) -> Excerpt:
    """Cut the beginning of a corpus, which has been read, into pretokens."""
    from engine.text.excerpt import Excerpt  # a training without a screen does without it

    return Excerpt.of(
        corpus.head,
        pattern,
        special_tokens,
        complete=corpus.head_is_all,
        splitter=splitter,
    )


def find_or_count(
    corpus: Corpus,
    pattern: PatternLike,
    special_tokens: Sequence[str],
    kept: KeptCount | None,
    workers: int | None = None,
    on_progress: Callable[[CountProgress], None] | None = None,
    splitter: SpecialSplitter | None = None,
    on_chunk: Callable[[ChunkCounted], None] | None = None,
) -> CorpusCount:
    """Return the stored count of a corpus, or count it now; a new count is not stored."""
    if kept is not None and (found := kept.find()) is not None:
        corpus.read_head()
        return found
    return count_corpus(
        corpus,
        pattern,
        special_tokens,
        workers,
        on_progress=on_progress,
        splitter=splitter,
        on_chunk=on_chunk,
    )


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
