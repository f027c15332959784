"""Checks of a tokenizer before it is written, and new ids for one.

Some formats hold only bytes and merges, some prescribe the ids. Most obstacles follow from the
alphabet, which is known before any merge: see `describe_obstacle`.
"""

from __future__ import annotations

from pathlib import Path

from engine.core.errors import TokenizerFileError, VocabularyError
from engine.core.events import Pair
from engine.encoding.alphabet import BYTES, Alphabet, ByteAlphabet, MissingMerges, WordEndAlphabet
from engine.encoding.tokenizer import Tokenizer
from engine.formats.tokenizer_format import TokenizerFormat


def made_by_merges(tokenizer: Tokenizer) -> list[tuple[Pair, int]]:
    """Return the merges in order of rank: the pair and the id of the new token."""
    by_rank = sorted((rank, pair, made) for pair, (rank, made) in tokenizer.merge_table.items())
    return [(pair, made) for _, pair, made in by_rank]


def renumbered(tokenizer: Tokenizer) -> Tokenizer:
    """Return the tokenizer with new ids from 0 on, in the order that minbpe prescribes.

    Raises:
        VocabularyError: a token is neither a byte nor special nor made by exactly one merge.

    >>> vocab = {byte: bytes([byte]) for byte in range(256)} | {256: b"<e>", 257: b"ab"}
    >>> renumbered(Tokenizer(vocab, [(b"a", b"b")], ["<e>"])).encode("ab<e>")
    [256, 257]
    """
    merges = made_by_merges(tokenizer)
    special_ids = tokenizer.rules.special_ids
    old_ids = [*tokenizer.alphabet.token_ids, *(made for _, made in merges), *special_ids.values()]
    is_of_bytes = isinstance(tokenizer.alphabet, ByteAlphabet)
    if not is_of_bytes or sorted(old_ids) != sorted(tokenizer.vocab):
        raise VocabularyError(
            "its tokens are not all bytes, special tokens, or made by one merge each; "
            "so they cannot be numbered in the order of the merges"
        )
    new_ids = {old: new for new, old in enumerate(old_ids)}
    return Tokenizer(
        {new: tokenizer.vocab[old] for old, new in new_ids.items()},
        tokenizer.merges,
        {token: new_ids[old] for token, old in special_ids.items()},
        tokenizer.pattern,
        alphabet=BYTES,
        table={
            (new_ids[left], new_ids[right]): (rank, new_ids[made])
            for rank, ((left, right), made) in enumerate(merges)
        },
    )


def check_format_fits(tokenizer: Tokenizer, path: Path, format: TokenizerFormat) -> None:
    """Check that a format can hold the alphabet and the stages of a tokenizer.

    Args:
        path: the path that errors name.

    Raises:
        TokenizerFileError: it cannot hold them.
    """
    pipeline = tokenizer.pipeline
    if pipeline is not None and not pipeline.merges and not format.keeps_stages:
        raise TokenizerFileError(
            f"{path}: the tokenizer's model, {pipeline.model.name}, merges nothing, and the format "
            f"{format.name} holds only merges of bytes; write a tokenizer.json instead"
        )
    if not tokenizer.rules.splitter.is_plain and not format.keeps_stages:
        raise TokenizerFileError(
            f"{path}: the tokenizer changes a text before it cuts it, which the format "
            f"{format.name} cannot hold; write a tokenizer.json instead"
        )
    if obstacle := describe_obstacle(tokenizer.alphabet, format):
        raise TokenizerFileError(f"{path}: {obstacle}")


def describe_obstacle(alphabet: Alphabet, format: TokenizerFormat) -> str | None:
    """Explain why a format cannot hold tokenizers with this alphabet; `None` if it can.

    >>> from engine.encoding.alphabet import BYTES, CharacterAlphabet
    >>> from engine.formats import FORMATS
    >>> describe_obstacle(BYTES, FORMATS["gpt2"])
    >>> describe_obstacle(CharacterAlphabet({"a": 0}), FORMATS["gpt2"])
    'the format gpt2 knows tokens of bytes only; for characters take the format huggingface'
    """
    if isinstance(alphabet, MissingMerges):
        return f"{alphabet.refusal}, and no format holds a tokenizer without merges"
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
    """Raise `TokenizerFileError` if vocab and merges alone do not determine how it encodes."""
    try:
        plain = Tokenizer(
            tokenizer.vocab, tokenizer.merges, tokenizer.rules.special_ids, tokenizer.pattern
        )
    except VocabularyError:
        plain = None
    if plain is None or _encoding(plain) != _encoding(tokenizer):
        raise TokenizerFileError(
            f"{path}: this format holds only bytes and merges, and the tokenizer has tokens that "
            "no merge makes, or two ids for the same bytes; try the format huggingface"
        )


def _encoding(tokenizer: Tokenizer) -> tuple[object, ...]:
    """Return everything that determines how a pretoken is encoded."""
    return tokenizer.alphabet, dict(tokenizer.merge_table)
