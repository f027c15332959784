"""`python -m bpe_tui` is `bpe-tui`.

Little is imported before an interrupt (Ctrl+C) has its meaning, so that it means one thing from
the first line to the last: the program ends with 130, and without a traceback.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False  # its own module, `typing`, takes as long as all of Python's start
if TYPE_CHECKING:
    import signal
    from types import FrameType
    from typing import NoReturn
else:
    import _signal as signal  # `signal` wraps it in enums, which take a while, too

INTERRUPTED = 130
"""The exit code; what a shell says of a program that an interrupt has ended."""
SOON = 0.01
"""Seconds until an interrupt that came amid an import is told again."""


class Interrupted(KeyboardInterrupt):
    """An interrupt, to be told from Python's own.

    Where Python meets its own inside `exec`, which named tuples and data classes use, it ends the
    process by the signal, even though the exception is handled.
    """


def main() -> int:
    """Run the program with the arguments of the process; return its exit code."""
    signal.signal(signal.SIGINT, _leave)
    try:
        from bpe_tui.cli import main as run

        signal.signal(signal.SIGALRM, _interrupt_again)
        signal.signal(signal.SIGINT, _interrupt)
        return run()
    except KeyboardInterrupt:
        _leave()  # what has been begun is cleaned up; libraries may wait for processes of theirs
    finally:
        signal.signal(signal.SIGINT, _leave)


def _leave(*_: object) -> NoReturn:
    """Nothing has been begun yet, or all is done."""
    os._exit(INTERRUPTED)


def _interrupt(_: int, frame: FrameType | None) -> None:
    """Give what has been begun the chance to clean up.

    Not amid an import: numpy, for one, takes what is raised there for a damaged installation.
    """
    if _is_import(frame):
        signal.setitimer(signal.ITIMER_REAL, SOON)
        return
    raise Interrupted


def _interrupt_again(*_: object) -> None:
    signal.raise_signal(signal.SIGINT)


def _is_import(frame: FrameType | None) -> bool:
    while frame is not None:
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            return True
        frame = frame.f_back
    return False


if __name__ == "__main__":
    sys.exit(main())
