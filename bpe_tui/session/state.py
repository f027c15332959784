"""State files, kept from one run to the next: preferences, recent files, reports of failures.

Only their owner may read them. Entries that are not valid are ignored, and so are files that
cannot be read or written.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from platformdirs import user_state_path

from bpe_tui.session.config import Config, RunConfig
from engine.core.drafts import sweep
from engine.core.errors import OutputError
from engine.core.files import write_files
from engine.core.slow_modules import platform, traceback
from engine.text.corpus import PLAIN, Reading
from engine.text.sources import STANDARD_INPUT

LARGEST = 1 << 20
"""Most bytes that are read of a file."""


def state_file(name: str) -> Path:
    """Return the path of a state file."""
    return user_state_path("bpe-tui", appauthor=False) / name


_unkept: dict[str, bytes] | None = None
"""State files in memory, by name; None if they are on disk."""


@contextlib.contextmanager
def without_state() -> Iterator[None]:
    """Hold state in memory meanwhile, beginning with none; files are neither read nor written."""
    global _unkept
    before, _unkept = _unkept, {}
    try:
        yield
    finally:
        _unkept = before


def keep_state(name: str, content: bytes) -> None:
    """Write the state file of this name, if that is possible and wanted."""
    if _unkept is None:
        write_state(state_file(name), content)
    else:
        _unkept[name] = content


def write_state(path: Path, content: bytes) -> bool:
    """Write a state file for its owner only; return whether that was possible."""
    with contextlib.suppress(OutputError, OSError):
        write_files({path: content}, overwrite=True, private=True)
        path.chmod(0o600)  # it and our folders may be older than this rule
        own = state_file("")
        for folder in path.parents:
            if folder == own or own in folder.parents:
                folder.chmod(0o700)
        sweep(path.parent)
        return True
    return False


def read_state(name: str) -> Any:
    """Return the JSON in a state file; `None` if it cannot be read."""
    if _unkept is not None:
        return json.loads(_unkept.get(name, b"null"))
    try:
        with state_file(name).open("rb") as file:
            return json.loads(file.read(LARGEST))
    except (OSError, ValueError, RecursionError):
        return None


# Preferences

PREFERENCES = "preferences.json"


class Preferences(NamedTuple):
    """The user's preferences.

    Attributes:
        is_light: whether the colours are light.
        welcomed: whether the training screen has named the way to the explain screen.
        language: the language chosen on the screen; "" if none has been.
    """

    is_light: bool = False
    welcomed: bool = False
    language: str = ""


def preferences() -> Preferences:
    """Read the preferences; those that were not kept have their defaults."""
    kept = read_state(PREFERENCES)
    known = kept if isinstance(kept, dict) else {}
    return Preferences(
        is_light=known.get("is_light") is True,
        # Nobody is there to welcome where nothing is kept, as in a recording.
        welcomed=known.get("welcomed") is True or _unkept is not None,
        language=str(known.get("language", "")),
    )


def save_preferences(**changes: Any) -> None:
    """Change some preferences; write them only if something changes."""
    before = preferences()
    after = before._replace(**changes)
    if after != before:
        keep_state(PREFERENCES, json.dumps(after._asdict()).encode())


# Recently opened files

FIELD, SKIP_BAD = " --field ", " --skip-bad"
"""Options about records that may be typed after the name of a corpus."""
RECENT, KEPT = "recent.json", 20
LONGEST_NAME = 4096

GivenNames = tuple[str, ...]
"""A path or a known name; or two paths, of a vocabulary and its merges; or a corpus's files.

Options about records follow the name of a corpus, as `as_reading` reads them.
"""


def recent() -> list[GivenNames]:
    """Return the recently opened files, the latest first."""
    entries = read_state(RECENT)
    if not isinstance(entries, list):
        return []
    found: list[GivenNames] = []
    for entry in entries:
        names = entry if isinstance(entry, list) and len(entry) <= 2 else []
        if names and all(isinstance(e, str) and 0 < len(e) < LONGEST_NAME for e in names):
            found.append(tuple(names))
    return found[:KEPT]


def remember_opened(config: Config) -> None:
    """Put the files of `config` at the head of the list."""
    names = (config.corpus or "", *config.reading.more)
    if len(names) > 1:
        return
    latest: list[GivenNames] = []
    if config.corpus is not None and config.corpus != STANDARD_INPUT:
        reading = config.reading
        options = f"{FIELD}{reading.field}" if reading.field else ""
        options += SKIP_BAD if reading.skip_bad else ""
        latest.append((_absolute(config.corpus) + options,))
    if not isinstance(config, RunConfig):
        latest.insert(0, tuple(map(_absolute, config.paths)))
    if not latest:
        return
    entries = [*latest, *(entry for entry in recent() if entry not in latest)][:KEPT]
    keep_state(RECENT, json.dumps(entries).encode())


def _absolute(name: str) -> str:
    """Return the absolute path of a file or glob; leave known names as they are."""
    return os.path.abspath(name) if "*" in name or os.path.exists(name) else name


def as_typed(given: Sequence[str]) -> str:
    """Return paths as people type them: `vocab.json and merges.txt`, `~/texts/a.txt`."""
    home = os.path.expanduser("~")
    return " and ".join(
        "~" + name[len(home) :] if name.startswith(home + os.sep) else name for name in given
    )


def as_reading(typed: str) -> tuple[str, Reading]:
    """Split what is typed into a name and its options about records, as in a shell.

    >>> as_reading("a.jsonl --field text --skip-bad")
    ('a.jsonl', Reading(more=(), field='text', skip_bad=True, max_bytes=None))
    """
    named = typed.removesuffix(SKIP_BAD)
    name, between, field = named.rpartition(FIELD)
    if not between or not name.strip() or os.path.exists(typed):
        return typed, PLAIN
    return name.strip(), Reading(field=field.strip(), skip_bad=named != typed)


def parse_typed(typed: str) -> GivenNames:
    """Return the paths that `as_typed` wrote: two, unless one file has the whole name."""
    first, between, second = typed.partition(" and ")
    whole = os.path.expanduser(typed)
    if not between or os.path.exists(whole):
        return (whole,)
    return os.path.expanduser(first.strip()), os.path.expanduser(second.strip())


# Reports of failures of the program itself: the place in the code, not the contents of the screen.
#
# Python's message may quote the corpus, so a report leaves it out unless `BPE_TUI_REPORT=full` is
# set. The oldest reports are removed.


REPORTS_KEPT = 20
FULL = "BPE_TUI_REPORT"

_written: dict[tuple[str, ...], Path | None] = {}
"""Place of a failure → its report: a failure that repeats is reported once."""


def installed_version() -> str:
    """Return the version of the installed program, or that it is not installed."""
    from importlib.metadata import PackageNotFoundError, version  # slow, and rarely needed

    try:
        return version("bpe-tui")
    except PackageNotFoundError:
        return "(not installed: run from its source)"


def report(error: BaseException) -> Path | None:
    """Write a report; return its path, or `None` if it cannot be written, or nothing is kept."""
    if _unkept is not None:
        return None
    from datetime import datetime  # slow, and nobody waits for a report

    stack = traceback.extract_tb(error.__traceback__)
    key = type(error).__name__, *(f"{each.filename}:{each.lineno}" for each in stack[-3:])
    if key not in _written:
        message = f": {str(error)[:2000]!r}" if os.environ.get(FULL) == "full" else ""
        program = f"bpe-tui {installed_version()}, Python {platform.python_version()}"
        trace = f"{''.join(stack.format())}{type(error).__name__}{message}"
        text = f"{program}, {sys.platform}\n{trace}\n".encode("utf-8", "backslashreplace")
        folder = state_file("reports")
        place = folder / f"{datetime.now().strftime('%Y-%m-%d-%H%M%S-%f')}.txt"
        _written[key] = place if write_state(place, text) else None
        for old in sorted(folder.glob("*.txt"))[:-REPORTS_KEPT]:
            with contextlib.suppress(OSError):
                old.unlink()
    return _written[key]


def describe_failure(error: BaseException) -> str:
    """Write a report; return a sentence that names the error and the report."""
    place = report(error)
    where = f"the report is in {place}" if place else "no report could be written"
    return f"This failed ({type(error).__name__}); {where}."
