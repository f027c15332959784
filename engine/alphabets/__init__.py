"""What a pretoken is made of before any merge: one file for each alphabet.

Uses text and core; encoding and what is above use it.
"""

from __future__ import annotations

from engine.alphabets.alphabet import Alphabet
from engine.alphabets.byte import BYTES, ByteAlphabet
from engine.alphabets.character import CharacterAlphabet
from engine.alphabets.continuation import ContinuationAlphabet
from engine.alphabets.messages import ALPHABETS, from_message
from engine.alphabets.whole import WholeTokens
from engine.alphabets.word_end import WordEndAlphabet

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
