"""The marks of the current merge: `a+b` before it joins, in a text that does not move."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from edges import edged
from generated import first_quick
from opening import opened, opened_as
from textual import events
from textual.widgets import Input

from bpe_tui.session.config import RunConfig
from bpe_tui.views.corpus import CorpusPlace, ExcerptPanel
from bpe_tui.views.panel import FRESH_ROLES, JOINING_ROLES, TokenPainter
from bpe_tui.views.training_panels import TypedTextPanel
from bpe_tui.widgets.lines import Lines
from bpe_tui.widgets.rows import Span
from bpe_tui.widgets.visible import visible_bytes
from engine import Timeline, Trainer

MODELS = ("bpe", "wordpiece")


def spans_of(panel: Lines) -> Iterator[Span]:
    for index in range(min(panel.row_count, panel.size.height)):
        yield from panel.row(index).spans


def text_of(panel: Lines) -> list[str]:
    rows = (panel.row(index) for index in range(min(panel.row_count, panel.size.height)))
    return [edged(row.spans) for row in rows]


def plain_of(panel: Lines) -> list[str]:
    rows = (panel.row(index) for index in range(min(panel.row_count, panel.size.height)))
    return ["".join(text for text, _ in row.spans) for row in rows]


def test_a_pair_joins_from_left_to_right() -> None:
    """Removing each `+` gives the tokens after the merge, for every step and pretoken."""
    counts = {b"aaaaa": 3, b"abaab": 2, b"a": 1}
    timeline = Timeline(counts, Trainer(counts, 262).steps())
    timeline.complete()
    for step in range(timeline.frame.recorded_steps):
        now, then = timeline.frame.at(step), timeline.frame.at(step + 1)
        painter = TokenPainter(now, marks=True)
        painter.joining, painter.fresh = now.next_pair, -1
        for pretoken in counts:
            text = edged(painter.tokens(now.tokens_of(pretoken)))
            after = "┊".join(visible_bytes(then.token(t)) for t in then.tokens_of(pretoken))
            assert text.replace("+", "") == after


@pytest.mark.parametrize("model", first_quick(MODELS))
@pytest.mark.parametrize("colourless", first_quick([False, True]))
async def test_the_next_merge_is_marked_without_extra_cells(
    model: str, colourless: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if colourless:
        monkeypatch.setenv("NO_COLOR", "1")
    async with opened(model=model) as (app, pilot):
        await pilot.press("e")
        app.screen.query_one("#encode-input", Input).value = "the other hen and the other cat"
        await pilot.press("escape")
        marked = 0
        for _ in range(6):
            await pilot.press("right")
            for kind in (ExcerptPanel, TypedTextPanel):
                panel = app.screen.query_one(kind)
                with_marks = text_of(panel)
                marked += sum(span[1] in JOINING_ROLES for span in spans_of(panel))
                panel.MARKS_NEXT = False  # type: ignore[misc]
                panel.rebuild()
                without = text_of(panel)
                panel.MARKS_NEXT = True  # type: ignore[misc]
                assert [row.replace("+", "┊") for row in with_marks] == without
        assert marked


async def test_a_merge_deep_in_a_long_line_becomes_visible(tmp_path: Path) -> None:
    """A line of the corpus may have more rows than the panel."""
    corpus = tmp_path / "one_line.txt"
    corpus.write_text("low " * 150 + "zigzag zigzag")
    config = RunConfig(str(corpus), pattern="whitespace", vocab_size=262)
    async with opened_as(config, size=(80, 24)) as (app, pilot):
        panel = app.screen.query_one(ExcerptPanel)
        await pilot.press("end")
        assert app.session.frame.merge.token == b"zigz"  # type: ignore[union-attr]
        assert any(role in FRESH_ROLES for _, role in spans_of(panel))


async def test_the_corpus_scrolls_by_keys_and_wheel() -> None:
    async with opened(size=(100, 30)) as (app, pilot):
        panel = app.screen.query_one(ExcerptPanel)
        assert app.focused is panel
        tops = []
        for key in ("down", "down", "up"):
            await pilot.press(key)
            tops.append(panel.top)
        for kind in (events.MouseScrollDown, events.MouseScrollUp, events.MouseScrollUp):
            panel.post_message(kind(panel, 5, 5, 0, 0, 0, False, False, False))
            await pilot.pause()
            tops.append(panel.top)
        assert tops == [CorpusPlace(line, 0) for line in (1, 2, 1, 4, 1, 0)]
