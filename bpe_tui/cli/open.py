"""`bpe-tui open`, and `bpe-tui CORPUS` for short: the screen."""

from __future__ import annotations

from typing import Annotated

import typer

from bpe_tui.cli.checks import CommandLineError, checked_corpus
from bpe_tui.cli.names import PROGRAM, STANDARD_INPUT
from bpe_tui.cli.options import (
    OUTPUT,
    CacheOption,
    CorpusArgument,
    MaxTokenLengthOption,
    MinCountOption,
    NoSpecialOption,
    PatternOption,
    SpecialOption,
    TieRuleOption,
    TrainerOption,
    VocabSizeOption,
    special_tokens_of,
)
from bpe_tui.cli.program import GroupedHelp, app, examples
from bpe_tui.cli.screen import open_screen
from bpe_tui.config import DEFAULT_VOCAB_SIZE, RunConfig


@app.command(
    "open",
    cls=GroupedHelp,
    epilog=examples(
        f"{PROGRAM} open samples/tinystories_valid.txt --vocab-size 2000",
        f"{PROGRAM} samples/handout.txt --plain",
        f"zcat corpus.gz | {PROGRAM} - --no-special --pattern cl100k",
    ),
)
def open_corpus(
    corpus: CorpusArgument,
    vocab_size: VocabSizeOption = DEFAULT_VOCAB_SIZE,
    special: SpecialOption = None,
    no_special: NoSpecialOption = False,
    pattern: PatternOption = RunConfig.pattern,
    tie_rule: TieRuleOption = RunConfig.tie_rule,
    trainer: TrainerOption = RunConfig.trainer,
    min_count: MinCountOption = RunConfig.min_count,
    max_token_length: MaxTokenLengthOption = None,
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
    """Train on a corpus and step through the merges on the screen."""
    special_tokens = special_tokens_of(special, no_special)
    config = RunConfig(
        *(corpus, vocab_size, special_tokens, pattern, tie_rule, trainer, min_count),
        cache=not no_cache,
        max_token_length=max_token_length,
    )
    if plain:
        _check_commands(corpus)
        checked_corpus(config)
        from bpe_tui.cli.plain import run_transcript  # numpy is slow to import, too

        run_transcript(config)
        return
    raise typer.Exit(open_screen(config))


def _check_commands(corpus: str) -> None:
    """Raises `CommandLineError` if standard input is taken for the corpus."""
    if corpus == STANDARD_INPUT:
        raise CommandLineError(
            "with --plain standard input holds the commands; give the corpus as a file"
        )
