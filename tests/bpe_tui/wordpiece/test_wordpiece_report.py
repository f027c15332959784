"""Steps of a WordPiece training as Markdown and as lines of JSON."""

from __future__ import annotations

import json
import re

from bpe_tui.views.report import json_lines, markdown, step_markdown
from bpe_tui.wordpiece.narration import report_step
from engine.wordpiece.frame import WordPieceTimeline
from engine.wordpiece.trainer import WordPieceTrainer

COURSE = {b"hug": 10, b"pug": 5, b"pun": 12, b"bun": 4, b"hugs": 5}


def timeline_of(counts: dict[bytes, int]) -> WordPieceTimeline:
    trainer = WordPieceTrainer(counts, 200)
    return WordPieceTimeline(trainer.record, trainer.steps())


def test_a_step_has_its_score_its_changes_and_its_words() -> None:
    report = step_markdown(report_step(timeline_of(COURSE).seek(1)))
    assert report.splitlines()[0] == "## Merge 1: ##g and ##s → ##gs"
    assert "Its score is 5 / (20 × 5) = 0.05" in report
    assert "By count alone, as BPE chooses, ##u and ##g would have merged, 20 / (36 × 20)" in report
    assert "| ##g | 20 | 15 |" in report
    assert "| ##u and ##g | 20 | 15 |" in report
    assert "| hugs | 5 | h ##u ##g ##s | h ##u ##gs |" in report


def test_the_score_of_every_step_is_the_frame_s() -> None:
    timeline = timeline_of(COURSE)
    report = "".join(markdown("WordPiece", report_step, timeline.frame, 1, len(timeline)))
    scores = [str(timeline.record[index].score) for index in range(len(timeline))]
    assert re.findall(r"Its score is (.*) =", report) == scores
    tied = [len(timeline.record[index].tied) > 1 for index in range(len(timeline))]
    parts = report.split("## Merge")[1:]
    assert ["The same score had" in part for part in parts] == tied


def test_a_line_of_json_is_the_step_as_plain_values() -> None:
    timeline = timeline_of(COURSE)
    lines = list(json_lines(timeline.frame, 1, 3))
    assert [json.loads(line) for line in lines] == [
        timeline.record[index].as_dict() for index in range(3)
    ]
