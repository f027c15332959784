"""What a pretoken is made of before any merge: bytes, characters, with or without ends of words.

An `Alphabet` spells a pretoken in ids; `units` are what a training may start from; `merging` does
two things to ids: it counts pairs and merges one. The room uses text and core; encoding and the
rooms above use it.
"""

from __future__ import annotations

from engine.alphabets.alphabet import (
    BYTES,
    Alphabet,
    ByteAlphabet,
    CharacterAlphabet,
    WholeTokens,
    WordEndAlphabet,
)

__all__ = [
    "BYTES",
    "Alphabet",
    "ByteAlphabet",
    "CharacterAlphabet",
    "WholeTokens",
    "WordEndAlphabet",
]
