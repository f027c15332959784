"""What the program remembers from one run to the next: small files that only their owner may read.

Where they cannot be read or written there is just no memory.
"""

from __future__ import annotations

import contextlib
from pathlib import Path

from platformdirs import user_state_path

from engine.core.errors import OutputError
from engine.core.files import sweep, write_files


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
