"""What is in a directory, to choose from."""

from __future__ import annotations

import os
from dataclasses import dataclass
from itertools import islice

LOOKED_AT = 5_000
"""Entries of a directory at the most; who has more types a part of the name."""


@dataclass(frozen=True)
class Place:
    """A file or a directory. `size` is a file's, in bytes; `None` of a directory."""

    path: str
    name: str
    size: int | None


def places_in(directory: str, beginning: str = "") -> list[Place]:
    """Directories, then plain files, by name; hidden ones only if their dot is typed.

    Raises:
        OSError: it is none, or nobody may look.
    """
    with os.scandir(directory) as entries:
        found = [
            place
            for entry in islice(entries, LOOKED_AT)
            if entry.name.startswith(beginning or "")
            and entry.name.startswith(".") <= beginning.startswith(".")
            and (place := _place(entry)) is not None
        ]
    return sorted(found, key=lambda place: (place.size is not None, place.name.lower()))


def _place(entry: os.DirEntry[str]) -> Place | None:
    """`None` for a device, a pipe, a link to nowhere."""
    try:
        if entry.is_dir():
            return Place(entry.path, entry.name, None)
        return Place(entry.path, entry.name, entry.stat().st_size) if entry.is_file() else None
    except OSError:
        return None
