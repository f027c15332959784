"""`bpe-tui open`, and `bpe-tui CORPUS` for short: the screen."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from typing import Any

from bpe_tui.cli import choices, inputs, options
from bpe_tui.cli.declared import Given, command, examples
from bpe_tui.session.config import Config, TokenizerConfig, Viewpoint
from bpe_tui.session.declarations import VIEWS
from engine.text.sources import STANDARD_INPUT


@command(
    "open",
    epilog=examples(
        "bpe-tui open samples/tinystories_valid.txt --vocab-size 2000",
        "bpe-tui open samples/tinystories_valid.txt --model unigram --vocab-size 2000",
        "bpe-tui samples/handout.txt --plain",
        "bpe-tui samples/handout.txt --step 40 --view encoding --text 'the newest'",
        "bpe-tui open --tokenizer vocab.json --tokenizer merges.txt samples/handout.txt",
        "bpe-tui open --tokenizer tokenizer.json corpus.txt --continue 500",
        "bpe-tui open --tokenizer mine --tokenizer gpt2",
        "zcat corpus.gz | bpe-tui - --special none --pattern cl100k",
    ),
    training=options.OF_TRAINING,
)
def open_corpus(
    context: Given,
    corpus: list[str] | None = options.names_file(
        "CORPUS...", f"The text to train on, or a tokenizer: {options.SOURCES_HELP}", default=None
    ),
    tokenizer: list[str] | None = options.OPENED_TOKENIZER,
    continued: int | None = options.CONTINUE,
    field: str | None = options.FIELD,
    skip_bad: bool = options.SKIP_BAD,
    max_bytes: int | None = options.MAX_BYTES,
    step: int | None = options.STEP,
    view: str | None = options.VIEW,
    text: str = options.TYPED_TEXT,
    hide_next: bool = options.HIDE_NEXT,
    plain: bool = options.option(
        "--plain",
        "No screen: read commands from standard input, answer in sentences.",
        options.OUTPUT,
    ),
    **of_training: Any,
) -> None:
    """Step through the merges of a corpus, or of a tokenizer."""
    config = opened_config(context)
    if plain:
        if STANDARD_INPUT in (corpus or []):
            raise inputs.CommandLineError(
                "with --plain standard input holds the commands; give the corpus as a file"
            )
        inputs.check_single(config)
        inputs.check_config(config)
        if config.corpus is not None:
            inputs.note_doubts(config.corpus, config.reading)
        from bpe_tui.cli.plain import run_transcript  # numpy is slow to import, too

        run_transcript(config)
        return
    raise SystemExit(inputs.open_screen(config))


def opened_config(context: Given) -> Config:
    """Return the config that the options of `open` ask for, of any command with them.

    Raises:
        BpeError: the options contradict each other, or name something unknown.
    """
    # numpy is slow to import
    from bpe_tui.session.opening import config_for, opens, split_tokenizers

    given = context.params
    named = given["corpus"] or []
    corpus, *more = [named] if isinstance(named, str) else named or [None]
    reading = choices.reading_of(context, more)
    special = choices.special_tokens_of(given["special"])
    choices.check_model(context)
    view, _, at = (given["view"] or "").partition(":")
    text = given["text"].encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    if not re.fullmatch(r"([a-z-]+:[1-9]\d{0,8})?", at, re.ASCII):
        raise inputs.CommandLineError(
            "--view takes a panel and a row after the screen, like family:family-table:4"
        )
    kind, hides = VIEWS[view] if view else None, given.get("hide_next", False)
    viewpoint = Viewpoint(given.get("step"), kind, text, at=at, hide_next=hides)
    if given["tokenizer"]:
        check_only_for_training(context, "--tokenizer is not trained")
        tokenizer = tuple(given["tokenizer"])
        if len(tokenizer) == 1 and corpus is not None and _are_merges_of(corpus, *tokenizer):
            tokenizer, (corpus, *more) = (*tokenizer, corpus), more or [None]
            reading = choices.reading_of(context, more)
        tokenizer, beside = split_tokenizers(tokenizer)
        return TokenizerConfig(
            tokenizer,
            corpus,
            special if given["special"] else None,
            given["pattern"] if choices.is_given(context, "pattern") else None,
            viewpoint=viewpoint,
            reading=reading,
            beside=beside,
            **choices.continuation_of(context),
        )
    if corpus is None:
        raise inputs.CommandLineError("give a CORPUS to train on, or --tokenizer to open one")
    run = choices.run_of(context, corpus, viewpoint=viewpoint, reading=reading)
    config = config_for(run, choices.asked_of(context))
    if continued := choices.continuation_of(context):
        if not isinstance(config, TokenizerConfig):
            raise inputs.CommandLineError("--continue goes on with a tokenizer: add --tokenizer")
        config = replace(config, otherwise=None, **continued)
    if isinstance(config, TokenizerConfig):
        trains = any(choices.is_given(context, option) for option in options.OF_TRAINING)
        if not (trains and config.otherwise and not opens(*config.paths)):
            check_only_for_training(context, f"{config.name} is a tokenizer, which is not trained")
    return config


def _are_merges_of(name: str, vocabulary: str) -> bool:
    """Whether a file has the merges of a vocabulary: `--tokenizer vocab.json merges.txt`."""
    from bpe_tui.session.opening import TOKENIZER, kind_of_file, opens

    is_lone = os.path.isfile(vocabulary) and kind_of_file(name) == TOKENIZER
    return is_lone and opens(vocabulary, name)


def check_only_for_training(context: Given, why: str) -> None:
    """Raise `CommandLineError` for an option of a training, since there is none.

    With `--continue` new merges are learnt, so two of the options count.

    Args:
        why: the reason, such as `--tokenizer is not trained`.
    """
    is_continued = context.params.get("continued") is not None
    used = {"pattern", "special", *(choices.OF_CONTINUING if is_continued else ())}
    choices.refuse_given(context, options.OF_TRAINING.keys() - used, f"is for training, and {why}")
