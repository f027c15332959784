"""`bpe-tui train` and `bpe-tui pretokens`: files from a corpus, without the screen."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn

from bpe_tui.cli import choices, console, inputs, options, outputs
from bpe_tui.cli.open import check_only_for_training
from bpe_tui.cli.program import GroupedHelp, app, examples
from bpe_tui.session.config import RunConfig, TokenizerConfig, as_counted
from bpe_tui.session.models import MODELS
from bpe_tui.session.training import OpeningListener, open_continuable, replay
from bpe_tui.session.training import train as train_model
from bpe_tui.views.chunks import describe_counting
from bpe_tui.widgets.numbers import number, plural, progress_of
from engine.core.events import ChunkCounted, CountProgress, WorkProgress
from engine.core.files import write_files
from engine.counting.chunk_log import ChunkLog
from engine.counting.count import count_corpus
from engine.counting.counts_file import counts_of
from engine.formats import DEFAULT_FORMAT, WRITABLE, check_extensible, convert, writable_format
from engine.formats.gpt2 import MERGES, SETTINGS, VOCAB
from engine.recording.training import CountedCorpus, CountOrigin, Training, TrainingListener
from engine.text.corpus import Corpus
from engine.text.sources import STANDARD_INPUT

MERGES_A_MOVE = 64
"""Merges between moves of the bar: a move takes as long as some merges."""


@app.command(
    cls=GroupedHelp,
    epilog=examples(
        "bpe-tui train corpus.txt --vocab-size 1000 --out tokenizer",
        "bpe-tui train corpus.txt --model unigram --vocab-size 1000 --out tokenizer.json",
        "bpe-tui train corpus.txt --model wordpiece --vocab-size 1000 --out vocab.txt",
        "bpe-tui train corpus.txt --phases gpt2:8000,none:10000 --out tokenizer.json --format "
        "huggingface",
        "bpe-tui train corpus.txt --tokenizer tokenizer.json --continue 500 --out longer.json",
        "bpe-tui train - --vocab-size 500 --out tokenizer --steps steps.jsonl < corpus.txt",
    ),
)
@options.with_training()
def train(
    context: typer.Context,
    corpus: options.SourcesArgument,
    out: Annotated[
        Path,
        options.option(
            "--out PATH",
            f"Where {VOCAB}, {MERGES} and {SETTINGS} go, or the file of another format.",
            options.OUTPUT,
            show_default=True,
        ),
    ],
    vocab_size: options.VocabSizeOption = 0,
    format: Annotated[
        str,
        options.option(
            "--format NAME",
            f"How the tokenizer is written: {', '.join(WRITABLE)}. Other models than bpe have "
            "formats of their own.",
            options.OUTPUT,
            autocompletion=options.completed_by(WRITABLE),
            show_default=True,
        ),
    ] = DEFAULT_FORMAT,
    steps: Annotated[
        Path | None,
        options.option(
            "--steps FILE.jsonl",
            "Write every step as a line of JSON, too.",
            options.OUTPUT,
            show_default=True,
        ),
    ] = None,
    force: options.ForceOption = False,
    specials_first: Annotated[
        bool,
        options.option(
            "--specials-first",
            "Give special tokens the ids from 0 on, and bytes those behind them.",
            options.OUTPUT,
        ),
    ] = False,
    min_count: options.MinCountOption = 1,
    tokenizer: options.ContinuedTokenizerOption = None,
    continued: options.ContinueOption = None,
    field: options.FieldOption = None,
    skip_bad: options.SkipBadOption = False,
    workers: options.WorkersOption = None,
    **of_training: Any,
) -> None:
    """Train a tokenizer and write its files; their paths are printed."""
    if str(out) == STANDARD_INPUT:
        raise inputs.CommandLineError("--out names the place of the files; - would be a directory")
    if tokenizer is not None or continued is not None:
        _continue(context)
        return
    if not (choices.is_given(context, "vocab_size") or choices.is_given(context, "phases")):
        raise inputs.CommandLineError("Missing option '--vocab-size', or '--phases'")
    config = choices.run_of(
        context, corpus[0], reading=choices.reading_of(corpus[1:], field, skip_bad)
    )
    config = as_counted(config, choices.asked_of(context))
    choices.check_model(context, "steps", "specials_first")
    if specials_first and config.units != RunConfig.units:
        raise inputs.CommandLineError("--specials-first is for --units bytes")
    if specials_first and steps is not None:
        raise inputs.CommandLineError("--steps has the usual ids; leave out --specials-first")
    config = replace(config, specials_first=specials_first)
    format = choices.format_of(context, config.model, format)
    source, parts = inputs.check_run(config), MODELS[config.model].part("training")
    paths = [*parts.outputs(config, format, out), *([steps] if steps else [])]
    outputs.check_outputs(paths, source, overwrite=force)
    inputs.note_sizes(source)
    inputs.note_doubts(config.corpus, config.reading)
    with outputs.step_writer(steps, overwrite=force) as write_step:
        with TrainingBar(write_step) as bar:
            training = train_model(config, bar, source, workers=workers, recorded=False)
        bar.print_chunks()
        summary = parts.write(training, config, format, out, overwrite=force)
    inputs.note_skipped(source.reader.skipped)
    print(summary, file=sys.stderr)
    console.write_result(b"".join(os.fsencode(path) + b"\n" for path in paths))


def _continue(context: typer.Context) -> None:
    """Learn more merges behind those of `--tokenizer`, and write the result in its format.

    Raises:
        BpeError: no merges can be learnt, or the format cannot hold them.
    """
    given = context.params
    if given["tokenizer"] is None or given["continued"] is None:
        raise inputs.CommandLineError("--tokenizer and --continue N go together: give both")
    check_only_for_training(context, "--continue keeps the tokenizer as it is")
    if given["specials_first"]:
        raise inputs.CommandLineError(
            "--specials-first gives ids anew, and with --continue all stay"
        )
    corpus, *more = given["corpus"]
    special = choices.special_tokens_of(given["special"], given["no_special"])
    config = TokenizerConfig(
        tuple(given["tokenizer"]),
        corpus,
        special if given["special"] or given["no_special"] else None,
        given["pattern"] if choices.is_given(context, "pattern") else None,
        given["continued"],
        given["tie_rule"],
        given["min_count"],
        cache=not given["no_cache"],
        reading=choices.reading_of(more, given["field"], given["skip_bad"]),
    )
    inputs.check_config(config)
    opened = open_continuable(config)
    is_asked = choices.is_given(context, "format")
    format, out = given["format"] if is_asked else opened.format, given["out"]
    if not is_asked and format not in WRITABLE:
        raise inputs.CommandLineError(
            f"{config.name} is of the format {format}, which is only read; add --format NAME "
            f"({', '.join(WRITABLE)})"
        )
    steps, force = given["steps"], given["force"]
    check_extensible(opened.tokenizer, out, format)
    paths = [*writable_format(format).written(out), *([steps] if steps else [])]
    source = Corpus(corpus, config.reading)
    outputs.check_outputs(paths, source, overwrite=force)
    inputs.note_sizes(source)
    inputs.note_doubts(corpus, config.reading)
    with outputs.step_writer(steps, overwrite=force) as write_step:
        with _ContinuingBar(write_step) as bar:
            workers, recorded = given["workers"], steps is not None
            training = replay(config, bar, workers=workers, recorded=recorded)
        bar.print_chunks()
        longer = training.trainer.tokenizer
        notes = convert(longer, format, out, overwrite=force)
    for message in dict.fromkeys((*opened.notes, *notes)):
        inputs.note(message)
    own, learnt = len(opened.tokenizer.vocab), training.trainer.learnt
    print(
        f"{plural(len(longer.vocab), 'token')}: {number(own)} of {config.name}, "
        f"{number(len(longer.vocab) - own)} new; {plural(len(learnt), 'merge')} learnt; "
        f"{training.stop_reason.value}",
        file=sys.stderr,
    )
    console.write_result(b"".join(os.fsencode(path) + b"\n" for path in paths))


class TrainingBar(Progress, TrainingListener):
    """A bar on standard error, for reading and for training; none in a pipe or file.

    Args:
        write_step: takes each step.
    """

    def __init__(self, write_step: Callable[[Any], object] = id) -> None:
        super().__init__(
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.fields[detail]}", markup=False),
            console=Console(stderr=True),
            transient=True,
            disable=not sys.stderr.isatty(),
        )
        self._write_step = write_step
        self.chunks, self.origin = ChunkLog(), CountOrigin.COUNTED
        self._task = self.add_task("reading", total=None, detail="")
        self._started = time.monotonic()
        self._steps, self._merges_wanted = 0, None

    def on_chunk(self, chunk: ChunkCounted) -> None:
        self.chunks.add(chunk)

    def on_counted(self, corpus: CountedCorpus) -> None:
        self.origin = corpus.origin

    def print_chunks(self) -> None:
        """Say on standard error how a corpus of several chunks was counted."""
        report = self.chunks.report
        if report.chunks > 1 or self.origin is CountOrigin.KEPT:
            print(next(describe_counting(report, self.origin)), file=sys.stderr)

    def on_progress(self, progress: CountProgress) -> None:
        self.update(
            self._task,
            completed=progress.bytes_read,
            total=progress.bytes_total,
            detail=progress_of(
                progress.bytes_read, progress.bytes_total, time.monotonic() - self._started
            ),
        )

    def on_begun(self, training: Training, corpus: CountedCorpus) -> None:
        self._merges_wanted = getattr(training.trainer, "merges_wanted", None)

    def on_step(self, step: Any) -> None:
        self._write_step(step)
        self._steps += 1
        wanted = self._merges_wanted
        if wanted is None or (self._steps % MERGES_A_MOVE and self._steps < wanted):
            return
        self.update(
            self._task,
            description="merging",
            completed=self._steps,
            total=wanted,
            detail=f"{number(self._steps)} of {number(wanted)} merges",
        )

    def on_work(self, work: WorkProgress) -> None:
        """Show the progress of work between steps."""
        self.update(
            self._task, description=work.doing, completed=work.done, total=work.total, detail=""
        )


class _ContinuingBar(TrainingBar, OpeningListener):
    """A bar for merges that are learnt behind those of a tokenizer."""


@app.command(
    cls=GroupedHelp,
    epilog=examples(
        "bpe-tui pretokens texts/ --out texts.counts",
        "bpe-tui texts.counts",
        "bpe-tui pretokens texts/ --out texts.counts --cluster tcp://10.0.0.1:8786",
    ),
)
def pretokens(
    context: typer.Context,
    corpus: options.SourcesArgument,
    out: Annotated[
        Path,
        options.option(
            "--out FILE.counts", "Where the counts go.", options.OUTPUT, show_default=True
        ),
    ],
    force: options.ForceOption = False,
    special: options.SpecialOption = None,
    no_special: options.NoSpecialOption = False,
    pattern: options.PatternOption = RunConfig.pattern,
    field: options.FieldOption = None,
    skip_bad: options.SkipBadOption = False,
    workers: options.WorkersOption = None,
    cluster: Annotated[
        str | None,
        options.option(
            "--cluster tcp://HOST:PORT|local:N",
            "Count on the workers of a Dask scheduler, or on N of our own here.",
            options.TRAINING,
        ),
    ] = None,
) -> None:
    """Count the pretokens of a corpus into a file.

    The file opens like the corpus: on the screen, in train and in check.
    """
    if str(out) == STANDARD_INPUT:
        raise inputs.CommandLineError("--out names the file of counts; - is none")
    config = choices.run_of(
        context, corpus[0], reading=choices.reading_of(corpus[1:], field, skip_bad)
    )
    config = as_counted(config, choices.asked_of(context))
    source = inputs.check_run(config)
    outputs.check_outputs([out], source, overwrite=force)
    inputs.note_sizes(source)
    inputs.note_doubts(config.corpus, config.reading)
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
    inputs.note_skipped(skipped)
    console.write_result(os.fsencode(out) + b"\n")


def _counted_here(
    corpus: Corpus, pattern: str, special_tokens: Sequence[str], workers: int | None
) -> tuple[Iterator[bytes], int]:
    """Return the counts file, and the number of bad records that were left out."""
    from engine.counting.examples import examples_for  # brings numpy, which is slow to import

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
        examples = examples_for(corpus, count, pattern, special_tokens, bar.on_work)
    bar.print_chunks()
    content = counts_of(corpus, count, pattern, special_tokens, bytes_read, examples)
    return content, skipped
