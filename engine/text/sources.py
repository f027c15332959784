"""From names to what lies there: files, folders, globs, standard input, addresses; unpacked.

A `Source` is one place with bytes in it. What is packed is known by its first bytes or its name's
end, and unpacked block by block, so that no packed file can fill the memory.
"""

from __future__ import annotations

import bz2
import glob
import gzip
import io
import json
import lzma
import os
import re
import stat
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Protocol, cast

from engine.core.errors import CorpusError
from engine.text.remote import RemoteFile, is_address

BLOCK = 1 << 16
"""Bytes that are read at once."""
STANDARD_INPUT = "-"
"""In place of the name of a file."""


class Source(Protocol):
    """One place with bytes in it.

    Attributes:
        given: its name, which opens it again.
        name: what to call it, without credentials.
        path: where it lies on this machine; `None` for standard input and addresses.
        size: bytes as they lie there; `None` where nobody knows. Of an address it is asked for.
    """

    @property
    def given(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def path(self) -> Path | None: ...
    @property
    def size(self) -> int | None: ...

    def open(self, seekable: bool = False) -> AbstractContextManager[BinaryIO]:
        """Its bytes; `seekable` asks for a file in which one can go back and forth."""


@dataclass(frozen=True)
class StandardInput:
    given: str = STANDARD_INPUT
    name: str = "standard input"
    path: None = None
    size: None = None

    def open(self, seekable: bool = False) -> AbstractContextManager[BinaryIO]:
        """Standard input without its buffer, if it has one.

        Python locks the buffer while a thread waits for input, and cannot exit as long as it is
        locked.
        """
        buffer: BinaryIO = sys.stdin.buffer
        return nullcontext(getattr(buffer, "raw", buffer))


@dataclass(frozen=True)
class LocalFile:
    given: str
    size: int | None

    @property
    def name(self) -> str:
        return self.given

    @property
    def path(self) -> Path:
        return Path(self.given)

    def open(self, seekable: bool = False) -> AbstractContextManager[BinaryIO]:
        return self.path.open("rb")


# From a name to sources.

_GLOB = re.compile(r"[*?[]")


def sources_of(name: str | os.PathLike[str]) -> list[Source]:
    """What a name stands for: one source, or the files of a folder or glob in order of their names.

    Args:
        name: a file, `-` for standard input, an address such as `https://…`, a folder (all files
            below it, but none that is hidden), or a glob such as `texts/**/*.gz`. A file that is
            there goes before a glob of the same name.

    Raises:
        CorpusError: nothing is there, or it may not be read.
    """
    name = os.fspath(name)
    if not name:
        raise CorpusError("an empty name is no corpus; name a file")
    if name == STANDARD_INPUT:
        return [StandardInput()]
    if is_address(name):
        return [RemoteFile(name)]
    if _GLOB.search(name) and not os.path.lexists(name):
        found = sorted(path for path in glob.iglob(name, recursive=True) if os.path.isfile(path))
        if not found:
            raise CorpusError(f"{name}: no file has a name like that")
        return _non_empty(name, found)
    if os.path.isdir(name):
        return _non_empty(name, _files_below(name))
    return [LocalFile(name, _size_of(Path(name)))]


def _files_below(folder: str) -> list[str]:
    def refuse(error: OSError) -> None:
        raise CorpusError(f"{error.filename}: cannot be read: {error.strerror or error}")

    found: list[str] = []
    for place, folders, names in os.walk(folder, onerror=refuse):
        folders[:] = [each for each in folders if not each.startswith(".")]
        paths = (os.path.join(place, each) for each in names if not each.startswith("."))
        found += (path for path in paths if os.path.isfile(path))
    return sorted(found)


def _non_empty(name: str, paths: list[str]) -> list[Source]:
    """The files that hold anything; of many, an empty one is no mistake."""
    sources: list[Source] = [
        LocalFile(path, _size_of(Path(path))) for path in paths if size_on_disk(path)
    ]
    if not sources:
        raise CorpusError(f"{name}: is empty; there is no file in it with anything to read")
    return sources


def size_on_disk(name: str | os.PathLike[str]) -> int:
    """Bytes of an ordinary file; 0 for anything else, and where nothing is."""
    try:
        status = os.stat(name)
    except (OSError, ValueError):
        return 0
    return status.st_size if stat.S_ISREG(status.st_mode) else 0


def _size_of(path: Path) -> int | None:
    """The size of an ordinary file, `None` for a pipe or device; an error for anything else."""
    try:
        status = path.stat()
    except FileNotFoundError:
        raise CorpusError(f"{path}: no such file") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise CorpusError(f"{path}: cannot be opened: {reason}") from error
    if not os.access(path, os.R_OK):
        raise CorpusError(f"{path}: no permission to read it")
    return status.st_size if stat.S_ISREG(status.st_mode) else None


def is_pipe(source: Source) -> bool:
    """Whether a source can be read only once."""
    return source.given == STANDARD_INPUT or (source.path is not None and source.size is None)


# Unpacking.


class Stream:
    """Bytes as they lie in a source, in order.

    Attributes:
        head: the first of them, to tell what they are.
        taken: how many have been read.
    """

    def __init__(self, raw: BinaryIO) -> None:
        self._raw = raw
        self.head = raw.read(BLOCK) or b""
        while len(self.head) < _LONGEST_SIGN and (more := raw.read(BLOCK)):
            self.head += more  # a pipe gives what it has
        self.taken = len(self.head)
        self._rest = self.head

    def read(self, size: int = -1) -> bytes:
        """The next bytes, `size` at the most; none at the end."""
        if self._rest:
            size = len(self._rest) if size < 0 else size
            block, self._rest = self._rest[:size], self._rest[size:]
            return block
        block = self._raw.read(size)
        self.taken += len(block)
        return block


def _blocks(stream: Stream | io.BufferedIOBase) -> Iterator[bytes]:
    while block := stream.read(BLOCK):
        yield block


def _zstd_blocks(stream: Stream) -> Iterator[bytes]:
    """Little is fed at once, since a few bytes may become very many."""
    try:
        import zstandard
    except ImportError:
        raise CorpusError(
            "zstd files need the library zstandard, which is not installed; install it "
            "(pip install 'bpe-tui[zstd]'), or unpack the file"
        ) from None
    frame = None
    try:
        while data := stream.read(1 << 10):
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


@dataclass(frozen=True)
class Packing:
    """A way of packing: how its files are called and begin, and how they are unpacked."""

    name: str
    suffix: str
    sign: bytes
    unpack: Callable[[Stream], Iterator[bytes]]


def _by(
    open_packed: Callable[[BinaryIO], io.BufferedIOBase],
) -> Callable[[Stream], Iterator[bytes]]:
    def unpack(stream: Stream) -> Iterator[bytes]:
        with open_packed(cast(BinaryIO, stream)) as opened:  # `read` is all that it asks of it
            yield from _blocks(opened)

    return unpack


PACKINGS = (
    Packing("gzip", ".gz", rb"\x1f\x8b", _by(lambda file: gzip.GzipFile(fileobj=file))),
    Packing("bzip2", ".bz2", rb"BZh[1-9](?:1AY&SY|\x17rE8P\x90)", _by(bz2.BZ2File)),
    Packing("xz", ".xz", rb"\xfd7zXZ\x00", _by(lzma.LZMAFile)),
    Packing("zstd", ".zst", rb"\x28\xb5\x2f\xfd", _zstd_blocks),
)
"""No UTF-8 text begins like any of them, but for bzip2's ten letters."""
_LONGEST_SIGN = 10
_DAMAGED = (EOFError, zlib.error, lzma.LZMAError, gzip.BadGzipFile)


def packing_of(name: str, head: bytes) -> Packing | None:
    """How a file is packed, by its first bytes or its name; `None` if it is not, or is empty.

    >>> packing_of("corpus.txt", bytes.fromhex("1f8b08")).name
    'gzip'
    """
    for packing in PACKINGS if head else ():
        if name.endswith(packing.suffix) or re.match(packing.sign, head):
            return packing
    return None


def unpacked(name: str, stream: Stream, packing: Packing | None) -> Iterator[bytes]:
    """The bytes of a source in blocks, unpacked.

    Raises:
        CorpusError: it is damaged.
        OSError: it cannot be read.
    """
    if packing is None:
        yield from _blocks(stream)
        return
    damaged = f"{name}: damaged {packing.name} file ({{}}); pack it anew"
    try:
        yield from packing.unpack(stream)
    except _DAMAGED as error:
        raise CorpusError(damaged.format(error)) from error
    except OSError as error:
        if error.errno is None:  # so `bz2` says it
            raise CorpusError(damaged.format(error)) from error
        raise
    except CorpusError as error:
        raise CorpusError(f"{name}: {error}") from error


PARQUET = b"PAR1"
"""How Parquet files begin and end."""
LONGEST_LINE = 1 << 28
"""Bytes of a line of JSON; what is longer is another kind of file."""
_NAMES_TOLD = 8
_ROWS = 1 << 10

Skip = Callable[[CorpusError], None]
"""Is told of each bad record; raises the error, or does not: the record is left out then."""


def json_texts(name: str, blocks: Iterable[bytes], field: str, skip: Skip) -> Iterator[bytes]:
    r"""The texts in a field of JSON lines; empty lines mean nothing.

    Args:
        name: of the file, for the errors.
        blocks: the file, cut anywhere.

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
        said = error.msg.removesuffix(" at")  # as `Unterminated string starting at` ends
        raise CorpusError(f"is no JSON: {said} at character {error.pos + 1:,}") from None
    except ValueError:
        raise CorpusError("is not UTF-8") from None
    if not isinstance(record, dict):
        raise CorpusError("is no JSON object")
    if field not in record:
        raise CorpusError(f"has no field {field!r}{_there_are(list(record))}")
    return _bytes_of(record[field], field)


def _bytes_of(value: object, field: str) -> bytes:
    if not isinstance(value, str):
        raise CorpusError(f"holds no text in {field!r}")
    try:
        return value.encode()
    except UnicodeEncodeError:
        raise CorpusError(f"holds half a character in {field!r}") from None


def _there_are(names: list[str]) -> str:
    if not names:
        return ""
    more = ", …" if len(names) > _NAMES_TOLD else ""
    return f"; there are: {', '.join(names[:_NAMES_TOLD])}{more}"


def parquet_texts(
    name: str, file: BinaryIO, field: str, skip: Skip, on_part: Callable[[float], None]
) -> Iterator[bytes]:
    """The texts in a column of a Parquet file, some rows at a time.

    Args:
        file: can be read back and forth.
        on_part: is told which part of the rows has been read, from 0 to 1.

    Raises:
        CorpusError: it is damaged, or has no such column of texts.
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
                raise CorpusError(f"{name}: has no column {field!r}{_there_are(columns)}")
            row, rows = 0, opened.metadata.num_rows
            for batch in opened.iter_batches(_ROWS, columns=[field]):
                for value in _values(batch):
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
            f"{name}: damaged Parquet file, or one that pyarrow cannot read; write it anew"
        ) from error


def _values(batch: Any) -> Iterator[object]:
    values: list[object] = batch.column(0).to_pylist()
    return iter(values)
