"""The places of questions: a window over the live screen, and the screen of a quiz."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalGroup
from textual.content import Content
from textual.geometry import Region
from textual.screen import Screen
from textual.widgets import Static

from bpe_tui.lessons.pane import live_region
from bpe_tui.lessons.question_panel import QuestionPanel
from bpe_tui.lessons.question_rows import sentence_rows
from bpe_tui.shell.session_screen import SessionScreen
from bpe_tui.styles import sheet
from bpe_tui.widgets.fields import Field
from bpe_tui.widgets.language import current_table, tr, tr_message, visible_message
from bpe_tui.widgets.lines import RowList
from bpe_tui.widgets.rows import Row
from bpe_tui.widgets.visible import visible_text
from bpe_tui.widgets.window import Window
from engine.core.errors import BpeError, QuestionError
from engine.learning.questions import ask
from engine.learning.questions.question import Attempt, FirstTries, Question
from engine.learning.quiz import LONGEST_NAME, AnswerSheet

FOOT, FOOT_BY_HAND = "Esc looks at the screen; N asks again", "Esc leaves it"


class AskWindow(Window[bool]):
    """A window that asks one question after another; returns whether all are over.

    Args:
        attempts: the questions that are left.
        place: returns the region of the window, beside the text.
        over: called with each question that is over.
        score: returns the score before an attempt, for the title.
        foot: says what Esc does.
        another: returns an attempt at another question of the same kind; raises a `QuestionError`
            if there is none.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,ctrl+b", "dismiss(False)", "look", priority=True),
        Binding("r", "another", "another one"),
    ]

    def __init__(
        self,
        attempts: Sequence[Attempt],
        place: Callable[[], Region],
        over: Callable[[Attempt], None],
        score: Callable[[Attempt], str],
        foot: str = FOOT,
        another: Callable[[Attempt], Attempt] | None = None,
    ) -> None:
        super().__init__()
        self._left, self._another = list(attempts), another
        self._place, self._over, self._score = place, over, score
        self._foot = foot

    def compose(self) -> ComposeResult:
        yield QuestionPanel("lesson-question")

    def on_mount(self) -> None:
        self.on_resize()
        self._ask()

    def on_resize(self) -> None:
        region, panel = self._place(), self.query_one(QuestionPanel)
        panel.styles.offset = region.offset
        panel.styles.width, panel.styles.height = region.size

    def _ask(self) -> None:
        panel, count = self.query_one(QuestionPanel), len(self._left)
        title = tr("question, and {n} more" if count > 1 else "question", n=count - 1)
        panel.ask(self._left[0], f"{title}   {self._score(self._left[0])}".rstrip(), tr(self._foot))
        panel.offers_another = self._another is not None
        panel.focus()

    def action_another(self) -> None:
        """Ask for the same with another example, once the question is over."""
        if self._another is None or not self._left[0].is_over:
            return
        try:
            self._left[0] = self._another(self._left[0])
        except QuestionError as error:
            self.query_one(QuestionPanel).refuse(tr_message(error))
        else:
            self._ask()

    def on_question_panel_over(self, event: QuestionPanel.Over) -> None:
        self._over(event.attempt)

    def on_question_panel_go_on(self, event: QuestionPanel.GoOn) -> None:
        if not self._left or self._left[0] is not event.attempt:
            return  # of two keys at once the second one comes too late
        del self._left[0]
        if self._left:
            self._ask()
        else:
            self.dismiss(True)


def ask_by_hand(
    screen: SessionScreen,
    kind: str,
    frame: Any,
    about: str | None = None,
    *,
    over: Callable[[Attempt], None] = lambda attempt: None,
    go_on: Callable[[Question], None] = lambda question: None,
) -> None:
    """Ask for steps made by hand, in a window over a screen; say why if they cannot be asked for.

    Args:
        kind, frame, about: as for `ask`.
        over: called with the attempt once it is over.
        go_on: called when the learner goes on from it.
    """
    try:
        question = ask(kind, frame, about=about)
    except BpeError as error:
        screen.tell(tr("Nothing to do by hand: {reason}.", reason=visible_message(error)))
        return

    def leave(is_over: bool | None) -> None:
        if is_over:
            go_on(question)

    attempt = Attempt(question.translated(current_table()))
    window = AskWindow(
        [attempt], lambda: live_region(screen), over, score=lambda attempt: "", foot=FOOT_BY_HAND
    )
    screen.app.push_screen(window, leave)


WHO = {"learner": "Your name", "id": "Your ID"}
"""Field of an answer file → its label."""
Keep = Callable[[Attempt], None]
"""Records a question that is over; raises a `BpeError` if it cannot."""


class QuizScreen(Screen[None]):
    """The screen of a quiz: asks the questions, and calls `keep` with each that is over.

    Args:
        name: the name of the quiz, for the heading.
        asks_who: the answers whose name and ID are asked for first; `None` asks for neither.
    """

    CSS_PATH = sheet("quiz.tcss")
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+q", "app.quit", "quit", priority=True),
        Binding("q", "app.quit", "quit", show=False),
    ]

    def __init__(
        self,
        questions: Sequence[Question],
        keep: Keep,
        name: str,
        asks_who: AnswerSheet | None = None,
    ) -> None:
        super().__init__()
        self._sheet = asks_who
        self._attempts = [Attempt(each.translated(current_table())) for each in questions]
        self._keep, self._quiz = keep, visible_text(name, spaces=False)
        self._at = 0
        self._score = FirstTries()
        self._kept = True
        self._panel, self._results = QuestionPanel(), RowList("results")
        self._note = Static(id="note")

    def compose(self) -> ComposeResult:
        yield Static(id="heading")
        if self._sheet is not None:
            with VerticalGroup(id="who"):
                for key, label in WHO.items():
                    yield Static(label)
                    value = visible_text(getattr(self._sheet, key), spaces=False)
                    yield Field(value, max_length=LONGEST_NAME, compact=True, id=f"who-{key}")
        yield self._panel
        yield self._results
        yield self._note

    def on_mount(self) -> None:
        self._results.display = False
        self._begin()

    def _begin(self) -> None:
        """Ask who answers, if that is wanted; else ask the first question."""
        empty = [field for field in self.query(Field) if not field.value.strip()]
        self._panel.display = not empty
        if not empty:
            self.query("#who").remove()
            self._ask()
            return
        self.query_one("#heading", Static).update(Content(self._quiz))
        self._note.update(Content(tr("Enter goes on; Ctrl+Q leaves")))
        empty[0].focus()

    def on_input_submitted(self) -> None:
        for key in WHO:
            setattr(self._sheet, key, self.query_one(f"#who-{key}", Field).value.strip())
        self._begin()

    def _ask(self) -> None:
        attempt = self._attempts[self._at]
        number = tr("question {at} of {attempts}", at=self._at + 1, attempts=len(self._attempts))
        template = "{quiz} │ step {step}"
        heading = tr(template, quiz=self._quiz, step=f"{attempt.question.frame.step:,}")
        self.query_one("#heading", Static).update(Content(heading))
        score = self._score.describe(current_table()) if self._score.asked else ""
        self._panel.ask(attempt, number, score)
        self._panel.focus()
        self._note.update(Content(tr("Ctrl+Q leaves; what is answered is kept")))

    def on_question_panel_over(self, event: QuestionPanel.Over) -> None:
        self._score.count(event.attempt)
        self._panel.border_subtitle = Content(self._score.describe(current_table()))
        try:
            self._keep(event.attempt)
        except BpeError as error:
            self._kept = False
            self._note.update(Content(visible_message(error)))

    def on_question_panel_go_on(self) -> None:
        self._at += 1
        if self._at < len(self._attempts):
            self._ask()
            return
        # All is asked: the results, question by question.
        self._panel.display, self._results.display = False, True
        self._results.border_title = Content(self._score.describe(current_table()))
        room = max(self.size.width - 14, 20)
        rows: list[Row] = []
        for number, attempt in enumerate(self._attempts, 1):
            mark = ("✓", "gain") if attempt.at_first_try else ("✗", "loss")
            if attempt.is_right and not attempt.at_first_try and not attempt.given_up:
                mark = ("◐", "tie")
            asked = sentence_rows(attempt.question.asks, room)
            rows.append(Row([(f" {number:>2} ", "dim"), mark, ("  ", ""), *asked[0].spans]))
            rows += [Row([("       ", ""), *row.spans]) for row in asked[1:]]
        self._results.show(rows)
        self._results.focus()
        kept = tr("Your answers are in the file. ") if self._kept else ""
        template = "✓ at the first try  ◐ later  ✗ not known   {kept}q leaves"
        self._note.update(Content(tr(template, kept=kept)))
