"""What a step did: to expected counts, to a score, to the words of the corpus."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from engine.core.arrays import Floats, Ints
from engine.unigram.em import RARE, digamma
from engine.unigram.frame import UnigramFrame
from engine.unigram.pieces import Edge
from engine.unigram.record import EmStep


@dataclass(frozen=True)
class CountChanges:
    """Expected counts before and after a step, the largest difference first.

    Attributes:
        numbers: the pieces there were before it.
        before, after: how often the corpus uses each; 0 after for one that is gone.
    """

    numbers: Ints
    before: Floats
    after: Floats


def count_changes(frame: UnigramFrame) -> CountChanges:
    """What the step that led to a frame did to the expected counts; nothing at the seed."""
    earlier = frame.at(max(frame.step - 1, 0))
    numbers, before = earlier.numbers, earlier.expected_counts
    after = np.zeros(len(numbers))
    after[np.searchsorted(numbers, frame.numbers)] = frame.expected_counts
    order = np.argsort(-np.abs(after - before), kind="stable")
    return CountChanges(numbers[order], before[order], after[order])


class MStep(NamedTuple):
    """How the M-step made a score from a piece's expected count, by the digamma function ψ.

    score = ψ(expected) − ψ(total); `total` is the sum of the expected counts of all pieces.
    """

    expected: float
    digamma_of_expected: float
    total: float
    digamma_of_total: float

    @property
    def score(self) -> float:
        """The new score."""
        return self.digamma_of_expected - self.digamma_of_total


def m_step(frame: UnigramFrame, number: int) -> MStep | None:
    """The arithmetic behind a score at a frame; `None` if no EM step led there, or no such piece.

    It says what the record says where training normalises by `digamma`, which is its default.
    """
    index = frame.index_of(number)
    if index is None or not isinstance(frame.came_by, EmStep):
        return None
    earlier = frame.at(frame.step - 1)
    left = np.searchsorted(earlier.numbers, frame.numbers)
    counts = np.maximum(earlier.expected_counts[left], RARE)
    count, total = counts[index], counts.sum()
    of_count, of_total = digamma(np.array([count, total])).tolist()
    return MStep(float(count), of_count, float(total), of_total)


class ChangedWord(NamedTuple):
    """A pretoken of the corpus whose best segmentation a step changed."""

    text: str
    times: int
    before: tuple[Edge, ...]
    after: tuple[Edge, ...]


def changed_words(frame: UnigramFrame) -> Iterator[ChangedWord | None]:
    """The pretokens that the step which led to a frame segments anew, the most frequent first.

    Every pretoken is looked at in turn, which may take seconds in all; `None` stands for one that
    is as it was. Take as many as there is time for.
    """
    if not frame.step:
        return
    earlier = frame.at(frame.step - 1)
    for text, count in frame.words.items():
        before, after = earlier.lattice(text).best.edges, frame.lattice(text).best.edges
        cut_alike = [edge.end for edge in before] == [edge.end for edge in after]
        yield None if cut_alike else ChangedWord(text, count, before, after)


# -- where a piece is used

BATCH = 1000
"""Words that are passed over in one go: looking for a text in a word takes next to nothing."""


class Occurrence(NamedTuple):
    """A pretoken of the corpus whose best segmentation has a piece."""

    text: str
    times: int
    edges: tuple[Edge, ...]


def piece_occurrences(frame: UnigramFrame, number: int) -> Iterator[Occurrence | None]:
    """The pretokens whose best segmentation has a piece of the seed, the most frequent first.

    All pretokens are looked through, which may take a second; `None` comes now and then where
    there is none to tell. Take as many as there is time for.
    """
    piece = frame.record.texts[number]
    for passed, (text, times) in enumerate(frame.words.items()):
        if piece in text:
            edges = frame.lattice(text).best.edges
            is_used = any(edge.piece == number for edge in edges)
            yield Occurrence(text, times, edges) if is_used else None
        elif passed % BATCH == 0:
            yield None
