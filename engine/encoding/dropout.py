"""BPE-dropout: byte-pair encoding that leaves some merges out at random.

Provilkov, Emelianenko and Voita (2020), algorithm 1: in each round every pair that could merge is
dropped with probability p. Of the others the one of lowest rank merges, the leftmost if there are
several. A round that drops all pairs is the last. With p = 0 this is byte-pair encoding; with p = 1
nothing merges. A model trained on such encodings sees the same word in many segmentations.

Its ids differ from draw to draw, so it is not in `ENCODERS`, which all agree. A draw depends only
on the seed, its number and the pretoken; earlier draws do not change it.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from random import Random

from engine.core.errors import DropoutError
from engine.core.events import Pair
from engine.encoding.alphabet import Alphabet
from engine.encoding.rules import HasRules

LONGEST = 1 << 12
"""Most bytes of a pretoken: each round looks at all of its pairs."""


class Dropout:
    """Encodes pretokens with merges left out at random.

    Args:
        alphabet: spells a pretoken before any merge.
        merge_of: pair → (rank of its merge, id of the token), or `None` if it does not merge.
        probability: of dropping a candidate in a round.
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
        """Return the token ids of a pretoken in draw number `draw`."""
        random = Random(b"%d %d " % (self._seed, draw) + pretoken).random
        tokens = tuple(self._alphabet.spell(pretoken))
        while True:
            left = []
            for position, pair in enumerate(pairwise(tokens)):
                found = self._merge_of(pair)
                if found is not None and random() >= self._probability:
                    rank, token_id = found
                    left.append((rank, position, token_id))
            if not left:
                return tokens
            _, position, token_id = min(left)
            tokens = (*tokens[:position], token_id, *tokens[position + 2 :])


def encode_with_dropout(source: HasRules, text: str, probability: float, seed: int) -> list[int]:
    """Return the ids of a text with merges left out at random; special tokens stay whole.

    Each occurrence of a pretoken gets a draw of its own.

    >>> from engine.encoding.tokenizer import Tokenizer
    >>> vocab = {byte: bytes([byte]) for byte in range(256)} | {256: b"ab"}
    >>> encode_with_dropout(Tokenizer(vocab, [(b"a", b"b")], pattern="none"), "ab", 0.0, seed=1)
    [256]

    Raises:
        DropoutError: the probability is not between 0 and 1, or a pretoken is too long.
    """
    rules = source.rules
    pieces = rules.pretokens(text)
    if (length := max((len(each.bytes) for each in pieces), default=0)) > LONGEST:
        raise DropoutError(
            f"a pretoken has {length:,} bytes, and dropout takes at most {LONGEST:,}: its time "
            "grows with the square; another pattern cuts it"
        )
    dropout = Dropout(rules.alphabet, rules.merge_of, probability, seed)
    ids: list[int] = []
    for place, pretoken in enumerate(pieces):
        special = rules.is_special(pretoken)
        ids += rules.ids_of(pretoken) if special else dropout.encode(pretoken.bytes, place)
    return ids
