"""The encoding screen of BPE: a text, its pretokens, and panels that answer questions about it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.widgets import Input, TextArea

from bpe_tui.bpe import walks
from bpe_tui.bpe.training_screen import BPE_VIEW, EncodedText
from bpe_tui.panels.encoding_screen import TextLanesPanel, WalkScreen
from bpe_tui.panels.why_rows import describe_way, explanation_rows
from bpe_tui.session.declarations import ENCODING
from bpe_tui.session.session import Session
from bpe_tui.shell.panel import BORDER_CELLS, Panel
from bpe_tui.styles import sheet
from bpe_tui.widgets.fields import Field
from bpe_tui.widgets.language import plural, tr, tr_sentence, visible_message
from bpe_tui.widgets.lines import ShownInRows
from bpe_tui.widgets.rows import Row, paragraph
from bpe_tui.widgets.visible import shorten, visible_text
from bpe_tui.words.narration import BETWEEN_PARTS, leading_parts
from engine.analysis.explanation import Explanation, explain
from engine.analysis.why_not import occurrences, parts_asked
from engine.bpe.frame import Frame
from engine.core.errors import BpeError
from engine.core.events import PAIR_SIGN
from engine.encoding.lanes import TokenPlace, tokens_in
from engine.recording.playback import AnyMergeFrame
from engine.text.pretokenize import to_bytes, to_text

WAYS_TO_LOOK = "ids below │ a bytes and tokens"
SPECIALS_AS_ID = "e types │ special tokens as one id │ Ctrl+S"
SPECIALS_AS_TEXT = "e types │ special tokens as text │ Ctrl+S"
TYPES = "e types"
"""Said in lessons that do not speak of special tokens."""

PLACES_SHOWN = 20
LONGEST_PIECE = 200
LONGEST_IN_TITLE = 24
WHY = "why not one token?"
ALONE = "The text does not have it (blanks and case count), so it is asked about alone."


class WhyNotRows(Panel):
    """The explanation for each place where the piece occurs in the text."""

    SHOWS_CURSOR = True
    WIDEST = 1000

    text: ShownInRows[str] = ShownInRows("")
    asked: ShownInRows[str] = ShownInRows("")

    @dataclass
    class Pointed(Message):
        """The rows or the cursor have changed."""

        title: str
        target: object | None

    _title = ""
    _first = 0
    """The row that Enter chooses first."""

    def rebuild(self) -> None:
        self._first = 0
        super().rebuild()
        self.cursor = min(self._first, max(self.row_count - 1, 0))
        self.call_after_refresh(self.scroll_home, animate=False, immediate=True)
        self._post_pointed()

    def watch_cursor(self) -> None:
        super().watch_cursor()
        self._post_pointed()

    def _post_pointed(self) -> None:
        self.post_message(self.Pointed(self._title, self.target).set_sender(self))

    def rows_of(self, frame: Frame, width: int) -> list[Row]:
        parts = parts_asked(self.asked, self.text)
        self._title = ""
        if not any(parts):
            advice = tr(
                "Type the piece that you expected to be one token, or two tokens with | or a "
                "blank between: un|believ. Blanks count."
            )
            return paragraph(advice, width, "dim")
        whole = "".join(parts)
        places = list(islice(occurrences(self.text, whole), PLACES_SHOWN + 1))
        rows = [] if places else [*paragraph(ALONE, width, "dim"), Row([])]
        if len(places) < 2:
            text = self.text if places else whole
            self._add_answer(rows, explain(frame, parts, text), parts, width)
            return rows
        for place in places[:PLACES_SHOWN]:
            if rows:
                rows.append(Row([]))
            before = visible_text(to_text(to_bytes(self.text)[:place])[-12:])
            after = tr(", after …{before}", before=before) if before else ""
            rows.append(Row([(tr("at byte {place}{after}", place=place, after=after), "dim")]))
            self._add_answer(rows, explain(frame, parts, self.text, place), parts, width)
        if len(places) > PLACES_SHOWN:
            rows += [Row([]), Row([(tr("It occurs at more places."), "dim")])]
        return rows

    def _add_answer(
        self, rows: list[Row], explanation: Explanation, parts: Sequence[str], width: int
    ) -> None:
        """Add the rows of the explanation for one place in a text."""
        assert self.frame is not None
        more, first = explanation_rows(self.painter(self.frame), explanation, width)
        if not self._title:
            name = shorten(PAIR_SIGN.join(map(visible_text, parts)), LONGEST_IN_TITLE)
            self._title = str(tr_sentence(explanation.title(name)))
        if not self._first and more and more[first].target is not None:
            self._first = len(rows) + first
        rows += more


class WhyNotPanel(Vertical):
    """A line for the piece, with the answers below."""

    BORDER_TITLE = WHY

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "move(-1)", "row before", show=False),
        Binding("down", "move(1)", "next row", show=False),
    ]

    frame: reactive[Frame | None] = reactive(None)

    def __init__(self) -> None:
        super().__init__(id="why-not")

    def compose(self) -> ComposeResult:
        yield Field(
            placeholder=tr("another piece, as written in the text"),
            id="why-not-input",
            compact=True,
            max_length=LONGEST_PIECE,
        )
        yield WhyNotRows(id="why-not-rows").data_bind(frame=WhyNotPanel.frame)

    def ask(self, piece: str) -> None:
        """Ask about a piece; the line is for another one."""
        field = self.query_one(Input)
        with field.prevent(Input.Changed):
            field.value = ""
        self.query_one(WhyNotRows).asked = piece

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        self.query_one(WhyNotRows).asked = event.value

    def action_move(self, by: int) -> None:
        self.query_one(WhyNotRows).move_to_target(by)

    def on_why_not_rows_pointed(self, event: WhyNotRows.Pointed) -> None:
        template = "Enter: {target}"
        way = [] if event.target is None else [tr(template, target=describe_way(event.target))]
        parts = BETWEEN_PARTS.join([*way, "Esc back", "a|b asks about a pair"])
        self.border_title = Content(event.title or WHY)
        self.border_subtitle = Content(leading_parts(self.outer_size.width - BORDER_CELLS, parts))


LONGEST_IN_LANES = 20_000
"""Number of characters of the text that the lanes look at; they show its first tokens only."""


class TypedLanesPanel(TextLanesPanel):
    """Characters, bytes and tokens of the text, aligned, whatever a pipeline makes of it."""

    def places_of(self, frame: AnyMergeFrame) -> tuple[bytes, Iterable[TokenPlace]]:
        assert isinstance(frame, Frame)
        text = self.text[:LONGEST_IN_LANES]
        return to_bytes(text), tokens_in(frame.rules, text)


GIVE_WAY = {"pretokens": "-slim", "ids": "-low"}
"""Panel → class of a screen too small to show it beside a slot with another view."""


class EncodingScreen(WalkScreen):
    """A screen to type a text and see it cut and encoded with the merges of the step."""

    NAME = ENCODING
    VIEW = BPE_VIEW
    CSS_PATH = sheet("encoding.tcss")
    SLOT = ("encode-steps", "why-not")
    PANEL_ORDER = ("pretokens", *SLOT, "ids", "text")
    STEPS_A_SECOND = 3
    TOKENS = EncodedText
    LANES = TypedLanesPanel
    PANELS = (walks.PretokensPanel, walks.EncodeStepsPanel, WhyNotPanel)
    _specials_as_text = False

    # -- new frames and texts

    def frame_of(self, session: Session) -> Frame | None:
        """Return the session's frame, with special tokens as text if that is chosen."""
        frame = session.frame
        return frame.with_specials_as_text() if frame and self._specials_as_text else frame

    def facts_of(self, frame: Frame) -> Sequence[str]:
        """Return what encodes: the merges of a step; nothing for a whole tokenizer."""
        session = self.session
        if session.opened is not None and session.at_end and session.stop_reason is not None:
            return ()
        facts = [tr("Encoding")]
        if frame.step < frame.recorded_steps:
            merges = plural(frame.recorded_steps, "merge")
            facts.append(tr("> for all {merges}", merges=merges))
        if frame.step == 0 < frame.recorded_steps:
            facts.append(tr("no merge yet"))
        size = plural(frame.vocab_size, "token")
        return *facts, tr("vocabulary of {tokens}", tokens=size)

    def action_specials(self) -> None:
        """Switch special tokens in the text between one id and ordinary text."""
        self._specials_as_text = not self._specials_as_text
        self.show_session(self.session)

    def encode_ahead(self, text: str) -> None:
        if (frame := self.frame) is not None:
            frame.encode(text)

    def show_text(self) -> None:
        text, encoded = self.text, self.query_one(EncodedText)
        self.query_one(walks.PretokensPanel).text = text
        encoded.text = text
        self.query_one(WhyNotRows).text = text
        if self.frame is not None:
            ids = tuple(chain.from_iterable(piece.ids for piece in self.frame.encode(text)))
            self.query_one(TypedLanesPanel).show(self.frame, text)
            ways, size = tr(WAYS_TO_LOOK), plural(len(to_bytes(text)), "byte")
            tokens = tr("tokens  {n}", n=len(ids))
            encoded.say(tokens, f"{size} │ {ways}")
        how = SPECIALS_AS_TEXT if self._specials_as_text else SPECIALS_AS_ID
        if self.named_keys is not None and "Ctrl+S" not in self.named_keys:
            how = TYPES
        self.query_one("#text").border_subtitle = Content(tr(how))

    def on_parts_panel_selected(self, event: walks.PretokensPanel.Selected) -> None:
        self.walked.piece = event.part
        if self.has_class("-large") and not self.query_one("#why-not-input", Input).value:
            self.query_one(WhyNotPanel).ask(self.chosen_pretoken)

    def enter(self, field: Input) -> None:
        """Go where the explanation leads, or to the rows under a panel's line."""
        rows = self.query_one(WhyNotRows)
        if field.id == "why-not-input" and rows.target is not None:
            rows.action_choose()
        else:
            self._look_at_answers()

    # -- the panels in the slot

    def show_panel(self, panel: str) -> None:
        if panel not in self.SLOT and self.has_class(GIVE_WAY.get(panel, "")):
            self.bring_forward(self.SLOT[0])
        super().show_panel(panel)

    def look_at_pretokens(self) -> None:
        self.bring_forward(self.SLOT[0])  # another view would not show how it encodes
        super().look_at_pretokens()

    def action_ask(self) -> None:
        """Ask why the selected text, or the pretoken at the cursor, is not one token."""
        asked = self.query_one("#text", TextArea).selected_text
        self.show_panel("why-not")
        self.query_one(WhyNotPanel).ask(asked or self.chosen_pretoken)

    @property
    def chosen_pretoken(self) -> str:
        """The text of the pretoken at the cursor; "" if there is none."""
        piece = self.query_one(walks.PretokensPanel).selected
        return piece.pretoken.text if piece else ""

    def leave_field(self) -> None:
        """Focus what had the focus before; a line in the slot gives its place back."""
        if self.panels.focused() in self.SLOT and self.zoomed is None:
            self.bring_forward(self.SLOT[0])
        super().leave_field()

    def action_encode_by_hand(self) -> None:
        """Let the learner encode the pretoken at the cursor, merge by merge."""
        if (frame := self.session.frame) is not None:
            self.host.ask_by_hand("encode-by-hand", frame, self.chosen_pretoken)

    def action_predict_cost(self) -> None:
        """Ask which line of the typed text, or which form of its pretoken, costs fewest tokens."""
        from engine.learning.questions.fewer import ways_to_write  # few keys need it

        if (frame := self.session.frame) is None:
            return
        try:
            about = ways_to_write(frame, self.text, self.chosen_pretoken)
        except BpeError as error:
            self.tell(visible_message(error))
        else:
            self.host.ask_by_hand("fewer", frame, about)

    def _look_at_answers(self) -> None:
        """Move the focus from a line to the rows under it."""
        panel = self.panels.focused()
        if panel is not None and (rows := self.query(f"#{panel} Lines")):
            self.set_focus(rows.first())

    # -- commands

    @property
    def walked(self) -> walks.EncodeStepsPanel:
        return self.query_one(walks.EncodeStepsPanel)
