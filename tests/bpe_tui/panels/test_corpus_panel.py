"""The corpus panel, and the words before and after a step."""

import re
from collections import Counter
from collections.abc import Iterator
from itertools import islice, zip_longest
from pathlib import Path
from typing import Any

import pytest
from edges import edged
from generated import first_quick
from opening import opened, opened_as
from textual import events

from bpe_tui.panels.corpus import CorpusPlace, ExcerptPanel, flowed, has_role
from bpe_tui.panels.training_panels import before_after
from bpe_tui.session.config import RunConfig
from bpe_tui.shell.panel import FRESH_ROLES, TokenPainter
from bpe_tui.widgets.rows import CHIPS_MEET, Span, looks_of, plain_text, subject_cells
from bpe_tui.widgets.visible import visible_bytes, width
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


CHINESE = (
    "我们今天去了北京的故宫博物院，然后我们又去了天安门广场和人民大会堂。中华人民共和国成立七十周年庆祝大会"
    "在北京隆重举行，人民大会堂里坐满了人。我们的学生们都喜欢自然语言处理和人工智能，他们的老师们也喜欢。"
)
ENGLISH = "the lowest newcomers of unbelievable strawberries, the newest of the widest lowlands. "


def looks(spans: list[Span]) -> list[str]:
    return [looks_of(span) for span in spans if span == CHIPS_MEET or span[0].strip(" …")]


@pytest.mark.parametrize("text", first_quick([CHINESE, ENGLISH]))
def test_the_change_is_in_sight_whatever_the_room(text: str) -> None:
    counts = dict(Counter(word.encode() for word in re.findall(r" ?\w+|\W", text * 3)))
    run = Timeline(counts, Trainer(counts, 256 + 90).steps())
    run.complete()
    for step in range(1, len(run) + 1, 4):
        frame = run.seek(step)
        merge = frame.merge
        assert merge is not None
        before, after = TokenPainter(frame, marks=False), TokenPainter(frame, marks=False)
        before.joining = merge.pair
        for word in frame.affected(6):
            for cells in (13, 20):
                was, now = before.tokens(word.before), after.tokens(word.after)
                row = before_after(word.count, 1, was, now, cells, cells)
                arrow = next(place for place, span in enumerate(row) if span[0] == " → ")
                shown = looks(row[2:arrow]), looks(row[arrow + 1 :])
                assert shown[0] != shown[1], (step, cells, plain_text(row))
                made = next(new for old, new in zip_longest(looks(was), looks(now)) if old != new)
                if made and made.strip() and width(made) < cells - 2:
                    assert made in shown[1], (step, cells, plain_text(row), made)
