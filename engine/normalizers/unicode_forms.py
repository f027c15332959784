"""The four normalization forms of Unicode.

The characters are those of this Python's Unicode (`unicodedata.unidata_version`); Hugging Face's
tables are older for a few and newer for others.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from itertools import pairwise
from typing import ClassVar, Literal

from engine.normalizers.normalizer import Edit, EditingNormalizer


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
            old = text[start:end]
            if (new := self.normalize(old)) != old:
                yield Edit(start, end, new)

    def _stands_alone(self, text: str, at: int) -> bool:
        """Whether the character there has nothing to do with what is before it, in any form."""
        before, character = text[at - 1], text[at]
        first = unicodedata.normalize("NFKD", character)[0]
        if unicodedata.category(first)[0] == "M" or "\u1160" <= first <= "\u11ff":
            return False  # a mark, or a vowel or final consonant of Hangul
        apart = self.normalize(before) + self.normalize(character)
        return self.normalize(before + character) == apart


class NFC(_UnicodeForm):
    name = "NFC"


class NFD(_UnicodeForm):
    name = "NFD"


class NFKC(_UnicodeForm):
    name = "NFKC"


class NFKD(_UnicodeForm):
    name = "NFKD"
