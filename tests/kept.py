"""Texts that are kept in files, and how they are drawn again after a change that is meant.

`pytest --draw-changed FILES` writes each text that has changed, and fails with the difference.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from difflib import unified_diff
from pathlib import Path

import pytest

DRAW_CHANGED = "--draw-changed"
MOST_LINES = 60
"""Most lines of a difference that are printed."""
HEADINGS = ("> ", "$ ", "== ")
"""Beginnings of the lines that say what the lines below them are about."""
NAMES = re.compile(r"((?:There are: |choose one of )[^ ,]+)(?:, [\w-]+)+")
"""A list of all names: `engine/core/registry.py` writes it, and its example shows a whole one."""

_draws = False


def draw_changed() -> None:
    """Write the texts that have changed from now on."""
    global _draws
    _draws = True


def is_drawing() -> bool:
    return _draws


def check_kept(path: Path, text: str) -> None:
    """Fail with the difference if a text is not the one in its file; then write it, if asked to."""
    kept = path.read_text("utf-8") if path.exists() else ""
    text = NAMES.sub(r"\1, …", text)
    if text == kept:
        return
    if _draws:
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, "utf-8")
    changes = [*differences(kept.splitlines(), text.splitlines())]
    remedy = "drawn again" if _draws else f"if that is meant, run it with {DRAW_CHANGED}"
    pytest.fail("\n".join([f"{path.name} has changed ({remedy}):", *changes[:MOST_LINES]]), False)


def each_once(
    samples: Iterable[Sequence[str]], kind: Callable[[str], str], *, keeps_headings: bool
) -> Iterator[str]:
    """Yield headings, each with its lines of the kinds that no sample above has."""
    kinds: set[str] = set()
    for heading, *lines in samples:
        new = [line for line in lines if kind(line) not in kinds]
        kinds.update(map(kind, lines))
        if new or keeps_headings or not lines:
            yield from (heading, *new)


def differences(kept: list[str], now: list[str]) -> Iterator[str]:
    """Yield the changed lines, each place below the heading that it is under."""
    for line in [*unified_diff(kept, now, n=1, lineterm="")][2:]:
        if line.startswith("@@"):
            first = int(line.split()[1].strip("-").partition(",")[0])
            above = (each for each in reversed(kept[:first]) if each.startswith(HEADINGS))
            yield f"@@ line {first} {next(above, '')}".rstrip()
        else:
            yield line
