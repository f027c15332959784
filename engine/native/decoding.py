"""Decoding in the kernel: `KernelDecoder` joins tokens from a table of all of them."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Collection, Mapping
from typing import Any

from engine.native import KernelObject, address, host

MOST_GAPS = 1 << 16
"""Ids without a token that the table has room for, besides four for each token."""


class KernelDecoder:
    """The tokens of a vocabulary in the kernel.

    Args:
        tokens: id → its bytes, as `fits` takes them.

    Attributes:
        bytes_of, text_of: return the bytes, or the text, of a list of ids; `None` for other objects
            and for ids without a token. Bytes that are not UTF-8 become U+FFFD.
    """

    def __init__(self, tokens: Mapping[int, bytes]) -> None:
        sizes = array("q", [-1]) * (max(tokens, default=-1) + 1)
        in_order = sorted(tokens.items())
        for token_id, token in in_order:
            sizes[token_id] = len(token)
        text = b"".join(token for _, token in in_order)
        memory_error = "there is not enough memory to decode; give fewer ids"
        self._tokens = KernelObject("tokens", memory_error, text, address(sizes), len(sizes))
        self.bytes_of: Callable[[Any], bytes | None] = host.function("tokens_bytes", self._tokens)
        self.text_of: Callable[[Any], str | None] = host.function("tokens_text", self._tokens)

    @staticmethod
    def fits(tokens: Collection[int]) -> bool:
        """Whether there is a kernel, and room for the highest of these ids."""
        highest = max(tokens, default=0)
        return host.IS_SET and min(tokens, default=0) >= 0 and highest < MOST_GAPS + 5 * len(tokens)

    def bytes_of_array(self, ids: array[int]) -> bytes | None:
        """Return the bytes of ids in 32 bits; `None` if one has no token."""
        joined: bytes | None = host.bytes_of_array(self._tokens.handle, address(ids), len(ids))
        return joined
