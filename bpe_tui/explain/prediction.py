"""Prediction: the explain screen asks what the next step does before it shows the step.

The future is hidden. COUNT shows the choices, in an order that reveals nothing. PICK shows the
question, the grade of an answer, and the words to count in; it has the rows of REPLACE, too. When
a question is over, the step is shown beat by beat, and the next question follows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from bpe_tui.explain.explanation import AnyExplainer, Bar, CountRoom
from bpe_tui.explain.merge_explanation import MergeExplainer
from bpe_tui.lessons.question_rows import fitting_rows, option_rows, packed_rows
from bpe_tui.shell.panel import token_edge
from bpe_tui.widgets.controls import FooterKey
from bpe_tui.widgets.language import current_table, tr, visible_message
from bpe_tui.widgets.rows import Row, Span
from engine.core.errors import QuestionError
from engine.learning.asked_steps import AskedSteps
from engine.learning.questions import kinds_for
from engine.learning.questions.answer_forms import Choice
from engine.learning.questions.question import Attempt, FirstTries

MOST_ROWS = 6
"""Largest number of pairs to choose from: each needs words to count it in."""


STOP = FooterKey("P", "stop", "app.predict")
ANSWERED: tuple[FooterKey, ...] = (FooterKey("↵", "go on", "screen.answer"), STOP)
ASKING = (
    FooterKey("↑↓", "choose", "screen.choose(1)"),
    FooterKey("↵", "answer", "screen.answer"),
    FooterKey("H", "hint", "screen.hint"),
    FooterKey("!", "show me", "screen.show_answer"),
    FooterKey("→", "skip", "screen.forward(1)"),
)
BY_HAND = FooterKey("m", "make", "screen.by_hand")


@dataclass(frozen=True)
class ToOption:
    """The target of a row that answers with its place."""

    place: int


@dataclass
class Prediction:
    """A question about the next step, shown at rest in the places of the three stations.

    Attributes:
        explainer: draws pairs with their bars.
        score: the score so far.
        chosen: the row of the cursor.
    """

    explainer: AnyExplainer
    attempt: Attempt
    score: FirstTries
    chosen: int = 0

    # -- drawing

    @property
    def heading(self) -> str:
        """The text at the right of the heading, instead of the number of steps."""
        score, attempt = self.score, self.attempt
        if attempt.tried and not attempt.is_over:  # its first try was wrong
            score = replace(score, asked=score.asked + 1)
        start = score.describe(current_table()) if score.asked else tr("predict")
        return f"{start}   {tr('step {n}', n=attempt.question.frame.step)}"

    def count_rows(self, room: CountRoom) -> list[Row]:
        """Return the choices, in an order that does not give the answer away."""
        question = self.attempt.question
        if isinstance(self.explainer, MergeExplainer) and question.pairs:
            rows = self.explainer.rows_of_bars(question.frame, self._bars(self.explainer), room)
        else:
            assert isinstance(question.form, Choice)
            rows = option_rows(self.attempt, question.form.options, self.chosen, room.width)
        rows = [Row(row.spans, ToOption(place)) for place, row in enumerate(rows)]
        first = max(min(self.chosen - room.rows + 1, len(rows) - room.rows), 0)
        return rows[first : first + room.rows]

    def _bars(self, explainer: MergeExplainer[Any]) -> list[Bar]:
        """Return the pairs with their bars; the numbers are hidden until they may be shown."""
        frame, is_tied = self.attempt.question.frame, self.attempt.question.kind == "tie"
        bars = []
        for place, pair in enumerate(self.attempt.question.pairs):
            mark, remark = self._mark_of(place)
            if is_tied and not remark:
                mark, remark = mark or "tie", "tied"
            value, shown, fraction = 0.0, "?", ""
            if is_tied or self.attempt.reveals(place):
                value = explainer.value(frame, pair)
                shown, fraction = explainer.value_text(frame, pair)
            bars.append(Bar(pair, value, shown, value, "", mark, remark, fraction))
        return bars

    def _mark_of(self, place: int) -> tuple[str, str]:
        """Return the mark of a row, and the word after it."""
        attempt, mark, remark = self.attempt, "", ""
        if attempt.is_over and place == attempt.question.answer:
            mark, remark = "pair", "wins"
        elif place in attempt.tried:
            mark, remark = "loss", "no"
        if place == self.chosen and not attempt.is_over:
            mark = "chosen"
        return mark, remark

    def pick_rows(self, width: int, height: int, gap: int) -> list[Row]:
        """Return the question or the reply to an answer, and the facts to find the answer with.

        Args:
            gap: blank rows between both, if there is room.
        """
        edge = token_edge(marks=self.explainer.marks)
        asked = self._asked_rows(width)
        given = packed_rows(self.attempt.question.given, width, edge=edge)
        spare = max(height - len(asked) - len(given), 0)
        return [*asked, *[Row(())] * min(gap, spare), *given][:height]

    def _asked_rows(self, width: int) -> list[Row]:
        """Return the question or the reply to an answer, in a row each if they fit."""
        attempt, question, grade = self.attempt, self.attempt.question, self.attempt.grade
        if grade is None:
            reply = fitting_rows(question.advice, width, role="dim")
            first = fitting_rows(question.asks, width, role="strong")
        else:
            word: Span = (tr(grade.verdict), "gain" if grade.right else "loss")
            first = fitting_rows(grade.said, width, (word,))
            again = tr("Try again, or {key} for a hint.", key="H")
            reply = [] if attempt.is_over else [Row([(again, "dim")])]
        if grade is not None and grade.why is not None:
            reply = fitting_rows(grade.why, width, role="tie")
        elif attempt.hinted and not attempt.is_over:
            reply = fitting_rows(attempt.hint, width, ((tr("Hint: "), ""),), "tie")
        return [*first, *reply]


@dataclass
class Predictor:
    """The predictions of an explain screen: a question before each step, while it is on.

    Attributes:
        explainer: draws pairs with their bars.
        show_again: draws the present moment again.
        make_step: makes a step, which the explain screen shows.
        pass_over: goes to a later step, which is asked about next.
        tell: shows a message to the user.
        is_on: whether it asks at all.
        prediction: the present question; `None` if there is none.
    """

    explainer: AnyExplainer
    show_again: Callable[[], object]
    make_step: Callable[[], object]
    pass_over: Callable[[int], object]
    tell: Callable[[str], object]
    is_on: bool = False
    prediction: Prediction | None = None
    _score: FirstTries = field(default_factory=FirstTries)
    _asked: AskedSteps = field(default_factory=AskedSteps)
    _goes_on: bool = False  # a question is over, and the next one may be about a later step
    _rests: bool = False  # the model answer stays on the screen until a key

    def toggle(self) -> None:
        """Start or stop asking."""
        self.is_on = not self.is_on
        self._rests, self._score, self.prediction = False, FirstTries(), None
        self._goes_on, self._asked = False, AskedSteps()
        self.show_again()

    def attend(self, frame: Any, is_playing: bool, rows: int) -> Prediction | None:
        """Return the question about a frame at rest; `None` to ask nothing.

        Args:
            is_playing: whether steps are played, which asks nothing.
            rows: the number of rows at COUNT.
        """
        if not self.is_on or self._rests or is_playing:
            self.prediction = None
            return None
        asked = None if self.prediction is None else self.prediction.attempt.question.frame
        if asked is not None and asked.run is frame.run and asked.step == frame.step:
            return self.prediction
        self.prediction = None
        goes_on, self._goes_on = self._goes_on, False
        try:
            question = self._asked.ask(frame, min(rows, MOST_ROWS), goes_on=goes_on)
        except QuestionError as error:
            self.is_on = False
            self.tell(tr("Nothing to predict: {reason}.", reason=visible_message(error)))
            return None
        attempt = Attempt(question.translated(current_table()))
        self.prediction = Prediction(self.explainer, attempt, self._score)
        if question.frame.step != frame.step:
            self.pass_over(question.frame.step)
            return None
        return self.prediction

    @property
    def keys(self) -> list[FooterKey]:
        """The keys for the footer while a question is asked."""
        if self.prediction is None and not self._rests:
            return []
        keys = ANSWERED
        if (prediction := self.waiting) is not None:
            frame = prediction.attempt.question.frame
            by_hand = (BY_HAND,) if "make-merges" in kinds_for(frame) else ()
            keys = (*ASKING, STOP, *by_hand)
        return [key._replace(label=tr(key.label)) for key in keys]

    @property
    def waiting(self) -> Prediction | None:
        """The question that waits for an answer; `None` if there is none."""
        prediction = self.prediction
        return None if prediction is None or prediction.attempt.is_over else prediction

    # -- actions of keys

    def move(self, by: int) -> None:
        """Move the cursor to another row."""
        if (prediction := self.waiting) is not None:
            form = prediction.attempt.question.form
            assert isinstance(form, Choice)
            prediction.chosen = (prediction.chosen + by) % len(form.options)
            self.show_again()

    def answer(self, place: int | None = None) -> None:
        """Answer with a row, by default the chosen one; after the end go on."""
        prediction = self.waiting
        if prediction is None:
            self.go_on()
            return
        if place is not None:
            prediction.chosen = place
        prediction.attempt.try_answer(prediction.chosen)
        if prediction.attempt.is_over:
            self._finish(prediction.attempt)
        self.show_again()

    def hint(self) -> None:
        """Show the hint."""
        if (prediction := self.waiting) is not None:
            prediction.attempt.ask_hint()
            self.show_again()

    def show_answer(self) -> None:
        """Show the step beat by beat, and stay there until a key."""
        if (prediction := self.waiting) is not None:
            self._give_up(prediction)
            self._rests = True
            self.make_step()

    def count(self, attempt: Attempt) -> None:
        """Count merges that were made by hand instead of an answer."""
        if self.is_on:
            self._score.count(attempt)

    def go_on(self) -> bool:
        """Skip an open question, or go on from an answered one; return False if there is none."""
        self._goes_on = self._rests or self.prediction is not None
        if self._rests:
            self._rests = False
            self.show_again()
        elif self.prediction is not None:
            if (prediction := self.waiting) is not None:
                self._give_up(prediction)
            self.make_step()
        else:
            return False
        return True

    def _give_up(self, prediction: Prediction) -> None:
        prediction.attempt.given_up = True
        self._finish(prediction.attempt)

    def _finish(self, attempt: Attempt) -> None:
        self._score.count(attempt)
        self._asked.count(attempt.question)
