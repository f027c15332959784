"""`ByteLevel` as a normalizer: every byte as GPT-2's printable stand-in."""

from __future__ import annotations

from engine.byte_chars import spell
from engine.normalizers.normalizer import CharacterNormalizer
from engine.pretokenize import to_bytes


class ByteLevel(CharacterNormalizer):
    name = "ByteLevel"

    def replaced(self, character: str) -> str:
        return spell(to_bytes(character))
