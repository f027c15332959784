"""Files of steps: lines of JSON, one a merge, that a trainer in any language can print.

    {"left": "Ġt", "right": "he", "count": 1234, "new_id": 259}

`count` is the count of the pair. It may be left out, and so may `new_id`; other keys are ignored,
so `bpe-tui train --steps` writes such a file, too. A token is written in one of these forms, which
differ in their type:

    "Ġthe"                   text in GPT-2's spelling: a printable stand-in for every byte
    [32, 116, 104, 101]      a list of byte values
    {"hex": "20746865"}      hexadecimal digits
    {"base64": "IHRoZQ=="}   base64

`StepRecorder` writes such a file, `read_steps` reads it. All that is read is checked, and no line
may be longer than `LONGEST_LINE`.
"""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import IO, Any, NamedTuple

from engine.core.arguments import checked
from engine.core.errors import OutputError, StepsFileError
from engine.core.events import BytesPair
from engine.core.gpt2_bytes import spell, unspell
from engine.core.registry import Registry

LONGEST_LINE = 1 << 20
"""Bytes of the longest line that is read."""
MOST_STEPS = 1 << 20


@dataclass(frozen=True, slots=True)
class ClaimedStep:
    """A merge as a trainer reports it.

    `count` (of the pair) and `new_id` are `None` if the trainer does not report them.
    """

    left: bytes
    right: bytes
    count: int | None = None
    new_id: int | None = None

    @property
    def pair(self) -> BytesPair:
        return self.left, self.right


# -- writing


class StepRecorder:
    r"""A recorder that writes merges in lines of JSON, which `bpe-tui check --jsonl` reads.

    Each line is written at once, so a trainer that crashes leaves its steps behind. An older file
    is overwritten: it is a log of one run.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp(), "steps.jsonl")
    >>> with StepRecorder(path) as record:
    ...     record(b" t", b"he", count=12)
    >>> path.read_text(encoding="utf-8")
    '{"left": "Ġt", "right": "he", "count": 12}\n'

    Raises:
        OutputError: the file cannot be written.
    """

    @checked
    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = Path(path)
        self._file: IO[str] | None = None

    def __enter__(self) -> StepRecorder:
        try:
            self._file = self._path.open("w", encoding="utf-8", newline="\n", buffering=1)
        except (OSError, ValueError) as error:
            raise self._error(error) from error
        return self

    @checked
    def __call__(
        self, left: bytes, right: bytes, count: int | None = None, new_id: int | None = None
    ) -> None:
        """Write a merge: the bytes of its two tokens; its count and new id if given."""
        if self._file is None:
            raise OutputError(f"{self._path}: record inside `with StepRecorder(…) as record:`")
        facts: dict[str, object] = {"left": spell(left), "right": spell(right)}
        numbers = {"count": count, "new_id": new_id}
        facts |= {name: number for name, number in numbers.items() if number is not None}
        try:
            self._file.write(json.dumps(facts, ensure_ascii=False) + "\n")
        except OSError as error:
            raise self._error(error) from error

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None

    def _error(self, error: OSError | ValueError) -> OutputError:
        reason = getattr(error, "strerror", None) or error
        return OutputError(f"{self._path}: cannot be written: {reason}")


# -- the forms of a token


DECODERS: Registry[str, Callable[[str], bytes]] = Registry(
    "token form",
    {"hex": bytes.fromhex, "base64": lambda text: base64.b64decode(text, validate=True)},
)


def read_token(value: object) -> tuple[bytes, str]:
    """Return a token, and the name of the form in which it is written.

    >>> read_token("Ġthe"), read_token([32, 116]), read_token({"hex": "2074"})
    ((b' the', 'GPT-2 spelling'), (b' t', 'lists of bytes'), (b' t', 'hex'))

    Raises:
        ValueError: it is in none of the forms, or damaged; the message says which.
    """
    if isinstance(value, str):
        try:
            return unspell(value), "GPT-2 spelling"
        except KeyError as error:
            raise ValueError(
                f"has the character {error.args[0]!r}, which GPT-2's spelling does not use (a "
                'space is Ġ, a newline Ċ); write a list of byte values or {"hex": …}'
            ) from None
    if isinstance(value, list):
        if not all(type(byte) is int and 0 <= byte < 256 for byte in value):
            raise ValueError("is a list, but not of bytes from 0 to 255")
        return bytes(value), "lists of bytes"
    if isinstance(value, dict) and len(value) == 1:
        form = next(iter(value))
        text = value[form]
        if form in DECODERS and isinstance(text, str):
            try:
                return DECODERS[form](text), form
            except ValueError:
                raise ValueError(f"has {form} that is damaged") from None
    raise ValueError('is none of: text, a list of bytes, {"hex": …}, {"base64": …}')


# -- reading


class ReadSteps(NamedTuple):
    """The steps of a file, and the names of the forms in which its tokens are written."""

    steps: Sequence[ClaimedStep]
    forms: tuple[str, ...]


def read_steps(path: str | os.PathLike[str]) -> ReadSteps:
    """Read a file of steps; empty lines are skipped.

    Raises:
        StepsFileError: the file cannot be read, or a line is no step; the message names the line.
    """
    steps: list[ClaimedStep] = []
    forms: dict[str, None] = {}
    try:
        with Path(path).open("rb") as file:
            number = 0
            while line := file.readline(LONGEST_LINE + 1):
                number += 1
                if len(line) > LONGEST_LINE:
                    raise StepsFileError(
                        f"{path}: line {number:,} is longer than {LONGEST_LINE:,} bytes"
                    )
                if number > MOST_STEPS:
                    raise StepsFileError(f"{path}: has more than {MOST_STEPS:,} lines")
                if not line.strip():
                    continue
                try:
                    step, used = _step(line)
                except ValueError as error:
                    raise StepsFileError(f"{path}: line {number:,}: {error}") from None
                steps.append(step)
                forms.update(dict.fromkeys(used))
    except (OSError, ValueError) as error:  # ValueError: no file can have that path
        reason = getattr(error, "strerror", None) or error
        raise StepsFileError(f"{path}: cannot be read: {reason}") from error
    if not steps:
        raise StepsFileError(f"{path}: holds no step; write a line of JSON for each merge")
    return ReadSteps(steps, tuple(forms))


def _step(line: bytes) -> tuple[ClaimedStep, list[str]]:
    """Return a line's step and the forms of its tokens; raise `ValueError` if it is no step."""
    try:
        facts = json.loads(line)
    except (ValueError, RecursionError):
        raise ValueError("is no JSON, or cut short") from None
    if not isinstance(facts, dict):
        raise ValueError('is no JSON object {"left": …, "right": …}')
    left, form_left = _token(facts, "left")
    right, form_right = _token(facts, "right")
    step = ClaimedStep(left, right, _number(facts, "count"), _number(facts, "new_id"))
    return step, [form_left, form_right]


def _token(facts: dict[str, Any], key: str) -> tuple[bytes, str]:
    if key not in facts:
        raise ValueError(f'has no "{key}"')
    try:
        token, form = read_token(facts[key])
    except ValueError as error:
        raise ValueError(f'"{key}" {error}') from None
    if not token:
        raise ValueError(f'"{key}" is empty; a token has at least one byte')
    return token, form


def _number(facts: dict[str, Any], key: str) -> int | None:
    value = facts.get(key)
    if value is not None and (type(value) is not int or value < 0):
        raise ValueError(f'"{key}" is no whole number')
    return value
