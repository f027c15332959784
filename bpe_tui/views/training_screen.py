from abc import abstractmethod
from typing import Any, ClassVar

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import ProgressBar, Static

from bpe_tui.session.config import Config, RunConfig
from bpe_tui.session.messages import Reading
from bpe_tui.session.protocols import Shown
from bpe_tui.session.session import Session
from bpe_tui.views.panel_screen import SessionScreen
from bpe_tui.widgets.numbers import number, rate, size
from bpe_tui.widgets.scrubber import Marks, Scrubber
from bpe_tui.widgets.visible import visible_bytes, visible_text

# Where are we, how fast do we go, what has it brought?

PLAYING, PAUSED, FOLLOWING = "▶", "‖", "⇥"
TIE_GAP = 8
"""Cells from one tie's mark to the next: late in a run nearly every merge is tied."""
ROOMY = 100
"""From so many cells on there is room for the token count."""


class Transport(Horizontal):
    """The player: step k of N, a scrubber to drag, speed, tokens and compression now."""

    def __init__(self) -> None:
        super().__init__(id="transport")

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
        scrubber.marks = self.marks(session)
        self._put("#transport-step", _step_text(session, shown))
        facts = self.facts(session, self.size.width >= ROOMY)
        self._put("#transport-facts", f"  {session.speed:>4}/s   {facts}")

    def marks(self, session: Session) -> tuple[Marks, ...]:
        """The steps worth seeing: ties and breakpoints."""
        merges = session.merges
        if merges is None:
            return ()
        return (
            Marks(merges.frame.tied_steps, "┊", "tie", gap=TIE_GAP),
            Marks(session.breakpoints.hits(), "◆", "pair"),
        )

    def facts(self, session: Session, roomy: bool) -> str:
        """What it has brought: tokens, if there is room, and compression."""
        frame = session.frame
        if frame is None or not frame.has_corpus:
            return ""
        tokens = f"{number(frame.token_count):>{len(number(frame.byte_count))}} tokens   "
        return f"{tokens if roomy else ''}{frame.bytes_per_token:5.2f} bytes/token"

    def _put(self, selector: str, text: str) -> None:
        static = self.query_one(selector, Static)
        # The width changes with the number of digits only; everything else would jump.
        if static.styles.width is None or static.styles.width.value != len(text):
            static.styles.width = len(text)
        static.update(Content(text), layout=False)


def _step_text(session: Session, shown: Shown) -> str:
    state = PLAYING if session.playing else FOLLOWING if session.following else PAUSED
    total = number(shown.recorded_steps)
    unfinished = " " if session.stop_reason else "…"
    return f"{state} step {number(shown.step):>{len(total)}} of {total}{unfinished} "


# How far is the reading, and which pairs show already?


class ReadingPanel(Vertical):
    """Shown until the first frame is there."""

    def __init__(self) -> None:
        super().__init__(id="reading")
        self.border_title = Content("reading")
        self.border_subtitle = Content("Esc cancels")

    def compose(self) -> ComposeResult:
        yield Static(id="reading-what")
        yield ProgressBar(id="reading-bar", show_eta=False)
        yield Static(id="reading-pairs")

    def show(self, session: Session) -> None:
        name = visible_text(_what(session.config), spaces=False)
        self.border_subtitle = Content("Esc cancels" if session.failure is None else "o opens")
        what, bar = self.query_one("#reading-what", Static), self.query_one(ProgressBar)
        bar.display = session.failure is None
        if session.failure is not None:
            self.query_one("#reading-pairs", Static).update("")
            failure = visible_text(session.failure, spaces=False)
            what.update(
                Content(f"{failure}\n\nPress o to open something else, Esc to leave, q to quit.")
            )
        elif (working := session.working) is not None:
            bar.update(total=working.total, progress=working.done)
            self.query_one("#reading-pairs", Static).update("")
            what.update(Content(f"{name}: {working.doing} …"))
        elif session.indexing is not None:
            distinct = number(session.indexing.distinct)
            what.update(Content(f"{name}: looking through {distinct} distinct pretokens …"))
        elif (reading := session.reading) is not None:
            progress = reading.progress
            bar.update(total=progress.bytes_total, progress=progress.bytes_read)
            what.update(Content(f"{name}: {_how_far(reading)}"))
            self.query_one("#reading-pairs", Static).update(Content(_pairs(reading)))
        elif session.opened is not None:
            tokens = number(len(session.opened.tokenizer.vocab))
            what.update(Content(f"{name}: {tokens} tokens are read; preparing their merges …"))
        else:
            what.update(Content(f"{name}: opening …"))


def _what(config: Config) -> str:
    """What is being opened, as it was named."""
    return config.corpus if isinstance(config, RunConfig) else " and ".join(config.paths)


def _how_far(reading: Reading) -> str:
    progress = reading.progress
    of = f" of {size(progress.bytes_total)}" if progress.bytes_total else ""
    return (
        f"{size(progress.bytes_read)}{of} · {rate(reading.rate)} · "
        f"{number(progress.documents)} documents · {number(progress.pretokens)} pretokens, "
        f"{number(progress.distinct)} distinct"
    )


def _pairs(reading: Reading) -> str:
    if not reading.pairs:
        return ""
    lines = ["Most frequent pairs so far", ""]
    for left, right, count in reading.pairs:
        pair = f"{visible_bytes(left)} │ {visible_bytes(right)}"
        lines.append(f"{pair:<16}{number(count):>12}")
    return "\n".join(lines)


# What the training screens of all models share: panels round a cursor, and a line to type in.


class PlayerScreen(SessionScreen):
    """Shows the reading, and then the recording at the session's cursor."""

    SLOT: ClassVar[tuple[str, ...]]
    """Panels that share a place where there is not room for all."""

    @abstractmethod
    def heading(self, session: Session, room: int) -> str:
        """What is trained on what, in so many cells."""

    @abstractmethod
    def narration(self, session: Session, frame: Any, room: int) -> str:
        """The step in one sentence."""

    def prepare(self, session: Session) -> None:
        """What panels have to know before they see the frame."""

    def show_session(self, session: Session) -> None:
        if not self.is_current:
            return
        frame, room = self.frame_of(session), self.size.width - 2
        self.set_class(frame is None, "-reading")
        self._say("#heading", self.heading(session, room))
        if frame is None:
            self.frame = None
            self.query_one(ReadingPanel).show(session)
            self.show_keys()
            return
        if self.frame is None:
            self.show_panel("corpus")
            self.call_later(self.show_keys)
        self.prepare(session)
        super().show_session(session)
        self.query_one(Transport).show(session)
        self._say("#narration", self.narration(session, frame, room))

    def _say(self, place: str, said: str) -> None:
        self.query_one(place, Static).update(Content(said), layout=False)

    def show_panel(self, panel: str) -> None:
        if panel in self.SLOT:
            self.remove_class(*(f"slot-{name}" for name in self.SLOT))
            self.add_class(f"slot-{panel}")
        super().show_panel(panel)

    def action_type(self) -> None:
        self.action_show("encode")

    def action_leave(self) -> None:
        if self.session.shown is None:
            self.host.go_back_to_what_was_open()
        else:
            super().action_leave()

    def on_scrubber_sought(self, event: Scrubber.Sought) -> None:
        event.stop()
        self.host.seek(event.position)
