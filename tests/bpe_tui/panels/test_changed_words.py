"""In the words before and after a step, what the step changes is in sight."""

from __future__ import annotations

import re
from collections import Counter
from itertools import zip_longest

import pytest
from generated import first_quick

from bpe_tui.panels.training_panels import before_after
from bpe_tui.shell.panel import TokenPainter
from bpe_tui.widgets.rows import CHIPS_MEET, Span, looks_of, plain_text
from bpe_tui.widgets.visible import width
from engine import Timeline, Trainer

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
