"""How do the tokenizers compare in numbers? Tokens, words, vocabularies, merges."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from textual.content import Content
from textual.reactive import reactive

from bpe_tui.widgets.lines import Lines
from bpe_tui.widgets.numbers import number
from bpe_tui.widgets.rows import Row, Span, left, paragraph, right
from bpe_tui.widgets.visible import shorten, visible_bytes
from engine.analysis.comparison import Overlap, Parting, TextComparison
from engine.core.events import BytesPair

LABEL_CELLS, COLUMN = 16, 12
SCRIPTS = 6
EXAMPLES = 6


@dataclass(frozen=True)
class Vocabularies:
    """What vocabularies and merges have in common; the partings are from the first tokenizer."""

    overlap: Overlap
    partings: tuple[Parting | None, ...]


class NumbersPanel(Lines):
    """The text in tokens by each tokenizer, then the vocabularies."""

    comparison: reactive[TextComparison | None] = reactive(None, repaint=False)
    vocabularies: reactive[Vocabularies | None] = reactive(None, repaint=False)

    def __init__(self, names: Sequence[str]) -> None:
        super().__init__(id="numbers")
        self.border_title = Content("how do they compare?")
        self.names = names
        self._rows: list[Row] = []

    @property
    def row_count(self) -> int:
        return len(self._rows)

    def row(self, index: int) -> Row:
        return self._rows[index]

    def watch_comparison(self) -> None:
        self.rebuild()

    def watch_vocabularies(self) -> None:
        self.rebuild()

    def rebuild(self) -> None:
        self._rows = list(self._made()) if self.size.width else []
        super().rebuild()

    def _made(self) -> Iterable[Row]:
        room = self.scrollable_content_region.width
        columns = min(COLUMN, max((room - LABEL_CELLS) // len(self.names), 6))
        yield _line("", [shorten(name, columns - 1) for name in self.names], columns, "strong")
        if self.comparison is not None:
            yield from _text_rows(self.comparison, columns)
        if self.vocabularies is None:
            yield Row([("Comparing the vocabularies …", "dim")])
            return
        yield Row([])
        yield from _vocabulary_rows(self.names, self.vocabularies, columns, room)


def _text_rows(comparison: TextComparison, columns: int) -> Iterable[Row]:
    yield _line("tokens", map(number, comparison.token_counts), columns)
    yield _line("bytes/token", (f"{each:.3f}" for each in comparison.bytes_per_token), columns)
    for script in comparison.fertility[:SCRIPTS]:
        label = shorten(f"a word, {script.script}", LABEL_CELLS - 1)
        yield _line(label, (f"{each:.2f}" for each in script.tokens_per_word), columns)


def _vocabulary_rows(
    names: Sequence[str], found: Vocabularies, columns: int, room: int
) -> Iterable[Row]:
    yield _line("vocabulary", map(number, found.overlap.sizes), columns)
    yield _line("only here", (number(len(only)) for only in found.overlap.only), columns)
    yield _line("in all", [number(found.overlap.shared)], columns)
    for name, only in zip(names, found.overlap.only, strict=True):
        if only:
            shown = "  ".join(visible_bytes(token) for token in only[:EXAMPLES])
            yield Row([(f"only {shorten(name, 12)}  ", "dim"), (shorten(shown, room - 19), "")])
    for name, parting in zip(names[1:], found.partings, strict=True):
        yield from paragraph(f"{names[0]} and {name}: {_parted(parting)}", room)


def _parted(parting: Parting | None) -> str:
    if parting is None:
        return "the same merges"
    one, other = map(_merge, parting.merges)
    return f"part at merge {number(parting.rank)}, {one} and {other}"


def _merge(merge: BytesPair | None) -> str:
    return "no more" if merge is None else " + ".join(map(visible_bytes, merge))


def _line(label: str, values: Iterable[str], columns: int, role: str = "") -> Row:
    spans: list[Span] = left([(label, "dim")], LABEL_CELLS)
    return Row([*spans, *(right(value, columns, role) for value in values)])
