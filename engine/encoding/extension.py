"""Tokenizers with more merges after their own."""

from __future__ import annotations

from collections.abc import Sequence

from engine.core.events import Pair
from engine.encoding.tokenizer import Tokenizer


def extended(tokenizer: Tokenizer, merges: Sequence[tuple[Pair, int]]) -> Tokenizer:
    """Return the tokenizer with more merges, of higher ranks than its own; ids stay.

    Args:
        tokenizer: its merges are of bytes.
        merges: ((left id, right id), id of the new token), each of tokens that exist by then.

    >>> vocab = {byte: bytes([byte]) for byte in range(256)} | {256: b"ow", 300: b"<s>"}
    >>> longer = extended(Tokenizer(vocab, [(b"o", b"w")], ["<s>"]), [((108, 256), 301)])
    >>> longer.encode("low<s>"), longer.merges
    ([301, 300], [(b'o', b'w'), (b'l', b'ow')])
    """
    vocab, table = dict(tokenizer.vocab), dict(tokenizer.merge_table)
    for rank, (pair, made) in enumerate(merges, tokenizer.rules.merges):
        left, right = pair
        vocab[made] = vocab[left] + vocab[right]
        table[pair] = rank, made
    pipeline = tokenizer.pipeline
    return Tokenizer(
        vocab,
        None,
        tokenizer.rules.special_ids,
        tokenizer.pattern,
        alphabet=tokenizer.alphabet,
        table=table,
        pipeline=None if pipeline is None else pipeline.extended(merges),
    )
