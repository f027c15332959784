"""Session files: the open corpus or tokenizer and the place in it, kept as JSON.

The file has the size and digest of its corpus, so that a changed corpus is noticed. A session file
is not trusted: the type and size of every value are checked, nothing in it is run, and it can name
only files, no address to fetch.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import Any

from engine.core.errors import BpeError, CorpusError, SessionFileError, TokenizerFileError
from engine.core.files import write_files
from engine.core.json_fields import Fields
from engine.core.slow_modules import hashlib

KEY = "bpe-tui session"
"""First key of a session file; its value is the version."""
VERSION = 1
LARGEST = 4 << 20
"""Largest size of a session file, in bytes."""
LONGEST = 4096
"""Largest number of characters of a path or a note."""
MOST = 1000
"""Largest number of breakpoints and the like."""
LONGEST_SPECIAL = 256
"""Largest number of characters of a special token."""

NUMBERS = ("vocab_size", "min_count", "max_token_length", "ngram", "most_words", "continued")
NAMES = ("pattern", "tie_rule", "trainer", "model", "units", "phases")
SPECIAL = "special_tokens"
"""Options of a session file: whole numbers, texts, and special tokens."""

Options = tuple[tuple[str, Any], ...]
"""Options and their values; the others have their defaults."""


@dataclass(frozen=True)
class SavedFile:
    """A file as it was when the session was saved.

    Attributes:
        path: its path; in a session file relative to that file's folder, if it is below it.
        size: its size in bytes.
        digest: the SHA-256 of its bytes, in hex digits.
    """

    path: str
    size: int
    digest: str

    @classmethod
    def of(cls, path: str, most: float = inf) -> SavedFile:
        """Return a file as it is now.

        Args:
            most: reading stops once more bytes than this are read.

        Raises:
            CorpusError: it cannot be read.
        """
        summed, size = hashlib.sha256(), 0
        if os.path.exists(path) and not os.path.isfile(path):
            raise CorpusError(f"{path}: is no ordinary file; a session is of files")
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
        return SavedFile.of(self.path, self.size).digest != self.digest


@dataclass(frozen=True)
class SavedSession:
    """The content of a session file.

    Attributes:
        corpus: the corpus of the training or counting; `None` for a tokenizer alone.
        tokenizer: the paths of a tokenizer's files, or a tokenizer's name; empty for a training.
        options: the options of the training or opening.
        step, view, text: the step, the screen, and the text typed there.
        breakpoints: breakpoints as they are typed, such as `count<50`.
        note: the user's note.
    """

    corpus: SavedFile | None
    tokenizer: tuple[str, ...] = ()
    options: Options = ()
    step: int = 0
    view: str | None = None
    text: str = ""
    breakpoints: tuple[str, ...] = ()
    note: str = ""


# -- writing


def write_session(path: Path, session: SavedSession, *, overwrite: bool = False) -> None:
    """Write a session file; its paths are relative to its folder if they are below it.

    Raises:
        OutputExistsError: the file exists and `overwrite` is false.
        OutputError: the file cannot be written.
        SessionFileError: the session is too large to be opened again, or a path is no text.
    """
    content = json.dumps(_as_json(session, path.parent), indent=" ").encode()
    if len(content) > LARGEST:
        raise SessionFileError(f"{path}: the session is too large to keep; shorten its text")
    read_session_bytes(content, path)  # so that it can be opened again
    write_files({path: content}, overwrite=overwrite, private=True)


def _as_json(session: SavedSession, folder: Path) -> dict[str, Any]:
    corpus = session.corpus
    return {
        KEY: VERSION,
        "corpus": corpus
        and {
            "path": _path_from(folder, corpus.path),
            "bytes": corpus.size,
            "sha256": corpus.digest,
        },
        "tokenizer": [_path_from(folder, path) for path in session.tokenizer],
        "options": dict(session.options),
        "step": session.step,
        "view": session.view,
        "text": session.text,
        "breakpoints": list(session.breakpoints),
        "note": session.note,
    }


def _path_from(folder: Path, path: str) -> str:
    """Return a path relative to a folder if it is below it, so that both can move together."""
    if not os.path.exists(path):
        return path  # the name of a tokenizer
    whole = os.path.abspath(path)
    near = os.path.relpath(whole, folder)
    return whole if near.startswith("..") else near


# -- reading


def is_session(head: bytes) -> bool:
    """Whether a file that begins with `head` is a session file.

    >>> is_session(b'{"bpe-tui session": 1, "corpus"'), is_session(b'{"version": "1.0"')
    (True, False)
    """
    return head.lstrip().removeprefix(b"{").lstrip().startswith(f'"{KEY}"'.encode())


def read_session(path: Path) -> SavedSession:
    """Read a session file; the paths it returns can be opened from the working folder.

    Raises:
        SessionFileError: it cannot be read, is too large, damaged, or of another version.
    """
    return read_session_bytes(read_small(path, LARGEST, "any session file", SessionFileError), path)


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


def read_session_bytes(content: bytes, path: Path) -> SavedSession:
    """Read the bytes of a session file at `path`.

    Raises:
        SessionFileError: it is damaged, or of another version.
    """
    try:
        value = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise SessionFileError(f"{path}: is damaged, it is no whole JSON: {error}") from error
    try:
        return _read(Fields(value), path)
    except (TokenizerFileError, SessionFileError) as error:
        raise SessionFileError(f"{path}: {error}") from error


def _read(fields: Fields, path: Path) -> SavedSession:
    if (version := fields.count(KEY)) != VERSION:
        raise SessionFileError(
            f"is a session file of version {version}, and this program reads {VERSION}; "
            "take the program that has written it"
        )
    folder = path.parent
    corpus = fields.inner_or_null("corpus")
    names = tuple(_path(fields, name, folder) for name in _texts(fields, "tokenizer"))
    if corpus is None and not names:
        raise SessionFileError("names neither a corpus nor a tokenizer")
    if len(names) > 2:
        raise fields.error("tokenizer", "should name one file, or vocabulary and merges")
    options = read_options(fields)
    if not names and "continued" in dict(options):
        raise fields.error("continued", "goes on with a tokenizer, and there is none")
    return SavedSession(
        None if corpus is None else _file(corpus, folder),
        names,
        options,
        fields.count("step"),
        fields.text_or_null("view"),
        fields.text("text"),
        tuple(_texts(fields, "breakpoints")),
        short_text(fields, "note", LONGEST),
    )


def _file(fields: Fields, folder: Path) -> SavedFile:
    digest = fields.text("sha256")
    if len(digest) != 64 or not set(digest) <= set("0123456789abcdef"):
        raise fields.error("sha256", "should be 64 hex digits")
    path = _path(fields, short_text(fields, "path", LONGEST), folder)
    return SavedFile(path, fields.count("bytes"), digest)


def _path(fields: Fields, name: str, folder: Path) -> str:
    """Return a path that can be opened from the working folder; a name stays as it is."""
    if not name or "\0" in name:
        raise fields.error("path", f"no file can be called {name[:60]!r}")
    near = os.path.normpath(os.path.join(folder, name))
    return near if os.path.exists(near) else name


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
            found[name] = tuple(_few(options, name, options.texts(name)))
            if any(len(token) > LONGEST_SPECIAL for token in found[name]):
                raise options.error(name, f"one is longer than {LONGEST_SPECIAL} characters")
        elif name not in read:
            raise options.error(name[:60], "is no option that a session has")
        elif options.has(name):
            found[name] = read[name](name)
    return tuple(found.items())


def _texts(fields: Fields, key: str) -> Sequence[str]:
    return [text[:LONGEST] for text in _few(fields, key, fields.texts(key))]


def _few(fields: Fields, key: str, texts: Sequence[str]) -> Sequence[str]:
    if len(texts) > MOST:
        raise fields.error(key, f"holds {len(texts):,} entries, and {MOST:,} is the most")
    return texts


def short_text(fields: Fields, key: str, longest: int) -> str:
    """Read a text of at most `longest` characters.

    Raises:
        TokenizerFileError: it is longer, or no text.
    """
    text = fields.text(key)
    if len(text) > longest:
        raise fields.error(key, f"is longer than {longest:,} characters")
    return text


def check_unchanged(saved: SavedFile) -> str | None:
    """Return a sentence if the file has changed since the session was saved; else `None`."""
    try:
        changed = saved.has_changed
    except BpeError as error:
        return f"{error}"
    return (
        f"{saved.path} has changed since the session was saved, so steps and counts may differ"
        if changed
        else None
    )
