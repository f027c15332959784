"""Writing files so that a reader finds the old one or the whole new one, never a part."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from pathlib import Path

from engine.errors import OutputError, OutputExistsError


def write_files(contents: Mapping[Path, bytes], *, overwrite: bool = False) -> None:
    """Write files that belong together, making their directories.

    All are written beside their places and flushed to disk first; only then are they renamed, one
    after another.

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
            temporary[path] = _write_beside(path, content)
        for path, written in temporary.items():
            written.replace(path)
    except OSError as error:
        place = error.filename or next(iter(contents))
        raise OutputError(f"{place}: cannot be written: {error.strerror or error}") from error
    finally:
        for written in temporary.values():
            written.unlink(missing_ok=True)


def check_free(path: Path) -> None:
    """Raises `OutputExistsError` if something is there."""
    if path.exists():
        raise OutputExistsError(f"{path}: is there already; choose another place or overwrite it")


def _write_beside(path: Path, content: bytes) -> Path:
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    with os.fdopen(handle, "wb") as stream:
        stream.write(content)
        stream.flush()
        os.fsync(stream.fileno())
    # mkstemp makes files for their owner only; give these the mode that `open` would have.
    mask = os.umask(0)
    os.umask(mask)
    os.chmod(name, 0o666 & ~mask)
    return Path(name)
