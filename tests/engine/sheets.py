"""Sheets: texts in `sheets/` that say all that a part of the engine returns, or a panel draws."""

import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest
from kept import check_kept, each_once

from engine import BpeError

SHEETS = Path(__file__).parent / "sheets"


def refusal(read: Callable[[Any], object], wrong: object) -> str:
    """Return what is read, and the message of the error that it is."""
    with pytest.raises(BpeError) as raised:
        read(wrong)
    return f"{wrong!a:.160}: {raised.value}"


def check_sheet(name: str, lines: Iterable[str], folder: Path = SHEETS) -> None:
    """Compare lines with a sheet."""
    check_kept(folder / f"{name}.txt", "\n".join(lines) + "\n")


def check_samples(
    name: str, samples: Iterable[Sequence[str]], kind: Callable[[str], str] = str
) -> None:
    """Compare headings, each with the lines below it, with a sheet that says each kind once."""
    check_sheet(name, each_once(samples, kind, keeps_headings=False))


def sentence(line: str) -> str:
    """Return a line without numbers and tokens: `e+s occurs 9 times` → `# occurs # times`."""
    return re.sub(r"\d[\d,.]*|'[^']*'|“[^”]*”|\S+( \+ \S+)+|\S*(\S\+\S|[┊│])\S*", "#", line)
