"""Kinds of screens, and how a command and a model are declared."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pkgutil import resolve_name
from typing import Any, NamedTuple

from engine.core.registry import Registry

LESSON, TRAINING, ENCODING = "explain", "training", "encoding"
VOCABULARY, CHARTS = "vocabulary", "charts"
FAMILY = "family"
INSPECTION, COMPARISON, RACE, PIPELINE = "inspection", "comparison", "race", "pipeline"
CHECK = "check"
OF_VOCABULARY = (VOCABULARY, INSPECTION)
"""Screens that show a vocabulary and encode nothing."""
OF_PANELS = (TRAINING, ENCODING, VOCABULARY, CHARTS, INSPECTION, RACE, FAMILY, PIPELINE, CHECK)
EVERYWHERE = (LESSON, *OF_PANELS)
"""Screens that show a session."""
VIEWS: Registry[str, str] = Registry("view", {kind: kind for kind in EVERYWHERE})
"""The kinds of screens to begin with."""
TABS = {
    LESSON: ("0", "explain", "explain"),
    TRAINING: ("1", "train", "train"),
    ENCODING: ("2", "encode", "encode"),
    VOCABULARY: ("3", "vocab", "voc"),
    CHARTS: ("4", "charts", "chart"),
    INSPECTION: ("5", "inspect", "insp"),
    RACE: ("6", "race", "race"),
    FAMILY: ("7", "family", "fam"),
    PIPELINE: ("8", "pipeline", "pipe"),
    CHECK: ("9", "check", "check"),
}
"""Kind of screen → its key, its name among the tabs, and its name where there is little room."""
WITH_PANELS = (*OF_PANELS, COMPARISON)
"""Screens with panels."""
ALWAYS = (LESSON, *WITH_PANELS)
START = "start"
"""The start page, which offers files and lessons."""
STEP, PLAY, LOOK, FILTER, DO = GROUPS = ("Step", "Play", "Look", "Filter", "Do")
"""The groups of commands in the help."""


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
    "full_stop": ".",
    "plus": "+",
    "minus": "−",
    "slash": "/",
    "question_mark": "?",
    "exclamation_mark": "!",
    "equals_sign": "",  # the key of + without Shift: not shown
}
"""Textual's name of a key → the name on the screen, if that differs."""


def shown_keys(keys: str) -> str:
    """Return keys as the screen shows them.

    >>> shown_keys("right,l"), shown_keys("plus,equals_sign"), shown_keys("ctrl+s")
    ('→ l', '+', 'Ctrl+S')
    """
    shown = []
    for key in keys.split(","):
        *held, last = key.split("+")
        name = _KEYS.get(last, last)
        if held and len(name) == 1:
            name = name.upper()
        shown.append("+".join([*map(str.capitalize, held), name]))
    return " ".join(filter(None, shown))


ANY, FIELD, READING = "any", "a field", "reading"
"""Places of a footer: any other panel or screen, a field to type in, a screen with no frame yet."""
SECOND_LINE = 100
"""Least rank in the second line of a footer."""
MENUS = {"next": "t", "filter": "F"}
"""Menu → the key that opens it."""


class Command(NamedTuple):
    """A command of the application: its keys, and its words in footer and help.

    Attributes:
        keys: Textual's names of its keys, with commas between.
        label: its name in the footer.
        action: Textual's action, of the application (`app.…`) or of the screen (`screen.…`).
        group: its group in the help.
        screens: the screens that have it, or kinds of screens: see `bpe_tui.session.models`.
        help: its line in the help.
        footer: where the footer shows it: the focused panel, the kind of screen, or `ANY` → its
            rank there, the lowest first; `FIELD` and `READING` stand for all panels.
        playing: its label in the footer while something plays, which shows no others.
        in_fields: whether its keys act while a text is being typed.
        words: more words that find it in the help.
        menu: the menu that has it, so that its keys act only there: a name in `MENUS`.
        only_bpe: the sentence that its keys give with other models; empty if they have it, too.
        of_merges: whether it does nothing for a tokenizer without merges.
        why_not: returns why it does nothing for what is open; `None` if it does something.
    """

    keys: str
    label: str
    action: str
    group: str
    screens: tuple[str, ...]
    help: str
    footer: Mapping[str, int] = {}
    playing: str = ""
    in_fields: bool = False
    words: str = ""
    menu: str = ""
    only_bpe: str = ""
    of_merges: bool = False
    why_not: Callable[[Any], str | None] | None = None

    @property
    def shown(self) -> str:
        """Its keys as the screen shows them, after the key of its menu."""
        return " ".join(filter(None, (MENUS.get(self.menu, ""), shown_keys(self.keys))))

    def rank(self, *places: str | None) -> int | None:
        """Return its rank in a footer, at the first of these places that it names."""
        return next(
            (self.footer[place] for place in places if place and place in self.footer), None
        )


KINDS = ("explain", "training", "encoding", "vocabulary", "charts", "inspection")
"""The kinds of screens that every model has, of its own or shared."""


class TrainerChoice(NamedTuple):
    """One of several trainers of a model, which learn by different rules.

    Attributes:
        name, title, summary: its names on the command line and in the list of models.
        units: the names of the units that it learns from, the default first; none if it has no
            choice.
        pattern: the pattern that it needs with the default units; empty for any.
    """

    name: str
    title: str
    summary: str
    units: tuple[str, ...] = ()
    pattern: str = ""


@dataclass(frozen=True, eq=False)
class Model:
    """A model to train. Its parts are named as `module:object`, and imported when needed.

    Attributes:
        name, title, summary: its names on the command line, in headings, in the list of models.
        training: the module with `start`, `outputs` and `write`; see `bpe_tui.bpe.model`.
        transcript: the class that answers commands about a recording without a screen.
        save: the class of the window that saves the tokenizer of a step.
        screens: the model's own screens, named like `wordpiece-charts`. A kind without one uses the
            screen that is named like the kind.
        steps_a_second: the speed of playing at first.
        counts_bytes: whether the 256 bytes are tokens, so that a vocabulary needs room for them.
        formats: the formats that `train` writes, the default first.
        options: names of the options of BPE that it has as well.
        trainers: its trainers if they learn by different rules, the default first.
        commands: the commands that only its screens have.
        refused: action of a command that it alone lacks → the sentence that its key shows.
        signs: the signs that its pieces are written with, for the legends.
        undrawn: signs of the legends that its screens never draw.
    """

    name: str
    title: str
    summary: str
    training: str
    transcript: str
    save: str
    screens: Mapping[str, str] = field(default_factory=dict)
    steps_a_second: int = 10
    counts_bytes: bool = False
    formats: tuple[str, ...] = ()
    options: frozenset[str] = frozenset()
    trainers: tuple[TrainerChoice, ...] = ()
    commands: tuple[Command, ...] = ()
    refused: Mapping[str, str] = field(default_factory=dict)
    signs: tuple[str, ...] = ()
    undrawn: tuple[str, ...] = ()

    def part(self, name: str) -> Any:
        """Import a part: `training`, `transcript` or `save`."""
        return resolve_name(getattr(self, name))

    def screen(self, kind: str) -> str:
        """Return the name of the screen of a kind: the model's own, or the shared one."""
        own = f"{self.name}-{kind}"
        return own if own in self.screens else kind
