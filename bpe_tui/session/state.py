"""What the program remembers from one run to the next: small files that only their owner may read.

A file is nobody's word: what cannot be understood in it is left out. Where it cannot be read or
written there is just no memory.
"""

from __future__ import annotations

import contextlib
import json
import os
import platform
import sys
import traceback
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from platformdirs import user_state_path

from bpe_tui.session.config import Config, RunConfig
from bpe_tui.session.declarations import LESSON, TRAINING
from engine.core.errors import OutputError
from engine.core.files import sweep, write_files
from engine.text.corpus import PLAIN, Reading
from engine.text.remote import is_address, without_credentials
from engine.text.sources import STANDARD_INPUT

LARGEST = 1 << 20
"""Bytes of a file that are read."""


def state_file(name: str) -> Path:
    """Where something is remembered."""
    return user_state_path("bpe-tui", appauthor=False) / name


def write_state(path: Path, content: bytes) -> bool:
    """Write it for its owner only, and say whether that was possible."""
    with contextlib.suppress(OutputError, OSError):
        write_files({path: content}, overwrite=True, private=True)
        for private in (path, path.parent):  # they may be older than this rule
            private.chmod(0o600 if private == path else 0o700)
        sweep(path.parent)
        return True
    return False


def read_state(name: str) -> Any:
    """The JSON of a file of that name; `None` if there is none that can be read."""
    try:
        with state_file(name).open("rb") as file:
            return json.loads(file.read(LARGEST))
    except (OSError, ValueError, RecursionError):
        return None


# How the user likes the screen.

PREFERENCES = "preferences.json"
OVERVIEWS = (TRAINING, LESSON)
"""The kinds of screens that show a training first: all panels, or step by step."""


@dataclass(frozen=True)
class Preferences:
    """What is kept.

    Attributes:
        overview: the kind of screen that shows a training first, the one chosen last.
        motion: whether the lesson view tells steps beat by beat.
    """

    overview: str = TRAINING
    motion: bool = True


def preferences() -> Preferences:
    """What was kept; of what was not, the usual."""
    kept = read_state(PREFERENCES)
    known = kept if isinstance(kept, dict) else {}
    found = Preferences()
    if known.get("overview") in OVERVIEWS:
        found = replace(found, overview=known["overview"])
    return replace(found, motion=known.get("motion") is not False)


def save_preferences(**changes: Any) -> None:
    """Keep some preferences beside the others; nothing is written if nothing changes."""
    before = preferences()
    after = replace(before, **changes)
    if after != before:
        write_state(state_file(PREFERENCES), json.dumps(asdict(after)).encode())


# What was opened recently.

FIELD, SKIP_BAD = " --field ", " --skip-bad"
"""What may be typed behind the name of a corpus, about its records."""
RECENT, KEPT = "recent.json", 20
LONGEST_NAME = 4096

GivenNames = tuple[str, ...]
"""A path or a known name; or two paths, of a vocabulary and its merges; or a corpus's files.

Options about records stand behind them, as `as_reading` takes them.
"""


def recent() -> list[GivenNames]:
    """What was opened, the latest first."""
    entries = read_state(RECENT)
    if not isinstance(entries, list):
        return []
    return [tuple(entry) for entry in entries if _is_given(entry)][:KEPT]


def _is_given(entry: object) -> bool:
    return (
        isinstance(entry, list)
        and 1 <= len(entry) <= 2
        and all(isinstance(name, str) and 0 < len(name) < LONGEST_NAME for name in entry)
    )


def remember_opened(config: Config) -> None:
    """Put what `config` opens at the head of the list."""
    names = (config.corpus or "", *config.reading.more)
    if len(names) > 1 or without_credentials(names[0]) != names[0]:
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
    content = json.dumps(entries, indent=1).encode()
    write_state(state_file(RECENT), content)


def _absolute(name: str) -> str:
    """A path that means the same elsewhere; what is no file and no glob is a name, and stays."""
    is_glob = "*" in name and not is_address(name)
    return os.path.abspath(name) if is_glob or os.path.exists(name) else name


def as_typed(given: Sequence[str]) -> str:
    """Paths as people type them: `vocab.json and merges.txt`, `~/texts/a.txt`."""
    home = os.path.expanduser("~")
    return " and ".join(
        "~" + name[len(home) :] if name.startswith(home + os.sep) else name for name in given
    )


def as_reading(typed: str) -> tuple[str, Reading]:
    """A name, and the options about records that may stand behind it, as in a shell.

    >>> as_reading("a.jsonl --field text --skip-bad")
    ('a.jsonl', Reading(more=(), field='text', skip_bad=True))
    """
    named = typed.removesuffix(SKIP_BAD)
    name, between, field = named.rpartition(FIELD)
    if not between or not name.strip() or os.path.exists(typed):
        return typed, PLAIN
    return name.strip(), Reading(field=field.strip(), skip_bad=named != typed)


def parse_typed(typed: str) -> GivenNames:
    """What `as_typed` has written: two paths only where there is none of the whole name."""
    first, between, second = typed.partition(" and ")
    whole = os.path.expanduser(typed)
    if not between or os.path.exists(whole):
        return (whole,)
    return os.path.expanduser(first.strip()), os.path.expanduser(second.strip())


# Reports of what went wrong in the program itself: where it happened, not what was on the screen.
#
# A message of Python's may quote the corpus, so a report leaves it out unless `BPE_TUI_REPORT=full`
# is set. Reports are for their owner only, and the oldest give way.


REPORTS_KEPT = 20
FULL = "BPE_TUI_REPORT"

_written: dict[tuple[str, ...], Path | None] = {}
"""Where it happened → the report: what fails with every key is reported once."""


def report(error: BaseException) -> Path | None:
    """Write a report; its place, or `None` if none can be written."""
    stack = traceback.extract_tb(error.__traceback__)
    key = type(error).__name__, *(f"{each.filename}:{each.lineno}" for each in stack[-3:])
    if key not in _written:
        _written[key] = _write(_text_of(error, stack))
    return _written[key]


def _text_of(error: BaseException, stack: traceback.StackSummary) -> str:
    said = f": {str(error)[:2000]!r}" if os.environ.get(FULL) == "full" else ""
    from importlib.metadata import version  # it reads mails, too, and nothing has failed so far

    versions = f"bpe-tui {version('bpe-tui')}, Python {platform.python_version()}, {sys.platform}"
    return f"{versions}\n{''.join(stack.format())}{type(error).__name__}{said}\n"


def _write(text: str) -> Path | None:
    folder = state_file("reports")
    now = datetime.now().strftime("%Y-%m-%d-%H%M%S-%f")
    place = folder / f"{now}.txt"
    if not write_state(place, text.encode("utf-8", "backslashreplace")):
        return None
    for old in sorted(folder.glob("*.txt"))[:-REPORTS_KEPT]:
        with contextlib.suppress(OSError):
            old.unlink()
    return place


def describe_failure(error: BaseException) -> str:
    """Write a report, and say in a sentence that something failed and where the report lies."""
    place = report(error)
    where = f"the report is in {place}" if place else "no report could be written"
    return f"This failed ({type(error).__name__}); {where}."
