"""The command line: `bpe-tui CORPUS` opens the screen; the other commands work without it.

Results go to standard output, everything else to standard error. Bad input gives one line, never
a traceback, and the exit code 2.

Uses app and what is below it; only `__main__` uses it.
"""

from bpe_tui.cli.entry import main

__all__ = ["main"]
