from collections.abc import Iterator, Sequence

from textual.reactive import reactive

from bpe_tui.session.session import Session
from bpe_tui.unigram.narration import score_text, told_unknown
from bpe_tui.unigram.panels.piece_panel import PiecePainter, PiecePanel, Slices, step_name
from bpe_tui.views.corpus import ExcerptPanel
from bpe_tui.views.panel import (
    PRETOKEN_BORDER,
    TOKEN_BORDER,
    FramePanel,
    ToPretoken,
    ToStep,
    sentence,
)
from bpe_tui.views.training_panels import Labelled, TypedLine, TypedText, over_labels
from bpe_tui.views.training_screen import Transport
from bpe_tui.widgets.numbers import number, plural
from bpe_tui.widgets.rows import Row, RowsOnDemand, Span, left, paragraph, right, spans_width
from bpe_tui.widgets.scrubber import Marks
from bpe_tui.widgets.visible import visible_text, width
from engine.text.excerpt import Excerpt
from engine.text.pretokenize import Pretoken, to_bytes
from engine.unigram.changes import ChangedWord, changed_words
from engine.unigram.frame import UnigramFrame
from engine.unigram.metaspace import spelled, unspelled
from engine.unigram.pieces import UNKNOWN

# What does the corpus look like under the pieces of this step?


class PieceCorpusPanel(ExcerptPanel[UnigramFrame]):
    """The beginning of the corpus, each pretoken in its best segmentation.

    A step may move a border anywhere, so a pretoken has the room that it needs at the seed or at
    the last recorded step, whichever is more: rows break at the same places at nearly all steps.
    """

    FOLLOWS_RECORDING = True
    frame: reactive[UnigramFrame | None] = reactive(None, repaint=False)

    def __init__(self) -> None:
        super().__init__()
        self._ends: tuple[UnigramFrame, UnigramFrame] | None = None

    def excerpt_of(self, frame: UnigramFrame) -> Excerpt:
        return frame.excerpt

    def remark(self, frame: UnigramFrame) -> str:
        return " · struck out: gone after the next step" if frame.leaving else ""

    def line_rows(
        self, frame: UnigramFrame, line: tuple[Pretoken, ...], width: int
    ) -> Iterator[Row]:
        return wrapped(frame, self._ends_of(frame), line, width)

    def _ends_of(self, frame: UnigramFrame) -> tuple[UnigramFrame, UnigramFrame]:
        """The first and the last recorded state, kept: they remember how they cut words."""
        ends, last = self._ends, frame.recorded_steps
        if ends is None or ends[1].record is not frame.record or ends[1].step != last:
            ends = self._ends = frame.at(0), frame.at(last)
        return ends


def wrapped(
    frame: UnigramFrame, ends: Sequence[UnigramFrame], line: tuple[Pretoken, ...], room: int
) -> Iterator[Row]:
    """A line of the corpus as rows of at most `room` cells (one pretoken at the least).

    `ends` are the states that a pretoken has room for, whichever is shown.
    """
    painter = PiecePainter(frame)
    row: list[Span] = []
    used = 0
    for pretoken in line:
        spans = [*painter.pretoken(pretoken), PRETOKEN_BORDER]
        needed = spans_width(spans)
        if not pretoken.special:
            word = spelled(pretoken.text)
            borders = max(len(end.pieces_of(word)) for end in ends)
            needed = max(needed, width(visible_text(word)) + borders)
        for part in _broken(spans, room) if needed > room else [spans]:
            cells = min(needed, room)
            if row and used + cells > room:
                yield Row(row)
                row, used = [], 0
            row += part
            used += cells
    if row:
        yield Row(row)


def _broken(spans: list[Span], room: int) -> Iterator[list[Span]]:
    """What is too long for a row, in parts that fit."""
    part: list[Span] = []
    used = 0
    for span in spans:
        cells = spans_width([span])
        if part and used + cells > room:
            yield part
            part, used = [], 0
        part.append(span)
        used += cells
    yield part


# Which steps are recorded, and what did each do to the loss and the size?

LOSS_CELLS = 9


class StepsPanel(PiecePanel):
    """All recorded steps, the present one marked; choosing one goes there."""

    FOLLOWS_RECORDING = True

    def __init__(self) -> None:
        super().__init__("steps", id="steps")

    @property
    def row_count(self) -> int:
        return self.frame.recorded_steps + 1 if self.frame else 0

    def row(self, index: int) -> Row:
        assert self.frame is not None
        return step_row(self.frame, index, self.room)

    def rebuild(self) -> None:
        if self.frame is not None and self.display and self.size.width:
            self.say("steps  pieces · loss", "↵ goes there · u charts")
            super(FramePanel, self).rebuild()
            self.cursor = self.frame.step
            self.scroll_to_row(self.frame.step)


def step_row(frame: UnigramFrame, step: int, room: int) -> Row:
    """A step: what it is, how many pieces it leaves, and the loss."""
    name = step_name(frame, step)
    here, ahead = step == frame.step, step > frame.step
    record = frame.record
    size_cells = len(number(record.size_at(0)))
    role = "dim" if ahead else "loss" if name == "prune" else ""
    return Row(
        [
            ("▸ " if here else "  ", "pair"),
            right(number(step), len(number(frame.recorded_steps)), "strong" if here else "dim"),
            (" ", ""),
            *left([(name, role)], max(room - size_cells - LOSS_CELLS - 6, 5)),
            right(number(record.size_at(step)), size_cells, "dim" if ahead else ""),
            right(score_text(record.loss_at(step), 3), LOSS_CELLS, "dim" if ahead else ""),
        ],
        ToStep(step),
    )


# Which words does this step cut differently?

MOST = 500
"""Words that are looked for."""


class ChangedWordsPanel(PiecePanel):
    """The pretokens whose best segmentation changed, the most frequent first: before → after.

    They are looked for as long as the cursor rests; those found so far are shown.
    """

    def __init__(self) -> None:
        super().__init__("words touched", id="words")
        self._found: list[ChangedWord] = []
        self._looked_at = 0
        self._is_done = False
        self._about: UnigramFrame | None = None
        self._slices = Slices(self, self._sliced)

    def rows_of(self, frame: UnigramFrame, width: int) -> Sequence[Row]:
        if self._about is None or not self._about.looks_like(frame):
            self._about = frame
            self._found, self._looked_at, self._is_done = [], 0, False
            self._slices.start(self._looking(frame))
        if not frame.step:
            self.say("words touched")
            return sentence("No step yet, no word touched.", width)
        self._say_how_far(frame)
        if not self._found:
            said = (
                "Every word is cut as before." if self._is_done else "Looking through the words …"
            )
            return [Row([(said, "dim")])]
        painters = PiecePainter(frame.at(frame.step - 1)), PiecePainter(frame)
        cells = len(number(self._found[0].times))
        found = self._found
        return RowsOnDemand(len(found), lambda place: _row(painters, found[place], cells, width))

    def _say_how_far(self, frame: UnigramFrame) -> None:
        found = plural(len(self._found), "pretoken")
        more = "at least " if len(self._found) == MOST else ""
        looked = (
            "" if self._is_done else f" · {self._looked_at / max(len(frame.words), 1):.0%} seen"
        )
        self.say("words touched", f"{more}{found}{looked}")

    def _looking(self, frame: UnigramFrame) -> Iterator[None]:
        for word in changed_words(frame):
            self._looked_at += 1
            if word is not None:
                self._found.append(word)
                if len(self._found) == MOST:
                    return
            yield

    def _sliced(self, is_last: bool) -> None:
        self._is_done = is_last
        self.rebuild()


def _row(
    painters: tuple[PiecePainter, PiecePainter], word: ChangedWord, cells: int, width: int
) -> Row:
    before, after = painters
    half = max((width - cells - 5) // 2, 6)
    was: list[Span] = [
        (text, "" if role == "stale" else role) for text, role in before.cut(word.text, word.before)
    ]
    return Row(
        [
            right(number(word.times), cells, "dim"),
            ("  ", ""),
            *left(was, half),
            (" → ", "dim"),
            *left(after.cut(word.text, word.after), half),
        ],
        ToPretoken(to_bytes(unspelled(word.text))),
    )


# The player of a Unigram training: marks at the prunes, and the loss.


class UnigramTransport(Transport):
    """Where it stands, and how many pieces and what loss there are."""

    def marks(self, session: Session) -> tuple[Marks, ...]:
        frame = session.shown
        return (Marks(frame.prunes, "┊", "tie"),) if isinstance(frame, UnigramFrame) else ()

    def facts(self, session: Session, roomy: bool) -> str:
        frame = session.shown
        if not isinstance(frame, UnigramFrame):
            return ""
        pieces = f"{number(frame.size):>{len(number(frame.record.size_at(0)))}} pieces   "
        return f"{pieces if roomy else ''}loss {score_text(frame.loss, 3)} nats"


# How does what I type encode with the pieces of this step?


class PiecesOfText(TypedText[UnigramFrame], PiecePanel):
    """The pieces of a text, each over its score."""

    def rows_of_text(self, frame: UnigramFrame, width: int) -> list[Row]:
        rows = over_labels(_over_scores(frame, self.text), width)
        return [*rows, *paragraph(told_unknown(frame, self.text), width, "loss")]


class UnigramEncodeLine(TypedLine):
    """A line to type in, and under it the pieces."""

    WITH = "pieces"
    LONGEST = 2_000

    def typed_text(self) -> PiecesOfText:
        return PiecesOfText("", id="encoded")

    def told(self, frame: UnigramFrame, text: str, shortened: bool) -> str:
        pretokens = frame.cut(text)
        words = [spelled(pretoken.text) for pretoken in pretokens if not pretoken.special]
        edges = [edge for word in words for edge in frame.pieces_of(word)]
        tokens = len(edges) + len(pretokens) - len(words)
        unknown = sum(edge.piece == UNKNOWN for edge in edges)
        lost = f"{number(unknown)} × {visible_text(frame.record.unknown)} · " if unknown else ""
        part = f" of the first {number(len(text))} characters" if shortened else ""
        return (
            f"{lost}{plural(tokens, 'piece')}{part} · "
            f"score {score_text(sum(edge.score for edge in edges))} · step {frame.step}"
        )


def _over_scores(frame: UnigramFrame, text: str) -> Iterator[Labelled]:
    painter = PiecePainter(frame)
    for pretoken in frame.cut(text):
        if pretoken.special:
            shown = (visible_text(pretoken.text), "special")
            yield Labelled([shown], "special", PRETOKEN_BORDER)
            continue
        word = spelled(pretoken.text)
        for edge in frame.pieces_of(word):
            shown = (visible_text(word[edge.start : edge.end]), painter.role(edge.piece))
            border = PRETOKEN_BORDER if edge.end == len(word) else TOKEN_BORDER
            is_unknown = edge.piece == UNKNOWN
            label = frame.record.unknown if is_unknown else score_text(edge.score, 1)
            yield Labelled([shown], visible_text(label), border)
