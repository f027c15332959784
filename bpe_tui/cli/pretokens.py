"""`bpe-tui pretokens`: count a corpus once, into a file that opens in its place."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from bpe_tui.cli.console import PROGRAM, STANDARD_INPUT, write_result
from bpe_tui.cli.inputs import CommandLineError, check_run, note, note_sizes
from bpe_tui.cli.options import (
    OUTPUT,
    FieldOption,
    NoSpecialOption,
    PatternOption,
    SkipBadOption,
    SourcesArgument,
    SpecialOption,
    WorkersOption,
    asked_of,
    reading_of,
    special_tokens_of,
)
from bpe_tui.cli.outputs import check_outputs
from bpe_tui.cli.program import GroupedHelp, app, examples
from bpe_tui.cli.train import TrainingBar
from bpe_tui.session.config import RunConfig, as_counted
from bpe_tui.widgets.numbers import plural
from engine.core.events import CountProgress
from engine.core.files import write_files
from engine.counting.count import count_corpus
from engine.counting.counts_file import counts_of


@app.command(
    cls=GroupedHelp,
    epilog=examples(
        f"{PROGRAM} pretokens texts/ --out texts.counts",
        f"{PROGRAM} texts.counts",
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
) -> None:
    """Count the pretokens of a corpus into a file, and print its path.

    The file opens like the corpus: on the screen, in train and in check.
    """
    if str(out) == STANDARD_INPUT:
        raise CommandLineError("--out names the file of counts; - is none")
    config = RunConfig(
        corpus[0],
        None,
        special_tokens_of(special, no_special),
        pattern,
        reading=reading_of(corpus[1:], field, skip_bad),
    )
    config = as_counted(config, asked_of(context))
    source = check_run(config)
    check_outputs([out], source, overwrite=force)
    note_sizes(source)
    cut, bytes_read = (config.pattern, config.special_tokens), 0
    with TrainingBar() as bar:

        def on_progress(progress: CountProgress) -> None:
            nonlocal bytes_read
            bytes_read = progress.bytes_read
            bar.on_progress(progress)

        count = count_corpus(source, *cut, workers, on_progress)
    write_files({out: counts_of(source, count, *cut, bytes_read)}, overwrite=force)
    if source.skipped:
        note(f"{plural(source.skipped, 'bad record')} left out")
    write_result(os.fsencode(out) + b"\n")
