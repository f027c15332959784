"""The training screen of Unigram: corpus, pieces, step, pretokens and steps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import exp

from bpe_tui.panels import training_panels
from bpe_tui.panels.corpus import ExcerptPanel, flowed
from bpe_tui.panels.player_screen import StepsScreen
from bpe_tui.shell.panel import PRETOKEN_BORDER, needs_marks, sentence, token_edge
from bpe_tui.shell.slices import Finder
from bpe_tui.shell.targets import ToPiece, ToPretoken
from bpe_tui.unigram.model import UNIGRAM_TRAINING
from bpe_tui.unigram.narration import (
    count_text,
    describe_unknown,
    expected_text,
    increase_text,
    narrate,
    probability_text,
    score_text,
    step_name,
)
from bpe_tui.unigram.piece_table import PiecesPanel
from bpe_tui.unigram.pieces import (
    UNIGRAM_VIEW,
    PieceInText,
    PiecePainter,
    PiecePanel,
    loss_row,
    pieces_of_text,
    words_of_line,
)
from bpe_tui.widgets.language import in_a_row, plural, tr
from bpe_tui.widgets.numbers import number
from bpe_tui.widgets.rows import (
    Column,
    Row,
    RowsOnDemand,
    RowTable,
    Span,
    columns_of_spans,
    left,
    paragraph,
    right,
)
from bpe_tui.widgets.visible import visible_text, width
from bpe_tui.words.narration import first_fitting
from engine.text.pretokenize import Pretoken, to_bytes
from engine.unigram.frame import (
    ChangedWord,
    CountChanges,
    UnigramFrame,
    changed_words,
    count_changes,
    m_step,
)
from engine.unigram.pieces import unspelled
from engine.unigram.record import EmStep, Pruned, PruneStep
from engine.unigram.textbook import TextbookRecord

LEAST_NAME, PIECES_CELLS, LOSS_CELLS = 5, 7, 9
MOST = 500
"""Most changed pretokens that the search collects."""


class PieceCorpusPanel(ExcerptPanel[UnigramFrame]):
    """The beginning of the corpus, each pretoken in its best segmentation."""

    FOLLOWS_RECORDING = True

    def remark(self, frame: UnigramFrame) -> str:
        gone = tr("struck out: gone after the next step")
        return f" │ {gone}" if frame.leaving else ""

    def line_rows(
        self, frame: UnigramFrame, line: tuple[Pretoken, ...], width: int
    ) -> Iterator[Row]:
        painter = PiecePainter(frame, marks=needs_marks(self.app))
        return flowed(words_of_line(painter, line), width)


class StepsPanel(training_panels.StepList):
    """All recorded steps with loss and size; Enter on one goes to it."""

    ID = "steps"
    FIRST = 0

    def step_spans(self, frame: UnigramFrame, step: int, cells: int) -> list[Span]:
        name, record = step_name(frame, step), frame.record
        pieces_cells, loss_cells = self._cells_of(frame, cells)
        losses = (score_text(record.loss_at(step), decimals) for decimals in (3, 1, 0))
        return [
            *left(
                [(tr(name), "loss" if name == "prune" else "")], cells - pieces_cells - loss_cells
            ),
            right(number(record.size_at(step)), pieces_cells),
            right(first_fitting(loss_cells - 1, *losses), loss_cells),
        ]

    def _cells_of(self, frame: UnigramFrame, cells: int) -> tuple[int, int]:
        """Return the cells of the number of pieces and of the loss, each with a blank before it."""
        needed = len(number(frame.record.size_at(0))) + 1
        pieces = max(needed, min(PIECES_CELLS, cells - LEAST_NAME - LOSS_CELLS))
        return pieces, min(LOSS_CELLS, cells - LEAST_NAME - pieces)

    def titles(self, frame: UnigramFrame, cells: int) -> list[Span]:
        self.say("steps", "↵ goes there")
        loss = tr("loss")
        loss_cells = max(self._cells_of(frame, cells)[1], width(loss) + 1)
        return [right(tr("pieces"), cells - loss_cells), right(loss, loss_cells)]

    def whole(self, row: Row) -> Sequence[Span]:
        return ()  # no pair


class UnigramPretokens(PiecePanel):
    """The pretokens whose best segmentation changed, before → after, the most frequent first.

    At step 0, those that the first step will change.
    The search runs while the cursor rests, and results appear as they are found.
    """

    ID = TITLE = "pretokens"

    def __init__(self) -> None:
        super().__init__()
        self._finder: Finder[ChangedWord] = Finder(self, MOST)

    def rows_of(self, frame: UnigramFrame, width: int) -> Sequence[Row]:
        word, text = frame.record.TEXT, tr(frame.record.TEXT)
        if not frame.recorded_steps:
            self.say(tr(frame.record.TEXTS))
            return sentence(tr("No step yet: no {text} has changed.", text=text), width)
        made = frame.at(max(frame.step, 1))
        finder = self._finder
        finder.look(frame, None, changed_words(made))
        changed = finder.describe_count(word) + (tr(" of step 1") if not frame.step else "")
        self.say(tr(frame.record.TEXTS), changed + f" │ {tr('more …')}" * (not finder.is_done))
        if not finder.found:
            none = tr("No {text} has changed.", text=text)
            return sentence(none if finder.is_done else tr("Looking for changes …"), width)
        marks = needs_marks(self.app)
        earlier = PiecePainter(made.at(made.step - 1), marks=marks)
        painters = earlier, PiecePainter(made, marks=marks)
        found = finder.found
        # As wide as the most frequent word needs, so that columns are the same at every step.
        cells = training_panels.count_cells(next(iter(frame.words.values())), width)
        self.name_columns(training_panels.head_of_words(cells, width))
        return RowsOnDemand(len(found), lambda place: _row(painters, found[place], cells, width))


def _row(
    painters: tuple[PiecePainter, PiecePainter], word: ChangedWord, cells: int, width: int
) -> Row:
    before, after = painters
    was: list[Span] = [
        (text, "base" if role == "stale" else role)
        for text, role in before.cut(word.text, word.before)
    ]
    cut = after.cut(word.text, word.after)
    half = training_panels.before_after_cells(cells, width)
    spans = training_panels.before_after(word.times, cells, was, cut, half, half)
    return Row(spans, ToPretoken(to_bytes(unspelled(word.text))))


class PiecesOfText(training_panels.TypedTextPanel[UnigramFrame], PiecePanel):
    """The pieces of a typed text, each over its score."""

    WITH = "pieces"
    LONGEST = 2_000

    def rows_of_text(self, frame: UnigramFrame, width: int) -> list[Row]:
        edge = token_edge(marks=needs_marks(self.app))
        pieces = (
            training_panels.Labelled(
                [piece.look], _label(frame, piece), PRETOKEN_BORDER if piece.ends else edge
            )
            for piece in pieces_of_text(frame, self.text)
        )
        rows = training_panels.over_labels(pieces, width)
        return [*rows, *paragraph(describe_unknown(frame, self.text), width, "loss")]

    def describe_size(self, frame: UnigramFrame) -> str:
        pieces = list(pieces_of_text(frame, self.text))
        unknown = sum(not piece.id for piece in pieces)
        lost = f"{number(unknown)} × {visible_text(frame.record.unknown)} │ " if unknown else ""
        score = score_text(sum(piece.score for piece in pieces))
        counted = plural(len(pieces), "piece")
        step = tr("step {n}", n=str(frame.step))
        return f"{lost}{counted} │ {tr('score {score}', score=score)} │ {step}"


def _label(frame: UnigramFrame, piece: PieceInText) -> str:
    if not piece.id:
        return visible_text(frame.record.unknown)
    return score_text(piece.score, 1) if piece.score else piece.look[1]


RULE = (
    "The n-gram goes whose absence raises the loss least; of equals, the one with the smallest "
    "bytes. Then all are counted again, in the best segmentations."
)
LOSS_COLUMN = 11
"""Cells of an increase of the loss."""


def _prune_rows(frame: UnigramFrame, step: PruneStep, width: int) -> Sequence[Row]:
    """Return the pieces that a prune removes, each with its replacement."""
    pruned = step.removed
    earlier = PiecePainter(frame.at(frame.step - 1))

    def replaced(piece: Pruned) -> list[Span]:
        other = earlier.frame.alternative(piece.text)
        instead = earlier.cut(piece.text, other.edges) if other is not None else []
        plain = ((text, "" if role == "stale" else role) for text, role in instead)
        return [(earlier.piece(piece.number)[0], "stale"), (" → ", "dim"), *plain]

    def increase(piece: Pruned) -> list[Span]:
        return [(increase_text(frame, piece.loss_increase), "")]

    columns = [Column("piece → instead", 0, replaced), Column("loss", LOSS_COLUMN, increase, True)]
    table = RowTable(columns, width, least=6)
    never_used = number(sum(not piece.loss_increase for piece in pruned))
    unused = tr("No best segmentation used {n} of them.", n=never_used)
    why = paragraph(in_a_row(narrate(frame)[0], unused), width)
    top = [loss_row(frame), *why, Row([]), table.header()]
    return RowsOnDemand(len(pruned), lambda place: table.row(pruned[place]), top)


class StepPanel(PiecePanel):
    """The step in numbers: an EM iteration with the arithmetic of one piece, or a prune.

    The arithmetic is for the piece at the cursor.
    """

    ID = "step"

    def rows_of(self, frame: UnigramFrame, width: int) -> Sequence[Row]:
        step, record = frame.came_by, frame.record
        if isinstance(record, TextbookRecord):
            template = "removal {step}"
            self.say("seed" if step is None else tr(template, step=frame.step), "↵ the n-gram")
            return self._removal_rows(frame, width)
        if step is None:
            self.say("seed")
            return _seed_rows(frame, width)
        if isinstance(step, EmStep):
            of = {"n": str(step.iteration + 1), "round": str(step.round + 1)}
            title = tr("EM {n} of round {round}", **of)
            self.say(title, "↑ ↓ whose arithmetic │ ↵ the piece")
            return self._em_rows(frame, step, width)
        title = tr("prune {n}", n=step.round + 1)
        self.say(title, "the replacement of each")
        return _prune_rows(frame, step, width)

    def watch_cursor(self) -> None:
        """Compute the arithmetic of the piece at the cursor."""
        if self.frame is not None and isinstance(self.frame.came_by, EmStep):
            self._rows = self.rows_of(self.frame, self.room)
        super().watch_cursor()

    def _removal_rows(self, frame: UnigramFrame, width: int) -> Sequence[Row]:
        rows = [*paragraph(narrate(frame)[0], width), Row([]), *paragraph(RULE, width)]
        if not frame.step:
            return rows
        top = [loss_row(frame), *rows]
        return self._change_rows(frame, count_changes(frame), top, "counts", width)

    def _em_rows(self, frame: UnigramFrame, step: EmStep, width: int) -> Sequence[Row]:
        changes = count_changes(frame)
        gone = step.size_before - step.size_after
        pieces = plural(step.size_after, "piece")
        size = tr("{pieces}, none too rare to keep", pieces=pieces)
        if gone:
            ways = "{n} too rare (under ½)", "{n} too rare"
            rare = (tr(way, n=gone) for way in ways)
            size = f"{number(step.size_before)} → {pieces}: "
            size = first_fitting(width, *(f"{size}{way}" for way in rare))
        top = [
            loss_row(frame),
            Row([(size, "")]),
            Row([]),
            *self._arithmetic(PiecePainter(frame), changes, width),
        ]
        return self._change_rows(frame, changes, top, "expected counts", width)

    def _arithmetic(self, painter: PiecePainter, changes: CountChanges, width: int) -> list[Row]:
        """Return E and M for the piece at the cursor, or for the next one that still exists."""
        below = changes.numbers[max(self.cursor - EM_TOP, 0) :]
        worked_out = ((piece, m_step(painter.frame, piece)) for piece in map(int, below))
        piece, made = next((found for found in worked_out if found[1] is not None), (0, None))
        if made is None:
            return [Row([]) for _ in range(ARITHMETIC_ROWS)]
        expected, total = count_text(made.expected), count_text(made.total)
        psi = score_text(made.digamma_of_expected, 3), score_text(made.digamma_of_total, 3)
        score, probability = score_text(made.score, 3), probability_text(exp(made.score))
        result = f"   = {psi[0]} − {psi[1]} = {score}"
        used = tr(" is used {n} times on average", n=expected)
        both = f"ψ({expected}) − ψ({total})"
        return [
            Row(left([("E  ", "strong"), painter.piece(piece), (used, "")], width)),
            Row(left([(f"   {tr('all pieces together {n} times', n=total)}", "")], width)),
            Row([("M  ", "strong"), (f"{tr('score')} = {both}", "")]),
            Row([(first_fitting(width, f"{result}, P = {probability}", result), "")]),
        ]

    def _change_rows(
        self,
        frame: UnigramFrame,
        changes: CountChanges,
        above: Sequence[Row],
        counts: str,
        width: int,
    ) -> Sequence[Row]:
        """Return the rows above, then each piece with its count before and after the step."""
        painter = PiecePainter(frame)
        columns = columns_of_spans((counts, 0), ("before", 10), ("after", 10))
        table = RowTable(columns, width, least=6)

        def row(place: int) -> Row:
            piece = int(changes.numbers[place])
            before, after = float(changes.before[place]), float(changes.after[place])
            (text, role), was = painter.piece(piece), (expected_text(frame, before), "")
            now = expected_text(frame, after), "gain" if after > before else "loss"
            if frame.index_of(piece) is None:
                role, now = "stale", (tr("gone"), "stale-truth")
            return table.row([[(text, role)], [was], [now]], ToPiece(piece))

        return RowsOnDemand(len(changes.numbers), row, [*above, Row([]), table.header()])


ARITHMETIC_ROWS = 4
EM_TOP = 5 + ARITHMETIC_ROWS
"""Number of rows above the changes of an EM iteration."""


FAR_TOO_MANY = (
    "Far too many: what follows gives each a probability, and takes away what is needed least."
)
LOSS_OF_SEED = (
    "The loss is {loss} nats a pretoken: −log P of a pretoken on average, P being the sum over all "
    "its segmentations."
)


def _seed_rows(frame: UnigramFrame, width: int) -> list[Row]:
    return [
        *paragraph(in_a_row(narrate(frame)[0], tr(FAR_TOO_MANY)), width),
        Row([]),
        *paragraph(tr(LOSS_OF_SEED, loss=score_text(frame.loss, 3)), width),
        Row([]),
        *paragraph(tr("→ makes the first iteration of EM."), width, "dim"),
    ]


class UnigramTrainingScreen(StepsScreen):
    """The training screen: five panels and a line to type in."""

    NAME = UNIGRAM_TRAINING
    VIEW = UNIGRAM_VIEW
    PANELS = (PieceCorpusPanel, PiecesPanel, StepPanel, UnigramPretokens, StepsPanel)
    FIRST = "step"
    TYPED_TEXT = PiecesOfText

    def follow(self, target: object) -> None:
        if isinstance(target, ToPiece):
            self.show_panel("pieces")
            self.query_one(PiecesPanel).show_token(target.number)
        else:
            super().follow(target)
