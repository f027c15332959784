"""Files that belong together are replaced together, whoever interrupts it.

All drafts are written and flushed first. Then a list in the folder names each file, its draft, and
the digests of its new and its old content. From then on the new set is valid: each file is in
place or has its draft. The drafts are renamed, and the list is removed.

Who finds a list later renames the remaining drafts. That moves nothing but drafts in the same
folder whose digests the list knows, and only over files that the list knows, too. If the system
refuses a rename, the files already renamed go back to their drafts, and the old ones return.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from time import monotonic, sleep

from engine.core.drafts import (
    discard,
    draft_of,
    is_draft_of,
    literal,
    opened_plain,
    write_draft,
)
from engine.core.errors import OutputError
from engine.core.interrupts import uninterrupted
from engine.core.slow_modules import hashlib, json
from engine.core.systems import flush_folder, folder_lock, keep_old, user_id

LIST = ".bpe-tui-files"
"""File name of the list that is in a folder while its drafts are renamed."""
OLD = ".bpe-tui-old"
"""Ending of the files that keep the old contents meanwhile."""
LARGEST_LIST, MOST_FILES = 1 << 14, 8
LARGEST_FILE = 1 << 28
"""Size of the largest file of a set, in bytes; a digest needs to read all of it."""
PATIENCE = 5.0
"""Seconds to wait for another program that renames files in the same folder."""
UNKNOWN = "unknown"
"""Digest of what is no ordinary file, cannot be read, or is too large."""


@dataclass(frozen=True)
class ListedFile:
    """A file of a set.

    Attributes:
        draft: the file name of its draft.
        new, old: digests of the draft and of the file that it replaces; `old` is `None` if there
            was none.
    """

    draft: str
    new: str
    old: str | None


def put_in_place(drafts: dict[Path, Path]) -> None:
    """Rename drafts to their places; if one cannot be renamed, bring back the old files.

    Args:
        drafts: place → draft. It is emptied as soon as the drafts must not be removed any more.

    Raises:
        OSError: the system refuses; the old files are in place.
        OutputError: another program renames files there and does not end.
        ValueError: a file is too large for a set.
    """
    folders = sorted({place.parent for place in drafts})
    if len(drafts) == 1:
        for place, draft in drafts.items():
            draft.replace(place)
        return
    with contextlib.ExitStack() as locks:
        for folder in folders:
            locks.enter_context(_locked(folder))
        with uninterrupted():
            if len(folders) == 1:
                with contextlib.suppress(OutputError):  # of a set that is replaced now
                    _finish(folders[0], {place.name for place in drafts})
            _replace_set(drafts, folders[0] / LIST if len(folders) == 1 else None)


def finish_writing(path: Path) -> None:
    """Rename the remaining drafts of a set with this file, or in this folder.

    Nothing happens if no writer of a set was interrupted there. Drafts are given up if somebody has
    changed one of the files since.

    Raises:
        OutputError: the files are of two sets, and the drafts cannot be renamed.
    """
    with contextlib.suppress(OSError, ValueError, RuntimeError):  # no file can have this name
        place = path.resolve()
        is_folder = place.is_dir()
        folder = place if is_folder else place.parent
        if os.path.lexists(folder / LIST):
            with _locked(folder):
                _finish(folder, None if is_folder else {place.name})


def _replace_set(drafts: dict[Path, Path], listing: Path | None) -> None:
    """Rename drafts under the protection of a list; without it only against a refused rename."""
    renamed = dict(drafts)
    if listing is None:
        _rename_all(renamed)
        return
    files = {place.name: asdict(_listed(place, draft)) for place, draft in drafts.items()}
    list_draft = draft_of(listing)
    try:
        write_draft(list_draft, listing, json.dumps(files).encode())
        drafts.clear()  # before the list is there: it may be there even if this is interrupted
        list_draft.replace(listing)
        flush_folder(listing.parent)
    except OSError:
        discard(list_draft)
        drafts.update(renamed)
        raise
    try:
        _rename_all(renamed)
    except OSError:
        listing.unlink()
        drafts.update(renamed)
        raise
    flush_folder(listing.parent)
    discard(listing)


def _rename_all(drafts: Mapping[Path, Path]) -> None:
    """Rename drafts; if the system refuses, bring back the drafts and the old files."""
    had_old = {place: os.path.lexists(place) for place in drafts}
    done: list[Path] = []
    try:
        for place, draft in drafts.items():
            if had_old[place]:
                _keep(place, _old_of(draft))
        for place, draft in drafts.items():
            _rename(draft, place)
            done.append(place)
    except OSError as error:
        try:
            for place in reversed(done):
                place.replace(drafts[place])
                if had_old[place]:
                    _old_of(drafts[place]).replace(place)
        except OSError:
            # The list stays, and with it the drafts: the next program that comes may finish.
            raise OutputError(f"{place}: cannot be written: {error.strerror or error}") from error
        raise
    finally:
        for draft in drafts.values():
            discard(_old_of(draft))


def _rename(draft: Path, place: Path) -> None:
    with contextlib.suppress(FileNotFoundError):  # another program has renamed it
        draft.replace(place)


def _keep(place: Path, old: Path) -> None:
    """Give the old file a second name; remove those of earlier writers."""
    for stale in place.parent.glob(f".{literal(place.name)}.*{OLD}"):
        discard(stale)
    keep_old(place, old)


def _old_of(draft: Path) -> Path:
    return draft.with_name(f"{draft.name}{OLD}")


def _listed(place: Path, draft: Path) -> ListedFile:
    new = _digest(draft)
    if new == UNKNOWN:
        raise ValueError(f"it is larger than {LARGEST_FILE >> 20} MB")
    return ListedFile(draft.name, new or "", _digest(place))


def _digest(path: Path) -> str | None:
    """Return the digest of a file; `None` if there is none, and `UNKNOWN` if it is not usable."""
    try:
        with opened_plain(path, LARGEST_FILE) as (stream, _):
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except FileNotFoundError:
        return None
    except (OSError, ValueError):
        return UNKNOWN


@contextlib.contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Keep other programs from renaming sets in a folder, where the system has such locks.

    Raises:
        OutputError: another program keeps the folder for too long.
    """
    given_up = monotonic() + PATIENCE
    with folder_lock(folder) as is_ours:
        while not is_ours():
            if monotonic() > given_up:
                raise OutputError(
                    f"{folder}: another program is saving files there; try again later"
                )
            sleep(0.01)
        yield


# Finishing


def _finish(folder: Path, names: set[str] | None) -> None:
    """Rename the remaining drafts of the list, if it has one of these names.

    Raises:
        OutputError: the files are of two sets, and the drafts cannot be renamed.
    """
    files, is_own = _read_list(folder / LIST)
    if not files or (names is not None and names.isdisjoint(files)):
        return
    states = {
        name: _state(folder / name, folder / file.draft, file) for name, file in files.items()
    }
    found = set(states.values())
    if _CHANGED not in found:
        problem = "a draft is gone" if _LOST in found else ""
        if found >= {_LEFT} and not problem:
            problem = _rename_left(folder, files, states, is_own)
        in_place = [name for name, file in files.items() if _digest(folder / name) == file.new]
        if problem and in_place:
            raise OutputError(
                f"{folder}: {' and '.join(files)} are not of one save, since it was interrupted "
                f"({problem}); open them once where you may write, or save them again"
            )
        if problem and _LOST not in found:
            return  # the old set is whole, and the drafts may be renamed by somebody else
    for file in files.values():
        discard(folder / file.draft)
        discard(_old_of(folder / file.draft))
    discard(folder / LIST)


_NEW, _LEFT, _LOST, _CHANGED = "new", "left", "lost", "changed"
"""States of a listed file: in place, with its draft still left, without it, or changed since."""


def _state(place: Path, draft: Path, file: ListedFile) -> str:
    has_draft = _digest(draft) == file.new  # first, as another program may rename it just now
    content = _digest(place)
    if content == file.new:
        return _NEW
    if content != file.old:
        return _CHANGED
    return _LEFT if has_draft else _LOST


def _rename_left(
    folder: Path, files: Mapping[str, ListedFile], states: Mapping[str, str], is_own: bool
) -> str:
    """Rename the drafts that are left; return why that is not possible, or an empty text."""
    if not is_own:
        return "the files belong to another user"
    try:
        with uninterrupted():
            for name, state in states.items():
                if state == _LEFT:
                    _rename(folder / files[name].draft, folder / name)
    except OSError as error:
        return error.strerror or str(error)
    return ""


def _read_list(path: Path) -> tuple[dict[str, ListedFile], bool]:
    """Read a list, and whether it is this user's; it is empty if this module did not write it."""
    try:
        with opened_plain(path, LARGEST_LIST) as (stream, owner):
            found = json.loads(stream.read(LARGEST_LIST + 1))
        is_own = owner == user_id(owner)
        if not isinstance(found, dict) or len(found) > MOST_FILES:
            raise ValueError
        files = {name: ListedFile(**facts) for name, facts in found.items()}
        if not all(_is_listed(name, file) for name, file in files.items()):
            raise ValueError
        # Another user could list files that are not theirs, to keep them from being read.
        if not is_own and any((path.parent / n).lstat().st_uid != owner for n in files):
            raise ValueError
    except (OSError, ValueError, TypeError, RecursionError):
        return {}, False
    return files, is_own


def _is_listed(name: str, file: ListedFile) -> bool:
    """Whether a list may hold this: a forged one reaches no other folder, and only drafts."""
    digests = [file.new, *([] if file.old is None else [file.old])]
    return (
        Path(name).name == name
        and isinstance(file.draft, str)
        and is_draft_of(file.draft, name)
        and all(isinstance(digest, str) for digest in digests)
        and file.new != UNKNOWN
    )
