"""The counts of a corpus, for commands: as they were kept, or counted now and kept."""

from __future__ import annotations

from collections.abc import Callable

from bpe_tui.session.config import RunConfig
from engine.core.events import CountProgress
from engine.counting.cache import KeptCount
from engine.counting.count import CorpusCount, count_corpus
from engine.text.corpus import Corpus
from engine.text.patterns import Pattern


def counted(
    corpus: Corpus,
    config: RunConfig,
    workers: int | None = None,
    on_progress: Callable[[CountProgress], None] | None = None,
) -> CorpusCount:
    """The pretokens that a training asks for.

    Raises:
        CorpusError: the corpus cannot be read.
    """
    kept, cut = config.kept_count(corpus), (config.pattern, config.special_tokens)
    return counted_once(corpus, kept, *cut, workers, on_progress)


def counted_once(
    corpus: Corpus,
    kept: KeptCount,
    pattern: str | Pattern,
    special_tokens: tuple[str, ...],
    workers: int | None = None,
    on_progress: Callable[[CountProgress], None] | None = None,
) -> CorpusCount:
    """The same, cut in any way; `kept` is where it may have been kept."""
    count = kept.find()
    if count is None:
        count = count_corpus(corpus, pattern, special_tokens, workers, on_progress)
        kept.keep(count)
    return count
