"""Writing files so that a reader finds the old files or the complete new ones, never a mix.

Drafts are written beside the files and flushed to disk, then renamed. If several files belong
together, a list of them is written before the first is renamed. A program that finds such a list
knows that all drafts are complete and that some may be renamed already: `finish_writing` renames
the rest.

A symlink is followed, as `cp` does; a symlink that leads nowhere is refused.
"""

from __future__ import annotations

import contextlib
import json
import os
import stat
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from time import time
from typing import BinaryIO

from engine.core.errors import OutputError, OutputExistsError

DRAFT = ".bpe-tui-draft"
LIST = ".bpe-tui-files"
"""File name of the list that is in a folder while its drafts are renamed: name → draft."""
LARGEST_LIST = 1 << 14
Content = bytes | Iterable[bytes] | Callable[[BinaryIO], object]
"""The content of a file: in one piece, its parts in order, or a function that writes it."""
STALE_SECONDS = 3600
"""Least age of a draft that must be from a killed program."""


def write_files(
    contents: Mapping[Path, Content],
    *,
    overwrite: bool = False,
    private: bool = False,
) -> None:
    """Write files that belong together, and create their directories.

    A file that is replaced keeps its mode.

    Args:
        contents: path → content.
        overwrite: whether existing files may be replaced.
        private: whether only the owner may read new files and enter new directories.

    Raises:
        OutputExistsError: a file exists already and `overwrite` is false; nothing is written.
        OutputError: the system refuses.
    """
    if not overwrite:
        for path in contents:
            check_free(path)
    drafts: dict[Path, Path] = {}
    try:
        for path, content in contents.items():
            path.parent.mkdir(0o700 if private else 0o777, parents=True, exist_ok=True)
            place = path
            if path.is_symlink():
                if not path.exists():
                    raise ValueError("it is a symlink that leads nowhere")
                place = path.resolve()
            for name in (place.name, LIST):
                sweep(place.parent, f".{name}.*{DRAFT}")
            drafts[place] = _write_beside(place, content, private)
        _put_in_place(drafts)
    except (OSError, ValueError) as error:
        place = getattr(error, "filename", None) or next(iter(contents))
        raise OutputError(f"{place}: cannot be written: {_reason(error)}") from error
    finally:
        for draft in drafts.values():
            draft.unlink(missing_ok=True)


def check_free(path: Path) -> None:
    """Check that a path is free.

    Raises:
        OutputExistsError: a file exists there.
        OutputError: no file can have this path.
    """
    try:
        taken = path.exists()
    except (OSError, ValueError) as error:
        raise OutputError(f"{path}: cannot be written: {_reason(error)}") from error
    if taken:
        raise OutputExistsError(f"{path}: is there already; choose another place or overwrite it")


def finish_writing(path: Path) -> None:
    """Rename the remaining drafts if a program was killed between the files of a set with this one.

    If one of the files was written after the list, the drafts are outdated and are deleted.
    """
    folder = path.parent
    names = _listed(folder / LIST)
    if path.name not in names:
        return
    with contextlib.suppress(OSError, ValueError):  # ValueError: no file can have this name
        listed = (folder / LIST).lstat().st_mtime_ns
        written = [folder / name for name in names]
        is_outdated = any(
            path.lstat().st_mtime_ns > listed for path in written if os.path.lexists(path)
        )
        for name, draft in names.items():
            if is_outdated:
                (folder / draft).unlink(missing_ok=True)
            else:
                _rename(folder / draft, folder / name)
        (folder / LIST).unlink(missing_ok=True)


def sweep(folder: Path, drafts: str = f".*{DRAFT}") -> None:
    """Remove the drafts that killed programs have left in a folder.

    Args:
        folder: where to look.
        drafts: a pattern in which only `*` has a special meaning.
    """
    pattern = drafts.replace("[", "[[]").replace("?", "[?]")
    with contextlib.suppress(OSError):
        for draft in folder.glob(pattern):
            # A clock may have jumped either way.
            if abs(time() - draft.lstat().st_mtime) > STALE_SECONDS:
                draft.unlink(missing_ok=True)


def _reason(error: OSError | ValueError) -> object:
    """Return the message of an error without its path; a ValueError is about an impossible path."""
    return getattr(error, "strerror", None) or error


def _put_in_place(drafts: Mapping[Path, Path]) -> None:
    """Rename the drafts; a list names them meanwhile if several are in one folder."""
    folders = {place.parent for place in drafts}
    if len(drafts) < 2 or len(folders) > 1:
        for place, draft in drafts.items():
            draft.replace(place)
        return
    (folder,) = folders
    names = {place.name: draft.name for place, draft in drafts.items()}
    _write_beside(folder / LIST, json.dumps(names).encode(), private=False).replace(folder / LIST)
    try:
        for place, draft in drafts.items():
            _rename(draft, place)
    except OSError:
        (folder / LIST).unlink(missing_ok=True)  # a rename that failed once fails again
        raise
    (folder / LIST).unlink(missing_ok=True)


def _rename(draft: Path, place: Path) -> None:
    with contextlib.suppress(FileNotFoundError):  # another program has renamed it
        draft.replace(place)


def _listed(path: Path) -> dict[str, str]:
    """Read a list: name → draft; empty if the file is not a list that this module wrote."""
    try:
        content = read_own(path, LARGEST_LIST)
        names = json.loads(content)
    except (OSError, ValueError, RecursionError):
        return {}
    if not isinstance(names, dict):
        return {}
    for name, draft in names.items():
        # A forged list must not rename anything but a draft, nor reach into another folder.
        if not isinstance(draft, str) or Path(name).name != name or Path(draft).name != draft:
            return {}
        if not (draft.startswith(f".{name}.") and draft.endswith(DRAFT)):
            return {}
    return names


def read_own(path: Path, limit: int) -> bytes:
    """Read an ordinary file that this user owns; follow no link and wait for no pipe.

    Raises:
        OSError: the file cannot be read.
        ValueError: it is not such a file, or longer than `limit` bytes.
    """
    careful = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)  # Windows has neither
    handle = os.open(path, os.O_RDONLY | careful)
    with os.fdopen(handle, "rb") as stream:
        status = os.fstat(handle)
        owner = getattr(os, "getuid", lambda: status.st_uid)()
        if not stat.S_ISREG(status.st_mode) or status.st_uid != owner or status.st_size > limit:
            raise ValueError("no ordinary file of this user's")
        return stream.read(limit + 1)


def _write_beside(place: Path, content: Content, private: bool) -> Path:
    """Write the draft of a file and flush it to disk; it has the mode of the file it replaces."""
    draft = place.with_name(f".{place.name}.{os.urandom(4).hex()}{DRAFT}")
    try:
        mode = stat.S_IMODE(place.stat().st_mode)
    except FileNotFoundError:
        mode = None
    new_mode = 0o666 if mode is None and not private else 0o600
    try:
        handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, new_mode)
        with os.fdopen(handle, "wb") as stream:
            if callable(content):
                content(stream)
            else:
                stream.writelines((content,) if isinstance(content, bytes) else content)
            stream.flush()
            os.fsync(stream.fileno())
        if mode is not None:
            draft.chmod(mode)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
    return draft
