"""The work of reading a file grows with its size, whichever of its lists is blown up."""

from __future__ import annotations

import sys
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from blown import BLOWN
from blown_files import MEGABYTE, read, seconds_of
from generated import some

START = 1 << 13
SLACK = 15_000
"""Calls that a file may take more whatever its size, such as those of a regex that is compiled."""


def calls(name: str, size: int, folder: Path) -> int:
    """Return the number of calls of functions that reading a file of a size takes."""
    paths = []
    for file, content in BLOWN[name](size).items():
        paths.append(folder / file)
        paths[-1].write_bytes(content)
    found = 0

    def count(_frame: FrameType, event: str, _value: Any) -> None:
        nonlocal found
        found += event in ("call", "c_call")

    sys.setprofile(count)
    try:
        _, outcome = read(name, paths)
    finally:
        sys.setprofile(None)
    assert "FAILS" not in outcome
    return found


@pytest.mark.parametrize("name", some(BLOWN, 20))
def test_twice_the_file_is_twice_the_work(name: str, tmp_path: Path) -> None:
    calls(name, START // 2, tmp_path)  # imports what it needs
    one, two, four = (calls(name, START * times, tmp_path) for times in (1, 2, 4))
    assert four - two <= 3.2 * abs(two - one) + SLACK  # 2 times if it grows evenly, 4 as a square


@pytest.mark.slow  # some hundred files of a megabyte; what Python's own functions do is no call
@pytest.mark.parametrize("name", BLOWN)
def test_a_megabyte_is_read_or_refused_in_seconds(name: str) -> None:
    _, _, outcome = seconds_of(name, MEGABYTE)  # a process that takes ten times as long is killed
    assert "FAILS" not in outcome
    assert "died" not in outcome
