"""Which words of the corpus is a piece used in?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from engine.unigram.frame import UnigramFrame
from engine.unigram.pieces import Edge

BATCH = 1000
"""Words that are passed over in one go: looking for a text in a word takes next to nothing."""


class Use(NamedTuple):
    """A pretoken of the corpus whose best segmentation has a piece."""

    text: str
    times: int
    edges: tuple[Edge, ...]


def uses(frame: UnigramFrame, number: int) -> Iterator[Use | None]:
    """The pretokens whose best segmentation has a piece of the seed, the most frequent first.

    All pretokens are looked through, which may take a second; `None` comes now and then where
    there is none to tell. Take as many as there is time for.
    """
    piece = frame.record.texts[number]
    for passed, (text, times) in enumerate(frame.words.items()):
        if piece in text:
            edges = frame.lattice(text).best.edges
            is_used = any(edge.piece == number for edge in edges)
            yield Use(text, times, edges) if is_used else None
        elif passed % BATCH == 0:
            yield None
