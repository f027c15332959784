"""The change log: any past state, always equal to a plain replay."""

import sys
import threading
from array import array
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from engine.recording.change_log import ChangeLog, GrowingArray

Step = list[tuple[int, int]]
"""(counter, its new value), in order."""


@st.composite
def logs(draw: st.DrawFn) -> tuple[list[int], list[Step]]:
    """Draw the counters at the start and the steps; a new counter has the next free number."""
    start = draw(st.lists(st.integers(0, 9), max_size=4))
    width = len(start)
    steps: list[Step] = []
    for _ in range(draw(st.integers(0, 12))):
        step: Step = []
        for _ in range(draw(st.integers(0, 5))):
            counter = draw(st.integers(0, width))
            width = max(width, counter + 1)
            step.append((counter, draw(st.integers(0, 9))))
        steps.append(step)
    return start, steps


def replay(start: list[int], steps: list[Step]) -> list[int]:
    """Return each state by applying the steps one after the other; the oracle."""
    state = list(start)
    for step in steps:
        for counter, value in step:
            state.extend([0] * (counter + 1 - len(state)))
            state[counter] = value
    return state


def append(log: ChangeLog, step: Step, width: int) -> None:
    log.append([counter for counter, _ in step], [value for _, value in step], width)


def written(start: list[int], steps: list[Step]) -> ChangeLog:
    """Return a log of these steps."""
    log = ChangeLog(start)
    for done, step in enumerate(steps, 1):
        append(log, step, len(replay(start, steps[:done])))
    return log


@given(logs(), st.data())
def test_any_state_in_any_order_equals_a_replay_and_the_changes_are_those_appended(
    log_of: tuple[list[int], list[Step]], data: st.DataObject
) -> None:
    start, steps = log_of
    log = written(start, steps)
    for wanted in data.draw(st.lists(st.integers(0, len(steps)), max_size=20)):
        assert log.at(wanted).tolist() == replay(start, steps[:wanted])
    assert [listed(log.changes(number)) for number in range(len(steps))] == steps


@given(logs(), st.data())
def test_a_history_has_the_start_and_all_that_set_the_counter_later(
    log_of: tuple[list[int], list[Step]], data: st.DataObject
) -> None:
    start, steps = log_of
    log = written(start, steps)
    until = data.draw(st.integers(0, len(steps)))
    since, counter = data.draw(st.integers(0, until)), data.draw(st.integers(0, 5))
    entries = [(c, n + 1, value) for n in range(since, until) for c, value in steps[n]]
    expected = [(0, start[counter])] if since == 0 and counter < len(start) else []
    expected += [(state, value) for each, state, value in entries if each == counter]
    assert listed(log.history(counter, until, since)) == expected
    assert listed(log.entries(since, until)) == entries


def listed(columns: tuple[Any, ...]) -> list[tuple[int, ...]]:
    return list(zip(*(column.tolist() for column in columns), strict=True))


def test_a_log_may_begin_at_any_step() -> None:
    log = ChangeLog([7, 8, 9], first=1)
    log.append([1], [2], 3)
    log.append([3, 0], [4, 6], 4)
    assert [log.at(step).tolist() for step in (1, 2, 3)] == [[7, 8, 9], [7, 2, 9], [6, 2, 9, 4]]
    assert listed(log.history(0, 3)) == [(1, 7), (3, 6)]
    assert listed(log.history(3, 3)) == [(3, 4)]
    assert listed(log.history(0, 3, since=2)) == [(3, 6)]
    assert log.differences(2) == [(3, 0, 4), (0, 7, 6)]
    assert (log.first, log.last) == (1, 3)
    with pytest.raises(IndexError):
        log.at(0)


def long_log(steps: int, seed: int = 0) -> tuple[ChangeLog, list[list[int]]]:
    """Return a log with far more entries than counters, and all its states."""
    dice = np.random.default_rng(seed)
    log, states = ChangeLog([0] * 8), [[0] * 8]
    for number in range(steps):
        width = len(states[-1])
        grown = [width] if number % 50 == 0 else []
        counters = [*dice.integers(0, width, 20).tolist(), *grown]
        values = dice.integers(0, 1000, len(counters)).tolist()
        states.append(replay(states[-1], [list(zip(counters, values, strict=True))]))
        log.append(counters, values, len(states[-1]))
    return log, states


ORDERS: dict[str, Callable[[int], list[int]]] = {
    "forward": lambda steps: list(range(steps + 1)),
    "backward": lambda steps: list(range(steps, -1, -1)),
    "to and fro": lambda steps: [k for i in range(steps // 2 + 1) for k in (i, steps - i)],
    "jumping": lambda steps: np.random.default_rng(1).integers(0, steps + 1, steps).tolist(),
    "again and again": lambda steps: [steps, steps // 2] * 9,
}


@pytest.mark.parametrize("order", ORDERS)
def test_checkpoints_change_no_answer(order: str) -> None:
    # 30,000 entries over at most 38 counters: any order makes the log store states.
    log, states = long_log(1500)
    for step in ORDERS[order](1500):
        assert log.at(step).tolist() == states[step], step


def test_a_state_belongs_to_its_caller_who_may_scribble_on_it() -> None:
    start = [5, 3]
    small = ChangeLog(start)
    start[0] = 6
    small.append([0], [1], 2)
    long, states = long_log(1500)  # it stores checkpoints
    for log, step, state in ((small, 0, [5, 3]), (small, 1, [1, 3]), (long, 1500, states[1500])):
        for _ in range(3):
            log.at(step)[:] = -1
        assert log.at(step).tolist() == state


def test_one_thread_may_read_while_another_appends() -> None:
    steps, width = 20_000, 7
    log = ChangeLog([0] * width)
    done = 0

    def write() -> None:
        nonlocal done
        for number in range(steps):
            log.append([number % width], [number + 1], width)
            done = number + 1

    def expected(step: int) -> list[int]:
        """Counter c was last set by the last step below `step` that is c modulo the width."""
        last = [step - 1 - (step - 1 - c) % width for c in range(width)]
        return [number + 1 if number >= 0 else 0 for number in last]

    writer = threading.Thread(target=write)
    writer.start()
    dice = np.random.default_rng(2)
    alive = True
    while alive:
        alive = writer.is_alive()
        for step in {done, done // 2, int(dice.integers(0, done + 1))}:
            assert log.at(step).tolist() == expected(step), step
    writer.join()
    assert done == steps


@pytest.fixture
def hasty_switches() -> Iterator[None]:
    """Switch between threads as often as Python can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("hasty_switches")
def test_readers_never_shift_the_ends_of_steps_that_are_appended() -> None:
    steps = 60_000
    log, entry = ChangeLog([0]), array("q", [0])
    is_done = threading.Event()

    def read() -> None:
        while not is_done.is_set():
            log.at(0)
            log.changes(0)

    log.append(array("i", [0]), entry, 1)
    readers = [threading.Thread(target=read) for _ in range(2)]
    for reader in readers:
        reader.start()
    for _ in range(1, steps):
        log.append(array("i", [0]), entry, 1)
    is_done.set()
    for reader in readers:
        reader.join()
    _, states, _ = log.entries(0, steps)
    assert states.tolist() == list(range(1, steps + 1))


class TestAColumn:
    @example(parts=[[1], list(range(1000))])
    @given(st.lists(st.lists(st.integers(-(2**62), 2**62), max_size=300), max_size=5))
    def test_is_a_list_that_only_grows(self, parts: list[list[int]]) -> None:
        column, plain = GrowingArray("q"), []
        for part in parts:
            column.extend(part)
            plain.extend(part)
            assert len(column) == len(plain)
            assert column.view(0, len(column)).tolist() == plain

    def test_a_view_keeps_its_values_when_the_column_grows(self) -> None:
        column = GrowingArray("i")
        column.extend([1, 2])
        view = column.view(0, 2)
        for value in range(1000):
            column.extend([value])
        assert view.tolist() == [1, 2]
        assert column.view(1000, 1002).tolist() == [998, 999]

    def test_takes_an_array_as_it_takes_a_list(self) -> None:
        column = GrowingArray("i")
        column.extend(np.array([1, 2]))
        column.extend(array("i", [3]))
        column.extend([4])
        assert (column.view(0, 4).tolist(), column.nbytes) == ([1, 2, 3, 4], 16)


@pytest.mark.parametrize("step", [-1, 2, 100])
def test_a_step_that_is_not_written_is_an_index_error(step: int) -> None:
    log = ChangeLog([5, 3])
    log.append([0], [1], 2)
    # A counter has 4 bytes, its value 8; each of two states has an end and a width.
    assert (log.last, log.nbytes) == (1, 4 + 8 + 2 * (8 + 8))
    for read, last in ((log.at, 1), (log.changes, 0), (partial(log.history, 0), 1)):
        with pytest.raises(IndexError, match=f"step {step} is not among those from 0 to {last}"):
            read(step)
