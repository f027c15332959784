"""Measures of tokenizers that papers and posts quote, with what they do not say.

Rényi efficiency is 1 if all tokens are equally frequent. It was found to go along with the quality
of translations (Zouhar et al. 2023), and then to rise without any gain (Cognetta et al. 2024): give
each frequent token a twin with the same text, and use the two in turns.

BPE decides greedily, merge by merge. `Segmentations` counts all ways to cut a pretoken into tokens
of the vocabulary, and the fewest tokens, which PathPiece (Schmidt et al. 2024) finds.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from math import log

import numpy as np

from engine.core.arrays import Ints
from engine.counting.count import count_text
from engine.encoding.encoders import RankHeap
from engine.encoding.rules import EncodingRules
from engine.encoding.tokenizer import Tokenizer
from engine.text.pretokenize import to_text

POWER = 2.5
"""The order of the entropy that the paper found to fit best."""
EXAMPLE = b" strawberry"
"""The word that everybody asks about."""


def renyi_efficiency(counts: Collection[int] | Ints, types: int, power: float = POWER) -> float:
    """Return the Rényi entropy of tokens as a share of the greatest possible one; 0 for none.

    Args:
        counts: the number of occurrences of each token; those of unused tokens may be missing.
        types: the number of tokens of the vocabulary.
        power: the order of the entropy, not 1.

    >>> round(renyi_efficiency([2, 2, 2, 1], 4), 4), renyi_efficiency([5, 5], 2)
    (0.9503, 1.0)
    """
    shares = np.asarray(counts, dtype=np.float64)
    if types < 2 or not shares.sum():
        return 0.0
    entropy = log(np.sum((shares / shares.sum()) ** power)) / (1 - power)
    return float(entropy / log(types))


MOST_WAYS = 10**15
"""The greatest number of ways that is counted."""
LONGEST_CUT = 1 << 13
"""Bytes of the longest pretoken whose ways are counted."""


@dataclass(frozen=True)
class Segmentations:
    """The ways to cut a pretoken into tokens: their number, and the fewest tokens of any.

    Both are 0 if there is no way, as where an unknown token is needed, and for a very long
    pretoken. There are at most `MOST_WAYS`.
    """

    ways: int
    fewest: int

    @classmethod
    def of(cls, rules: EncodingRules, pretoken: bytes) -> Segmentations:
        """Count the ways to cut a pretoken, from left to right.

        >>> vocab = {byte: bytes([byte]) for byte in range(256)} | {256: b"ab", 257: b"bc"}
        >>> Segmentations.of(Tokenizer(vocab, [(b"a", b"b"), (b"b", b"c")]).rules, b"abc")
        Segmentations(ways=3, fewest=2)
        """
        marker = rules.alphabet.marker
        text = pretoken if marker is None else pretoken + rules.vocab[marker]
        if len(text) > LONGEST_CUT:
            return cls(0, 0)
        known, longest = rules.spellings
        ways, fewest = [1], [0]
        for end in range(1, len(text) + 1):
            starts = [
                start
                for start in range(max(end - longest, 0), end)
                if ways[start] and text[start:end] in known
            ]
            ways.append(min(sum(ways[start] for start in starts), MOST_WAYS))
            fewest.append(1 + min((fewest[start] for start in starts), default=-1))
        return cls(ways[-1], fewest[-1])


MOST_MEASURED = 4 << 20
"""Bytes of the longest text whose fewest tokens are counted."""


def fewest_tokens(tokenizer: Tokenizer, data: bytes) -> int | None:
    """Return the fewest tokens of the vocabulary that spell a text, its pretokens kept apart.

    A pretoken that no tokens spell counts as it is encoded. `None` for a very long text, or if the
    model has no merges.

    >>> vocab = {byte: bytes([byte]) for byte in range(256)} | {256: b"ab", 257: b"bcd"}
    >>> fewest_tokens(Tokenizer(vocab, [(b"a", b"b")]), b"abcd abcd")
    5
    """
    rules = tokenizer.rules
    if not tokenizer.merge_table or len(data) > MOST_MEASURED:
        return None
    specials, counts = 0, Counter[bytes]()
    if tokenizer.pipeline is None and rules.splitter.is_plain:
        counts = count_text(data, rules.pattern, tuple(map(to_text, rules.splitter.tokens)))
        specials = sum(1 for _ in rules.splitter.bytes_regex.finditer(data))
    else:
        for piece in rules.pretokens(to_text(data)):
            specials += rules.is_special(piece)
            counts[piece.bytes] += not rules.is_special(piece)
    return specials + sum(count * _fewest(rules, piece) for piece, count in counts.items())


def _fewest(rules: EncodingRules, pretoken: bytes) -> int:
    found = Segmentations.of(rules, pretoken).fewest
    return found or len(RankHeap(rules.alphabet, rules.table).encode(pretoken))


ENGLISH_NAME = "english"


def premiums_over_english(
    encode: Callable[[str], Sequence[int]], texts: Mapping[str, str], unknown_id: int | None = None
) -> dict[str, float]:
    """Return each text's tokens as multiples of the English one's, the smallest first.

    Args:
        encode: returns the ids of a text.
        texts: language → the same text in it; one is `ENGLISH_NAME`.
        unknown_id: texts with this id are left out, since they are not spelled at all.

    Returns:
        language → premium, without English; empty if English has no tokens or unknown ones.

    >>> texts = {"english": "the lamp", "greek": "η λάμπα"}
    >>> premiums_over_english(lambda text: list(text.encode()), texts)
    {'greek': 1.625}
    """
    ids = {language: encode(text) for language, text in texts.items()}
    counts = {language: len(found) for language, found in ids.items() if unknown_id not in found}
    if not (english := counts.pop(ENGLISH_NAME, 0)):
        return {}
    in_order = sorted(counts, key=counts.__getitem__)
    return {language: counts[language] / english for language in in_order}
