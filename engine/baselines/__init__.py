"""Tokenizers that need no training to speak of: by words, by characters, by bytes.

They are what subword tokenizers are measured against: words are short sequences, but every new
word is unknown; bytes are never unknown, but many; characters stand between. To add one, write a
subclass of `BaselineTokenizer` and name it in `BASELINES`.

Uses bpe for sizes of vocabularies, text and core; analysis uses it.
"""

from __future__ import annotations

from engine.baselines.baselines import (
    BaselineTokenizer,
    ByteTokenizer,
    CharacterTokenizer,
    WordTokenizer,
)
from engine.core.registry import Registry

BASELINES: Registry[type[BaselineTokenizer]] = Registry(
    "tokenizer", {kind.name: kind for kind in (WordTokenizer, CharacterTokenizer, ByteTokenizer)}
)
