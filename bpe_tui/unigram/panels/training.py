"""Unigram's small panels of the training screen, its transport, and the line to type in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from textual.reactive import reactive

from bpe_tui.session.session import Session
from bpe_tui.unigram.narration import describe_unknown, score_text
from bpe_tui.unigram.panels.piece_panel import Finder, PiecePainter, PiecePanel, step_name
from bpe_tui.views.corpus import ExcerptPanel, broken, flowed
from bpe_tui.views.panel import PRETOKEN_BORDER, TOKEN_BORDER, FramePanel, sentence
from bpe_tui.views.player_screen import Transport
from bpe_tui.views.targets import ToPretoken, ToStep
from bpe_tui.views.training_panels import (
    Labelled,
    TypedLine,
    TypedText,
    before_after,
    before_after_cells,
    count_cells,
    head_of_words,
    over_labels,
)
from bpe_tui.widgets.numbers import number, plural
from bpe_tui.widgets.rows import Row, RowsOnDemand, Span, left, paragraph, right, spans_width
from bpe_tui.widgets.scrubber import Marks
from bpe_tui.widgets.visible import visible_text, width
from engine.text.pretokenize import Pretoken, to_bytes
from engine.unigram.changes import ChangedWord, changed_words
from engine.unigram.frame import UnigramFrame
from engine.unigram.pieces import UNKNOWN, spelled, unspelled

LOSS_CELLS = 9
MOST = 500
"""Words that are looked for."""


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

    def remark(self, frame: UnigramFrame) -> str:
        return " · struck out: gone after the next step" if frame.leaving else ""

    def line_rows(
        self, frame: UnigramFrame, line: tuple[Pretoken, ...], width: int
    ) -> Iterator[Row]:
        return flowed(reserved_parts(PiecePainter(frame), self._ends_of(frame), line, width), width)

    def _ends_of(self, frame: UnigramFrame) -> tuple[UnigramFrame, UnigramFrame]:
        """The first and the last recorded state, kept: they remember how they cut words."""
        ends, last = self._ends, frame.recorded_steps
        if ends is None or ends[1].record is not frame.record or ends[1].step != last:
            ends = self._ends = frame.at(0), frame.at(last)
        return ends


def reserved_parts(
    painter: PiecePainter,
    ends: Sequence[UnigramFrame],
    line: tuple[Pretoken, ...],
    room: int,
) -> Iterator[tuple[list[Span], int]]:
    """The pretokens of a line, each with its cells; one that is longer than a row in parts.

    `ends` are the states that a pretoken has room for, whichever is shown.
    """
    for pretoken in line:
        spans = [*painter.pretoken(pretoken), PRETOKEN_BORDER]
        needed = spans_width(spans)
        if not pretoken.special:
            word = spelled(pretoken.text)
            borders = max(len(end.pieces_of(word)) for end in ends)
            needed = max(needed, width(visible_text(word)) + borders)
        for part in broken(spans, room) if needed > room else [spans]:
            yield part, min(needed, room)


class StepsPanel(PiecePanel):
    """All recorded steps with loss and size, the present one marked; choosing one goes there."""

    ID = "steps"
    FOLLOWS_RECORDING = True

    @property
    def row_count(self) -> int:
        return self.frame.recorded_steps + 1 if self.frame else 0

    def row(self, index: int) -> Row:
        assert self.frame is not None
        return step_row(self.frame, index, self.room)

    def rebuild(self) -> None:
        if self.frame is not None and self.display and self.size.width:
            self.say("steps", "↵ goes there · u charts")
            made = "  step"
            loss_cells = _loss_cells(self.frame, self.room)
            pieces = right("pieces", max(self.room - len(made) - loss_cells, 7))
            self.name_columns([(made, ""), pieces, right("loss", loss_cells)])
            super(FramePanel, self).rebuild()
            self.cursor = self.frame.step
            self.scroll_to_row(self.frame.step)


def _loss_cells(frame: UnigramFrame, room: int) -> int:
    """The cells of the loss, where there is little room without blanks before it."""
    others = len(number(frame.recorded_steps)) + len(number(frame.record.size_at(0))) + 9
    return max(min(LOSS_CELLS, room - others), 6)


def step_row(frame: UnigramFrame, step: int, room: int) -> Row:
    """A step: what it is, how many pieces it leaves, and the loss."""
    name = step_name(frame, step)
    here, ahead = step == frame.step, step > frame.step
    record = frame.record
    size_cells = len(number(record.size_at(0)))
    loss_cells = _loss_cells(frame, room)
    role = "dim" if ahead else "loss" if name == "prune" else ""
    return Row(
        [
            ("▸ " if here else "  ", "pair"),
            right(number(step), len(number(frame.recorded_steps)), "strong" if here else "dim"),
            (" ", ""),
            *left([(name, role)], max(room - size_cells - loss_cells - 7, 5)),
            right(number(record.size_at(step)), size_cells + 1, "dim" if ahead else ""),
            right(score_text(record.loss_at(step), 3), loss_cells, "dim" if ahead else ""),
        ],
        ToStep(step),
    )


class ChangedWordsPanel(PiecePanel):
    """The pretokens whose best segmentation changed, the most frequent first: before → after.

    They are looked for as long as the cursor rests; those found so far are shown.
    """

    ID, TITLE = "words", "words touched"

    def __init__(self) -> None:
        super().__init__()
        self._about: UnigramFrame | None = None
        self._finder: Finder[ChangedWord] = Finder(self, MOST)

    def rows_of(self, frame: UnigramFrame, width: int) -> Sequence[Row]:
        if self._about is None or not self._about.looks_like(frame):
            self._about = frame
            self._finder.look(changed_words(frame))
        if not frame.step:
            self.say("words touched")
            return sentence("No step yet, no word touched.", width)
        finder = self._finder
        share = finder.seen / max(len(frame.words), 1)
        self.say(
            "words touched",
            finder.describe_count() + ("" if finder.is_done else f" · {share:.0%} seen"),
        )
        if not finder.found:
            none = "Every word is cut as before."
            return [Row([(none if finder.is_done else "Looking through the words …", "dim")])]
        painters = PiecePainter(frame.at(frame.step - 1)), PiecePainter(frame)
        found = finder.found
        # That of the most frequent of all: the columns are the same at every step.
        cells = count_cells(next(iter(frame.words.values())), width)
        self.name_columns(head_of_words(cells, width))
        return RowsOnDemand(len(found), lambda place: _row(painters, found[place], cells, width))


def _row(
    painters: tuple[PiecePainter, PiecePainter], word: ChangedWord, cells: int, width: int
) -> Row:
    before, after = painters
    half = before_after_cells(cells, width)
    was: list[Span] = [
        (text, "" if role == "stale" else role) for text, role in before.cut(word.text, word.before)
    ]
    cut = after.cut(word.text, word.after)
    spans = before_after(number(word.times), cells, was, cut, half)
    return Row(spans, ToPretoken(to_bytes(unspelled(word.text))))


class UnigramTransport(Transport):
    """Where it stands, with marks at the prunes; how many pieces and what loss there are."""

    def marks(self, session: Session) -> tuple[Marks, ...]:
        frame = session.shown
        return (Marks(frame.prunes, "┊", "tie"),) if isinstance(frame, UnigramFrame) else ()

    def facts(self, session: Session, roomy: bool) -> str:
        frame = session.shown
        if not isinstance(frame, UnigramFrame):
            return ""
        pieces = f"{number(frame.size):>{len(number(frame.record.size_at(0)))}} pieces   "
        return f"{pieces if roomy else ''}loss {score_text(frame.loss, 3)} nats"


class PiecesOfText(TypedText[UnigramFrame], PiecePanel):
    """The pieces of a text, each over its score."""

    def rows_of_text(self, frame: UnigramFrame, width: int) -> list[Row]:
        rows = over_labels(_over_scores(frame, self.text), width)
        return [*rows, *paragraph(describe_unknown(frame, self.text), width, "loss")]


class UnigramEncodeLine(TypedLine):
    """A line to type in, and under it the pieces."""

    WITH = "pieces"
    LONGEST = 2_000
    TYPED_TEXT = PiecesOfText

    def describe_size(self, frame: UnigramFrame, text: str, shortened: bool) -> str:
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
