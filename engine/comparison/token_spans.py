"""Where do the tokens of a text end, in bytes of the text?

Where every byte is a token, the tokens' bytes joined are the text, and their lengths tell. Where
not, a character may be written as an unknown token, which does not say how long it was: then each
merge is followed from the edges of the alphabet's tokens on.
"""

from __future__ import annotations

import os
from itertools import chain, pairwise

import numpy as np

from engine.alphabet import Alphabet
from engine.change_log import Ints
from engine.pretokenize import to_text
from engine.tokenizer import Tokenizer

WORTH_HELPERS = 1 << 22
"""Bytes that take as long to encode as helper processes to start: mostly new words, so far."""


def token_spans(tokenizer: Tokenizer, data: bytes) -> Ints:
    """The edges of the tokens of a text: token n is `data[edges[n]:edges[n + 1]]`.

    >>> vocab = {byte: bytes([byte]) for byte in range(256)} | {256: b"ab"}
    >>> token_spans(Tokenizer(vocab, [(b"a", b"b")]), b"abc").tolist()
    [0, 2, 3]
    """
    workers = os.cpu_count() or 1 if len(data) >= WORTH_HELPERS else 1
    ids = list(chain.from_iterable(tokenizer.encode_stream([data], workers)))
    if tokenizer.decode_bytes(ids) == data:
        lengths = _lengths(tokenizer)[np.array(ids, dtype=np.int64)]
    else:
        lengths = np.array(_followed(tokenizer, to_text(data)), dtype=np.int64)
    return np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(lengths)))


def _lengths(tokenizer: Tokenizer) -> Ints:
    """The bytes of each token, by id."""
    vocab = tokenizer.vocab
    lengths = np.zeros(max(vocab, default=-1) + 1, dtype=np.int64)
    ids = np.fromiter(vocab, dtype=np.int64, count=len(vocab))
    lengths[ids] = np.fromiter(map(len, vocab.values()), dtype=np.int64, count=len(vocab))
    return lengths


def _followed(tokenizer: Tokenizer, text: str) -> list[int]:
    """The bytes of the text that each of its tokens stands for."""
    rules = tokenizer.rules
    known: dict[bytes, list[int]] = {}
    lengths: list[int] = []
    for pretoken in rules.pretokens(text):
        data = pretoken.bytes
        if rules.is_special(pretoken):
            lengths.append(len(data))
            continue
        if data not in known:
            known[data] = _lengths_in(tokenizer, rules.alphabet, data)
        lengths += known[data]
    return lengths


def _lengths_in(tokenizer: Tokenizer, alphabet: Alphabet, pretoken: bytes) -> list[int]:
    edges = list(alphabet.edges(pretoken))
    for step in tokenizer.rules.steps(pretoken):
        del edges[step.position + 1]
    return [end - start for start, end in pairwise(edges)]
