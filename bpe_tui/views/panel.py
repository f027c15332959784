"""The bases of all panels: rows about a frame, with a title and a foot in the border."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any, ClassVar, Generic, TypeVar, cast

from textual.content import Content
from textual.reactive import reactive
from textual.strip import Strip

from bpe_tui.session.host import Notifier
from bpe_tui.views.narration import leading_parts
from bpe_tui.views.targets import ToChange, ToPair, ToPretoken, ToStep, ToToken
from bpe_tui.widgets.lines import Lines
from bpe_tui.widgets.rows import (
    TOKEN_HUES,
    NameSpans,
    PairSpans,
    Row,
    Span,
    SubjectSpan,
    in_sight,
    paragraph,
    spans_width,
    without_middle,
)
from bpe_tui.widgets.visible import ELLIPSIS, visible_bytes, visible_text
from engine.bpe.frame import Frame
from engine.core.events import PAIR_SIGN, Pair, pair_name
from engine.recording.playback import AnyMergeFrame
from engine.text.pretokenize import Pretoken

# How tokens, pairs and pretokens look, everywhere.

PRETOKEN_BORDER: Span = ("│", "border")
TOKEN_BORDER: Span = ("┊", "cut")
BETWEEN_PAIR: Span = (PAIR_SIGN, "border")
"""Drawn between the two tokens of a pair: `o+t`. No border looks like it."""
ABOUT_TO_JOIN: Span = (PAIR_SIGN, "pair")
"""Drawn instead of a border between two tokens that the next merge joins."""


class TokenPainter:
    """Draws the tokens of one frame. `marks` puts «» round the fresh token, without colours.

    Tokens are looked up in the whole vocabulary of the run: a row may show a later token.
    """

    between = BETWEEN_PAIR

    def __init__(self, frame: AnyMergeFrame, *, marks: bool) -> None:
        self.frame = frame
        self.fresh = frame.merge.new_id if frame.merge else -1
        self.marks = marks
        self.joining: Pair | None = None
        """A pair that is marked as about to join wherever it occurs."""
        self.joint = ABOUT_TO_JOIN
        """The mark between the two tokens of `joining`."""
        self._tokens: dict[int, Span] = {}
        self._widths: dict[tuple[str, bool], tuple[int, ...]] = {}
        self._words: dict[tuple[str, bool], tuple[list[Span], ...]] = {}

    def role(self, token_id: int) -> str:
        """Return the role of a token: plain for bytes and characters, a hue for merged tokens."""
        if token_id == self.fresh:
            return "fresh"
        if self.frame.is_special(token_id):
            return "special"
        if self.frame.is_base(token_id):
            return ""
        return f"token-{token_id % TOKEN_HUES}"

    def token(self, token_id: int) -> Span:
        """Return a token in one span; remembered but for the fresh one, since most repeat."""
        if (known := self._tokens.get(token_id)) is not None:
            return known
        text, role = visible_bytes(self.frame.any_token(token_id)), self.role(token_id)
        if token_id == self.fresh:
            return SubjectSpan.of(f"«{text}»" if self.marks else text, role, token_id)
        span = self._tokens[token_id] = SubjectSpan.of(text, role, token_id)
        return span

    def spans(self, token_id: int) -> list[Span]:
        """Return a token in spans, one for each role in it."""
        return [self.token(token_id)]

    def tokens(self, ids: Iterable[int]) -> list[Span]:
        """Return the tokens of one pretoken with the borders between them."""
        ids = tuple(ids)
        if joints := self.joints(ids):
            return self._joining(ids, joints)
        spans: list[Span] = []
        for token_id in ids:
            if spans:
                spans.append(TOKEN_BORDER)
            # Not `self.spans`: the corpus has a thousand tokens a frame, each in one span.
            spans.append(self.token(token_id))
        return spans

    def joints(self, ids: Sequence[int]) -> set[int]:
        """Return the places before which the pair about to join does so, from left to right.

        In `a a a` the pair of two `a` joins before place 1 only: `a+a┊a`.
        """
        if self.joining is None or self.joining[0] not in ids or self.joining[1] not in ids:
            return set()
        joints: set[int] = set()
        for place, pair in enumerate(pairwise(ids), 1):
            if pair == self.joining and place - 1 not in joints:
                joints.add(place)
        return joints

    def _joining(self, ids: Sequence[int], joints: set[int]) -> list[Span]:
        """Return the tokens of one pretoken, with the mark of a joint instead of borders there."""
        spans: list[Span] = []
        for place, token_id in enumerate(ids):
            if place:
                spans.append(self.joint if place in joints else TOKEN_BORDER)
            token = self.spans(token_id)
            spans += as_joining(token) if {place, place + 1} & joints else token
        return spans

    def strip(self, ids: Sequence[int], place: int, cells: int) -> list[Span]:
        """Return the tokens of a pretoken in exactly `cells` cells, with the one at `place`."""
        spans = self.tokens(ids)
        return in_sight(spans, min(2 * place, len(spans) - 1), cells)  # 2: borders are spans too

    def pair(self, pair: Pair) -> PairSpans:
        """Return a pair, such as `o+t`."""
        return PairSpans(self.spans(pair[0]), BETWEEN_PAIR, self.spans(pair[1]))

    def sum(self, pair: Pair) -> PairSpans:
        """Return a pair as the two parts of the token that a merge made of it: `o + t`."""
        between = f" {PAIR_SIGN} ", "border"
        return PairSpans(self.spans(pair[0]), between, self.spans(pair[1]))

    def words(self, pretoken: Pretoken) -> Iterable[list[Span]]:
        """Return the tokens of a pretoken, word by word, each word with the border behind it."""
        spans = self.pretoken(pretoken)
        if not spans:  # blanks have no tokens if the ends of words are marked
            return ()
        spans.append(PRETOKEN_BORDER)
        return (spans,)

    def kept_words(self, pretoken: Pretoken) -> tuple[list[Span], ...]:
        """Return the words of a pretoken; remembered between calls, since most words repeat."""
        key = pretoken.text, pretoken.special
        if (known := self._words.get(key)) is None:
            known = self._words[key] = tuple(self.words(pretoken))
        return known

    def widths(self, pretoken: Pretoken) -> tuple[int, ...]:
        """Return the cells of each word of a pretoken; remembered between calls."""
        key = pretoken.text, pretoken.special
        if (known := self._widths.get(key)) is None:
            known = self._widths[key] = tuple(map(spans_width, self.words(pretoken)))
        return known

    def pretoken(self, pretoken: Pretoken) -> list[Span]:
        if pretoken.special:
            return [(f"╌╌ {visible_text(pretoken.text)} ╌╌", "special")]
        return self.tokens(self.frame.tokens_of(pretoken.bytes))


def as_joining(token: Iterable[Span]) -> list[Span]:
    """Return a token in the role of the pair about to join; a fresh token keeps its role."""
    return [(text, role if role == "fresh" else "pair") for text, role in token]


def pair_text(frame: AnyMergeFrame, pair: Pair) -> str:
    """Return a pair as one string, for titles."""
    return pair_name(*(visible_bytes(frame.any_token(token_id)) for token_id in pair))


BORDER_CELLS = 6
"""Cells of a border that a title or foot cannot use: corners, ends, blanks."""

FrameT = TypeVar("FrameT")
MergeFrameT = TypeVar("MergeFrameT", bound=AnyMergeFrame)


class FramePanel(Lines, Generic[FrameT]):
    """A list of rows about `frame`, a frame of the model's own kind.

    A subclass makes the rows in `rows_of`; they are made only when the panel is visible.
    """

    LEAST_FOR_HEAD = 5
    """Least height, in rows, at which the names of the columns are shown."""

    WIDEST = 72
    """Most cells of a row: the eye loses a row whose columns are further apart."""

    FOLLOWS_RECORDING = False
    """Whether the panel changes when steps are recorded but the cursor does not move."""

    frame: reactive[Any] = reactive(None, repaint=False)

    _foot = _shown_title = _shown_foot = ""

    ID: ClassVar[str] = ""
    TITLE: ClassVar[str] = ""
    """Title in the border until the rows set another; the id, if this is empty."""

    def __init__(self, title: str = "", id: str = "") -> None:
        super().__init__(id=id or self.ID)
        self.named = title or self.TITLE or self.ID
        self.border_title = Content(self.named)

    def rows_of(self, frame: FrameT, width: int) -> Sequence[Row]:
        """Return the rows for a frame, each at most `width` cells wide."""
        raise NotImplementedError

    def watch_frame(self, old: Any, new: Any) -> None:
        if old and new and old.looks_like(new) and not self.FOLLOWS_RECORDING:
            return
        self.rebuild()

    def forget_run(self) -> None:
        """Drop all that the panel holds of the run before."""
        self.frame = None

    @property
    def room(self) -> int:
        """The cells for a row, without the scrollbar."""
        return min(self.scrollable_content_region.width, self.WIDEST)

    _is_due = False
    """Whether the rows could not be made as the panel was hidden."""

    def rebuild(self) -> None:
        self._is_due = self.frame is None or not self.display or not self.size.width
        if self.frame is not None and not self._is_due:
            self.head = ()
            self._rows = ()  # old rows may show what is gone, and the foot would read them
            try:
                self._rows = self.rows_of(self.frame, self.room)
            except Exception as error:
                self._rows = self._failed(error)
            super().rebuild()
            self._say_foot()
        else:
            self._rows = ()  # what they show may be gone when the panel is visible again

    def render_line(self, y: int) -> Strip:
        if self._is_due and self.frame is not None:  # hidden and shown again between two layouts
            self._is_due = False
            self.call_later(self.rebuild)
        try:
            return super().render_line(y)
        except Exception as error:  # rows may be made only now
            self._rows, self.head = self._failed(error), ()
            return super().render_line(y)

    def _failed(self, error: Exception) -> Sequence[Row]:
        """Return rows with the error, shown if the panel's rows cannot be made."""
        message = cast("Notifier", self.app).survive(error)
        return paragraph(message, max(self.room, 1), "loss")

    def say(self, title: str, foot: str = "") -> None:
        """Set the title and the foot in the border, as plain text."""
        if title != self._shown_title:  # Textual paints the panel again for an equal title, too
            self._shown_title = title
            self.border_title = Content(title)
        self._foot = foot
        self._say_foot()

    def name_columns(self, head: Sequence[Span]) -> None:
        """Show the names of the columns above the rows, if there is room."""
        self.head = head if self.size.height >= self.LEAST_FOR_HEAD else ()

    def whole(self, row: Row) -> Sequence[Span]:
        """Return in full what a row shows shortened; nothing if the row is not shortened."""
        return ()

    def foot_at(self, row: Row) -> str:
        """Return the foot while the cursor is in a row of the panel with the focus."""
        return self._foot

    def _say_foot(self) -> None:
        """Show the foot, or in full what is shortened in the cursor's row."""
        whole: Sequence[Span] = ()
        foot = self._foot
        if self.frame is not None and self.has_focus and self.cursor < self.row_count:
            row = self.row(self.cursor)
            whole, foot = self.whole(row), self.foot_at(row)
        room = max(self.outer_size.width - BORDER_CELLS, 8)
        text = "".join(text for text, _ in without_middle(whole, room))
        text = text or leading_parts(room, foot)
        if text != self._shown_foot:
            self._shown_foot = text
            self.border_subtitle = Content(text)

    def watch_cursor(self) -> None:
        super().watch_cursor()
        self._say_foot()

    def watch_has_focus(self, value: bool) -> None:
        super().watch_has_focus(value)
        self._say_foot()


class TokenPanel(FramePanel[MergeFrameT]):
    """A panel about the tokens of a frame, for models that merge pairs."""

    TOKEN: ClassVar[str] = "token"
    """The model's word for a token."""

    PAINTER: ClassVar[type[TokenPainter]] = TokenPainter

    MARKS_NEXT: ClassVar[bool] = False
    """Whether the pair of the next merge is marked wherever it occurs."""

    def painter(self, frame: MergeFrameT) -> TokenPainter:
        """Return a painter of the frame's tokens, and of the next merge's pair if `MARKS_NEXT`."""
        painter = self.PAINTER(frame, marks=self.app.no_color)
        if self.MARKS_NEXT:
            painter.joining = frame.next_pair
        return painter

    def whole(self, row: Row) -> Sequence[Span]:
        """Return in full the pair, token or pretoken that a row leads to, if it is shortened."""
        frame, shown = self.frame, "".join(text for text, _ in row.spans)
        if frame is None or ELLIPSIS not in shown:
            return ()
        painter, target = self.painter(frame), row.target
        match target:
            case ToPair(pair) | ToChange(pair):
                whole: NameSpans = painter.pair(pair)
            case ToStep(step) if 0 < step <= frame.recorded_steps:
                whole = painter.pair(frame.merge_at(step - 1).pair)
            case ToToken(token_id):
                whole = NameSpans(painter.spans(token_id))
            case ToPretoken(pretoken):
                return painter.tokens(frame.tokens_of(pretoken))
            case _:
                return ()
        return () if whole.is_shown_in(shown) else whole


Panel = TokenPanel[Frame]
"""A panel about a frame of BPE."""


def sentence(text: str, width: int) -> list[Row]:
    """Wrap a sentence in dim rows."""
    return paragraph(text, width, "dim")
