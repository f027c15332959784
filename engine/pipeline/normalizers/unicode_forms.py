"""The four normalization forms of Unicode.

The characters are those of this Python's Unicode (`unicodedata.unidata_version`); Hugging Face's
tables are older for a few and newer for others. Where characters come from is told as there: parts
of one character come from it; of several that become one, it comes from the first.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from itertools import groupby, pairwise
from typing import ClassVar, Literal

from engine.pipeline.normalizers.normalizer import Edit, EditingNormalizer

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
