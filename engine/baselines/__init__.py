"""Tokenizers that need no training to speak of: by words, by characters, by bytes.

They are what subword tokenizers are measured against: words are short sequences, but every new
word is unknown; bytes are never unknown, but many; characters stand between.

Uses bpe for sizes of vocabularies, text and core; analysis uses it.
"""

from __future__ import annotations

from engine.baselines.baselines import (
    ByteTokenizer,
    CharacterTokenizer,
    SimpleTokenizer,
    WordTokenizer,
)
from engine.core.registry import Registry

SIMPLE_TOKENIZERS: Registry[type[SimpleTokenizer]] = Registry(
    "tokenizer", {kind.name: kind for kind in (WordTokenizer, CharacterTokenizer, ByteTokenizer)}
)
