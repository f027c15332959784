"""New ids for a tokenizer: the bytes, what the merges make in their order, the special tokens."""

from __future__ import annotations

from engine.alphabets import BYTES, ByteAlphabet
from engine.core.errors import VocabularyError
from engine.core.events import Pair
from engine.encoding.tokenizer import Tokenizer


def made_by_merges(tokenizer: Tokenizer) -> list[tuple[Pair, int]]:
    """The merges in order of rank: pair → id of what it makes."""
    by_rank = sorted((rank, pair, made) for pair, (rank, made) in tokenizer.merge_table.items())
    return [(pair, made) for _, pair, made in by_rank]


def renumbered(tokenizer: Tokenizer) -> Tokenizer:
    """The same tokenizer with ids from 0 on, in the order that minbpe prescribes.

    Raises:
        VocabularyError: its tokens are not all bytes, special, or made by one merge each.

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
