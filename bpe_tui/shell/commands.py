"""The commands of a screen: its key bindings, its menus, and hints where a key works.

Also the meanings of the signs and words on the screens, for the legends and the help window.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import ClassVar, NamedTuple, cast

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.keys import key_to_character

from bpe_tui.session.commands import COMMANDS, lacking
from bpe_tui.session.declarations import (
    CHARTS,
    CHECK,
    COMPARISON,
    ENCODING,
    EVERYWHERE,
    FAMILY,
    INSPECTION,
    LESSON,
    MENUS,
    PIPELINE,
    RACE,
    TRAINING,
    VOCABULARY,
    Command,
    Model,
    shown_keys,
)
from bpe_tui.session.models import MODELS, kind_and_model
from bpe_tui.widgets.language import tr
from bpe_tui.widgets.lines import Lines, TextLines
from bpe_tui.widgets.rows import CHIPS_MEET, Row, Span, hanging_rows
from bpe_tui.widgets.visible import visible_text, width
from bpe_tui.widgets.window import Window


class Sign(NamedTuple):
    """A sign on the screen: its look, its name in a legend, and a sentence that explains it.

    Attributes:
        colourless: its text without colours, if that differs.
        chips: two tokens that it is with colours.
    """

    span: Span
    label: str
    sentence: str
    colourless: str = ""
    chips: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """Its name at the beginning of its line in the help."""
        label = tr(self.label)
        return f"{label[0].upper()}{label[1:]}."

    def look(self, *, marks: bool) -> list[Span]:
        """Return the sign as the screen draws it; with `marks` as it does without colours."""
        text, role = self.span
        if marks or not self.chips:
            return [(tr(self.colourless or text if marks else text), role)]
        chips = tr("|".join(self.chips)).split("|")
        return [span for chip in chips for span in ((chip, role), CHIPS_MEET)]


SIGNS = {
    "space": Sign(("·", ""), "space", "A space in the text; a real middle dot is ‹00B7›."),
    "newline": Sign(("⏎", ""), "newline", "The end of a line; ⇥ a tab; ␋ ␌ ␍ other controls."),
    "inside": Sign(("##", ""), "inside a word", "WordPiece: the piece continues a word."),
    "underline": Sign(("▁", ""), "space in pieces", "Unigram's way to write a space."),
    "pretoken": Sign(
        ("│", "border"), "pretoken edge", "No merge ever joins what it, or the gap, separates."
    ),
    "shared": Sign(
        ("▲", "tie"),
        "borders that both have",
        "Here all of the tokenizers cut; what is underlined they cut differently.",
    ),
    "token": Sign(
        ("┊", "base"),
        "tokens",
        "Filled with two greys by turns; b, or no colours, puts ┊ between two.",
        chips=("to", "ken"),
    ),
    "hue": Sign(("ab", "token-1"), "hue", "It belongs to a token's id: everywhere the same."),
    "parted": Sign(
        ("今▂▂▄", ""),
        "cut by tokens",
        "Below it each byte has a mark, equal for the bytes of one token.",
    ),
    "pair": Sign(("a+b", "border"), "a pair", "Two tokens side by side, which a merge may join."),
    "joining": Sign(
        ("a+b", "joining"),
        "joins next",
        "Blue, underlined: the next merge makes one token of the two.",
        chips=("a", "b"),
    ),
    "fresh": Sign(
        ("ab", "fresh"), "just merged", "Yellow: made at this step; «ab» without colours.", "«ab»"
    ),
    "stale": Sign(("9", "stale"), "old count", "Struck through: a count that is no longer true."),
    "claimed": Sign(
        ("┄", "stale-truth"), "stale part", "In the heap: what an old count claims too much."
    ),
    "bar": Sign(
        ("▄▖", "border"), "how much", "Its length shows a number; ┄ is the part that was lost."
    ),
    "cursor": Sign(("❯", "here"), "cursor", "Your row: Enter and the panels beside are about it."),
    "here": Sign(("▸", "pair"), "here", "The row of this step, or of what comes next."),
    "tie": Sign(
        ("┊", "tie"),
        "tied step",
        "On the slider: a merge that was tied, if they are few; ◆ a breakpoint.",
    ),
    "phase": Sign(
        ("┃", "strong"), "next phase", "On the slider: here the next phase of the training begins."
    ),
    "prune": Sign(("┊", "tie"), "prune", "On the slider: a step of Unigram that removes pieces."),
    "byte": Sign(
        ("<E4>", "base"),
        "byte",
        "A byte that is no character by itself, in hexadecimal.",
        chips=("E4",),
    ),
    "letter": Sign(("Ġ", ""), "space in files", "GPT-2's letter for a space; Ċ for a newline."),
    "hidden": Sign(("‹200D›", ""), "unseen", "A character that takes no room, by its code point."),
    "cut": Sign(("…", "dim"), "cut", "Something is left out for lack of room."),
    "switch": Sign(("●", "pair"), "on", "A filter that is on; ○ is one that is off."),
    "sorted": Sign(
        ("▲▼", "pair"), "sorted by", "The rows are sorted by this column; ▲ upwards, ▼ down."
    ),
    "curve": Sign(("⣀", "curve"), "up to here", "The part of a curve up to this step."),
    "paused": Sign(("‖", ""), "paused", "The player is paused; ▶ plays, ⇥ stays at the end."),
    "digamma": Sign(
        ("ψ", ""), "digamma", "Unigram: ln x, less for the rare; EM prefers few pieces."
    ),
    "lost": Sign(("✗", "loss"), "lost", "Something removed or beaten."),
}

LEGENDS = {
    LESSON: ("token", "pretoken", "pair", "joining", "fresh", "space", "newline", "byte"),
    TRAINING: (
        *("space", "pretoken", "token", "pair", "joining", "fresh", "stale", "claimed"),
        *("bar", "here", "newline", "byte", "tie"),
    ),
    ENCODING: (
        *("space", "pretoken", "token", "cursor", "here", "pair", "joining", "fresh"),
        *("newline", "byte", "cut"),
    ),
    VOCABULARY: ("space", "newline", "switch", "sorted", "byte", "hidden"),
    CHARTS: ("curve", "space", "byte"),
    INSPECTION: ("space", "byte", "hidden", "cut"),
    RACE: ("cut",),
    FAMILY: ("space", "token", "cursor", "byte", "cut"),
    CHECK: ("space", "pair", "here", "byte", "cut"),
    PIPELINE: ("space", "pretoken", "token", "fresh", "cursor", "letter", "hidden", "cut"),
    COMPARISON: ("shared", "parted", "space", "newline", "byte", "hidden", "cut"),
}
"""Kind of screen → the signs that it draws, the most important first."""
WITH_PIECES = (LESSON, TRAINING, ENCODING, VOCABULARY, INSPECTION)
"""Kinds of screens that write pieces as the files of their model do."""

WORDS = {
    "corpus": "The text that is learnt from; a document is a part between two special tokens.",
    "pretoken": "A piece that the pattern cuts from the text; merges never cross its edge.",
    "pattern": "The regular expression that cuts a text into pretokens.",
    "token": "Bytes or characters with one id; a special token is one id and never merges.",
    "pair": "Two tokens side by side, written a+b.",
    "count": "How often it occurs in the corpus, each pretoken as often as it occurs.",
    "merge": "To make one token of a pair, everywhere; a step is one merge.",
    "rank": "The place of a merge in a file, from 0: rank 45 is merge 46.",
    "tie": "Several pairs have the highest count; the tie rule says which one merges.",
    "tie rule": "Breaks ties: lexicographic (CS336), first-seen (minbpe), smallest-ids (rustbpe).",
    "heap": "A trainer's store of pairs that hands out the highest count at once.",
    "stale": "An entry of the heap whose count is no longer true; it is put right when popped.",
    "superword": "A token of several words, learnt in a phase that does not cut at spaces.",
    "twin": "A token that differs from another only by case or a leading space.",
    "never encoded": "A token that no text gives: its own bytes are encoded as other tokens.",
    "partial": "A token that is no valid UTF-8 by itself: a part of a character.",
    "compression": "Bytes of the corpus for each token: the more, the shorter the ids.",
    "piece": "A token of WordPiece or Unigram; ## continues a word.",
    "score": "WordPiece: the count of a pair, divided by the counts of both its parts.",
    "PMI": "Pointwise mutual information: the logarithm of P(ab) / (P(a) × P(b)).",
    "loss": "Unigram: how badly the pieces explain the corpus; a prune raises it least.",
    "n-gram": "A run of 1, 2, … words or characters, the textbook Unigram's piece.",
    "lattice": "Unigram: every way to spell a pretoken with the pieces there are.",
}


def legend_of(
    kind: str, model: Model | None = None, *, marks: bool = False, needed: Sequence[str] = ()
) -> tuple[tuple[Span, ...], ...]:
    """Return the signs of a screen's legend with their names, the model's own signs first.

    Args:
        kind: the kind of the screen.
        model: the model whose screen it is.
        marks: whether signs are drawn as they are without colours.
        needed: signs that the text needs; they come first where tokens are drawn.
    """
    names = LEGENDS.get(kind, ())
    if "fresh" in names:
        names = tuple(dict.fromkeys((*needed, *names)))
    if model is not None:
        first = model.signs if kind in WITH_PIECES else ()
        names = (*first, *(name for name in names if name not in model.undrawn))
    signs = (SIGNS[name] for name in names)
    marks = marks or kind == INSPECTION  # which spells bytes in the middle of texts
    return tuple((*sign.look(marks=marks), (f" {tr(sign.label)}", "dim")) for sign in signs)


@cache
def commands_on(screen: str) -> tuple[Command, ...]:
    """Return the commands of a screen, in the order of their declarations."""
    kind, model = kind_and_model(screen)
    refused = lacking(model)
    return tuple(
        command
        for command in COMMANDS
        if (screen in command.screens or kind in command.screens) and command.action not in refused
    )


@cache
def bound_commands(screen: str) -> dict[str, Command]:
    """Map keys to the commands of a screen, including refused ones.

    Pressing the keys of a refused command shows why it is refused, unless the model has another use
    for them.
    """
    kind, _ = kind_and_model(screen)
    every = [each for each in COMMANDS if screen in each.screens or kind in each.screens]
    keyed = (each for each in (*every, *commands_on(screen)) if each.keys and not each.menu)
    return {each.keys: each for each in keyed}


class MenuRows(TextLines, can_focus=True):
    """The commands of a menu."""

    PASSES_TEXT = True


class Menu(Window[Command | None]):
    """A window to choose one of several commands, by its letter or with Enter.

    Args:
        commands: the commands, at least one.
        is_on: whether a command is a switch that is on.
    """

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss(None)", "close")]

    def __init__(self, commands: Sequence[Command], is_on: Callable[[Command], bool]) -> None:
        super().__init__()
        self._commands, self._is_on = commands, is_on

    def compose(self) -> ComposeResult:
        rows = MenuRows("menu", self._rows, classes="window")
        rows.border_title = Content(tr(MENU_TITLES[self._commands[0].menu]))
        rows.border_subtitle = Content(tr("a letter or ↑ ↓ Enter │ Esc closes"))
        yield rows

    def _rows(self, cells: int) -> list[Row]:
        """Return the rows of all commands, their sentences wrapped."""
        return [row for command in self._commands for row in self._rows_of(command, cells)]

    def _rows_of(self, command: Command, cells: int) -> Iterator[Row]:
        on = ("● ", "pair") if self._is_on(command) else ("  ", "")
        widest = max(width(tr(each.label)) for each in self._commands) + 2
        label = tr(command.label) + " " * (widest - width(tr(command.label)))
        spans: list[Span] = [on, (f"{shown_keys(command.keys)}  ", "here"), (label, "strong")]
        return hanging_rows(spans, tr(command.help), cells, command, "dim")

    def on_key(self, event: events.Key) -> None:
        """Choose a command by its letter."""
        for command in self._commands:
            if event.character == shown_keys(command.keys):
                event.stop()
                self.dismiss(command)
                return

    def on_lines_chosen(self, event: Lines.Chosen) -> None:
        self.dismiss(cast("Command", event.target))


MENU_TITLES = {"next": "to the next …", "filter": "show only"}


def kinds_with(command: Command, model: Model) -> list[str]:
    """Return the kinds of screens of a model's session on which the command works."""
    lacks = lacking(model)
    return [
        kind
        for kind in EVERYWHERE
        if f"app.show('{kind}')" not in lacks and command in commands_on(model.screen(kind))
    ]


class PlacedCommand(NamedTuple):
    """A command, and the kind of screen or the model that has it, if it is not here."""

    command: Command
    kind: str = ""
    model: Model | None = None


def commands_elsewhere(screen: str, model: Model | None) -> Iterator[PlacedCommand]:
    """Yield the commands that a screen lacks, each once: of other screens, of other models."""
    known = {(command.action, command.label) for command in commands_on(screen)}
    for command in COMMANDS if model is not None else ():
        assert model is not None
        if (command.action, command.label) in known:
            continue
        if kinds := kinds_with(command, model):
            known.add((command.action, command.label))
            yield PlacedCommand(command, kinds[0])
            continue
        others = (each for each in MODELS.values() if each is not model)
        if other := next((each for each in others if kinds_with(command, each)), None):
            known.add((command.action, command.label))
            yield PlacedCommand(command, model=other)


def key_of_screen(kind: str) -> str:
    """Return the key that opens a kind of screen: 'charts' → '4'."""
    return next(each.shown for each in COMMANDS if each.action == f"app.show('{kind}')")


IN_PANELS = {"j": "the next row, in a panel with rows", "k": "the row before, in a panel with rows"}
"""Uses of the keys that panels have; a screen without rows has none for them."""


def explain_dead_key(key: str, model: Model | None, here: str = "") -> str | None:
    """Say where a key works that does nothing on the current screen; `None` for other keys.

    For example `v: heap view on 1 training`.

    Args:
        key: Textual's name of the key.
        model: the session's model; `None` if only the comparison is open.
        here: the kind of the current screen, such as "explain".
    """
    # A list of keys leaves out `=`, which is `+` without Shift.
    shown = visible_text(shown_keys(key) or key_to_character(key) or key, spaces=False)
    known = [each for each in COMMANDS if key in each.keys.split(",")]
    commands = [each for each in known if not each.menu] or known
    if any(command.action == f"app.show('{here}')" for command in commands):
        return tr("{shown}: {here} is this screen.", shown=shown, here=tr(here))
    uses = _uses(commands, model) if model is not None else ""
    if not uses and any(COMPARISON in command.screens for command in commands):
        uses = tr("to go between differences, on the comparison of tokenizers (d on 2 encoding)")
    if not uses and model is not None:
        for other in MODELS.values():
            if not uses and (found := _uses(commands, other)):
                template = "{uses}, with {title} (M changes the model)"
                uses = tr(template, uses=found, title=other.title)
    uses = uses or tr(IN_PANELS.get(key, ""))
    if uses:
        return f"{shown}: {uses}."
    if len(shown_keys(key)) != 1:
        return None  # such as PageUp where nothing scrolls
    return tr("{shown} is no key here; ? shows those that are.", shown=shown)


def _uses(commands: list[Command], model: Model) -> str:
    """List what the commands do on other screens of the session, each on the first that has it."""
    found: dict[str, str] = {}
    for kind in EVERYWHERE:
        for command in commands:
            if kind in kinds_with(command, model):
                menu = MENUS.get(command.menu, "")
                where = tr(" in the menu {menu}", menu=menu) if menu else ""
                found.setdefault(tr(command.label) + where, f"{key_of_screen(kind)} {tr(kind)}")
    template = "{label} on {screen}"
    return " │ ".join(tr(template, label=label, screen=screen) for label, screen in found.items())
