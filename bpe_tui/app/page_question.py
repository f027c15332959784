"""A question on a page of steps, with a reply to each answer: the page itself knows no BPE."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Any

from bpe_tui.widgets.language import tr
from bpe_tui.widgets.visible import still_visible, visible_bytes
from engine.core.events import PAIR_SIGN
from engine.core.wording import Sentence, Words
from engine.learning.questions.answer_forms import END, Answer, Choice, Joins
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
        labels = ((option.label, option.revealed) for option in form.options)
        yield _part(question, (), (), [(*each, place) for place, each in enumerate(labels)])
        return
    assert isinstance(form, Joins)
    assert isinstance(answer, tuple)
    for done in range(len(answer)):
        progress = answer[:done]
        tokens = form.tokens_after(progress)
        pairs: list[tuple[Words, str, Answer]] = [
            ((left, PAIR_SIGN, right), "", (*progress, place))
            for place, (left, right) in enumerate(pairwise(tokens))
        ]
        yield _part(
            question, progress, tokens, [*pairs, ((tr("none joins"),), "", (*progress, END))]
        )


def _part(
    question: Question,
    progress: tuple[int, ...],
    tokens: tuple[bytes, ...],
    options: Iterable[tuple[Words, str, Answer]],
) -> dict[str, Any]:
    """Return a part: what is given, then the tokens if they join; its hints and its options."""
    graded = []
    for label, revealed, answer in options:
        grade = question.grade(answer)
        reply = [[tr(grade.verdict), *_page_words(grade.said)]]
        reply += [] if grade.why is None else [_page_words(grade.why)]
        told = {"label": _shown(label), "note": revealed, "right": grade.right, "reply": reply}
        graded.append(told)
    hints = [[tr("Hint: "), *_page_words(hint)] for hint in question.find_hints(progress)]
    given = [*map(_page_words, question.given), *([_shown(tokens)] if tokens else [])]
    return {"given": given, "hints": hints, "options": graded}


def _page_words(sentence: Sentence) -> PageWords:
    return _shown(sentence.words)


def _shown(words: Words) -> PageWords:
    return [
        still_visible(word) if isinstance(word, str) else [visible_bytes(word)] for word in words
    ]
