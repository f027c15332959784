"""What a tokenizer file format is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from engine.patterns import Pattern
from engine.tokenizer import Tokenizer


@dataclass(frozen=True)
class TokenizerFormat:
    """A way to write tokenizers down.

    `recognises(path)` looks at what is there, not at its name only. `load(path, special_tokens,
    pattern)` takes what the files say, but the arguments first. `save(tokenizer, path, overwrite)`
    writes atomically.
    """

    name: str
    summary: str
    recognises: Callable[[Path], bool]
    load: Callable[[Path, Sequence[str] | None, str | Pattern | None], Tokenizer]
    save: Callable[[Tokenizer, Path, bool], None]
