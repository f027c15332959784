"""Every command, declared once: its keys, footer label, help line and palette entry come from here.

An action named `app.…` is a method of the application, `screen.…` one of the screen.
"""

from __future__ import annotations

from dataclasses import dataclass

from textual.binding import Binding, BindingType
from textual.command import DiscoveryHit, Hit, Hits, Provider

from bpe_tui.widgets.key_bar import Key

TRAINING, ENCODING, VOCABULARY, CHARTS = "training", "encoding", "vocabulary", "charts"
EVERYWHERE = (TRAINING, ENCODING, VOCABULARY, CHARTS)


@dataclass(frozen=True)
class Command:
    """A thing to do. `keys` are Textual's names; `shown` is how a person reads them.

    The footer shows it if `in_footer`. While a text is being typed only commands `in_fields` have
    their keys; while the corpus is still being read the footer shows those `in_reading`.
    """

    action: str
    keys: str
    shown: str
    label: str
    help: str
    group: str
    screens: tuple[str, ...] = EVERYWHERE
    in_footer: bool = False
    in_fields: bool = False
    in_reading: bool = False

    @property
    def key(self) -> Key:
        """What the footer shows."""
        return Key(self.shown.split()[0], self.label, self.action)


_STEP, _PLAY, _LOOK, _FILTER, _DO = "Step", "Play", "Look", "Filter", "Do"
_HERE = (TRAINING,)
_THERE = (ENCODING,)
_TOKENS = (VOCABULARY,)
_STEPPED = (TRAINING, VOCABULARY, CHARTS)
"""Where the arrows step through the merges of the run."""
_OVER_STEPS = (TRAINING, CHARTS)
"""Where the run is played."""

COMMANDS: tuple[Command, ...] = (
    Command(
        "screen.leave",
        "escape",
        "Esc",
        "leave",
        "Back: leave a field, a zoom, the reading; or to where a row led from.",
        _LOOK,
        in_footer=True,
        in_fields=True,
        in_reading=True,
    ),
    Command("app.step(1)", "right,l", "→ l", "next", "One merge forward.", _STEP, _STEPPED, True),
    Command("app.step(-1)", "left,h", "← h", "back", "One merge back.", _STEP, _STEPPED, True),
    Command(
        "screen.walk(1)",
        "right,l",
        "→ l",
        "next",
        "Next merge of the pretoken.",
        _STEP,
        _THERE,
        True,
    ),
    Command(
        "screen.walk(-1)",
        "left,h",
        "← h",
        "back",
        "Merge before, in the pretoken.",
        _STEP,
        _THERE,
        True,
    ),
    Command(
        "app.play",
        "space",
        "space",
        "play",
        "Play the recording, or pause it.",
        _PLAY,
        _OVER_STEPS,
        True,
    ),
    Command(
        "screen.play",
        "space",
        "space",
        "play",
        "Play the merges of the pretoken.",
        _PLAY,
        _THERE,
        True,
    ),
    Command("app.step(100)", "right_square_bracket", "]", "+100", "100 merges forward.", _STEP),
    Command("app.step(-100)", "left_square_bracket", "[", "−100", "100 merges back.", _STEP),
    Command(
        "screen.sub_step",
        "full_stop",
        ".",
        "move",
        "One move of the next merge: a pop or a push in the heap, or a line of the pseudocode.",
        _STEP,
        _HERE,
    ),
    Command("app.tie(1)", "t", "t", "tie", "To the next merge that was tied.", _STEP, _OVER_STEPS),
    Command("app.tie(-1)", "T", "T", "tie", "To the tied merge before.", _STEP, _OVER_STEPS),
    Command(
        "app.breakpoints",
        "b",
        "b",
        "breakpoints",
        "Breakpoints: what to stop at, such as a tie, a token, a count below 50.",
        _STEP,
        _HERE,
    ),
    Command(
        "app.run_to_breakpoint",
        "n",
        "n",
        "run",
        "Run to the next breakpoint.",
        _STEP,
        _HERE,
    ),
    Command(
        "app.what_if",
        "i",
        "i",
        "what if",
        "What if it went another way here: another pair, tie rule, pattern, a document less.",
        _DO,
        _HERE,
    ),
    Command("app.first", "home,less_than_sign", "Home <", "start", "To step 0.", _STEP, _STEPPED),
    Command(
        "app.last", "end,greater_than_sign", "End >", "end", "To the last step.", _STEP, _STEPPED
    ),
    Command(
        "screen.walk(-1000000)",
        "home,less_than_sign",
        "Home <",
        "bytes",
        "The pretoken in single bytes.",
        _STEP,
        _THERE,
    ),
    Command(
        "screen.walk(1000000)",
        "end,greater_than_sign",
        "End >",
        "end",
        "The pretoken with all its merges.",
        _STEP,
        _THERE,
    ),
    Command("app.speed(1)", "plus,equals_sign", "+", "faster", "Play faster.", _PLAY, _OVER_STEPS),
    Command("app.speed(-1)", "minus", "-", "slower", "Play slower.", _PLAY, _OVER_STEPS),
    Command(
        "app.follow",
        "f",
        "f",
        "follow",
        "Stay at the live end while training runs.",
        _PLAY,
        _OVER_STEPS,
    ),
    Command(
        "screen.next_panel(1)",
        "tab",
        "Tab",
        "panel",
        "Next panel; Shift+Tab the one before.",
        _LOOK,
        in_footer=True,
        in_fields=True,
    ),
    Command(
        "screen.type",
        "e",
        "e",
        "type",
        "Type text to encode; Esc leaves.",
        _DO,
        (TRAINING, ENCODING),
        in_footer=True,
    ),
    Command("screen.search", "slash", "/", "search", "Search the tokens.", _LOOK, _TOKENS, True),
    Command("screen.sort", "o", "o", "order", "Sort by the next column.", _LOOK, _TOKENS, True),
    Command("screen.reverse", "O", "O", "turn round", "Turn the order round.", _LOOK, _TOKENS),
    Command(
        "screen.fold", "space", "space", "fold", "Fold a part of the tree.", _LOOK, _TOKENS, True
    ),
    Command(
        "screen.filter('partial')",
        "p",
        "p",
        "partial",
        "Only tokens that are not valid UTF-8 by themselves.",
        _FILTER,
        _TOKENS,
    ),
    Command(
        "screen.filter('unused')",
        "u",
        "u",
        "unused",
        "Only tokens never used in the corpus now.",
        _FILTER,
        _TOKENS,
    ),
    Command(
        "screen.filter('unreachable')",
        "d",
        "d",
        "unreachable",
        "Only dead tokens: encoding their own bytes gives something else.",
        _FILTER,
        _TOKENS,
    ),
    Command(
        "screen.filter('twins')",
        "y",
        "y",
        "twins",
        "Only tokens that differ from another by case or a leading space.",
        _FILTER,
        _TOKENS,
    ),
    Command(
        "screen.lanes",
        "a",
        "a",
        "lanes",
        "The text in three lanes, characters, bytes, tokens; or in tokens and ids.",
        _LOOK,
        _THERE,
        True,
    ),
    Command(
        "app.show('training')",
        "1",
        "1",
        "train",
        "The training screen.",
        _LOOK,
        (ENCODING, VOCABULARY, CHARTS),
        True,
    ),
    Command(
        "app.show('encoding')",
        "2",
        "2",
        "encode",
        "The encoding screen.",
        _LOOK,
        (TRAINING, VOCABULARY, CHARTS),
        True,
    ),
    Command(
        "app.show('vocabulary')",
        "3",
        "3",
        "vocabulary",
        "The vocabulary screen.",
        _LOOK,
        (TRAINING, ENCODING, CHARTS),
        True,
    ),
    Command(
        "app.show('charts')",
        "4",
        "4",
        "charts",
        "The run in charts.",
        _LOOK,
        (TRAINING, ENCODING, VOCABULARY),
        True,
    ),
    Command("app.go_to", "g", "g", "go to", "Go to a step by its number.", _STEP, EVERYWHERE, True),
    Command(
        "screen.next_panel(-1)",
        "shift+tab",
        "Shift+Tab",
        "panel",
        "The panel before.",
        _LOOK,
        in_fields=True,
    ),
    Command(
        "screen.zoom",
        "z",
        "z",
        "zoom",
        "Give the panel the whole screen; z or Esc takes it back.",
        _LOOK,
        EVERYWHERE,
        True,
    ),
    Command(
        "screen.heap_view",
        "v",
        "v",
        "heap view",
        "The heap as a table, as an array, as a tree.",
        _LOOK,
        _HERE,
    ),
    Command(
        "screen.ask", "w", "w", "why not", "Ask why a piece is not one token.", _LOOK, _THERE, True
    ),
    Command(
        "screen.show('lockstep')",
        "c",
        "c",
        "compare",
        "Encoders side by side, up to where greedy longest match parts.",
        _LOOK,
        _THERE,
        True,
    ),
    Command(
        "screen.show('regex')",
        "r",
        "r",
        "regex",
        "Try another regex on the text, and compare it with a pattern.",
        _LOOK,
        _THERE,
        True,
    ),
    Command(
        "screen.show('pseudocode')",
        "p",
        "p",
        "pseudocode",
        "To the pseudocode of the trainer; w takes its place back.",
        _LOOK,
        _HERE,
    ),
    Command("screen.show('words')", "w", "w", "words", "To the words touched.", _LOOK, _HERE),
    Command("screen.show('merges')", "m", "m", "merges", "To the list of merges.", _LOOK, _HERE),
    Command("app.save", "s", "s", "save", "Save the tokenizer as it is at this step.", _DO),
    Command(
        "app.export",
        "x",
        "x",
        "export",
        "Export the screen, steps or the charts into a file.",
        _DO,
    ),
    Command(
        "app.light",
        "ctrl+t",
        "Ctrl+T",
        "light",
        "Light or dark colours.",
        _LOOK,
        in_fields=True,
    ),
    Command(
        "app.command_palette",
        "ctrl+p",
        "Ctrl+P",
        "palette",
        "Find a command by words.",
        _LOOK,
        in_fields=True,
    ),
    Command(
        "app.help",
        "question_mark",
        "?",
        "help",
        "All keys.",
        _LOOK,
        in_footer=True,
        in_reading=True,
    ),
    Command("app.quit", "q", "q", "quit", "Leave.", _DO, in_footer=True, in_reading=True),
    Command(
        "app.quit",
        "ctrl+q",
        "Ctrl+Q",
        "quit",
        "Leave, from inside a field too.",
        _DO,
        in_fields=True,
    ),
)


def commands_on(screen: str) -> list[Command]:
    """The commands of a screen, in their order."""
    return [command for command in COMMANDS if screen in command.screens]


def bindings_on(screen: str) -> list[BindingType]:
    """The key bindings of a screen; each calls its `action_press` with the command's place.

    All have priority: such a key is acted on when it is read. Others wait in the queue of the
    widget that had the focus then, and a key that moves the focus would be overtaken by the next.
    """
    return [
        Binding(command.keys, f"screen.press({place})", command.label, priority=True)
        for place, command in enumerate(COMMANDS)
        if screen in command.screens
    ]


class CommandProvider(Provider):
    """Puts the commands of the screen into the command palette."""

    async def discover(self) -> Hits:
        for command in self._here():
            yield DiscoveryHit(command.help, self._doing(command), help=f"key {command.shown}")

    async def search(self, query: str) -> Hits:
        matcher = self.matcher(query)
        for command in self._here():
            score = matcher.match(f"{command.help} {command.label}")
            if score > 0:
                yield Hit(
                    score,
                    matcher.highlight(command.help),
                    self._doing(command),
                    help=f"key {command.shown}",
                )

    def _here(self) -> list[Command]:
        return commands_on(self.screen.id or "")

    def _doing(self, command: Command):  # type: ignore[no-untyped-def]
        async def run() -> None:
            await self.screen.run_action(command.action)

        return run
