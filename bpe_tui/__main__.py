"""The entry point, `bpe-tui` and `python -m bpe_tui`.

Little is imported before the handler of interrupts (Ctrl+C) is set, so that an interrupt at any
time ends the program with the code 130 and without a traceback.
"""

from __future__ import annotations

import gc
import os
import sys

TYPE_CHECKING = False  # to import `typing` takes as long as Python's start
if TYPE_CHECKING:
    import signal
    from types import FrameType
    from typing import NoReturn
else:
    import _signal as signal  # `signal` makes enums of it, which is slow, too

CANNOT_START = 2
"""The exit code of bad input, which `cli.console` has as well: it cannot be imported then."""
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
    gc.disable()  # imports make no garbage; a command enables it again, or the screen does
    try:
        try:
            from bpe_tui.cli import main as run
        except (ImportError, AttributeError):
            if problem := _foreign_engine():
                print(f"bpe-tui: {problem}", file=sys.stderr)
                return CANNOT_START
            raise
        signal.signal(signal.SIGINT, _interrupt)
        return run()
    except KeyboardInterrupt:
        _leave()  # after the cleanup: libraries may wait for their processes
    finally:
        signal.signal(signal.SIGINT, _leave)


def run() -> NoReturn:
    """Run the program and exit at once: Python would free each object first, which is slow."""
    exit_code = main()
    try:
        sys.stdout.flush()
    except OSError:
        exit_code = exit_code or CANNOT_START
    os._exit(exit_code)


def _leave(*_: object) -> NoReturn:
    """Exit at once: there is nothing to clean up."""
    os._exit(INTERRUPTED)


def _interrupt(_: int, frame: FrameType | None) -> None:
    """Raise `Interrupted`, so that running code cleans up.

    During an import, wait: numpy, for one, takes an exception there for a broken installation.
    """
    if _is_import(frame):
        # Imported long ago, with the commands.
        from engine.core.systems import interrupt_soon

        interrupt_soon(SOON)
        return
    raise Interrupted


def _foreign_engine() -> str:
    """Return what to do about another package named `engine`; empty if it is ours."""
    found = getattr(sys.modules.get("engine"), "__file__", None)
    ours = os.path.join(os.path.dirname(os.path.dirname(__file__)), "engine")
    if found is None or os.path.dirname(found) == ours:
        return ""
    return (
        f"{found} is another package named engine and hides the one of bpe-tui; "
        "install bpe-tui in an environment of its own: pipx install bpe-tui"
    )


def _is_import(frame: FrameType | None) -> bool:
    while frame is not None:
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            return True
        frame = frame.f_back
    return False


if __name__ == "__main__":
    run()
