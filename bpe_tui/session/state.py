"""What the program remembers from one run to the next: small files that only their owner may read.

A file is nobody's word: what cannot be understood in it is left out. Where it cannot be read or
written there is just no memory.
"""

from __future__ import annotations

import contextlib
import json
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from platformdirs import user_state_path

from bpe_tui.session.commands.command import LESSON, TRAINING
from engine.core.errors import OutputError
from engine.core.files import sweep, write_files

LARGEST = 1 << 20
"""Bytes of a file that are read."""


def state_file(name: str) -> Path:
    """Where something is remembered."""
    return user_state_path("bpe-tui", appauthor=False) / name


def remember_in(path: Path, content: bytes) -> bool:
    """Write it for its owner only, and say whether that was possible."""
    with contextlib.suppress(OutputError, OSError):
        write_files({path: content}, overwrite=True, private=True)
        for private in (path, path.parent):  # they may be older than this rule
            private.chmod(0o600 if private == path else 0o700)
        sweep(path.parent)
        return True
    return False


def kept_in(name: str) -> Any:
    """The JSON of a file of that name; `None` if there is none that can be read."""
    try:
        with state_file(name).open("rb") as file:
            return json.loads(file.read(LARGEST))
    except (OSError, ValueError, RecursionError):
        return None


# How the user likes the screen.

PREFERENCES = "preferences.json"
OVERVIEWS = (TRAINING, LESSON)
"""The kinds of screens that show a training first: all panels, or step by step."""


@dataclass(frozen=True)
class Preferences:
    """What is kept.

    Attributes:
        overview: the kind of screen that shows a training first, the one chosen last.
        motion: whether the lesson view tells steps beat by beat.
    """

    overview: str = TRAINING
    motion: bool = True


def preferences() -> Preferences:
    """What was kept; of what was not, the usual."""
    kept = kept_in(PREFERENCES)
    known = kept if isinstance(kept, dict) else {}
    found = Preferences()
    if known.get("overview") in OVERVIEWS:
        found = replace(found, overview=known["overview"])
    return replace(found, motion=known.get("motion") is not False)


def prefer(**changes: Any) -> None:
    """Keep some preferences beside the others; nothing is written if nothing changes."""
    before = preferences()
    after = replace(before, **changes)
    if after != before:
        remember_in(state_file(PREFERENCES), json.dumps(asdict(after)).encode())
