"""Quiz files: a lecturer fixes the corpus, the options, the seed, the kinds and the number.

A quiz file is TOML, written by `bpe-tui quiz … --write`, and may be edited by hand. It is not
trusted: every value is checked, and it names one corpus, in its own folder or below.
"""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.core.errors import QuizFileError, TokenizerFileError
from engine.core.files import write_files
from engine.core.json_fields import Fields
from engine.learning.file_values import KnownFile, read_small, short_text
from engine.learning.quiz import (
    LONGEST_NAME,
    MOST_QUESTIONS,
    Paper,
    kinds_of,
    name_of,
    without_controls,
)

KEY, VERSION = "bpe-tui quiz", 1
"""First key of a quiz file, and its value."""
LARGEST = 1 << 13
"""Largest size of a quiz file, in bytes; reading TOML takes the square of the depth of a key."""
LONGEST = 4096
"""Most characters of a pattern, a path or a special token."""

_NUMBERS = ("vocab_size", "min_count", "max_token_length")
_TEXTS = ("model", "pattern", "tie_rule", "units")
_SPECIAL = "special"
_OTHERS = (KEY, "corpus", "bytes", "sha256", "questions", "seed", "kinds", "ask-id")


@dataclass(frozen=True)
class QuizFile:
    """A quiz that a lecturer has fixed.

    Attributes:
        paper: the facts that decide the questions.
        corpus: the corpus as it was; its path is relative to the folder of the quiz file.
        asks_id: whether learners are asked for their name and ID.
    """

    paper: Paper
    corpus: KnownFile
    asks_id: bool = False

    def write(self, path: Path, *, overwrite: bool = False) -> None:
        """Write the file, whole or not at all.

        Raises:
            OutputExistsError: the file exists and `overwrite` is false.
            OutputError: it cannot be written.
            QuizFileError: its pattern or special tokens are too long for a quiz file.
        """
        data = f"{self.as_toml()}\n".encode()
        parse_quiz_file(data, path)  # so that it can be opened again
        write_files({path: data}, overwrite=overwrite)

    def as_toml(self) -> str:
        """Return the content of the file."""
        paper = self.paper
        values: dict[str, Any] = {
            KEY: VERSION,
            "corpus": self.corpus.path,
            "bytes": self.corpus.size,
            "sha256": self.corpus.digest,
            "questions": paper.questions,
            "seed": paper.seed,
            "kinds": list(paper.kinds) or None,
            "ask-id": self.asks_id,
        }
        for name, value in paper.options.items():
            values[_SPECIAL if name == "special_tokens" else name.replace("_", "-")] = value
        lines = [
            f"{_toml(key) if key == KEY else key} = {_toml(value)}"
            for key, value in values.items()
            if value is not None
        ]
        return "\n".join(["# A quiz. Run it:  bpe-tui quiz THIS-FILE --out answers.json", *lines])

    def find_corpus(self, folder: Path, others: Iterable[Path] = ()) -> Path:
        """Return the path of the corpus: as the file names it, else beside the file.

        Args:
            folder: the folder of the quiz file.
            others: files such as the samples, for a folder that has no file of the corpus's name.

        Raises:
            QuizFileError: it is not there, or has changed.
        """
        name = Path(self.corpus.path).name
        changed: Path | None = None
        for path in dict.fromkeys((folder / self.corpus.path, folder / name)):
            if os.path.isfile(path):
                if self._is_corpus(path):
                    return path
                changed = path
        if changed is not None:
            raise QuizFileError(
                f"{changed}: is not the corpus of this quiz, it has changed since the quiz was "
                "written; ask your lecturer for the file"
            )
        for path in others:
            if path.name == name and path.is_file() and self._is_corpus(path):
                return path
        raise QuizFileError(f"its corpus {name!r} is not there; put it beside the quiz file")

    def _is_corpus(self, path: Path) -> bool:
        return not KnownFile(str(path), self.corpus.size, self.corpus.digest).has_changed


def _toml(value: Any) -> str:
    """Write a value as TOML, whose texts are those of JSON, but for U+007F."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def corpus_beside(path: str, folder: Path) -> str:
    """Return how a quiz file in a folder names a corpus: by its path below it, or by its name.

    >>> corpus_beside("/course/texts/poem.txt", Path("/course"))
    'texts/poem.txt'
    >>> corpus_beside("/poem.txt", Path("/course"))
    'poem.txt'
    """
    near = Path(os.path.relpath(os.path.abspath(path), os.path.abspath(folder)))
    return near.name if near.parts[0] == os.pardir else near.as_posix()


def is_quiz_file(path: str) -> bool:
    """Whether a file is named or begins like a quiz file.

    >>> is_quiz_file("week-3.toml"), is_quiz_file("corpus.txt")
    (True, False)
    """
    if path.lower().endswith(".toml"):
        return True
    try:
        if not Path(path).is_file():  # reading a pipe might wait for ever
            return False
        with open(path, "rb") as file:
            head = file.read(LARGEST)
    except (OSError, ValueError):
        return False
    lines = (line.strip() for line in head.split(b"\n"))
    first = next((line for line in lines if line and not line.startswith(b"#")), b"")
    return first.startswith(f'"{KEY}"'.encode())


def read_quiz_file(path: Path) -> QuizFile:
    """Read a quiz file, which may contain anything.

    Raises:
        QuizFileError: it is no valid quiz file; the message gives the reason.
    """
    return parse_quiz_file(read_small(path, LARGEST, "any quiz file", QuizFileError), path)


def parse_quiz_file(data: bytes, path: Path) -> QuizFile:
    """Read the bytes of a quiz file at `path`.

    Raises:
        QuizFileError: they are no valid quiz file.
    """
    if len(data) > LARGEST:
        raise QuizFileError(f"{path}: is larger than any quiz file; shorten its pattern")
    try:
        value = tomllib.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        why = "it is too deep" if isinstance(error, RecursionError) else str(error)
        raise QuizFileError(f"{path}: is no valid TOML: {why}") from error
    try:
        return _quiz(Fields(value))
    except (TokenizerFileError, QuizFileError) as error:
        raise QuizFileError(f"{path}: {error}") from error


def _quiz(fields: Fields) -> QuizFile:
    if KEY not in fields.value:
        raise QuizFileError(
            "is no quiz file; write one with: bpe-tui quiz CORPUS --write quiz.toml"
        )
    if (version := fields.count(KEY)) != VERSION:
        raise QuizFileError(f"is of version {version}, and this program reads {VERSION}")
    named = {name.replace("_", "-"): name for name in (*_NUMBERS, *_TEXTS)}
    known = (*_OTHERS, *named, _SPECIAL)
    if unknown := next((key for key in fields.value if key not in known), None):
        raise fields.error(unknown[:60], f"is no key of a quiz; there are: {', '.join(known)}")
    count = fields.count("questions")
    if not 1 <= count <= MOST_QUESTIONS:
        raise fields.error("questions", f"is not between 1 and {MOST_QUESTIONS}")
    options: dict[str, Any] = {}
    for key, name in named.items():
        if key in fields.value:
            options[name] = (
                fields.count(key) if name in _NUMBERS else short_text(fields, key, LONGEST)
            )
    if _SPECIAL in fields.value:
        options["special_tokens"] = tuple(fields.texts(_SPECIAL))
    corpus = KnownFile(_corpus(fields), fields.count("bytes"), name_of(fields, "sha256"))
    kinds = kinds_of(fields) if "kinds" in fields.value else ()
    seed = name_of(fields, "seed")
    name = Path(corpus.path).name
    paper = Paper(name, corpus.digest, options, seed, count, kinds)
    return QuizFile(paper, corpus, fields.flag("ask-id") if "ask-id" in fields.value else False)


def _corpus(fields: Fields) -> str:
    """Return the path of the corpus, which is in the folder of the quiz file or below."""
    path = short_text(fields, "corpus", LONGEST)
    parts = path.replace("\\", "/").split("/")
    if path != without_controls(path):
        raise fields.error("corpus", "has a control character; give the file another name")
    if not parts[-1] or len(Path(path).name) > LONGEST_NAME:
        raise fields.error("corpus", f"no file can be called {path[-60:]!r}")
    if os.path.isabs(path) or ".." in parts or path.startswith("~"):
        raise fields.error("corpus", "is outside the folder of the quiz; put it beside the quiz")
    return path
