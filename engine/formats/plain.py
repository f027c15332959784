"""Whether a tokenizer is no more than bytes and merges, which is all that some formats can say."""

from __future__ import annotations

from pathlib import Path

from engine.errors import TokenizerFileError, VocabularyError
from engine.tokenizer import Tokenizer


def check_plain(tokenizer: Tokenizer, path: Path) -> None:
    """Raises `TokenizerFileError` if vocab and merges alone do not tell how it encodes."""
    try:
        plain = Tokenizer(
            tokenizer.vocab, tokenizer.merges, tokenizer.rules.special_ids, tokenizer.pattern
        )
    except VocabularyError:
        plain = None
    if plain is None or _encoding(plain) != _encoding(tokenizer):
        raise TokenizerFileError(
            f"{path}: the tokenizer is more than bytes and merges (whole tokens that no merge "
            "makes, characters, ids that share their bytes), which this format cannot say"
        )


def _encoding(tokenizer: Tokenizer) -> tuple[object, ...]:
    """All that decides how a pretoken is encoded."""
    return tokenizer.alphabet.as_message(), dict(tokenizer.merge_table)
