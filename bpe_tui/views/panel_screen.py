"""The base of all screens: panels, a zoom, and a footer of the keys that work now."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple, cast

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal
from textual.content import Content
from textual.geometry import Size
from textual.reactive import reactive
from textual.widget import Widget
from textual.widgets import Static

from bpe_tui.session.declarations import Command, Model
from bpe_tui.session.host import Notifier
from bpe_tui.session.models import kind_and_model
from bpe_tui.views.commands import (
    bound_commands,
    commands_on,
    explain_dead_key,
    legend_of,
)
from bpe_tui.widgets.controls import FooterKey, FootLine, KeyBar, TabLine
from bpe_tui.widgets.lines import Lines
from bpe_tui.widgets.visible import width
from bpe_tui.widgets.window import PaintedOnce
from engine.core.wording import ENGLISH, Messages, text_of

A_LETTER = "a", "a"
"""A key, and its character, that only a field consumes."""
LEAST_WIDTH, LEAST_HEIGHT = 60, 20
"""Least size of the terminal, in cells."""
COMPACT_BELOW = 22
"""Room for panels, in rows, below which a screen under a text is compact."""
LEGEND_HEIGHT = 24
"""Least room for panels, in rows, at which the legend of signs has a row."""
WIDTHS = [(0, "-too-narrow"), (LEAST_WIDTH, "-slim"), (76, "-narrow"), (100, "-wide")]
HEIGHTS = [(0, "-too-low"), (LEAST_HEIGHT - 1, "-low"), (27, "-tall")]
"""(least room for panels, in cells, class of the screen) from the smallest on."""


class Spot(NamedTuple):
    """A place on a screen: the focused panel and widget, and the rows of all lists.

    Attributes:
        rows: the row of the cursor in each list.
        tops: the first visible row of each list.
    """

    panel: str | None
    widget: Widget | None
    rows: tuple[int, ...]
    tops: tuple[int, ...]


class TooSmall(Static):
    """A message shown instead of all panels if the terminal is too small."""

    def on_resize(self) -> None:
        width, height = self.app.size
        self.update(
            f"bpe-tui needs {LEAST_WIDTH}×{LEAST_HEIGHT} cells; here are {width}×{height}. q quits"
        )


class NotePanel(Static):
    """A panel with a message that stays until it is closed; hidden while there is none."""

    BORDER_TITLE = "note"
    BORDER_SUBTITLE = "Esc closes · Ctrl+L all messages"

    text: reactive[str] = reactive("")

    def watch_text(self, text: str) -> None:
        self.display = bool(text)
        self.update(Content(text))


class PanelScreen(PaintedOnce[None]):
    """A screen of panels."""

    HORIZONTAL_BREAKPOINTS = []  # Textual's are about the terminal; see `_class_by_size`
    VERTICAL_BREAKPOINTS = []
    NAME: ClassVar[str] = ""
    """The name in the table of screens; it decides which commands are bound."""
    PANEL_ORDER: ClassVar[tuple[str, ...]] = ()
    """Ids of the panels in the order of the Tab key."""
    SLOT: ClassVar[tuple[str, ...]] = ()
    """Panels that share a place if there is too little room; the first is shown first."""
    hidden_names = ""
    """The hidden panels and their keys, beside the heading."""
    HIDDEN: ClassVar[Mapping[str, str]] = {}
    """Panels that have no room on a small screen → their names for the heading."""
    TYPED: ClassVar[str] = ""
    """The panel with the line or text to type in, for the key e."""

    ZOOMS_IN_LESSONS: ClassVar[bool] = False
    """Whether a scene's panel fills a screen with little room, since its rows are many."""

    zoomed: reactive[str | None] = reactive(None, init=False)
    """The id of the panel that fills the screen."""
    alone: str | None = None
    """The panel that fills the screen in a scene of a lesson; Esc leads back to it."""

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
        self.slot = self.SLOT[0] if self.SLOT else ""
        super().__init__(id=self.NAME or None, classes=f"slot-{self.slot}" if self.slot else None)

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
        # The screen itself got its styles before its classes, and before its sheet was read.
        self.app.stylesheet.update_nodes([self])
        self.show_keys()
        self.show_notices()

    def compose(self) -> ComposeResult:
        # Before there are widgets: a later change of classes computes all their styles again.
        self._class_by_size(self.app.size, update=False)
        yield TooSmall(id="too-small")
        yield from self.compose_top()
        with Horizontal(id="top"):
            yield Static(id="heading")
            yield Static(id="hidden-panels")
        yield from self.compose_body()
        yield NotePanel(id="note")
        yield FootLine()
        yield KeyBar()

    def compose_top(self) -> ComposeResult:
        """Yield what is above the heading."""
        yield from ()

    def compose_body(self) -> ComposeResult:
        """Yield the widgets between the heading and the keys."""
        yield from ()

    # -- messages

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

    def on_resize(self, event: events.Resize) -> None:
        self._class_by_size(event.size)
        self.show_notices()
        self.call_after_refresh(self.name_hidden_panels)

    def name_hidden_panels(self) -> None:
        """Name the panels that have no room, each with the key that shows it."""
        if not self.is_mounted or not self.HIDDEN:
            return
        keys = {each.action: each.shown.split()[0] for each in commands_on(self.id or "")}
        names: dict[str, list[str]] = {}
        for panel, name in self.HIDDEN.items():
            if self.zoomed is None and not self.query_one(f"#{panel}").display:
                names.setdefault(keys.get(f"screen.show('{panel}')", "Tab"), []).append(name)
        text = "  ".join(f"{key} {', '.join(of_key)}" for key, of_key in names.items())
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

    # -- the room for panels

    taken = Size(0, 0)
    """Columns and rows used by something else, such as the text of a lesson."""
    is_compact = False
    """Whether a text above the screen leaves it fewer rows than a terminal needs."""
    has_text_beside = False
    """Whether a text beside or above the screen takes a part of its room."""

    @property
    def size(self) -> Size:
        """The room for panels."""
        return super().size - self.taken

    def give_room(self, taken: Size) -> None:
        """Leave columns and rows to something else, which splits them off itself."""
        if taken != self.taken:
            self.taken, full = taken, self.app.size
            self.post_message(events.Resize(full, full, full))

    def uncover(self) -> None:
        """Hide a text that covers the screen, so that nothing moves unseen."""
        if self.has_class("-covered"):
            self.query(".lesson-pane").set(display=False)
            self.set_class(False, "-covered")

    def _class_by_size(self, full: Size, update: bool = True) -> None:
        room = full - self.taken
        if self.is_compact:
            room = Size(room.width, LEAST_HEIGHT)
        classes: dict[str, bool] = {"-compact": self.is_compact}
        for cells, limits in ((room.width, WIDTHS), (room.height, HEIGHTS)):
            here = max(least for least, _ in limits if cells >= least)
            classes |= {name: least == here for least, name in limits}
        self.update_classes(classes, update=update, animate=False)

    # -- the keys that work here and now

    @property
    def is_typing(self) -> bool:
        """Whether a field has the focus, so that letters are typed into it."""
        return self.focused is not None and self.focused.check_consume_key(*A_LETTER)

    def show_keys(self) -> None:
        """Show the signs, and the keys that work now, those of the focused panel first."""
        self.query_one(FootLine).legend = legend_of(
            *kind_and_model(self.id or ""), marks=self.app.no_color, messages=self.messages
        )
        here = self.focused_panel()
        commands = [each for each in commands_on(self.id or "") if self._is_for_now(each)]
        commands.sort(key=lambda command: not command.panel or command.panel != here)
        keys = [
            FooterKey(command.shown.split()[0], command.label, command.action)
            for command in commands
        ]
        # One key of several with the same label, such as Tab and Shift+Tab, is enough.
        different = list({key.label: key for key in reversed(keys)}.values())[::-1]
        self.query_one(KeyBar).keys = [
            key._replace(label=text_of(self.messages, key.label)) for key in different
        ]

    @property
    def messages(self) -> Messages:
        """The table of messages of the open lesson's language."""
        return ENGLISH

    def _is_for_now(self, command: Command) -> bool:
        if not self.is_ready:
            return command.in_reading
        if self.is_typing:
            return command.in_fields and self.notifier.refusal_of(command.action) is None
        if command.action == "screen.leave":
            return self.can_leave or bool(self.notifier.notices.note)
        is_here = bool(command.panel) and command.panel == self.focused_panel()
        is_shown = command.in_footer or is_here
        return is_shown and self.notifier.refusal_of(command.action) is None

    @property
    def is_ready(self) -> bool:
        """Whether there is something to show."""
        return True

    @property
    def can_leave(self) -> bool:
        """Whether Esc does something, outside a field."""
        return self.zoomed != self.alone or self.way_back

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Allow only commands for fields while a field has the focus: it needs letters and ←."""
        if action != "press":
            return True
        command = bound_commands(self.id or "").get(str(parameters[0]))
        return command is not None and (command.in_fields or not self.is_typing)

    async def action_press(self, keys: str) -> None:
        """Run the command of these keys; the application shows why one is refused."""
        command = bound_commands(self.id or "").get(keys)
        if command is None:  # the screen has changed since the keys were pressed
            return
        if not command.action.startswith("app.scene"):
            self.uncover()
        if self.notifier.notices.note and command.action == "screen.leave" and not self.is_typing:
            self.notifier.close_note()
        else:
            await self.run_action(command.action)

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

    async def on_key_bar_pressed(self, event: KeyBar.Pressed) -> None:
        event.stop()
        await self.run_action(event.action)

    async def on_tab_line_pressed(self, event: TabLine.Pressed) -> None:
        event.stop()
        await self.run_action(event.action)

    # -- commands that all screens have

    def action_next_panel(self, by: int) -> None:
        """Focus the next panel in the order of Tab, and make it visible."""
        focused, order = self.focused_panel(), self.tab_order
        place = order.index(focused) if focused else -1 if by > 0 else 0
        self.show_panel(order[(place + by) % len(order)])

    @property
    def tab_order(self) -> tuple[str, ...]:
        """The panels in the order of Tab."""
        return self.PANEL_ORDER

    def focused_panel(self) -> str | None:
        """Return the id of the panel that has the focus, or that contains the focused field."""
        widget: Widget | None = self.focused
        while widget is not None and widget is not self:
            if widget.id in self.PANEL_ORDER:
                return widget.id
            widget = cast("Widget | None", widget.parent)
        return None

    def show_panel(self, panel: str) -> None:
        """Make a panel visible and focus it, or the first field in it."""
        if panel in self.SLOT:
            self.fill_slot(panel)
        if self.zoomed is not None:
            self.zoomed = panel
        widget = self.query_one(f"#{panel}")
        if not widget.can_focus:
            fields = (each for each in widget.query("*") if each.can_focus and each.display)
            widget = next(fields, widget)  # a new panel has no field yet
        # `focus()` would act later, and keys typed fast would go elsewhere meanwhile.
        self.set_focus(widget)

    def spot(self) -> Spot:
        """Return the present place on the screen."""
        lists = self.query(Lines)
        rows, tops = (each.cursor for each in lists), (each.scroll_offset.y for each in lists)
        return Spot(self.focused_panel(), self.focused, tuple(rows), tuple(map(int, tops)))

    def return_to(self, spot: Spot) -> None:
        """Focus the panel of an earlier place, and put all cursors where they were."""
        if spot.panel is not None:
            self.show_panel(spot.panel)
        for each, row, top in zip(self.query(Lines), spot.rows, spot.tops, strict=False):
            if each.cursor != row:
                each.put_cursor(row, top)
        if spot.widget is not None and spot.widget.is_attached:
            self.set_focus(spot.widget)

    def fill_slot(self, panel: str) -> None:
        """Show this panel in the place that several panels share."""
        if panel == self.slot:
            return
        # In one assignment: each change of a class computes styles again.
        self.classes = (self.classes - {f"slot-{self.slot}"}) | {f"slot-{panel}"}
        self.slot = panel
        self.call_after_refresh(self.name_hidden_panels)

    def say(self, place: str, text: str) -> None:
        """Set the plain text of a line of the screen, such as `#heading`."""
        self.query_one(place, Static).update(Content(text), layout=False)

    def action_show(self, panel: str) -> None:
        self.show_panel(panel)

    def action_type(self) -> None:
        self.action_show(self.TYPED)

    def action_zoom(self) -> None:
        self.zoom(self.focused_panel() if self.zoomed is None else None)

    def zoom(self, panel: str | None) -> None:
        """Give a panel the whole screen; `None` shows all panels again."""
        self.zoomed = panel

    def show_alone(self, panel: str | None) -> None:
        """Give a panel the whole screen for a scene of a lesson, or all panels their room."""
        self.alone = panel
        self.zoom(panel)
        self.show_keys()

    def watch_zoomed(self, old: str | None, new: str | None) -> None:
        """Mark the panel and its ancestors; the style sheet hides everything else."""
        for panel, is_zoomed in ((old, False), (new, True)):
            if panel is not None:
                for widget in self.query_one(f"#{panel}").ancestors_with_self:
                    if widget is not self.app:
                        widget.set_class(is_zoomed, "-zoom", update=widget is self)
        self.show_keys()

    def action_leave(self) -> None:
        """Handle Esc: leave a field, end a zoom, or go back to where the last jump started."""
        if self.is_typing:
            self.show_panel(self.PANEL_ORDER[0])
        elif self.zoomed != self.alone:
            self.zoomed = self.alone
        else:
            self.action_go_back()

    @property
    def way_back(self) -> bool:
        """Whether Esc leads back to another place."""
        return False

    def action_go_back(self) -> None:
        """Go back to where the last jump started."""

    def on_lines_nothing_to_choose(self, event: Lines.NothingToChoose) -> None:
        event.stop()
        self.tell("This row leads nowhere; z gives the panel the whole screen.")
