"""Training a model on a corpus, and replaying a tokenizer's merges, as a config says.

The job behind the screen, `--plain` and the command `train` all call these functions; only their
listeners differ.
"""

from __future__ import annotations

import os
from dataclasses import replace
from functools import cached_property, partial
from typing import TYPE_CHECKING

from platformdirs import user_cache_path

from bpe_tui.session.config import Config, RunConfig, TokenizerConfig
from bpe_tui.session.models import model_of
from bpe_tui.widgets.numbers import size
from engine.core.errors import CorpusError
from engine.core.systems import memory_of_machine
from engine.counting.cache import KeptCount
from engine.counting.chunk_boundaries import CourseCuts, course_cuts
from engine.counting.chunk_log import ChunkLog
from engine.counting.plain import CorpusCount
from engine.recording.training import (
    CountedCorpus,
    CountOrigin,
    Training,
    TrainingListener,
    cut_head,
    find_or_count,
    train_on_corpus,
)
from engine.text.corpus import Corpus, separator_of
from engine.text.patterns import as_pattern

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from engine.core.events import ChunkCounted, CountProgress
    from engine.formats.tokenizer_format import Opened
    from engine.text.patterns import Pattern, PatternLike


class OpeningListener(TrainingListener):
    """A listener that also gets the tokenizer before its merges are replayed.

    Attributes:
        chunks: the chunks that were counted.
        origin: the origin of the counts; `None` without a corpus, or until it is counted.
    """

    origin: CountOrigin | None = None

    @cached_property
    def chunks(self) -> ChunkLog:
        return ChunkLog()

    def on_chunk(self, chunk: ChunkCounted) -> None:
        self.chunks.add(chunk)

    def on_counted(self, corpus: CountedCorpus) -> None:
        self.origin = corpus.origin

    def on_opened(self, opened: Opened) -> None:
        """Take the tokenizer, which has been read."""


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
    kept = _kept_count(corpus, *cut)
    return train_on_corpus(corpus, *cut, start, kept=kept, workers=workers, listener=listener)


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
    listener: OpeningListener,
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
    # The cache knows pattern and special tokens only: other splitters count every time.
    is_kept = corpus is not None and splitter.by_pieces
    kept = _kept_count(corpus, *cut) if corpus and is_kept else KeptCount(None)
    return train_on_corpus(
        corpus, *cut, start, kept=kept, workers=workers, listener=listener, splitter=splitter
    )


def count_corpus_of(
    config: RunConfig, on_progress: Callable[[CountProgress], None] | None = None
) -> tuple[Corpus, CorpusCount]:
    """Count the corpus of `config`, and keep the count for the next time.

    Raises:
        CorpusError: the corpus cannot be read.
    """
    corpus, cut = config.open_corpus(), (config.pattern, config.special_tokens)
    kept = _kept_count(corpus, *cut)
    found = find_or_count(corpus, *cut, kept, on_progress=on_progress)
    kept.keep(found)
    return corpus, found


def recut(config: RunConfig, pattern: PatternLike) -> CountedCorpus:
    """Return the corpus of `config` as another pattern cuts it.

    Raises:
        CorpusError: the corpus cannot be read.
    """
    name = pattern if isinstance(pattern, str) else as_pattern(pattern).source
    corpus, count = count_corpus_of(replace(config, pattern=name))
    cut = partial(cut_head, corpus, pattern, config.special_tokens, None)
    return CountedCorpus(count.counts, count.documents, cut_head=cut)


def course_cuts_of(
    config: Config, special_tokens: Sequence[str] | None, parts: int
) -> CourseCuts | CorpusError:
    """Return how the course's function cuts the corpus of `config`, or why it cannot.

    Args:
        special_tokens: those of an open tokenizer; `None` for the config's own.
        parts: the number of chunks to ask for.
    """
    tokens = config.special_tokens if special_tokens is None else special_tokens
    try:
        if config.from_input:
            raise CorpusError("standard input has been read to its end")
        if isinstance(config, RunConfig):
            corpus = config.open_corpus()
        elif config.corpus is None:
            raise CorpusError("no corpus is open")
        else:
            corpus = Corpus(config.corpus, config.reading)
        return course_cuts(corpus, tokens or (), parts)
    except CorpusError as error:
        return error


SWITCH = "BPE_TUI_CACHE"
"""The environment variable that keeps no counts, and finds none: `BPE_TUI_CACHE=no`."""


def _kept_count(corpus: Corpus, pattern: str | Pattern, special_tokens: Sequence[str]) -> KeptCount:
    """Return the place of a corpus's count in the user's cache."""
    if os.environ.get(SWITCH) == "no":
        return KeptCount(None)
    directory = user_cache_path("bpe-tui", appauthor=False)
    return KeptCount.of(directory, corpus, pattern, special_tokens)
