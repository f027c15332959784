"""The windows about two tokens, and about one."""

from __future__ import annotations

import pytest
from opening import SAMPLE, opened, opened_as, step, until
from program import HANDOUT
from screen_text import shown
from textual.pilot import Pilot
from textual.widgets import Input, Static

from bpe_tui.app.app import BpeTuiApp
from bpe_tui.bpe.encoding_screen import WhyNotRows
from bpe_tui.bpe.training_screen import ChangedPretokens, CorpusPanel, EncodedText
from bpe_tui.bpe.transcript import BpeTranscript
from bpe_tui.dialogs.why import AnswerRows, WhyWindow
from bpe_tui.session.config import RunConfig
from bpe_tui.views.targets import ToStep
from bpe_tui.views.token_detail import LanesPanel
from bpe_tui.widgets.chart import Chart
from bpe_tui.widgets.lines import Lines
from bpe_tui.widgets.rows import subjects_at
from bpe_tui.widgets.visible import visible_bytes
from engine import StopReason, Timeline
from engine.analysis.why import explain


def answer(app: BpeTuiApp) -> str:
    rows = app.screen.query_one(AnswerRows)
    return "\n".join(
        "".join(text for text, _ in rows.row(place).spans) for place in range(rows.row_count)
    )


async def ask(app: BpeTuiApp, pilot: Pilot[int], typed: str) -> str:
    """Return the window's answer about a typed text."""
    if not isinstance(app.screen, WhyWindow):
        await pilot.press("w")
    for letter in typed:
        await pilot.press("vertical_line" if letter == "|" else letter)
    await pilot.pause()
    return answer(app)


async def test_the_window_opens_on_the_pair_of_the_row_and_explains_what_is_typed_at_any_size() -> (
    None
):
    async with opened() as (app, pilot):
        app.seek(5)
        await pilot.press("w")
        await pilot.pause()
        frame = app.session.frame
        assert frame is not None
        assert frame.next_pair is not None
        first = frame.any_token(frame.next_pair[0]).decode().replace(" ", "·")
        assert answer(app).startswith(f"{first}+")
        assert "It merges at merge 6" in answer(app)
        await pilot.press("escape", "m", "up", "w")
        await pilot.pause()
        assert "It is merge 4" in answer(app)
        await pilot.press("ctrl+u")
        said = await ask(app, pilot, "tqq")
        assert "tqq is no token of this vocabulary" in " ".join(said.split())
        await pilot.resize_terminal(90, 30)
        await pilot.pause()
        assert "tqq is no token of this vocabulary" in " ".join(answer(app).split())
        await pilot.press("ctrl+u")
        said = await ask(app, pilot, "t|h")
        count = SAMPLE.read_text(encoding="utf-8").count("th")
        assert f"t+h: {count:,} at step 0; h+e took its h" in " ".join(said.split())
        await pilot.press("enter")
        assert (step(app), app.screen.id) == (1, "training")


@pytest.mark.slow
async def test_both_screens_and_plain_explain_a_piece_in_the_same_words() -> None:
    async with opened() as (app, pilot):
        await pilot.press("end")
        frame = app.session.frame
        assert frame is not None
        explanation = explain(frame, ["lowest"])
        sentences = " ".join(" ".join(explanation.describe(visible_bytes)).split())
        said = await ask(app, pilot, "lowest")
        assert sentences in " ".join(said.split())
        rows = app.screen.query_one(AnswerRows)
        last = explanation.way[-1].number
        assert rows.row(rows.cursor).target == ToStep(last)
        await pilot.press("escape", "2", "e", "ctrl+u", *"lowest", "escape", "w")
        await pilot.pause()
        panel = app.screen.query_one(WhyNotRows)
        assert sentences in " ".join(shown(panel).split())
        assert f"Enter: to merge {last}" in str(app.screen.query_one("#why-not").border_subtitle)
        assert "".join(text for text, _ in panel.row(panel.cursor).spans).endswith("here it stops")
        await pilot.press("enter")
        await pilot.pause()
        assert (step(app), app.screen.id) == (last, "training")
        await pilot.press("escape")
        await pilot.pause()
        assert (step(app), app.screen.id) == (frame.step, "encoding")
        timeline = app.session.recording
        assert isinstance(timeline, Timeline)
        plain = list(BpeTranscript(timeline, StopReason.SIZE_REACHED).answer("why lowest"))
        assert plain == explanation.lines(visible_bytes)


def cell_of(panel: Lines, subjects: int) -> tuple[int, int, tuple[int, ...]]:
    """Return a cell of a panel that belongs to this number of tokens."""
    for y in range(panel.row_count):
        spans = panel.row(y).spans
        for x in range(sum(len(text) for text, _ in spans)):
            if len(found := subjects_at(spans, x)) == subjects:
                return x, y, found
    raise AssertionError("no such cell")


@pytest.mark.slow  # five windows
async def test_a_key_or_a_click_on_a_token_or_a_border_asks_about_it_in_strips_and_lanes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")  # chips have no borders to click on
    async with opened() as (app, pilot):
        app.seek(30)
        await pilot.press("e", "ctrl+u", *"the", "escape")
        await pilot.pause()
        app.screen.query_one(CorpusPanel).focus()
        await pilot.press("shift+right", "enter")
        assert isinstance(app.screen, WhyWindow)
        await pilot.press("escape")
        for kind, subjects in (
            *((panel, 2) for panel in (CorpusPanel, ChangedPretokens, EncodedText)),
            (CorpusPanel, 1),
            (LanesPanel, 1),
        ):
            if kind is LanesPanel:
                await pilot.press("3")
                await pilot.pause()
            panel = app.screen.query_one(kind)
            x, y, ids = cell_of(panel, subjects)
            box = panel.content_region.offset - panel.region.offset
            await pilot.click(panel, offset=(box.x + x, box.y + y + panel.head_height))
            await pilot.pause()
            assert isinstance(app.screen, WhyWindow), kind
            assert app.screen._asked.known == ids
            await pilot.press("escape")
            await pilot.pause()


@pytest.mark.slow
async def test_wordpiece_answers_too() -> None:
    async with opened(model="wordpiece", vocab_size=200) as (app, pilot):
        await pilot.press("end", "m", "w")
        await pilot.pause()
        assert "It is merge" in answer(app)
        assert "##" in answer(app)


ANSWERS: dict[str, tuple[str, int, int, str, list[int]]] = {
    "e|s": ("why does e+s not merge?", 5, 4, "to merge 1", [9, 9, 0, 0]),
    "": ("why", 2, 0, "", []),
    "lowest": ("why is lowest not one token?", 10, 9, "to merge 4", []),
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
            if chart.display and chart.figure is not None:
                assert (chart.at, [*chart.figure.ys]) == (5, counts)
                assert [*chart.figure.xs] == [0, 1, 1, 7]
        await pilot.resize_terminal(60, 20)
        for typed, seen in (("lowestwidestnewer", (13, 0, 27)), ("s|t", (5, 0, 4))):
            window.query_one(Input).value = typed
            assert await heights() == seen
        window.post_message(Chart.Sought(chart, 2.6, is_drag=False))
        await until(pilot, lambda: step(app) == 3)
