"""Writing files so that a reader finds the old file or the whole new one, never a part."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from pathlib import Path

from engine.core.errors import OutputError, OutputExistsError


def write_files(
    contents: Mapping[Path, bytes], *, overwrite: bool = False, private: bool = False
) -> None:
    """Write files that belong together, making their directories.

    All are written beside their places and flushed to disk first; only then are they renamed, one
    after another.

    Args:
        contents: path → what the file shall hold.
        overwrite: whether files that are there may be replaced.
        private: whether only their owner may read them.

    Raises:
        OutputExistsError: a file is there already and `overwrite` is false; nothing is written.
        OutputError: the system refuses.
    """
    if not overwrite:
        for path in contents:
            check_free(path)
    temporary: dict[Path, Path] = {}
    try:
        for path, content in contents.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            temporary[path] = _write_beside(path, content, private)
        for path, written in temporary.items():
            written.replace(path)
    except (OSError, ValueError) as error:
        place = getattr(error, "filename", None) or next(iter(contents))
        raise OutputError(f"{place}: cannot be written: {_reason(error)}") from error
    finally:
        for written in temporary.values():
            written.unlink(missing_ok=True)


def check_free(path: Path) -> None:
    """Raises `OutputExistsError` if something is there, `OutputError` if nothing can be."""
    try:
        taken = path.exists()
    except (OSError, ValueError) as error:
        raise OutputError(f"{path}: cannot be written: {_reason(error)}") from error
    if taken:
        raise OutputExistsError(f"{path}: is there already; choose another place or overwrite it")


def _reason(error: OSError | ValueError) -> object:
    """What is wrong, without the path; a ValueError is about a path that no file can have."""
    return getattr(error, "strerror", None) or error


def _write_beside(path: Path, content: bytes, private: bool) -> Path:
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    written = Path(name)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        # mkstemp makes files for their owner only; give others the mode that `open` would have.
        if not private:
            mask = os.umask(0)
            os.umask(mask)
            written.chmod(0o666 & ~mask)
    except BaseException:
        written.unlink(missing_ok=True)
        raise
    return written
