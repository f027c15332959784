"""Texts read once from start to end, in blocks, from one source or from several in a row.

`read_blocks` reads any text. A `Corpus` is a text to train on.

Several files make one text, and so do the records of a file. Two of them are separated by the first
special token if there is one, else by a newline, unless the first already ends in a newline.
"""

from __future__ import annotations

import os
from codecs import BOM_UTF8
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from operator import attrgetter
from typing import NamedTuple

from engine.core.errors import CorpusError
from engine.text.patterns import Pattern
from engine.text.pretokenize import Chunk, ChunkCutter, SpecialSplitter, to_bytes
from engine.text.sources import (
    BLOCK,
    PARQUET,
    Source,
    Stream,
    json_texts,
    packing_of,
    parquet_texts,
    sources_of,
    unpacked,
)

CHUNK = 1 << 19
"""Size of the chunks that are counted at once, in bytes."""
HEAD = 1 << 18
"""Number of bytes from the beginning of a corpus that are kept to be shown."""
MOST_GROWTH, ALWAYS_UNPACKED = 100, 1 << 26
"""The most times its size that a packed file may become, and the bytes that any may become."""
NEWLINE = b"\n"


class Reading(NamedTuple):
    """Options for reading a corpus, besides its first name.

    Attributes:
        more: further names, read after the first.
        field: the field that holds the text in JSON lines or Parquet; `None` for plain text.
        skip_bad: whether to leave out records that are broken or hold no text.
        max_bytes: number of bytes that a packed file may become; by default it may grow
            `MOST_GROWTH` times, and to `ALWAYS_UNPACKED` bytes.
    """

    more: tuple[str, ...] = ()
    field: str | None = None
    skip_bad: bool = False
    max_bytes: int | None = None


PLAIN = Reading()


def is_plain(name: str, head: bytes) -> bool:
    """Whether a file is read as it is, by its name and first bytes.

    >>> is_plain("a.txt", b"low"), is_plain("a.txt.gz", b"low"), is_plain("a.txt", b"PAR1")
    (True, False, False)
    """
    return packing_of(name, head) is None and not head.startswith(PARQUET)


def read_blocks(
    name: str | os.PathLike[str], reading: Reading = PLAIN, separator: bytes = NEWLINE
) -> SourceReader:
    """Open a text to iterate over its blocks, which are not kept; it may be empty.

    Args:
        name: a name that `sources_of` accepts. Compressed files are unpacked.

    Raises:
        CorpusError: the text cannot be read. Iteration raises it too, also for a damaged file.
    """
    name = os.fspath(name)
    with _errors_of_reading(name):
        return SourceReader(sources_of(name), reading, separator)


def separator_of(special_tokens: Sequence[str]) -> bytes:
    """Return the bytes that separate two texts of a corpus.

    >>> separator_of(["<s>", "<pad>"]), separator_of([])
    (b'<s>', b'\\n')
    """
    return to_bytes(special_tokens[0]) if special_tokens else NEWLINE


def between(last: bytes, separator: bytes) -> bytes:
    r"""Return the bytes to insert between a text that ends in `last` and the next text.

    >>> between(b"one", b"\n"), between(b"one\n", b"\n"), between(b"one\n", b"<s>")
    (b'\n', b'', b'<s>')
    """
    newline_is_there = separator == NEWLINE and last.endswith(NEWLINE)
    return b"" if newline_is_there else separator


def without_mark(blocks: Iterable[bytes]) -> Iterator[bytes]:
    r"""Yield the blocks of a text without the byte order mark of UTF-8 at its start.

    >>> list(without_mark([b"\xef\xbb", b"\xbflow", b"er"]))
    [b'low', b'er']
    """
    rest, head = iter(blocks), b""
    for block in rest:
        head += block
        if len(head) >= len(BOM_UTF8):
            break
    if head := head.removeprefix(BOM_UTF8):
        yield head
    yield from rest


@contextmanager
def _errors_of_reading(name: str) -> Iterator[None]:
    """Turn errors of the system into `CorpusError`s that name the file."""
    try:
        yield
    except (OSError, ValueError) as error:  # ValueError: no file can have that name
        reason = getattr(error, "strerror", None) or error
        raise CorpusError(f"{name}: cannot be read: {reason}") from error


_identity = attrgetter("st_dev", "st_ino", "st_size", "st_mtime_ns")


class Corpus:
    """A text to train on, read once; keeps its head and counts the bytes that were read.

    Args:
        source: a name that `sources_of` accepts: a file, `-` for standard input, a folder, a glob.
            Compressed files are unpacked.
        reading: further names, and the field that holds the texts.
        separator: the bytes between two texts: `separator_of(special_tokens)`.

    Raises:
        CorpusError: the file does not exist, is empty, or may not be read.

    Attributes:
        name: a name to show: the path as given, or `standard input`.
        sources: the sources, in the order in which they are read.
        paths: the files that are read; `None` if one is standard input.
        is_read_once: whether some source is standard input or another pipe.
        head: the first bytes of the text, at most `HEAD`, as far as they have been read.
        head_is_all: whether nothing has been read beyond the head.
        reader: the current pass through the text: its size, and what has been read and left out.
    """

    def __init__(
        self, source: str | os.PathLike[str], reading: Reading = PLAIN, separator: bytes = NEWLINE
    ) -> None:
        names = (source, *reading.more)
        self.sources = [each for name in names for each in sources_of(name)]
        for each in self.sources:
            if each.size == 0:
                raise CorpusError(f"{each.name}: is empty; there is nothing to train on")
        first, more = self.sources[0], len(self.sources) - 1
        self.name = f"{first.name} and {more:,} more" if more else first.name
        self.reading, self.separator = reading, separator
        paths = [each.path for each in self.sources if each.path is not None]
        self.paths = paths if len(paths) == len(self.sources) else None
        self.is_read_once = any(each.size is None for each in self.sources)
        self.head = b""
        self.head_is_all = True
        self.reader = SourceReader(self.sources, reading, separator, keeps_marks=False)

    def chunks(
        self, pattern: Pattern, splitter: SpecialSplitter, size: int = CHUNK
    ) -> Iterator[Chunk]:
        """Yield the corpus in chunks of about `size` bytes, cut between two pretokens.

        Raises:
            CorpusError: it is empty, cannot be read, or became shorter after it was opened.
        """
        for chunk in ChunkCutter(pattern, splitter, size).cut(self._blocks()):
            yield chunk._replace(bytes_read=self.reader.taken)

    def _blocks(self) -> Iterator[bytes]:
        """Yield the text in blocks and keep its head."""
        self.reader = SourceReader(self.sources, self.reading, self.separator, keeps_marks=False)
        self.head, self.head_is_all = b"", True
        empty = True
        for block in self.reader:
            empty = False
            room = HEAD - len(self.head)
            self.head += block[:room]
            self.head_is_all &= len(block) <= room
            yield block
        if empty:
            raise CorpusError(f"{self.name}: is empty; there is nothing to train on")


class SourceReader:
    """A reader of several sources, one after another.

    Args:
        separator: the bytes between two texts.
        keeps_marks: whether a byte order mark at the start of a source is part of its text.

    Attributes:
        total: size of all sources as they are stored, in bytes; `None` if unknown.
        skipped: number of bad records left out.
    """

    def __init__(
        self,
        sources: Sequence[Source],
        reading: Reading,
        separator: bytes,
        *,
        keeps_marks: bool = True,
    ) -> None:
        self._sources, self._reading, self._separator = sources, reading, separator
        self._keeps_marks = keeps_marks
        self._before = 0  # bytes of the sources that have been read completely
        self._taken: Callable[[], int] = lambda: 0
        self.skipped = 0
        sizes = [each.size for each in sources]
        self.total = None if None in sizes else sum(filter(None, sizes))

    @property
    def taken(self) -> int:
        """Number of bytes read so far, before unpacking."""
        return self._before + self._taken()

    def __iter__(self) -> Iterator[bytes]:
        """Yield the text in blocks, unpacked and joined.

        Raises:
            CorpusError: a source cannot be read, or is damaged.
        """
        last = b""
        for source in self._sources:
            begun = False
            with _errors_of_reading(source.name):
                for block in self._blocks_of(source):
                    if not begun and last and (put := between(last, self._separator)):
                        yield put
                    begun, last = True, block
                    yield block
            self._before, self._taken = self.taken, lambda: 0

    def _blocks_of(self, source: Source) -> Iterator[bytes]:
        field = self._reading.field
        with source.open() as raw:
            before = None if source.size is None else os.fstat(raw.fileno())
            stream = Stream(raw)
            self._taken = lambda: stream.taken
            if stream.head.startswith(PARQUET):
                yield from self._of_parquet(source)
            else:
                packing = packing_of(source.name, stream.head)
                blocks = unpacked(source.name, stream, packing)
                if packing is not None:
                    blocks = self._bounded(source.name, blocks)
                if not self._keeps_marks:
                    blocks = without_mark(blocks)
                if field is not None:
                    blocks = self._joined(json_texts(source.name, blocks, field, self._skip))
                yield from blocks
                self._check_length(source, stream.taken, is_packed=packing is not None)
            if source.path is not None and before is not None:
                # A second reading of the path would give another text, so its file is compared too.
                for after in (os.fstat(raw.fileno()), os.stat(source.path)):
                    if _identity(before) != _identity(after):
                        raise CorpusError(
                            f"{source.path}: was changed while being read. Open it again"
                        )

    def _of_parquet(self, source: Source) -> Iterator[bytes]:
        field, size = self._reading.field, source.size
        if field is None:
            raise CorpusError(
                f"{source.name}: is a Parquet file; say which column holds the text (--field text)"
            )
        if size is None:
            raise CorpusError(f"{source.name}: a Parquet file is read from its end; save it first")

        def on_part(done: float) -> None:
            self._taken = lambda: round(done * size)

        on_part(0)
        with source.open() as file:
            texts = parquet_texts(source.name, file, field, self._skip, on_part)
            yield from self._bounded(source.name, self._joined(texts))

    def _bounded(self, name: str, blocks: Iterable[bytes]) -> Iterator[bytes]:
        """Yield the blocks of a packed source, unless it becomes too large."""
        size = 0
        for block in blocks:
            size += len(block)
            most = self._reading.max_bytes or max(MOST_GROWTH * self._taken(), ALWAYS_UNPACKED)
            if size > most:
                raise CorpusError(
                    f"{name}: unpacks to more than {most:,} bytes; if it should, allow more with "
                    "--max-bytes N, or unpack it first"
                )
            yield block

    def _joined(self, texts: Iterable[bytes]) -> Iterator[bytes]:
        """Yield blocks of the non-empty texts with separators between them."""
        parts: list[bytes] = []
        length, last = 0, b""
        for text in filter(None, texts):
            parts += (between(last, self._separator), text) if last else (text,)
            length, last = length + len(text) + len(self._separator), text
            if length >= BLOCK:
                yield b"".join(parts)
                parts, length = [], 0
        if parts:
            yield b"".join(parts)

    def _skip(self, error: CorpusError) -> None:
        if not self._reading.skip_bad:
            hint = "; mend it, or leave such records out with --skip-bad"
            raise CorpusError(f"{error}{hint}")
        self.skipped += 1

    def _check_length(self, source: Source, taken: int, *, is_packed: bool) -> None:
        if source.size is not None and taken < source.size and not is_packed:
            raise CorpusError(
                f"{source.name}: ended after {taken:,} of {source.size:,} bytes; it was cut "
                "short while being read. Open it again"
            )
