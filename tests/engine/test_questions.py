"""Each kind of question is graded as a slow grader does that recounts everything.

A grader gets the question and the oracle's run, and says which answer is right.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import oracles
import pytest
from generated import examples
from hypothesis import given
from hypothesis import strategies as st

from engine import AnswerError, QuestionError, Timeline, Trainer
from engine.bpe.ties import TIE_RULES
from engine.learning.questions import KINDS, ask, kinds_for
from engine.learning.questions.form import Answer, Choice, Cuts, Joins, Number, Text, YesOrNo
from engine.learning.questions.next_pair import PairChoice
from engine.learning.questions.question import Attempt, Chance, Level, Question

Corpus = dict[bytes, int]
LOW = {b"low": 5, b"lower": 2, b"widest": 3, b"newest": 6}


def timeline_of(
    corpus: Corpus, merges: int = 12, tie_rule: str = "lexicographic", **how: Any
) -> Timeline:
    trainer = Trainer(corpus, 256 + merges, tie_rule=tie_rule)
    timeline = Timeline(trainer.counts, trainer.steps(), record=trainer.record, **how)
    timeline.complete()
    return timeline


def asked(timeline: Any, kinds: list[str], seed: str = "") -> Iterator[tuple[int, Question[Any]]]:
    """Each question that can be asked, with its step."""
    for step in range(len(timeline) + 1):
        frame = timeline.seek(step)
        for kind in kinds:
            with suppress(QuestionError):
                yield step, ask(kind, frame, seed)


# -- the slow graders


def next_pair(question: PairChoice, run: oracles.OracleRun, step: int, rule: str) -> Answer:
    """Recount all pairs; of the most frequent the rule takes one."""
    words = run.steps[step - 1].words_after if step else run.words
    counts = oracles.recount(words, run.word_counts)
    tied = {pair for pair in counts if counts[pair] == max(counts.values())}
    best = oracles.TIE_ORACLES[rule](tied, words, run.vocab)
    label = (run.vocab[best[0]], "│", run.vocab[best[1]])
    return [option.label for option in question.form.options].index(label)


GRADERS: dict[str, Callable[[Any, oracles.OracleRun, int, str], Answer]] = {
    "next-pair": next_pair,
    "tie": next_pair,
}


def every_answer(question: Question[Any], right: Answer) -> Iterator[Answer]:
    """All answers, or the right one and some near it."""
    match question.form:
        case Choice(options):
            yield from range(len(options))
        case YesOrNo():
            yield from (True, False)
        case Number():
            assert isinstance(right, int)
            yield from range(max(0, right - 3), right + 4)
        case Text():
            yield from (right, f"{right}x", "")
        case Cuts(text):
            yield from (right, (), tuple(range(1, len(text))))
        case form:
            raise AssertionError(f"no answers known for {form}")


@given(oracles.corpora(), st.sampled_from(list(TIE_RULES)), st.integers(0, 99))
@examples(60)
def test_questions_about_merges_are_graded_as_a_recount_would(
    corpus: Corpus, rule: str, seed: int
) -> None:
    run, timeline = oracles.train(corpus, rule, 12), timeline_of(corpus, 12, rule)
    for step, question in asked(timeline, list(GRADERS), str(seed)):
        right = GRADERS[question.NAME](question, run, step, rule)
        assert question.answer == right, question.asks
        for answer in every_answer(question, right):
            grade = question.grade(answer)
            assert grade.right == (answer == right)
            assert str(grade.said)


# -- what is said


def test_a_wrong_pair_is_told_its_own_count_and_not_the_answer() -> None:
    question = ask("next-pair", timeline_of(LOW).seek(2))
    assert [str(option.label[0]) for option in question.form.options] == sorted(
        str(option.label[0]) for option in question.form.options
    )
    wrong = next(place for place in range(6) if place != question.answer)
    said = str(question.grade(wrong).said)
    winner = question.form.options[question.answer]
    assert said.startswith("l│o stands 7 times") or "stands" in said
    assert f"{winner.label[0].decode()}│" not in said


def test_a_tie_is_explained_by_the_rule() -> None:
    question = ask("tie", timeline_of(LOW).frame)
    grade = question.grade(question.answer)
    assert str(grade.said) == "s│t wins the tie of 2 at 9."
    assert str(grade.why) == "Rule lexicographic: s is later in byte order than e."


@pytest.mark.parametrize(
    ("corpus", "step", "level"),
    [
        ({b"ab": 9, b"cd": 2}, 0, Level.CLEAR),
        ({b"ab": 20, b"cd": 19}, 0, Level.CLOSE),
        ({b"ab": 9, b"cd": 9}, 0, Level.TIE),
        ({b"abc": 9, b"ab": 1, b"de": 8, b"fg": 2}, 1, Level.AFTER_LOSS),  # bc stood 9 times
    ],
)
def test_difficulty_goes_from_a_clear_gap_to_counts_lost(
    corpus: Corpus, step: int, level: Level
) -> None:
    assert ask("next-pair", timeline_of(corpus).seek(step)).level is level


@pytest.mark.parametrize(
    ("kind", "step", "reason"),
    [
        ("next-pair", 2, "no pair merges after step 2"),
        ("next-pair", 1, "only one pair is left at step 1"),
        ("tie", 0, "no pair is tied"),
    ],
)
def test_what_cannot_be_asked_is_refused_with_a_reason(kind: str, step: int, reason: str) -> None:
    timeline = timeline_of({b"ab": 9, b"cd": 2})
    with pytest.raises(QuestionError, match=reason):
        ask(kind, timeline.seek(step))


# -- the same everywhere


def test_the_same_seed_asks_the_same_and_another_seed_something_else() -> None:
    frame = timeline_of(LOW).seek(3)
    for kind in kinds_for(frame):
        with suppress(QuestionError):
            first, again = ask(kind, frame, "1"), ask(kind, frame, "1")
            assert (first.asks, first.form, first.answer) == (again.asks, again.form, again.answer)


def test_chance_is_the_same_on_every_machine() -> None:
    assert Chance("quiz").shuffled("abcdef") == ["b", "f", "e", "d", "c", "a"]


# -- answers, typed or out of a file


def test_an_answer_is_read_in_its_form() -> None:
    rows = ask("next-pair", timeline_of(LOW).frame).form
    assert rows.read(" 2 ") == 1
    assert Number().read("1,204") == 1204
    assert YesOrNo().read("Yes") is True
    assert Text(20).read("the·cat") == "the cat"
    assert Cuts("don't go").read("don|'t|·go") == (3, 5)
    assert Joins((b"l", b"o", b"w")).read("2") == (1,)


@pytest.mark.parametrize(
    ("form", "value"),
    [
        (Number(), True),
        (Number(), -1),
        (Number(), 1.0),
        (Number(), "5"),
        (YesOrNo(), 1),
        (Text(3), "long"),
        (Text(3), None),
        (Cuts("abc"), [2, 1]),
        (Cuts("abc"), [3]),
        (Cuts("abc"), "ab"),
        (Joins((b"a", b"b")), [1]),
        (Joins((b"a", b"b")), [0, 0]),
    ],
)
def test_what_a_file_claims_is_checked(form: Any, value: object) -> None:
    with pytest.raises(AnswerError):
        form.check(value)


@pytest.mark.parametrize("typed", ["", "x", "0", "7", "1e3", "9" * 30, "٣", "1 2"])
def test_a_row_that_is_not_there_is_no_answer(typed: str) -> None:
    with pytest.raises(AnswerError):
        ask("next-pair", timeline_of(LOW).frame).form.read(typed)


def test_an_attempt_counts_only_the_first_try() -> None:
    question = ask("next-pair", timeline_of(LOW).frame)
    right, wrong = question.answer, (question.answer + 1) % 2
    first, later, given_up = Attempt(question), Attempt(question), Attempt(question)
    first.try_answer(right)
    later.try_answer(wrong)
    later.try_answer(right)
    given_up.give_up()
    assert [attempt.at_first_try for attempt in (first, later, given_up)] == [True, False, False]
    assert [attempt.is_over for attempt in (first, later, given_up)] == [True, True, True]


def test_every_kind_has_a_slow_grader() -> None:
    assert set(GRADERS) == set(KINDS)
