"""The windows about two tokens, and about one."""

from __future__ import annotations

from opening import opened, opened_as, step, until
from program import HANDOUT
from textual.widgets import Input, Static

from bpe_tui.bpe.training_screen import CorpusPanel
from bpe_tui.dialogs.why import AnswerRows, WhyWindow
from bpe_tui.session.config import RunConfig
from bpe_tui.widgets.chart import Chart
from bpe_tui.widgets.lines import Lines


async def test_a_token_or_a_border_that_is_pointed_at_or_clicked_is_asked_about() -> None:
    async with opened() as (app, pilot):
        panel = app.screen.query_one(CorpusPanel)
        panel.focus()
        await pilot.press("shift+right", "enter")
        assert isinstance(app.screen, WhyWindow)
        assert len(app.screen._asked.known) == 1
        await pilot.press("escape")
        panel.post_message(Lines.Asked(panel, (104, 101)))
        await until(pilot, lambda: isinstance(app.screen, WhyWindow))
        assert app.screen._asked.known == (104, 101)


ANSWERS: dict[str, tuple[str, int, int, str, list[int]]] = {
    "e|s": ("why does e+s not merge?", 5, 4, "to merge 1", [9, 9, 0, 0]),
    "": ("why", 2, 0, "", []),
    "lowest": ("why is lowest not one token?", 12, 11, "to merge 4", []),
    "zz|q": ("why is zz+q not one token?", 4, 0, "", []),
    "s|t": ("s+t merges", 5, 4, "to merge 1", [9, 9, 0, 0]),
    "lo|w": ("why is lo+w not one token?", 5, 4, "what became of the pair", []),
    "n": ("why", 3, 0, "the vocabulary", []),
}
"""What is typed → the title, the rows, the cursor, where Enter goes, and the curve."""


async def test_the_window_is_as_high_as_its_answer_with_the_cursor_on_the_first_way_on() -> None:
    config = RunConfig(HANDOUT, vocab_size=300, pattern="whitespace")
    async with opened_as(config, (100, 24)) as (app, pilot):
        app.seek(5)
        app.navigation.ask((101, 115))
        await pilot.pause()
        window = app.screen
        assert isinstance(window, WhyWindow)
        rows, chart = window.query_one(AnswerRows), window.query_one(Chart)

        async def heights() -> tuple[int, int, int]:
            await pilot.pause()
            await pilot.pause()
            return rows.size.height, rows.scroll_offset.y, rows.cursor

        for typed, (title, count, cursor, where, counts) in ANSWERS.items():
            window.query_one(Input).value = typed
            assert await heights() == (count, 0, cursor)
            assert window.query_one("#why").border_title == title
            keys = f"Enter: {where} │ ↑ ↓ others │ Esc closes" if where else "Esc closes"
            assert str(window.query_one("#why-keys", Static).render()) == keys
            assert chart.display == bool(counts)
            if counts:
                assert chart.figure is not None
                assert (chart.at, [*chart.figure.ys]) == (5, counts)
                assert [*chart.figure.xs] == [0, 1, 1, 7]
        await pilot.resize_terminal(60, 20)
        assert await heights() == (4, 0, 0)  # the same answer in more rows
        for typed, seen in (("lowestwidestnewer", (13, 0, 31)), ("s|t", (5, 0, 4))):
            window.query_one(Input).value = typed
            assert await heights() == seen
        window.post_message(Chart.Sought(chart, 2.6, is_drag=False))
        await until(pilot, lambda: step(app) == 3)
