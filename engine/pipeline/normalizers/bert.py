"""BERT's normalizer: clean text, Chinese characters apart, accents away, lower case."""

from __future__ import annotations

import unicodedata
from typing import Self

from engine.pipeline.json_fields import Fields
from engine.pipeline.normalizers.edits import Lowercase
from engine.pipeline.normalizers.normalizer import (
    ChainedNormalizer,
    CharacterNormalizer,
    Normalizer,
)
from engine.pipeline.normalizers.unicode_forms import NFD
from engine.text.scripts import WHITE_SPACE


class CleanText(CharacterNormalizer):
    """Control and format characters away, any whitespace a plain space."""

    name = "clean text"

    def replaced(self, character: str) -> str:
        if character in WHITE_SPACE and character not in "\v\f\x85":
            return " "
        category = unicodedata.category(character)
        is_removed = category in ("Cc", "Cf", "Co") and character not in _NEWER_FORMAT_CHARACTERS
        return "" if is_removed or character == "\ufffd" else character


# Unicode has them since version 9, which the tables that decide here do not know.
_NEWER_FORMAT_CHARACTERS = "\u0890\u0891\u08e2\U000110cd" + "".join(
    map(chr, range(0x13430, 0x13439))
)


class ChineseCharactersApart(CharacterNormalizer):
    """A space on either side of each Chinese character."""

    name = "Chinese characters apart"

    def replaced(self, character: str) -> str:
        is_chinese = any(first <= character <= last for first, last in _CHINESE)
        return f" {character} " if is_chinese else character


_CHINESE = (
    *(("\u4e00", "\u9fff"), ("\u3400", "\u4dbf"), ("\uf900", "\ufaff")),
    *(("\U00020000", "\U0002a6df"), ("\U0002a700", "\U0002b81f")),
    *(("\U0002b920", "\U0002ceaf"), ("\U0002f800", "\U0002fa1f")),
)


class NonspacingMarksAway(CharacterNormalizer):
    name = "nonspacing marks away"

    def replaced(self, character: str) -> str:
        return "" if unicodedata.category(character) == "Mn" else character


class BertNormalizer(ChainedNormalizer):
    """Its parts in their order. With `strip_accents=None`, lower case takes accents away, too."""

    name = "BertNormalizer"

    def __init__(
        self,
        clean_text: bool = True,
        handle_chinese_chars: bool = True,
        strip_accents: bool | None = None,
        lowercase: bool = True,
    ) -> None:
        self._settings = {
            "clean_text": clean_text,
            "handle_chinese_chars": handle_chinese_chars,
            "strip_accents": strip_accents,
            "lowercase": lowercase,
        }
        accents_away = lowercase if strip_accents is None else strip_accents
        chosen: list[tuple[bool, tuple[Normalizer, ...]]] = [
            (clean_text, (CleanText(),)),
            (handle_chinese_chars, (ChineseCharactersApart(),)),
            (accents_away, (NFD(), NonspacingMarksAway())),
            (lowercase, (Lowercase(),)),
        ]
        super().__init__([part for wanted, parts in chosen if wanted for part in parts])

    @classmethod
    def from_json(cls, fields: Fields) -> Self:
        return cls(
            fields.flag("clean_text"),
            fields.flag("handle_chinese_chars"),
            fields.flag("strip_accents") if fields.has("strip_accents") else None,
            fields.flag("lowercase"),
        )

    def settings(self) -> dict[str, object]:
        return dict(self._settings)
