"""Sources of text: files, folders, globs, standard input; unpacked, also from records.

A `Source` is one place that bytes are read from. Compressed files are recognised by their first
bytes or by the end of their names. They are unpacked in blocks, so none can fill the memory.

Texts may also be fields of records: JSON lines, or the columns of Parquet files. A broken record,
or one whose field holds no text, is an error or is skipped.
"""

from __future__ import annotations

import io
import os
import re
import stat
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext, suppress
from functools import partial
from itertools import islice
from typing import BinaryIO, NamedTuple, cast

from engine.core.errors import CorpusError
from engine.core.slow_modules import bz2, difflib, glob, gzip, json, lzma, zlib

BLOCK = 1 << 16
"""Size of the blocks that are read, in bytes."""
PACKED_BLOCK = 1 << 13
"""Size of the blocks that are read of a packed file, in bytes, since few may become very many.

Without it `gzip` reads 128 KB at a time from Python 3.12 on, and progress would come in jumps."""
_ZSTD_BLOCK = 1 << 10
STANDARD_INPUT = "-"
"""The name that means standard input."""


class Source(NamedTuple):
    """A place that bytes are read from: a file, or standard input.

    Attributes:
        path: the file; `None` for standard input.
        size: size as it is stored, in bytes; `None` for a pipe, which can be read only once.
    """

    path: str | None = None
    size: int | None = None

    @property
    def given(self) -> str:
        """Its name, which opens it again."""
        return self.path or STANDARD_INPUT

    @property
    def name(self) -> str:
        """A name to show."""
        return self.path or "standard input"

    def open(self) -> AbstractContextManager[BinaryIO]:
        """Open the file; of standard input return what is below its buffer, if it has one.

        Python locks the buffer while a thread waits for input, and cannot exit while it is locked.
        """
        if self.path is not None:
            return open(self.path, "rb")
        buffer: BinaryIO = sys.stdin.buffer
        return nullcontext(getattr(buffer, "raw", buffer))


# From a name to sources

_GLOB = re.compile(r"[*?[]")
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")


def sources_of(name: str | os.PathLike[str]) -> list[Source]:
    """Return the sources that a name means: one, or the files of a folder or glob, sorted by name.

    Args:
        name: a file, `-` for standard input, a folder (all files below it that are not hidden),
            or a glob such as `texts/**/*.gz`. If a file of that name exists, it is not read as a
            glob.

    Raises:
        CorpusError: no file is found, one may not be read, or the name is an address.
    """
    name = os.fspath(name)
    if not name:
        raise CorpusError("an empty name is no corpus; name a file")
    if name == STANDARD_INPUT:
        return [Source()]
    if _ADDRESS.match(name):  # it may contain a password, so it is not quoted
        raise CorpusError(
            "an address is not fetched; pipe it in (curl ADDRESS | bpe-tui -), or save it as a file"
        )
    if _GLOB.search(name) and not os.path.lexists(name):
        found = sorted(path for path in glob.iglob(name, recursive=True) if os.path.isfile(path))
        if not found:
            raise CorpusError(f"{name}: no file has a name like that")
    elif os.path.isdir(name):
        found = _files_below(name)
    else:
        return [_source(name)]
    sources = [_source(path) for path in found if size_on_disk(path)]
    if not sources:
        raise CorpusError(f"{name}: is empty; there is no file in it with anything to read")
    return sources


def _files_below(folder: str) -> list[str]:
    def refuse(error: OSError) -> None:
        raise CorpusError(f"{error.filename}: cannot be read: {error.strerror or error}")

    found: list[str] = []
    for place, folders, names in os.walk(folder, onerror=refuse):
        folders[:] = [each for each in folders if not each.startswith(".")]
        paths = (os.path.join(place, each) for each in names if not each.startswith("."))
        found += (path for path in paths if os.path.isfile(path))
    return sorted(found)


def size_on_disk(name: str | os.PathLike[str]) -> int:
    """Return the size of an ordinary file in bytes; 0 for anything else or if it does not exist."""
    try:
        status = os.stat(name)
    except (OSError, ValueError):
        return 0
    return status.st_size if stat.S_ISREG(status.st_mode) else 0


def _source(name: str) -> Source:
    """Return the file of this name; its size is `None` if it is a pipe."""
    try:
        status = os.stat(name)
    except FileNotFoundError:
        raise CorpusError(f"{name}: no such file{describe_near_file(name)}") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise CorpusError(f"{name}: cannot be opened: {reason}") from error
    if not os.access(name, os.R_OK):
        raise CorpusError(f"{name}: no permission to read it")
    if stat.S_IFMT(status.st_mode) in (stat.S_IFCHR, stat.S_IFBLK):
        raise CorpusError(f"{name}: is a device, which may have no end; name a file or pipe it in")
    return Source(name, status.st_size if stat.S_ISREG(status.st_mode) else None)


NEAR = 0.75
"""Least similarity of two file names, so that one may be meant by the other."""
NAMES_COMPARED = 10_000


def describe_near_file(name: str) -> str:
    """Return a hint for a path that does not exist, if a name beside it is nearly the same."""
    folder, last = os.path.split(name)
    with suppress(OSError, ValueError), os.scandir(folder or os.curdir) as entries:
        names = [entry.name for entry in islice(entries, NAMES_COMPARED)]
        if near := difflib.get_close_matches(last, names, cutoff=NEAR):
            return f"; did you mean {os.path.join(folder, near[0])}?"
    return ""


# Unpacking


class Stream:
    """The bytes of a source as they are stored, before unpacking.

    Attributes:
        head: the first bytes, by which their kind is recognised.
        taken: number of bytes read.
        most: the largest block that `read` returns after the head.
    """

    def __init__(self, raw: BinaryIO) -> None:
        self._raw = raw
        self.head = raw.read(BLOCK) or b""
        while len(self.head) < _LONGEST_SIGN and (more := raw.read(BLOCK)):
            self.head += more  # a pipe may return fewer bytes
        self.taken = len(self.head)
        self.most = BLOCK
        self._rest = self.head

    def read(self, size: int = -1) -> bytes:
        """Return the next bytes, at most `size`, and never more than `most`; none at the end."""
        size = self.most if size < 0 else min(size, self.most)
        if self._rest:
            block, self._rest = self._rest[:size], self._rest[size:]
            return block
        block = self._raw.read(size)
        self.taken += len(block)
        return block


def _zstd_blocks(stream: Stream) -> Iterator[bytes]:
    """Unpack zstd, a little input at a time, since a few bytes may become very many."""
    try:
        import zstandard
    except ImportError:
        raise CorpusError(
            "zstd files need the library zstandard, which is not installed; install it "
            "(pip install 'bpe-tui[zstd]'), or unpack the file"
        ) from None
    frame = None
    try:
        while data := stream.read(_ZSTD_BLOCK):
            while data:
                frame = frame or zstandard.ZstdDecompressor().decompressobj()
                if block := frame.decompress(data):
                    yield block
                data = frame.unused_data if frame.eof else b""
                if frame.eof:
                    frame = None
    except zstandard.ZstdError as error:
        raise EOFError(error) from error
    if frame is not None:
        raise EOFError("it ended before its end was marked")


class Packing(NamedTuple):
    """A compression format.

    Attributes:
        suffix: the end of its files' names.
        sign: a regex for its first bytes.
        unpack: a function that yields the unpacked blocks.
    """

    name: str
    suffix: str
    sign: bytes
    unpack: Callable[[Stream], Iterator[bytes]]


def _read_unpacked(
    open_packed: Callable[[BinaryIO], io.BufferedIOBase], stream: Stream
) -> Iterator[bytes]:
    with open_packed(cast(BinaryIO, stream)) as opened:  # only `read` is used
        yield from iter(partial(opened.read, BLOCK), b"")


PACKINGS = (
    Packing("gzip", ".gz", rb"\x1f\x8b", lambda stream: _read_unpacked(gzip.open, stream)),
    Packing(
        "bzip2",
        ".bz2",
        rb"BZh[1-9](?:1AY&SY|\x17rE8P\x90)",
        lambda stream: _read_unpacked(bz2.BZ2File, stream),
    ),
    Packing("xz", ".xz", rb"\xfd7zXZ\x00", lambda stream: _read_unpacked(lzma.LZMAFile, stream)),
    Packing("zstd", ".zst", rb"\x28\xb5\x2f\xfd", _zstd_blocks),
)
"""Recognised compression formats. Only bzip2's ten letters can begin a UTF-8 text."""
_LONGEST_SIGN = 10


def packing_of(name: str, head: bytes) -> Packing | None:
    """Return how a file is packed, by its first bytes or its name; `None` if it is not packed.

    >>> packing_of("corpus.txt", bytes.fromhex("1f8b08")).name
    'gzip'
    """
    for packing in PACKINGS if head else ():
        if name.endswith(packing.suffix) or re.match(packing.sign, head):
            return packing
    return None


def unpacked(name: str, stream: Stream, packing: Packing | None) -> Iterator[bytes]:
    """Yield the bytes of a source in blocks, unpacked.

    Raises:
        CorpusError: the packed data is damaged.
        OSError: the source cannot be read.
    """
    if packing is None:
        yield from iter(partial(stream.read, BLOCK), b"")
        return
    stream.most = PACKED_BLOCK
    try:
        yield from packing.unpack(stream)
    except (EOFError, zlib.error, lzma.LZMAError, OSError) as error:
        if getattr(error, "errno", None) is not None:
            raise
        # `gzip` and `bz2` report damage as an error of the system without a number.
        raise CorpusError(
            f"{name}: damaged {packing.name} file ({error}); pack it again"
        ) from error
    except CorpusError as error:
        raise CorpusError(f"{name}: {error}") from error


# Texts in records

PARQUET = b"PAR1"
"""The first and last bytes of Parquet files."""
LONGEST_LINE = 1 << 28
"""Longest line of JSON lines, in bytes; a longer one belongs to another kind of file."""
_MOST_NAMES = 8
_ROWS = 1 << 10

Skip = Callable[[CorpusError], None]
"""A function called with the error of each bad record: it raises the error or skips the record."""


def json_texts(name: str, blocks: Iterable[bytes], field: str, skip: Skip) -> Iterator[bytes]:
    r"""Yield the texts in a field of JSON lines; empty lines are ignored.

    Args:
        name: name of the file, for errors.
        blocks: the bytes of the file, cut at any place.
        field: the key that holds the text.
        skip: called for each bad record.

    >>> def stop(error): raise error
    >>> list(json_texts("a", [b'{"text": "one"}\n{"te', b'xt": "two"}'], "text", stop))
    [b'one', b'two']
    """
    for number, line in enumerate(_lines(name, blocks), 1):
        if not line.strip():
            continue
        try:
            yield _text_of(line, field)
        except CorpusError as error:
            skip(CorpusError(f"{name}: line {number:,} {error}"))


def _lines(name: str, blocks: Iterable[bytes]) -> Iterator[bytes]:
    parts: list[bytes] = []
    length, first = 0, True
    for block in blocks:
        if first:
            block, first = block.removeprefix(b"\xef\xbb\xbf"), False
        *whole, rest = block.split(b"\n")
        for line in whole:
            yield b"".join((*parts, line))
            parts, length = [], 0
        parts.append(rest)
        length += len(rest)
        if length > LONGEST_LINE:
            raise CorpusError(
                f"{name}: a line of more than {LONGEST_LINE:,} bytes; is it JSON lines?"
            )
    yield b"".join(parts)


def _text_of(line: bytes, field: str) -> bytes:
    try:
        record = json.loads(line)
    except RecursionError:
        raise CorpusError("is nested too deeply") from None
    except json.JSONDecodeError as error:
        reason = error.msg.removesuffix(" at")  # as `Unterminated string starting at` ends
        raise CorpusError(f"is no JSON: {reason} at character {error.pos + 1:,}") from None
    except ValueError:
        raise CorpusError("is not UTF-8") from None
    if not isinstance(record, dict):
        raise CorpusError("is no JSON object")
    if field not in record:
        raise CorpusError(f"has no field {field!r}{_list_names(list(record))}")
    return _bytes_of(record[field], field)


def _bytes_of(value: object, field: str) -> bytes:
    if not isinstance(value, str):
        raise CorpusError(f"holds no text in {field!r}")
    try:
        return value.encode()
    except UnicodeEncodeError:
        raise CorpusError(f"holds half a character in {field!r}") from None


def _list_names(names: list[str]) -> str:
    if not names:
        return ""
    more = ", …" if len(names) > _MOST_NAMES else ""
    return f"; there are: {', '.join(names[:_MOST_NAMES])}{more}"


def parquet_texts(
    name: str, file: BinaryIO, field: str, skip: Skip, on_part: Callable[[float], None]
) -> Iterator[bytes]:
    """Yield the texts in a column of a Parquet file.

    Args:
        name: name of the file, for errors.
        file: a seekable file.
        field: name of the column.
        skip: called for each bad row.
        on_part: called with the fraction of the rows that has been read.

    Raises:
        CorpusError: the file is damaged, or has no such column.
    """
    try:
        from pyarrow import ArrowException, parquet
    except ImportError:
        raise CorpusError(
            f"{name}: Parquet files need pyarrow, which is not installed; install it "
            "(pip install 'bpe-tui[parquet]')"
        ) from None
    try:
        with parquet.ParquetFile(file) as opened:
            columns = opened.schema_arrow.names
            if field not in columns:
                raise CorpusError(f"{name}: has no column {field!r}{_list_names(columns)}")
            row, rows = 0, opened.metadata.num_rows
            for batch in opened.iter_batches(_ROWS, columns=[field]):
                values: list[object] = batch.column(0).to_pylist()
                for value in values:
                    row += 1
                    try:
                        text = _bytes_of(value, field)
                    except CorpusError as error:
                        skip(CorpusError(f"{name}: row {row:,} {error}"))
                    else:
                        yield text
                on_part(row / rows)
    except (ArrowException, OSError, ValueError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        raise CorpusError(
            f"{name}: damaged Parquet file, or one that pyarrow cannot read; write it again"
        ) from error
