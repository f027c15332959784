"""`UnigramInspection`: the pieces of a step in numbers; and the filters of the vocabulary.

Each number is computed when it is asked for. A filter keeps the pieces of which one thing is true.

Bits and perplexities are those of the model on the corpus that it was trained on.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from math import exp

import numpy as np

from engine.analysis.inspection import (
    EXAMPLES,
    AnyInspection,
    Histogram,
    TokenExamples,
    histogram,
    kind_counts,
)
from engine.core.arrays import Floats
from engine.core.registry import Registry, registry_of
from engine.text.pretokenize import to_bytes
from engine.unigram.frame import UnigramFrame
from engine.unigram.lattices import Flags
from engine.unigram.pieces import SPACE, unspelled


class UnigramInspection(AnyInspection):
    """What can be said of the pieces of a frame. Pieces are named by their numbers.

    >>> from engine.unigram.frame import UnigramTimeline
    >>> from engine.unigram.trainer import UnigramTrainer
    >>> words = {"hug": 10, "pug": 5, "hugs": 5, "bun": 4}
    >>> trainer = UnigramTrainer(words, 10)
    >>> steps = list(trainer.steps())
    >>> timeline = UnigramTimeline(trainer.record, steps, words=words)
    >>> inspection = UnigramInspection(timeline.seek(3))
    >>> inspection.size, inspection.characters, inspection.special_ids
    (9, 7, {'<unk>': 0})
    >>> inspection.length_histogram, [inspection.text(n) for n in inspection.longest(1)]
    ([(1, 7), (3, 2)], ['hug'])
    """

    unit = "character"
    SLOW = (
        *("numbers", "entropy", "length_histogram", "kinds"),
        *("seldom", "twins", "runs", "partial"),
    )

    def __init__(self, frame: UnigramFrame) -> None:
        self.frame = frame
        self.pattern = frame.pattern

    # -- size and ids

    @property
    def size(self) -> int:
        """How many pieces there are."""
        return self.frame.size

    @property
    def characters(self) -> int:
        """How many of them are single characters."""
        return int(np.count_nonzero(self._is_character))

    @property
    def special_ids(self) -> dict[str, int]:
        """The unknown token and the special tokens, which no piece stands for → id."""
        record = self.frame.record
        return {token: id_ for id_, token in enumerate((record.unknown, *record.special_tokens))}

    @property
    def word_starts(self) -> int:
        """How many pieces begin with a ▁."""
        return sum(text.startswith(SPACE) for text in self.frame.texts)

    def text(self, number: int) -> str:
        """A piece."""
        return self.frame.record.texts[number]

    def token(self, token_id: int) -> bytes:
        return to_bytes(self.text(token_id))

    # -- the model

    @property
    def loss(self) -> float:
        """Nats a pretoken."""
        return self.frame.loss

    @property
    def perplexity(self) -> float:
        """Among so many equally probable pretokens the model would be as unsure as it is."""
        return exp(self.loss)

    @property
    def worst_and_best(self) -> tuple[int, int] | None:
        """The pieces of the lowest and of the greatest score; `None` if there is none."""
        numbers, scores = self.frame.numbers, self.frame.scores
        if not len(scores):
            return None
        return int(numbers[scores.argmin()]), int(numbers[scores.argmax()])

    def score(self, number: int) -> float:
        """The score of a piece that is there."""
        return float(self.frame.scores[np.searchsorted(self.frame.numbers, number)])

    @cached_property
    def entropy(self) -> float:
        """Bits that a token of the corpus carries on average, by the pieces' expected counts."""
        shares = self._shares
        return float(-(shares * np.log2(shares)).sum())

    @property
    def _shares(self) -> Floats:
        counts = self.frame.expected_counts
        used = counts[counts > 0]
        shares: Floats = used / used.sum() if len(used) else used
        return shares

    @property
    def fertility(self) -> float:
        """Tokens a pretoken takes on average."""
        return float(self.frame.statistics.fertility(self.frame.step)[-1])

    # -- the pieces

    @cached_property
    def _in_text(self) -> list[bytes]:
        return [to_bytes(unspelled(text)) for text in self.frame.texts]

    @cached_property
    def length_histogram(self) -> Histogram:
        return histogram(self.frame.record.columns.lengths[self.frame.numbers])

    def length_of(self, token_id: int) -> int:
        return len(self.text(token_id))

    def longest(self, count: int) -> list[int]:
        numbers = self.frame.numbers
        order = np.argsort(-self.frame.record.columns.lengths[numbers], kind="stable")
        found: list[int] = numbers[order[:count]].tolist()
        return found

    @cached_property
    def kinds(self) -> list[tuple[str, int]]:
        return kind_counts(self._in_text)

    @cached_property
    def seldom(self) -> TokenExamples:
        """Pieces that the corpus is expected to use less than once."""
        return self._few(PIECE_FILTERS["seldom"].keeps(self.frame))

    @cached_property
    def twins(self) -> TokenExamples:
        """Pieces that differ from another only by case or a ▁ in front."""
        return self._few(PIECE_FILTERS["twins"].keeps(self.frame))

    @cached_property
    def runs(self) -> TokenExamples:
        """Pieces of one character again and again, such as `!!!!`."""
        return self._few(self.frame.record.columns.are_runs[self.frame.numbers])

    @cached_property
    def partial(self) -> TokenExamples:
        """Pieces that hold a byte that is no UTF-8; no tokenizer.json can spell them."""
        return self._few(self.frame.record.columns.are_partial[self.frame.numbers])

    @property
    def _is_character(self) -> Flags:
        return PIECE_FILTERS["characters"].keeps(self.frame)

    def _few(self, found: Flags) -> TokenExamples:
        # A single character is seldom what surprises: the numbers of those come first.
        numbers = self.frame.numbers[found]
        examples = np.roll(numbers, -int(np.count_nonzero(self._is_character[found])))
        return TokenExamples(len(numbers), tuple(examples[:EXAMPLES].tolist()))


SELDOM = 1.0
"""A piece that the corpus is expected to use less often than this is not used on average."""


@dataclass(frozen=True)
class PieceFilter:
    """`keeps` says of each piece of a frame whether it stays."""

    name: str
    summary: str
    keeps: Callable[[UnigramFrame], Flags]


def _seldom(frame: UnigramFrame) -> Flags:
    return np.less(frame.expected_counts, SELDOM)


def _characters(frame: UnigramFrame) -> Flags:
    return np.less(frame.numbers, frame.record.characters)


def _leaving(frame: UnigramFrame) -> Flags:
    return np.equal(frame.goes_at, frame.step + 1)


def _twins(frame: UnigramFrame) -> Flags:
    found: Flags = frame.record.columns.have_twins(frame.record.alive_at(frame.step))[frame.numbers]
    return found


PIECE_FILTERS: Registry[PieceFilter] = registry_of(
    "filter",
    PieceFilter("seldom", "expected to be used less than once", _seldom),
    PieceFilter("characters", "single characters, which are never removed", _characters),
    PieceFilter("leaving", "the next step removes it", _leaving),
    PieceFilter("twins", "differs from another only by case or a leading ▁", _twins),
)
