"""The base of screens about the session: its frame, the tabs above, the ways that rows lead."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any, ClassVar, cast

from textual.geometry import Size
from textual.reactive import reactive
from textual.widgets import Input

from bpe_tui.session.commands import COMMANDS
from bpe_tui.session.config import TokenizerConfig
from bpe_tui.session.declarations import ENCODING, PIPELINE, TABS, Command, Model
from bpe_tui.session.host import Host
from bpe_tui.session.languages import following_language, own_name
from bpe_tui.session.models import kind_and_model
from bpe_tui.session.refusals import refusal_of
from bpe_tui.session.session import Session
from bpe_tui.shell.model_view import ANY_MODEL, ModelView
from bpe_tui.shell.panel import TokenPainter, TokenPanel
from bpe_tui.shell.panel_screen import PanelScreen
from bpe_tui.shell.targets import ToOpening, ToPair
from bpe_tui.widgets.controls import Scrubber, Tab, TabLine
from bpe_tui.widgets.language import tr
from bpe_tui.widgets.lines import Lines, RowList
from bpe_tui.widgets.numbers import number
from bpe_tui.widgets.rows import Row
from bpe_tui.words.narration import fitting_facts, heading

if TYPE_CHECKING:
    from bpe_tui.widgets.chart import Chart  # the charts of other screens


def tabs_of(session: Session) -> tuple[Tab, ...]:
    """Return a tab for each screen; those that have nothing to show for this session are dim."""
    is_ready = session.shown is not None
    return tuple(
        Tab(
            key,
            tr(name),
            tr(short),
            f"app.show('{kind}')",
            is_ready and refusal_of(f"app.show('{kind}')", session) is None,
        )
        for kind, (key, name, short) in TABS.items()
    )


MOVES = "screen.forward(1)", "screen.forward(-1)"
"""The actions that step through a run."""
ABOUT_FRAMES = frozenset(
    name.split("(")[0]
    for command in COMMANDS
    for namespace, _, name in [command.action.partition(".")]
    if namespace == "screen"
) - {"leave"}
"""The names of the screens' own actions, which need a frame."""


class NoTextCard(RowList):
    """A card that offers to open a text, shown while no corpus is open."""

    BORDER_TITLE = "no text to count in"
    IS_TABLE = False

    def __init__(self) -> None:
        ways = tr("open a text or sample for race, family, check")
        super().__init__("no-text", [Row([("↵ ", "here"), (tr(ways), "")], ToOpening())])


class SessionScreen(PanelScreen):
    """A screen of panels about the session's frame. Rows lead elsewhere, ⌫ leads back."""

    TABS = Size(0, 1)
    VIEW: ClassVar[ModelView] = ANY_MODEL
    """The model whose frame the screen shows."""
    SHOWS_STEP: ClassVar[bool] = True
    """Whether the step is beside the tabs, or in the heading if it has no room there."""

    frame: reactive[Any] = reactive(None, repaint=False)
    """The frame at the session's cursor, of the model's own kind."""
    _tabs_of: tuple[object, ...] | None = None
    """All that the tabs depend on, when they were made."""

    @property
    def host(self) -> Host:
        return cast("Host", self.app)

    @property
    def named_keys(self) -> Collection[str] | None:
        return self.host.guide.named_keys if self.host.has_guide else None

    @property
    def needed_signs(self) -> Sequence[str]:
        return () if self.session.text.isascii() else ("parted", "byte")

    @property
    def session(self) -> Session:
        return self.host.session

    @property
    def model(self) -> Model | None:
        return self.session.model

    @property
    def typed(self) -> str:
        """The text that has been typed on the screen."""
        return self.session.typed or ""

    def on_mount(self) -> None:
        self.show_session(self.session)

    def on_screen_resume(self) -> None:
        if self.is_mounted:
            self._show_lesson()
            self.show_session(self.session)

    on_resize = on_screen_resume

    def _show_lesson(self) -> None:
        """Show the text of the open lesson, if there is one, and the keys in its language."""
        if self.host.has_guide:
            self.host.guide.attend(self)
        elif self.is_current and self.is_mounted:
            self.show_keys()

    def set_back(self) -> None:
        """Take back what keys have shown or hidden here; a scene of a lesson begins with this."""

    def shows(self, session: Session) -> bool:
        """Whether the screen is in front, and has a frame to show."""
        return self.is_current and self.frame_of(session) is not None

    def show_session(self, session: Session) -> None:
        """Update the screen from the session."""
        if self.is_current:
            self.show_tabs(session)
            self.frame = self.frame_of(session)
            self.show_changed_keys()

    def show_no_text(self) -> None:
        """Show the card that offers a text if no corpus is open, else the panels that count."""
        lacks = self.session.counts_nothing
        if self.has_class("-no-text") == lacks:
            return
        self.set_class(lacks, "-no-text")
        for panel in self.PANEL_ORDER:
            widget = self.query_one(f"#{panel}")
            widget.set_class(lacks and getattr(widget, "COUNTS", False), "-needs-text")
        self.show_panel(self.tab_order[0])
        if lacks:
            self.set_focus(self.query_one(NoTextCard))

    def show_tabs(self, session: Session) -> None:
        """Show which screens there are, which one is here, and at which step it is."""
        line, about = self.query_one(TabLine), (session.config, session.opened)
        if self._tabs_of != (known := (*about, session.shown is None)):
            self._tabs_of = known
            line.tabs = tabs_of(session)
            line.here = tr(TABS[kind_and_model(self.id or "")[0]][1])
            line.language = own_name(following_language())
        line.note = self.step_of(session) if self.SHOWS_STEP else ""

    @property
    def is_asking(self) -> bool:
        """Whether it waits for the answer to a question."""
        return False

    def step_of(self, session: Session) -> str:
        """Return the step as a text, such as `step 35 of 2,922`; "" if there is none yet."""
        frame = self.frame_of(session)
        if frame is None:
            return ""
        step, last = number(frame.step), number(frame.recorded_steps)
        return tr("step {n} of {last}", n=step, last=last)

    def frame_of(self, session: Session) -> Any:
        """Return the frame for the panels."""
        return self.VIEW.frame_of(session)

    def heading(self, session: Session, room: int) -> str:
        """Return the first line, in at most `room` cells: the screen's facts, or what is open."""
        frame = self.frame_of(session)
        facts = [] if frame is None else [*map(tr, self.facts_of(frame))]
        if not facts:
            return heading(session, room)
        step = self.step_of(session)
        if not self.query_one(TabLine).has_room_for(step, self.size.width):
            facts.insert(1, step)
        return fitting_facts(list(enumerate(facts)), room)

    def show_heading(self) -> None:
        self.say("#heading", self.heading(self.session, self.heading_room))

    def facts_of(self, frame: Any) -> Sequence[str]:
        """Return the facts in the first line: the subject, then others; the step is added.

        Without any the line says what is open.
        """
        return ()

    def show_target(self, target: object) -> None:
        """Make visible what a row leads to: a target of `bpe_tui.shell.targets`."""

    def offers(self, command: Command) -> bool:
        if command.action.startswith("app.scene("):
            return self.host.has_guide and self.host.guide.lesson is not None
        return command.action not in self._dead_actions and super().offers(command)

    @property
    def _dead_actions(self) -> Sequence[str]:
        """The actions with nothing to do for a tokenizer: no count chose its merges."""
        config = self.session.config
        if self.id in (ENCODING, PIPELINE) or not isinstance(config, TokenizerConfig):
            return ()
        if self.session.merges_nothing:
            return ("app.predict", "app.end(False)", "screen.play", *MOVES)
        return () if config.continued else ("app.predict",)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Allow actions about the frame only once there is one, whatever asks for them."""
        if action in ABOUT_FRAMES and not self.is_ready:
            return False
        return super().check_action(action, parameters)

    def painter_maker(self) -> Callable[[Any], TokenPainter] | None:
        """Return a function that makes this screen's painter, for windows about tokens."""
        panels = self.query(TokenPanel)
        return panels.first().painter if panels else None

    def follow(self, target: object) -> None:
        """Go where a row leads."""
        self.host.navigation.go_to_target(target)

    def inspect(self, event: Lines.Asked) -> None:
        """Explain the token, or the border between two tokens, that was clicked."""
        self.host.navigation.ask(event.subjects)

    def enter(self, field: Input) -> None:
        """Handle Enter in a field; a subclass may override this."""

    # A subclass overrides `follow`, `inspect` and `enter`, not these: Textual calls the handlers of
    # all bases.

    def on_lines_chosen(self, event: Lines.Chosen) -> None:
        with self.host.navigation.jump():
            self.follow(event.target)

    @property
    def enters(self) -> str:
        target, merges = getattr(self.focused, "target", None), self.session.merges
        if isinstance(target, ToPair) and merges and merges.run.step_of(target.pair) is None:
            return ""
        return super().enters

    @property
    def playing(self) -> str:
        return str(self.session.speed) if self.session.playing else ""

    def on_lines_asked(self, event: Lines.Asked) -> None:
        self.inspect(event)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        self.enter(event.input)

    def on_chart_sought(self, event: Chart.Sought) -> None:
        self._seek_by_mouse(round(event.x), event.is_drag)

    def on_scrubber_sought(self, event: Scrubber.Sought) -> None:
        self._seek_by_mouse(event.position, event.is_drag)

    def _seek_by_mouse(self, step: int, is_drag: bool) -> None:
        """Seek a step; ⌫ leads back to the step at which the mouse was pressed."""
        with nullcontext() if is_drag else self.host.navigation.jump():
            self.host.seek(step)

    @property
    def is_ready(self) -> bool:
        return self.session.shown is not None

    @property
    def key_labels(self) -> Mapping[str, str]:
        navigation = self.host.navigation
        place = navigation.way_back if navigation.trail else ""  # mostly no jump has led here
        back = tr("back to {place}", place=place) if place else ""
        return {**super().key_labels, "app.jump_back": back}

    # -- commands that mean the same on all screens; some screens have their own way

    async def action_forward(self, by: int) -> None:
        """Go some steps forward, or back if `by` is negative."""
        self.session.step(by)
        self.host.changed()

    def action_hide_next(self) -> None:
        self.host.action_hide_next()

    def action_play(self) -> None:
        self.session.toggle_play()
        self.host.changed()

    def action_more(self, by: int) -> None:
        """Play faster, or slower if `by` is negative."""
        self.session.change_speed(by)
        self.host.changed()

    def action_following(self, by: int) -> None:
        """Go to the next breakpoint, tie or prune."""
        self.host.go_to_following()

    def action_save(self) -> None:
        self.host.action_save()

    def action_menu(self, name: str) -> None:
        self.host.hold()
        super().action_menu(name)

    def leave_panel(self) -> None:
        """Stop what plays, else leave the panel."""
        if self.playing:
            self.action_play()
        else:
            super().leave_panel()
