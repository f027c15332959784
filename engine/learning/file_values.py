"""Values that the files of a class share: a corpus as it was, options of a training, short texts.

Such files are not trusted: the type and size of every value are checked, and nothing in them is
run or fetched.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import Any

from engine.core.errors import BpeError, CorpusError
from engine.core.json_fields import Fields
from engine.core.slow_modules import hashlib

MOST_SPECIAL = 1000
"""Largest number of special tokens."""
LONGEST_SPECIAL = 256
"""Largest number of characters of a special token."""

NUMBERS = ("vocab_size", "min_count", "max_token_length", "ngram", "most_words", "continued")
NAMES = ("pattern", "tie_rule", "trainer", "model", "units", "phases")
SPECIAL = "special_tokens"
"""Options of a training in a file: whole numbers, texts, and special tokens."""

Options = tuple[tuple[str, Any], ...]
"""Options and their values; the others have their defaults."""


@dataclass(frozen=True)
class KnownFile:
    """A file as it was when another file named it.

    Attributes:
        path: its path; in a quiz file relative to that file's folder.
        size: its size in bytes.
        digest: the SHA-256 of its bytes, in hex digits.
    """

    path: str
    size: int
    digest: str

    @classmethod
    def of(cls, path: str, most: float = inf) -> KnownFile:
        """Return a file as it is now.

        Args:
            most: reading stops once more bytes than this are read.

        Raises:
            CorpusError: it cannot be read.
        """
        summed, size = hashlib.sha256(), 0
        if os.path.exists(path) and not os.path.isfile(path):
            raise CorpusError(f"{path}: is no ordinary file")
        try:
            with open(path, "rb") as file:
                while size <= most and (block := file.read(1 << 20)):
                    summed.update(block)
                    size += len(block)
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            raise CorpusError(f"{path}: cannot be read: {reason}") from error
        return cls(path, size, summed.hexdigest())

    @property
    def has_changed(self) -> bool:
        """Whether the file has another content now.

        Raises:
            CorpusError: it cannot be read.
        """
        if os.path.isfile(self.path) and os.path.getsize(self.path) != self.size:
            return True
        return KnownFile.of(self.path, self.size).digest != self.digest


def read_small(path: Path, largest: int, what: str, error_type: type[BpeError]) -> bytes:
    """Return the bytes of an ordinary file of at most `largest` bytes.

    Raises:
        BpeError: of the type `error_type`: it cannot be read, or is larger than `what`.
    """
    try:
        if path.exists() and not path.is_file():  # reading a pipe might wait for ever
            raise error_type(f"{path}: is no ordinary file")
        with path.open("rb") as file:
            data = file.read(largest + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise error_type(f"{path}: cannot be read: {reason}") from error
    if len(data) > largest:
        raise error_type(f"{path}: is larger than {what}")
    return data


def read_options(fields: Fields) -> Options:
    """Read the options of a training under `options`.

    Raises:
        TokenizerFileError: an option is unknown, or its value has the wrong type.
    """
    options = fields.inner("options")
    read = dict.fromkeys(NUMBERS, options.count) | dict.fromkeys(NAMES, options.text)
    found: dict[str, Any] = {}
    for name in options.value:
        if name == SPECIAL:
            found[name] = tuple(options.texts(name))
            if len(found[name]) > MOST_SPECIAL:
                raise options.error(name, f"holds more than {MOST_SPECIAL:,} special tokens")
            if any(len(token) > LONGEST_SPECIAL for token in found[name]):
                raise options.error(name, f"one is longer than {LONGEST_SPECIAL} characters")
        elif name not in read:
            raise options.error(name[:60], "is no option of a training")
        elif options.has(name):
            found[name] = read[name](name)
    return tuple(found.items())


def short_text(fields: Fields, key: str, longest: int) -> str:
    """Read a text of at most `longest` characters.

    Raises:
        TokenizerFileError: it is longer, or no text.
    """
    text = fields.text(key)
    if len(text) > longest:
        raise fields.error(key, f"is longer than {longest:,} characters")
    return text
