"""`bpe-tui open`, and `bpe-tui CORPUS` for short: the screen."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any

import typer

from bpe_tui.cli.console import PROGRAM
from bpe_tui.cli.inputs import CommandLineError, check_config, open_screen
from bpe_tui.cli.options import (
    OUTPUT,
    SOURCES_HELP,
    AnimationOption,
    FieldOption,
    OpenedTokenizerOption,
    SkipBadOption,
    StepOption,
    TextOption,
    ViewOption,
    asked_of,
    check_model,
    is_given,
    reading_of,
    run_of,
    special_tokens_of,
    with_training,
)
from bpe_tui.cli.program import GroupedHelp, app, examples
from bpe_tui.session.config import (
    Config,
    TokenizerConfig,
    Viewpoint,
)
from bpe_tui.session.state import OVERVIEWS, save_preferences
from engine.text.sources import STANDARD_INPUT


@app.command(
    "open",
    cls=GroupedHelp,
    epilog=examples(
        f"{PROGRAM} open samples/tinystories_valid.txt --vocab-size 2000",
        f"{PROGRAM} open samples/tinystories_valid.txt --model unigram --vocab-size 2000",
        f"{PROGRAM} samples/handout.txt --plain",
        f"{PROGRAM} samples/handout.txt --step 40 --view encoding --text 'the newest'",
        f"{PROGRAM} open --tokenizer vocab.json --tokenizer merges.txt samples/handout.txt",
        f"zcat corpus.gz | {PROGRAM} - --no-special --pattern cl100k",
    ),
)
@with_training()
def open_corpus(
    context: typer.Context,
    corpus: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="CORPUS...",
            help=f"The text to train on, a tokenizer, or a saved session: {SOURCES_HELP}",
            show_default=False,
        ),
    ] = None,
    tokenizer: OpenedTokenizerOption = None,
    field: FieldOption = None,
    skip_bad: SkipBadOption = False,
    step: StepOption = None,
    view: ViewOption = None,
    text: TextOption = "",
    animation: AnimationOption = None,
    plain: Annotated[
        bool,
        typer.Option(
            "--plain",
            help="No screen: read commands from standard input, answer in sentences.",
            rich_help_panel=OUTPUT,
        ),
    ] = False,
    **options: Any,
) -> None:
    """Step through the merges of a corpus, or of a tokenizer."""
    config = opened_config(context)
    if plain:
        if STANDARD_INPUT in (corpus or []):
            raise CommandLineError(
                "with --plain standard input holds the commands; give the corpus as a file"
            )
        check_config(config)
        from bpe_tui.cli.plain import run_transcript  # numpy is slow to import, too

        run_transcript(config)
        return
    if animation is not None:
        save_preferences(motion=animation)
    if view in OVERVIEWS:
        save_preferences(overview=view)
    raise typer.Exit(open_screen(config))


def opened_config(context: typer.Context) -> Config:
    """Return the config that the options of `open` ask for, of any command with them.

    Raises:
        BpeError: the options contradict each other, or name something unknown.
    """
    from bpe_tui.session.opening import VIEWS, config_for  # numpy is slow to import

    given = context.params
    named = given["corpus"] or []
    corpus, *more = [named] if isinstance(named, str) else named or [None]
    reading = reading_of(more, given.get("field"), given.get("skip_bad", False))
    special = special_tokens_of(given["special"], given["no_special"])
    check_model(context)
    view = given["view"]
    text = given["text"].encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    viewpoint = Viewpoint(given.get("step"), view and VIEWS[view], text)
    if given["tokenizer"]:
        _check_only_for_training(context, "--tokenizer is not trained")
        return TokenizerConfig(
            tuple(given["tokenizer"]),
            corpus,
            special if given["special"] or given["no_special"] else None,
            given["pattern"] if is_given(context, "pattern") else None,
            cache=not given["no_cache"],
            viewpoint=viewpoint,
            reading=reading,
        )
    if corpus is None:
        raise CommandLineError("give a CORPUS to train on, or --tokenizer to open one")
    run = run_of(context, corpus, viewpoint=viewpoint, reading=reading)
    config = config_for(run, asked_of(context))
    if config.viewpoint == viewpoint:
        return config
    _check_only_for_training(context, "a saved session has its own options of training")
    changed = {
        name: getattr(viewpoint, name)
        for name in ("step", "view", "text")
        if is_given(context, name)
    }
    return replace(config, viewpoint=replace(config.viewpoint, **changed))


def _check_only_for_training(context: typer.Context, why: str) -> None:
    """Raise `CommandLineError` for an option of a training, since there is none.

    Args:
        why: the reason, such as `--tokenizer is not trained`.
    """
    for option in ("vocab_size", "tie_rule", "trainer", "min_count", "units", "model"):
        if is_given(context, option):
            name = option.replace("_", "-")
            raise CommandLineError(f"--{name} is for training, and {why}")
