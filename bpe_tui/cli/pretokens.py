"""`bpe-tui pretokens`: count a corpus once, into a file that opens in its place."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import typer

from bpe_tui.cli.console import PROGRAM, write_result
from bpe_tui.cli.inputs import CommandLineError, check_run, note_sizes, note_skipped
from bpe_tui.cli.options import (
    OUTPUT,
    TRAINING,
    FieldOption,
    NoSpecialOption,
    PatternOption,
    SkipBadOption,
    SourcesArgument,
    SpecialOption,
    WorkersOption,
    asked_of,
    reading_of,
    run_of,
)
from bpe_tui.cli.outputs import check_outputs
from bpe_tui.cli.program import GroupedHelp, app, examples
from bpe_tui.cli.train import TrainingBar
from bpe_tui.session.config import RunConfig, as_counted
from engine.core.events import CountProgress
from engine.core.files import write_files
from engine.counting.count import count_corpus
from engine.counting.counts_file import counts_of
from engine.counting.examples import examples_for
from engine.text.corpus import Corpus
from engine.text.sources import STANDARD_INPUT


@app.command(
    cls=GroupedHelp,
    epilog=examples(
        f"{PROGRAM} pretokens texts/ --out texts.counts",
        f"{PROGRAM} texts.counts",
        f"{PROGRAM} pretokens texts/ --out texts.counts --cluster tcp://10.0.0.1:8786",
    ),
)
def pretokens(
    context: typer.Context,
    corpus: SourcesArgument,
    out: Annotated[
        Path,
        typer.Option(
            "--out",
            metavar="FILE.counts",
            help="Where the counts go.",
            rich_help_panel=OUTPUT,
        ),
    ],
    force: Annotated[
        bool,
        typer.Option("--force", help="Overwrite a file that is there.", rich_help_panel=OUTPUT),
    ] = False,
    special: SpecialOption = None,
    no_special: NoSpecialOption = False,
    pattern: PatternOption = RunConfig.pattern,
    field: FieldOption = None,
    skip_bad: SkipBadOption = False,
    workers: WorkersOption = None,
    cluster: Annotated[
        str | None,
        typer.Option(
            "--cluster",
            metavar="tcp://HOST:PORT|local:N",
            help="Count on the workers of a Dask scheduler, or in N processes here.",
            rich_help_panel=TRAINING,
            show_default=False,
        ),
    ] = None,
) -> None:
    """Count the pretokens of a corpus into a file.

    The file opens like the corpus: on the screen, in train and in check.
    """
    if str(out) == STANDARD_INPUT:
        raise CommandLineError("--out names the file of counts; - is none")
    config = run_of(context, corpus[0], reading=reading_of(corpus[1:], field, skip_bad))
    config = as_counted(config, asked_of(context))
    source = check_run(config)
    check_outputs([out], source, overwrite=force)
    note_sizes(source)
    cut = (config.pattern, config.special_tokens)
    with ExitStack() as opened:
        if cluster is None:
            content, skipped = _counted_here(source, *cut, workers)
        else:
            from engine.counting.cluster import counted_on  # Dask is slow to import

            with TrainingBar() as bar:
                counted = opened.enter_context(
                    counted_on(cluster, source, *cut, bar.on_progress, bar.on_work)
                )
            content, skipped = counted.file(), counted.skipped
        write_files({out: content}, overwrite=force)
    note_skipped(skipped)
    write_result(os.fsencode(out) + b"\n")


def _counted_here(
    corpus: Corpus, pattern: str, special_tokens: Sequence[str], workers: int | None
) -> tuple[Iterator[bytes], int]:
    """The counts file, and how many bad records were left out."""
    bytes_read = 0
    with TrainingBar() as bar:

        def on_progress(progress: CountProgress) -> None:
            nonlocal bytes_read
            bytes_read = progress.bytes_read
            bar.on_progress(progress)

        count = count_corpus(corpus, pattern, special_tokens, workers, on_progress)
        skipped = corpus.skipped
        examples = examples_for(corpus, count, pattern, special_tokens, bar.on_work)
    content = counts_of(corpus, count, pattern, special_tokens, bytes_read, examples)
    return content, skipped
