"""The ways in which a line of JSON may write a token.

Any bytes can be written in each; a reader tells them apart by their type alone:

    "Ġthe"                   text in GPT-2's spelling: a printable stand-in for every byte
    [32, 116, 104, 101]      a list of byte values
    {"hex": "20746865"}      hexadecimal digits
    {"base64": "IHRoZQ=="}   base64
"""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import Any

from engine.core.gpt2_bytes import unspell
from engine.core.registry import Registry


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
