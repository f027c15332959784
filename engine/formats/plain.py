"""Whether a tokenizer is no more than bytes and merges, which is all that some formats can say.

What its merges start from is known before any of them, and tells most: see `told_unsayable`.
"""

from __future__ import annotations

from pathlib import Path

from engine.alphabets import Alphabet, WordEndAlphabet
from engine.core.errors import TokenizerFileError, VocabularyError
from engine.encoding.tokenizer import Tokenizer
from engine.formats.tokenizer_format import TokenizerFormat


def told_unsayable(alphabet: Alphabet, format: TokenizerFormat) -> str | None:
    """Why a format can hold no tokenizer whose merges start from this; `None` if it may.

    >>> from engine.alphabets import BYTES, CharacterAlphabet
    >>> from engine.formats import FORMATS
    >>> told_unsayable(BYTES, FORMATS["gpt2"])
    >>> told_unsayable(CharacterAlphabet({"a": 0}), FORMATS["gpt2"])
    'the format gpt2 knows tokens of bytes only; for characters take the format huggingface'
    """
    if isinstance(alphabet, WordEndAlphabet):
        return (
            "no format can hold this tokenizer: </w> is a token of its own here, which merges like "
            "any other; in tokenizer.json it is part of the last character, and the other formats "
            "know bytes only. Units of bytes or of characters can be saved"
        )
    if alphabet.unit != "byte" and not format.keeps_stages:
        return (
            f"the format {format.name} knows tokens of bytes only; for characters take the "
            "format huggingface"
        )
    return None


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
            f"{path}: this format can say bytes and merges only, and the tokenizer has tokens that "
            "no merge makes, or two ids for the same bytes; try the format huggingface"
        )


def _encoding(tokenizer: Tokenizer) -> tuple[object, ...]:
    """All that decides how a pretoken is encoded."""
    return tokenizer.alphabet.as_message(), dict(tokenizer.merge_table)
