"""What a pre-tokenizer is: it cuts a text into pieces that the model encodes one by one.

Some change the text before they cut it (`edits`: a space in front, `▁` for spaces), one spells
the pieces anew (`respelled`). So each tells its three parts, and the rest follows here: the plain
pieces, and the same with where their characters come from.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from collections.abc import Sequence as SequenceOf
from itertools import chain, groupby
from typing import Any, ClassVar, Self

from engine.core.registry import Registry
from engine.pipeline.json_fields import Fields
from engine.pipeline.normalizers.normalizer import Aligned, Edit
from engine.pipeline.stage import Stage
from engine.text.patterns import PATTERNS, Pattern

# What becomes of the matches that a pre-tokenizer cuts at: the five behaviours.
#
# A text is a row of stretches, each a match or what is between two. A behaviour leaves matches out,
# keeps them as pieces, or joins them with a neighbour.
#
# >>> matches = [(1, 2), (2, 3)]   # the dashes of "a--b"
# >>> for name, behavior in BEHAVIORS.items():
# ...     print(name, ["a--b"[slice(*span)] for span in behavior(list(stretches(matches, 4)))])
# Removed ['a', 'b']
# Isolated ['a', '-', '-', 'b']
# MergedWithPrevious ['a-', '-', 'b']
# MergedWithNext ['a', '-', '-b']
# Contiguous ['a', '--', 'b']

Span = tuple[int, int]
Stretch = tuple[int, int, bool]
"""Where it begins, where it ends, whether it is a match."""


def stretches(matches: Iterable[Span], length: int) -> Iterator[Stretch]:
    """The matches and what stands between them; together they cover a text of that length."""
    last = 0
    for start, end in matches:
        if last < start:
            yield last, start, False
        yield start, end, True
        last = end
    if last < length:
        yield last, length, False


def _removed(row: list[Stretch]) -> list[Span]:
    return [(start, end) for start, end, is_match in row if not is_match]


def _isolated(row: list[Stretch]) -> list[Span]:
    return [(start, end) for start, end, _ in row]


def _merged_with_previous(row: list[Stretch]) -> list[Span]:
    spans: list[Span] = []
    after_match = False
    for start, end, is_match in row:
        if is_match and not after_match and spans:
            spans[-1] = (spans[-1][0], end)
        else:
            spans.append((start, end))
        after_match = is_match
    return spans


def _merged_with_next(row: list[Stretch]) -> list[Span]:
    spans: list[Span] = []
    before_match = False
    for start, end, is_match in reversed(row):
        if is_match and not before_match and spans:
            spans[-1] = (start, spans[-1][1])
        else:
            spans.append((start, end))
        before_match = is_match
    return spans[::-1]


def _contiguous(row: list[Stretch]) -> list[Span]:
    runs = [list(run) for _, run in groupby(row, key=lambda stretch: stretch[2])]
    return [(run[0][0], run[-1][1]) for run in runs]


BEHAVIORS: Registry[Callable[[list[Stretch]], list[Span]]] = Registry(
    "behavior",
    {
        "Removed": _removed,
        "Isolated": _isolated,
        "MergedWithPrevious": _merged_with_previous,
        "MergedWithNext": _merged_with_next,
        "Contiguous": _contiguous,
    },
)


class PreTokenizer(Stage):
    """Cuts a text; pieces may be left out, but none is empty."""

    asks_where: ClassVar[bool] = False
    """Whether it matters to `edits` if a text stands at the beginning of everything."""

    def edits(self, text: str, first: bool) -> Iterable[Edit]:
        """What changes before the cut; `first`: nothing of the original stands before the text."""
        return ()

    def spans(self, text: str) -> Iterable[Span]:
        """The pieces of the changed text, from left to right."""
        return ((0, len(text)),)

    def respelled(self, piece: Aligned) -> Aligned:
        """A piece as the model is given it."""
        return piece

    def as_pattern(self) -> Pattern | None:
        """A pattern that cuts the changed text the same; `None` if there is none."""
        return None

    @property
    def stages(self) -> tuple[PreTokenizer, ...]:
        """Itself; of a sequence what it is made of."""
        return (self,)

    def pre_tokenize(self, text: str) -> list[Aligned]:
        """The pieces of a whole text, with where their characters come from.

        >>> from engine.pipeline.pretokenizers import Digits
        >>> [piece.text for piece in Digits(individual_digits=False).pre_tokenize("a12b")]
        ['a', '12', 'b']
        """
        return self.split_aligned(Aligned.of(text))

    def split_aligned(self, aligned: Aligned) -> list[Aligned]:
        """The pieces of a text that may be a part of an original."""
        first = aligned.span(0, 0)[0] == 0
        changed = aligned.edited(self.edits(aligned.text, first))
        pieces = [changed.part(*span) for span in self.spans(changed.text)]
        return [self.respelled(piece) for piece in pieces if piece.text]

    def prepared(self, text: str, first: bool) -> str:
        """The text after `edits`."""
        edits = list(self.edits(text, first))
        return Aligned.of(text).edited(edits).text if edits else text

    def cut(self, text: str, first: bool) -> list[str]:
        """The pieces before they are spelled anew."""
        changed = self.prepared(text, first)
        return [changed[start:end] for start, end in self.spans(changed) if start < end]

    def split(self, text: str, first: bool) -> list[str]:
        """The pieces, without where they come from."""
        return self.cut(text, first)


NOTHING_CUT = PATTERNS["none"]


def all_stages(pre_tokenizer: PreTokenizer | None) -> SequenceOf[PreTokenizer]:
    """The stages of a pre-tokenizer, sequences opened; none if there is none."""
    return () if pre_tokenizer is None else pre_tokenizer.stages


# Several pre-tokenizers: each cuts the pieces of the one before.


class Sequence(PreTokenizer):
    name = "Sequence"
    parts_key = "pretokenizers"

    def __init__(self, parts: SequenceOf[PreTokenizer]) -> None:
        self.parts = tuple(parts)

    @classmethod
    def of_parts(cls, parts: SequenceOf[Any], fields: Fields) -> Self:
        return cls(parts)

    def settings(self) -> dict[str, object]:
        return {"pretokenizers": [part.to_json() for part in self.parts]}

    @property
    def stages(self) -> tuple[PreTokenizer, ...]:
        return tuple(chain.from_iterable(part.stages for part in self.parts))

    @property
    def asks_where(self) -> bool:  # type: ignore[override]
        return any(stage.asks_where for stage in self.stages)

    def split_aligned(self, aligned: Aligned) -> list[Aligned]:
        pieces = [aligned] if aligned.text else []
        for stage in self.stages:
            pieces = list(chain.from_iterable(map(stage.split_aligned, pieces)))
        return pieces

    def split(self, text: str, first: bool) -> list[str]:
        if not self.stages:
            return [text] if text else []
        return [*chain.from_iterable(self.stages[-1].split(*p) for p in self._before(text, first))]

    def cut(self, text: str, first: bool) -> list[str]:
        if not self.stages:
            return [text] if text else []
        return [*chain.from_iterable(self.stages[-1].cut(*p) for p in self._before(text, first))]

    def _before(self, text: str, first: bool) -> list[tuple[str, bool]]:
        """The pieces that the last stage is given, each with whether it stands first."""
        if any(stage.asks_where for stage in self.stages[1:]):
            # What stands first after several cuts is known from where it comes.
            aligned = [Aligned.of(text, start=0 if first else 1)]
            for stage in self.stages[:-1]:
                aligned = list(chain.from_iterable(map(stage.split_aligned, aligned)))
            return [(piece.text, piece.span(0, 0)[0] == 0) for piece in aligned]
        pieces = [text] if text else []
        for number, stage in enumerate(self.stages[:-1]):
            pieces = [*chain.from_iterable(stage.split(p, first and not number) for p in pieces)]
        return [(piece, first) for piece in pieces]
