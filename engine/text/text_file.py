"""Reading any text block by block: a file, a gzip file, standard input; it may be empty.

A `Corpus` is read to be trained on, with its head kept and its progress told; here nothing is kept.
"""

from __future__ import annotations

import gzip
import os
import stat
import sys
import zlib
from collections.abc import Iterator
from io import BufferedReader
from pathlib import Path
from typing import cast

from engine.core.errors import CorpusError

BLOCK = 1 << 16
STANDARD_INPUT = "-"
_GZIP = b"\x1f\x8b"
"""How gzip files begin; no UTF-8 text does."""


def read_blocks(name: str | os.PathLike[str]) -> Iterator[bytes]:
    """The text of a file in blocks; `-` is standard input, and what gzip has packed is unpacked.

    Raises:
        CorpusError: it cannot be read, or is damaged.
    """
    name = os.fspath(name)
    try:
        if name == STANDARD_INPUT:
            yield from _unpacked(cast(BufferedReader, sys.stdin.buffer))
        else:
            _check_file(name)
            with Path(name).open("rb") as file:
                yield from _unpacked(file)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise CorpusError(f"{name}: damaged gzip file ({error}); pack it anew") from error
    except (OSError, ValueError) as error:  # ValueError: no file can have that name
        reason = getattr(error, "strerror", None) or error
        raise CorpusError(f"{name}: cannot be read: {reason}") from error


def size_on_disk(name: str | os.PathLike[str]) -> int:
    """Bytes of an ordinary file; 0 for anything else, and where nothing is."""
    try:
        status = os.stat(name)
    except (OSError, ValueError):
        return 0
    return status.st_size if stat.S_ISREG(status.st_mode) else 0


def _check_file(name: str) -> None:
    if Path(name).is_dir():
        raise CorpusError(f"{name}: is a directory; name a file in it")


def _unpacked(file: BufferedReader) -> Iterator[bytes]:
    if file.peek(len(_GZIP)).startswith(_GZIP):
        with gzip.GzipFile(fileobj=file) as unzipped:
            while block := unzipped.read(BLOCK):
                yield block
    else:
        while block := file.read(BLOCK):
            yield block
