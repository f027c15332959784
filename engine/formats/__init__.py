"""Tokenizer file formats: one file each, one line in the registry."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from engine.errors import TokenizerFileError
from engine.formats import gpt2
from engine.formats.tokenizer_format import TokenizerFormat
from engine.patterns import Pattern
from engine.registry import Registry
from engine.tokenizer import Tokenizer

FORMATS: Registry[TokenizerFormat] = Registry("format", {f.name: f for f in (gpt2.FORMAT,)})
DEFAULT_FORMAT = "gpt2"


def load(
    path: str | os.PathLike[str],
    special_tokens: Sequence[str] | None = None,
    pattern: str | Pattern | None = None,
) -> Tokenizer:
    """Load a tokenizer, whichever format it is in.

    Raises:
        TokenizerFileError: nothing is there, no format fits, or the files are damaged.
    """
    place = Path(path)
    try:
        there = place.exists()
        fitting = [candidate for candidate in FORMATS.values() if candidate.recognises(place)]
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise TokenizerFileError(f"{path}: cannot be read: {reason}") from error
    if not there:
        raise TokenizerFileError(f"{path}: no such file or directory")
    if fitting:
        return fitting[0].load(place, special_tokens, pattern)
    known = "; ".join(candidate.summary for candidate in FORMATS.values())
    raise TokenizerFileError(f"{path}: holds no tokenizer in a known format ({known})")


def save(
    tokenizer: Tokenizer,
    path: str | os.PathLike[str],
    format: str | None = None,
    *,
    overwrite: bool = False,
) -> None:
    """Write a tokenizer in a format of the registry."""
    FORMATS[format or DEFAULT_FORMAT].save(tokenizer, Path(path), overwrite)
