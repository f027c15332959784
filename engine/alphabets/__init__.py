"""What a pretoken is made of before any merge: one file for each alphabet.

Uses text and core; encoding and what is above use it.
"""

from __future__ import annotations

from engine.alphabets.alphabet import (
    ALPHABETS,
    BYTES,
    Alphabet,
    ByteAlphabet,
    CharacterAlphabet,
    ContinuationAlphabet,
    WholeTokens,
    WordEndAlphabet,
    from_message,
)

__all__ = [
    "ALPHABETS",
    "BYTES",
    "Alphabet",
    "ByteAlphabet",
    "CharacterAlphabet",
    "ContinuationAlphabet",
    "WholeTokens",
    "WordEndAlphabet",
    "from_message",
]
