"""A field draws and wraps a long line as Textual does, but not all of it for each key."""

from __future__ import annotations

import pytest
from generated import examples
from hypothesis import given
from hypothesis import strategies as st
from textual.app import App, ComposeResult
from textual.document._wrapped_document import WrappedDocument
from textual.widgets import TextArea
from textual.widgets.text_area import Selection

from bpe_tui.widgets.text_field import LONG_LINE, TextField, rewrapped

WIDTHS = st.integers(8, 40)
PARTS = st.lists(st.sampled_from(["a", "low", " ", "  ", "漢字", "x" * 30, "e\u0301", "\u3000"]))
TEXTS = PARTS.map("".join)


def wrapped(text: str, width: int) -> list[int]:
    from textual._wrap import compute_wrap_offsets

    return compute_wrap_offsets(text, width, 4)


@examples(300)
@given(TEXTS, TEXTS, TEXTS, TEXTS, WIDTHS)
def test_a_line_is_wrapped_after_an_edit_as_from_the_start(
    head: str, gone: str, come: str, tail: str, width: int
) -> None:
    old, new = head * 9 + gone + tail * 9, head * 9 + come + tail * 9
    assert rewrapped(old, wrapped(old, width), new, width) == wrapped(new, width)


@examples(60)
@given(st.integers(0, 20_000), st.integers(0, 40), st.sampled_from(["", "x", " ", "xy z"]), WIDTHS)
def test_only_the_rows_near_the_edit_of_a_long_line_are_wrapped(
    at: int, length: int, come: str, width: int
) -> None:
    old = " ".join(f"{number * 7919 % 10007:x}" * (number % 4) for number in range(2_000))
    new = old[:at] + come + old[at + length :]
    assert rewrapped(old, wrapped(old, width), new, width) == wrapped(new, width)


class OneField(App[None]):
    def compose(self) -> ComposeResult:
        yield TextField(compact=True, highlight_cursor_line=False)


SELECTIONS = [
    Selection((0, 0), (0, 0)),
    Selection((0, 90), (0, 90)),
    Selection((0, 5), (0, 170)),
    Selection((1, 2), (0, 95)),
    Selection((0, 1), (2, 1)),
]


@pytest.mark.parametrize("selection", SELECTIONS)
async def test_a_row_of_a_wrapped_line_is_drawn_as_textual_draws_it(selection: Selection) -> None:
    app = OneField()
    async with app.run_test(size=(40, 12)) as pilot:
        field = app.query_one(TextField)
        field.text = "(low)\tlower " * 20 + "\n" + "漢字(lowest) " * 20 + "\nend"
        field.selection = selection
        await pilot.pause()
        for y in range(12):
            assert list(field._render_line(y)) == list(TextArea._render_line(field, y))


async def test_keys_in_a_long_line_leave_the_rows_and_places_of_textual() -> None:
    app = OneField()
    async with app.run_test(size=(40, 12)) as pilot:
        field = app.query_one(TextField)
        field.text = "\n".join(["first", "low lower " * (LONG_LINE // 5), "last"])
        field.selection = Selection.cursor((1, 1_000))
        for key in ("x", "y", "space", "backspace", "delete", "enter", "backspace", "ctrl+z", "z"):
            await pilot.press(key)
            whole = WrappedDocument(field.document)
            whole.wrap(field.wrap_width, field.indent_width)
            ours = field.wrapped_document
            for name in ("_wrap_offsets", "_offset_to_line_info", "_line_index_to_offsets"):
                assert getattr(ours, name) == getattr(whole, name)
            assert ours.get_sections(1) == whole.get_sections(1)
            assert ours._tab_width_cache == whole._tab_width_cache
