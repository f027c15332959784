"""`bpe-tui train --format counts`: the pretokens of a corpus and their counts in a file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path

from bpe_tui.cli import inputs, outputs
from bpe_tui.cli.progress import TrainingBar
from bpe_tui.session.config import RunConfig
from engine.core.events import CountProgress
from engine.core.files import write_files
from engine.counting.count import count_corpus
from engine.counting.counts_file import counts_of
from engine.text.corpus import Corpus

COUNTS = "counts"
"""The format of such a file, which opens like the corpus: on the screen, in train and in check."""


def write_counts(
    config: RunConfig, out: Path, workers: int | None, cluster: str | None, *, overwrite: bool
) -> None:
    """Count the pretokens of a corpus into a file.

    Args:
        cluster: the address of a Dask scheduler whose workers count; `None` to count here.
    """
    source = inputs.check_run(config)
    outputs.check_outputs([out], source, overwrite=overwrite)
    inputs.note_sizes(source)
    inputs.note_doubts(config.corpus, config.reading)
    cut = (config.pattern, config.special_tokens)
    with ExitStack() as opened:
        if cluster is None:
            content, skipped = _counted_here(source, *cut, workers)
        else:
            from engine.counting.cluster import counted_on  # Dask is slow to import

            with TrainingBar() as bar:
                counted = opened.enter_context(counted_on(cluster, source, *cut, bar.on_progress))
            content, skipped = counted.file(), counted.skipped
        write_files({out: content}, overwrite=overwrite)
    inputs.note_skipped(skipped)


def _counted_here(
    corpus: Corpus, pattern: str, special_tokens: Sequence[str], workers: int | None
) -> tuple[Iterator[bytes], int]:
    """Return the counts file, and the number of bad records that were left out."""
    bytes_read = 0
    with TrainingBar() as bar:

        def on_progress(progress: CountProgress) -> None:
            nonlocal bytes_read
            bytes_read = progress.bytes_read
            bar.on_progress(progress)

        count = count_corpus(
            corpus, pattern, special_tokens, workers, on_progress, on_chunk=bar.on_chunk
        )
        skipped = corpus.reader.skipped
    bar.print_chunks()
    content = counts_of(corpus, count, pattern, special_tokens, bytes_read)
    return content, skipped
