"""Names of files that a person may type by mistake, and a folder in which each is what it says."""

import contextlib
import os
import threading
from collections.abc import Iterator
from pathlib import Path

NAMES = {
    "a name too long": "n" * 300,
    "a path too long": "x/" * 3000 + "y",
    "a name too long in a folder": "folder/" + "n" * 300,
    "a name that begins with a folder that is none": "file/x",
    "NUL": "a\0b",
    "spaces": "   ",
    "no user's home": "~nosuchuser/x",
    "not of UTF-8": "\udcff",
    "a folder": "folder",
    "a folder, with its slash": "folder/",
    "a link to nothing": "nowhere",
    "a loop of links": "loop",
    "below a loop of links": "loop/x",
    "a pipe": "pipe",
    "a file without permission": "locked",
    "a file in a folder without permission": "shut/x",
}


@contextlib.contextmanager
def made_in(place: Path) -> Iterator[None]:
    """Make what the names name in a folder, and go there."""
    (place / "folder").mkdir()
    (place / "nowhere").symlink_to("gone")
    (place / "loop").symlink_to("other")
    (place / "other").symlink_to("loop")
    (place / "shut").mkdir()
    for name in ("file", "locked", "shut/x"):
        (place / name).write_text("low lower lowest")
    os.mkfifo(place / "pipe")
    for name in ("locked", "shut"):
        (place / name).chmod(0)
    with contextlib.chdir(place):
        yield
    (place / "shut").chmod(0o700)


@contextlib.contextmanager
def fed(pipe: Path) -> Iterator[None]:
    """Write a text and its end into a pipe whenever somebody reads it."""
    ends = threading.Event()

    def feed() -> None:
        while not ends.wait(0.002):
            with contextlib.suppress(OSError):  # nobody reads it at present
                writing = os.open(pipe, os.O_WRONLY | os.O_NONBLOCK)
                with os.fdopen(writing, "wb", 0) as writer:
                    writer.write(b"low lower lowest")

    feeder = threading.Thread(target=feed)
    feeder.start()
    try:
        yield
    finally:
        ends.set()
        feeder.join()
