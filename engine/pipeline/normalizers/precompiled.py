r"""`Precompiled`: SentencePiece's normalization rules, as a trie that came with the model.

The map is a double array of the keys, followed by all replacements, each ended by a NUL. How it
is applied is Hugging Face's way, oddities included, and not quite SentencePiece's: a grapheme of
less than 6 bytes is looked up as a whole first, then character by character; of the keys that a
text begins with the *shortest* counts, and its replacement stands for the whole text.
"""

from __future__ import annotations

import base64
import binascii
import struct
from collections.abc import Callable, Iterator
from functools import cached_property, lru_cache

import regex

from engine.core.json_fields import Fields
from engine.pipeline.normalizers.normalizer import Edit, EditingNormalizer
from engine.pipeline.stage import stage

LONGEST_GRAPHEME = 5
"""Bytes of a grapheme that is looked up as a whole."""

_GRAPHEMES = regex.compile(r"\X")


@stage
class Precompiled(EditingNormalizer):
    """What the map says of a text comes in its place; the map is in base64.

    {"type": "Precompiled", "precompiled_charsmap": "ALQCAACEAAAA…"}
    """

    name = "Precompiled"
    precompiled_charsmap: str

    def check(self, fields: Fields) -> None:
        try:
            _ = self._map
        except (ValueError, binascii.Error, struct.error) as error:
            problem = f"is no map of characters: {error}"
            raise fields.error("precompiled_charsmap", problem) from None

    @cached_property
    def _map(self) -> tuple[tuple[int, ...], bytes]:
        """The units of the trie, and the replacements.

        Raises:
            ValueError: it is no such map.
        """
        data = base64.b64decode(self.precompiled_charsmap, validate=True)
        (size,) = struct.unpack_from("<I", data)
        if size % 4 or 4 + size > len(data):
            raise ValueError("the trie is cut short")
        replacements = data[4 + size :]
        replacements.decode()
        return struct.unpack_from(f"<{size // 4}I", data, 4), replacements

    @cached_property
    def _looked_up(self) -> Callable[[str], str | None]:
        return lru_cache(maxsize=1 << 16)(self._look_up)

    def edits(self, text: str) -> Iterator[Edit]:
        for match in _GRAPHEMES.finditer(text):
            start, end = match.span()
            whole = match.group()
            if len(whole.encode("utf-8", "surrogatepass")) <= LONGEST_GRAPHEME:
                new = self._looked_up(whole)
                if new is not None:
                    yield Edit(start, end, new)
                    continue
            for at, character in enumerate(whole, start):
                new = self._looked_up(character)
                if new is not None:
                    yield Edit(at, at + 1, new)

    def _look_up(self, text: str) -> str | None:
        """What comes in the place of a text; `None` if it stays."""
        place = self._shortest_key(text.encode("utf-8", "surrogatepass"))
        replacements = self._map[1]
        if place is None or place >= len(replacements):
            return None
        end = replacements.find(b"\0", place)
        return replacements[place : end if end >= 0 else None].decode("utf-8", "replace")

    def _shortest_key(self, key: bytes) -> int | None:
        """The value of the shortest key in the double array that begins `key`.

        A unit holds the offset to its children, its label, and whether it ends a key, in the bits
        that Darts-clone gave them.
        """
        units = self._map[0]
        if not units:
            return None
        node = _offset(units[0])
        for byte in key:
            if byte == 0:
                return None
            node ^= byte
            if node >= len(units):
                return None
            unit = units[node]
            if unit & 0x800000FF != byte:
                return None
            node ^= _offset(unit)
            if unit >> 8 & 1:
                return units[node] & 0x7FFFFFFF if node < len(units) else None
        return None


def _offset(unit: int) -> int:
    return (unit >> 10) << ((unit & 0x200) >> 6)
