"""Writing files so that a reader finds the old file or the complete new one.

Drafts are written beside the files and flushed to disk, then renamed one after another. Several
files in a new folder are written into the draft of the folder, which is renamed as a whole.

A symlink is followed, as `cp` does; a symlink that leads nowhere is refused.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import BinaryIO

from engine.core.drafts import DRAFT, Content, discard, draft_of, opened_draft, sweep, write_draft
from engine.core.errors import OutputError, OutputExistsError
from engine.core.systems import flush_folder


def write_files(
    contents: Mapping[Path, Content], *, overwrite: bool = False, private: bool = False
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
    with _drafts(contents, overwrite, private) as drafts:
        for (place, draft), content in zip(drafts.items(), contents.values(), strict=True):
            write_draft(draft, place, content, private=private)


@contextlib.contextmanager
def written_meanwhile(
    path: Path, *, overwrite: bool = False
) -> Iterator[contextlib.AbstractContextManager[BinaryIO]]:
    """Yield the context of a stream; its file is in its place when the block ends without error.

    The file is on the disk once the stream's context ends, before the rest of the block.

    Raises:
        OutputExistsError, OutputError: as for `write_files`.
    """
    with _drafts([path], overwrite) as drafts:
        ((place, draft),) = drafts.items()
        yield opened_draft(draft, place)


@contextlib.contextmanager
def _drafts(
    paths: Iterable[Path], overwrite: bool, private: bool = False
) -> Iterator[dict[Path, Path]]:
    """Yield place → name of its draft, to be written; then rename them, or remove them on failure.

    A place is a path with its symlink followed.
    """
    wanted, made = list(paths), list[Path]()
    drafts, renamed = dict[Path, Path](), dict[Path, Path]()
    mode = 0o700 if private else 0o777
    try:
        _check_all_free(wanted, overwrite)
        new = _new_folder(wanted)
        for path in wanted if new is None else [new]:
            made += [each for each in path.parents if not each.exists()]
            path.parent.mkdir(mode, parents=True, exist_ok=True)
            place = _place_of(path)
            if place in renamed:
                raise ValueError("it is given twice")
            sweep(place.parent, f".{place.name}.*{DRAFT}")
            renamed[place] = draft_of(place)
        drafts = renamed if new is None else _drafts_inside(renamed[new], wanted, mode)
        yield drafts
        _check_all_free(wanted, overwrite)  # to write them may have taken long
        if new is not None:
            flush_folder(renamed[new])
        for place, draft in renamed.items():
            draft.replace(place)
        made.clear()
    except (OSError, ValueError) as error:
        failed = getattr(error, "filename", None) or wanted[0]
        named = {str(draft): place for place, draft in (drafts | renamed).items()}
        place = named.get(str(failed), failed)
        raise OutputError(f"{place}: cannot be written: {_reason(error)}") from error
    finally:
        for draft in renamed.values():
            discard(draft)
        # The innermost first; one with a file in it stays.
        for folder in sorted(made, key=lambda each: len(each.parts), reverse=True):
            with contextlib.suppress(OSError, ValueError):
                folder.rmdir()


def _new_folder(paths: Sequence[Path]) -> Path | None:
    """Return the folder of several files if all are in one that does not exist."""
    folders = {path.parent for path in paths}
    if len(paths) < 2 or len(folders) > 1:
        return None
    return None if os.path.lexists(paths[0].parent) else paths[0].parent


def _drafts_inside(folder: Path, paths: Sequence[Path], mode: int) -> dict[Path, Path]:
    """Make the draft of a folder; return each file's place and its draft inside."""
    folder.mkdir(mode)
    return {path: folder / path.name for path in paths}


def _place_of(path: Path) -> Path:
    """Return a path with its symlink followed."""
    if not path.is_symlink():
        return path
    if not path.exists():
        raise ValueError("it is a symlink that leads nowhere")
    return path.resolve()


def _check_all_free(paths: Iterable[Path], overwrite: bool) -> None:
    if not overwrite:
        for path in paths:
            check_free(path)


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


def _reason(error: OSError | ValueError) -> object:
    """Return the message of an error without its path; a ValueError is about an impossible path."""
    return getattr(error, "strerror", None) or error
