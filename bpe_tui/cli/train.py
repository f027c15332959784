"""`bpe-tui train`: a tokenizer's files from a corpus, without the screen."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from bpe_tui.app.model_parts import trainer_alone
from bpe_tui.cli.console import PROGRAM, write_result
from bpe_tui.cli.inputs import checked_corpus, counted
from bpe_tui.cli.options import (
    OUTPUT,
    TRAINING,
    CacheOption,
    CorpusArgument,
    MaxTokenLengthOption,
    MinCountOption,
    ModelOption,
    NoSpecialOption,
    PatternOption,
    SpecialOption,
    TieRuleOption,
    TrainerOption,
    UnitsOption,
    VocabSizeOption,
    check_model,
    own_format_of,
    special_tokens_of,
)
from bpe_tui.cli.outputs import check_format, check_outputs, step_writer
from bpe_tui.cli.program import GroupedHelp, app, examples
from bpe_tui.cli.progress import TrainingBar
from bpe_tui.session.config import RunConfig
from bpe_tui.session.models import MODELS
from bpe_tui.widgets.numbers import number, plural
from engine.alphabets.units import DEFAULT_UNITS
from engine.bpe.record import MergeStep
from engine.bpe.run import to_tokenizer
from engine.bpe.trainer import Trainer
from engine.bpe.trainers import TRAINERS
from engine.formats import DEFAULT_FORMAT, WRITABLE, save
from engine.formats.gpt2 import MERGES, SETTINGS, VOCAB
from engine.text.corpus import Corpus


@app.command(
    cls=GroupedHelp,
    epilog=examples(
        f"{PROGRAM} train corpus.txt --vocab-size 1000 --out tokenizer",
        f"{PROGRAM} train corpus.txt --model unigram --vocab-size 1000 --out tokenizer.json",
        f"{PROGRAM} train corpus.txt --model wordpiece --vocab-size 1000 --out vocab.txt",
        f"{PROGRAM} train - --vocab-size 500 --out tokenizer --steps steps.jsonl < corpus.txt",
    ),
)
def train(
    context: typer.Context,
    corpus: CorpusArgument,
    vocab_size: VocabSizeOption,
    out: Annotated[
        Path,
        typer.Option(
            "--out",
            metavar="PATH",
            help=f"Where {VOCAB}, {MERGES} and {SETTINGS} go, or the file of another format.",
            rich_help_panel=OUTPUT,
        ),
    ],
    format: Annotated[
        str,
        typer.Option(
            "--format",
            metavar="NAME",
            help=f"How the tokenizer is written: {', '.join(WRITABLE)}. Other models than bpe have "
            "formats of their own.",
            rich_help_panel=OUTPUT,
        ),
    ] = DEFAULT_FORMAT,
    steps: Annotated[
        Path | None,
        typer.Option(
            "--steps",
            metavar="FILE.jsonl",
            help="Write every step as a line of JSON, too.",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    force: Annotated[
        bool,
        typer.Option("--force", help="Overwrite files that are there.", rich_help_panel=OUTPUT),
    ] = False,
    special: SpecialOption = None,
    no_special: NoSpecialOption = False,
    pattern: PatternOption = RunConfig.pattern,
    tie_rule: TieRuleOption = RunConfig.tie_rule,
    trainer: TrainerOption = RunConfig.trainer,
    min_count: MinCountOption = 1,
    model: ModelOption = RunConfig.model,
    max_token_length: MaxTokenLengthOption = None,
    units: UnitsOption = RunConfig.units,
    no_cache: CacheOption = False,
    workers: Annotated[
        int | None,
        typer.Option(
            "--workers",
            metavar="N",
            min=1,
            help="Processes that count pretokens; one a core if not given.",
            rich_help_panel=TRAINING,
        ),
    ] = None,
) -> None:
    """Train a tokenizer and write its files; their paths are printed."""
    special_tokens = special_tokens_of(special, no_special)
    config = RunConfig(
        *(corpus, vocab_size, special_tokens, pattern, tie_rule, trainer, min_count),
        cache=not no_cache,
        model=model,
        max_token_length=max_token_length,
        units=units,
    )
    check_model(context, model, ("tie_rule", "trainer", "min_count", "units", "steps"))
    own_format = own_format_of(context, model, format)
    source = checked_corpus(config)
    if own_format is not None:
        train_alone = trainer_alone(MODELS[model], own_format)
        train_alone(source, config, out, workers, overwrite=force)
        return
    outputs = [*check_format(format, out, config), *([steps] if steps else [])]
    check_outputs(outputs, source, overwrite=force)
    with step_writer(steps, overwrite=force) as write_step:
        run = _train(source, config, workers, write_step)
        tokenizer = to_tokenizer(run.record, len(run.record), pattern)
        save(tokenizer, out, format, overwrite=force, renumber=True)
    print(_summary(run, config), file=sys.stderr)
    write_result(b"".join(os.fsencode(path) + b"\n" for path in outputs))


def _train(
    corpus: Corpus,
    config: RunConfig,
    workers: int | None,
    on_step: Callable[[MergeStep], None],
) -> Trainer:
    """Count and merge with a progress bar; return the finished run."""
    with TrainingBar() as bar:
        count = counted(corpus, config, workers, bar.show_reading)
        run = config.trainer_for(count.counts)
        for step in run.steps():
            on_step(step)
            bar.show_merging(step.index + 1, run.merges_wanted)
    return run


def _summary(run: Trainer, config: RunConfig) -> str:
    reason = run.stop_reason.value if run.stop_reason else "stopped"
    ran = run.algorithm.name
    asked = TRAINERS[config.trainer]
    why = config.units if asked.bytes_only and config.units != DEFAULT_UNITS else ""
    why = why or f"{config.tie_rule} ties"
    replaced = f"; {why}: trained by {ran}" if ran != config.trainer else ""
    return (
        f"{number(len(run.vocab))} tokens: {run.contents}, "
        f"{len(run.record.special_tokens)} special, {plural(len(run.record), 'merge')}; "
        f"{reason}{replaced}"
    )
