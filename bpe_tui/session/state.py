"""What the program remembers from one run to the next: small files that only their owner may read.

A file is nobody's word: what cannot be understood in it is left out. Where it cannot be read or
written there is just no memory.
"""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import Any

from platformdirs import user_state_path

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
