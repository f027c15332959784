"""A second implementation of WordPiece: slow, plain, without the engine's code.

The training is the code of Hugging Face's course (chapter 6.6), which recounts everything at every
step, with exact fractions, the ties told, and one rule more for them. Words are strings here.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from hypothesis import strategies as st

Pair = tuple[str, str]
Splits = dict[str, list[str]]


@dataclass
class OracleStep:
    """One merge, with all counts before and after it."""

    pair: Pair
    piece: str
    scores: dict[Pair, Fraction]
    pairs_before: Counter[Pair]
    pairs_after: Counter[Pair]
    pieces_before: Counter[str]
    pieces_after: Counter[str]
    splits: Splits


def count_pairs(splits: Splits, word_counts: Mapping[str, int]) -> Counter[Pair]:
    counts: Counter[Pair] = Counter()
    for word, freq in word_counts.items():
        split = splits[word]
        for i in range(len(split) - 1):
            counts[split[i], split[i + 1]] += freq
    return counts


def count_pieces(splits: Splits, word_counts: Mapping[str, int]) -> Counter[str]:
    counts: Counter[str] = Counter()
    for word, freq in word_counts.items():
        for piece in splits[word]:
            counts[piece] += freq
    return counts


def merge(a: str, b: str, splits: Splits) -> Splits:
    merged = {}
    for word, split in splits.items():
        split = list(split)
        i = 0
        while i < len(split) - 1:
            if split[i] == a and split[i + 1] == b:
                split[i : i + 2] = [a + b[2:]]
            i += 1
        merged[word] = split
    return merged


def choose(scores: dict[Pair, Fraction], counts: Counter[Pair], tie_rule: str) -> Pair:
    top = max(scores.values())
    tied = [pair for pair in scores if scores[pair] == top]
    if tie_rule == "first-seen":
        return tied[0]
    return max(tied, key=lambda pair: (counts[pair], pair[0].encode(), pair[1].encode()))


def train(
    word_counts: Mapping[str, int], merges: int, tie_rule: str, min_count: int = 1
) -> list[OracleStep]:
    splits = {word: [c if i == 0 else f"##{c}" for i, c in enumerate(word)] for word in word_counts}
    steps: list[OracleStep] = []
    while len(steps) < merges:
        pairs, pieces = count_pairs(splits, word_counts), count_pieces(splits, word_counts)
        scores = {
            (a, b): Fraction(count, pieces[a] * pieces[b])
            for (a, b), count in pairs.items()
            if count >= min_count
        }
        if not scores:
            break
        a, b = choose(scores, pairs, tie_rule)
        splits = merge(a, b, splits)
        after = count_pairs(splits, word_counts), count_pieces(splits, word_counts)
        steps.append(
            OracleStep((a, b), a + b[2:], scores, pairs, after[0], pieces, after[1], splits)
        )
    return steps


def corpora() -> st.SearchStrategy[dict[str, int]]:
    """Generate small corpora with many repeats, overlaps and ties."""
    words = st.text("abcé", min_size=1, max_size=8)
    return st.dictionaries(words, st.integers(1, 5), min_size=1, max_size=8)
