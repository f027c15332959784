"""A long text cut into pretokens once, for all tokenizers that cut it alike.

A text repeats its pretokens: each different one is encoded once by each tokenizer, and the edges
of the text's tokens follow from theirs by arrays.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from itertools import accumulate

import numpy as np

from engine.core.arrays import Ints
from engine.encoding.encoders.at_once import AtOnce, Encoded
from engine.encoding.piece_encoder import memoized_encoder
from engine.encoding.tokenizer import Tokenizer
from engine.text.patterns import Pattern
from engine.text.pretokenize import SpecialSplitter, to_bytes, to_text


def token_lengths(tokenizer: Tokenizer) -> Ints:
    """The bytes of each token, by id."""
    vocab = tokenizer.vocab
    lengths = np.zeros(max(vocab, default=-1) + 1, dtype=np.int64)
    ids = np.fromiter(vocab, dtype=np.int64, count=len(vocab))
    lengths[ids] = np.fromiter(map(len, vocab.values()), dtype=np.int64, count=len(vocab))
    return lengths


GREATEST_ID = 1 << 30
"""Pairs of ids have to fit into a word."""


def cut_alike(tokenizer: Tokenizer, data: bytes) -> tuple[str, frozenset[str]] | None:
    """What decides how a tokenizer cuts a text: its regex, and the special tokens that it cuts out.

    Those that the text does not hold count for nothing. `None` if there is more to it.
    """
    if tokenizer.pipeline is not None or max(tokenizer.vocab, default=0) > GREATEST_ID:
        return None
    special = (token for token in tokenizer.cut_out if to_bytes(token) in data)
    return tokenizer.pattern.source, frozenset(special)


class CutText:
    """A text as a sequence of pretokens, each named by a number.

    Attributes:
        pretokens: each different one, by number; a special token is one, too.
        special: the numbers of the special tokens.
        sequence: the numbers of the text's pretokens in order.
    """

    def __init__(self, data: bytes, pattern: Pattern, special_tokens: Iterable[str]) -> None:
        self.pretokens: list[bytes] = []
        self.special: list[int] = []
        numbers_of_text = memoized_encoder(pattern, _Numbering(self.pretokens).of)
        numbers_of_special: dict[str, int] = {}
        sequence = array("q")
        for piece, special in SpecialSplitter(list(special_tokens)).split_text(to_text(data)):
            if not special:
                sequence.extend(numbers_of_text(piece))
                continue
            if piece not in numbers_of_special:
                numbers_of_special[piece] = len(self.pretokens)
                self.special.append(len(self.pretokens))
                self.pretokens.append(to_bytes(piece))
            sequence.append(numbers_of_special[piece])
        self.sequence: Ints = np.array(sequence, dtype=np.int64)

    def edges(self, tokenizer: Tokenizer) -> Ints | None:
        """The edges of a tokenizer's tokens in the text, in bytes, 0 among them.

        `None` if its tokens do not spell what they stand for.
        """
        ordinary = self.pretokens.copy()
        for number in self.special:
            ordinary[number] = b""
        encoded = AtOnce(tokenizer.encoder).encode(ordinary)
        counts = encoded.counts
        lengths = token_lengths(tokenizer)[encoded.ids]
        if not _spell(tokenizer, encoded, lengths, ordinary):
            return None
        if self.special:
            # A special token is one token of all its bytes.
            special = np.array(self.special)
            places = (np.cumsum(counts) - counts)[special]
            lengths = np.insert(lengths, places, [len(self.pretokens[n]) for n in self.special])
            counts[special] = 1
        starts = np.cumsum(counts) - counts
        taken = counts[self.sequence]
        first = np.cumsum(taken) - taken
        places = np.arange(int(taken.sum())) + np.repeat(starts[self.sequence] - first, taken)
        return np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(lengths[places])))


def _spell(
    tokenizer: Tokenizer, encoded: Encoded, lengths: Ints, pretokens: Sequence[bytes]
) -> bool:
    """Whether the tokens of each pretoken joined are the pretoken."""
    ends = np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(lengths)))
    ends = ends[np.cumsum(encoded.counts)]
    if ends.tolist() != list(accumulate(map(len, pretokens))):
        return False
    return tokenizer.decode_bytes(encoded.ids.tolist()) == b"".join(pretokens)


class _Numbering:
    """Gives each different pretoken the next number."""

    def __init__(self, pretokens: list[bytes]) -> None:
        self._pretokens = pretokens
        self._numbers: dict[bytes, int] = {}

    def of(self, pretoken: bytes) -> Sequence[int]:
        number = self._numbers.setdefault(pretoken, len(self._pretokens))
        if number == len(self._pretokens):
            self._pretokens.append(pretoken)
        return (number,)
