"""A question without a screen: what is asked in sentences, an answer a line, what is said to it."""

from __future__ import annotations

from collections.abc import Iterator

from bpe_tui.widgets.visible import visible_bytes, visible_text
from engine.core.errors import AnswerError
from engine.core.wording import Sentence, describe
from engine.learning.questions.question import Answer, Attempt, Choice, Cuts, Joins

TOLD = "hint helps, show tells the answer, skip goes on."


class Asking:
    """Asks one question, and answers the lines that follow until it is over."""

    def __init__(self, attempt: Attempt) -> None:
        self.attempt = attempt
        self._joined: tuple[int, ...] = ()

    def question(self) -> Iterator[str]:
        """What is asked, what there is to find the answer with, and how to answer."""
        question = self.attempt.question
        yield _said(question.asks)
        yield _said(question.advice)
        for given in question.given:
            yield f"  {_said(given)}"
        form = question.form
        if isinstance(form, Choice):
            for place, option in enumerate(form.options, 1):
                note = option.note or _about(option.amount)
                label = describe(option.label, visible_bytes)
                yield f"  {place}. {label}{f'   {note}' if note else ''}"
        elif isinstance(form, Cuts):
            yield f"  {visible_text(form.text)}"
        elif isinstance(form, Joins):
            yield self._tokens(form)
        yield f"{form.how} {TOLD}"

    def answer(self, line: str) -> Iterator[str]:
        """What is said to a line."""
        attempt, question = self.attempt, self.attempt.question
        word = line.strip()
        if word == "hint":
            attempt.hinted = True
            yield f"Hint: {_said(question.hint)}"
            return
        if word in ("show", "skip"):
            attempt.given_up = True
            yield from map(_said, question.model_answer if word == "show" else ())
            return
        try:
            answer: Answer = question.form.read(line.rstrip("\r\n"))
            if isinstance(question.form, Joins) and isinstance(answer, tuple):
                answer = question.form.check((*self._joined, *answer))
        except AnswerError as error:
            yield visible_text(_sentence(str(error)), spaces=False)
            return
        grade = attempt.try_answer(answer)
        yield f"{grade.word}: {_said(grade.said)}"
        if grade.why is not None:
            yield _said(grade.why)
        if grade.right and not grade.done and isinstance(answer, tuple):
            self._joined = answer
            assert isinstance(question.form, Joins)
            yield self._tokens(question.form)
        elif not grade.right:
            yield "Try again."

    def _tokens(self, form: Joins) -> str:
        tokens = form.tokens_after(self._joined)
        return f"  {' ┊ '.join(map(visible_bytes, tokens))}"


def _about(amount: float) -> str:
    """What the length of a bar tells on a screen: 588 → 'about 590'."""
    return f"about {int(float(f'{amount:.2g}')):,}" if amount else ""


def _said(sentence: Sentence) -> str:
    return sentence.describe(visible_bytes)


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}"
