"""A breakpoint stops at exactly the steps that meet its condition."""

from collections.abc import Callable, Mapping

import pytest
from sheets import check_sheet, refusal
from tiny_tokenizers import LOW, timeline_of

from engine import MergeStep, Timeline, Trainer
from engine.analysis.breakpoint_list import BreakpointList
from engine.analysis.breakpoints import EXAMPLES, parse


def stops(line: str, counts: Mapping[bytes, int]) -> list[int]:
    breakpoints, timeline = BreakpointList(), timeline_of(counts)
    breakpoints.add(line)
    assert breakpoints.examine(timeline, seconds=60) == len(timeline)
    return breakpoints.hits()


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("tie", lambda step: len(step.tied) > 1),
        ("len >= 3", lambda step: len(step.left) + len(step.right) >= 3),
        ("step 3", lambda step: step.index == 2),
    ],
)
def test_each_kind_stops_where_its_condition_is_true(
    line: str, says: Callable[[MergeStep], bool]
) -> None:
    steps = [step.index + 1 for step in Trainer(LOW, 280).steps() if says(step)]
    assert stops(line, LOW) == steps != []


def test_a_count_falls_below_a_limit_only_once() -> None:
    counts = [step.count for step in Trainer(LOW, 280).steps()]
    first = next(index for index, count in enumerate(counts, 1) if count < 6)
    assert stops("count<6", LOW) == [first]
    assert stops(f"count<{counts[0] + 1}", LOW) == [1]


@pytest.mark.parametrize("example", EXAMPLES)
def test_every_example_is_read_and_written_back(example: str) -> None:
    assert str(parse(f" {example} ")) == example


def test_what_is_no_breakpoint_is_refused_with_examples() -> None:
    lines = ("", "count<", "count<-5", "step 0", "token a")
    check_sheet("errors/breakpoints", (refusal(parse, line) for line in lines))
    assert str(parse("count<1")) == "count<1"


def test_a_search_in_slices_finds_the_same_as_one_search() -> None:
    timeline, sliced = timeline_of(LOW), BreakpointList()
    for line in ("tie", "len>=4"):
        sliced.add(line)
    # No time at all: not a single merge is looked at.
    assert sliced.examine(timeline, seconds=-1) == 0
    assert sliced.next_hit(0) is None
    sliced.examine(timeline, seconds=60)
    assert sliced.hits() == sorted({*stops("tie", LOW), *stops("len>=4", LOW)})


def test_steps_recorded_later_are_examined_later() -> None:
    steps = list(Trainer(LOW, 262).steps())
    timeline = Timeline(LOW, steps[:2])
    breakpoints = BreakpointList()
    breakpoints.add("len>=4")
    breakpoints.examine(timeline, seconds=60)
    assert breakpoints.next_hit(0) is None
    timeline.extend(steps[2:])
    breakpoints.examine(timeline, seconds=60)
    assert breakpoints.next_hit(0) == (stops("len>=4", LOW)[0], parse("len>=4"))


def test_a_breakpoint_added_twice_is_one_and_a_removed_one_stops_nothing() -> None:
    breakpoints, timeline = BreakpointList(), timeline_of(LOW)
    breakpoints.add("len>=4")
    breakpoints.add("count<6")
    breakpoints.add("len >= 4")
    breakpoints.examine(timeline, seconds=60)
    assert breakpoints.hits() == sorted({*stops("len>=4", LOW), *stops("count<6", LOW)})
    del breakpoints.watched[0]
    breakpoints.examine(timeline, seconds=60)
    assert breakpoints.hits() == stops("count<6", LOW)
    breakpoints.restart()
    assert breakpoints.hits() == []
