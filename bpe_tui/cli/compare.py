"""`bpe-tui compare`: the differences of tokenizers."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise
from pathlib import Path
from typing import Any

from bpe_tui.cli import choices, console, inputs, options
from bpe_tui.cli.declared import command, examples
from bpe_tui.widgets.language import plural, tr
from bpe_tui.widgets.numbers import number
from bpe_tui.widgets.rows import Span, left, spans_width
from bpe_tui.widgets.visible import shorten, visible_bytes, visible_text, width
from bpe_tui.words.encoded_text import chips
from bpe_tui.words.measures import describe_merge_difference, short_names
from engine.analysis import text_comparison
from engine.core.json_fields import gc_paused
from engine.encoding.tokenizer import Tokenizer
from engine.text.corpus import read_blocks
from engine.text.sources import sources_of

NAME_CELLS, COLUMN = 22, 16
CONTEXT = 12
"""Bytes of the text on either side of a difference."""
EXAMPLES, LONGEST = 8, 60


@dataclass(frozen=True)
class TokenizerComparison:
    """A comparison: tokenizers with their names, and texts with theirs."""

    names: Sequence[str]
    tokenizers: Sequence[Tokenizer]
    texts: Sequence[tuple[str, text_comparison.TextComparison]]


Line = str | list[Span]


def describe(compared: TokenizerComparison, limit: int | None) -> Iterator[Line]:
    """Yield the comparison in lines: the measures, then the first `limit` differences."""
    for name, text in compared.texts:
        yield from _describe_measures(compared, name, text)
        yield ""
    yield _line(tr("vocabulary"), [_name(name, COLUMN - 2) for name in compared.names])
    found = text_comparison.overlap(compared.tokenizers)
    yield _line(tr("  different tokens"), map(number, found.sizes))
    yield _line(tr("  merges"), (number(len(each.merges)) for each in compared.tokenizers))
    yield _line(tr("  only here"), (number(len(tokens)) for tokens in found.only))
    yield _line(tr("  in all"), [number(found.shared)])
    for name, tokens in zip(compared.names, found.only, strict=True):
        if tokens:
            yield tr("  only in {name}: {tokens}", name=_name(name, 40), tokens=_few(tokens))
    for other, name in islice(zip(compared.tokenizers, compared.names, strict=True), 1, None):
        difference = text_comparison.first_merge_difference(compared.tokenizers[0], other)
        both = _name(compared.names[0], 30), _name(name, 30)
        described = describe_merge_difference(difference, *both, has_merges=bool(other.merges))
        yield f"  {described}"
    for name, text in compared.texts:
        yield ""
        yield from _describe_differences(compared, name, text, limit)


def _describe_measures(
    compared: TokenizerComparison, name: str, text: text_comparison.TextComparison
) -> Iterator[Line]:
    names = [_name(each, COLUMN - 2) for each in compared.names]
    yield _line(_name(Path(name).name, NAME_CELLS - 1), names)
    yield _line(tr("  tokens"), map(number, text.token_counts))
    first = f"  × {_name(compared.names[0], COLUMN)}"
    yield _line(first, (f"{each:.3f}" for each in text.times_first))
    yield _line(tr("  bytes/token"), (f"{each:.3f}" for each in text.bytes_per_token))


def _describe_differences(
    compared: TokenizerComparison,
    name: str,
    text: text_comparison.TextComparison,
    limit: int | None,
) -> Iterator[Line]:
    places, shown = len(text.differences), visible_text(Path(name).name, spaces=False)
    if not places:
        yield tr("{shown}: all cut it alike.", shown=shown)
        return
    share = 100 * text.differing_bytes / len(text.data)
    yield tr(
        "{shown}: cut differently in {places}, {differing_bytes} of {bytes} ({share}%):",
        shown=shown,
        places=plural(places, "place"),
        differing_bytes=text.differing_bytes,
        bytes=plural(len(text.data), "byte"),
        share=f"{share:.1f}",
    )
    for difference in islice(text.differences, limit):
        yield from _describe_difference(compared.names, text.data, difference)
    if limit is not None and places > limit:
        template = "  … and in {places} more; --all prints them"
        yield tr(template, places=plural(places - limit, "place"))


def _describe_difference(
    names: Sequence[str], data: bytes, difference: text_comparison.Difference
) -> Iterator[Line]:
    """Yield the difference as each tokenizer cuts it, between its neighbours in the text."""
    start, end = difference.start, difference.end
    before = _whole_characters(data[max(start - CONTEXT, 0) : start])
    after = _whole_characters(data[end : end + CONTEXT])
    longest = max(map(width, (_name(name, COLUMN) for name in names)))
    yield [(tr("  byte {start}", start=start), "")]
    for name, edges in zip(names, difference.edges, strict=True):
        tokens = chips(data[a:b] for a, b in pairwise(edges))
        label = left([(f"    {_name(name, COLUMN)}", "")], longest + 4)
        count = plural(len(edges) - 1, "token")
        shown = tokens if spans_width(tokens) <= LONGEST else left(tokens, LONGEST)
        yield [*label, (f"  {before}│", ""), *shown, (f"│{after}   {count}", "")]


def _whole_characters(data: bytes) -> str:
    """Return the characters near a difference, without bytes of those that are cut."""
    return visible_text(data.decode("utf-8", "ignore"))


def _line(name: str, values: Any) -> str:
    """Return a name and a column for each value, aligned right."""
    padded = name + " " * (NAME_CELLS - width(name))
    return padded + "".join(" " * (COLUMN - width(value)) + value for value in values)


def _name(name: str, cells: int) -> str:
    return shorten(visible_text(name, spaces=False), cells)


def _few(tokens: Sequence[bytes]) -> str:
    shown = "  ".join(shorten(visible_bytes(token), 20) for token in tokens[:EXAMPLES])
    return shown + ("  …" if len(tokens) > EXAMPLES else "")


FIRST = 10
"""Number of differences that are printed without `--all`."""


@command(
    epilog=examples(
        "bpe-tui compare mine theirs --file samples/tinystories_valid.txt",
        'bpe-tui compare mine theirs other --text "unbelievable"',
    )
)
def compare(
    tokenizers: list[str] = options.names_file(
        "A B [C]...", f"Tokenizers in any known format. {options.KNOWN_ONES}"
    ),
    text: str | None = options.option("--text TEXT", "A text to encode with all.", options.TEXT),
    file: list[str] | None = options.names_file(
        "--file FILE",
        "A file to encode with all, or a glob in quotes; repeat it for more.",
        options.TEXT,
    ),
    allow_special: list[str] | None = options.ALLOW_SPECIAL,
    every: bool = options.option(
        "--all", f"Print all differences, not the first {FIRST}.", options.OUTPUT
    ),
    on_screen: bool = options.option(
        "--open", "Show it on the screen, side by side.", options.OUTPUT
    ),
) -> None:
    """Print how tokenizers differ, and how they cut a text.

    Without a text, their vocabularies and merges only.
    """
    if len(tokenizers) < 2:
        raise inputs.CommandLineError(
            "there is nothing to compare with; name two tokenizers or more"
        )
    with gc_paused():
        loaded = [inputs.open_named([each]) for each in tokenizers]
    texts = list(_texts(text, file or ()))
    if on_screen:
        raise SystemExit(_open(tokenizers, loaded, allow_special, texts))
    limit = None if every else FIRST
    with gc_paused():  # until all is printed and the tokenizers are freed
        encoded = _compared(loaded, allow_special, texts)
        for line in describe(TokenizerComparison(short_names(tokenizers), loaded, encoded), limit):
            console.print_line(line, "│")


def _compared(
    loaded: Sequence[Tokenizer], allow_special: list[str] | None, texts: Sequence[tuple[str, bytes]]
) -> list[tuple[str, text_comparison.TextComparison]]:
    """Return each text's name, and its encodings by all."""
    allowing = _allowing(loaded, allow_special)
    comparisons = []
    for name, data in texts:
        template = "encoding {name} with {tokenizers} …"
        console.show_progress(tr(template, name=name, tokenizers=plural(len(loaded), "tokenizer")))
        comparisons.append((name, text_comparison.TextComparison(allowing, data)))
    console.show_progress("")
    return comparisons


def _open(
    names: Sequence[str],
    tokenizers: Sequence[Tokenizer],
    allow_special: list[str] | None,
    texts: Sequence[tuple[str, bytes]],
) -> int:
    """Show the comparison on the screen, with the first text if any; return the exit code."""
    inputs.check_terminal()
    data = texts[0][1] if texts else b""
    allowing = _allowing(tokenizers, allow_special)
    from bpe_tui.app.base import run_screen  # slow to import, and only needed here
    from bpe_tui.studies.comparison import ComparedTokenizer, ComparisonScreen

    def given(tokenizer: Tokenizer) -> Callable[[], Tokenizer]:
        return lambda: tokenizer

    compared = list(map(ComparedTokenizer, names, map(given, allowing)))
    return run_screen(lambda: ComparisonScreen(compared, data))


def _texts(text: str | None, files: Sequence[str]) -> Iterator[tuple[str, bytes]]:
    """Yield each text with its name."""
    if text is not None:
        yield tr("text"), os.fsencode(text)
    for given in files:
        # Each file of a glob is a text of its own.
        for name in [each.given for each in sources_of(given)] if "*" in given else [given]:
            reader = read_blocks(name)
            yield name, b"".join(console.with_progress(reader, reader))


def _allowing(tokenizers: Sequence[Tokenizer], allow_special: list[str] | None) -> list[Tokenizer]:
    """Return the tokenizers, each with the allowed special tokens that it has."""
    every = [token for tokenizer in tokenizers for token in tokenizer.special_tokens]
    policy = choices.policy_of(allow_special, every)
    if policy.allowed is None:
        return list(tokenizers)
    if unknown := sorted(policy.allowed.difference(every)):
        raise inputs.CommandLineError(
            f"{unknown[0]!r} is a special token of none of these tokenizers"
        )
    return [
        tokenizer.allowing(policy.allowed.intersection(tokenizer.special_tokens))
        for tokenizer in tokenizers
    ]
