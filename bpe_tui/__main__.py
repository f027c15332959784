"""`python -m bpe_tui` is `bpe-tui`.

Little is imported before an interrupt (Ctrl+C) has its meaning, so that it means one thing from
the first line to the last: the program ends with 130, and without a traceback.
"""

from __future__ import annotations

import os
import signal
import sys
from typing import NoReturn

INTERRUPTED = 130
"""The exit code; what a shell says of a program that an interrupt has ended."""


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

        signal.signal(signal.SIGINT, _interrupt)
        return run()
    except KeyboardInterrupt:
        return INTERRUPTED
    finally:
        signal.signal(signal.SIGINT, _leave)


def _leave(*_: object) -> NoReturn:
    """Nothing has been begun yet, or all is done."""
    os._exit(INTERRUPTED)


def _interrupt(*_: object) -> NoReturn:
    """Give what has been begun the chance to clean up."""
    raise Interrupted


if __name__ == "__main__":
    sys.exit(main())
