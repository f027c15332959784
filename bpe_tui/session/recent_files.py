"""What was opened of late, kept in a small file from one run to the next.

The file is nobody's word: whatever cannot be understood in it is left out, and where it cannot be
read or written there is just no memory.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence

from bpe_tui.session.config import Config, RunConfig
from bpe_tui.session.state import kept_in, remember_in, state_file
from engine.text.corpus import PLAIN, Reading
from engine.text.remote import is_address, without_credentials

# What was opened of late.

FIELD, SKIP_BAD = " --field ", " --skip-bad"
"""What may be typed behind the name of a corpus, about its records."""
RECENT, KEPT = "recent.json", 20
LONGEST_NAME = 4096

Given = tuple[str, ...]
"""A path or a known name; or two paths, of a vocabulary and its merges."""


def recent() -> list[Given]:
    """What was opened, the latest first."""
    entries = kept_in(RECENT)
    if not isinstance(entries, list):
        return []
    return [tuple(entry) for entry in entries if _is_given(entry)][:KEPT]


def _is_given(entry: object) -> bool:
    return (
        isinstance(entry, list)
        and 1 <= len(entry) <= 2
        and all(isinstance(name, str) and 0 < len(name) < LONGEST_NAME for name in entry)
    )


def remember(config: Config) -> None:
    """Put what `config` opens at the head of the list."""
    names = (config.corpus or "", *config.reading.more)
    if len(names) > 1 or without_credentials(names[0]) != names[0]:
        return
    latest: list[Given] = []
    if config.corpus is not None and config.corpus != "-":
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
    remember_in(state_file(RECENT), content)


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


def parse_typed(typed: str) -> Given:
    """What `as_typed` has written: two paths only where there is none of the whole name."""
    first, between, second = typed.partition(" and ")
    whole = os.path.expanduser(typed)
    if not between or os.path.exists(whole):
        return (whole,)
    return os.path.expanduser(first.strip()), os.path.expanduser(second.strip())
