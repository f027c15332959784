"""The question which language is served next, in a run where languages take turns."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import pytest

from engine import ParityTrainer, QuestionError, Timeline, Trainer, ask
from engine.learning.mistakes import mistake_of
from engine.learning.questions import predict
from engine.learning.questions.question import Choice

TEXTS = {
    "en": Counter({b"the": 9, b" cat": 3, b" hat": 4, b" that": 2, b"s": 40}),
    "so": Counter({b"maya": 2, b" mayaba": 1}),
    "el": Counter({" και".encode(): 3, " το".encode(): 2}),
}


def timeline() -> Timeline:
    trainer = ParityTrainer(TEXTS, 280)
    return Timeline(trainer.counts, list(trainer.steps()), record=trainer.record)


def test_the_language_with_the_most_tokens_a_character_is_the_answer() -> None:
    run, asked = timeline(), 0
    for step in range(len(run)):
        frame = run.seek(step)
        rates = [
            Fraction(
                sum(len(frame.tokens_of(pretoken)) * count for pretoken, count in text.items()),
                sum(len(pretoken.decode()) * count for pretoken, count in text.items()),
            )
            for text in TEXTS.values()
        ]
        try:
            question = ask("turn", frame)
        except QuestionError:
            served = frame.languages and frame.languages.served_at(step)
            assert served is not None
            assert rates.count(max(rates)) > 1 or rates[served] < max(rates)
            continue
        asked += 1
        form = question.form
        assert isinstance(form, Choice)
        rows = [list(TEXTS).index(str(option.label[0], "utf-8")) for option in form.options]
        assert rows[question.answer] == rates.index(max(rates))
        for row, place in enumerate(rows):
            grade = question.grade(row)
            assert grade.right == (row == question.answer)
            assert f"{float(rates[place]):.3f}" in str(grade.said)
            if not grade.right:
                assert mistake_of(question, row).startswith("took ")
        assert predict(frame).kind == "turn"
    assert asked > 5


def test_it_is_asked_of_languages_only_and_pairs_are_not_asked_of_them() -> None:
    plain = Timeline(TEXTS["en"], Trainer(TEXTS["en"], 260).steps()).seek(0)
    with pytest.raises(QuestionError, match="parity lets languages take turns"):
        ask("turn", plain)
    run = timeline()
    with pytest.raises(QuestionError, match="languages take turns here"):
        ask("next-pair", run.seek(0))
    with pytest.raises(QuestionError, match="parity lets languages take turns"):
        ask("turn", run.seek(len(run)))
