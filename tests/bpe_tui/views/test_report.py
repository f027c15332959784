"""Steps as Markdown and as lines of JSON."""

from __future__ import annotations

import json
import re

from hypothesis import given
from hypothesis import strategies as st

from bpe_tui.bpe.narration import report_step
from bpe_tui.views.report import escaped, json_lines, markdown, step_markdown
from bpe_tui.widgets.visible import visible_bytes
from engine import Timeline, Trainer

LECTURE = {b"low": 5, b"lower": 2, b"widest": 3, b"newest": 6}


def timeline_of(counts: dict[bytes, int]) -> Timeline:
    return Timeline(counts, Trainer(counts, 300).steps())


def test_a_step_has_its_tie_its_changes_and_its_pretokens() -> None:
    report = step_markdown(report_step(timeline_of(LECTURE).seek(1)))
    assert report.splitlines()[0] == "## Merge 1: s and t → st"
    assert "s and t occurred together 9 times; they are one token now, st." in report
    assert "- The pair s and t merged, 9 times. It was tied with e and s." in report
    assert "Tie rule lexicographic (CS336): " in report
    assert "- The tie rule smallest-ids (rustbpe) would have merged e and s." in report
    assert "- Its id is 256. It is in 2 pretokens." in report
    assert "| e and s | 9 | 0 |" in report
    assert "| newest | 6 | n e w e s t | n e w e st |" in report


def test_a_long_table_ends_with_the_number_of_rows_that_it_leaves_out() -> None:
    counts = {b"ab" + bytes([byte]): 1 for byte in range(100, 130)}
    report = step_markdown(report_step(timeline_of(counts).seek(1)))
    assert "and 41 more" in report  # of 61 pairs
    assert "and 10 more" in report  # of 30 pretokens


def test_a_range_has_a_part_for_each_step() -> None:
    frame = timeline_of(LECTURE).frame
    report = "".join(markdown("Byte-pair encoding", report_step, frame, 2, 4))
    assert re.findall("## Merge (\\d+)", report) == ["2", "3", "4"]
    assert report.startswith("# Byte-pair encoding, steps 2 to 4 of")


def test_a_line_of_json_is_the_step_as_plain_values() -> None:
    timeline = timeline_of(LECTURE)
    lines = list(json_lines(timeline.frame, 1, 3))
    assert [json.loads(line) for line in lines] == [
        timeline.record[index].as_dict() for index in range(3)
    ]
    assert all(line.count("\n") == 1 and line.endswith("\n") for line in lines)


@given(token=st.binary(min_size=1, max_size=12))
def test_an_escaped_token_is_one_line_that_keeps_its_characters(token: bytes) -> None:
    shown = visible_bytes(token)
    assert len(escaped(shown).splitlines()) == 1
    assert re.sub(r"\\(.)", r"\1", escaped(shown)) == shown


def test_a_bar_in_a_token_does_not_end_a_cell() -> None:
    row = next(
        line
        for line in step_markdown(report_step(timeline_of({b"||": 2}).seek(1))).splitlines()
        if "2 | 0" in line
    )
    assert row == "| \\| and \\| | 2 | 0 |"
