"""`--kiosk`: a session for strangers. Nothing is saved, and nothing else is opened.

The commands that reach files are refused; the application asks `refusal_of` before each action.
What the program itself keeps, such as preferences, counts and reports, is not kept either.
"""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Final

from bpe_tui.session.commands import COMMANDS
from bpe_tui.session.config import Config, RunConfig
from engine.core.errors import BpeError
from engine.text.remote import is_address

REFUSED: Final = "This is a kiosk: it saves and exports nothing, and opens no other file."
_FILE_ACTIONS = frozenset(command.action for command in COMMANDS if command.reaches_files)


class KioskError(BpeError):
    """The command line names something that a kiosk would fetch."""


def refusal_of(action: str) -> str | None:
    """Return the sentence for an action that a kiosk refuses; `None` for others.

    >>> refusal_of("app.step(1)"), refusal_of("app.export") == REFUSED
    (None, True)
    """
    return REFUSED if action in _FILE_ACTIONS else None


def for_kiosk(config: Config) -> Config:
    """Return the config without the cache of counts.

    Raises:
        KioskError: a corpus is an address, or a tokenizer is no file.
    """
    corpora = (config.corpus or "", *config.reading.more)
    if fetched := [name for name in corpora if is_address(name)]:
        raise KioskError(f"a kiosk reaches no network, and {fetched[0]} is an address")
    if not isinstance(config, RunConfig):
        if known := [name for name in config.paths if not os.path.exists(name)]:
            raise KioskError(f"a kiosk opens files only, and {known[0]} is none; give its file")
        otherwise = config.otherwise and replace(config.otherwise, cache=False)
        return replace(config, cache=False, otherwise=otherwise)
    return replace(config, cache=False)
