"""Reading texts: a file, a gzip file or standard input, once from start to end, block by block.

`read_blocks` reads any text. A `Corpus` is a text to train on.
"""

from __future__ import annotations

import gzip
import os
import stat
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedReader
from pathlib import Path
from typing import BinaryIO, cast

from engine.core.errors import CorpusError
from engine.text.chunking import Chunk, ChunkCutter
from engine.text.patterns import Pattern
from engine.text.pretokenize import SpecialSplitter

BLOCK = 1 << 16
"""Bytes that are read at once."""
CHUNK = 1 << 19
"""Bytes that are counted at once."""
HEAD = 1 << 18
"""Bytes at the beginning of a corpus that are kept, to be shown."""
STANDARD_INPUT = "-"
_GZIP = b"\x1f\x8b"
"""How gzip files begin; no UTF-8 text does."""


def read_blocks(name: str | os.PathLike[str]) -> Iterator[bytes]:
    """Any text in blocks; it may be empty, and nothing of it is kept.

    Args:
        name: a file, or `-` for standard input. What gzip has packed is unpacked.

    Raises:
        CorpusError: it cannot be read, or is damaged.
    """
    name = os.fspath(name)
    with _errors_of_reading(name):
        if name == STANDARD_INPUT:
            yield from _unpacked(cast(BufferedReader, sys.stdin.buffer))
        elif Path(name).is_dir():
            raise CorpusError(f"{name}: is a directory; name a file in it")
        else:
            with Path(name).open("rb") as file:
                yield from _unpacked(file)


def size_on_disk(name: str | os.PathLike[str]) -> int:
    """Bytes of an ordinary file; 0 for anything else, and where nothing is."""
    try:
        status = os.stat(name)
    except (OSError, ValueError):
        return 0
    return status.st_size if stat.S_ISREG(status.st_mode) else 0


@contextmanager
def _errors_of_reading(name: str) -> Iterator[None]:
    """Have what goes wrong while reading say which file it was."""
    try:
        yield
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise CorpusError(f"{name}: damaged gzip file ({error}); pack it anew") from error
    except (OSError, ValueError) as error:  # ValueError: no file can have that name
        reason = getattr(error, "strerror", None) or error
        raise CorpusError(f"{name}: cannot be read: {reason}") from error


def _unpacked(file: BufferedReader) -> Iterator[bytes]:
    if file.peek(len(_GZIP)).startswith(_GZIP):
        with gzip.GzipFile(fileobj=file) as unzipped:
            yield from _blocks(unzipped)
    else:
        yield from _blocks(file)


def _blocks(stream: BinaryIO | gzip.GzipFile) -> Iterator[bytes]:
    while block := stream.read(BLOCK):
        yield block


class Corpus:
    """A corpus to be read once, with its head kept and its progress noted.

    Args:
        source: a file, unpacked if its name ends in `.gz`, or `-` for standard input.

    Raises:
        CorpusError: there is no such file, it is empty, a directory, or may not be read.

    Attributes:
        name: what to call it: the path as given, or `standard input`.
        path: where it lies; `None` for standard input.
        bytes_total: the size on disk; `None` if it is no ordinary file.
        head: the first bytes of the text, up to `HEAD`, as far as they have been read.
        head_is_all: whether nothing has been read beyond them.
    """

    def __init__(self, source: str | os.PathLike[str]) -> None:
        if os.fspath(source) == STANDARD_INPUT:
            self.name, self.path = "standard input", None
            self.bytes_total: int | None = None
        else:
            self.path = Path(source)
            self.name = str(source)
            self.bytes_total = _size_of(self.path)
        self.head = b""
        self.head_is_all = True
        self._bytes_read = 0

    def chunks(
        self, pattern: Pattern, splitter: SpecialSplitter, size: int = CHUNK
    ) -> Iterator[Chunk]:
        """The corpus in chunks of about `size` bytes, cut where no pretoken stands across.

        Raises:
            CorpusError: it is empty, cannot be read, or has become shorter since it was opened.
        """
        for chunk in ChunkCutter(pattern, splitter, size).cut(self._blocks()):
            yield chunk._replace(bytes_read=self._bytes_read)

    def read_head(self) -> None:
        """Read no more than `head`, where the rest is known already."""
        for _ in self._blocks():
            if not self.head_is_all:
                break

    def _blocks(self) -> Iterator[bytes]:
        """Blocks of text; how much of the file has been read and the head are noted on the way."""
        with _errors_of_reading(self.name):
            if self.path is None:
                yield from self._blocks_of(_standard_input())
                return
            with self.path.open("rb") as raw, self._unchanged(raw):
                if self.path.suffix == ".gz":
                    with gzip.GzipFile(fileobj=raw) as unzipped:
                        yield from self._blocks_of(unzipped, packed=raw)
                else:
                    yield from self._blocks_of(raw)

    @contextmanager
    def _unchanged(self, file: BinaryIO) -> Iterator[None]:
        """An error if the file is another one in the end than it was when it was opened."""
        assert self.path is not None
        before = os.fstat(file.fileno())
        yield
        # What has taken its place would be another text for whoever reads the corpus once more.
        for after in (os.fstat(file.fileno()), self.path.stat()):
            if stat.S_ISREG(before.st_mode) and _as_it_is(before) != _as_it_is(after):
                raise CorpusError(f"{self.name}: was changed while being read. Open it again")

    def _blocks_of(
        self, stream: BinaryIO | gzip.GzipFile, packed: BinaryIO | None = None
    ) -> Iterator[bytes]:
        size = 0
        for block in _blocks(stream):
            size += len(block)
            self._bytes_read = size if packed is None else packed.tell()
            self._note_head(block)
            yield block
        if not size:
            raise CorpusError(f"{self.name}: is empty; there is nothing to train on")
        if packed is None and self.bytes_total and size < self.bytes_total:
            raise CorpusError(
                f"{self.name}: ended after {size:,} of {self.bytes_total:,} bytes; it was cut "
                "short while being read. Open it again"
            )
        if packed is not None:
            self._bytes_read = packed.tell()  # a gzip file goes on a little behind its last block

    def _note_head(self, block: bytes) -> None:
        room = HEAD - len(self.head)
        self.head += block[:room]
        self.head_is_all &= len(block) <= room


def _as_it_is(status: os.stat_result) -> tuple[int, ...]:
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns


def _standard_input() -> BinaryIO:
    """Standard input without its buffer, if it has one.

    Python locks the buffer while a thread waits for input, and cannot exit as long as it is locked.
    """
    buffer: BinaryIO = sys.stdin.buffer
    return getattr(buffer, "raw", buffer)


def _size_of(path: Path) -> int | None:
    """The size of an ordinary file, `None` for a pipe or device; an error for anything else."""
    try:
        status = path.stat()
    except FileNotFoundError:
        raise CorpusError(f"{path}: no such file") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise CorpusError(f"{path}: cannot be opened: {reason}") from error
    if stat.S_ISDIR(status.st_mode):
        raise CorpusError(f"{path}: is a directory; name a file in it")
    if not os.access(path, os.R_OK):
        raise CorpusError(f"{path}: no permission to read it")
    if not stat.S_ISREG(status.st_mode):
        return None
    if not status.st_size:
        raise CorpusError(f"{path}: is empty; there is nothing to train on")
    return status.st_size
