"""Sheets: texts in `sheets/` that say all that a part of the engine returns, or a panel draws.

After a change that is meant, write the sheets again and read what has changed:
`BPE_TUI_SNAPSHOTS=draw pytest -n 0 tests/engine`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from difflib import unified_diff
from pathlib import Path
from typing import Any

import pytest

from engine import BpeError

SHEETS = Path(__file__).parent / "sheets"


def refusal(read: Callable[[Any], object], wrong: object) -> str:
    """Return what is read, and the message of the error that it is."""
    with pytest.raises(BpeError) as raised:
        read(wrong)
    return f"{wrong!a:.160}: {raised.value}"


def check_sheet(name: str, lines: Iterable[str], folder: Path = SHEETS) -> None:
    """Compare lines with a sheet, or write it."""
    text, path = "\n".join(lines) + "\n", folder / f"{name}.txt"
    if os.environ.get("BPE_TUI_SNAPSHOTS") == "draw":
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, "utf-8")
    kept = path.read_text("utf-8").splitlines()
    changes = [*unified_diff(kept, text.splitlines(), "kept", "now", n=1, lineterm="")]
    assert not changes, "\n".join(changes[:60])
