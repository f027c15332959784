"""Writing files so that a reader finds the old files or the complete new ones, never a mix.

Drafts are written beside the files and flushed to disk, then renamed. Several files are renamed as
a set, as `file_sets` does it.

A symlink is followed, as `cp` does; a symlink that leads nowhere is refused.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import BinaryIO

from engine.core.drafts import (
    DRAFT,
    Content,
    discard,
    draft_of,
    opened_draft,
    sweep,
    write_draft,
)
from engine.core.errors import OutputError, OutputExistsError
from engine.core.file_sets import LIST, finish_writing, put_in_place


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
    with _drafts(contents, overwrite, private) as drafts:
        for (place, draft), content in zip(drafts.items(), contents.values(), strict=True):
            write_draft(draft, place, content, private=private)


@contextlib.contextmanager
def written_meanwhile(path: Path, *, overwrite: bool = False) -> Iterator[BinaryIO]:
    """Yield a stream for a file that is in its place when the block ends without error.

    Raises:
        OutputExistsError, OutputError: as for `write_files`.
    """
    with _drafts([path], overwrite) as drafts:
        ((place, draft),) = drafts.items()
        with opened_draft(draft, place) as stream:
            yield stream


@contextlib.contextmanager
def _drafts(
    paths: Iterable[Path], overwrite: bool, private: bool = False
) -> Iterator[dict[Path, Path]]:
    """Yield place → name of its draft, to be written; then rename them, or remove them on failure.

    A place is a path with its symlink followed.
    """
    wanted, drafts, made = list(paths), dict[Path, Path](), list[Path]()
    try:
        for path in wanted:
            with contextlib.suppress(*[OutputError] * (len(wanted) > 1)):  # a set is replaced whole
                finish_writing(path)
        _check_all_free(wanted, overwrite)
        for path in wanted:
            made += [each for each in path.parents if not each.exists()]
            path.parent.mkdir(0o700 if private else 0o777, parents=True, exist_ok=True)
            place = path
            if path.is_symlink():
                if not path.exists():
                    raise ValueError("it is a symlink that leads nowhere")
                place = path.resolve()
            if place in drafts:
                raise ValueError("it is given twice")
            for name in (place.name, LIST):
                sweep(place.parent, f".{name}.*{DRAFT}")
            drafts[place] = draft_of(place)
        yield drafts
        _check_all_free(wanted, overwrite)  # to write them may have taken long
        put_in_place(drafts)
        made.clear()
    except (OSError, ValueError) as error:
        failed = getattr(error, "filename", None) or wanted[0]
        place = next((p for p, draft in drafts.items() if str(draft) == str(failed)), failed)
        raise OutputError(f"{place}: cannot be written: {_reason(error)}") from error
    finally:
        for draft in drafts.values():
            discard(draft)
        # The innermost first; one with a file in it stays.
        for folder in sorted(made, key=lambda each: len(each.parts), reverse=True):
            with contextlib.suppress(OSError, ValueError):
                folder.rmdir()


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
