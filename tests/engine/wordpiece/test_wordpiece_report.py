"""Steps of a WordPiece training as Markdown and as lines of JSON."""

from __future__ import annotations

import json
import re

from hypothesis import given
from hypothesis import strategies as st
from test_wordpiece_timeline import COURSE, timeline_of

from engine.recording.report import json_lines
from engine.wordpiece.report import code, markdown, step_markdown


def test_a_step_is_told_with_its_score_its_changes_and_its_words() -> None:
    report = step_markdown(timeline_of(COURSE).seek(1))
    assert report.splitlines()[0] == "## Merge 1: `##g` + `##s` → `##gs`"
    assert "- score 5 / (20 · 5) = 0.05" in report
    assert "- by count alone it would have been `##u` + `##g`: 20 / (36 · 20)" in report
    assert "| `##g` | 20 | 15 |" in report
    assert "| `##u` + `##g` | 20 | 15 |" in report
    assert "| `hugs` | 5 | `h` `##u` `##g` `##s` | `h` `##u` `##gs` |" in report


def test_the_score_of_every_step_is_the_frame_s() -> None:
    timeline = timeline_of(COURSE)
    report = "".join(markdown(timeline.frame, 1, len(timeline)))
    scores = [str(timeline.record[index].score) for index in range(len(timeline))]
    assert re.findall(r"- score (.*) =", report) == scores
    tied = [len(timeline.record[index].tied) > 1 for index in range(len(timeline))]
    parts = report.split("## Merge")[1:]
    assert ["the same score had" in part for part in parts] == tied


def test_a_line_of_json_is_the_step_as_plain_values() -> None:
    timeline = timeline_of(COURSE)
    lines = list(json_lines(timeline.frame, 1, 3))
    assert [json.loads(line) for line in lines] == [
        timeline.record[index].as_dict() for index in range(3)
    ]


@given(piece=st.text(min_size=1).map(lambda text: text.encode("utf-8", "surrogatepass")))
def test_a_code_span_is_one_line_that_can_be_printed(piece: bytes) -> None:
    assert code(piece).isprintable()
