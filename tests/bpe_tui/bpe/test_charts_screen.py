"""The charts and the inspection of the timeline's step."""

from collections import Counter
from pathlib import Path
from threading import enumerate

import pytest
from opening import SAMPLE, each_size, frame_of, opened, opened_as, step, until
from screen_text import row_texts, shown_text

from bpe_tui.panels import inspection_screen
from bpe_tui.panels.charts import ChartPanel, FrequentPanel, GainsPanel
from bpe_tui.panels.inspection_screen import InspectionPanel
from bpe_tui.session.config import TokenizerConfig
from bpe_tui.shell.panel import BORDER_CELLS, FramePanel
from bpe_tui.shell.targets import ToStep
from bpe_tui.widgets.visible import width
from engine import Tokenizer
from engine.recording.playback import MergeFrame


async def test_a_click_on_a_chart_over_steps_goes_to_its_step() -> None:
    async with opened() as (app, pilot):
        await pilot.press("4")
        chart = app.screen.query_one("#counts", ChartPanel)
        chart.focus()  # as a first click does
        await pilot.click(chart, offset=(chart.outer_size.width - 2, 5))
        assert step(app) == 443
        await pilot.click("#zipf", offset=(12, 5))
        assert step(app) == 443


# -- what merges buy


@pytest.mark.slow
async def test_the_table_has_the_tokens_that_further_merges_save() -> None:
    async with opened(size=(160, 50), vocab_size=330) as (app, pilot):
        await pilot.press("4", "tab")
        shown, panel = app.session.shown, app.screen.query_one(GainsPanel)
        assert panel.cursor == 1  # under the titles
        assert isinstance(shown, MergeFrame)
        before = None
        for row in map(panel.row, range(1, panel.row_count)):
            assert isinstance(row.target, ToStep)
            there = shown.at(row.target.step)
            tokens = sum(len(there.tokens_of(word)) * n for word, n in shown.run.counts.items())
            text = "".join(text for text, _ in row.spans).replace("▸", "").split()
            assert (text[0], text[2]) == (f"{there.step:,}", f"{tokens:,}")
            assert before is None or text[3] == f"{before - tokens:,}"
            before = tokens
        assert before is not None


@pytest.mark.slow
async def test_the_most_frequent_pretokens_are_in_a_table_and_lead_to_their_encoding() -> None:
    async with opened() as (app, pilot):
        await pilot.press("end", "2", "w", "escape", "4")
        frame = frame_of(app)
        panel = app.screen.query_one(FrequentPanel)
        expected = Counter(frame.counts).most_common()
        assert panel.row_count == 200
        lines = row_texts(panel)[:3]
        counts = [int(line.split()[1].replace(",", "")) for line in lines]
        assert counts == [count for _, count in expected[:3]]
        panel.focus()
        await pilot.press("z")
        await until(pilot, lambda: panel.row_count == len(expected))
        await pilot.press("down", "enter")
        await until(pilot, lambda: app.screen.id == "encoding")
        assert app.session.text == " the"
        await until(pilot, lambda: app.focused and app.focused.id == "pretokens")
        await pilot.press("tab", "4", "enter")
        await until(pilot, lambda: app.screen.id == "encoding")
        assert app.focused is app.screen.query_one("#pretokens")


@pytest.mark.slow  # a walk over sizes
@pytest.mark.parametrize("model", ["bpe", "wordpiece", "unigram"])
async def test_every_title_of_the_charts_is_a_question_in_full(model: str) -> None:
    async with opened(model=model) as (app, pilot):
        await pilot.press("4")
        async for _ in each_size(pilot, [(160, 50), (120, 40), (100, 32), (60, 20)]):
            await pilot.pause()
            panels = [*app.screen.query(ChartPanel), *app.screen.query(FramePanel)]
            for panel in panels:
                title = str(panel.border_title)
                assert "?" in title
                assert not panel.display or width(title) + BORDER_CELLS <= panel.outer_size.width


HANDOUT = SAMPLE.with_name("handout.txt")


async def test_a_large_screen_shows_as_many_tokens_of_each_kind_as_it_has_rows_for() -> None:
    async with opened(HANDOUT, size=(160, 52)) as (app, pilot):
        await pilot.press("5")
        panel = app.screen.query_one("#kinds", InspectionPanel)
        few, more = (len(panel._section.rows(panel.inspection, panel.room, n)) for n in (1, 2))
        for height, rows in ((more, more), (more - 1, few)):
            panel.styles.height = height + 2
            await until(pilot, lambda: panel.size.height == height)  # noqa: B023
            assert panel.row_count == rows
        app.screen.query_one("#longest").focus()
        await pilot.press("z")
        assert len(shown_text(app, "longest")) == 257  # all of them, under a sentence


@pytest.mark.slow
async def test_many_tokens_are_inspected_in_a_thread_of_the_last_step_only(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(inspection_screen, "AT_ONCE", 0)
    async with opened(HANDOUT) as (app, pilot):
        await pilot.press("5")
        panel = app.screen.query_one("#overview", InspectionPanel)
        await until(pilot, lambda: panel.inspection is not None)
        assert shown_text(app, "overview")[0] == "tokens 257"
        app.seek(3)
        assert shown_text(app, "overview")[0] == "Looking at 260 tokens …"
        monkeypatch.setattr(inspection_screen, "AT_ONCE", 263)
        app.seek(6)
        await until(pilot, lambda: all(each.name != "inspection" for each in enumerate()))
        await pilot.pause()
        assert panel.inspection
        assert panel.inspection.size == 263


@pytest.mark.slow
async def test_an_opened_tokenizer_says_its_format_and_what_was_guessed(tmp_path: Path) -> None:
    vocab = {byte: bytes([byte]) for byte in range(256)} | {256: b"he"}
    Tokenizer(vocab, [(b"h", b"e")]).save(tmp_path / "tok")
    (tmp_path / "tok" / "bpe-tui.json").unlink()
    async with opened_as(TokenizerConfig((str(tmp_path / "tok"),))) as (app, pilot):
        await pilot.press("escape", "5")
        assert shown_text(app, "overview")[0] == "format gpt2"
        everything = " ".join(shown_text(app, "overview"))
        assert "note the files name no pattern; GPT-2's is taken;" in everything
