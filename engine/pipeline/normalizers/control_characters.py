"""`Nmt`: control characters away, odd spaces made plain, as in SentencePiece's `nmt` rules."""

from __future__ import annotations

from engine.pipeline.normalizers.normalizer import CharacterNormalizer

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
