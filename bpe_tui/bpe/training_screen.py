"""The training screen of BPE: corpus, merge, pretokens, merges, pseudocode, a line to type in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bpe_tui.bpe.heap_panel import PairsPanel
from bpe_tui.bpe.merge_panel import MergePanel
from bpe_tui.bpe.narration import describe_lost_in, describe_unknown, narrate, narrate_move
from bpe_tui.panels import training_panels
from bpe_tui.panels.corpus import MergingExcerptPanel
from bpe_tui.panels.player_screen import StepsScreen
from bpe_tui.session.config import RunConfig
from bpe_tui.session.declarations import TRAINING
from bpe_tui.session.session import Session
from bpe_tui.shell.model_view import ModelView
from bpe_tui.shell.panel import FramePanel, Panel, pair_text, sentence
from bpe_tui.shell.targets import ToPair
from bpe_tui.widgets.language import plural, tr
from bpe_tui.widgets.lines import ShownInRows
from bpe_tui.widgets.numbers import number, short_number
from bpe_tui.widgets.rows import Row, Span, left, paragraph, right, spans_width, wrapped_text
from bpe_tui.widgets.visible import visible_bytes
from bpe_tui.words.narration import GIVEN, NO_CORPUS, characters_of
from engine.bpe.frame import Frame
from engine.bpe.record import MergeStep
from engine.bpe.trainers import DEFAULT_TRAINER, TRAINERS, algorithm_for
from engine.bpe.trainers.algorithm import Algorithm
from engine.bpe.trainers.pseudocode import CodeLine, Move, PartOrMove, StepPart, parts_of_step
from engine.core.events import Pair
from engine.text.pretokenize import to_bytes


class CorpusPanel(MergingExcerptPanel[Frame]):
    """The beginning of the corpus in pretokens and tokens, wrapped at the panel's width."""

    def rows_of(self, frame: Frame, width: int) -> list[Row]:
        if not frame.has_corpus and not frame.excerpt.lines:
            self.say("corpus")
            return sentence(NO_CORPUS, width)
        return super().rows_of(frame, width)


LEAST_PAIR = 5
"""Least width of a pair, in cells; a count that leaves less is given in thousands."""


class MergesPanel(training_panels.StepList):
    """The list of merges with their counts."""

    def step_spans(self, frame: Frame, step: int, cells: int) -> list[Span]:
        merge = frame.merge_at(step - 1)
        pair = self.painter(frame).pair(merge.pair)
        counted = number(merge.count) if frame.has_corpus else ""
        if cells - len(counted) - 1 < LEAST_PAIR:
            counted = short_number(merge.count)
        # No column follows the counts, so a pair has all cells that its own count leaves.
        room = max(cells - len(counted) - 1, 3)
        parts = characters_of(frame, merge.pair, room - spans_width(pair) - 2)
        shown = [*pair, (f"  {parts}", "dim")] if parts else pair
        return [*left(shown, room), right(counted, len(counted) + 1)]


class ChangedPretokens(training_panels.ChangedPretokensPanel[Frame]):
    """The pretokens that contain the merged pair, in their tokens before and after."""

    COUNTS = True


class EncodedText(training_panels.TypedTextPanel[Frame], Panel):
    """The tokens of a typed text, each over its id."""

    MARKS_NEXT = True

    def rows_of_text(self, frame: Frame, width: int) -> Sequence[Row]:
        pieces = (piece.ids for piece in frame.encode(self.text))
        rows = self.token_rows(self.painter(frame), pieces, width)
        lost = describe_unknown(frame, self.text) or describe_lost_in(frame, self.text)
        return [*rows, *paragraph(lost, width, "loss")] if lost else rows

    def describe_size(self, frame: Frame) -> str:
        tokens = sum(len(piece.ids) for piece in frame.encode(self.text))
        unknown = frame.unknown_in(self.text)
        lost = tr("{unknown} × <unk>, in bytes none │ ", unknown=unknown) if unknown else ""
        return tr(
            "{lost}{tokens} │ {bytes} │ step {step}",
            lost=lost,
            tokens=plural(tokens, "token"),
            bytes=plural(len(to_bytes(self.text)), "byte"),
            step=frame.step,
        )


class PseudocodePanel(Panel):
    """The pseudocode of a trainer, with the lines at work marked and explained.

    All trainers make the same merges, so this one need not be the one that ran. `heap` follows the
    moves of the frame's heap. A step of any other trainer has parts, which the panel counts itself.
    After every step it is at the first part of the next merge.
    """

    ID = "pseudocode"
    IN_PLACE_OF = "pretokens"

    algorithm: ShownInRows[Algorithm | None] = ShownInRows(None)
    _part = 0

    @property
    def goes_by_moves(self) -> bool:
        """Whether the trainer keeps a heap and is shown move by move."""
        return any(isinstance(moment, Move) for moment in parts_of_step(self._lines))

    @property
    def _lines(self) -> tuple[CodeLine, ...]:
        return self.algorithm.pseudocode if self.algorithm else ()

    def turn(self) -> None:
        """Show the next trainer that could have made these merges, if the panel has the focus."""
        if self.has_focus and self.algorithm is not None and self.frame is not None:
            names: list[str] = list(TRAINERS)
            place = names.index(self.algorithm.name) + 1
            rule, alphabet = self.frame.tie_rule, self.frame.run.alphabet
            followers = (TRAINERS[name] for name in (*names[place:], *names))
            able = (each for each in followers if algorithm_for(each.name, rule, alphabet) == each)
            self._part = 0
            self.algorithm = next(able)

    def next_part(self) -> bool:
        """Go to the next part of the step; return False if the step has no more."""
        if self._part + 1 >= len(parts_of_step(self._lines)):
            return False
        self._part += 1
        self.rebuild()
        return True

    def watch_frame(self, old: Frame | None, new: Frame | None) -> None:
        if old is None or new is None or not old.looks_like(new):
            self._part = 0
        super().watch_frame(old, new)

    def rows_of(self, frame: Frame, width: int) -> list[Row]:
        foot = tr("p next trainer │ . goes on")
        self.say(tr("pseudocode  {name}", name=self.algorithm.name if self.algorithm else ""), foot)
        if self.algorithm is None:
            return sentence(GIVEN, width)
        moment: PartOrMove | None
        if self.goes_by_moves:
            done = frame.moves_done
            moment = frame.queue.moves()[done - 1].move if done else None
        else:
            moment = parts_of_step(self._lines)[self._part] if self._lines else None
        rows: list[Row] = []
        for line in self._lines:
            # A long line continues on the next rows, indented further.
            at_work, code = moment in line.during, line.text.lstrip()
            indent = " " * (len(line.text) - len(code))
            mark, role = ("▸ " if at_work else "  ", "pair"), "pair" if at_work else ""
            for part in wrapped_text(code, width - 4 - len(indent)):
                rows.append(Row([mark, (indent + part, role)]))
                mark = ("    ", "")
        if frame.step == frame.recorded_steps:
            is_over = frame.next_pair is None
            explained = tr("No merge follows.") if is_over else tr("The next is not made yet.")
        elif isinstance(moment, StepPart):
            explained = _describe(frame, frame.merge_at(frame.step), moment)
        elif moment is None:
            explained = tr("Key . makes the first move of the next merge.")
        else:
            explained = narrate_move(frame)
        explanation = paragraph(explained, width - 2)
        return [*rows, Row([]), *(Row([("  ", ""), *row.spans]) for row in explanation)]


def _describe(frame: Frame, merge: MergeStep, part: StepPart) -> str:
    """Return a sentence about a part of the next merge."""
    pair = pair_text(frame, merge.pair)
    born = sum(change.before == 0 for change in merge.changes)
    template = "{pairs} rarer or gone"
    facts = {
        StepPart.COUNT: tr("{pairs} in the corpus", pairs=plural(frame.queue.pair_count, "pair")),
        StepPart.CHOOSE: f"{pair}, {plural(merge.count, 'time')}"
        + (tr(", tied with {tied} more", tied=len(merge.tied) - 1) if len(merge.tied) > 1 else ""),
        StepPart.JOIN: f"{visible_bytes(merge.token)}, id {number(merge.new_id)}",
        StepPart.REPLACE: f"{plural(merge.occurrences, 'occurrence')} in "
        f"{plural(merge.pretokens, 'pretoken')}",
        StepPart.CORRECT: tr(template, pairs=plural(len(merge.changes) - born, "old pair")),
        StepPart.ENTER: plural(born, "new pair"),
    }
    template = "Merge {index}: {part}: {facts}."
    return tr(template, index=merge.index + 1, part=part.value, facts=facts[part])


class BpeView(ModelView):
    """BPE as its screens show it."""

    FRAME = Frame

    def narrate(self, frame: Frame) -> Sequence[str]:
        return narrate(frame)


BPE_VIEW = BpeView()


class TrainingScreen(StepsScreen):
    """The training screen: six panels and a line to type in."""

    NAME = TRAINING
    VIEW = BPE_VIEW
    PANELS = (CorpusPanel, PairsPanel, MergePanel, ChangedPretokens, PseudocodePanel, MergesPanel)
    FIRST = "merge"
    TYPED_TEXT = EncodedText

    _run_with: Algorithm | None = None
    """The trainer of the run on the screen."""

    def prepare(self, session: Session) -> None:
        super().prepare(session)
        self.query_one(MergePanel).has_breakpoints = bool(session.breakpoints.watched)
        code = self.query_one(PseudocodePanel)
        if self._run_with is not session.algorithm:
            self._run_with = code.algorithm = session.algorithm
            config = session.config
            is_asked = isinstance(config, RunConfig) and config.trainer != DEFAULT_TRAINER
            if session.algorithm is not None and not is_asked:
                code.algorithm = TRAINERS["heap"]  # its moves can be seen

    def chosen_pair(self) -> Pair | None:
        """Return the pair at the cursor of the pairs panel; `None` if it has not the focus."""
        pairs = self.query_one(PairsPanel)
        target = pairs.target if pairs.has_focus else None
        return target.pair if isinstance(target, ToPair) else None

    def action_turn(self, panel: str) -> None:
        """Show a panel; if it is in sight already, its next view."""
        if self.session.frame is not None:
            if (turned := self.query_one(f"#{panel}", FramePanel)).display:
                turned.turn()
            self.show_panel(panel)
            self.show_keys()

    @property
    def key_labels(self) -> Mapping[str, str]:
        return {**super().key_labels, "screen.turn('pairs')": self.query_one(PairsPanel).next_view}

    def action_characters(self) -> None:
        """Show characters that tokens cut, or their bytes, in all panels."""
        in_bytes = not self.query_one(CorpusPanel).in_bytes
        for panel in self.query(FramePanel):
            panel.in_bytes = in_bytes

    def action_sub_step(self) -> None:
        """Make one move in the heap, or show the next part of a step, without a heap."""
        code = self.query_one(PseudocodePanel)
        if not code.display or code.goes_by_moves:
            self.session.sub_step()
        elif code.next_part():
            return
        else:
            self.session.step(1)
        self.host.changed()
