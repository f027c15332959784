"""BPE-dropout: byte-pair encoding that now and then leaves a merge out.

Provilkov, Emelianenko and Voita (2020), algorithm 1: in each round every pair that could merge is
dropped with probability p; of those left the one of lowest rank merges, the leftmost if there are
several; a round in which all are dropped is the last. With p = 0 this is byte-pair encoding, with
p = 1 nothing merges. A model that is trained on such encodings meets the same word in many cuts.

Its ids differ from draw to draw, so it is not among `ENCODERS`, which all agree. A draw follows
from the seed, its number and the pretoken alone: the same everywhere, whatever was drawn before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from random import Random

from engine.core.errors import DropoutError
from engine.core.events import EncodeStep, Pair
from engine.encoding.alphabet import Alphabet
from engine.encoding.rules import HasRules


@dataclass(frozen=True)
class DropoutRound:
    """One round of a draw.

    Attributes:
        before: the tokens at its beginning.
        dropped: the candidates that were dropped, by the positions of their left tokens.
        merge: the merge that was made; `None` in the last round, where no candidate was left.
    """

    before: tuple[int, ...]
    dropped: tuple[int, ...]
    merge: EncodeStep | None


class Dropout:
    """Encodes pretokens with merges left out at random.

    Args:
        alphabet: what a pretoken is made of before any merge.
        merge_of: pair → (rank of its merge, id of the token), or `None` if it does not merge.
        probability: that a candidate is dropped, in a round.
        seed: another seed gives other draws.

    >>> from engine.encoding.alphabet import ByteAlphabet
    >>> merges = {(97, 98): (0, 256), (256, 99): (1, 257)}
    >>> dropout = Dropout(ByteAlphabet(range(256)), merges.get, probability=0.5, seed=1)
    >>> [dropout.encode(b"abc", draw) for draw in range(4)]
    [(256, 99), (256, 99), (97, 98, 99), (257,)]

    Raises:
        DropoutError: the probability is not between 0 and 1.
    """

    name = "dropout"

    def __init__(
        self,
        alphabet: Alphabet,
        merge_of: Callable[[Pair], tuple[int, int] | None],
        probability: float,
        seed: int,
    ) -> None:
        if not 0 <= probability <= 1:
            raise DropoutError(f"{probability:g} is no probability; give a number from 0 to 1")
        self._alphabet = alphabet
        self._merge_of = merge_of
        self._probability = probability
        self._seed = seed

    def encode(self, pretoken: bytes, draw: int) -> tuple[int, ...]:
        """The token ids of a pretoken in draw `draw`."""
        tokens: tuple[int, ...] = ()
        for tried in self.rounds(pretoken, draw):
            tokens = tried.before
        return tokens

    def rounds(self, pretoken: bytes, draw: int) -> Iterator[DropoutRound]:
        """The rounds of a draw; the last one merges nothing."""
        random = Random(b"%d %d " % (self._seed, draw) + pretoken).random
        tokens = tuple(self._alphabet.spell(pretoken))
        merge: EncodeStep | None
        while True:
            left, dropped = [], []
            for position, rank, token_id in self._candidates(tokens):
                if random() < self._probability:
                    dropped.append(position)
                else:
                    left.append((rank, position, token_id))
            merge = _merge(pretoken, tokens, *min(left)) if left else None
            yield DropoutRound(tokens, tuple(dropped), merge)
            if merge is None:
                return
            tokens = merge.after

    def _candidates(self, tokens: tuple[int, ...]) -> Iterator[tuple[int, int, int]]:
        """(position, rank, id of the token made) of each pair that could merge."""
        for position, pair in enumerate(pairwise(tokens)):
            if (found := self._merge_of(pair)) is not None:
                yield position, *found


def _merge(
    pretoken: bytes, tokens: tuple[int, ...], rank: int, position: int, token_id: int
) -> EncodeStep:
    pair = (tokens[position], tokens[position + 1])
    after = (*tokens[:position], token_id, *tokens[position + 2 :])
    return EncodeStep(pretoken, position, pair, rank, token_id, tokens, after)


# A text encoded with dropout, as a model is given it that is trained on many cuts of a word.


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
