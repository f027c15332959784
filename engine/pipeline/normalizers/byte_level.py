"""`ByteLevel` as a normalizer: every byte as GPT-2's printable stand-in."""

from __future__ import annotations

from engine.core.gpt2_bytes import spell
from engine.pipeline.normalizers.normalizer import CharacterNormalizer
from engine.text.pretokenize import to_bytes


class ByteLevel(CharacterNormalizer):
    name = "ByteLevel"

    def replaced(self, character: str) -> str:
        return spell(to_bytes(character))
