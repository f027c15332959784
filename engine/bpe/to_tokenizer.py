"""The tokenizer that the first merges of a run make.

Bytes and merges tell all of a byte-level one. Tokens of characters need not differ in their bytes,
`<unk>` from the five characters it is written in, so there the merges are told in ids.
"""

from __future__ import annotations

from engine.alphabets import ByteAlphabet
from engine.bpe.record import Record
from engine.core.events import Pair
from engine.encoding.tokenizer import Tokenizer
from engine.text.patterns import Pattern


def learnt_tokenizer(record: Record, step: int, pattern: str | Pattern) -> Tokenizer:
    """The tokenizer after the first `step` merges; `pattern` cut what was trained on.

    Where the ends of words are marked, its tokens are what decoding gives: `est ` for `est</w>`.

    >>> from engine.bpe.trainer import Trainer
    >>> trainer = Trainer({b"low": 5}, 7, units="end-of-word")
    >>> tokenizer = learnt_tokenizer(trainer.record, len(list(trainer.steps())), "whitespace")
    >>> ids = tokenizer.encode("low\\nlaw")
    >>> [tokenizer.vocab[token_id] for token_id in ids], tokenizer.decode(ids)
    ([b'l', b'ow ', b'l', b'<unk>', b'w '], 'low l<unk>w ')
    """
    ids = [record.ids.id_of(place) for place in range(record.first_id + step)]
    merges = [record[index] for index in range(step)]
    if isinstance(record.alphabet, ByteAlphabet):
        return Tokenizer(
            {token_id: record.token(token_id) for token_id in ids},
            [(merge.left, merge.right) for merge in merges],
            record.ids.special_ids,
            pattern,
        )
    table: dict[Pair, tuple[int, int]] = {
        merge.pair: (merge.index, merge.new_id) for merge in merges
    }
    vocab = {token_id: record.decoded(token_id) for token_id in ids}
    return Tokenizer(
        vocab,
        [(vocab[left], vocab[right]) for left, right in table],
        record.ids.special_ids,
        pattern,
        alphabet=record.alphabet,
        table=table,
    )
