"""Writing files so that a reader finds the old files or the whole new ones, never a part or a mix.

Drafts are written beside the places of the files and flushed to disk. Then each takes its place.
Of files that belong together a list is written in between. Who finds that list knows that all
drafts are whole, and that some may have taken their places: `finish_writing` lets the rest follow.

A symlink in the place of a file is followed, as `cp` does; one that leads nowhere is refused.
"""

from __future__ import annotations

import contextlib
import json
import os
import stat
from collections.abc import Iterable, Mapping
from pathlib import Path
from time import time

from engine.core.errors import OutputError, OutputExistsError

DRAFT = ".bpe-tui-draft"
LIST = ".bpe-tui-files"
"""In a folder while a set of files takes its places: name → its draft."""
LARGEST_LIST = 1 << 14
Content = bytes | Iterable[bytes]
"""All of a file, or its parts in order."""
STALE_SECONDS = 3600
"""A draft as old as that is one of a program that was killed."""


def write_files(
    contents: Mapping[Path, bytes | Iterable[bytes]],
    *,
    overwrite: bool = False,
    private: bool = False,
) -> None:
    """Write files that belong together, making their directories.

    A file that is there keeps its mode.

    Args:
        contents: path → what the file shall hold.
        overwrite: whether files that are there may be replaced.
        private: whether only their owner may read new ones, and enter new directories.

    Raises:
        OutputExistsError: a file is there already and `overwrite` is false; nothing is written.
        OutputError: the system refuses.
    """
    if not overwrite:
        for path in contents:
            check_free(path)
    drafts: dict[Path, Path] = {}
    try:
        for path, content in contents.items():
            path.parent.mkdir(0o700 if private else 0o777, parents=True, exist_ok=True)
            place = _behind_link(path)
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
    """Raises `OutputExistsError` if something is there, `OutputError` if nothing can be."""
    try:
        taken = path.exists()
    except (OSError, ValueError) as error:
        raise OutputError(f"{path}: cannot be written: {_reason(error)}") from error
    if taken:
        raise OutputExistsError(f"{path}: is there already; choose another place or overwrite it")


def finish_writing(path: Path) -> None:
    """If a program was killed while a set with this file took its places, let the rest follow.

    A list says nothing but which draft of the folder belongs to which file beside it. Where
    somebody has written one of the files since, the drafts are given up.
    """
    folder = path.parent
    names = _listed(folder / LIST)
    if path.name not in names:
        return
    with contextlib.suppress(OSError, ValueError):  # ValueError: no file can have that name
        listed = (folder / LIST).lstat().st_mtime_ns
        is_outdated = any(_is_newer(folder / name, listed) for name in names)
        for name, draft in names.items():
            if is_outdated:
                (folder / draft).unlink(missing_ok=True)
            else:
                _rename(folder / draft, folder / name)
        (folder / LIST).unlink(missing_ok=True)


def _is_newer(path: Path, moment: int) -> bool:
    try:
        return path.lstat().st_mtime_ns > moment
    except FileNotFoundError:
        return False


def sweep(folder: Path, drafts: str = f".*{DRAFT}") -> None:
    """Remove drafts that killed programs have left; a clock may have jumped either way."""
    with contextlib.suppress(OSError):
        for draft in folder.glob(_literal(drafts)):
            if abs(time() - draft.lstat().st_mtime) > STALE_SECONDS:
                draft.unlink(missing_ok=True)


def _literal(pattern: str) -> str:
    """A pattern in which only `*` means anything else than itself."""
    return pattern.replace("[", "[[]").replace("?", "[?]")


def _reason(error: OSError | ValueError) -> object:
    """What is wrong, without the path; a ValueError is about a path that no file can have."""
    return getattr(error, "strerror", None) or error


def _behind_link(path: Path) -> Path:
    if not path.is_symlink():
        return path
    if not path.exists():
        raise ValueError("it is a symlink that leads nowhere")
    return path.resolve()


def _put_in_place(drafts: Mapping[Path, Path]) -> None:
    """Rename the drafts; of several in one folder a list says so meanwhile."""
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
        (folder / LIST).unlink(missing_ok=True)  # what failed once would fail again
        raise
    (folder / LIST).unlink(missing_ok=True)


def _rename(draft: Path, place: Path) -> None:
    with contextlib.suppress(FileNotFoundError):  # somebody has finished it
        draft.replace(place)


def _listed(path: Path) -> dict[str, str]:
    """What a list says; nothing if it is none of ours."""
    try:
        content = read_own(path, LARGEST_LIST)
        names = json.loads(content)
    except (OSError, ValueError, RecursionError):
        return {}
    if not isinstance(names, dict):
        return {}
    return names if all(_is_draft_of(name, draft) for name, draft in names.items()) else {}


def _is_draft_of(name: str, draft: object) -> bool:
    is_plain = Path(name).name == name and isinstance(draft, str) and Path(draft).name == draft
    return is_plain and str(draft).startswith(f".{name}.") and str(draft).endswith(DRAFT)


def read_own(path: Path, limit: int) -> bytes:
    """All of an ordinary file of this user's; no link is followed and no pipe waited for.

    Raises:
        OSError: it cannot be read.
        ValueError: it is anything else, or longer than `limit`.
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
    draft = place.with_name(f".{place.name}.{os.urandom(4).hex()}{DRAFT}")
    with contextlib.suppress(FileNotFoundError):
        mode = stat.S_IMODE(place.stat().st_mode)
        return _written(draft, content, 0o600, mode)
    return _written(draft, content, 0o600 if private else 0o666)


def _written(draft: Path, content: Content, new: int, mode: int | None = None) -> Path:
    """Write a draft: with the mode `new`, less what the user's mask takes away; then `mode`."""
    try:
        handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, new)
        with os.fdopen(handle, "wb") as stream:
            stream.writelines((content,) if isinstance(content, bytes) else content)
            stream.flush()
            os.fsync(stream.fileno())
        if mode is not None:
            draft.chmod(mode)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
    return draft
