"""The panel with the pseudocode of the trainer, and what its lines do at this step."""

from __future__ import annotations

from bpe_tui.bpe.narration import narrate_move
from bpe_tui.views.panel import GIVEN, Panel, pair_text, sentence
from bpe_tui.widgets.lines import Drawn
from bpe_tui.widgets.numbers import number, plural
from bpe_tui.widgets.rows import Row, paragraph
from bpe_tui.widgets.visible import visible_bytes
from engine.bpe.frame import Frame
from engine.bpe.heap import Move
from engine.bpe.record import MergeStep
from engine.bpe.trainers import TRAINERS, algorithm_for
from engine.bpe.trainers.problem import Algorithm, CodeLine, Moment, Phase, phases_of


class PseudocodePanel(Panel):
    """The lines of a trainer, those at work marked, and what they do at this step.

    All trainers make the same merges; this one need not be the one that ran. `heap` goes by the
    moves of the frame's heap. Any other trainer goes by its phases; which of them is on is the
    panel's own affair, and the first one of the next merge is after every step.
    """

    ID = "pseudocode"
    IN_PLACE_OF = "words"
    WIDEST = 100

    algorithm: Drawn[Algorithm | None] = Drawn(None)

    def __init__(self) -> None:
        super().__init__()
        self._phase = 0

    @property
    def goes_by_moves(self) -> bool:
        """Whether the trainer keeps a heap, whose moves are its moments."""
        return any(isinstance(moment, Move) for moment in phases_of(self._lines))

    @property
    def _lines(self) -> tuple[CodeLine, ...]:
        return self.algorithm.pseudocode if self.algorithm else ()

    def next_algorithm(self) -> None:
        """Go on to the lines of the next trainer that could have made these merges."""
        if self.algorithm is not None and self.frame is not None:
            names = list(TRAINERS)
            place = names.index(self.algorithm.name) + 1
            rule, alphabet = self.frame.tie_rule, self.frame.run.alphabet
            followers = (TRAINERS[name] for name in (*names[place:], *names))
            able = (each for each in followers if algorithm_for(each.name, rule, alphabet) == each)
            self._phase = 0
            self.algorithm = next(able)

    def next_phase(self) -> bool:
        """Go on to the next phase; whether the step has another one."""
        if self._phase + 1 >= len(phases_of(self._lines)):
            return False
        self._phase += 1
        self.rebuild()
        return True

    def watch_frame(self, old: Frame | None, new: Frame | None) -> None:
        if old is None or new is None or not old.looks_like(new):
            self._phase = 0
        super().watch_frame(old, new)

    def rows_of(self, frame: Frame, width: int) -> list[Row]:
        foot = "p next trainer · . goes on"
        self.say(f"pseudocode  {self.algorithm.name if self.algorithm else ''}", foot)
        if self.algorithm is None:
            return sentence(GIVEN, width)
        moment = self._moment(frame)
        said = paragraph(self._said(frame, moment), width - 2)
        return [
            *(_code_row(line, moment in line.during) for line in self._lines),
            Row([]),
            *(Row([("  ", ""), *row.spans]) for row in said),
        ]

    def _moment(self, frame: Frame) -> Moment | None:
        if not self.goes_by_moves:
            return phases_of(self._lines)[self._phase] if self._lines else None
        return frame.queue.moves()[frame.moves_done - 1].move if frame.moves_done else None

    def _said(self, frame: Frame, moment: Moment | None) -> str:
        if frame.step == frame.recorded_steps:
            return "No merge follows." if frame.next_pair is None else "The next is not made yet."
        if isinstance(moment, Phase):
            return _describe(frame, frame.merge_at(frame.step), moment)
        if moment is None:
            return "Key . makes the first move of the next merge."
        return narrate_move(frame)


def _code_row(line: CodeLine, at_work: bool) -> Row:
    role = "pair" if at_work else ""
    return Row([("▸ " if at_work else "  ", "pair"), (line.text, role)])


def _describe(frame: Frame, merge: MergeStep, phase: Phase) -> str:
    """What a phase does in the merge that comes next."""
    pair = pair_text(frame, merge.pair)
    born = sum(change.before == 0 for change in merge.changes)
    facts = {
        Phase.COUNT: f"{plural(frame.queue.pair_count, 'pair')} stand somewhere",
        Phase.CHOOSE: f"{pair}, {plural(merge.count, 'time')}"
        + (f", tied with {number(len(merge.tied) - 1)} more" if len(merge.tied) > 1 else ""),
        Phase.JOIN: f"{visible_bytes(merge.token)}, id {number(merge.new_id)}",
        Phase.REPLACE: f"{plural(merge.occurrences, 'occurrence')} in "
        f"{plural(merge.pretokens, 'pretoken')}",
        Phase.CORRECT: f"{plural(len(merge.changes) - born, 'old pair')} rarer or gone",
        Phase.ENTER: plural(born, "new pair"),
    }
    return f"Merge {number(merge.index + 1)}: {phase.value}: {facts[phase]}."
