"""`bpe-tui count`: the number of tokens in files."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from time import monotonic
from typing import Any

from bpe_tui.cli import choices, console, inputs, options
from bpe_tui.cli.declared import Given, command, examples
from bpe_tui.widgets.language import tr
from bpe_tui.widgets.numbers import number, throughput
from bpe_tui.widgets.rows import right
from bpe_tui.widgets.visible import visible_text
from engine.core.errors import BpeError
from engine.encoding.special_policy import TextSize, file_size
from engine.text.corpus import SourceReader
from engine.text.sources import Source, sources_of


@command(
    epilog=examples(
        "bpe-tui count *.txt --tokenizer tokenizer",
        "git diff | bpe-tui count - --tokenizer tokenizer",
    ),
)
def count(
    context: Given,
    files: list[str] = options.names_file("FILES...", f"Texts: {options.SOURCES_HELP}"),
    tokenizer: list[str] = options.TOKENIZER,
    pattern: str | None = options.OTHER_PATTERN,
    as_json: bool = options.JSON,
    allow_special: list[str] | None = options.ALLOW_SPECIAL,
    field: str | None = options.FIELD,
    skip_bad: bool = options.SKIP_BAD,
    max_bytes: int | None = options.MAX_BYTES,
) -> None:
    """Print the tokens and bytes of each file, and of all together.

    A file that cannot be counted is named on standard error; the others are counted.
    """
    loaded = inputs.open_named(tokenizer, pattern=pattern)
    policy = choices.policy_of(allow_special, loaded.special_tokens)
    policy.applied(loaded)  # an unknown token is an error at once
    reading = choices.reading_of(context, ())
    sizes: dict[str, TextSize] = {}
    refused = 0
    if not as_json:
        heads = (right(tr(name), cells)[0] for name, cells in COLUMNS.items())
        print(f"{' '.join(heads)}  {tr('file')}")
    started = monotonic()
    for source in _sources(files):
        try:
            if isinstance(source, BpeError):
                raise source
            name = source.given
            if name not in sizes:
                size = file_size(loaded, source.given, policy, _watched, reading)
                sizes[name] = size
                if not as_json:
                    print(_row(size, visible_text(name, spaces=False)), flush=True)
        except BpeError as error:
            refused += 1
            name, message = "" if isinstance(source, BpeError) else source.name, str(error)
            console.print_problem(message if name in message else f"{name}: {message}")
    total = sum(sizes.values(), start=TextSize(0, 0))
    if speed := throughput(total.bytes, started):
        print(speed, file=sys.stderr)
    if as_json:
        rows = [{"file": name, **_facts(size)} for name, size in sizes.items()]
        console.print_json({"files": rows, "total": _facts(total)})
    elif len(sizes) + refused > 1:
        print(_row(total, tr("total")))
    if refused:
        raise SystemExit(console.BAD_INPUT)


COLUMNS = {"tokens": 12, "bytes": 14, "bytes/token": 12}


def _sources(names: Sequence[str]) -> Iterator[Source | BpeError]:
    """Open each name; a name that matches nothing gives its error instead."""
    for name in dict.fromkeys(names):
        try:
            yield from sources_of(name)
        except BpeError as error:
            yield error


def _watched(reader: SourceReader) -> Iterator[bytes]:
    yield from console.with_progress(reader, reader)
    inputs.note_skipped(reader.skipped)


def _facts(size: TextSize) -> dict[str, Any]:
    return {**asdict(size), "bytes_per_token": round(size.bytes_per_token, 4)}


def _row(size: TextSize, name: str) -> str:
    return (
        f"{number(size.tokens):>12} {number(size.bytes):>14} {size.bytes_per_token:>12.3f}  {name}"
    )
