"""Steps as Markdown and as lines of JSON."""

from __future__ import annotations

import json
import re

from hypothesis import given
from hypothesis import strategies as st

from engine import Timeline, Trainer
from engine.bpe.report import markdown, step_markdown
from engine.core.gpt2_bytes import spell
from engine.recording.report import code, json_lines

LECTURE = {b"low": 5, b"lower": 2, b"widest": 3, b"newest": 6}


def timeline_of(counts: dict[bytes, int]) -> Timeline:
    return Timeline(counts, Trainer(counts, 300).steps())


def test_a_step_is_told_with_its_tie_its_changes_and_its_pretokens() -> None:
    report = step_markdown(timeline_of(LECTURE).seek(1))
    assert report.splitlines()[0] == "## Merge 1: `s` + `t` → `st`"
    assert "- side by side 9 times, in 2 pretokens" in report
    assert "- tied with `e` + `s`" in report
    assert "- tie rule lexicographic:" in report
    assert "- smallest-ids would take `e` + `s`" in report
    assert "| `e` + `s` | 9 | 0 |" in report
    assert "| `newest` | 6 | `n` `e` `w` `e` `s` `t` | `n` `e` `w` `e` `st` |" in report


def test_long_tables_say_how_much_they_leave_out() -> None:
    counts = {b"ab" + bytes([byte]): 1 for byte in range(100, 130)}
    report = step_markdown(timeline_of(counts).seek(1))
    assert "and 41 more" in report  # of 61 pairs
    assert "and 10 more" in report  # of 30 pretokens


def test_a_range_has_a_part_for_each_step() -> None:
    frame = timeline_of(LECTURE).frame
    report = "".join(markdown(frame, 2, 4))
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
def test_a_code_span_holds_any_token_in_one_line(token: bytes) -> None:
    fence = re.match("`+", code(token))
    assert fence is not None
    inside = code(token).removeprefix(fence[0]).removesuffix(fence[0])
    assert inside.strip(" ") == spell(token)
    assert fence[0] not in re.findall("`+", inside)


def test_a_bar_in_a_token_does_not_end_a_cell() -> None:
    row = next(
        line
        for line in step_markdown(timeline_of({b"||": 2}).seek(1)).splitlines()
        if "2 | 0" in line
    )
    assert row == "| `\\|` + `\\|` | 2 | 0 |"
