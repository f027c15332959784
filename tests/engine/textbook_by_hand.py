"""A second textbook Unigram, slow and literal: it tries all segmentations of each sentence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from math import log

from engine.unigram.grams import TIED


def oracle_cuts(
    units: tuple[str, ...], costs: dict[str, float], ngram: int, between: str
) -> Iterator[tuple[float, tuple[int, ...], list[str]]]:
    """Yield all segmentations: cost, lengths from the right, counted n-grams."""
    if not units:
        yield 0.0, (), []
    for length in range(1, min(ngram, len(units)) + 1):
        gram = between.join(units[-length:])
        for cost, lengths, grams in oracle_cuts(units[:-length], costs, ngram, between):
            if gram in costs:
                yield cost + costs[gram], (length, *lengths), [*grams, gram]
            elif length == 1:
                yield cost + 10, (1, *lengths), grams


def oracle_best(
    sentences: list[tuple[str, ...]], costs: dict[str, float], ngram: int, between: str
) -> tuple[float, Counter[str]]:
    """Return the loss of all sentences, and the counts in the best segmentations."""
    loss, counts = 0.0, Counter[str]()
    for units in sentences:
        cuts = list(oracle_cuts(units, costs, ngram, between))
        least = min(cost for cost, _, _ in cuts)
        equal = [cut for cut in cuts if cut[0] <= least + TIED]
        loss += least
        counts.update(max(equal, key=lambda cut: cut[1])[2])
    return loss, counts


def oracle_steps(
    sentences: list[tuple[str, ...]], size: int, ngram: int, between: str
) -> Iterator[tuple[str, float, float, Counter[str]]]:
    """Yield each removed n-gram, the loss without it, and then the new loss and counts."""
    counts = Counter(
        between.join(units[start:end])
        for units in sentences
        for start in range(len(units))
        for end in range(start + 1, min(start + ngram, len(units)) + 1)
    )
    left = set(counts)
    while len(left) > size:
        total = counts.total()
        costs = {gram: -log(counts[gram] / total) for gram in left if counts[gram]}
        without = {}
        for gram in left:
            others = {other: cost for other, cost in costs.items() if other != gram}
            without[gram] = oracle_best(sentences, others, ngram, between)[0]
        least = min(without.values()) + TIED
        gone = min((g for g in left if without[g] <= least), key=str.encode)
        left.remove(gone)
        costs.pop(gone, None)
        counts = oracle_best(sentences, costs, ngram, between)[1]
        total = counts.total()
        costs = {gram: -log(count / total) for gram, count in counts.items()}
        yield gone, without[gone], oracle_best(sentences, costs, ngram, between)[0], counts
