"""The work of reading a file grows with its size, whichever of its lists is blown up."""

import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from blown import BLOWN
from blown_files import MEGABYTE, read, seconds_of
from fuzz_formats import USES
from generated import some
from sheets import check_samples

from engine import BpeError
from engine.analysis.inspection import Inspection
from engine.analysis.text_comparison import cut_text
from engine.formats import open_tokenizer

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


SMALL = 600
TEXT = "Low  lower,\tthe «né»\n漢 12 <s>aab aaba</s> ab"
OF_PYTHON = re.compile(r"(?<= (?:JSON|data)): .*|(?<=is no base64): .*")
"""The part of a message that Python has written, which differs between its versions."""


def lines_of(name: str, folder: Path) -> Iterator[str]:
    """Yield what comes of reading a small file."""
    files = BLOWN[name](SMALL)
    paths = [folder / file for file in files]
    for path, content in zip(paths, files.values(), strict=True):
        path.write_bytes(content)
    format = name.partition(":")[0]
    given = paths if len(paths) <= 2 else [folder]
    try:
        if format in USES:
            USES[format](*given)
            yield f"{name}: read"
            return
        opened = open_tokenizer(*given)
        tokenizer = opened.tokenizer
        yield f"{name}: {opened.format} {tokenizer!r}"
        yield from (f"    {note}" for note in opened.notes)
        yield f"    {[*tokenizer.merges[:2]]} {sorted(tokenizer.special_ids)[:3]}"
        look = Inspection.of_opened(opened).prepare()
        yield f"    {look.size} {look.greatest_id} {look.mean_length:.2f} {look.numbers.policy}"
        yield f"    {look.length_histogram[:9]} {look.kinds} {look.gaps} {look.longest(3)}"
        yield f"    {[(name, look.odd(name).count, look.odd(name).ids[:3]) for name in look.ODD]}"
        ids = tokenizer.encode(TEXT)
        yield f"    {ids} {tokenizer.decode(ids)!r}"
        yield f"    {[int(edge) for edge in cut_text(tokenizer, TEXT.encode())]}"
    except BpeError as error:
        said = str(error).replace(f"{folder}{os.sep}", "").replace(str(folder), "folder")
        yield f"{name}: {OF_PYTHON.sub('', said)[:300]}"


FORMATS = sorted({name.partition(":")[0] for name in BLOWN} - {"answers"})


@pytest.mark.parametrize("format", FORMATS)
def test_a_small_file_is_read_as_its_sheet_says(format: str, tmp_path: Path) -> None:
    samples = []
    for number, name in enumerate(name for name in BLOWN if name.startswith(f"{format}:")):
        (folder := tmp_path / str(number)).mkdir()
        samples.append([*lines_of(name, folder)])
    check_samples(f"files/{format}", samples)


@pytest.mark.slow  # some hundred files of a megabyte; what Python's own functions do is no call
@pytest.mark.parametrize("name", BLOWN)
def test_a_megabyte_is_read_or_refused_in_seconds(name: str) -> None:
    _, _, outcome = seconds_of(name, MEGABYTE)  # a process that takes ten times as long is killed
    assert "FAILS" not in outcome
    assert "died" not in outcome
