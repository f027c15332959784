"""Texts cut, filled up and wrapped by the cells they take, not by their characters."""

from __future__ import annotations

from bpe_tui.widgets.rows import paragraph, wrapped_text
from bpe_tui.widgets.visible import width

UNKNOWN = "[UNK] stands for é  漢  字  — and 1 more: which text it was is lost"


def test_no_line_is_wider_than_its_cells_where_characters_take_two() -> None:
    for cells in range(10, 80):
        lines = wrapped_text(UNKNOWN, cells)
        assert max(map(width, lines)) <= cells
        assert " ".join(lines).split() == UNKNOWN.split()
        assert [row.spans[0][0] for row in paragraph(UNKNOWN, cells)] == lines


def test_blanks_within_a_line_stay() -> None:
    assert wrapped_text("漢  字 is lost", 100) == ["漢  字 is lost"]


def test_a_word_wider_than_the_line_goes_on_in_the_next() -> None:
    assert wrapped_text("so 漢字漢字 it is", 5) == ["so", "漢字", "漢字", "it is"]
