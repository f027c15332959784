"""The four normalization forms of Unicode, and SentencePiece's rules, which came of them.

The characters are those of this Python's Unicode (`unicodedata.unidata_version`); Hugging Face's
tables are older for a few and newer for others. Where characters come from is told as there: parts
of one character come from it; of several that become one, it comes from the first.
"""

from __future__ import annotations

import base64
import binascii
import struct
import unicodedata
from collections.abc import Callable, Iterator
from functools import cached_property, lru_cache
from itertools import groupby, pairwise
from typing import ClassVar, Literal

import regex

from engine.core.json_fields import Fields
from engine.pipeline.normalizers.normalizer import Edit, EditingNormalizer
from engine.pipeline.stage import stage

Changing = tuple[str, int]
"""A character of the new text: 0 if it stands for one old character, +1 if for none beyond the one
before, −n if for one and n more."""


class _UnicodeForm(EditingNormalizer):
    name: ClassVar[Literal["NFC", "NFD", "NFKC", "NFKD"]]

    def normalize(self, text: str) -> str:
        return unicodedata.normalize(self.name, text)

    def edits(self, text: str) -> Iterator[Edit]:
        """A character with what may join it is looked at by itself: forms reach no further."""
        if unicodedata.is_normalized(self.name, text):
            return
        starts = [at for at in range(len(text)) if at == 0 or self._stands_alone(text, at)]
        for start, end in pairwise((*starts, len(text))):
            if self.normalize(text[start:end]) != text[start:end]:
                yield from self._edits_within(text, start, end)

    def _edits_within(self, text: str, start: int, end: int) -> Iterator[Edit]:
        old = text[start:end]
        new = self._decomposed(old)
        if self.name in ("NFC", "NFKC"):
            new = _composed(new)
        if "".join(character for character, _ in new) != self.normalize(old):
            yield Edit(start, end, self.normalize(old))
            return
        at = start
        edits: list[Edit] = []
        for character, change in new:
            if change > 0 and edits:
                edits[-1] = edits[-1]._replace(new=edits[-1].new + character)
                continue
            edits.append(Edit(at, at + 1, character))
            at += 1 - min(change, 0)
            if change < 0:
                edits.append(Edit(at + change, at, ""))
        yield from edits

    def _decomposed(self, text: str) -> list[Changing]:
        """The parts of the characters, marks in their canonical order."""
        form: Literal["NFD", "NFKD"] = "NFKD" if self.name in ("NFKC", "NFKD") else "NFD"
        parts = [
            (part, int(number > 0))
            for character in text
            for number, part in enumerate(unicodedata.normalize(form, character))
        ]
        ordered: list[Changing] = []
        for is_mark, run in groupby(parts, key=lambda part: unicodedata.combining(part[0]) > 0):
            stretch = list(run)
            if is_mark:
                stretch.sort(key=lambda part: unicodedata.combining(part[0]))
            ordered += stretch
        return ordered

    def _stands_alone(self, text: str, at: int) -> bool:
        """Whether the character there has nothing to do with what is before it, in any form."""
        before, character = text[at - 1], text[at]
        first = unicodedata.normalize("NFKD", character)[0]
        if unicodedata.category(first)[0] == "M" or "\u1160" <= first <= "\u11ff":
            return False  # a mark, or a vowel or final consonant of Hangul
        apart = self.normalize(before) + self.normalize(character)
        return self.normalize(before + character) == apart


def _composed(parts: list[Changing]) -> list[Changing]:
    """Parts joined to one character wherever Unicode has one."""
    joined: list[Changing] = []
    starter: int | None = None
    last_class = 0
    for character, change in parts:
        mark_class = unicodedata.combining(character)
        if starter is not None and (len(joined) == starter + 1 or last_class < mark_class):
            both = unicodedata.normalize("NFC", joined[starter][0] + character)
            if len(both) == 1:
                joined[starter] = both, joined[starter][1] + change - 1
                continue
        if mark_class == 0:
            starter = len(joined)
        last_class = mark_class
        joined.append((character, change))
    return joined


class NFC(_UnicodeForm):
    name = "NFC"


class NFD(_UnicodeForm):
    name = "NFD"


class NFKC(_UnicodeForm):
    name = "NFKC"


class NFKD(_UnicodeForm):
    name = "NFKD"


# `Precompiled`: SentencePiece's normalization rules, as a trie that came with the model.
#
# The map is a double array of the keys, followed by all replacements, each ended by a NUL. How it
# is applied is Hugging Face's way, oddities included, and not quite SentencePiece's: a grapheme of
# less than 6 bytes is looked up as a whole first, then character by character; of the keys that a
# text begins with the *shortest* counts, and its replacement stands for the whole text.


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
