"""The marks of the current merge: `a+b` before it joins, in a text that moves only if it must."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from edges import edged
from opening import opened, opened_as
from textual import events

from bpe_tui.panels.corpus import CorpusPlace, ExcerptPanel, flowed, has_role
from bpe_tui.session.config import RunConfig
from bpe_tui.shell.panel import FRESH_ROLES, TokenPainter
from bpe_tui.widgets.rows import Span, subject_cells
from bpe_tui.widgets.visible import visible_bytes
from engine import Timeline, Trainer


def fresh_row(panel: ExcerptPanel) -> int:
    """Return the first row of the panel with the token that the step made."""
    rows = map(panel.row, range(panel.row_count))
    return next(at for at, row in enumerate(rows) if has_role(row, FRESH_ROLES))


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


def test_a_word_is_broken_only_as_far_as_its_rows_are_asked_for() -> None:
    taken = []

    def spans() -> Iterator[Span]:
        for letter in "abcdefgh":
            taken.append(letter)
            yield letter, ""

    broken: Any = [(spans(), 8)]
    assert [row.spans for row in islice(flowed(broken, 2), 2)] == [
        [("a", ""), ("b", "")],
        [("c", ""), ("d", "")],
    ]
    assert "".join(taken) == "abcdefg"


async def test_the_text_stays_while_the_merge_is_in_sight(tmp_path: Path) -> None:
    """It moves to a merge out of sight, which is then a third from the top."""
    corpus = tmp_path / "corpus.txt"
    lines = ["low low low", *["a"] * 20, "it it", *["a"] * 20, "low it"]
    corpus.write_text("\n".join(lines))
    config = RunConfig(str(corpus), pattern="whitespace", vocab_size=260)
    async with opened_as(config, (80, 24)) as (app, pilot):
        panel = app.screen.query_one(ExcerptPanel)
        seen = []
        for key in ("right", "right", "right", "left", "left"):
            await pilot.press(key)
            seen.append((app.session.shown.step, panel.top.line, fresh_row(panel)))  # type: ignore[union-attr]
        assert seen == [(1, 0, 0), (2, 0, 0), (3, 20, 1), (2, 0, 0), (1, 0, 0)]
        panel.action_move(1)
        panel.action_move(-1)  # at its beginning again, it follows as before
        await pilot.press("right", "right")
        assert panel.top.line == 20
        row = panel.row(0)
        panel.pointed = len(subject_cells(row.spans))  # at a token that the row has no more
        assert panel.foot_at(row) == "lines 21–24 of 43"


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
        last = len(app.session.shown.excerpt.lines) - 1  # type: ignore[union-attr]
        for by in (last, 1):
            panel.action_move(by)
            assert panel.top == CorpusPlace(last, 0)
        await pilot.press("right")
        assert panel.top == CorpusPlace(last, 0)  # the reader has scrolled
        app.seek(0)
        assert panel.top == CorpusPlace(0, 0)
        panel.show_line(2)
        await pilot.press("right")
        assert panel.top == CorpusPlace(2, 0)
