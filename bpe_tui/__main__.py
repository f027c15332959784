"""The entry point, `bpe-tui` and `python -m bpe_tui`.

Little is imported before the handler of interrupts (Ctrl+C) is set, so that an interrupt at any
time ends the program with the code 130 and without a traceback.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False  # to import `typing` takes as long as Python's start
if TYPE_CHECKING:
    import signal
    from types import FrameType
    from typing import NoReturn
else:
    import _signal as signal  # `signal` makes enums of it, which is slow, too

INTERRUPTED = 130
"""The exit code after an interrupt, the same as shells use."""
SOON = 0.01
"""Seconds after which an interrupt that came during an import is raised again."""


class Interrupted(KeyboardInterrupt):
    """An interrupt, as a type of our own.

    If `KeyboardInterrupt` itself is raised inside `exec`, which named tuples and data classes use,
    Python ends the process by the signal, even if the exception is handled.
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
        _leave()  # after the cleanup: libraries may wait for their processes
    finally:
        signal.signal(signal.SIGINT, _leave)


def _leave(*_: object) -> NoReturn:
    """Exit at once: there is nothing to clean up."""
    os._exit(INTERRUPTED)


def _interrupt(_: int, frame: FrameType | None) -> None:
    """Raise `Interrupted`, so that running code cleans up.

    During an import, wait: numpy, for one, takes an exception there for a broken installation.
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
