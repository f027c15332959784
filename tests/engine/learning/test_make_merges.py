"""Merges by hand: overlaps, spellings, explanations, hints."""

from typing import Any

import oracles
import pytest
from generated import examples
from hypothesis import given
from hypothesis import strategies as st
from sheets import check_sheet, refusal
from test_questions import LOW, timeline_of

from engine import AnswerError, QuestionError, ask
from engine.bpe.ties import TIE_RULES
from engine.learning.questions.answer_forms import END
from engine.learning.questions.merges_form import CountedWord, Merges
from engine.learning.questions.question import Attempt, Level, Question

SHEEP = {b"baaa": 4, b"baa": 3, b"aaaaa": 1, b"bab": 2}


def question_of(counts: dict[bytes, int], step: int = 0, about: str | None = None) -> Question:
    return ask("make-merges", timeline_of(counts, 6).seek(step), about=about)


WORDS_OF_A = st.dictionaries(
    st.text("ab", min_size=2, max_size=8).map(str.encode), st.integers(1, 9), min_size=2, max_size=6
)


@given(WORDS_OF_A, st.sampled_from(list(TIE_RULES)))
@examples(60)
def test_words_made_by_hand_are_those_of_the_slow_trainer(
    counts: dict[bytes, int], rule: str
) -> None:
    run = oracles.train(counts, rule, 3)
    try:
        question = ask("make-merges", timeline_of(counts, 3, rule).frame)
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


ABC = {b"abc": 5, b"ab": 4, b"bc": 2, b"de": 3, b"def": 3, b"fx": 1}
"""b+c leads after a+b only with its count of before."""
LONGEST = "s+t".ljust(1000)
TYPED: list[tuple[dict[bytes, int], list[str]]] = [
    (LOW, ["s t", "s+t", "s|t", "st", " s┊t ", LONGEST, LONGEST + " "]),
    (LOW, ["s", "t l", "s w", "s t; widst", "s t; w i d e st, n e w e st; e st; w i d e s t"]),
    (
        LOW,
        [
            "s t; w i d e st, n e w e st",
            "s t; w i d e st, n e w e st; w e",
            "s t; w i d e st, n e w e st; e st; w i d est, n e w est; o w; l ow, l ow e r",
        ],
    ),
    (
        SHEEP,
        [
            *("b a", "b a", "a a", "aa; b a aa, b aa, aa aa a", "aa; b aaa, b aa, aa aa a"),
            *("aa; b aa a, aa aa a", "aa; b aa a, b aa, aa aa a, ba b"),
            *("a a; b aa a, b aa, aa aa a", "a a; b aa a, b aa, aa aa a; aa a"),
            "a a; b aa a, b aa, aa aa a; b aa",
        ],
    ),
    (ABC, ["a b; ab c, ab; b c"]),
]
"""The words, and what is typed one after the other."""
VALUES: list[object] = [
    *(None, "ab", [], [0], [0, END] * 15, [0, END] * 14, [0, END, END] * 4, [END], [0, 1, END]),
    *([2, END], [4, END], [99, END], [-2, END], [0, END, 2, END]),
]
"""Answers out of a file that are none."""


def test_parts_that_are_typed_get_the_replies_of_their_sheet() -> None:
    """A reply is about the first wrong part; the task and the hint are about the next one.

    A part that is right is no try. A pair is named by its first place.
    """
    lines = []
    for counts, rows in TYPED:
        attempt = Attempt(question_of(counts))
        form = attempt.question.form
        lines += ["", str(counts), f"hint: {attempt.hint}"]
        attempt.ask_hint()
        for typed in rows:
            lines.append(f"> {typed.rstrip()!r} of {len(typed):,}")
            try:
                grade = attempt.try_answer(form.read(typed))
            except AnswerError as error:
                lines.append(f"  no answer: {error}")
                continue
            task = "all done" if grade.done else form.task(attempt.progress)
            lines += [
                f"  {grade.verdict}{grade.said} {grade.why or '—'} [{grade.mistake}]",
                f"  tries: {len(attempt.tried)}, next: {task}",
                f"  {'hint shown' if attempt.shows_hint else 'hint'}: {attempt.hint}",
            ]
    form = Merges((CountedWord(1, (b"l", b"o", b"w")), CountedWord(2, (b"l", b"o"))), 2)
    check_sheet("questions/make-merges", [*lines, "", *(refusal(form.check, v) for v in VALUES)])
    assert form.check([3, END, 3, 0, 3, END]) == (0, END, 0, 3, END)


def test_no_more_merges_are_asked_for_than_are_left() -> None:
    assert [question_of(LOW, step).steps for step in (3, 4)] == [3, 2]  # of six


def test_words_in_which_places_overlap_are_preferred_however_rare() -> None:
    counts = {b"aa" + bytes((byte, 46)): byte for byte in range(98, 123)} | {b"aaa.": 1}
    frame = timeline_of(counts, 4).frame
    levels = [ask("make-merges", frame, str(seed), about="1").level for seed in range(9)]
    assert Level.AFTER_LOSS in levels


@pytest.mark.parametrize("how", [{"tie_rule": "smallest-ids"}, {"max_token_length": 2}])
def test_merges_that_the_words_do_not_decide_are_not_asked(how: dict[str, Any]) -> None:
    """The ids of a tie are not shown, nor that the most frequent pair, e+st, is too long."""
    with pytest.raises(QuestionError, match="no few words"):
        ask("make-merges", timeline_of(LOW, 6, **how).frame)
