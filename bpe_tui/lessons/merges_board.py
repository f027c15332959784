"""A board of words in which merges are made by hand: a cursor on a gap, and marks where to join.

choosing    w┊i┊d┊e┊s[┊]t       Enter takes the pair at the cursor
replacing   w┊i┊d┊e┊s[+]t       Space marks a place, Enter replaces all that are marked
"""

from __future__ import annotations

from collections.abc import Sequence

from bpe_tui.shell.panel import ABOUT_TO_JOIN, TOKEN_BORDER
from bpe_tui.widgets.rows import CURSOR, Row, Span
from bpe_tui.widgets.visible import visible_bytes, width
from engine.learning.questions.answer_forms import END
from engine.learning.questions.merges_form import Merges

CHOOSING_KEYS = "←→ ↑↓ move  ↵ this pair"
REPLACING_KEYS = "←→ ↑↓ move  space mark  ↵ replace"
LEAST_ROOM = 12
"""Cells of a row that tokens have in any case."""


class MergesBoard:
    """The cursor and the marks of a question, and its rows.

    Attributes:
        is_choosing: whether the present part chooses a pair; else it replaces one.
    """

    def __init__(self, form: Merges) -> None:
        self._form = form
        self._cursor = 0
        self._places: dict[int, tuple[int, int]] = {}  # gap → its row and cell, as drawn last
        self.begin_part(())

    def begin_part(self, progress: Sequence[int]) -> None:
        """Put the cursor on the first gap, without marks, after the parts that are done."""
        form = self._form
        self._joined = form.joined(progress)
        self.is_choosing = form.chosen(progress) is None
        self._marks = set[int]()
        gaps = self._gaps
        # The cursor stays near: it is at the pair that was chosen.
        if following := [gap for gap in gaps if gap >= self._cursor] or gaps:
            self._cursor = following[0]

    @property
    def _gaps(self) -> list[int]:
        return [gap for gap, _ in self._form.pairs(self._joined)]

    @property
    def keys_text(self) -> str:
        """The keys of the present part."""
        return CHOOSING_KEYS if self.is_choosing else REPLACING_KEYS

    @property
    def part(self) -> tuple[int, ...]:
        """The present part of the answer: the pair at the cursor, or all marks."""
        return (self._cursor, END) if self.is_choosing else (*sorted(self._marks), END)

    @property
    def marked(self) -> int:
        """The number of marks."""
        return len(self._marks)

    # -- keys and clicks

    def move(self, by: int) -> None:
        """Move the cursor by a number of gaps, through all words."""
        if gaps := self._gaps:
            self._cursor = gaps[(gaps.index(self._cursor) + by) % len(gaps)]

    def move_word(self, by: int) -> None:
        """Move the cursor to the nearest gap of the next word, or of the one before."""
        if self._cursor not in self._places:
            return
        row, cell = self._places[self._cursor]
        rows = sorted({at for at, _ in self._places.values()})
        wanted = rows[(rows.index(row) + by) % len(rows)]
        there = [gap for gap, (at, _) in self._places.items() if at == wanted]
        self._cursor = min(there, key=lambda gap: abs(self._places[gap][1] - cell))

    def mark(self) -> None:
        """Mark the place at the cursor, or take its mark away."""
        if not self.is_choosing:
            self._marks ^= {self._cursor}

    def take(self, row: int, cell: int) -> bool:
        """Put the cursor on the gap at a cell; return whether there is one."""
        found = next((gap for gap, place in self._places.items() if place == (row, cell)), None)
        if found is not None:
            self._cursor = found
        return found is not None

    # -- drawing

    def word_rows(self, room: int, *, is_over: bool) -> list[Row]:
        """Return the words with their gaps, and remember where each gap is."""
        self._places = {}
        rows: list[Row] = []
        form = self._form
        most = max(len(f"{word.count:,}") for word in form.words)
        for word, counted in enumerate(form.words):
            gaps, tokens = form.gaps_of(word, self._joined), form.tokens_of(word, self._joined)
            has_cursor = self._cursor in gaps and not is_over
            head = f"{counted.count:>{most},} × "
            line: list[Span] = [(CURSOR if has_cursor else "  ", "pair"), (head, "dim")]
            start = cells = 2 + width(head)
            edge = max(room, start + LEAST_ROOM)
            for place, token in enumerate(tokens):
                shown = visible_bytes(token)
                sign, role = self._sign(gaps[place], is_over) if place < len(gaps) else ("", "")
                if start < cells and cells + width(shown) + len(sign) > edge:
                    rows.append(Row(line))
                    line, cells = [(" " * start, "")], start
                beside = gaps[max(place - 1, 0) : place + 1]
                is_lit = not is_over and any(map(self._is_lit, beside))
                line.append((shown, "pair" if is_lit else "strong"))
                cells += width(shown)
                if sign:
                    self._places[gaps[place]] = len(rows), cells + len(sign) // 2
                    line.append((sign, role))
                    cells += len(sign)
            rows.append(Row(line))
        return rows

    def _sign(self, gap: int, is_over: bool) -> Span:
        if is_over:
            return TOKEN_BORDER
        sign, role = ABOUT_TO_JOIN if gap in self._marks else TOKEN_BORDER
        return (f"[{sign}]", ABOUT_TO_JOIN[1]) if gap == self._cursor else (sign, role)

    def _is_lit(self, gap: int) -> bool:
        return gap == self._cursor if self.is_choosing else gap in self._marks
