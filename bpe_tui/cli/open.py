"""`bpe-tui open`, and `bpe-tui CORPUS` for short: the screen."""

from __future__ import annotations

from typing import Annotated

import typer

from bpe_tui.cli.console import PROGRAM, STANDARD_INPUT
from bpe_tui.cli.inputs import CommandLineError, check_config
from bpe_tui.cli.options import (
    OUTPUT,
    CacheOption,
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
    is_given,
    special_tokens_of,
)
from bpe_tui.cli.program import GroupedHelp, app, examples
from bpe_tui.cli.screen import open_screen
from bpe_tui.session.config import (
    DEFAULT_VOCAB_SIZE,
    Config,
    RunConfig,
    TokenizerConfig,
    config_for,
)


@app.command(
    "open",
    cls=GroupedHelp,
    epilog=examples(
        f"{PROGRAM} open samples/tinystories_valid.txt --vocab-size 2000",
        f"{PROGRAM} open samples/tinystories_valid.txt --model unigram --vocab-size 2000",
        f"{PROGRAM} samples/handout.txt --plain",
        f"{PROGRAM} open --tokenizer vocab.json --tokenizer merges.txt samples/handout.txt",
        f"zcat corpus.gz | {PROGRAM} - --no-special --pattern cl100k",
    ),
)
def open_corpus(
    context: typer.Context,
    corpus: Annotated[
        str | None,
        typer.Argument(
            metavar="CORPUS",
            help="The text to train on, or a tokenizer; .gz is unpacked, `-` is standard input.",
            show_default=False,
        ),
    ] = None,
    tokenizer: Annotated[
        list[str] | None,
        typer.Option(
            "--tokenizer",
            metavar="PATH|NAME",
            help="Do not train: replay the merges of this tokenizer, over CORPUS if there is one. "
            "Twice for VOCAB and MERGES.",
            rich_help_panel="Tokenizer",
            show_default=False,
        ),
    ] = None,
    vocab_size: VocabSizeOption = DEFAULT_VOCAB_SIZE,
    special: SpecialOption = None,
    no_special: NoSpecialOption = False,
    pattern: PatternOption = RunConfig.pattern,
    tie_rule: TieRuleOption = RunConfig.tie_rule,
    trainer: TrainerOption = RunConfig.trainer,
    min_count: MinCountOption = RunConfig.min_count,
    model: ModelOption = RunConfig.model,
    max_token_length: MaxTokenLengthOption = None,
    units: UnitsOption = RunConfig.units,
    no_cache: CacheOption = False,
    plain: Annotated[
        bool,
        typer.Option(
            "--plain",
            help="No screen: read commands from standard input, answer in sentences.",
            rich_help_panel=OUTPUT,
        ),
    ] = False,
) -> None:
    """Step through the merges of a corpus, or of a tokenizer, on the screen."""
    special_tokens = special_tokens_of(special, no_special)
    check_model(context, model, ("tie_rule", "trainer", "min_count", "units"))
    config: Config
    if tokenizer:
        _check_only_for_training(context)
        config = TokenizerConfig(
            tuple(tokenizer),
            corpus,
            special_tokens if special or no_special else None,
            pattern if is_given(context, "pattern") else None,
            cache=not no_cache,
        )
    elif corpus is None:
        raise CommandLineError("give a CORPUS to train on, or --tokenizer to open one")
    else:
        asked_size = vocab_size if is_given(context, "vocab_size") else None
        run = RunConfig(
            *(corpus, asked_size, special_tokens, pattern, tie_rule, trainer, min_count),
            cache=not no_cache,
            model=model,
            max_token_length=max_token_length,
            units=units,
        )
        config = config_for(run)
    if plain:
        _check_commands(corpus)
        check_config(config)
        from bpe_tui.cli.plain import run_transcript  # numpy is slow to import, too

        run_transcript(config)
        return
    raise typer.Exit(open_screen(config))


def _check_only_for_training(context: typer.Context) -> None:
    """Raises `CommandLineError` for an option that a tokenizer leaves nothing to do for."""
    for option in ("vocab_size", "tie_rule", "trainer", "min_count", "units", "model"):
        if is_given(context, option):
            name = option.replace("_", "-")
            raise CommandLineError(f"--{name} is for training, and --tokenizer is not trained")


def _check_commands(corpus: str | None) -> None:
    """Raises `CommandLineError` if standard input is taken for the corpus."""
    if corpus == STANDARD_INPUT:
        raise CommandLineError(
            "with --plain standard input holds the commands; give the corpus as a file"
        )
