"""`bpe-tui train`: files from a corpus, without the screen."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

from bpe_tui.cli import choices, console, inputs, options, outputs
from bpe_tui.cli.declared import Given, command, examples
from bpe_tui.cli.open import check_only_for_training
from bpe_tui.cli.progress import ProgressLine
from bpe_tui.session.config import RunConfig, TokenizerConfig
from bpe_tui.session.models import MODELS
from bpe_tui.session.training import open_continuable, replay
from bpe_tui.session.training import train as train_model
from bpe_tui.widgets.language import plural, tr
from bpe_tui.widgets.numbers import size
from engine import formats
from engine.bpe.trainers import DEFAULT_TRAINER, WITHOUT_KERNEL
from engine.core.systems import memory_of_machine
from engine.formats.gpt2 import MERGES, SETTINGS, VOCAB
from engine.native import WHY_NO_KERNEL
from engine.text.corpus import Corpus
from engine.text.sources import STANDARD_INPUT


@command(
    epilog=examples(
        "bpe-tui train corpus.txt --vocab-size 1000 --out tokenizer",
        "bpe-tui train corpus.txt --model unigram --vocab-size 1000 --out tokenizer.json",
        "bpe-tui train corpus.txt --model wordpiece --vocab-size 1000 --out vocab.txt",
        "bpe-tui train corpus.txt --phases gpt2:8000,none:10000 --out tokenizer.json --format "
        "huggingface",
        "bpe-tui train corpus.txt --tokenizer tokenizer.json --continue 500 --out longer.json",
        "bpe-tui train - --vocab-size 500 --out tokenizer --steps steps.jsonl < corpus.txt",
    ),
    training=options.OF_TRAINING,
)
def train(
    context: Given,
    corpus: list[str] = options.SOURCES,
    out: Path = options.option(
        "--out PATH",
        f"Where {VOCAB}, {MERGES} and {SETTINGS} go, or the file of another format.",
        options.OUTPUT,
        default=...,
    ),
    vocab_size: int | None = options.vocab_size(None),
    format: str = options.option(
        "--format NAME",
        f"How the tokenizer is written: {', '.join(formats.WRITABLE)}. Other models than bpe have "
        "formats of their own.",
        options.OUTPUT,
        default=formats.DEFAULT_FORMAT,
        autocompletion=options.completed_by(formats.WRITABLE),
    ),
    steps: Path | None = options.option(
        "--steps FILE.jsonl", "Write every step as a line of JSON, too.", options.OUTPUT
    ),
    force: bool = options.FORCE,
    min_count: int = options.min_count(1),
    tokenizer: list[str] | None = options.CONTINUED_TOKENIZER,
    continued: int | None = options.CONTINUE,
    field: str | None = options.FIELD,
    skip_bad: bool = options.SKIP_BAD,
    max_bytes: int | None = options.MAX_BYTES,
    workers: int | None = options.WORKERS,
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
    config = choices.run_of(context, corpus[0], reading=choices.reading_of(context, corpus[1:]))
    choices.check_model(context, "steps")
    format = choices.format_of(context, config.model, format)
    source, parts = inputs.check_run(config), MODELS[config.model].part("training")
    paths = [*parts.outputs(config, format, out), *([steps] if steps else [])]
    outputs.check_outputs(paths, source, overwrite=force)
    inputs.note_doubts(config.corpus, config.reading)
    _note_memory(config, source)
    with outputs.step_writer(steps, overwrite=force) as writing:
        with writing as write_step, ProgressLine(write_step) as line:
            training = train_model(config, line, source, workers=workers, recorded=False)
        summary = parts.write(training, config, format, out, overwrite=force)
    inputs.note_skipped(source.reader.skipped)
    print(summary, file=sys.stderr)
    if choices.is_given(context, "trainer"):
        _note_other_trainer(config.trainer, training.trainer)
    line.print_costs(source.reader.taken)
    console.write_result(b"".join(os.fsencode(path) + b"\n" for path in paths))


def _note_memory(config: RunConfig, source: Corpus) -> None:
    """Print about how much memory the kernel will need for a large text."""
    if config.model != "bpe" or config.trainer != DEFAULT_TRAINER or config.phases or WHY_NO_KERNEL:
        return
    from engine.counting.forecast import forecast_memory  # for large texts

    needed = forecast_memory(source, config.pattern, config.special_tokens)
    if needed is not None:
        is_too_much = needed > (memory_of_machine() or needed)
        inputs.note(tr(MORE_THAN_THERE_IS if is_too_much else NEEDS, memory=size(needed)))


NEEDS = "this will need about {memory} of memory"
MORE_THAN_THERE_IS = "this will need about {memory} of memory, more than this machine has"


def _note_other_trainer(asked: str, trainer: Any) -> None:
    """Print a note if the kernel was asked for and Python has trained."""
    if asked == DEFAULT_TRAINER and trainer.algorithm.name == WITHOUT_KERNEL:
        why = WHY_NO_KERNEL or "this corpus is too large for it"
        inputs.note(f"Python trained ({WITHOUT_KERNEL}), not the kernel: {why}")


def _continue(context: Given) -> None:
    """Learn more merges after those of `--tokenizer`, and write the result in its format.

    Raises:
        BpeError: no merges can be learnt, or the format cannot hold them.
    """
    given = context.params
    if given["tokenizer"] is None or given["continued"] is None:
        raise inputs.CommandLineError("--tokenizer and --continue N go together: give both")
    check_only_for_training(context, "--continue keeps the tokenizer as it is")
    corpus, *more = given["corpus"]
    special = choices.special_tokens_of(given["special"])
    config = TokenizerConfig(
        tuple(given["tokenizer"]),
        corpus,
        special if given["special"] else None,
        given["pattern"] if choices.is_given(context, "pattern") else None,
        reading=choices.reading_of(context, more),
        **choices.continuation_of(context),
    )
    inputs.check_config(config)
    opened = open_continuable(config)
    is_asked = choices.is_given(context, "format")
    out = given["out"]
    if not is_asked and opened.format not in formats.WRITABLE:
        raise inputs.CommandLineError(
            f"{config.name} is of the format {opened.format}, which is only read; "
            f"add --format NAME ({', '.join(formats.WRITABLE)})"
        )
    format = formats.writable_name(given["format"] if is_asked else opened.format)
    steps, force = given["steps"], given["force"]
    formats.check_extensible(opened.tokenizer, out, format)
    paths = [*formats.FORMATS[format].written(out), *([steps] if steps else [])]
    source = Corpus(corpus, config.reading)
    outputs.check_outputs(paths, source, overwrite=force)
    inputs.note_doubts(corpus, source.reading)
    with outputs.step_writer(steps, overwrite=force) as writing:
        with writing as write_step, ProgressLine(write_step) as line:
            training = replay(config, line, workers=given["workers"], recorded=steps is not None)
        longer = training.trainer.tokenizer
        losses = formats.convert(longer, format, out, overwrite=force).losses
    for message in dict.fromkeys((*opened.notes, *losses)):
        inputs.note(message)
    own, learnt = len(opened.tokenizer.vocab), training.trainer.learnt
    print(
        tr(
            "{tokens}: {n} of {name}, {m} new; {merges} learnt; {reason}",
            tokens=plural(len(longer.vocab), "token"),
            n=own,
            name=config.name,
            m=len(longer.vocab) - own,
            merges=plural(len(learnt), "merge"),
            reason=tr(training.stop_reason.value),
        ),
        file=sys.stderr,
    )
    console.write_result(b"".join(os.fsencode(path) + b"\n" for path in paths))
