"""What a pre-tokenizer is: it cuts a text into pieces that the model encodes one by one.

Some change the text before they cut it (`edits`: a space in front, `▁` for spaces), one spells
the pieces anew (`respelled`). So each tells its three parts, and the rest follows here: the plain
pieces, and the same with where their characters come from.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from collections.abc import Sequence as SequenceOf
from functools import cached_property
from itertools import chain, groupby
from typing import ClassVar, Self

from engine.core.json_fields import Fields
from engine.core.registry import Registry
from engine.pipeline.normalizers.normalizer import Aligned, Edit
from engine.pipeline.stage import Composite, Stage, opened, stage
from engine.text.patterns import PATTERNS, Pattern

NOTHING_CUT = PATTERNS["none"]

# What becomes of the matches that a pre-tokenizer cuts at: the five behaviours.

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


def cut_at(matches: Iterable[Span], length: int, behavior: str, invert: bool = False) -> list[Span]:
    """The pieces of a text of that length, cut at matches.

    A behaviour leaves the matches out, keeps them as pieces, or joins them with a neighbour:

    >>> dashes = [(1, 2), (2, 3)]
    >>> for behavior in BEHAVIORS:
    ...     print(behavior, ["a--b"[start:end] for start, end in cut_at(dashes, 4, behavior)])
    Removed ['a', 'b']
    Isolated ['a', '-', '-', 'b']
    MergedWithPrevious ['a-', '-', 'b']
    MergedWithNext ['a', '-', '-b']
    Contiguous ['a', '--', 'b']

    Args:
        behavior: a name in `BEHAVIORS`.
        invert: whether what stands between matches counts as a match instead.
    """
    row = list(stretches(matches, length))
    if invert:
        row = [(start, end, not is_match) for start, end, is_match in row]
    return BEHAVIORS[behavior](row)


MOST_LENGTHENING = 4


class PreTokenizer(Stage):
    """Cuts a text; pieces may be left out, but none is empty."""

    lengthens: ClassVar[bool] = False
    """Whether what it makes may be twice as long as what it is given."""

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

    def aligned_pieces(self, aligned: Aligned) -> list[Aligned]:
        """The pieces of a text that may be a part of an original, each with where it comes from.

        >>> from engine.pipeline.pretokenizers import Digits
        >>> pieces = Digits(individual_digits=False).aligned_pieces(Aligned.of("a12b"))
        >>> [piece.text for piece in pieces]
        ['a', '12', 'b']
        """
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

    def pieces(self, text: str, first: bool) -> list[str]:
        """The pieces as the model is given them, without where they come from."""
        return self.cut(text, first)


@stage
class Sequence(Composite[PreTokenizer], PreTokenizer):
    """Pre-tokenizers of which each cuts the pieces of the one before."""

    name = "Sequence"
    parts_key = "pretokenizers"

    @classmethod
    def of_parts(cls, parts: SequenceOf[PreTokenizer], fields: Fields) -> Self:
        made = cls(parts)
        if sum(each.lengthens for each in made._stages) > MOST_LENGTHENING:
            what = f"more than {MOST_LENGTHENING} stages of it can each double a text"
            raise fields.error(cls.parts_key, what)
        return made

    @cached_property
    def _stages(self) -> tuple[PreTokenizer, ...]:
        return opened(self) or (PreTokenizer(),)

    @property
    def asks_where(self) -> bool:  # type: ignore[override]
        return any(each.asks_where for each in self._stages)

    def aligned_pieces(self, aligned: Aligned) -> list[Aligned]:
        pieces = [aligned] if aligned.text else []
        for each in self._stages:
            pieces = list(chain.from_iterable(map(each.aligned_pieces, pieces)))
        return pieces

    def pieces(self, text: str, first: bool) -> list[str]:
        last = self._stages[-1]
        return [*chain.from_iterable(last.pieces(*p) for p in self._before_last(text, first))]

    def cut(self, text: str, first: bool) -> list[str]:
        last = self._stages[-1]
        return [*chain.from_iterable(last.cut(*p) for p in self._before_last(text, first))]

    def _before_last(self, text: str, first: bool) -> list[tuple[str, bool]]:
        """The pieces that the last stage is given, each with whether it stands first."""
        if any(each.asks_where for each in self._stages[1:]):
            # What stands first after several cuts is known from where it comes.
            aligned = [Aligned.of(text, start=0 if first else 1)]
            for each in self._stages[:-1]:
                aligned = list(chain.from_iterable(map(each.aligned_pieces, aligned)))
            return [(piece.text, piece.span(0, 0)[0] == 0) for piece in aligned]
        pieces = [text] if text else []
        for number, each in enumerate(self._stages[:-1]):
            pieces = [*chain.from_iterable(each.pieces(p, first and not number) for p in pieces)]
        return [(piece, first) for piece in pieces]
