"""Helpers for tests of written files: their contents, and a disk that is full."""

from __future__ import annotations

import errno
from pathlib import Path


def contents(place: Path) -> dict[str, bytes]:
    """Return all files in the folder, including hidden ones."""
    return {str(p.relative_to(place)): p.read_bytes() for p in place.rglob("*") if p.is_file()}


class FullDisk:
    """A replacement for `os.fsync` that fails at the call of this number."""

    def __init__(self, fails_at: int, error: BaseException) -> None:
        self.calls, self.fails_at, self.error = 0, fails_at, error

    def __call__(self, handle: int) -> None:
        self.calls += 1
        if self.calls == self.fails_at:
            raise self.error


NO_SPACE = OSError(errno.ENOSPC, "No space left on device")
