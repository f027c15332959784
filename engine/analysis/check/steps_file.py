"""Steps in lines of JSON: what a trainer in any language prints, a line a merge.

    {"left": "Ġt", "right": "he", "count": 1234, "new_id": 259}

`left` and `right` are tokens in any of the `token_forms`; `count` (how often the pair stood side by
side) and `new_id` may be left out, and other keys are passed over. So the lines of `bpe-tui train
--steps` are such a file, too. Nothing of a file is believed; each line has a greatest length.
"""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from engine.analysis.check.claim import Claim, ClaimedStep
from engine.core.errors import StepsFileError
from engine.core.gpt2_bytes import unspell
from engine.core.registry import Registry

# The ways in which a line of JSON may write a token.
#
# Any bytes can be written in each; a reader tells them apart by their type alone:
#
#     "Ġthe"                   text in GPT-2's spelling: a printable stand-in for every byte
#     [32, 116, 104, 101]      a list of byte values
#     {"hex": "20746865"}      hexadecimal digits
#     {"base64": "IHRoZQ=="}   base64


def _of_text(value: str) -> bytes:
    try:
        return unspell(value)
    except KeyError as error:
        raise ValueError(
            f"has the character {error.args[0]!r}, which GPT-2's spelling does not use (a space "
            'is Ġ, a newline Ċ); write a list of byte values or {"hex": …}'
        ) from None


def _of_list(value: list[Any]) -> bytes:
    if not all(type(byte) is int and 0 <= byte < 256 for byte in value):
        raise ValueError("is a list, but not of bytes from 0 to 255")
    return bytes(value)


def _of_hex(digits: str) -> bytes:
    try:
        return bytes.fromhex(digits)
    except ValueError:
        raise ValueError("has hex that is no hexadecimal") from None


def _of_base64(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except ValueError:
        raise ValueError("has base64 that is damaged") from None


DECODERS: Registry[Callable[[str], bytes]] = Registry(
    "token form", {"hex": _of_hex, "base64": _of_base64}
)


def read_token(value: object) -> tuple[bytes, str]:
    """A token, and the name of the form in which it is written.

    >>> read_token("Ġthe"), read_token([32, 116]), read_token({"hex": "2074"})
    ((b' the', 'GPT-2 spelling'), (b' t', 'lists of bytes'), (b' t', 'hex'))

    Raises:
        ValueError: says what is wrong with it.
    """
    if isinstance(value, str):
        return _of_text(value), "GPT-2 spelling"
    if isinstance(value, list):
        return _of_list(value), "lists of bytes"
    if isinstance(value, dict) and len(value) == 1:
        [(form, text)] = value.items()
        if form in DECODERS and isinstance(text, str):
            return DECODERS[form](text), form
    raise ValueError('is none of: text, a list of bytes, {"hex": …}, {"base64": …}')


LONGEST_LINE = 1 << 20
MOST_STEPS = 1 << 20


@dataclass(frozen=True)
class ReadSteps:
    """The steps of a file, and the forms in which their tokens are written."""

    claim: Claim
    forms: tuple[str, ...]


def read_steps(path: str | os.PathLike[str]) -> ReadSteps:
    """Read a file of steps; empty lines are passed over.

    Raises:
        StepsFileError: the file cannot be read, or a line of it is no step; says which line.
    """
    steps: list[ClaimedStep] = []
    forms: dict[str, None] = {}
    try:
        with Path(path).open("rb") as file:
            for number, line in _lines(file, path):
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
    return ReadSteps(Claim(steps), tuple(forms))


def _lines(file: BinaryIO, path: str | os.PathLike[str]) -> Iterator[tuple[int, bytes]]:
    number = 0
    while line := file.readline(LONGEST_LINE + 1):
        number += 1
        if len(line) > LONGEST_LINE:
            raise StepsFileError(f"{path}: line {number:,} is longer than {LONGEST_LINE:,} bytes")
        if number > MOST_STEPS:
            raise StepsFileError(f"{path}: has more than {MOST_STEPS:,} lines")
        if line.strip():
            yield number, line


def _step(line: bytes) -> tuple[ClaimedStep, list[str]]:
    """A line's step and the forms of its tokens; a `ValueError` says what is wrong."""
    try:
        told = json.loads(line)
    except (ValueError, RecursionError):
        raise ValueError("is no JSON, or cut short") from None
    if not isinstance(told, dict):
        raise ValueError('is no JSON object {"left": …, "right": …}')
    left, form_left = _token(told, "left")
    right, form_right = _token(told, "right")
    step = ClaimedStep(left, right, _number(told, "count"), _number(told, "new_id"))
    return step, [form_left, form_right]


def _token(told: dict[str, Any], key: str) -> tuple[bytes, str]:
    if key not in told:
        raise ValueError(f'has no "{key}"')
    try:
        token, form = read_token(told[key])
    except ValueError as error:
        raise ValueError(f'"{key}" {error}') from None
    if not token:
        raise ValueError(f'"{key}" is empty; a token has at least one byte')
    return token, form


def _number(told: dict[str, Any], key: str) -> int | None:
    value = told.get(key)
    if value is not None and (type(value) is not int or value < 0):
        raise ValueError(f'"{key}" is no whole number')
    return value
