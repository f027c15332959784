"""The base of all screens: panels, a zoom, and a footer of the keys that work now."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, ClassVar, cast

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal
from textual.content import Content
from textual.dom import DOMNode
from textual.geometry import Size
from textual.reactive import reactive
from textual.widget import Widget
from textual.widgets import Static

from bpe_tui.session.declarations import Command, Model
from bpe_tui.session.host import Notifier
from bpe_tui.session.models import kind_and_model
from bpe_tui.shell.commands import Menu, bound_commands, commands_on, explain_dead_key, legend_of
from bpe_tui.shell.panel import FramePanel, needs_marks
from bpe_tui.shell.screen_keys import KeyState, ScreenKeys
from bpe_tui.shell.screen_panels import ScreenPanels, Spot
from bpe_tui.shell.screen_room import LEAST_HEIGHT, LEAST_WIDTH, ScreenRoom
from bpe_tui.widgets.controls import FootLine, KeyBar, TabLine
from bpe_tui.widgets.language import tr
from bpe_tui.widgets.lines import Lines
from bpe_tui.widgets.textual_private import SettledScreen
from bpe_tui.widgets.visible import shorten, width
from bpe_tui.widgets.window import Window
from bpe_tui.words.narration import first_fitting, names_of_panels

A_LETTER = "a", "a"
"""A key, and its character, that only a field consumes."""
LEAST_HEADING = 12
"""Cells of a line that the names of hidden panels leave to the heading."""
LEGEND_HEIGHT = 24
"""Least room for panels, in rows, at which the legend of signs has a row."""
IN_LESSON = "-in-lesson"
"""The class of a screen with the text of a lesson."""


class TooSmall(Static):
    """A message shown instead of all panels if the terminal is too small."""

    def on_resize(self) -> None:
        width, height = self.app.size
        self.update(
            tr(
                "bpe-tui needs {least_width}×{least_height} cells; "
                "here are {width}×{height}. q quits",
                least_width=LEAST_WIDTH,
                least_height=LEAST_HEIGHT,
                width=width,
                height=height,
            )
        )


class NotePanel(Static):
    """A panel with a message that stays until it is closed; hidden while there is none."""

    text: reactive[str] = reactive("")

    def watch_text(self, text: str) -> None:
        self.border_title = Content(tr("note"))
        self.border_subtitle = Content(tr("Esc closes │ Ctrl+L all messages"))
        self.display = bool(text)
        self.update(Content(text))


class PanelScreen(SettledScreen[None]):
    """A screen of panels, made of its keys, its room and its panels."""

    HORIZONTAL_BREAKPOINTS = []  # Textual's are about the terminal; see `ScreenRoom.show_size`
    VERTICAL_BREAKPOINTS = []
    AUTO_FOCUS = ""  # Textual's would be the first field; see `on_mount`
    NAME: ClassVar[str] = ""
    """The name in the table of screens; it decides which commands are bound."""
    TABS: ClassVar[Size] = Size(0, 0)
    """Room of the line of tabs."""
    PANEL_ORDER: ClassVar[tuple[str, ...]] = ()
    """Ids of the panels in the order of the Tab key."""
    FIRST_ROW: ClassVar[int] = 0
    """The row of the first panel in which the cursor begins."""
    FOLLOWS_FIRST: ClassVar[bool] = False
    """Whether the other panels are about the row of the first one."""
    SLOT: ClassVar[tuple[str, ...]] = ()
    """Panels that share a place if there is too little room; the first is shown first.

    The one in front has the class `-in-front`, and the screen the class `slot-ID`.
    """
    TAKES_TURNS: ClassVar[bool] = False
    """Whether Tab leads from each panel of the slot to the next; else Esc leads to the first.

    If the screen has a line `#panel-names`, it names them all.
    """
    HIDDEN: ClassVar[Mapping[str, str]] = {}
    """Panels that have no room on a small screen → their names for the heading."""
    TYPED: ClassVar[str] = ""
    """The panel with the line or text to type in, for the key e."""
    ZOOMS_IN_LESSONS: ClassVar[bool] = False
    """Whether a scene's panel fills a screen with little room, since its rows are many."""

    zoomed: reactive[str | None] = reactive(None, init=False)
    """The id of the panel that fills the screen."""
    _shown_keys: KeyState | None = None
    """The state whose keys are shown."""
    hidden_names = ""
    """The hidden panels and their keys, beside the heading."""
    _before_typing: Widget | None = None
    """The widget that had the focus before a line to type in."""
    _before_zoom: tuple[str, ...] = ()
    """The panels in the order of Tab before one fills the screen."""

    def __init_subclass__(cls, **settings: Any) -> None:
        if "NAME" in vars(cls):
            # With priority a key acts as soon as it is read. Without, it waits in the queue of the
            # focused widget, and the next key could overtake one that moves the focus.
            cls.BINDINGS = [
                Binding(each.keys, f"screen.press({each.keys!r})", each.label, priority=True)
                for each in bound_commands(cls.NAME).values()
            ]
        super().__init_subclass__(**settings)

    def __init__(self) -> None:
        slot = f"slot-{self.SLOT[0]}" if self.SLOT else None
        self.room = ScreenRoom(self, self.TABS)
        self.panels = ScreenPanels(self, self.PANEL_ORDER, self.SLOT)
        self.keys = ScreenKeys(self.NAME, self.offers)
        super().__init__(id=self.NAME or None, classes=slot)

    async def on_event(self, event: events.Event) -> None:
        """Handle an event, unless the screen is made while the application closes.

        Then it has no widgets, and is never shown.
        """
        begins = isinstance(event, events.Mount | events.ScreenResume)
        if (self.children and self.app.is_running) or not begins:
            await super().on_event(event)

    def on_mount(self) -> None:
        for panel in self.PANEL_ORDER:  # for the rules of a zoom
            self.query_one(f"#{panel}").add_class("panel", update=False)
        if self.SLOT:
            self.query_one(f"#{self.panels.slot}").add_class("-in-front")
        for each in self.query(FramePanel):
            each.name_key(self.keys.leading_to(each.id or ""))
        # The screen itself got its styles before its classes, and before its sheet was read.
        self.app.stylesheet.update_nodes([self])
        # Not a field: a digit typed there would not open another screen.
        if self.PANEL_ORDER and self.focused is None:
            self.show_panel(self.PANEL_ORDER[0])
        self.show_keys()
        self.show_notices()

    def on_unmount(self) -> None:
        self.notifier.jobs.cancel(self)

    def compose(self) -> ComposeResult:
        # Before there are widgets: a later change of classes computes all their styles again.
        self.room.show_size(update=False)
        yield TooSmall(id="too-small")
        if self.TABS.height:
            yield TabLine()
        with Horizontal(id="top"):
            yield Static(id="heading")
            yield Static(id="hidden-panels")
        yield from self.compose_body()
        yield NotePanel(id="note")
        yield FootLine()
        yield KeyBar()

    def compose_body(self) -> ComposeResult:
        """Yield the widgets between the heading and the keys."""
        yield from ()

    # -- messages

    def draw_again(self) -> None:
        """Draw the tokens again, as the edges between them come or go."""
        for panel in self.query(FramePanel):
            panel.rebuild()
        self.show_keys()

    @property
    def notifier(self) -> Notifier:
        return cast("Notifier", self.app)

    def tell(self, text: str) -> None:
        """Show a visible text until the next key."""
        self.notifier.tell(text)

    def show_notices(self) -> None:
        """Show the application's messages; on a low screen, over the keys."""
        if not self.query(FootLine):
            return  # not composed yet; it calls this again when it is
        notices, line, note = (
            self.notifier.notices,
            self.query_one(FootLine),
            self.query_one(NotePanel),
        )
        line.message = notices.now
        is_low = self.size.height < LEGEND_HEIGHT
        line.set_class(is_low and not notices.now, "-away")
        self.query_one(KeyBar).set_class(is_low and bool(notices.now), "-away")
        if note.text != notices.note:
            note.text = notices.note
            self.show_keys()

    def on_screen_resume(self) -> None:
        self.show_notices()

    def on_resize(self) -> None:
        self.room.show_size()
        self.show_notices()
        self.call_after_refresh(self.name_hidden_panels)

    def name_hidden_panels(self) -> None:
        """Name the panels that have no room, each with the key that shows it."""
        if not self.is_mounted or not self.HIDDEN:
            return
        if self.query("#panel-names"):  # the one in front hides the others
            turns = [panel for panel in self.tab_order if panel in self.SLOT]
            name_of = {panel: tr(self.HIDDEN[panel]) for panel in self.SLOT}
            room, front = self.size.width - 2, name_of[self.panels.slot]
            names = names_of_panels(tuple(map(name_of.__getitem__, turns)), front, room)
            self.say("#panel-names", first_fitting(room, tr("Tab {names}", names=names), names))
            return
        shows_none = self.zoomed or not self.is_ready or self.has_class(IN_LESSON)
        hidden = {} if shows_none else self.panels.hidden(self.HIDDEN)
        named = self.keys.name_panels(hidden, self._shown_by_esc)
        text = shorten(named, self.size.width - LEAST_HEADING)
        if text == self.hidden_names:
            return
        self.hidden_names = text
        line = self.query_one("#hidden-panels", Static)
        line.display = bool(text)
        line.update(Content(text))
        self.show_heading()

    @property
    def heading_room(self) -> int:
        """Cells for the heading."""
        return self.size.width - 2 - (width(self.hidden_names) + 2 if self.hidden_names else 0)

    def show_heading(self) -> None:
        """Show the heading again, as it has another room."""

    @property
    def size(self) -> Size:
        """The room for panels."""
        return super().size - self.room.taken

    # -- the keys that work here and now

    @property
    def is_typing(self) -> bool:
        """Whether a field has the focus, so that letters are typed into it."""
        return self.focused is not None and self.focused.check_consume_key(*A_LETTER)

    def show_keys(self) -> None:
        """Show the signs, and the keys that work now, those of the focused panel first."""
        self.query_one(FootLine).legend = legend_of(
            *kind_and_model(self.id or ""), marks=needs_marks(self.app), needed=self.needed_signs
        )
        bar, self._shown_keys = self.query_one(KeyBar), self.key_state
        bar.keys, bar.more = self.keys.footer(self._shown_keys)

    def show_changed_keys(self) -> None:
        """Show the keys again if they depend on what has changed, such as the cursor's row."""
        shown = self._shown_keys
        now = (self.enters, self.key_labels, self.playing)
        if shown is None or now != (shown.enters, shown.labels, shown.playing):
            self.show_keys()

    on_lines_moved = show_changed_keys

    @property
    def key_state(self) -> KeyState:
        """The state on which it depends which keys work."""
        return KeyState(
            self.is_ready,
            self.is_typing,
            self.panels.focused(),
            self.enters,
            self.key_labels,
            self.playing,
            self.named_keys,
        )

    @property
    def enters(self) -> str:
        """The label of Enter in the focused row; "" if the row leads nowhere."""
        rows = self.focused
        return getattr(rows.target, "LEADS", "") if isinstance(rows, Lines) else ""

    @property
    def key_labels(self) -> Mapping[str, str]:
        """Action → its present label, for those whose label changes; "" if it does nothing."""
        return {"screen.leave": "leave" if self.closes or self.has_note else ""}

    @property
    def playing(self) -> str:
        """The steps a second while something plays; "" at rest."""
        return ""

    @property
    def needed_signs(self) -> Sequence[str]:
        """The signs that the text of the session needs in the legend."""
        return ()

    @property
    def named_keys(self) -> Collection[str] | None:
        """The keys that the open lesson names; `None` without one."""
        return None

    def offers(self, command: Command) -> bool:
        """Whether the screen offers a command at present; a subclass may narrow this down."""
        is_of_panels = command.action.startswith("screen.next_panel(")
        is_useful = not is_of_panels or len(self.tab_order) > 1 or self.is_typing
        return is_useful and self.notifier.refusal_of(command.action) is None

    @property
    def has_note(self) -> bool:
        """Whether a message stays until it is closed."""
        return bool(self.notifier.notices.note)

    @property
    def is_ready(self) -> bool:
        """Whether there is something to show."""
        return True

    @property
    def in_table(self) -> bool:
        """Whether a table has the focus, so that Home and End are its own."""
        return isinstance(self.focused, Lines) and self.focused.IS_TABLE

    @property
    def closes(self) -> bool:
        """Whether Esc closes something here, outside a field: a zoom, a view, a question."""
        return self.zoomed != self.panels.alone or self._has_replaced

    @property
    def _has_replaced(self) -> bool:
        """Whether another panel is in the place of the first one of those that share it."""
        first = self._shown_by_esc
        is_other = bool(first) and self.zoomed is None and self.panels.slot != first
        return is_other and not self.query_one(f"#{first}").display

    @property
    def _shown_by_esc(self) -> str:
        """The panel that Esc shows again: the first of those that share a place; "" for none."""
        return self.SLOT[0] if self.SLOT and not self.TAKES_TURNS else ""

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Allow only commands for fields while a field has the focus: it needs letters and ←."""
        if action != "press":
            return True
        keys = str(parameters[0])
        if (command := self.keys.command(keys)) is None:
            return False
        is_of_table = keys in ("home", "end") and self.in_table
        return not is_of_table and (command.in_fields or not self.is_typing)

    async def action_press(self, keys: str) -> None:
        """Run the command of these keys, unless the screen has changed since they were pressed."""
        if (command := self.keys.command(keys)) is not None:
            await self.run_action(command.action)

    async def run_action(
        self, action: str, namespaces: Mapping[str, DOMNode] | None = None
    ) -> None:
        """Run an action of a key, a click or the help; the application may refuse it.

        First a text that covers the screen gives way, so that nothing moves unseen.
        """
        if self.has_class("-covered") and not action.startswith(("app.scene", "app.jump_back")):
            self.room.uncover()
        if action == "screen.leave" and self.has_note and not self.is_typing:
            self.notifier.close_note()
        else:
            await super().run_action(action, namespaces)

    def on_key(self, event: events.Key) -> None:
        """Say where a key works that does nothing here."""
        if self.is_typing or not self.is_ready or event.key in self.active_bindings:
            return
        here, _ = kind_and_model(self.id or "")
        if (explained := explain_dead_key(event.key, self.model, here)) is not None:
            event.stop()
            self.tell(explained)

    @property
    def model(self) -> Model | None:
        """The model of the session; `None` without a session."""
        return None

    def on_descendant_focus(self) -> None:
        self.show_keys()

    def on_descendant_blur(self, event: events.DescendantBlur) -> None:
        if self.focused is None:  # else a widget has got the focus, and its keys come next
            self.show_keys()

    @on(KeyBar.Pressed)
    @on(TabLine.Pressed)
    async def run_pressed(self, event: KeyBar.Pressed | TabLine.Pressed) -> None:
        """Run the action of a key or a tab that was clicked."""
        await self.run_action(event.action)

    # -- commands that all screens have

    def action_next_panel(self, by: int) -> None:
        """Focus the next panel in the order of Tab, if any panel has room."""
        focused, order = self.panels.focused(), self.tab_order
        place = order.index(focused) if focused in order else min(-by, 0)
        if order:
            self.show_panel(order[(place + by) % len(order)])

    @property
    def tab_order(self) -> tuple[str, ...]:
        """The panels in the order of Tab: those in sight, and those that only Tab shows."""
        if self.zoomed is not None:
            return self._before_zoom or (self.zoomed,)
        hidden = self.panels.hidden(self.HIDDEN)
        first = self._shown_by_esc
        by_tab = {panel for panel in hidden if panel != first and not self.keys.leading_to(panel)}
        return tuple(
            panel
            for panel in self.PANEL_ORDER
            if (panel in by_tab or self.query_one(f"#{panel}").display)
            and not self.query_one(f"#{panel}").has_class("-needs-text")
        )

    def set_focus(self, widget: Widget | None, *arguments: Any, **settings: Any) -> None:
        """Focus a widget, in front of others; remember what had the focus before a field."""
        if not self.is_typing:
            self._before_typing = self.focused
        super().set_focus(widget, *arguments, **settings)
        if self.TAKES_TURNS and (panel := self.panels.focused()) in self.SLOT:
            self.bring_forward(panel)

    def show_panel(self, panel: str) -> None:
        """Make a panel visible and focus it, or the first field in it."""
        if panel in self.SLOT:
            self.bring_forward(panel)
        if self.zoomed is not None:
            self.zoomed = panel
        self.panels.focus(panel)

    def bring_forward(self, panel: str) -> None:
        """Show a panel in the place that it shares with others."""
        if panel != self.panels.slot:
            self.panels.bring_forward(panel)
            self.call_after_refresh(self.name_hidden_panels)

    def return_to(self, spot: Spot) -> None:
        """Focus the panel of an earlier place, and put all cursors where they were."""
        if spot.panel is not None:
            self.show_panel(spot.panel)
        self.panels.put_back(spot)

    @property
    def place(self) -> str:
        """The panel with the focus and the row of its cursor; "" if the screen begins there.

        If the other panels are about the row of the first one, it is that row.
        """
        first, *_ = *self.PANEL_ORDER, ""
        panel = first if self.FOLLOWS_FIRST else self.panels.focused()
        rows = None if not panel else self.panels.rows_of(panel)
        if rows is None or (panel, rows.cursor) == (first, self.FIRST_ROW):
            return ""
        return f"{panel}:{rows.cursor + 1}"

    def go_to_place(self, place: str) -> None:
        """Focus the panel of a `place` such as `family-table:4`, with its cursor in the row."""
        panel, _, row = place.partition(":")
        if panel not in self.PANEL_ORDER:
            self.tell(tr("This screen has no panel {panel}.", panel=panel))
            return
        self.show_panel(panel)
        if (rows := self.panels.rows_of(panel)) is not None:
            rows.put_cursor(int(row) - 1, 0)

    def say(self, place: str, text: str) -> None:
        """Set the plain text of a line of the screen, such as `#heading`, if it is another."""
        line, content = self.query_one(place, Static), Content(text)
        if line.content != content:
            line.update(content, layout=False)

    def action_show(self, panel: str) -> None:
        self.show_panel(panel)

    def action_type(self) -> None:
        self.action_show(self.TYPED)

    def action_menu(self, name: str) -> None:
        """Ask for one of the commands of a menu, and run it."""
        entries = [each for each in commands_on(self.id or "") if each.menu == name]
        self.run_chosen(Menu(entries, self.is_switched_on))

    def run_chosen(self, window: Window[Command | None]) -> None:
        """Open a window to choose a command in, and run that."""

        def chose(command: Command | None) -> None:
            if command is not None:
                self.call_later(self.run_action, command.action)

        self.app.push_screen(window, chose)

    def is_switched_on(self, command: Command) -> bool:
        """Whether a command of a menu is a switch that is on."""
        return False

    def action_zoom(self) -> None:
        """Give the focused panel the whole screen, or all panels their room."""
        self.zoomed = self.panels.focused() if self.zoomed is None else None

    def show_alone(self, panel: str | None) -> None:
        """Give a panel the whole screen for a scene of a lesson, or all panels their room."""
        self.panels.alone = self.zoomed = panel if self.ZOOMS_IN_LESSONS else None
        self.show_keys()

    def validate_zoomed(self, panel: str | None) -> str | None:
        if self.zoomed is None and panel is not None:
            self._before_zoom = self.tab_order
        return panel

    def watch_zoomed(self, old: str | None, new: str | None) -> None:
        self.panels.mark_zoom(old, new)
        self.show_keys()

    def action_leave(self) -> None:
        """Handle Esc: leave a field, end a zoom, close a view, or leave the panel."""
        if self.is_typing:
            self.leave_field()
        elif self.zoomed != self.panels.alone:
            self.zoomed = self.panels.alone
        elif self._has_replaced:
            self.show_panel(self.SLOT[0])
            self.show_keys()
        else:
            self.leave_panel()

    def leave_panel(self) -> None:
        """Focus the first panel; say so if it has the focus already."""
        first, *_ = *(() if self.zoomed else self.tab_order), None
        if first in (None, self.panels.focused()):
            self.tell(tr("Nothing to leave here; q quits."))
        else:
            self.show_panel(first)

    def leave_field(self) -> None:
        """Focus what had the focus before the field."""
        before = self._before_typing
        if before is not None and before.is_attached and before.display and before.can_focus:
            self.set_focus(before)
        if self.is_typing:
            self.show_panel(self.PANEL_ORDER[0])

    def on_lines_nothing_to_choose(self, event: Lines.NothingToChoose) -> None:
        self.tell("This row leads nowhere; z gives the panel the whole screen.")
