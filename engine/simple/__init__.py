"""Tokenizers that need no training to speak of: by words, by characters, by bytes.

They are what subword tokenizers are measured against: words are short sequences, but every new
word is unknown; bytes are never unknown, but many; characters stand between.
"""

from __future__ import annotations

from engine.registry import Registry
from engine.simple.byte import ByteTokenizer
from engine.simple.character import CharacterTokenizer
from engine.simple.simple_tokenizer import SimpleTokenizer
from engine.simple.word import WordTokenizer

SIMPLE_TOKENIZERS: Registry[type[SimpleTokenizer]] = Registry(
    "tokenizer", {kind.name: kind for kind in (WordTokenizer, CharacterTokenizer, ByteTokenizer)}
)
