"""Measures of tokenizers: the ways to cut a word, and what other languages cost.

BPE decides greedily, merge by merge. `Segmentations` counts all ways to cut a pretoken into tokens
of the vocabulary, and the fewest tokens, which PathPiece (Schmidt et al. 2024) finds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from engine.encoding.rules import EncodingRules

EXAMPLE = b" strawberry"
"""The word that everybody asks about."""


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

        >>> from engine.encoding.tokenizer import Tokenizer
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
