"""Screens that play a recording: the player above, a sentence about the step below.

A model declares its training screen: its panels, its line to type in, its sentences.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from textual.app import ComposeResult
from textual.containers import Container, Horizontal, Vertical
from textual.content import Content
from textual.widgets import Input, Static

from bpe_tui.panels.corpus import ExcerptPanel
from bpe_tui.panels.training_panels import TypedLine, TypedTextPanel
from bpe_tui.session.config import RunConfig
from bpe_tui.session.jobs import ReadingProgress
from bpe_tui.session.session import Session
from bpe_tui.shell.model_view import ModelView
from bpe_tui.shell.panel import HIDDEN
from bpe_tui.shell.session_screen import NoTextCard, SessionScreen
from bpe_tui.shell.targets import ToChange, ToLine, ToPair, ToStep
from bpe_tui.styles import BRIGHT, sheet
from bpe_tui.widgets.controls import Scrubber
from bpe_tui.widgets.fields import TextLine
from bpe_tui.widgets.language import plural, tr
from bpe_tui.widgets.lines import Lines
from bpe_tui.widgets.numbers import number, progress_of
from bpe_tui.widgets.visible import visible_text
from bpe_tui.words.narration import add_stop, first_fitting

PLAYING, PAUSED, FOLLOWING = "▶", "‖", "⇥"
ROOMY_CELLS = 100
"""Least width, in cells, at which the token count is shown."""
PATIENCE_SECONDS = 0.4
"""A corpus that is read faster than this is shown at once, without the reading panel.

Empty panels and that panel would only flash. To make, paint and remove them takes a tenth of the
time to the first frame."""


class Transport(Horizontal):
    """The player: step k of N, a scrubber to drag, speed, tokens and compression now."""

    def __init__(self, view: ModelView) -> None:
        super().__init__(id="transport")
        self._view = view

    def compose(self) -> ComposeResult:
        yield Static(id="transport-step")
        yield Scrubber(id="scrubber")
        yield Static(id="transport-facts")

    def show(self, session: Session) -> None:
        shown = session.shown
        if shown is None:
            return
        scrubber = self.query_one(Scrubber)
        scrubber.length, scrubber.position = shown.recorded_steps, shown.step
        scrubber.marks = self._view.marks(session)
        state = PLAYING if session.playing else FOLLOWING if session.following else PAUSED
        total = number(shown.recorded_steps)
        of = tr("of {last}", last=total) + (" " if session.stop_reason else "…")
        n = number(shown.step)
        step = f"{state} {tr('step {n}', n=f'{n:>{len(total)}}')}"
        bright = Content(step).stylize(BRIGHT, step.index(n), step.index(n) + len(n))
        self._put("#transport-step", bright + f" {of} ")
        size = self.size or self.screen.size  # before the first layout it has no size
        is_roomy = size.width >= ROOMY_CELLS
        speed = session.speed
        rate = f" {tr('step/s ' if speed == 1 else 'steps/s')}" if is_roomy else "/s"
        facts = self._view.facts(session, roomy=is_roomy)
        self._put("#transport-facts", Content(f"  {speed:>4}{rate}   {facts}"))

    def _put(self, selector: str, text: Content) -> None:
        static = self.query_one(selector, Static)
        static.styles.width = text.cell_length  # only another width moves everything else
        static.update(text, layout=False)


class ReadingPanel(Vertical):
    """The progress of reading a corpus, and who counts what.

    It exists only while a corpus is read, since its bar moves even where it is hidden.
    """

    def __init__(self, session: Session) -> None:
        from textual.widgets import ProgressBar  # a short corpus needs none

        super().__init__(id="reading")
        self.border_title = Content(tr("reading"))
        self._session = session
        self._bar = ProgressBar(id="reading-bar", show_percentage=False, show_eta=False)

    def compose(self) -> ComposeResult:
        yield Static(id="reading-what")
        yield self._bar

    def on_mount(self) -> None:
        self.show(self._session)

    def show(self, session: Session) -> None:
        self._session = session
        if not self.query("#reading-what"):
            return  # `on_mount` will show it, or it is being removed
        config = session.config
        paths = config.corpus if isinstance(config, RunConfig) else tr(" and ").join(config.paths)
        name = visible_text(paths, spaces=False)
        self.border_subtitle = Content(tr("Esc cancels" if session.failure is None else "o opens"))
        what, bar = self.query_one("#reading-what", Static), self._bar
        bar.display = session.failure is None
        if session.failure is not None:
            failure = visible_text(session.failure, spaces=False)
            template = "{failure}\n\nPress o to open something else, Esc to leave, q to quit."
            what.update(Content(tr(template, failure=failure)))
        elif (working := session.working) is not None:
            bar.update(total=working.total, progress=working.done)
            what.update(Content(f"{name}: {tr(working.doing)} …"))
        elif (reading := session.reading) is not None:
            progress = reading.progress
            bar.update(total=progress.bytes_total, progress=progress.bytes_read)
            what.update(Content(f"{name}: {_describe_reading(reading)}"))
        elif session.opened is not None:
            tokens = number(len(session.opened.tokenizer.vocab))
            template = "{name}: {tokens} tokens are read; preparing their merges …"
            what.update(Content(tr(template, name=name, tokens=tokens)))
        else:
            what.update(Content(tr("{name}: opening …", name=name)))


def _describe_reading(reading: ReadingProgress) -> str:
    """Return how far a corpus is read."""
    progress = reading.progress
    seconds = progress.bytes_read / max(reading.rate, 1e-6)
    return tr(
        "{bytes_read} │ {documents} │ {pretokens}, {distinct} distinct",
        bytes_read=progress_of(progress.bytes_read, progress.bytes_total, seconds),
        documents=plural(progress.documents, "document"),
        pretokens=plural(progress.pretokens, "pretoken"),
        distinct=progress.distinct,
    )


def show_player(screen: SessionScreen, session: Session) -> None:
    """Show the heading, the slider, and a sentence about the step, on a screen that has them."""
    room, frame = screen.size.width - 2, screen.frame
    screen.show_heading()
    screen.query_one(Transport).show(session)
    recording, hides_next = session.recording, screen.host.hides_next
    is_undone = recording is not None and recording.came_from == recording.cursor + 1
    if is_undone and not hides_next:
        narration = first_fitting(room, *screen.VIEW.narrate_back(frame))
    else:
        is_hidden = hides_next and not frame.step
        sentences = [tr(HIDDEN)] if is_hidden else screen.VIEW.narrate(frame)
        narration = add_stop(session, sentences, room)
    screen.say("#narration", narration)


class StepsScreen(SessionScreen):
    """The training screen of a model: the reading panel, then panels and a line to type in."""

    PANELS: ClassVar[tuple[type[Any], ...]] = ()
    """Classes of the corpus panel, the one beside it, and those below, each with its `ID`.

    With little room, the panels after the corpus share a place. A panel whose `IN_PLACE_OF` is the
    `ID` of another always shares that one's place: the last one asked for is visible. Where it is
    hidden, a panel is named by its `SHORT`, or its `ID`.
    """
    FIRST: ClassVar[str]
    """The id of the panel that is visible first if there is little room."""
    SHOWS_STEP = False  # the slider has it
    TYPED = "encode"
    ZOOMS_IN_LESSONS = True
    TYPED_TEXT: ClassVar[type[TypedTextPanel[Any]]]
    """The class of the panel under the line to type in."""
    CSS_PATH = sheet("training.tcss")
    _is_patient = True
    """Whether to wait for the first reading before the reading panel appears."""
    _place_of: ClassVar[Mapping[str, str]] = {}
    """Id of each panel below → the id of the one whose place it has."""

    def __init_subclass__(cls, **settings: Any) -> None:
        order = [panel.ID for panel in cls.PANELS[1:]]
        cls.SLOT = tuple(sorted(order, key=lambda panel: panel != cls.FIRST))
        cls.PANEL_ORDER = ("corpus", *order, "encode")
        cls._place_of = {
            panel.ID: getattr(panel, "IN_PLACE_OF", panel.ID) for panel in cls.PANELS[2:]
        }
        own = (panel for panel in cls.PANELS[1:] if not hasattr(panel, "IN_PLACE_OF"))
        cls.HIDDEN = {panel.ID: getattr(panel, "SHORT", panel.ID) for panel in own}
        super().__init_subclass__(**settings)

    def compose_body(self) -> ComposeResult:
        yield Transport(self.VIEW)
        yield NoTextCard()
        with Container(id="panels"):
            for kind in self.PANELS:
                panel = kind().data_bind(frame=SessionScreen.frame)
                if place := self._place_of.get(kind.ID):
                    panel.add_class("below", f"at-{place}", update=False)
                    panel.set_class(place != kind.ID, "-away", update=False)
                panel.set_class(kind is self.PANELS[1], "beside", update=False)
                panel.set_class(kind.ID == self.FIRST, "-first", "-in-front", update=False)
                yield panel
        yield TypedLine(self.TYPED_TEXT()).data_bind(frame=SessionScreen.frame)
        yield Static(id="narration")

    def on_mount(self) -> None:
        self.set_timer(PATIENCE_SECONDS, self._lose_patience)

    @property
    def has_content(self) -> bool:
        return self.frame is not None or bool(self.query("#reading-what"))

    def show_keys(self) -> None:
        if not self._is_patient:  # until then nothing is painted
            super().show_keys()

    def _lose_patience(self) -> None:
        if self._is_patient:
            self._is_patient = False
            self.show_session(self.session)

    def prepare(self, session: Session) -> None:
        """Set what panels need before they get the frame."""
        self.query_one(ExcerptPanel).playing = session.playing or session.following

    def show_session(self, session: Session) -> None:
        if not self.is_current:
            return
        is_reading = self.frame_of(session) is None
        if is_reading and self._is_patient and session.failure is None:
            return
        self._is_patient = False
        self.set_class(is_reading, "-reading")
        if is_reading:
            self.show_tabs(session)
            self.show_heading()
            self.frame = None
            self._show_reading(session)
            self.show_keys()
            return
        if self.frame is None:
            self.query(ReadingPanel).remove()
            self.show_panel("corpus")
            self.call_later(self.show_keys)
            self.call_after_refresh(self.name_hidden_panels)  # there was no frame to name them for
        self.show_no_text()
        self.prepare(session)
        line = self.query_one(TextLine)
        if line.whole != session.text:
            line.show_text(session.text)
        super().show_session(session)
        show_player(self, session)

    def _show_reading(self, session: Session) -> None:
        if panels := self.query(ReadingPanel):
            panels.first().show(session)
        elif self.is_attached:  # the application is not closing
            self.mount(ReadingPanel(session), before="#panels")

    def show_panel(self, panel: str) -> None:
        if place := self._place_of.get(panel):
            for other in self.query(f".at-{place}"):
                other.set_class(other.id != panel, "-away")
            self.call_after_refresh(self.name_hidden_panels)
        super().show_panel(panel)

    def show_target(self, target: object) -> None:
        if isinstance(target, ToLine):
            self.query_one(ExcerptPanel).show_line(target.line)
            self.show_panel("corpus")

    def action_why(self) -> None:
        """Explain the pair of the cursor's row; without one, the pair that merges next."""
        rows, asked = self.focused, self.frame.next_pair
        if isinstance(rows, Lines):
            match rows.target:
                case ToPair(pair) | ToChange(pair):
                    asked = pair
                case ToStep(step) if step:
                    asked = self.frame.merge_at(step - 1).pair
        self.host.navigation.ask(asked or ())

    def action_leave(self) -> None:
        if self.session.shown is None:
            self.host.reopen_previous()
        else:
            super().action_leave()

    def enter(self, field: Input) -> None:
        """Open the encoding screen with the text of the line."""
        self.host.navigation.open_encoding(self.session.text)

    def on_input_changed(self) -> None:
        if self.is_current and self.frame is not None:  # else the change is an older session's
            self.session.type(self.query_one(TextLine).text)
