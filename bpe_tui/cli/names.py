"""What the program and its commands are called."""

PROGRAM = "bpe-tui"
COMMAND_NAMES = (
    *("open", "train", "encode", "decode", "explain", "why", "check"),
    *("count", "inspect", "compare", "convert"),
)
"""Each has a module of its name beside this one, which is imported when it is needed."""
STANDARD_INPUT = "-"
"""In place of a file."""
