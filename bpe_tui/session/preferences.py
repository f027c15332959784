"""How the user likes the screen, kept in a small file from one run to the next.

The file is nobody's word: what cannot be understood in it is left out, and where it cannot be read
or written there is just no memory.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from typing import Any

from bpe_tui.session.commands.command import LESSON, TRAINING
from bpe_tui.session.state import kept_in, remember_in, state_file

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
