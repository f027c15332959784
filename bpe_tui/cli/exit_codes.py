"""What the program's exit codes mean; the last two are what a shell says of an ending signal."""

DIFFERS = 1
"""A check has found a difference."""
BAD_INPUT = 2
INTERRUPTED = 130
BROKEN_PIPE = 141
