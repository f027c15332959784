"""Normalizers that change characters here and there: case, accents, whitespace, single texts."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from functools import cached_property

from engine.core.gpt2_bytes import spell
from engine.core.json_fields import Fields
from engine.pipeline.normalizers.normalizer import (
    Aligned,
    CharacterNormalizer,
    Edit,
    EditingNormalizer,
    Normalizer,
    Sequence,
)
from engine.pipeline.normalizers.unicode_forms import NFD
from engine.pipeline.oniguruma import TextOrRegex
from engine.pipeline.stage import check_content, stage
from engine.text.pretokenize import WHITE_SPACE, to_bytes

# One character at a time


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


_REMOVED = [*range(0x01, 0x09), 0x0B, *range(0x0E, 0x20), 0x7F, 0x8F, 0x9F]
_SPACES = [0x09, 0x0A, 0x0C, 0x0D, 0x1680, *range(0x200B, 0x2010)]
_SPACES += [0x2028, 0x2029, 0x2581, 0xFEFF, 0xFFFD]
_NMT = dict.fromkeys(_REMOVED, "") | dict.fromkeys(_SPACES, " ")


class Nmt(CharacterNormalizer):
    """Control characters away, odd spaces made plain, as in SentencePiece's `nmt` rules."""

    name = "Nmt"

    def replaced(self, character: str) -> str:
        return _NMT.get(ord(character), character)

    def normalize(self, text: str) -> str:
        return text.translate(_NMT)


class ByteLevel(CharacterNormalizer):
    """Every byte as GPT-2's printable stand-in."""

    name = "ByteLevel"

    def replaced(self, character: str) -> str:
        return spell(to_bytes(character))


# Whitespace at the ends, a text in front, one text for another


@stage
class Strip(EditingNormalizer):
    """Takes whitespace away at the left, at the right, or at both ends."""

    name = "Strip"
    strip_left: bool = True
    strip_right: bool = True

    def edits(self, text: str) -> Iterator[Edit]:
        start = len(text) - len(text.lstrip(WHITE_SPACE)) if self.strip_left else 0
        if start:
            yield Edit(0, start, "")
        end = len(text.rstrip(WHITE_SPACE)) if self.strip_right else len(text)
        if start < len(text) and end < len(text):
            yield Edit(end, len(text), "")


@stage
class Prepend(EditingNormalizer):
    """Puts a text in front of what is not empty: SentencePiece's `▁` before the first word."""

    name = "Prepend"
    prepend: str

    def edits(self, text: str) -> Iterator[Edit]:
        if text:
            # It goes with the first character, so that no span is empty.
            yield Edit(0, 1, self.prepend + text[0])

    def normalize(self, text: str) -> str:
        return self.prepend + text if text else text


@stage
class Replace(EditingNormalizer):
    """Each match becomes `content`, literally; that comes from the last character of the match.

    {"type": "Replace", "pattern": {"String": " "}, "content": "▁"}
    """

    name = "Replace"
    pattern: TextOrRegex
    content: str

    def check(self, fields: Fields) -> None:
        check_content(self.content, fields)

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


# BERT's: clean text, Chinese characters apart, accents away, lower case


class _CleanText(CharacterNormalizer):
    """Control and format characters away, any whitespace a plain space."""

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


class _ChineseCharactersApart(CharacterNormalizer):
    """A space on either side of each Chinese character."""

    def replaced(self, character: str) -> str:
        is_chinese = any(first <= character <= last for first, last in _CHINESE)
        return f" {character} " if is_chinese else character


_CHINESE = (
    *(("\u4e00", "\u9fff"), ("\u3400", "\u4dbf"), ("\uf900", "\ufaff")),
    *(("\U00020000", "\U0002a6df"), ("\U0002a700", "\U0002b81f")),
    *(("\U0002b920", "\U0002ceaf"), ("\U0002f800", "\U0002fa1f")),
)


class _NonspacingMarksAway(CharacterNormalizer):
    def replaced(self, character: str) -> str:
        return "" if unicodedata.category(character) == "Mn" else character


@stage
class BertNormalizer(Normalizer):
    """Four normalizers in a row, each of which may be switched off.

        {"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true,
         "strip_accents": null, "lowercase": true}

    With `strip_accents=None`, accents go where case goes.
    """

    name = "BertNormalizer"
    clean_text: bool = True
    handle_chinese_chars: bool = True
    strip_accents: bool | None = None
    lowercase: bool = True

    @cached_property
    def _chain(self) -> Sequence:
        strips_accents = self.lowercase if self.strip_accents is None else self.strip_accents
        chosen: list[tuple[bool, tuple[Normalizer, ...]]] = [
            (self.clean_text, (_CleanText(),)),
            (self.handle_chinese_chars, (_ChineseCharactersApart(),)),
            (strips_accents, (NFD(), _NonspacingMarksAway())),
            (self.lowercase, (Lowercase(),)),
        ]
        return Sequence([part for wanted, parts in chosen if wanted for part in parts])

    def align(self, aligned: Aligned) -> Aligned:
        return self._chain.align(aligned)

    def normalize(self, text: str) -> str:
        return self._chain.normalize(text)
