"""`bpe-tui prune`: a tokenizer without the tokens that a corpus hardly uses."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Annotated, Any

import typer

from bpe_tui.cli import choices, console, inputs, options, outputs
from bpe_tui.cli.program import GroupedHelp, app, examples
from bpe_tui.cli.train import TrainingBar
from bpe_tui.views.narration import times
from bpe_tui.widgets.numbers import number, percent, plural
from bpe_tui.widgets.visible import visible_bytes, visible_text
from engine import formats
from engine.analysis.pruning import DEFAULT_BELOW, PrunedTokenizer, check_prunable, prune
from engine.core.errors import OutputExistsError
from engine.core.gpt2_bytes import spell
from engine.counting.count import count_corpus
from engine.encoding.tokenizer import Tokenizer
from engine.text.corpus import Corpus, Reading, separator_of

TOKENS = "Tokens"
EXAMPLES = 8
"""Most tokens that are printed as examples."""
OTHERWISE = "huggingface"
"""The format to write if that of the tokenizer is only read."""


@app.command(
    "prune",
    cls=GroupedHelp,
    epilog=examples(
        "bpe-tui prune tokenizer --corpus corpus.txt --out smaller",
        "bpe-tui prune tokenizer.json --corpus texts/ --below 10 --keep-ids --out smaller.json",
    ),
)
def prune_command(
    tokenizer: options.TokenizerArgument,
    corpus: Annotated[
        list[str],
        options.names_file(
            "--corpus",
            metavar="CORPUS",
            help=f"The text whose tokens count; repeat it for more: {options.SOURCES_HELP}",
            rich_help_panel=options.INPUT,
            show_default=False,
        ),
    ],
    out: options.TokenizerOutOption,
    below: Annotated[
        int,
        typer.Option(
            "--below",
            metavar="N",
            min=1,
            help="A token that no other merge uses goes if it occurs less often.",
            rich_help_panel=TOKENS,
        ),
    ] = DEFAULT_BELOW,
    keep_ids: Annotated[
        bool,
        typer.Option(
            "--keep-ids",
            help="Keep the ids of the tokens that are left, with gaps between.",
            rich_help_panel=TOKENS,
        ),
    ] = False,
    to: Annotated[
        str | None,
        typer.Option(
            "--to",
            metavar="FORMAT",
            autocompletion=options.completed_by(formats.WRITABLE),
            help=f"The format to write: {', '.join(formats.WRITABLE)}; by default that of "
            "TOKENIZER.",
            rich_help_panel=options.OUTPUT,
            show_default=False,
        ),
    ] = None,
    force: options.ForceOption = False,
    as_json: Annotated[
        bool,
        typer.Option(
            "--json",
            help="Print the tokens that went, and the old ids of those that are left.",
            rich_help_panel=options.OUTPUT,
        ),
    ] = False,
    field: options.FieldOption = None,
    skip_bad: options.SkipBadOption = False,
) -> None:
    """Take out tokens that are rare in a corpus, and write the tokenizer that is left.

    The rarest token that no other merge uses goes first; then its text is encoded without it, and
    so on until all such tokens occur often enough. Bytes, characters and special tokens stay.
    """
    if to is not None:
        formats.writable_format(to)
    if not force:
        outputs.check_free(out)
    opened = formats.open_tokenizer(*tokenizer)
    for message in opened.notes:
        inputs.note(message)
    check_prunable(opened.tokenizer)
    if to is None:
        to = opened.format if opened.format in formats.WRITABLE else OTHERWISE
        if to != opened.format:
            inputs.note(f"{opened.format} is only read, so this writes {to}; --to writes another")
    reading = choices.reading_of(corpus[1:], field, skip_bad)
    counts = _counts(opened.tokenizer, corpus[0], reading)
    console.show_progress("pruning …")
    found = prune(opened.tokenizer, counts, below, keep_ids=keep_ids)
    try:
        notes = formats.convert(found.tokenizer, to, out, overwrite=force)
    except OutputExistsError as error:
        raise outputs.exists_error(out) from error
    finally:
        console.show_progress("")
    for message in notes:
        inputs.note(message)
    if as_json:
        console.print_json({**_facts(found), "format": to, "out": str(out)})
        return
    print(*_describe(found, below), sep="\n")
    print(f"written to {visible_text(str(out), spaces=False)} ({to}), read again and checked")


def _counts(tokenizer: Tokenizer, corpus: str, reading: Reading) -> dict[bytes, int]:
    """Count the pretokens of a corpus as a tokenizer cuts them."""
    inputs.check_texts(corpus, reading)
    special_tokens = tokenizer.special_tokens
    source = Corpus(corpus, reading, separator_of(list(special_tokens)))
    inputs.note_sizes(source)
    with TrainingBar() as bar:
        count = count_corpus(
            source,
            tokenizer.pattern,
            special_tokens,
            on_progress=bar.on_progress,
            splitter=tokenizer.rules.splitter,
        )
    inputs.note_skipped(source.reader.skipped)
    return count.counts


def _describe(found: PrunedTokenizer, below: int) -> Iterator[str]:
    """Yield the number of tokens that went, examples, and the costs for the corpus."""
    gone, left = len(found.removed), len(found.new_ids)
    if not gone:
        yield f"nothing goes: each token that no other merge uses occurs {times(below)} or more"
        return
    yield f"{plural(gone, 'token')} of {number(gone + left)} went, {number(left)} are left"
    shown = (
        f"{visible_bytes(each.token)} ({number(each.count)})"
        for each in islice(found.removed, EXAMPLES)
    )
    more = "  …" if gone > EXAMPLES else ""
    yield f"  with their counts: {'  '.join(shown)}{more}"
    before, after = found.tokens_before, found.tokens_after
    yield (
        f"the corpus has {number(before)} tokens before, {number(after)} after "
        f"(+{percent((after - before) / max(before, 1))}); "
        f"bytes per token {_compression(found, before):.3f} → {_compression(found, after):.3f}"
    )


def _compression(found: PrunedTokenizer, tokens: int) -> float:
    return found.bytes / max(tokens, 1)


def _facts(found: PrunedTokenizer) -> dict[str, Any]:
    """Return the result as JSON, with tokens in GPT-2's spelling."""
    return {
        "removed": [
            {"id": each.token_id, "token": spell(each.token), "count": each.count}
            for each in found.removed
        ],
        "tokens": len(found.new_ids),
        "old_ids": list(found.new_ids),
        "new_ids": list(found.new_ids.values()),
        "corpus_tokens": {"before": found.tokens_before, "after": found.tokens_after},
        "corpus_bytes": found.bytes,
    }
