"""Fields draw typed text in the cells that Textual counts, in every terminal."""

from __future__ import annotations

import regex
from hypothesis import given
from hypothesis import strategies as st
from opening import until
from rich.cells import cell_len
from rich.segment import Segment
from textual.events import Paste
from textual.strip import Strip

from bpe_tui.app.base import BaseApp
from bpe_tui.widgets.fields import settled
from bpe_tui.widgets.text_field import LONGEST_TEXT, TextField
from bpe_tui.widgets.visible import typed_text

EMOJI = ["🇩🇪", "👨\u200d👩\u200d👧", "👍🏽", "❤\ufe0f", "1\ufe0f\u20e3", "🇩"]
ODD = [*EMOJI, "\x1b[2J", "\u202e", "a\u200bb", "\t"]
TYPED = {"plain é 漢字 각": "plain é 漢字 각", "e\u0301": "e\u0301", "🇩🇪": "DE", "🇩🇪🇫🇷": "DEFR"}
TYPED |= {"👍🏽": "👍", "👨\u200d👩\u200d👧": "👨", "❤\ufe0f!": "❤ !", "a\u202eb": "ab"}


def test_a_cluster_of_doubtful_width_is_replaced() -> None:
    assert {typed: typed_text(typed) for typed in TYPED} == TYPED


@given(st.lists(st.one_of(st.sampled_from(ODD), st.characters(exclude_categories=["Cs"]))))
def test_the_drawn_text_has_no_controls_and_the_cells_that_are_counted(parts: list[str]) -> None:
    typed = Strip([Segment("".join(parts))])
    drawn = settled(typed).text
    assert cell_len(drawn) == typed.cell_length
    # `regex` knows newer characters than this Python's `unicodedata`.
    assert not regex.search(r"[\p{Cc}\p{Cf}\p{Co}\p{Cn}]", drawn)
    assert not any(
        0xFE00 <= ord(char) <= 0xFE0F or 0x1F1E6 <= ord(char) <= 0x1F1FF for char in drawn
    )


async def test_a_long_paste_is_cut_and_the_message_names_the_key_that_opens_a_file() -> None:
    app = BaseApp()
    async with app.run_test() as pilot:
        field = TextField("plain")
        await app.mount(field)
        field.focus()
        await pilot.press("e")
        assert field.text == "e"  # the focus had selected all
        for more, told in (
            ("", ""),
            ("\na", "A paste is cut where the text has 20,000 characters."),
        ):
            field.text = ""
            app.post_message(Paste("a\n" * (LONGEST_TEXT // 2) + more))
            await until(pilot, lambda: len(field.text) == LONGEST_TEXT)
            assert app.notices.now.partition(" Save")[0] == told
        assert "o opens it" in app.notices.now
        app.post_message(Paste("b"))  # there is no room for more
        await pilot.press("left", "delete")
        app.post_message(Paste("cd"))
        await until(pilot, lambda: field.text.endswith("c"))
        assert (len(field.text), "b" in field.text, "d" in field.text) == (
            LONGEST_TEXT,
            False,
            False,
        )
        field.select_all()
        app.post_message(Paste("ef"))
        await until(pilot, lambda: field.text == "ef")
