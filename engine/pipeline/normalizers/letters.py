"""Upper case and accents away."""

from __future__ import annotations

import unicodedata

from engine.pipeline.normalizers.normalizer import CharacterNormalizer


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
