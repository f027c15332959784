"""Tokens over their ids: the visible lines equal those of the whole text."""

from __future__ import annotations

import pytest
from opening import SAMPLE, opened, session_of, until
from screen_text import encoding
from textual.widgets import TextArea

from bpe_tui.bpe.training_screen import EncodedText
from bpe_tui.panels import encoding_screen, training_panels
from bpe_tui.panels.training_panels import over_ids
from bpe_tui.session.config import RunConfig
from bpe_tui.shell.panel import TokenPainter
from bpe_tui.widgets.rows import spans_width
from engine import Timeline, Trainer


@pytest.mark.parametrize("marks", [False, True])
def test_lines_break_at_the_same_places_as_if_all_were_made_at_once(marks: bool) -> None:
    frame = session_of(RunConfig(str(SAMPLE), vocab_size=400)).frame
    assert frame is not None
    painter = TokenPainter(frame.at(frame.recorded_steps), marks=marks)
    text = SAMPLE.read_text("utf-8")[:500] + "x" * 200
    words = [piece.ids for piece in painter.frame.encode(text)]
    for room in (76, 20, 9, 3):
        tokens = (each for ids in words for each in training_panels._over_ids(painter, ids))
        at_once = training_panels.over_labels(tokens, room)
        rows = over_ids(painter, words, room)
        assert list(rows) == at_once
        assert all(spans_width(row.spans) <= room for row in rows)
        text_shown = "".join(text.strip() for row in rows[1::2] for text, _ in row.spans)
        if room > 9:  # else an id is wider than its line
            assert text_shown == "".join(str(token_id) for ids in words for token_id in ids)


def test_the_tokens_of_a_long_word_are_made_once_for_all_its_rows(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    counts = {b"ab": 1}
    painter = TokenPainter(Timeline(counts, Trainer(counts, 256).steps()).frame, marks=False)
    made = []
    make = painter.units
    monkeypatch.setattr(painter, "units", lambda ids: (made.append(len(ids)), make(ids))[1])
    assert len(over_ids(painter, [[97] * 1000], 30)[:40]) == 40
    assert made == [1000]


@pytest.mark.slow  # a text of 100,000 characters
async def test_of_a_long_text_only_the_lines_in_sight_are_made(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made = []
    make = training_panels.over_labels
    monkeypatch.setattr(
        training_panels, "over_labels", lambda *given: (made.append(1), make(*given))[1]
    )
    async with opened() as (app, pilot):
        app.navigation.open_encoding(SAMPLE.read_text("utf-8")[:100_000])
        await pilot.pause()
        panel = app.screen.query_one(EncodedText)
        await until(pilot, lambda: panel.row_count > 1000)
        made.clear()
        app.screen.query_one(TextArea).move_cursor((0, 0))
        await pilot.press("x")
        await until(pilot, lambda: panel.text.startswith("x"))
        assert 0 < len(made) < 200


async def test_a_long_text_is_encoded_when_the_typing_pauses(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(encoding_screen, "LONG_TEXT", 5)
    async with encoding("") as (_, screen, pilot):
        panel, field = screen.query_one(EncodedText), screen.query_one(TextArea)
        for pause, typed in ((60, "lower"), (60, "lowers"), (0.001, "lowest")):
            monkeypatch.setattr(encoding_screen, "PAUSE_SECONDS", pause)
            field.load_text(typed)
            await until(pilot, lambda: screen.session.text == field.text)
            assert panel.text == "lower" or pause != 60
        await until(pilot, lambda: panel.text == "lowest")
