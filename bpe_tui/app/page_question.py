"""A question on a page of steps, with a reply to each answer: the page itself knows no BPE."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Any

from bpe_tui.widgets.language import tr
from bpe_tui.widgets.visible import still_visible, visible_bytes
from engine.core.events import PAIR_SIGN
from engine.core.wording import Sentence, Words
from engine.learning.questions.answer_forms import END, Answer, Choice, Joins, Option
from engine.learning.questions.question import Question

PageWords = list[str | list[str]]
"""Words of a sentence; a token is a list with its text: ['No: ', ['l'], '+', ['o']]."""


def page_question(question: Question) -> dict[str, Any]:
    """Return a question as JSON, part by part, with a reply to each answer of a part.

    Args:
        question: its form is a choice, which is one part, or joins, each of which is a part.
    """
    return {
        "asks": list(map(_page_words, (question.asks, question.advice))),
        "parts": list(_parts(question)),
        "answer": list(map(_page_words, question.model_answer)),
    }


def _parts(question: Question) -> Iterator[dict[str, Any]]:
    form, answer = question.form, question.answer
    if isinstance(form, Choice):
        yield _part(question, (), (), enumerate(form.options))
        return
    assert isinstance(form, Joins)
    assert isinstance(answer, tuple)
    for done in range(len(answer)):
        progress = answer[:done]
        tokens = form.tokens_after(progress)
        pairs = [(left, PAIR_SIGN, right) for left, right in pairwise(tokens)]
        joins = [((*progress, place), Option(pair)) for place, pair in enumerate(pairs)]
        yield _part(
            question, progress, tokens, [*joins, ((*progress, END), Option((tr("none joins"),)))]
        )


def _part(
    question: Question,
    progress: tuple[int, ...],
    tokens: tuple[bytes, ...],
    options: Iterable[tuple[Answer, Option]],
) -> dict[str, Any]:
    """Return a part: what is given, then the tokens if they join; its hints and its options."""
    graded = []
    for answer, option in options:
        grade = question.grade(answer)
        reply = [[tr(grade.verdict), *_page_words(grade.said)]]
        reply += [] if grade.why is None else [_page_words(grade.why)]
        numbers = {"fact": option.note, "note": option.revealed}
        graded.append(
            {"label": _shown(option.label), "right": grade.right, "reply": reply} | numbers
        )
    hints = [[tr("Hint: "), *_page_words(hint)] for hint in question.find_hints(progress)]
    given = [*map(_page_words, question.given), *([_shown(tokens)] if tokens else [])]
    return {"given": given, "hints": hints, "options": graded}


def _page_words(sentence: Sentence) -> PageWords:
    return _shown(sentence.words)


def _shown(words: Words) -> PageWords:
    return [
        still_visible(word) if isinstance(word, str) else [visible_bytes(word)] for word in words
    ]
