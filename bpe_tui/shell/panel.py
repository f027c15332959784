"""The bases of all panels: rows about a frame, with a title and a foot in the border."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, pairwise
from typing import TYPE_CHECKING, Any, ClassVar, Generic, NamedTuple, TypeVar, cast
from unicodedata import category

from textual.app import App
from textual.content import Content
from textual.reactive import reactive
from textual.strip import Strip

from bpe_tui.session.host import Notifier
from bpe_tui.shell.targets import ToChange, ToPair, ToPretoken, ToStep, ToToken
from bpe_tui.widgets.language import tr
from bpe_tui.widgets.lines import Lines, ShownInRows
from bpe_tui.widgets.rows import (
    CHIPS_MEET,
    TOKEN_HUES,
    CutSpan,
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
from bpe_tui.widgets.visible import width as cells_of
from bpe_tui.words.narration import leading_parts
from engine.bpe.frame import Frame
from engine.core.events import PAIR_SIGN, Pair
from engine.core.wording import is_partial
from engine.recording.playback import AnyMergeFrame
from engine.text.pretokenize import Pretoken

if TYPE_CHECKING:
    from engine.encoding.lanes import Lanes

# How tokens, pairs and pretokens look, everywhere.

HIDDEN = "The winner is hidden: H shows it."
"""The sentence that hides the next merge."""
PRETOKEN_BORDER: Span = ("│", "edge")
CUT_OFF: Span = (ELLIPSIS, "dim")
"""Drawn after the beginning of a pretoken that is too long to be shown whole."""
TOKEN_BORDER: Span = ("┊", "cut")
"""Border between two tokens of a pretoken, without colours or where a gap is to be chosen."""
BETWEEN_PAIR: Span = (PAIR_SIGN, "border")
"""Drawn between the two tokens of a pair: `o+t`. No border looks like it."""
ABOUT_TO_JOIN: Span = (PAIR_SIGN, "pair")
"""Drawn instead of a border between two tokens that the next merge joins, without colours."""
FRESH_ROLES = ("fresh", "fresh-joining", "mark-fresh")
"""The roles of the token just made."""
JOINING_ROLES = ("joining", "fresh-joining", "mark-joining")
"""The roles of two tokens that the next merge joins."""
MARKS = "▂▄"
"""Marks below a character that tokens cut: one sign for a token's bytes, in turn."""


SizedWord = tuple[list[Span], int]
"""The spans of a word and its cells."""


class Unit(NamedTuple):
    """A token, or a character that tokens cut.

    Attributes:
        border: the border before it, if one is drawn.
        spans: draw it.
        begun: the tokens that begin in it, each with its cell.
    """

    border: Sequence[Span]
    spans: list[Span]
    begun: tuple[tuple[int, int], ...]


def needs_marks(app: App[Any]) -> bool:
    """Whether borders are between tokens: they are asked for, or chips lack colours."""
    few = app.console.color_system in (None, "standard", "windows")
    return cast("Notifier", app).shows_edges or app.no_color or (few and not app.is_headless)


def token_edge(*, marks: bool) -> Span:
    """Return what is drawn between two tokens of a pretoken."""
    return TOKEN_BORDER if marks else CHIPS_MEET


class TokenPainter:
    """Draws the tokens of one frame, each a chip. A character that tokens cut has marks below it.

    Without colours `marks` puts «» round the fresh token, and borders between tokens. Tokens are
    looked up in the whole vocabulary of the run: a row may show a later token.
    """

    def __init__(self, frame: AnyMergeFrame, *, marks: bool) -> None:
        self.frame = frame
        self.fresh = frame.merge.new_id if frame.merge else -1
        self.marks = marks
        self.joining: Pair | None = None
        """A pair that is marked as about to join wherever it occurs."""
        self.shows_joint = True
        """Whether a `+` is between the two tokens of `joining`, without colours."""
        self.in_bytes = False
        """Whether a character that tokens cut is spelled in its bytes."""
        self._partial: set[int] = set()
        """The tokens drawn so far that hold a part of a character."""
        self._tokens: dict[int, Span] = {}
        self._words: dict[tuple[str, bool, bool], tuple[SizedWord, ...]] = {}

    def role(self, token_id: int) -> str:
        """Return the role of a token: `base` for bytes and characters, a hue for merged tokens."""
        if token_id == self.fresh:
            return "fresh"
        if self.frame.is_special(token_id):
            return "special"
        if self.frame.is_base(token_id):
            return "base"
        return f"token-{token_id % TOKEN_HUES}"

    def token(self, token_id: int) -> Span:
        """Return a token in one span; remembered but for the fresh one, since most repeat."""
        if (known := self._tokens.get(token_id)) is not None:
            return known
        token, role = self.frame.any_token(token_id), self.role(token_id)
        text = visible_bytes(token)
        if not token.isascii() and is_partial(token):
            self._partial.add(token_id)
            if not token.decode(errors="ignore") and (len(token) > 1 or not self.marks):
                text = text[1:-1]  # `E6 88`: no text has this blank; `E6` only on a ground
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
        parts, edges = self._parts(ids)
        if self.cuts_characters(ids):
            units = self._units(ids, parts, edges, is_labelled=False)
            return [span for unit in units for span in (*unit.border, *unit.spans)]
        spans: list[Span] = []
        for before, part in zip(edges, parts, strict=True):
            if spans:
                spans.append(before)
            spans += part
        return spans

    def _parts(self, ids: Sequence[int]) -> tuple[list[list[Span]], list[Span]]:
        """Return the spans of each token of a pretoken, and the border before each."""
        edge, joints = token_edge(marks=self.marks), self.joints(ids)
        parts = list(map(self.spans, ids))
        edges = [edge] * len(parts)
        for place in joints:
            edges[place] = ABOUT_TO_JOIN if self.marks and self.shows_joint else edge
            parts[place - 1 : place + 1] = map(as_joining, parts[place - 1 : place + 1])
        return parts, edges

    def cuts_characters(self, ids: Iterable[int]) -> bool:
        """Whether tokens that have been drawn hold parts of characters, which are drawn whole."""
        return not (self.in_bytes or self._partial.isdisjoint(ids))

    def would_cut(self, ids: Sequence[int]) -> bool:
        """Whether the tokens hold parts of characters, before they are drawn."""
        for token_id in ids:
            self.spans(token_id)
        return self.cuts_characters(ids)

    def units(self, ids: Sequence[int]) -> Iterator[Unit]:
        """Yield the tokens of a pretoken, and the characters that they cut, to be labelled."""
        parts, edges = self._parts(ids)
        if self.cuts_characters(ids):
            yield from self._units(ids, parts, edges, is_labelled=True)
            return
        for place, token_id in enumerate(ids):
            yield Unit(edges[place : place + 1] if place else [], parts[place], ((token_id, 0),))

    def _units(
        self,
        ids: Sequence[int],
        parts: Sequence[list[Span]],
        edges: Sequence[Span],
        *,
        is_labelled: bool,
    ) -> Iterator[Unit]:
        """Yield the tokens; a character that they cut is one span, over a mark for each byte.

        Args:
            ids: the tokens.
            parts: the spans of each.
            edges: the border before each; that before the first is not drawn.
            is_labelled: whether the mark of a token is as wide as its id, before a blank.
        """
        from engine.encoding.lanes import align  # few texts have characters of several bytes

        lanes = align((token_id, self.frame.any_token(token_id)) for token_id in ids)
        sizes = (token.end - token.start for token in lanes.tokens)
        of_bytes = [place for place, size in enumerate(sizes) for _ in range(size)]
        last, mark = -1, 1
        for start, end in self._clusters(lanes, [ids[place] for place in of_bytes]):
            place = of_bytes[start]
            border = [edges[place]] if last < place and place else []
            if ids[place] not in self._partial:
                if last < place:
                    yield Unit(border, parts[place], ((ids[place], 0),))
                    last, mark = place, 1
                continue
            text = visible_bytes(lanes.between(start, end))
            below, begun = list[Span](), list[tuple[int, int]]()
            for place, run in groupby(of_bytes[start:end]):
                cells = len(list(run))
                if last < place:
                    below += [CHIPS_MEET] * bool(below)
                    last, mark = place, 1 - mark
                    begun.append((ids[place], spans_width(below)))
                    cells = max(cells, len(str(ids[place])) + 1 if is_labelled else 0)
                shown = MARKS[mark] * (cells - is_labelled) + " " * is_labelled
                below.append(SubjectSpan.of(shown, mark_role(parts[place][-1][1]), ids[place]))
            spare = cells_of(text) - spans_width(below)
            below.append((MARKS[mark] * spare, below[-1][1]))
            padded = text + " " * -spare
            yield Unit(border, [CutSpan.of(padded, "", below)], tuple(begun))

    def _clusters(self, lanes: Lanes, of_bytes: Sequence[int]) -> Iterator[tuple[int, int]]:
        """Yield the bytes of each character; a letter and its marks are one if tokens cut both.

        Args:
            lanes: the text.
            of_bytes: the token of each byte.
        """
        begun = 0
        for before, each in pairwise((*lanes.characters, None)):
            assert before is not None, "only the last one is followed by None"
            is_mark = each is not None and bool(each.text) and category(each.text or "")[0] == "M"
            if not (is_mark and self._partial.issuperset(of_bytes[before.start : before.end + 1])):
                yield begun, before.end
                begun = before.end

    def joints(self, ids: Sequence[int]) -> set[int]:
        """Return the places before which the pair about to join does so, from left to right.

        In `a a a` the pair of two `a` joins before place 1 only: `a+a┊a`.
        """
        if self.joining is None:
            return set()
        joints: set[int] = set()
        for place, pair in enumerate(pairwise(ids), 1):
            if pair == self.joining and place - 1 not in joints:
                joints.add(place)
        return joints

    def strip(self, ids: Sequence[int], place: int, cells: int) -> list[Span]:
        """Return the tokens of a pretoken in exactly `cells` cells, with the one at `place`."""
        spans = self.tokens(ids)
        place = place * (len(spans) + 1) // max(len(ids), 1)  # borders are spans too
        return in_sight(spans, min(place, len(spans) - 1), cells)

    def pair(self, pair: Pair) -> PairSpans:
        """Return a pair, such as `o+t`."""
        return PairSpans(self.spans(pair[0]), BETWEEN_PAIR, self.spans(pair[1]))

    def sum(self, pair: Pair) -> PairSpans:
        """Return a pair as the two parts of the token that a merge made of it: `o + t`."""
        between = f" {PAIR_SIGN} ", "border"
        return PairSpans(self.spans(pair[0]), between, self.spans(pair[1]))

    def words(self, pretoken: Pretoken) -> Iterable[list[Span]]:
        """Return the tokens of a pretoken, word by word, each word with the border after it."""
        spans = self.pretoken(pretoken)
        if not spans:  # blanks have no tokens if the ends of words are marked
            return ()
        spans.append(PRETOKEN_BORDER)
        return (spans,)

    def kept_words(self, pretoken: Pretoken) -> tuple[SizedWord, ...]:
        """Return the words of a pretoken with their cells; kept, since most words repeat."""
        key = pretoken.text, pretoken.special, pretoken.is_cut_off
        if (known := self._words.get(key)) is None:
            words = list(self.words(pretoken))
            if words and pretoken.is_cut_off:
                words[-1][-1] = CUT_OFF  # in place of its border
            known = self._words[key] = tuple((word, spans_width(word)) for word in words)
        return known

    def pretoken(self, pretoken: Pretoken) -> list[Span]:
        if pretoken.special:
            return [(f"╌╌ {visible_text(pretoken.text)} ╌╌", "special")]
        return self.tokens(self.frame.tokens_of(pretoken.bytes))


def as_joining(token: Iterable[Span]) -> list[Span]:
    """Return a token in the role of the pair about to join."""

    def joining(span: Span) -> Span:
        role = "fresh-joining" if span[1] in FRESH_ROLES else "joining"
        return SubjectSpan.of(span[0], role, getattr(span, "subject", None))

    return list(map(joining, token))


def mark_role(role: str) -> str:
    """Return the role of a mark below a character, for a token of this role."""
    return "mark-fresh" if role in FRESH_ROLES else f"mark-{role.removeprefix('token-')}"


def pair_text(frame: AnyMergeFrame, pair: Pair) -> str:
    """Return a pair as one string, for titles."""
    return PAIR_SIGN.join(visible_bytes(frame.any_token(token_id)) for token_id in pair)


def keyed(key: str, title: str) -> Content:
    """Return the title of a panel after the key that leads to it, if one does."""
    return Content.assemble((f"{key} ", "$primary"), title) if key else Content(title)


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

    WIDEST = 110
    """Most cells of a row: the eye loses a row whose columns are further apart."""

    BESIDE_BAR = 1
    """Blank cells before the scrollbar."""

    FOLLOWS_RECORDING = False
    """Whether the panel changes when steps are recorded but the cursor does not move."""

    frame: reactive[Any] = reactive(None, repaint=False)

    in_bytes: ShownInRows[bool] = ShownInRows(False)
    """Whether a character that tokens cut is spelled in its bytes, not over marks."""

    _foot = _shown_title = _shown_foot = _key = ""

    ID: ClassVar[str] = ""
    TITLE: ClassVar[str] = ""
    """Title in the border until the rows set another; the id, if this is empty."""

    def __init__(self, title: str = "", id: str = "") -> None:
        super().__init__(id=id or self.ID)
        self.named = title or self.TITLE or self.ID
        self._show_title(self.named)

    def rows_of(self, frame: FrameT, width: int) -> Sequence[Row]:
        """Return the rows for a frame, each at most `width` cells wide."""
        raise NotImplementedError

    def watch_frame(self, old: Any, new: Any) -> None:
        if old and new and old.looks_like(new) and not self.FOLLOWS_RECORDING:
            return
        self.rebuild()

    def turn(self) -> None:
        """Show the next of several views: the panel's key was pressed while it is in sight."""

    @property
    def hides_next(self) -> bool:
        """Whether merges to come are hidden."""
        return cast("Notifier", self.app).hides_next

    @property
    def room(self) -> int:
        """The cells for a row."""
        return min(self.scrollable_content_region.width - self.BESIDE_BAR, self.WIDEST)

    _is_due = False
    """Whether the rows could not be made as the panel was hidden."""

    def rebuild(self) -> None:
        self._is_due = self.frame is None or not self.display or not self.size.width
        if self.frame is not None and not self._is_due:
            self.head = ()
            self._rows = ()  # old rows may show what is gone, and the foot would read them
            try:
                self._rows = self.rows_of(self.frame, self.room)
                super().rebuild()
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
            self._rows, self.head, self._rows_made = self._failed(error), (), {}
            return super().render_line(y)

    def _failed(self, error: Exception) -> Sequence[Row]:
        """Return rows with the error, shown if the panel's rows cannot be made."""
        return paragraph(cast("Notifier", self.app).report_failure(error), self.room, "loss")

    def say(self, title: str, foot: str = "") -> None:
        """Set the title and the foot in the border, as plain text; fixed ones are translated."""
        title, foot = (tr(text) for text in (title, foot))
        if title != self._shown_title:  # Textual paints the panel again for an equal title, too
            self._shown_title = title
            self._show_title(title)
        self._foot = foot
        self._say_foot()

    def name_key(self, key: str) -> None:
        """Put the key that leads to the panel before its title."""
        self._key = key
        self._show_title(self._shown_title or self.named)

    def _show_title(self, title: str) -> None:
        self.border_title = keyed(self._key, tr(title))

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

    def action_point(self, by: int) -> None:
        super().action_point(by)
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
        painter = self.PAINTER(frame, marks=needs_marks(self.app))
        painter.in_bytes = self.in_bytes
        if self.MARKS_NEXT and not self.hides_next:
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
