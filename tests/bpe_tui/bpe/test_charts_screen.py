"""The charts screen: the curves of the run under the timeline's cursor."""

from __future__ import annotations

from collections import Counter
from itertools import product
from pathlib import Path

import pytest
from opening import each_size, opened, step, until
from screen_text import drawn

from bpe_tui.bpe.summary_screens import CHARTS
from bpe_tui.views.charts import ChartPanel, ChartsScreen, FrequentPanel, GainsPanel, distance
from bpe_tui.views.panel import BORDER_CELLS, FramePanel
from bpe_tui.views.targets import ToStep
from bpe_tui.views.wording import Wording
from bpe_tui.widgets.visible import width
from engine import Timeline, Trainer
from engine.bpe.replay import Replay
from engine.recording.playback import MergeFrame


async def test_a_key_shows_all_charts_and_what_each_says_here() -> None:
    async with opened() as (app, pilot):
        await pilot.press("4")
        await pilot.pause()
        assert isinstance(app.screen, ChartsScreen)
        app.seek(443)
        shown_text = {
            panel.id: str(panel.border_subtitle) for panel in app.screen.query(ChartPanel)
        }
        frame = app.session.frame
        assert frame is not None
        assert shown_text.keys() == {kind.id for kind in CHARTS}
        for kind in CHARTS:  # where there is little room, its first parts
            assert shown_text[kind.id]
            assert kind.answer(frame, Wording()).startswith(shown_text[kind.id])
        assert shown_text["compression"].startswith(f"{frame.bytes_per_token:.2f} bytes per token")
        assert "1,000 ┤" in drawn(app.screen.query_one("#counts", ChartPanel))
        bars = app.screen.query_one("#lengths", ChartPanel).figure
        assert bars is not None
        lengths = Counter(map(len, frame.vocabulary.table.tokens))
        del lengths[len("<|endoftext|>")]  # longer than the axis, which the answer says
        assert dict(zip(bars.xs.tolist(), bars.ys.tolist(), strict=True)) == {9: 0} | lengths


async def test_a_chart_has_the_cursor_of_the_timeline_and_a_click_goes_to_its_step() -> None:
    async with opened() as (app, pilot):
        await pilot.press("4")
        await pilot.pause()
        chart = app.screen.query_one("#ties", ChartPanel)
        await pilot.click(chart, offset=(chart.outer_size.width - 2, 5))
        assert step(app) == 443
        await pilot.click("#zipf", offset=(12, 5))
        assert step(app) == 443
        app.seek(0)
        await pilot.press("4", "right")
        chart = app.screen.query_one("#compression", ChartPanel)
        assert chart.at == step(app) == 1
        before = drawn(chart).splitlines()[-2].index("▲")
        await pilot.press("end")
        await pilot.pause()
        assert drawn(chart).splitlines()[-2].index("▲") > before


@pytest.mark.slow  # a walk over sizes
async def test_on_a_small_screen_tab_goes_from_chart_to_chart() -> None:
    async with opened() as (app, pilot):
        await pilot.press("4")
        assert isinstance(app.screen, ChartsScreen)
        async for _ in each_size(pilot, [(80, 24), (60, 20)]):
            for panel in [*app.screen.PANEL_ORDER[1:], app.screen.PANEL_ORDER[0]]:
                await pilot.press("tab")
                await pilot.pause()
                seen = [each for each in app.screen.query(".panel") if each.region.area]
                assert [each.id for each in seen] == [panel]
                if isinstance(seen[0], ChartPanel):
                    assert "┤" in drawn(seen[0])


@pytest.mark.slow
async def test_escape_leaves_a_zoom_and_stays_where_a_digit_has_led() -> None:
    async with opened() as (app, pilot):
        await pilot.press("4", "z", "escape")
        assert isinstance(app.screen, ChartsScreen)
        await pilot.press("escape")
        assert isinstance(app.screen, ChartsScreen)
        assert app.notices.now.startswith("Nothing to go back to")


@pytest.mark.slow
async def test_without_a_merge_the_charts_say_so(tmp_path: Path) -> None:
    corpus = tmp_path / "one.txt"
    corpus.write_text("a")
    async with opened(corpus) as (app, pilot):
        await pilot.press("4")
        await pilot.pause()
        assert "No step is recorded" in drawn(app.screen.query_one("#ties", ChartPanel))
        assert "┤" in drawn(app.screen.query_one("#lengths", ChartPanel))


def test_without_a_corpus_charts_of_counts_are_empty() -> None:
    counts = {b"low": 5, b"lower": 2}
    counted = Timeline(counts, Trainer(counts, 258).steps()).frame
    assert all(kind.figure(counted) is not None for kind in CHARTS)
    tokenizer = counted.at(2).tokenizer()
    replay = Replay(tokenizer, Counter())
    replay.timeline.extend(replay.steps())
    drawn = [kind.id for kind in CHARTS if kind.figure(replay.timeline.frame) is not None]
    assert drawn == ["lengths"]


# -- what merges buy


async def test_the_table_has_the_tokens_that_further_merges_save() -> None:
    async with opened(size=(160, 50), vocab_size=330) as (app, pilot):
        await pilot.press("4", "tab")
        await pilot.pause()
        shown, panel = app.session.shown, app.screen.query_one(GainsPanel)
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


def test_each_row_of_the_table_states_its_number_of_merges() -> None:
    for steps, rows in product((1, 3, 12, 443, 2_743, 50_001), (-2, 5, 22, 60)):
        apart = distance(steps, rows)
        assert apart <= 1000
        assert set(str(apart)) <= set("0125")
        assert steps <= apart * rows or apart == 1000


async def test_the_most_frequent_pretokens_are_in_a_table_and_lead_to_their_encoding() -> None:
    async with opened() as (app, pilot):
        await pilot.press("end", "4")
        await pilot.pause()
        frame = app.session.frame
        assert frame is not None
        panel = app.screen.query_one(FrequentPanel)
        expected = Counter(frame.counts).most_common()
        assert panel.row_count == 200
        lines = ["".join(text for text, _ in panel.row(place).spans) for place in range(3)]
        counts = [int(line.split()[1].replace(",", "")) for line in lines]
        assert counts == [count for _, count in expected[:3]]
        # By hand: `·the` occurs 1,754 times among 38,604 pretokens.
        assert lines[1].split() == ["2", "1,754", "4.5%", "·the"]
        head = "".join(text for text, _ in panel.head)
        assert head.split() == ["count", "share", "pretoken"]
        assert head.index("pretoken") == lines[1].index("·the")
        panel.focus()
        await pilot.press("z")
        await until(pilot, lambda: panel.row_count == len(expected))
        await pilot.press("down", "enter")
        await until(pilot, lambda: app.screen.id == "encoding")
        assert app.session.text == " the"


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
