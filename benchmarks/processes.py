"""Memory and children of processes, read from `/proc` (Linux)."""

from __future__ import annotations

import os
import threading
from pathlib import Path

PAGE = os.sysconf("SC_PAGE_SIZE")


def resident(pid: int) -> int:
    """Return the bytes of memory of a process; 0 if it has ended."""
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * PAGE
    except OSError:
        return 0


def children(pid: int) -> list[int]:
    """Return the running children of a process."""
    try:
        tasks = Path(f"/proc/{pid}/task").iterdir()
        return [int(child) for task in tasks for child in (task / "children").read_text().split()]
    except OSError:
        return []


class PeakMemory:
    """The peak of memory of a process and its children, sampled a hundred times a second.

    Attributes:
        together: the most that all have had at a time, in bytes.
        alone: the most that any one of them has had.
    """

    def __init__(self, pid: int) -> None:
        self.together = self.alone = 0
        self._pid = pid
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._thread.start()

    def _look(self) -> None:
        while not self._ended.wait(0.01):
            now = [resident(pid) for pid in (self._pid, *children(self._pid))]
            self.together = max(self.together, sum(now))
            self.alone = max(self.alone, *now)

    def stop(self) -> None:
        """Stop sampling."""
        self._ended.set()
        self._thread.join()
