"""Run the program without the names that Windows lacks.

    python tests/without_unix.py ARGUMENTS…            one command
    python tests/without_unix.py --import-all          import every module

It is as near to Windows as another system can come: the standard library itself stays as it is.
"""

import _signal
import importlib
import os
import pkgutil
import signal
import sys

LACKING = {
    _signal: ("SIGALRM", "SIGHUP", "setitimer", "ITIMER_REAL", "pthread_sigmask", "SIG_BLOCK"),
    signal: (
        *(
            "SIGALRM",
            "SIGHUP",
            "SIGQUIT",
            "SIGTSTP",
            "SIGCONT",
            "SIGUSR1",
            "SIGUSR2",
            "SIGWINCH",
            "SIGPIPE",
        ),
        *("alarm", "setitimer", "getitimer", "ITIMER_REAL", "pthread_sigmask", "SIG_BLOCK"),
        *("SIG_SETMASK", "SIG_UNBLOCK", "pause", "sigwait"),
    ),
    os: (
        *("getuid", "geteuid", "getgid", "getpgid", "setsid", "killpg", "fork", "mkfifo", "chown"),
        *("sched_getaffinity", "O_NOFOLLOW", "O_NONBLOCK", "O_DIRECTORY", "O_CLOEXEC", "fchmod"),
    ),
}
NO_MODULES = ("fcntl", "termios", "tty", "pty", "resource", "pwd", "grp")


def take_away() -> None:
    """Remove the names, after libraries that choose what they need by the real system."""
    for library in ("asyncio", "subprocess", "tempfile", "platformdirs"):
        importlib.import_module(library)
    # Textual has a driver for Windows, which runs only there.
    os.environ["TEXTUAL_DRIVER"] = "textual.drivers.headless_driver:HeadlessDriver"
    for module, names in LACKING.items():
        for name in names:
            if hasattr(module, name):
                delattr(module, name)
    for name in NO_MODULES:
        sys.modules[name] = None  # type: ignore[assignment]


def import_all() -> None:
    """Import every module of both packages, but the entry point."""
    for package in ("engine", "bpe_tui"):
        for module in pkgutil.walk_packages(
            importlib.import_module(package).__path__, f"{package}."
        ):
            if not module.name.endswith("__main__"):
                importlib.import_module(module.name)


if __name__ == "__main__":
    take_away()
    if sys.argv[1:] == ["--import-all"]:
        import_all()
    else:
        from bpe_tui.__main__ import main

        sys.exit(main())
