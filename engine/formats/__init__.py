"""Tokenizer file formats: one file each, one line in the registry."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from engine.errors import TokenizerFileError
from engine.formats import gpt2, tokenizer_json
from engine.formats.source import Source
from engine.formats.tokenizer_format import Opened, TokenizerFormat, Wishes
from engine.patterns import Pattern
from engine.registry import Registry
from engine.tokenizer import Tokenizer

FORMATS: Registry[TokenizerFormat] = Registry(
    "format", {f.name: f for f in (tokenizer_json.FORMAT, gpt2.FORMAT)}
)
"""In the order in which they are asked whether they recognise something."""
DEFAULT_FORMAT = "gpt2"


def open_tokenizer(
    *paths: str | os.PathLike[str],
    special_tokens: Sequence[str] | None = None,
    pattern: str | Pattern | None = None,
) -> Opened:
    """Open a tokenizer, whichever format it is in.

    Args:
        paths: a file, a directory, or vocabulary and merges; or the name of a known encoding.
        special_tokens, pattern: go before what the files say.

    Raises:
        TokenizerFileError: nothing is there, no format fits, or the files are damaged.
    """
    source = Source(paths)
    for candidate in FORMATS.values():
        if candidate.recognises(source):
            return candidate.load(source, Wishes(special_tokens, pattern))
    if not source.exists:
        raise TokenizerFileError(f"{source}: no such file or directory")
    known = "; ".join(candidate.summary for candidate in FORMATS.values())
    raise TokenizerFileError(f"{source}: holds no tokenizer in a known format ({known})")


def save(
    tokenizer: Tokenizer,
    path: str | os.PathLike[str],
    format: str | None = None,
    *,
    overwrite: bool = False,
) -> None:
    """Write a tokenizer in a format of the registry.

    Raises:
        TokenizerFileError: the format cannot say what the tokenizer is, or is only read.
        OutputExistsError: something is there and `overwrite` is false.
    """
    chosen = FORMATS[format or DEFAULT_FORMAT]
    if chosen.save is None:
        writable = ", ".join(name for name, each in FORMATS.items() if each.save is not None)
        raise TokenizerFileError(
            f"{path}: the format {chosen.name} is only read; choose one of {writable}"
        )
    chosen.save(tokenizer, Path(path), overwrite)
