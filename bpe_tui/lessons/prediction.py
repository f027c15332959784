"""Predict: the lesson view asks what the next step does, before it tells it.

The future is hidden. What there is to choose from stands at COUNT, in an order that tells nothing;
the question and what is said to an answer stand at PICK. When a question is over the step is told
beat by beat, and the next one is asked.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Protocol

from bpe_tui.lessons.question_panel import option_rows, sentence_spans
from bpe_tui.views.explanation import AnyExplainer, Bar, CountRoom
from bpe_tui.views.merge_explanation import MergeExplainer
from bpe_tui.widgets.controls import FooterKey
from bpe_tui.widgets.numbers import number
from bpe_tui.widgets.rows import Row, Span
from bpe_tui.widgets.visible import visible_text
from engine.core.errors import QuestionError
from engine.core.wording import Sentence
from engine.learning.questions import predict
from engine.learning.questions.question import Attempt, Choice, Question, Tally


@dataclass(frozen=True)
class ToOption:
    """A row to choose as the answer, by its place."""

    place: int


class Prediction:
    """A question in the places of COUNT and PICK.

    Args:
        explainer: draws pairs with their bars.
        score: how many were known so far.
    """

    def __init__(self, explainer: AnyExplainer, attempt: Attempt, score: Tally) -> None:
        self.attempt = attempt
        self.chosen = 0
        self._explainer, self._score = explainer, score

    @property
    def frame(self) -> Any:
        """The state that is asked about."""
        return self.attempt.question.frame

    @property
    def options(self) -> int:
        """How many rows there are to choose from."""
        form = self.attempt.question.form
        return len(form.options) if isinstance(form, Choice) else 0

    # -- what is seen

    @property
    def heading(self) -> str:
        score, attempt = self._score, self.attempt
        if attempt.tried and not attempt.is_over:  # its first try was wrong
            score = replace(score, asked=score.asked + 1)
        told = str(score) if score.asked else "predict"
        return f"{told}   step {number(self.frame.step)}"

    def count_rows(self, room: CountRoom) -> list[Row]:
        question = self.attempt.question
        if isinstance(self._explainer, MergeExplainer) and question.pairs:
            rows = self._explainer.rows_of_bars(self.frame, self._bars(question), room)
        else:
            form = question.form
            assert isinstance(form, Choice)  # as all that `predict` asks
            rows = option_rows(self.attempt, form.options, self.chosen, room.width)
        rows = [Row(row.spans, ToOption(place)) for place, row in enumerate(rows)]
        first = max(min(self.chosen - room.rows + 1, len(rows) - room.rows), 0)
        return rows[first : first + room.rows]

    def _bars(self, question: Question) -> list[Bar]:
        """The pairs with their bars, without numbers as long as these are not told."""
        explainer, frame, attempt = self._explainer, self.frame, self.attempt
        assert isinstance(explainer, MergeExplainer)
        bars = []
        for place, pair in enumerate(question.pairs):
            is_right = attempt.is_over and place == question.answer
            is_told = attempt.is_over or place in attempt.tried
            is_told |= attempt.hinted and pair in question.tied
            mark = remark = ""
            if is_right:
                mark, remark = "pair", "wins"
            elif is_told and pair in question.tied:
                mark, remark = "tie", "tied"
            elif place in attempt.tried:
                mark, remark = "loss", "no"
            if place == self.chosen and not attempt.is_over:
                mark = "chosen"
            value = explainer.value(frame, pair) if question.shows_bars or is_told else 0.0
            told = explainer.value_text(frame, pair) if is_told else "?"
            fraction = explainer.fraction(frame, pair)
            bars.append(Bar(pair, value, told, value, "", mark, remark, fraction))
        return bars

    def pick_rows(self, width: int) -> list[Row]:
        attempt, question, grade = self.attempt, self.attempt.question, self.attempt.grade
        if attempt.given_up:
            return [Row(sentence_spans(said, width)) for said in question.model_answer]
        if grade is None:
            second = question.hint if attempt.hinted else question.advice
            return [
                Row(sentence_spans(question.asks, width, role="strong")),
                *self._second(second, width),
            ]
        word: Span = (f"{grade.word}: ", "gain" if grade.right else "loss")
        first = Row(sentence_spans(grade.said, width, (word,)))
        if attempt.is_over or grade.why is not None:
            said = grade.why
            return [
                first,
                *([] if said is None else [Row(sentence_spans(said, width, role="tie"))]),
            ]
        if attempt.hinted:
            return [first, *self._second(question.hint, width)]
        return [first, Row([("Try again, or H for a hint.", "dim")])]

    def _second(self, said: Sentence | None, width: int) -> list[Row]:
        """The hint, or how the answer is found."""
        if said is None:
            return []
        if self.attempt.hinted:
            return [Row(sentence_spans(said, width, (("Hint: ", ""),), "tie"))]
        return [Row(sentence_spans(said, width, role="dim"))]


class PredictionView(Protocol):
    """The lesson view, as the predictor sees it."""

    explainer: AnyExplainer

    @property
    def bars(self) -> int:
        """How many rows there are at COUNT."""

    @property
    def shows_whole_corpus(self) -> bool:
        """Whether a learner can count in it."""

    def show_again(self) -> None:
        """Draw what is shown anew."""

    def make_step(self) -> None:
        """Make a step, and tell it."""

    def tell(self, said: str) -> None:
        """Say something to the user."""


class Predictor:
    """Asks before each step, as long as it is on.

    Args:
        stage: where it asks.

    Attributes:
        is_on: whether it asks at all.
        prediction: the question that is asked; `None` where none is.
    """

    def __init__(self, stage: PredictionView) -> None:
        self._stage = stage
        self.is_on = False
        self.prediction: Prediction | None = None
        self._score = Tally()
        self._rests = False  # the model answer is told, and stays until a key

    def toggle(self) -> None:
        """Begin to ask, or end it."""
        self.is_on = not self.is_on
        self._rests, self._score, self.prediction = False, Tally(), None
        self._stage.show_again()

    def attend(self, frame: Any, is_playing: bool) -> Prediction | None:
        """What to ask where a step has come to rest; `None` for nothing."""
        if not self.is_on or self._rests or is_playing:
            self.prediction = None
        elif self.prediction is None or not _is_same(self.prediction.frame, frame):
            self.prediction = self._question(frame)
        return self.prediction

    def _question(self, frame: Any) -> Prediction | None:
        try:
            question = predict(
                frame, rows=self._stage.bars, shows_corpus=self._stage.shows_whole_corpus
            )
        except QuestionError as error:
            self.is_on = False
            self._stage.tell(f"Nothing to predict: {visible_text(str(error), spaces=False)}.")
            return None
        return Prediction(self._stage.explainer, Attempt(question), self._score)

    @property
    def keys(self) -> list[FooterKey]:
        """The keys that answer, for the footer; none while nothing is asked."""
        prediction, stop = self.prediction, FooterKey("P", "stop asking", "screen.predict")
        if prediction is None and not self._rests:
            return []
        if self._open() is None:
            return [FooterKey("⏎", "go on", "screen.answer"), stop]
        return [
            FooterKey("↑↓", "choose", "screen.choose(1)"),
            FooterKey("⏎", "answer", "screen.answer"),
            FooterKey("H", "hint", "screen.hint"),
            FooterKey("!", "show me", "screen.show_answer"),
            FooterKey("→", "skip", "screen.next"),
            stop,
        ]

    @property
    def waits(self) -> bool:
        """Whether a question waits for its answer."""
        return self._open() is not None

    # -- what keys do

    def move(self, by: int) -> None:
        """To another row."""
        if (prediction := self._open()) is not None:
            prediction.chosen = (prediction.chosen + by) % prediction.options
            self._stage.show_again()

    def answer(self, place: int | None = None) -> None:
        """Answer with a row, by default the chosen one; after the end go on."""
        prediction = self._open()
        if prediction is None:
            self.go_on()
            return
        if place is not None:
            prediction.chosen = place
        prediction.attempt.try_answer(prediction.chosen)
        if prediction.attempt.is_over:
            self._score.count(prediction.attempt)
        self._stage.show_again()

    def hint(self) -> None:
        """Help without telling."""
        if (prediction := self._open()) is not None:
            prediction.attempt.hinted = True
            self._stage.show_again()

    def show_answer(self) -> None:
        """Tell the step beat by beat, and stay there until a key."""
        if (prediction := self._open()) is not None:
            self._give_up(prediction)
            self._rests = True
            self._stage.make_step()

    def go_on(self) -> bool:
        """From the end of a question to the next; an open one is skipped; whether it is on."""
        if self._rests:
            self._rests = False
            self._stage.show_again()
        elif self.prediction is not None:
            if (prediction := self._open()) is not None:
                self._give_up(prediction)
            self._stage.make_step()
        else:
            return False
        return True

    def _open(self) -> Prediction | None:
        """The question that waits for an answer."""
        prediction = self.prediction
        return None if prediction is None or prediction.attempt.is_over else prediction

    def _give_up(self, prediction: Prediction) -> None:
        prediction.attempt.given_up = True
        self._score.count(prediction.attempt)


def _is_same(one: Any, other: Any) -> bool:
    """Whether two states are the same step of the same run."""
    return one.run is other.run and one.step == other.step
