"""What a pretoken is made of before any merge: one file for each alphabet.

Uses text and core; encoding and what is above use it.
"""

from __future__ import annotations

from engine.alphabets.alphabet import (
    BYTES,
    Alphabet,
    ByteAlphabet,
    CharacterAlphabet,
    ContinuationAlphabet,
    WholeTokens,
    WordEndAlphabet,
)

__all__ = [
    "BYTES",
    "Alphabet",
    "ByteAlphabet",
    "CharacterAlphabet",
    "ContinuationAlphabet",
    "WholeTokens",
    "WordEndAlphabet",
]
