"""Bytes written in a line of text, in quotes, and read back."""

from __future__ import annotations

import re

_STRAY = re.compile("[\udc80-\udcff]")


def text_of(data: bytes, stray: str) -> str:
    """The bytes as text, those that are no UTF-8 by a format of their own.

    >>> text_of(b"a\\xe6", stray="<{:02X}>")
    'a<E6>'
    """
    text = data.decode("utf-8", "surrogateescape")
    return _STRAY.sub(lambda found: stray.format(ord(found[0]) - 0xDC00), text)


_ESCAPES = {b"n": b"\n", b"t": b"\t", b"r": b"\r"}
_ESCAPED = re.compile(rb"\\(x[0-9a-fA-F]{2}|.)", re.DOTALL)


def unquoted(text: str) -> bytes:
    r"""The bytes that a word or a string in quotes stands for.

    >>> unquoted(r'" the\n\xe6"'), unquoted("the")
    (b' the\n\xe6', b'the')
    """
    data = text.encode("utf-8", "surrogateescape")
    if not text.startswith('"'):
        return data

    def meant(found: re.Match[bytes]) -> bytes:
        code = found[1]
        return bytes.fromhex(code[1:].decode()) if len(code) == 3 else _ESCAPES.get(code, code)

    return _ESCAPED.sub(meant, data[1:-1])


def quoted(data: bytes) -> str:
    r"""The bytes as a string in quotes, which `unquoted` reads.

    >>> print(quoted(b' the\n\xe6"'))
    " the\n\xe6\""
    """
    data = data.replace(b"\\", rb"\\").replace(b'"', rb"\"")
    for code, byte in _ESCAPES.items():
        data = data.replace(byte, b"\\" + code)
    return '"' + text_of(data, stray=r"\x{:02x}") + '"'
