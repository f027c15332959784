"""Whitespace away at either end; a text put in front."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from collections.abc import Sequence as SequenceOf
from itertools import chain
from typing import Any, Self

from engine.core.gpt2_bytes import spell
from engine.pipeline.json_fields import Fields
from engine.pipeline.normalizers.normalizer import (
    ChainedNormalizer,
    CharacterNormalizer,
    Edit,
    EditingNormalizer,
    Normalizer,
)
from engine.pipeline.normalizers.unicode_forms import NFD
from engine.pipeline.oniguruma import TextOrRegex
from engine.text.pretokenize import to_bytes
from engine.text.scripts import WHITE_SPACE

# `Nmt`: control characters away, odd spaces made plain, as in SentencePiece's `nmt` rules.

_REMOVED = [*range(0x01, 0x09), 0x0B, *range(0x0E, 0x20), 0x7F, 0x8F, 0x9F]
_SPACES = [0x09, 0x0A, 0x0C, 0x0D, 0x1680, *range(0x200B, 0x2010)]
_SPACES += [0x2028, 0x2029, 0x2581, 0xFEFF, 0xFFFD]
_TABLE = dict.fromkeys(_REMOVED, "") | dict.fromkeys(_SPACES, " ")


class Nmt(CharacterNormalizer):
    name = "Nmt"

    def replaced(self, character: str) -> str:
        return _TABLE.get(ord(character), character)

    def normalize(self, text: str) -> str:
        return text.translate(_TABLE)


# Upper case and accents away.


class Lowercase(CharacterNormalizer):
    """Each character by itself, so a `Σ` at the end of a word becomes `σ`, not `ς`."""

    name = "Lowercase"

    def replaced(self, character: str) -> str:
        return character.lower()

    def normalize(self, text: str) -> str:
        # Only of `Σ` it matters what stands around it.
        return super().normalize(text) if "Σ" in text else text.lower()


class StripAccents(CharacterNormalizer):
    """Combining marks away. It does not part `é` into `e` and its accent: that is for NFD."""

    name = "StripAccents"

    def replaced(self, character: str) -> str:
        return "" if unicodedata.category(character)[0] == "M" else character


class Strip(EditingNormalizer):
    """Takes whitespace away at the left, at the right, or at both ends."""

    name = "Strip"

    def __init__(self, left: bool = True, right: bool = True) -> None:
        self.left = left
        self.right = right

    @classmethod
    def from_json(cls, fields: Fields) -> Self:
        return cls(fields.flag("strip_left"), fields.flag("strip_right"))

    def settings(self) -> dict[str, object]:
        return {"strip_left": self.left, "strip_right": self.right}

    def edits(self, text: str) -> Iterator[Edit]:
        start = len(text) - len(text.lstrip(WHITE_SPACE)) if self.left else 0
        if start:
            yield Edit(0, start, "")
        end = len(text.rstrip(WHITE_SPACE)) if self.right else len(text)
        if start < len(text) and end < len(text):
            yield Edit(end, len(text), "")


class Prepend(EditingNormalizer):
    """Puts a text in front of what is not empty: SentencePiece's `▁` before the first word."""

    name = "Prepend"

    def __init__(self, prepend: str) -> None:
        self.prepend = prepend

    @classmethod
    def from_json(cls, fields: Fields) -> Self:
        return cls(fields.text("prepend"))

    def settings(self) -> dict[str, object]:
        return {"prepend": self.prepend}

    def edits(self, text: str) -> Iterator[Edit]:
        if text:
            # It goes with the first character, so that no span is empty.
            yield Edit(0, 1, self.prepend + text[0])

    def normalize(self, text: str) -> str:
        return self.prepend + text if text else text


# One text, or whatever a regex finds, replaced by another.


class Replace(EditingNormalizer):
    """Each match becomes `content`, literally; that comes from the last character of the match."""

    name = "Replace"

    def __init__(self, pattern: TextOrRegex, content: str) -> None:
        self.pattern = pattern
        self.content = content

    @classmethod
    def from_json(cls, fields: Fields) -> Self:
        return cls(TextOrRegex.from_json(fields.inner("pattern")), fields.text("content"))

    def settings(self) -> dict[str, object]:
        return {"pattern": self.pattern.to_json(), "content": self.content}

    def edits(self, text: str) -> Iterator[Edit]:
        for start, end in self.pattern.matches(text):
            last = max(start, end - 1)
            if start < last:
                yield Edit(start, last, "")
            yield Edit(last, end, self.content)

    def normalize(self, text: str) -> str:
        if self.pattern.text:
            return text.replace(self.pattern.text, self.content)
        return super().normalize(text)


# `ByteLevel` as a normalizer: every byte as GPT-2's printable stand-in.


class ByteLevel(CharacterNormalizer):
    name = "ByteLevel"

    def replaced(self, character: str) -> str:
        return spell(to_bytes(character))


# Several normalizers, one after the other.


class Sequence(ChainedNormalizer):
    name = "Sequence"
    parts_key = "normalizers"

    @property
    def stages(self) -> tuple[Normalizer, ...]:
        return tuple(chain.from_iterable(part.stages for part in self.parts))

    @classmethod
    def of_parts(cls, parts: SequenceOf[Any], fields: Fields) -> Self:
        return cls(parts)

    def settings(self) -> dict[str, object]:
        return {"normalizers": [part.to_json() for part in self.parts]}


# BERT's normalizer: clean text, Chinese characters apart, accents away, lower case.


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
