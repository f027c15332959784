"""A text encoded with dropout, as a model is given it that is trained on many cuts of a word."""

from __future__ import annotations

from engine.encoding.encoders.dropout import Dropout
from engine.encoding.rules import HasRules


def encode_with_dropout(source: HasRules, text: str, probability: float, seed: int) -> list[int]:
    """The token ids of a text with merges left out at random; special tokens stay whole.

    A pretoken that stands in several places is drawn for each of them.

    >>> from engine.encoding.tokenizer import Tokenizer
    >>> vocab = {byte: bytes([byte]) for byte in range(256)} | {256: b"ab"}
    >>> encode_with_dropout(Tokenizer(vocab, [(b"a", b"b")], pattern="none"), "ab", 0.0, seed=1)
    [256]

    Raises:
        DropoutError: the probability is not between 0 and 1.
    """
    rules = source.rules
    dropout = Dropout(rules.alphabet, rules.merge_of, probability, seed)
    ids: list[int] = []
    for place, pretoken in enumerate(rules.pretokens(text)):
        special = rules.is_special(pretoken)
        ids += rules.ids_of(pretoken) if special else dropout.encode(pretoken.bytes, place)
    return ids
