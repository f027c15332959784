"""The files or the name that a tokenizer is read from, read with limits on size and kind.

Nothing about a file is believed: it may be no text, no JSON, endless, or not what its name says.
"""

from __future__ import annotations

import json
import os
import re
import stat
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any
from zlib import decompressobj
from zlib import error as ZlibError

from engine.core.errors import TokenizerFileError
from engine.core.files import finish_writing

LARGEST = 1 << 28
"""Bytes of the largest file that is read: eight times the largest tokenizer in use."""
MOST_LINES = 1 << 21
"""Twice as many as the largest vocabulary has merges."""
MOST_VALUES = 1 << 23
"""In a JSON file: each is an object of its own, many times larger than its text."""
HEAD = 1 << 12


class TokenizerSource:
    """One path or two (vocabulary and merges), or the name of a known encoding.

    Attributes:
        given: as the caller spelled it.
    """

    def __init__(self, given: Sequence[str | os.PathLike[str]]) -> None:
        self.given = tuple(os.fspath(each) for each in given)

    def __str__(self) -> str:
        return " and ".join(self.given)

    @cached_property
    def paths(self) -> tuple[Path, ...]:
        return tuple(map(Path, self.given))

    @cached_property
    def _modes(self) -> tuple[int | None, ...]:
        """What is under each path, as `stat` says; `None` for nothing.

        Raises:
            TokenizerFileError: no file can have such a name, or nobody may look.
        """
        return tuple(map(_mode, self.paths))

    @property
    def exists(self) -> bool:
        """Whether something is there under every path."""
        return None not in self._modes

    @property
    def folder(self) -> Path | None:
        """The directory, if that is what was given."""
        return self._only(stat.S_ISDIR)

    @property
    def only_file(self) -> Path | None:
        """The file, if it is just one."""
        return self._only(stat.S_ISREG)

    def _only(self, is_kind: Callable[[int], bool]) -> Path | None:
        mode = self._modes[0] if len(self._modes) == 1 else None
        return self.paths[0] if mode is not None and is_kind(mode) else None

    def in_folder(self, *names: str) -> Path | None:
        """The first file of these names in the directory that was given."""
        if self.folder is None:
            return None
        return next((self.folder / n for n in names if (self.folder / n).is_file()), None)

    def with_endings(self, *endings: str) -> list[Path]:
        """The files in the directory that was given whose names end so, sorted.

        Raises:
            TokenizerFileError: nobody may look.
        """
        if self.folder is None:
            return []
        try:
            return sorted(p for p in self.folder.iterdir() if p.suffix in endings and p.is_file())
        except OSError as error:
            raise _unreadable(self.folder, error) from error

    @cached_property
    def heads(self) -> tuple[bytes, ...]:
        """The first bytes of each file, to see what it is; none of a directory."""
        return tuple(read_head(path) for path in self.paths)

    @cached_property
    def values(self) -> tuple[Any, ...]:
        """The values of the files, which have to be JSON; parsed once, whoever asks.

        Raises:
            TokenizerFileError: as `read_json`.
        """
        return tuple(map(read_json, self.paths))


def _mode(path: Path) -> int | None:
    try:
        return path.stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError) as error:
        raise _unreadable(path, error) from error


def read_head(path: Path) -> bytes:
    """The first bytes of a file; none of a directory or of what cannot be read."""
    if not path.is_file():
        return b""
    try:
        with path.open("rb") as file:
            head = file.read(HEAD)
            return _head_unpacked(head) if head.startswith(GZIP) else head
    except OSError as error:
        raise _unreadable(path, error) from error


def read_bytes(path: Path) -> bytes:
    """All of a file.

    Raises:
        TokenizerFileError: it is missing, cannot be read, is no plain file, or far too large.
    """
    finish_writing(path)
    try:
        with path.open("rb") as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode):
                raise TokenizerFileError(f"{path}: is no plain file")
            # No more than its size: room is made for all that is asked for.
            data = b"" if status.st_size > LARGEST else file.read(status.st_size)
    except FileNotFoundError:
        raise TokenizerFileError(f"{path}: no such file") from None
    except (OSError, ValueError) as error:  # ValueError: no file can have that path
        raise _unreadable(path, error) from error
    if status.st_size > LARGEST:
        raise TokenizerFileError(
            f"{path}: is larger than {LARGEST >> 20} MB, which no tokenizer is; is it a corpus?"
        )
    return _unpacked(path, data) if data.startswith(GZIP) else data


GZIP = b"\x1f\x8b\x08"
"""How a gzip file begins; what is in it is read as if it stood there itself."""


def _head_unpacked(head: bytes) -> bytes:
    """The first bytes of what is packed; the packed ones if they are damaged."""
    try:
        return decompressobj(wbits=31).decompress(head, HEAD) or head
    except ZlibError:
        return head


def _unpacked(path: Path, data: bytes) -> bytes:
    machine = decompressobj(wbits=31)
    try:
        unpacked = machine.decompress(data, LARGEST + 1)
    except ZlibError as error:
        raise TokenizerFileError(f"{path}: is a damaged gzip file: {error}") from None
    if len(unpacked) > LARGEST:
        raise TokenizerFileError(f"{path}: is larger than {LARGEST >> 20} MB when it is unpacked")
    if not machine.eof:
        raise TokenizerFileError(f"{path}: is a gzip file that is cut short")
    return unpacked


def check_lines(path: Path, data: bytes) -> bytes:
    """The data, unless it has so many lines that their tokens would fill the memory.

    Raises:
        TokenizerFileError: it has.
    """
    if data.count(b"\n") > MOST_LINES:
        raise TokenizerFileError(f"{path}: has more than {MOST_LINES:,} lines; is it a corpus?")
    return data


def read_lines(path: Path) -> list[str]:
    r"""The lines of a file of UTF-8 text, without their ends (`\n` or `\r\n`).

    Raises:
        TokenizerFileError: as `read_text`, or there are far too many.
    """
    lines = _as_text(path, check_lines(path, read_bytes(path))).split("\n")
    return [line.removesuffix("\r") for line in lines]


def read_text(path: Path) -> str:
    """All of a file of UTF-8 text.

    Raises:
        TokenizerFileError: as `read_bytes`, or it is no UTF-8.
    """
    return _as_text(path, read_bytes(path))


def _as_text(path: Path, data: bytes) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise TokenizerFileError(f"{path}: is not UTF-8 text (byte {error.start})") from None


def read_json(path: Path) -> Any:
    """The value of a JSON file.

    Raises:
        TokenizerFileError: as `read_bytes`, it is no JSON, or an object has the same key twice.
    """

    def no_key_twice(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        made = dict(pairs)
        if len(made) < len(pairs):
            twice = Counter(key for key, _ in pairs).most_common(1)[0][0]
            raise TokenizerFileError(f"{path}: has {twice[:60]!r} twice in one object")
        return made

    data = read_bytes(path)
    if sum(map(data.count, (b"[", b"{", b","))) > MOST_VALUES:
        raise TokenizerFileError(
            f"{path}: has more than {MOST_VALUES:,} values; is it a tokenizer?"
        )
    try:
        return json.loads(_as_text(path, data), object_pairs_hook=no_key_twice)
    except (ValueError, RecursionError) as error:  # ValueError: a number of thousands of digits
        raise TokenizerFileError(f"{path}: is no JSON, or cut short: {error}") from None


def _unreadable(path: Path, error: Exception) -> TokenizerFileError:
    return TokenizerFileError(
        f"{path}: cannot be read: {getattr(error, 'strerror', None) or error}"
    )


HOW_TO_SAVE = (
    "hex says every byte: json.dump({i: t.hex() for i, t in vocab.items()}, open('vocab.json', "
    "'w')) and json.dump([[a.hex(), b.hex()] for a, b in merges], open('merges.json', 'w'))"
)
"""Two lines of Python that save vocab and merges so that nothing is in doubt."""

KINDS: dict[bytes, str] = {
    b"PK\x03\x04": "a zip archive; unpack it and open what is in it",
    b"\x1f\x8b": "a damaged gzip file",
    b"BZh": "a bzip2 file; unpack it and open what is in it",
    b"\xfd7zXZ\x00": "an xz file; unpack it and open what is in it",
    b"\x28\xb5\x2f\xfd": "a zstd file; unpack it and open what is in it",
    b"version https://git-lfs": "a pointer of git-lfs; fetch the file itself with `git lfs pull`",
    b"\x93NUMPY": f"an array of NumPy, in which bytes lose their last zeros; {HOW_TO_SAVE}",
    b"GGUF": "a GGUF model; open the tokenizer.json of the same model",
}
"""How a file begins → what it is, and what to do."""


PATTERNS: dict[re.Pattern[bytes], str] = {
    re.compile(rb'\s*\{\s*"class_name"\s*:\s*"Tokenizer"'): (
        "a tokenizer of Keras, which numbers words by how often they stand in a corpus; it has no "
        "tokens smaller than a word, and no merges"
    ),
    re.compile(rb"PK\x03\x04.{26}[^\x00]{0,80}?/data\.pkl", re.DOTALL): (
        f"what torch.save writes, a program with its data; {HOW_TO_SAVE}"
    ),
    re.compile(rb"PK\x03\x04.{26}[^\x00]{0,80}?\.npy", re.DOTALL): (
        f"arrays of NumPy, in which bytes lose their last zeros; {HOW_TO_SAVE}"
    ),
    re.compile(rb"1 '\\x00' 1\r?\n2 '\\x01' 1\r?\n"): (
        "RWKV's vocabulary, which takes the longest token that fits and has no merges"
    ),
    re.compile(rb"\[\\u0000\] 0\r?\n\[\\u0001\] 1\r?\n"): (
        "minbpe's .vocab, which is for people to read; open the .model beside it"
    ),
    re.compile(rb"<(?:unk|pad)>\t0\r?\n(?:[^\t\n]+\t-?[\d.e-]+\r?\n)+"): (
        "SentencePiece's .vocab, which is for people to read; open the .model beside it"
    ),
    re.compile(rb"[\x01-\xff]\x00\x00\x00(?:\x00{4}|....)[\x01-\x20]\x00\x00\x00", re.DOTALL): (
        "a tokenizer.bin, as llama2.c writes it; open the tokenizer.model that it was made of"
    ),
}
"""Known kinds whose beginning varies: a regex for it, and what the file is."""


def describe_unrecognised(source: TokenizerSource) -> str:
    """What is known of a source that no format recognises."""
    if source.folder is None and source.exists and not all(p.is_file() for p in source.paths):
        return "is no plain file"
    kind = known_kind(source)
    return "holds no tokenizer in a known format" if kind is None else f"is {kind}"


def known_kind(source: TokenizerSource) -> str | None:
    """What one of the files is, if that is known and no tokenizer to be read."""
    for head in source.heads:
        for pattern, kind in PATTERNS.items():
            if pattern.match(head):
                return kind
        for beginning, kind in KINDS.items():
            if head.startswith(beginning):
                return kind
    return None
