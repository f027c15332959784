"""Drafts: hidden files and folders, written completely beside what they will replace."""

from __future__ import annotations

import contextlib
import os
import re
import stat
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from time import time
from typing import BinaryIO

from engine.core.slow_modules import shutil, tempfile
from engine.core.systems import BYTES, has_ended, machine, user_id

DRAFT = ".bpe-tui-draft"
Content = bytes | Iterable[bytes] | Callable[[BinaryIO], object]
"""The content of a file: in one piece, its parts in order, or a function that writes it."""
STALE_SECONDS = 3600
"""Least age of a draft that must be from a killed program, if its process is on another machine."""
_WRITER = re.compile(rf"\.([0-9a-f]+)-([0-9]{{1,9}})-[0-9a-f]+{re.escape(DRAFT)}")
"""The end of a draft's name: the machine and the process that write it."""


def draft_of(place: Path) -> Path:
    """Return a new name for a draft: `.merges.txt.9f3a01c2-4711-5eb0.bpe-tui-draft`."""
    writer = f"{machine()}-{os.getpid()}-{os.urandom(4).hex()}"
    return place.with_name(f".{place.name}.{writer}{DRAFT}")


@contextlib.contextmanager
def temporary_folder() -> Iterator[Path]:
    """Yield a new folder among the system's temporary ones; it is removed at the end."""
    sweep_temporary()
    folder = draft_of(Path(tempfile.gettempdir(), "bpe-tui"))
    folder.mkdir(0o700)
    try:
        yield folder
    finally:
        discard(folder)


@contextlib.contextmanager
def opened_draft(draft: Path, place: Path, *, private: bool = False) -> Iterator[BinaryIO]:
    """Open a draft, with the mode of the file that it will replace; flush it to disk at the end."""
    try:
        mode = stat.S_IMODE(place.stat().st_mode)
    except FileNotFoundError:
        mode = None
    new_mode = 0o666 if mode is None and not private else 0o600
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | BYTES, new_mode)
    with os.fdopen(handle, "wb") as stream:
        yield stream
        stream.flush()
        os.fsync(stream.fileno())
    if mode is not None:
        draft.chmod(mode)


def write_draft(draft: Path, place: Path, content: Content, *, private: bool = False) -> None:
    """Write a draft in one go."""
    with opened_draft(draft, place, private=private) as stream:
        if callable(content):
            content(stream)
        else:
            stream.writelines((content,) if isinstance(content, bytes) else content)


def sweep_temporary() -> None:
    """Remove the temporary folders that killed programs have left."""
    sweep(Path(tempfile.gettempdir()), f".bpe-tui.*{DRAFT}")


def sweep(folder: Path, drafts: str = f".*{DRAFT}") -> None:
    """Remove the drafts that killed programs have left in a folder.

    Args:
        folder: where to look.
        drafts: a pattern in which only `*` has a special meaning.
    """
    with contextlib.suppress(OSError):
        # No character but `*` has a meaning: `a[1]?*` → `a[[]1][?]*`.
        for draft in folder.glob(drafts.replace("[", "[[]").replace("?", "[?]")):
            with contextlib.suppress(FileNotFoundError):  # its program was faster
                if _is_left(draft):
                    discard(draft)


def _is_left(draft: Path) -> bool:
    """Whether a draft is this user's, and its program has ended without removing it."""
    status = draft.lstat()
    if status.st_uid != user_id(status.st_uid):
        return False
    writer = _WRITER.search(draft.name)
    ended = None
    if writer is not None and writer[1] == machine():
        ended = has_ended(int(writer[2]))
    # A clock may have jumped either way.
    return abs(time() - status.st_mtime) > STALE_SECONDS if ended is None else ended


def discard(draft: Path) -> None:
    """Remove a draft that is not needed any more; the next `sweep` removes it if this cannot."""
    with contextlib.suppress(OSError, ValueError):  # ValueError: no file can have this name
        if draft.is_dir() and not draft.is_symlink():
            shutil.rmtree(draft)
        else:
            draft.unlink(missing_ok=True)
