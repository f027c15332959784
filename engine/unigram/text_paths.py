"""A whole text under the pieces of a step: its ids, and its best segmentations.

No piece crosses the border of a pretoken. So the n best of a text are among the n best of all but
the last pretoken, each followed by one of the n best of the last.
"""

from __future__ import annotations

from collections.abc import Iterable
from heapq import nlargest
from itertools import groupby
from typing import NamedTuple

from engine.unigram.frame import UnigramFrame
from engine.unigram.metaspace import spelled
from engine.unigram.pieces import joined


class TextPath(NamedTuple):
    """A segmentation of a text: its pieces, unknown characters joined, and its score."""

    pieces: tuple[str, ...]
    score: float


def n_best(frame: UnigramFrame, text: str, wanted: int) -> list[TextPath]:
    """The best segmentations of a text, the best first; a special token is a piece of score 0.

    >>> from engine.unigram.record import Seeded
    >>> from engine.unigram.timeline import UnigramTimeline
    >>> from engine.unigram.trainer import UnigramTrainer
    >>> trainer = UnigramTrainer({"hug": 10, "▁pug": 5, "hugs": 5}, 10)
    >>> seeded = next(event for event in trainer.steps() if isinstance(event, Seeded))
    >>> timeline = UnigramTimeline(seeded.record)
    >>> [path.pieces for path in n_best(timeline.frame, "hugs hug", 2)]
    [('hugs', '▁', 'hug'), ('hugs', '▁', 'h', 'ug')]
    """
    best = [TextPath((), 0.0)]
    for pretoken in frame.cut(text):
        if pretoken.special:
            ways = [TextPath((pretoken.text,), 0.0)]
        else:
            lattice = frame.lattice(spelled(pretoken.text))
            ways = [
                TextPath(
                    tuple(lattice.text[edge.start : edge.end] for edge in joined(path.edges)),
                    path.score,
                )
                for path in lattice.n_best(wanted)
            ]
        longer = (
            TextPath(before.pieces + way.pieces, before.score + way.score)
            for before in best
            for way in ways
        )
        best = nlargest(wanted, longer, key=lambda path: path.score)
    return best


def ids_of(frame: UnigramFrame, text: str) -> list[int]:
    """The ids of a text's best segmentation in the vocabulary that the step saves."""
    record, ids = frame.record, frame.ids.tolist()
    special = {token: id_ for id_, token in enumerate(record.special_tokens, start=1)}
    found: list[int] = []
    for pretoken in frame.cut(text):
        if pretoken.special:
            found.append(special[pretoken.text])
        else:
            found += _in_vocabulary(ids, frame.encoder.encode(spelled(pretoken.text)))
    return found


def unknown_in(frame: UnigramFrame, text: str) -> list[str]:
    """What no piece of a text spells; characters side by side are together, as one token.

    With pieces of the letters of `hugs`: `"hügs 漢字"` → `["ü", "漢字"]`.
    """
    known = frame.record.numbering.number_of  # no character is ever removed
    words = [spelled(pretoken.text) for pretoken in frame.cut(text) if not pretoken.special]
    return [
        "".join(characters)
        for word in words
        for is_known, characters in groupby(word, key=known.__contains__)
        if not is_known
    ]


def _in_vocabulary(ids: list[int], encoded: Iterable[int]) -> Iterable[int]:
    """The encoder numbers pieces as the frame has them, behind the unknown token."""
    return (ids[number - 1] if number else 0 for number in encoded)
