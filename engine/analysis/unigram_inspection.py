"""`UnigramInspection`: the numbers of a Unigram step; and the filters of its pieces.

Each number is computed when it is first used. Bits and perplexities are those of the model on the
corpus that it was trained on.
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
    """The inspection of the pieces of a frame. Pieces are identified by their numbers.

    Attributes:
        size: the number of pieces.
        special_ids: unknown token and special tokens → id.

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
        self.size = frame.size
        first = (frame.record.unknown, *frame.record.special_tokens)  # these are no pieces
        self.special_ids = {token: token_id for token_id, token in enumerate(first)}

    # -- size and ids

    @property
    def characters(self) -> int:
        """Number of pieces that are single characters."""
        return int(np.count_nonzero(self._is_character))

    @property
    def word_starts(self) -> int:
        """Number of pieces that begin with a ▁."""
        return sum(text.startswith(SPACE) for text in self.frame.texts)

    def text(self, number: int) -> str:
        """Return the text of a piece."""
        return self.frame.record.texts[number]

    def token(self, token_id: int) -> bytes:
        return to_bytes(self.text(token_id))

    # -- the model

    @property
    def loss(self) -> float:
        """Mean negative log-likelihood of a pretoken, in nats."""
        return self.frame.loss

    @property
    def perplexity(self) -> float:
        """The number of equally probable pretokens with the same loss."""
        return exp(self.loss)

    @property
    def worst_and_best(self) -> tuple[int, int] | None:
        """The pieces with the lowest and the greatest score; `None` without pieces."""
        numbers, scores = self.frame.numbers, self.frame.scores
        if not len(scores):
            return None
        return int(numbers[scores.argmin()]), int(numbers[scores.argmax()])

    def score(self, number: int) -> float:
        """Return the score of a piece of the frame."""
        return float(self.frame.scores[np.searchsorted(self.frame.numbers, number)])

    @cached_property
    def entropy(self) -> float:
        """Mean information of a token of the corpus, in bits, by the pieces' expected counts."""
        counts = self.frame.expected_counts
        used = counts[counts > 0]
        shares: Floats = used / used.sum() if len(used) else used
        return float(-(shares * np.log2(shares)).sum())

    @property
    def fertility(self) -> float:
        """Mean number of tokens of a pretoken."""
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
        """The pieces with an expected count below 1."""
        return self._examples(PIECE_FILTERS["seldom"].keeps(self.frame))

    @cached_property
    def twins(self) -> TokenExamples:
        """The pieces that differ from another only by case or a ▁ in front."""
        return self._examples(PIECE_FILTERS["twins"].keeps(self.frame))

    @cached_property
    def runs(self) -> TokenExamples:
        """The pieces that repeat one character, such as `!!!!`."""
        return self._examples(self.frame.record.columns.are_runs[self.frame.numbers])

    @cached_property
    def partial(self) -> TokenExamples:
        """The pieces with a byte that is not UTF-8, which no tokenizer.json can spell."""
        return self._examples(self.frame.record.columns.are_partial[self.frame.numbers])

    @property
    def _is_character(self) -> Flags:
        return PIECE_FILTERS["characters"].keeps(self.frame)

    def _examples(self, found: Flags) -> TokenExamples:
        # Single characters are seldom surprising. They have the lowest numbers: move them back.
        numbers = self.frame.numbers[found]
        examples = np.roll(numbers, -int(np.count_nonzero(self._is_character[found])))
        return TokenExamples(len(numbers), tuple(examples[:EXAMPLES].tolist()))


@dataclass(frozen=True)
class PieceFilter:
    """A condition on pieces; `keeps` returns for each piece of a frame whether it is true."""

    name: str
    summary: str
    keeps: Callable[[UnigramFrame], Flags]


PIECE_FILTERS: Registry[PieceFilter] = registry_of(
    "filter",
    PieceFilter(
        "seldom",
        "expected to be used less than once",
        lambda frame: np.less(frame.expected_counts, 1),
    ),
    PieceFilter(
        "characters",
        "single characters, which are never removed",
        lambda frame: np.less(frame.numbers, frame.record.characters),
    ),
    PieceFilter(
        "leaving",
        "the next step removes it",
        lambda frame: np.equal(frame.goes_at, frame.step + 1),
    ),
    PieceFilter(
        "twins",
        "differs from another only by case or a leading ▁",
        lambda frame: frame.record.columns.have_twins(frame.record.alive_at(frame.step))[
            frame.numbers
        ],
    ),
)
