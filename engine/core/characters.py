"""Characters of several bytes, which tokens may cut."""

from __future__ import annotations

import codecs
from collections.abc import Iterable, Iterator


def whole_characters(tokens: Iterable[bytes]) -> Iterator[list[bytes]]:
    """Yield tokens one by one, but together those that only together hold whole characters.

    b'a', b'\\xe6\\xbc', b'\\xa2' → [b'a'], [b'\\xe6\\xbc', b'\\xa2'].
    """
    decoder, together = codecs.lookup("utf-8").incrementaldecoder("replace"), list[bytes]()
    for token in tokens:
        decoder.decode(token)
        together.append(token)
        if not decoder.getstate()[0]:
            yield together
            together = []
    if together:
        yield together


def characters_around(text: bytes, part: bytes) -> bytes:
    """Return the characters of a text that a part of it lies in; the part if it is not there.

    >>> characters_around("我们".encode(), b"\\x88\\x91\\xe4").decode()
    '我们'
    """
    start = text.find(part)
    return part if start < 0 else characters_at(text, start, start + len(part))


def characters_at(text: bytes, start: int, end: int) -> bytes:
    """Return the characters that some bytes of a text lie in."""
    while start and text[start] & 0xC0 == 0x80:
        start -= 1
    while end < len(text) and text[end] & 0xC0 == 0x80:
        end += 1
    return text[start:end]
