"""The files or the name that a tokenizer is read from, read with limits on size and kind.

A file is not trusted: it may not be text or JSON, may be endless, or may not be what its name says.
"""

from __future__ import annotations

import os
import re
import stat
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

from engine.core.errors import TokenizerFileError
from engine.core.slow_modules import json, zlib
from engine.formats.not_tokenizers import first_line, likely_kind

SECONDS_OF_A_SAVE = 2.0
"""Files whose times differ by less may be of one save."""
LARGEST = 1 << 28
"""Size of the largest file that is read, in bytes: eight times the largest tokenizer in use."""
MOST_LINES = 1 << 21
"""Largest number of lines: twice the merges of the largest vocabulary."""
MOST_VALUES = 1 << 23
"""Largest number of values in a JSON file; in memory each is many times larger than its text."""
HEAD = 1 << 12
"""Number of first bytes that show the format of a file."""
_MOST_DIGITS = 10


class TokenizerSource:
    """One path or two (vocabulary and merges), or the name of a known encoding.

    Attributes:
        given: the paths or the name, as the caller wrote them.
        paths: the same as paths.
        opened_folder: the folder that was opened, in which these files were found by their content.
    """

    def __init__(
        self, given: Sequence[str | os.PathLike[str]], opened_folder: Path | None = None
    ) -> None:
        self.given = tuple(os.fspath(each) for each in given)
        self.paths = tuple(map(Path, self.given))
        self.opened_folder = opened_folder

    def __str__(self) -> str:
        return " and ".join(self.given)

    @cached_property
    def _modes(self) -> tuple[int | None, ...]:
        """The mode of each path as `stat` gives it; `None` if it does not exist.

        Raises:
            TokenizerFileError: the name is not possible, or the folder may not be read.
        """
        modes: list[int | None] = []
        for path in self.paths:
            try:
                modes.append(path.stat().st_mode)
            except (FileNotFoundError, NotADirectoryError):
                modes.append(None)
            except (OSError, ValueError) as error:
                raise _unreadable(path, error) from error
        return tuple(modes)

    @property
    def exists(self) -> bool:
        """Whether every path exists."""
        return None not in self._modes

    @property
    def folder(self) -> Path | None:
        """The path, if it is a single directory."""
        return self._only(stat.S_ISDIR)

    @property
    def settings_folder(self) -> Path | None:
        """The folder whose settings are used; `None` if only files were given."""
        return self.folder or self.opened_folder

    @property
    def only_file(self) -> Path | None:
        """The path, if it is a single file."""
        return self._only(stat.S_ISREG)

    def _only(self, is_kind: Callable[[int], bool]) -> Path | None:
        mode = self._modes[0] if len(self._modes) == 1 else None
        return self.paths[0] if mode is not None and is_kind(mode) else None

    def in_folder(self, *names: str) -> Path | None:
        """Return the first file in the directory with one of these names, or `None`."""
        if self.folder is None:
            return None
        return next((self.folder / n for n in names if (self.folder / n).is_file()), None)

    def file_named(self, *names: str) -> Path | None:
        """Return the first file with one of these names in the directory, or the only file."""
        return self.in_folder(*names) or self.only_file

    def with_endings(self, *endings: str) -> list[Path]:
        """Return the files in the directory with these endings, sorted.

        Raises:
            TokenizerFileError: the directory may not be read.
        """
        found = [] if self.folder is None else files_in(self.folder)
        return [path for path in found if path.suffix in endings]

    @cached_property
    def heads(self) -> tuple[bytes, ...]:
        """The first bytes of each file; empty for a directory."""
        return tuple(read_head(path) for path in self.paths)

    @cached_property
    def values(self) -> tuple[Any, ...]:
        """The values of the files, which must be JSON; parsed only once.

        Raises:
            TokenizerFileError: as for `read_json`.
        """
        return tuple(map(read_json, self.paths))


def read_head(path: Path) -> bytes:
    """Return the first bytes of a file, unpacked; empty for a directory or other non-file."""
    if not path.is_file():
        return b""
    try:
        with path.open("rb") as file:
            head = file.read(HEAD)
    except OSError as error:
        raise _unreadable(path, error) from error
    if head.startswith(GZIP):
        with suppress(zlib.error):  # a damaged file is recognised by its packed bytes
            head = zlib.decompressobj(wbits=_OF_GZIP).decompress(head, HEAD) or head
    return head


def read_bytes(path: Path) -> bytes:
    """Return all bytes of a file, unpacked.

    Raises:
        TokenizerFileError: it is missing, unreadable, not a plain file, or far too large.
    """
    try:
        with path.open("rb") as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode):
                raise TokenizerFileError(f"{path}: is no plain file")
            # Ask for its size only, since memory is reserved for all that is asked for.
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
"""The first bytes of a gzip file, which is read like the file inside it."""
_OF_GZIP = 31  # its number in zlib


def _unpacked(path: Path, data: bytes) -> bytes:
    machine = zlib.decompressobj(wbits=_OF_GZIP)
    try:
        unpacked = machine.decompress(data, LARGEST + 1)
    except zlib.error as error:
        raise TokenizerFileError(f"{path}: is a damaged gzip file: {error}") from None
    if len(unpacked) > LARGEST:
        raise TokenizerFileError(f"{path}: is larger than {LARGEST >> 20} MB when it is unpacked")
    if not machine.eof:
        raise TokenizerFileError(f"{path}: is a gzip file that is cut short")
    return unpacked


def describe_older(one: Path, other: Path) -> str:
    """Return a sentence about the older of two files; empty if one save may have written both."""
    try:
        (before, older), (after, newer) = sorted(
            (path.stat().st_mtime, path.name) for path in (one, other)
        )
    except (OSError, ValueError):  # there are no two files
        return ""
    if after - before < SECONDS_OF_A_SAVE:
        return ""
    return f" {older} is older than {newer}; if a save was interrupted, save the tokenizer again"


def check_lines(path: Path, data: bytes) -> bytes:
    """Return the data unchanged if it does not have too many lines.

    Raises:
        TokenizerFileError: the tokens of so many lines could fill the memory.
    """
    if data.count(b"\n") > MOST_LINES:
        raise TokenizerFileError(f"{path}: has more than {MOST_LINES:,} lines; is it a corpus?")
    return data


def read_lines(path: Path) -> list[str]:
    r"""Return the lines of a UTF-8 file, without their ends (`\n` or `\r\n`).

    Raises:
        TokenizerFileError: as for `read_bytes`, or it is not UTF-8, or has too many lines.
    """
    lines = _as_text(path, check_lines(path, read_bytes(path))).split("\n")
    return [line.removesuffix("\r") for line in lines]


_Spelled = TypeVar("_Spelled")


def read_merges(
    path: Path, unspell: Callable[[str], _Spelled], hint: str = ""
) -> list[tuple[_Spelled, _Spelled]]:
    """Read a `merges.txt`: two tokens a line, with a space between, after a line `#version`.

    Args:
        unspell: returns the token of a spelling, or raises `ValueError` or `KeyError`.
        hint: what the error says besides of a line that is no merge.
    """
    merges: list[tuple[_Spelled, _Spelled]] = []
    for number, line in enumerate(read_lines(path), start=1):
        if not line or (number == 1 and line.startswith("#version")):
            continue
        try:
            left, right = map(unspell, line.split(" "))
        except (ValueError, KeyError):
            raise TokenizerFileError(
                f"{path}: line {number} is not two tokens with a space between: {line[:60]!r}{hint}"
            ) from None
        if not left or not right:
            raise TokenizerFileError(f"{path}: line {number} has an empty token: {line[:60]!r}")
        merges.append((left, right))
    return merges


def whole_number(text: str) -> int | None:
    """Return the number of ASCII digits; `None` if it is none, or too large for any tokenizer."""
    digits = text.strip()
    is_number = digits.isascii() and digits.isdigit() and len(digits) <= _MOST_DIGITS
    return int(digits) if is_number else None


def _as_text(path: Path, data: bytes) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise TokenizerFileError(f"{path}: is not UTF-8 text (byte {error.start})") from None


def check_values(path: Path, data: bytes) -> bytes:
    """Return JSON unchanged if it does not have too many values; else raise an error."""
    if sum(map(data.count, (b"[", b"{", b","))) > MOST_VALUES:
        raise TokenizerFileError(
            f"{path}: has more than {MOST_VALUES:,} values; is it a tokenizer?"
        )
    return data


def read_json(path: Path) -> Any:
    """Return the value of a JSON file.

    Raises:
        TokenizerFileError: as for `read_bytes` and `parse_json`, or it has too many values.
    """
    return parse_json(path, check_values(path, read_bytes(path)))


def parse_json(path: Path, data: bytes) -> Any:
    """Return the value of a JSON file's content.

    Raises:
        TokenizerFileError: it is not JSON, or an object has the same key twice.
    """

    def no_key_twice(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        made = dict(pairs)
        if len(made) < len(pairs):
            twice = Counter(key for key, _ in pairs).most_common(1)[0][0]
            raise TokenizerFileError(f"{path}: has {twice[:60]!r} twice in one object")
        return made

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
"""Advice with two lines of Python that save vocab and merges unambiguously."""

UNREADABLE_BEGINNINGS: dict[bytes, str] = {
    b"PK\x03\x04": "a zip archive; unpack it and open what is in it",
    b"\x1f\x8b": "a damaged gzip file",
    b"BZh": "a bzip2 file; unpack it and open what is in it",
    b"\xfd7zXZ\x00": "an xz file; unpack it and open what is in it",
    b"\x28\xb5\x2f\xfd": "a zstd file; unpack it and open what is in it",
    b"version https://git-lfs": "a pointer of git-lfs; fetch the file itself with `git lfs pull`",
    b"\x93NUMPY": f"an array of NumPy, in which bytes lose their last zeros; {HOW_TO_SAVE}",
}
"""First bytes of a file → its kind, and how to open the tokenizer instead."""

UNREADABLE_PATTERNS: dict[re.Pattern[bytes], str] = {
    re.compile(rb'\s*\{\s*"class_name"\s*:\s*"Tokenizer"'): (
        "a tokenizer of Keras, which numbers words by how often they occur in a corpus; it has no "
        "tokens smaller than a word, and no merges"
    ),
    re.compile(rb"PK\x03\x04.{26}[^\x00]{0,80}?/data\.pkl", re.DOTALL): (
        f"what torch.save writes, a program with its data; {HOW_TO_SAVE}"
    ),
    re.compile(rb"PK\x03\x04.{26}[^\x00]{0,80}?\.npy", re.DOTALL): (
        f"arrays of NumPy, in which bytes lose their last zeros; {HOW_TO_SAVE}"
    ),
    re.compile(rb"\s*(?:\w+ *= *)?(?:\{\s*\d+\s*:\s*b['\"]|\[\s*\(b['\"])"): (
        f"what Python prints, which is not read; {HOW_TO_SAVE}"
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
"""Regex for the first bytes of a file → its kind, and how to open the tokenizer instead."""

TOKENIZER_FILES = "tokenizer.json, vocab.json and merges.txt, or a tokenizer.model"

MOST_SHOWN = 8
"""Number of files in a folder that an error names."""
MOST_SEARCHED = 200
"""Number of files in a folder whose content is looked at."""


def files_in(folder: Path) -> list[Path]:
    """Return the files in a folder that are not hidden, sorted.

    Raises:
        TokenizerFileError: the directory may not be read.
    """
    try:
        visible = (path for path in folder.iterdir() if not path.name.startswith("."))
        return sorted(islice((path for path in visible if path.is_file()), MOST_SEARCHED))
    except OSError as error:
        raise _unreadable(folder, error) from error


def describe_unrecognised(source: TokenizerSource) -> str:
    """Describe a source that no format recognises, as a clause."""
    if source.folder is not None:
        names = [path.name for path in files_in(source.folder)]
        shown = ", ".join([*names[:MOST_SHOWN], *["…"] * (len(names) > MOST_SHOWN)])
        kinds = ((name, known_kind(TokenizerSource([source.folder / name]))) for name in names)
        known = next((f"; {name} is {kind}" for name, kind in kinds if kind), "")
        return (
            f"is a folder without a tokenizer's files, such as {TOKENIZER_FILES}; "
            f"it has {shown or 'no files'}{known}"
        )
    if not all(path.is_file() for path in source.paths):
        return "is no plain file"
    if not all(path.stat().st_size for path in source.paths):
        return "is empty; save the tokenizer again"
    for kind in (known_kind(source), *map(likely_kind, source.heads)):
        if kind is not None:
            return f"is {kind}"
    return f"holds no tokenizer in a known format; {' and '.join(map(first_line, source.heads))}"


def known_kind(source: TokenizerSource) -> str | None:
    """Return the kind of a file that is known but not readable; `None` if there is none."""
    for head in source.heads:
        for pattern, kind in UNREADABLE_PATTERNS.items():
            if pattern.match(head):
                return kind
        for beginning, kind in UNREADABLE_BEGINNINGS.items():
            if head.startswith(beginning):
                return kind
    return None
