"""Parts of an operating system that others lack, and substitutes for them.

Only this module, and the drivers of a terminal, use a name that Windows does not have. So each
function here says what happens there. A test runs the commands without these names.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from engine.core.slow_modules import signal, zlib

if TYPE_CHECKING:
    from pathlib import Path

BYTES = getattr(os, "O_BINARY", 0)
"""Flag that keeps Windows from changing line ends in what a descriptor reads and writes."""


def ending_signals() -> tuple[signal.Signals, ...]:
    """Return the signals that end a program; Windows has only two of them."""
    names = ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT")
    return tuple(getattr(signal, name) for name in names if hasattr(signal, name))


def user_id(without: int) -> int:
    """Return the id of this user; `without` on a system that has none."""
    own: int = getattr(os, "getuid", lambda: without)()
    return own


def limit_memory(most: int) -> None:
    """Let this process take no more memory than this, in bytes; Windows has no such limit."""
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (most, most))


def machine() -> str:
    """Return a short name, in hexadecimal digits, of the place in which process ids are unique."""
    name = getattr(os, "uname", lambda: "")()
    with contextlib.suppress(OSError):  # several containers may share the machine's name
        name = name, os.readlink("/proc/self/ns/pid")
    return f"{zlib.crc32(repr(name).encode()):08x}"


def has_ended(process: int) -> bool | None:
    """Return whether a process of this machine has ended; `None` on Windows, which cannot ask."""
    if os.name == "nt":  # its `os.kill` would end the process
        return None
    try:
        os.kill(process, 0)  # no signal; only asks
    except ProcessLookupError:
        return True
    except OSError:
        pass  # another user's process
    return False


def available_cores() -> int:
    """Return the number of cores that this process may use; on some systems, of all cores."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def peak_memory() -> int | None:
    """Return the most memory that this process has taken, in bytes; Windows does not tell."""
    try:
        import resource
    except ImportError:
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak << 10  # elsewhere it is in KB


def memory_of_machine() -> int | None:
    """Return the size of the machine's memory in bytes; Windows does not tell."""
    names = ("SC_PHYS_PAGES", "SC_PAGE_SIZE")
    if not all(name in getattr(os, "sysconf_names", ()) for name in names):
        return None
    pages, page = map(os.sysconf, names)
    return pages * page


def interrupt_soon(seconds: float) -> None:
    """Raise SIGINT after this time; a timer's signal also ends a wait in a system call."""
    if hasattr(signal, "setitimer"):
        signal.signal(signal.SIGALRM, lambda *_: signal.raise_signal(signal.SIGINT))
        signal.setitimer(signal.ITIMER_REAL, seconds)
        return
    import threading
    from _thread import interrupt_main

    threading.Timer(seconds, interrupt_main).start()


def on_signal(
    number: int, at_once: Callable[[int], object], handle: Callable[[int], object]
) -> None:
    """Call `at_once` wherever the program is when a signal comes, and `handle` in the event loop.

    In a thread that may set no handlers, the default applies.
    """
    import asyncio  # slow to load; there is a loop only on a screen

    loop = asyncio.get_running_loop()

    def hear(*_: object) -> None:
        at_once(number)
        loop.call_soon_threadsafe(handle, number)

    # The signal wakes the loop, which resets the handler at its end. The loop of Windows does not.
    with contextlib.suppress(NotImplementedError, RuntimeError, ValueError):
        loop.add_signal_handler(number, bool)
    with contextlib.suppress(ValueError):
        signal.signal(number, hear)


def terminal_keeper() -> Callable[[bytes], object]:
    """Return a function that gives the terminal its present settings back, and writes some bytes.

    It waits for nothing, not even for a terminal that takes no output. Without one, and on Windows,
    it does nothing.
    """
    try:
        import termios
    except ImportError:
        return bool
    if not os.isatty(0):
        return bool
    before = termios.tcgetattr(0)

    def give_back(reset: bytes) -> None:
        import select

        with contextlib.suppress(termios.error, OSError):  # it may be closed
            termios.tcsetattr(0, termios.TCSANOW, before)
            if select.select([], [2], [], 0)[1]:
                os.write(2, reset)

    return give_back


def flush_folder(folder: Path) -> None:
    """Flush the names in a folder to disk; Windows opens no folders, and orders names itself."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
