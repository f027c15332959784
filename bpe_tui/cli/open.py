"""`bpe-tui open`, and `bpe-tui CORPUS` for short: the screen."""

from __future__ import annotations

import sys

import typer

from bpe_tui.cli.options import (
    CacheOption,
    CommandLineError,
    CorpusArgument,
    MinCountOption,
    NoSpecialOption,
    PatternOption,
    SpecialOption,
    TieRuleOption,
    TrainerOption,
    VocabSizeOption,
    checked_corpus,
    special_tokens_of,
)
from bpe_tui.cli.program import PROGRAM, GroupedHelp, app, examples
from bpe_tui.config import DEFAULT_VOCAB_SIZE, RunConfig


@app.command(
    "open",
    cls=GroupedHelp,
    epilog=examples(
        f"{PROGRAM} open samples/tinystories_valid.txt --vocab-size 2000",
        f"zcat corpus.gz | {PROGRAM} - --no-special --pattern cl100k",
    ),
)
def open_screen(
    corpus: CorpusArgument,
    vocab_size: VocabSizeOption = DEFAULT_VOCAB_SIZE,
    special: SpecialOption = None,
    no_special: NoSpecialOption = False,
    pattern: PatternOption = RunConfig.pattern,
    tie_rule: TieRuleOption = RunConfig.tie_rule,
    trainer: TrainerOption = RunConfig.trainer,
    min_count: MinCountOption = RunConfig.min_count,
    no_cache: CacheOption = False,
) -> None:
    """Train on a corpus and step through the merges on the screen."""
    special_tokens = special_tokens_of(special, no_special)
    config = RunConfig(
        *(corpus, vocab_size, special_tokens, pattern, tie_rule, trainer, min_count),
        cache=not no_cache,
    )
    checked_corpus(config)
    _check_terminal()
    from bpe_tui.app import run_app  # Textual is slow to import, and only this command needs it

    raise typer.Exit(run_app(config) or 0)


def _check_terminal() -> None:
    """Raises `CommandLineError` if there is no terminal to draw on."""
    if not (sys.stdout.isatty() and sys.stderr.isatty()):
        raise CommandLineError(
            "the screen needs a terminal, and the output is none; "
            f"to train without it: {PROGRAM} train CORPUS --vocab-size N --out DIR"
        )
