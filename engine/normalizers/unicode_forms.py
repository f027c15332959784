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
        """A character with the marks behind it is looked at by itself: forms reach no further.

        Other characters that join with the one before, as the jamo of Hangul do, are found by
        trying.
        """
        if unicodedata.is_normalized(self.name, text):
            return
        starts = [at for at in range(len(text)) if at == 0 or self._parts(text[at - 1], text[at])]
        for start, end in pairwise((*starts, len(text))):
            old = text[start:end]
            if (new := self.normalize(old)) != old:
                yield Edit(start, end, new)

    def _parts(self, before: str, character: str) -> bool:
        """Whether two neighbours have nothing to do with each other in this form."""
        apart = self.normalize(before) + self.normalize(character)
        if unicodedata.combining(unicodedata.normalize("NFKD", character)[:1] or "a"):
            return False
        return self.normalize(before + character) == apart


class NFC(_UnicodeForm):
    name = "NFC"


class NFD(_UnicodeForm):
    name = "NFD"


class NFKC(_UnicodeForm):
    name = "NFKC"


class NFKD(_UnicodeForm):
    name = "NFKD"
