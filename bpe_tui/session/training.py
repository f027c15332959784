"""Training a model on a corpus, and replaying a tokenizer's merges, as a config says.

The job behind the screen, `--plain` and the command `train` all call these functions; only their
listeners differ. To cancel a training, the listener raises an error, which stops the work and
reaches the caller.

    corpus ──count──> CountedCorpus ──start──> Training ──pull its steps──> recording, stop reason
"""

from __future__ import annotations

from dataclasses import replace
from enum import Enum
from functools import partial
from typing import TYPE_CHECKING, Any

from bpe_tui.session.config import RunConfig, TokenizerConfig
from bpe_tui.session.models import model_of
from bpe_tui.widgets.numbers import size
from engine.core.errors import BpeError, CorpusError
from engine.core.events import WorkProgress
from engine.core.systems import memory_of_machine
from engine.counting.count import CorpusCount, count_corpus
from engine.recording.training_input import CountedCorpus
from engine.text.corpus import Corpus, separator_of
from engine.text.patterns import as_pattern

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from engine.core.events import CountProgress
    from engine.formats.tokenizer_format import Opened
    from engine.text.excerpt import Excerpt
    from engine.text.patterns import PatternLike
    from engine.text.pretokenize import SpecialSplitter


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
    """A receiver of a training's events, in this order. A subclass overrides what it needs.

    Attributes:
    """

    def on_opened(self, opened: Opened) -> None:
        """Receive a tokenizer that has been read, before its merges are replayed."""

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


def train(
    config: RunConfig,
    listener: TrainingListener | None = None,
    corpus: Corpus | None = None,
    *,
    workers: int | None = None,
    recorded: bool = True,
) -> Training:
    """Train the model that `config` names on its corpus.

    Args:
        listener: gets the progress; an exception that it raises stops the work.
        corpus: the corpus of `config`, if it is open already.
        workers: number of workers that count; by default one a core.
        recorded: whether to keep a recording.

    Raises:
        BpeError: the corpus cannot be read, or the options contradict each other.
    """
    make = model_of(config).part("training").start

    def start(corpus: CountedCorpus) -> Training:
        _check_fits(corpus.counts)
        training: Training = make(config, corpus)
        if not recorded:
            training.record = None
        return training

    corpus, cut = corpus or config.open_corpus(), (config.pattern, config.special_tokens)
    return train_on_corpus(
        corpus, *cut, start, workers=workers, listener=listener or TrainingListener()
    )


MEMORY_A_BYTE = 32
"""Bytes of memory that a trainer takes at least for each byte of the longest pretoken."""


def _check_fits(counts: Mapping[bytes, int]) -> None:
    """Raise `CorpusError` for a pretoken whose training would not fit into this machine."""
    needed = max(map(len, counts), default=0) * MEMORY_A_BYTE
    if needed > (memory_of_machine() or needed):
        raise CorpusError(
            f"the pattern leaves {size(needed // MEMORY_A_BYTE)} uncut: training takes at least "
            f"{size(needed)} of memory, more than this machine has; another pattern cuts it"
        )


def open_continuable(config: TokenizerConfig) -> Opened:
    """Open the tokenizer of `config`, and check that it can go on as `config` asks.

    Raises:
        TokenizerFileError: the files are no tokenizer.
        BpeError: no merges can be learnt after its own, or there is no corpus to learn them from.
    """
    from engine.formats import open_tokenizer  # the formats take their time to import

    opened = open_tokenizer(
        *config.paths, special_tokens=config.special_tokens, pattern=config.pattern
    )
    if config.continued is not None:
        from engine.bpe.continuation import check_continuable

        check_continuable(opened.tokenizer, config.continued)
        if config.corpus is None:
            raise CorpusError("new merges are learnt from a text: name a CORPUS")
    return opened


def replay(
    config: TokenizerConfig,
    listener: TrainingListener,
    *,
    workers: int | None = None,
    recorded: bool = True,
) -> Training:
    """Open a tokenizer; replay its merges over its corpus, and learn more if `config` says so.

    Args:
        listener: gets the progress; an exception that it raises stops the work.
        workers: number of workers that count; by default one a core.
        recorded: whether to keep a recording; without one new merges are learnt only.

    Raises:
        TokenizerFileError: the files are no tokenizer.
        BpeError: the corpus cannot be read, or no merges can be learnt.
    """
    from engine.bpe.continuation import Continuation, ContinuedReplay, Learnt
    from engine.bpe.replay import Replay

    opened = open_continuable(config)
    tokenizer = opened.tokenizer
    corpus = None
    if config.corpus is not None:
        separator = separator_of(list(tokenizer.special_tokens))
        corpus = Corpus(config.corpus, config.reading, separator)
    listener.on_opened(opened)

    def start(counted: CountedCorpus) -> Training:
        if config.continued is None:
            made = Replay(tokenizer, counted.counts, counted.excerpt)
            return Training(made, lambda: made.timeline)
        training = Continuation(
            tokenizer,
            counted.counts,
            config.continued,
            tie_rule=config.tie_rule,
            min_count=config.min_count,
        )
        if not recorded:
            return Training(training)
        longer = ContinuedReplay(training, counted.counts, counted.excerpt)
        return Training(longer, lambda: longer.timeline, begins_with=Learnt)

    cut, splitter = (tokenizer.pattern, tokenizer.special_tokens), tokenizer.rules.splitter
    return train_on_corpus(
        corpus, *cut, start, workers=workers, listener=listener, splitter=splitter
    )


def train_on_corpus(
    corpus: Corpus | None,
    pattern: PatternLike,
    special_tokens: Sequence[str],
    start: Callable[[CountedCorpus], Training],
    *,
    listener: TrainingListener,
    workers: int | None = None,
    splitter: SpecialSplitter | None = None,
) -> Training:
    """Read a corpus, count its pretokens, and make all steps of a training on them.

    Args:
        corpus: the corpus; `None` to replay a tokenizer's merges without one.
        pattern, special_tokens: cut the corpus into pretokens.
        start: makes the training from the counts.
        listener: receives the events.
        workers: number of workers that count; by default one for each core.
        splitter: cuts special tokens out, if that needs more than their list; see `count_corpus`.

    Raises:
        BpeError: the corpus cannot be read, or `start` refuses the counts.
    """
    counted = CountedCorpus()
    if corpus is not None:
        count = count_corpus(
            corpus, pattern, special_tokens, workers, listener.on_progress, splitter
        )
        counted = CountedCorpus(
            count.counts,
            count.documents,
            corpus.reader.taken,
            partial(_cut_head, corpus, pattern, special_tokens, splitter),
        )
        listener.on_counted(counted)
    training = start(counted)
    _make_steps(training, counted, listener)
    listener.on_ended(training)
    return training


def _cut_head(
    corpus: Corpus,
    pattern: PatternLike,
    special_tokens: Sequence[str],
    splitter: SpecialSplitter | None,
) -> Excerpt:
    """Cut the beginning of a corpus, which has been read, into pretokens."""
    from engine.text.excerpt import Excerpt  # a training without a screen does without it

    return Excerpt.of(
        corpus.head, pattern, special_tokens, complete=corpus.head_is_all, splitter=splitter
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


def count_corpus_of(
    config: RunConfig, on_progress: Callable[[CountProgress], None] | None = None
) -> tuple[Corpus, CorpusCount]:
    """Count the corpus of `config`.

    Raises:
        CorpusError: the corpus cannot be read.
    """
    corpus, cut = config.open_corpus(), (config.pattern, config.special_tokens)
    return corpus, count_corpus(corpus, *cut, on_progress=on_progress)


def recut(config: RunConfig, pattern: PatternLike) -> CountedCorpus:
    """Return the corpus of `config` as another pattern cuts it.

    Raises:
        CorpusError: the corpus cannot be read.
    """
    name = pattern if isinstance(pattern, str) else as_pattern(pattern).source
    corpus, count = count_corpus_of(replace(config, phases="", pattern=name))
    cut = partial(_cut_head, corpus, pattern, config.special_tokens, None)
    return CountedCorpus(count.counts, count.documents, cut_head=cut)
