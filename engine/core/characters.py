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
