"""A second Unigram, slow and literal: dicts and all segmentations instead of arrays.

Models are dicts text → score. Only for short texts: there are 2ⁿ⁻¹ ways to cut n characters.
"""

from collections.abc import Iterator, Mapping
from math import exp, fsum, inf, log

from engine.unigram.lattice import Path

Model = dict[str, float]


def segmentations(text: str, model: Model) -> Iterator[tuple[str, ...]]:
    """Yield all ways to cut a text into pieces."""
    if not text:
        yield ()
    for end in range(1, len(text) + 1):
        if text[:end] in model:
            for rest in segmentations(text[end:], model):
                yield (text[:end], *rest)


def ids_of(path: Path, unknown: int | None) -> tuple[int, ...]:
    """Return the ids of a path; adjacent unknown characters become one id."""
    ids: list[int] = []
    for piece in path.pieces:
        if piece != unknown or ids[-1:] != [piece]:
            ids.append(piece)
    return tuple(ids)


def score(pieces: tuple[str, ...], model: Model) -> float:
    return sum(model[piece] for piece in pieces)


def log_total(text: str, model: Model) -> float:
    """Return the log-probability of a text."""
    return log(fsum(exp(score(ways, model)) for ways in segmentations(text, model)))


def expected_counts(counts: Mapping[str, int], model: Model) -> tuple[Model, float]:
    """Return the expected count of each piece, and the loss."""
    expected = dict.fromkeys(model, 0.0)
    loss = 0.0
    for text, count in counts.items():
        total = log_total(text, model)
        loss -= count * total
        for pieces in segmentations(text, model):
            for piece in pieces:
                expected[piece] += count * exp(score(pieces, model) - total)
    return expected, loss / sum(counts.values())


def viterbi(text: str, model: Model, barred: str = "") -> tuple[str, ...] | None:
    """Find the best way to cut a text without one piece; in a tie the longest last piece wins."""
    best: list[tuple[float, tuple[str, ...]] | None] = [(0.0, ())]
    for end in range(1, len(text) + 1):
        best.append(None)
        for start in range(end):
            before, piece = best[start], text[start:end]
            if before is None or piece == barred or piece not in model:
                continue
            arrival, kept = before[0] + model[piece], best[end]
            if kept is None or arrival > kept[0]:
                best[end] = (arrival, (*before[1], piece))
    last = best[-1]
    return None if last is None else last[1]


def best_counts(counts: Mapping[str, int], model: Model) -> dict[str, int]:
    """Count the uses of each piece in the best segmentations."""
    used = dict.fromkeys(model, 0)
    for text, count in counts.items():
        for piece in viterbi(text, model) or ():
            used[piece] += count
    return used


def loss_increases(counts: Mapping[str, int], model: Model) -> Model:
    """Compute SentencePiece's estimate of the cost of removing each piece."""
    used = best_counts(counts, model)
    total, pretokens = sum(used.values()), sum(counts.values())
    increases = {}
    for piece in model:
        alternative = viterbi(piece, model, barred=piece)
        if alternative is None:
            increases[piece] = inf
        elif used[piece] == 0:
            increases[piece] = 0.0
        else:
            before = log(used[piece]) - log(total)
            new_total = total + used[piece] * (len(alternative) - 1)
            after = sum(log(used[a] + used[piece]) - log(new_total) for a in alternative)
            increases[piece] = used[piece] / pretokens * (before - after)
    return increases


def digamma(x: float) -> float:
    result = 0.0
    while x < 7:
        result -= 1 / x
        x += 1
    x -= 0.5
    xx = 1 / (x * x)
    series = xx / 24 - 7 / 960 * xx**2 + 31 / 8064 * xx**3 - 127 / 30720 * xx**4
    return result + log(x) + series


def seeds(counts: Mapping[str, int], size: int, longest: int) -> Model:
    """Return all characters, then the branching substrings of greatest count × length."""
    found: dict[str, int] = {}
    for text, count in counts.items():
        for start in range(len(text)):
            for end in range(start + 1, min(start + longest, len(text)) + 1):
                found[text[start:end]] = found.get(text[start:end], 0) + count
    alphabet = sorted((-n, text) for text, n in found.items() if len(text) == 1)
    branching = sorted(
        (-n * len(text), len(text), text)
        for text, n in found.items()
        if len(text) > 1 and n > 1 and all(found.get(text + c, 0) < n for _, c in alphabet)
    )
    worth = {text: -n for n, text in alphabet}
    worth |= {text: -gain for gain, _, text in branching[: max(0, size - len(worth))]}
    return {text: log(gain / sum(worth.values())) for text, gain in worth.items()}


def em_iteration(counts: Mapping[str, int], model: Model) -> Model:
    expected, _ = expected_counts(counts, model)
    kept = {text: n for text, n in expected.items() if n >= 0.5 or len(text) == 1}
    kept = {text: max(n, 0.5) for text, n in kept.items()}
    return {text: digamma(n) - digamma(sum(kept.values())) for text, n in kept.items()}


def prune(counts: Mapping[str, int], model: Model, size: int) -> Model:
    """Remove unused pieces, then those of the least loss increase; in a tie the last."""
    used, increases = best_counts(counts, model), loss_increases(counts, model)
    kept = {text for text in model if len(text) == 1 or used[text]}
    order = {text: place for place, text in enumerate(model)}
    by_loss = sorted(kept, key=lambda text: (increases[text], -order[text]))
    kept -= {text for text in by_loss[: max(0, len(kept) - size)] if len(text) > 1}
    return {text: score for text, score in model.items() if text in kept}


def train(counts: Mapping[str, int], vocab_size: int, longest: int = 16) -> Model:
    """Train to the end; `vocab_size` includes the unknown token."""
    model = seeds(counts, 1_000_000, longest)
    while True:
        model = em_iteration(counts, em_iteration(counts, model))
        if len(model) <= int(vocab_size * 1.1):
            break
        model = prune(counts, model, max(int(vocab_size * 1.1), int(0.75 * len(model))))
    alphabet = [text for text in model if len(text) == 1]
    others = sorted((text for text in model if len(text) > 1), key=lambda text: -model[text])
    return {text: model[text] for text in alphabet + others[: vocab_size - 1 - len(alphabet)]}
