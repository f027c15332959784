"""What a command is, and on which screens there are some."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bpe_tui.widgets.controls import FooterKey

LESSON, TRAINING, ENCODING = "lesson", "training", "encoding"
VOCABULARY, CHARTS = "vocabulary", "charts"
FAMILY = "family"
INSPECTION, COMPARISON, RACE, PIPELINE = "inspection", "comparison", "race", "pipeline"
CHECK = "check"
OF_VOCABULARY = (VOCABULARY, INSPECTION)
"""What shows a vocabulary, and encodes nothing."""
OF_PANELS = (TRAINING, ENCODING, VOCABULARY, CHARTS, INSPECTION, RACE, FAMILY, PIPELINE, CHECK)
EVERYWHERE = (LESSON, *OF_PANELS)
"""Where a session is shown."""
WITH_PANELS = (*OF_PANELS, COMPARISON)
"""Where there are panels to move about in."""
ALWAYS = (LESSON, *WITH_PANELS)
START = "start"
"""The page of what there is to open, where nothing is open yet."""
STEP, PLAY, LOOK, FILTER, DO = GROUPS = ("Step", "Play", "Look", "Filter", "Do")
"""The groups of commands, as the help has them."""


_KEYS = {
    "escape": "Esc",
    "tab": "Tab",
    "backspace": "⌫",
    "home": "Home",
    "end": "End",
    "right": "→",
    "left": "←",
    "less_than_sign": "<",
    "greater_than_sign": ">",
    "left_square_bracket": "[",
    "right_square_bracket": "]",
    "full_stop": ".",
    "plus": "+",
    "minus": "-",
    "slash": "/",
    "percent_sign": "%",
    "question_mark": "?",
    "exclamation_mark": "!",
    "equals_sign": "",  # the key of + without Shift: nobody need be told
}
"""Textual's name of a key → how a person reads it, where that is another word."""


def shown_keys(keys: str) -> str:
    """Keys as a person reads them.

    >>> shown_keys("right,l"), shown_keys("plus,equals_sign"), shown_keys("ctrl+s")
    ('→ l', '+', 'Ctrl+S')
    """
    return " ".join(filter(None, map(_shown_key, keys.split(","))))


def _shown_key(key: str) -> str:
    *held, last = key.split("+")
    name = _KEYS.get(last, last)
    return "+".join([*map(str.capitalize, held), name.upper() if held and len(name) == 1 else name])


@dataclass(frozen=True)
class Command:
    """A thing to do.

    Attributes:
        action: of the application (`app.…`) or of the screen (`screen.…`), as Textual calls it.
        keys: Textual's names of the keys that do it, with commas between.
        label: what the footer calls it.
        help: a line that says what it does.
        group: where the help has it.
        screens: the screens that it is on, or the kinds of screens: see `bpe_tui.session.models`.
        in_footer: whether the footer shows it.
        in_fields: whether its keys act while a text is being typed.
        words: what else one may look for and mean it.
        in_reading: whether the footer shows it while the corpus is still being read.
    """

    action: str
    keys: str
    label: str
    help: str
    group: str
    screens: tuple[str, ...] = EVERYWHERE
    in_footer: bool = False
    in_fields: bool = False
    in_reading: bool = False
    words: str = ""

    @property
    def shown(self) -> str:
        """Its keys as a person reads them."""
        return shown_keys(self.keys)

    @property
    def key(self) -> FooterKey:
        """What the footer shows."""
        from bpe_tui.widgets.controls import (
            FooterKey,  # the command line knows commands without Textual
        )

        return FooterKey(self.shown.split()[0], self.label, self.action)


def on(screens: tuple[str, ...], *commands: Command) -> tuple[Command, ...]:
    """The commands, on these screens or kinds of screens."""
    return tuple(replace(command, screens=screens) for command in commands)
