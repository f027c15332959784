"""Merges by hand: overlaps, spellings, explanations, hints."""

from __future__ import annotations

from typing import Any

import oracles
import pytest
from generated import examples
from hypothesis import given
from hypothesis import strategies as st

from engine import AnswerError, QuestionError, Timeline, Trainer, ask
from engine.bpe.ties import TIE_RULES
from engine.learning.questions.answer_forms import END
from engine.learning.questions.merges_form import CountedWord, Merges
from engine.learning.questions.question import Attempt, Level, Question

LOW = {b"low": 5, b"lower": 2, b"widest": 3, b"newest": 6}
SHEEP = {b"baaa": 4, b"baa": 3, b"aaaaa": 1, b"bab": 2}


def question_of(counts: dict[bytes, int], step: int = 0, about: str | None = None) -> Question:
    trainer = Trainer(counts, 262)
    timeline = Timeline(trainer.counts, trainer.steps(), record=trainer.record)
    timeline.complete()
    return ask("make-merges", timeline.seek(step), about=about)


def reply(question: Question, typed: str) -> tuple[str, str]:
    """Return what is said to typed parts, and the reason."""
    grade = question.grade(question.form.read(typed))
    return f"{grade.verdict}{grade.said}", str(grade.why or "")


WORDS_OF_A = st.dictionaries(
    st.text("ab", min_size=2, max_size=8).map(str.encode), st.integers(1, 9), min_size=2, max_size=6
)


@given(WORDS_OF_A, st.sampled_from(list(TIE_RULES)))
@examples(60)
def test_words_made_by_hand_are_those_of_the_slow_trainer(
    counts: dict[bytes, int], rule: str
) -> None:
    run = oracles.train(counts, rule, 3)
    trainer = Trainer(counts, 259, tie_rule=rule)
    timeline = Timeline(trainer.counts, trainer.steps(), record=trainer.record)
    timeline.complete()
    try:
        question = ask("make-merges", timeline.seek(0))
    except QuestionError:
        return
    form, answer = question.form, question.answer
    assert isinstance(form, Merges)
    assert isinstance(answer, tuple)
    parts = form.parts(answer)
    for merge in range(form.merges):
        done = tuple(gap for part in parts[: 2 * merge + 2] for gap in (*part, END))
        after = dict(zip(counts, run.steps[merge].words_after, strict=True))
        words = {b"".join(tokens): tokens for tokens in form.words_at(form.joined(done))}
        assert words == {text: tuple(run.vocab[token] for token in after[text]) for text in words}


@pytest.mark.parametrize(
    ("typed", "said", "mistake"),
    [
        ("aa; b a aa, b aa, aa aa a", "in b┊a┊a┊a the pair overlaps itself", "from the right"),
        ("aa; b aaa, b aa, aa aa a", "in b┊a┊a┊a a token joins twice", "joined one token twice"),
        ("aa; b aa a, aa aa a", "in b┊a┊a a place of a+a is left", "in part only"),
        ("aa; b aa a, b aa, aa aa a, ba b", "b+a is another pair: only a+a", "another pair"),
        ("ba", "b+a occurs 9 times; another pair occurs more often", "occurs less often"),
    ],
)
def test_a_wrong_part_is_explained_by_its_mistake(typed: str, said: str, mistake: str) -> None:
    question = question_of(SHEEP)
    assert said in reply(question, typed)[0]
    assert mistake in question.grade(question.form.read(typed)).mistake


def test_each_part_is_graded_and_explained() -> None:
    question = question_of(LOW)
    assert reply(question, "s+t")[0] == "Right: s+t wins the tie of 2 at 9."
    assert reply(question, "s t; w i d e st, n e w e st") == (
        "Right: st is one token now, in 2 places of 2 words.",
        "Count again: its neighbours are in other pairs now.",
    )
    late = reply(question, "s t; w i d e st, n e w e st; w e")
    assert late == ("No: w+e occurs 8 times; another pair occurs more often.", "")
    whole = "st; widest, newest".replace("widest", "w i d e st").replace("newest", "n e w e st")
    whole += "; e st; w i d est, n e w est; o w; l ow, l ow e r"
    assert question.grade(question.form.read(whole)).done


def test_a_count_from_before_the_merge_is_named() -> None:
    # b+c leads after a+b only with its count of before.
    question = question_of({b"abc": 5, b"ab": 4, b"bc": 2, b"de": 3, b"def": 3, b"fx": 1})
    form = question.form
    typed = "a b; ab c, ab; b c"
    late = "It occurred 7 times before merge 1, a+b: that count is out of date."
    assert reply(question, typed)[1] == late
    grade = question.grade(form.read(typed))
    assert grade.mistake == "used a count from before the last merge"


def test_hints_are_about_the_present_part() -> None:
    question = question_of(SHEEP)
    attempt, form = Attempt(question), question.form
    assert str(attempt.hint) == "the pair occurs 15 times."
    attempt.ask_hint()
    attempt.try_answer(form.read("b a"))
    attempt.try_answer(form.read("b a"))
    assert attempt.tried == [form.read("b a")]  # a part that is right is no try
    assert str(attempt.hint) == "the pair occurs 15 times."
    assert str(form.task(attempt.progress)) == "Merge 1 of 3: which pair?"
    attempt.try_answer(form.read("a a"))
    assert str(form.task(attempt.progress)) == "Merge 1 of 3: replace a+a everywhere."
    assert not attempt.shows_hint
    assert str(attempt.hint).startswith("it joins in 4 places of 3 words; from the left")
    assert attempt.hinted
    attempt.try_answer(form.read("a a; b aa a, b aa, aa aa a"))
    assert str(attempt.hint) == "the pair occurs 7 times."
    attempt.try_answer(form.read("a a; b aa a, b aa, aa aa a; aa a"))
    assert str(attempt.hint) == "the pair occurs 7 times."
    attempt.try_answer(form.read("a a; b aa a, b aa, aa aa a; b aa"))
    assert str(attempt.hint) == "it joins in 2 places of 2 words."
    attempt.try_answer(question.answer)
    assert str(attempt.hint) == "all merges are made."


@pytest.mark.parametrize("typed", ["s t", "s+t", "s|t", "st", " s┊t "])
def test_a_pair_may_be_spelled_in_several_ways(typed: str) -> None:
    form = question_of(LOW).form
    assert form.read(typed) == form.read("s+t".ljust(1000))


@pytest.mark.parametrize(
    ("typed", "problem"),
    [
        ("s", "a pair is two tokens"),
        ("t l", "no pair crosses a border"),
        ("s w", "not side by side"),
        ("s t; widst", "none of the words"),
        ("s t; w i d e st, n e w e st; e st; w i d e s t", "cuts a token apart"),
        ("s+t".ljust(1001), "that is longer than 1,000 characters"),
    ],
)
def test_what_is_no_answer_is_refused_with_a_reason(typed: str, problem: str) -> None:
    with pytest.raises(AnswerError, match=problem):
        question_of(LOW).form.read(typed)


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (None, "it is no list of places"),
        ("ab", "it is no list of places"),
        ([], "it does not consist of complete parts"),
        ([0], "it does not consist of complete parts"),
        ([0, END] * 15, "it does not consist of complete parts"),  # more than any answer has
        ([0, END] * 14, "it joins where no two tokens are side by side"),
        ([0, END, END] * 4, "it has more merges than were asked for"),
        ([END], "it does not choose one pair"),
        ([0, 1, END], "it does not choose one pair"),
        *(([gap, END], "it joins where no two tokens are side by side") for gap in (2, 4, 99, -2)),
        ([0, END, 2, END], "it joins where no two tokens are side by side"),
    ],
)
def test_values_of_a_file_are_checked(value: object, said: str) -> None:
    form = Merges((CountedWord(1, (b"l", b"o", b"w")), CountedWord(2, (b"l", b"o"))), 2)
    with pytest.raises(AnswerError, match=said):
        form.check(value)
    # A pair is named by its first place; places are in order, each once.
    assert form.check([3, END, 3, 0, 3, END]) == (0, END, 0, 3, END)


def test_words_with_overlaps_are_the_hardest() -> None:
    assert question_of(SHEEP).level is Level.AFTER_LOSS
    assert question_of({b"abc": 9, b"bc": 4, b"de": 2, b"df": 1}).level is Level.CLEAR
    close = {b"ab": 20, b"cd": 18, b"ef": 9}
    assert question_of(close, about="1").level is Level.CLOSE
    assert question_of({**close, b"cd": 17}, about="1").level is Level.CLEAR
    assert question_of({b"ab": 9, b"cd": 5, b"ef": 5}, about="2").level is Level.TIE


@pytest.mark.parametrize(
    ("counts", "merges"),
    [
        ({b"ab": 9, b"cd": 5, b"ef": 1}, 3),
        ({b"ab": 9, b"cd": 5}, None),  # too few pairs to choose from
        ({b"a" * 24: 2, b"b" * 24: 2, b"c" * 24: 2, b"abcdefgh": 2}, 3),  # 80 tokens
        ({b"a" * 24: 2, b"b" * 24: 2, b"c" * 24: 2, b"abcdefghi": 2}, None),
        ({b"ab": 9, b"c,": 5, b"ef": 1}, None),  # a comma parts words
    ],
)
def test_merges_are_made_in_a_few_words_that_can_be_typed(
    counts: dict[bytes, int], merges: int | None
) -> None:
    if merges is None:
        with pytest.raises(QuestionError, match="no few words of this corpus show 2 merges after"):
            question_of(counts)
    else:
        assert question_of(counts).steps == merges


def test_a_number_of_merges_may_be_named() -> None:
    for number in (1, 5):
        question = question_of(LOW, about=f"{number}")
        assert question.steps == question.form.merges == number  # type: ignore[attr-defined]
    for about in ("0", "6", "x"):
        with pytest.raises(QuestionError, match="say a number of merges"):
            question_of(LOW, about=about)
    assert question_of(LOW, 4).steps == 2
    with pytest.raises(QuestionError, match="step 5 has only 1 merge after it"):
        question_of(LOW, 5)


def test_words_in_which_places_overlap_are_preferred_however_rare() -> None:
    counts = {b"aa" + bytes((byte, 46)): byte for byte in range(98, 123)} | {b"aaa.": 1}
    trainer = Trainer(counts, 260)
    timeline = Timeline(trainer.counts, trainer.steps(), record=trainer.record)
    timeline.complete()
    levels = [ask("make-merges", timeline.frame, str(seed), about="1").level for seed in range(9)]
    assert Level.AFTER_LOSS in levels


@pytest.mark.parametrize("how", [{"tie_rule": "smallest-ids"}, {"max_token_length": 2}])
def test_merges_that_the_words_do_not_decide_are_not_asked(how: dict[str, Any]) -> None:
    """The ids of a tie are not shown, nor that the most frequent pair, e+st, is too long."""
    trainer = Trainer(LOW, 262, **how)
    timeline = Timeline(trainer.counts, trainer.steps(), record=trainer.record)
    timeline.complete()
    with pytest.raises(QuestionError, match="no few words"):
        ask("make-merges", timeline.seek(0))
