"""What the program's exit codes mean; the last two are what a shell says of an ending signal."""

BAD_INPUT = 2
INTERRUPTED = 130
BROKEN_PIPE = 141
