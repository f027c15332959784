"""What a command is, and on which screens there are some."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any

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

    keys: str
    label: str
    action: str
    group: str
    screens: tuple[str, ...]
    help: str
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


KINDS = ("lesson", "training", "encoding", "vocabulary", "charts", "inspection")
"""The kinds of screens that each model has, of its own or shared with others."""


@dataclass(frozen=True)
class Model:
    """A model to train. Its parts are named as `module:object`, and imported when asked for.

    Attributes:
        name, title, summary: as the command line, a heading and the list of models call it.
        training: the module with `start`, `outputs` and `write`; see `bpe_tui.bpe.model`.
        transcript: the class that tells a recording without a screen.
        save: the class of the window that saves what is shown.
        exports: the kinds of files that can be exported.
        screens: the model's own screens. One of a kind is called `wordpiece-charts`; where a model
            has none of its own, it is the one that is called like the kind.
        steps_a_second: how fast it is played at first.
        merges_by_score: whether its merges have scores, besides counts, to stop at.
        counts_bytes: whether the 256 bytes are tokens, so that a vocabulary has room for them.
        formats: those that `train` writes it in, the first unless another is asked for.
        options: names of those of BPE's options that it has, too.
        commands: those that only its screens have.
        refused: action of a command → what it is for, where this model has no such thing.
        signs: what its pieces are written with, for the legends.
        undrawn: signs of the legends that its screens never draw.
    """

    name: str
    title: str
    summary: str
    training: str
    transcript: str
    save: str
    exports: str
    screens: Mapping[str, str] = field(default_factory=dict)
    steps_a_second: int = 10
    merges_by_score: bool = False
    counts_bytes: bool = False
    formats: tuple[str, ...] = ()
    options: frozenset[str] = frozenset()
    commands: tuple[Command, ...] = ()
    refused: Mapping[str, str] = field(default_factory=dict)
    signs: tuple[str, ...] = ()
    undrawn: tuple[str, ...] = ()

    def part(self, name: str) -> Any:
        """One of the parts that are named: `training`, `transcript`, `save` or `exports`."""
        return resolve_name(getattr(self, name))

    def screen(self, kind: str) -> str:
        """The screen of a kind; there is one for all models if the model has none of its own."""
        own = f"{self.name}-{kind}"
        return own if own in self.screens else kind
