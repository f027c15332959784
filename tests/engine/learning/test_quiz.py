"""A quiz is the same on every machine, and all answers of a file are graded again."""

import csv
import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import cache
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import Any

import pytest
from generated import examples, first_quick
from hypothesis import given
from hypothesis import strategies as st
from sheets import check_sheet

from engine import QuestionError, QuizFileError, Timeline, Trainer, ask
from engine.bpe.trainers import TRAINERS
from engine.core.gpt2_bytes import spell
from engine.learning import quiz
from engine.learning.grade_tables import grade_tables
from engine.learning.grading import Grades, grade_files
from engine.learning.questions.question import Attempt, Question
from engine.learning.quiz import Answered, AnswerSheet, Paper, another_example, make_quiz, regraded
from engine.text.excerpt import Excerpt

TEXT = b"low low low low low lower lower widest widest widest " + b"newest " * 6
LOW = {b"low": 5, b"lower": 2, b"widest": 3, b"newest": 6, b" ": 15}
KINDS = "tie", "stale", "tokens-left", "make-merges"
"""Kinds of which so small a corpus has fair questions: none is searched for long."""
PAPER = Paper("low.txt", "0" * 64, {"model": "bpe"}, "7", 6, KINDS[1::2])


def recording(trainer: str = "fast") -> Timeline:
    made = Trainer(LOW, 280, algorithm=trainer)
    excerpt = Excerpt.of(TEXT, "whitespace")
    timeline = Timeline(
        LOW, made.steps(), record=made.record, pattern="whitespace", excerpt=excerpt
    )
    timeline.complete()
    return timeline


@cache
def quiz_of(
    seed: str, count: int, kinds: tuple[str, ...] = (), trainer: str = "fast"
) -> tuple[Question, ...]:
    return make_quiz(recording(trainer), seed, count, kinds)


def kinds_and_steps(questions: tuple[Question, ...]) -> list[tuple[str, int]]:
    return [(question.kind, question.frame.step) for question in questions]


def sheet_of(paper: Paper = PAPER, learner: str = "Li") -> AnswerSheet:
    """Answer rightly."""
    sheet = AnswerSheet(paper, learner)
    for question in quiz_of(paper.seed, paper.questions, paper.kinds):
        attempt = Attempt(question)
        attempt.try_answer(question.answer)
        sheet.answers.append(Answered.of(attempt, 1.25))
    return sheet


def graded(path: Path, **how: Any) -> Grades:
    return grade_files([path], lambda paper: recording(), **how)


@pytest.mark.parametrize("trainer", first_quick(TRAINERS))
def test_the_seed_decides_the_questions_with_every_trainer(trainer: str) -> None:
    asked, same, others = (
        [(each.asks, each.given, each.form, each.answer) for each in quiz_of(seed, 8, KINDS, name)]
        for seed, name in (("7", trainer), ("7", "fast"), ("8", "fast"))
    )
    assert asked == same != others


def test_a_seed_always_gives_the_same_questions() -> None:
    """A change here needs a new version of the answer file."""
    assert kinds_and_steps(quiz_of("7", 6)) == [
        *(("tokens-left", 10), ("stale", 2), ("stale", 3)),
        *(("tie", 7), ("next-pair", 9), ("encode-by-hand", 8)),
    ]
    assert replace(PAPER, kinds=()).code == "be1d35901c3a"


def test_other_examples_of_a_kind_are_asked_until_none_is_left() -> None:
    asked = [ask("tie", recording().frame.at(0))]
    with suppress(QuestionError):
        while True:
            asked.append(another_example(recording(), "tie", asked))
    assert {question.kind for question in asked} == {"tie"}
    assert len({str(question.form) for question in asked}) == len(asked) == 7
    first = ask("next-pair", recording().frame.at(1))  # it always asks so, about other pairs
    assert another_example(recording(), "next-pair", [first]).form != first.form


@pytest.mark.parametrize(
    ("one", "other", "step", "alike"),
    [
        *(("tie", "tie", 1, True), ("tie", "tie", 2, False), ("next-pair", "tie", 1, True)),
        *(("tie", "make-merges", 1, True), ("tie", "make-merges", 2, False)),
        *(("make-merges", "next-pair", 3, True), ("make-merges", "next-pair", 4, False)),
        *(("make-merges", "tokens-left", 2, True), ("make-merges", "tokens-left", 3, False)),
        *(("count-change", "tie", 0, True), ("count-change", "tie", 1, False)),
        *(("stale", "tie", 0, False), ("tokens-left", "count-change", 0, False)),
    ],
)
def test_a_question_is_not_asked_where_another_reveals_it(
    one: str, other: str, step: int, alike: bool
) -> None:
    """The first is about step 0; making merges is about three steps."""
    first, second = (
        SimpleNamespace(
            kind=kind,
            frame=SimpleNamespace(step=at),
            steps=3 if kind == "make-merges" else 1,
            asks=f"{kind} {at}?",
            form=None,
        )
        for kind, at in ((one, 0), (other, step))
    )
    assert quiz._are_alike(first, second) == quiz._are_alike(second, first) == alike  # type: ignore


def test_a_quiz_about_what_a_run_does_not_have_is_refused() -> None:
    with pytest.raises(QuestionError, match="no question of these kinds suits this model: best"):
        quiz_of("7", 6, ("best-path",))
    made = Trainer({b"a": 3}, 300)
    timeline = Timeline({b"a": 3}, made.steps(), record=made.record)
    with pytest.raises(QuestionError, match="nothing can be asked"):
        make_quiz(timeline, "7", 3, [])


def test_a_written_answer_file_reads_back_equal(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    sheet = replace(sheet_of(learner="Łi \u202e"), id="=4711", quiz=PAPER.code)
    sheet.write(path)
    assert AnswerSheet.read(path) == sheet
    paper = replace(PAPER, corpus="\x07.txt")
    replace(sheet, paper=paper, learner="L\x1b\x9b", id="\n").write(path, overwrite=True)
    read = AnswerSheet.read(path)
    assert (read.paper.corpus, read.learner, read.id) == ("\ufffd.txt", "L\ufffd\ufffd", "\ufffd")


def test_a_file_of_very_many_wrong_answers_is_read_with_the_first_and_the_last(
    tmp_path: Path,
) -> None:
    question = ask("count-change", recording().seek(0), about="e|s")
    attempt = Attempt(question)
    for number in (*range(1000, 1150), question.answer):
        attempt.try_answer(number)
    AnswerSheet(PAPER, answers=[Answered.of(attempt, 1.26)]).write(tmp_path / "a.json")
    (answered,) = AnswerSheet.read(tmp_path / "a.json").answers
    assert answered.seconds == 1.3
    again = regraded(question, answered)
    assert again.tried == [*range(1000, 1099), question.answer]
    assert again.is_right
    assert not again.at_first_try


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
)
KEYS = st.sampled_from(["tried", "step", "seconds", "kind", "seed", "options", "answers", "corpus"])


@given(ANYTHING, KEYS)
@examples(60)
def test_any_answer_file_is_graded_or_reported(value: object, key: str) -> None:
    with TemporaryDirectory() as place:
        path = Path(place) / "a.json"
        sheet_of().write(path)
        content = json.loads(path.read_text())
        holder = content if key in content else content["answers"][0]
        holder[key] = [value] if key == "tried" else value
        path.write_text(json.dumps(content))
        grades = graded(path)
        assert len(grades.sheets) + len(grades.problems) == 1
        grade_tables(grades, spell)


Spoil = Callable[[dict[str, Any]], None]


@pytest.mark.parametrize(
    ("spoil", "told"),
    [
        (lambda c: c.update(format="another"), "no file of answers"),
        (lambda c: c.update(version=99), "another version"),
        (lambda c: c.update(seed=7), "seed: should be a text"),
        (lambda c: c.update(seed="\ud800"), "seed: holds half a character"),
        (lambda c: c.update(questions=101), "questions: is not between 1 and 100"),
        (lambda c: c.update(questions=0), "questions: is not between 1 and 100"),
        (lambda c: c.update(kinds=["x"]), "kinds: unknown kind 'x'; there are: next-pair, "),
        (lambda c: c.update(id=7), "id: should be a text"),
        (lambda c: c.update(questions=True), "questions: should be a whole number"),
        (lambda c: c.update(answers={}), "answers: should be a list"),
        (lambda c: c.update(answers=[1]), "should be an object"),
        (lambda c: c.update(questions=5), "more entries than there are questions"),
        (lambda c: c["answers"][0].update(tried=[0] * 101), "tried: has more than 100 entries"),
        (lambda c: c["answers"][0].update(step=-1), "step: should not be negative"),
        (lambda c: c.pop("corpus"), "corpus: is missing"),
        (lambda c: c.update(options={"colour": 1}), "options.colour: is no option of a training"),
        (lambda c: c.update(options={"vocab_size": "9"}), "options.vocab_size: should be a whole"),
        (lambda c: c.update(options={"special_tokens": ["a" * 257]}), "longer than 256 characters"),
        (lambda c: c.update(options={"special_tokens": ["a"] * 1001}), "more than 1,000 special"),
    ],
)
def test_a_broken_answer_file_is_refused_with_a_reason(
    tmp_path: Path, spoil: Spoil, told: str
) -> None:
    path = tmp_path / "a.json"
    sheet_of().write(path)
    content = json.loads(path.read_text())
    spoil(content)
    path.write_text(json.dumps(content))
    with pytest.raises(QuizFileError, match=told):
        AnswerSheet.read(path)


def test_an_answer_file_at_all_limits_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    first = Answered("tie", 0, tried=[0] * 100, seconds=999_999_999.9)
    for number, answers in ((100, [first] * 100), (1, [])):
        sheet = AnswerSheet(replace(PAPER, questions=number), "x" * 200, answers=answers)
        sheet.quiz = sheet.paper.code
        sheet.write(path, overwrite=True)
        assert AnswerSheet.read(path) == sheet
    read = json.loads(path.read_text())
    for seconds, known in ((1e9, -1), (-0.1, -1), (0, 0), (None, 0)):
        answered = {**read, "answers": [{**vars(first), "seconds": seconds}]}
        path.write_text(json.dumps(answered))
        assert AnswerSheet.read(path).answers[0].seconds == known
    with pytest.raises(QuizFileError, match="missing: cannot be read: No such file"):
        AnswerSheet.read(tmp_path / "missing")


@pytest.mark.parametrize(
    "data", [b"", b"{", b"[" * 100_000, b"\xff", b"null", b'{"format": 1e999}']
)
def test_a_foreign_file_does_not_stop_the_others(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "b.json").write_bytes(data)
    sheet_of().write(tmp_path / "a.json")
    sheet_of(learner="Wang").write(tmp_path / "c.json")
    paths = [tmp_path / name for name in ("a.json", "b.json", "missing.json", "c.json")]
    grades = grade_files(paths, lambda paper: recording())
    assert [each.path.name for each in grades.sheets] == ["a.json", "c.json"]
    assert [problem.split(":")[0] for problem in grades.problems] == [*map(str, paths[1:3])]


def test_grading_ignores_the_claims_of_a_file(tmp_path: Path) -> None:
    sheet = sheet_of()
    sheet.answers[0].right = False  # it is right
    sheet.answers[1].tried = [10**30, "x"]  # no answers at all
    sheet.answers[2].kind = "tie" if sheet.answers[2].kind != "tie" else "stale"
    sheet.write(tmp_path / "a.json")
    [result] = graded(tmp_path / "a.json").sheets
    assert result.at_first_try == len(sheet.answers) - 2
    assert [note[:60] for note in result.notes] == [
        "question 1: the file says not right at the first try; it is ",
        "question 2: it is neither yes nor no. Answer with y or n. No",
        "question 3: asks stale at step 5, and the file has 'tie' at ",
    ]


def test_another_seed_and_a_missing_corpus_are_reported(tmp_path: Path) -> None:
    sheet_of().write(tmp_path / "a.json")
    grades = graded(tmp_path / "a.json", seed="8")
    assert grades.others == [f"{tmp_path / 'a.json'}: is of seed '7', not of '8'"]

    def missing(paper: Paper) -> Timeline:
        raise QuizFileError("no such corpus here")

    grades = grade_files([tmp_path / "a.json"], missing)
    assert grades.problems == [f"{tmp_path / 'a.json'}: no such corpus here"]
    assert b"q1" not in grade_tables(grades, spell)[""]


CLASS = Paper("low.txt", "0" * 64, {"model": "bpe"}, "7", 6, ("tokens-left", "stale"))


def wrong_sheet(learner: str, answers: dict[int, Any], paper: Paper = CLASS) -> AnswerSheet:
    """Answer some questions wrongly at first, and all rightly then."""
    sheet = sheet_of(paper, learner)
    for place, wrong in answers.items():
        sheet.answers[place].tried.insert(0, wrong)
        sheet.answers[place].right = False
    return replace(sheet, id=f"id-{learner}")


def grade_sheets(tmp_path: Path, *sheets: AnswerSheet, **how: Any) -> Grades:
    paths = [tmp_path / f"{number}.json" for number in range(len(sheets))]
    for path, sheet in zip(paths, sheets, strict=True):
        sheet.write(path, overwrite=True)
    return grade_files(paths, lambda paper: recording(), **how)


def test_the_tables_of_a_class_are_those_of_its_sheet(tmp_path: Path) -> None:
    """The hardest questions and the most frequent mistakes are first; a run is trained once."""
    paper, trained = replace(CLASS, questions=3), list[Paper]()
    entries: dict[str, list[tuple[list[Any], bool, bool, float, bool]]] = {
        "=A": [([76], False, False, 8, True), ([85], True, False, 0.4, True)],
        "B": [([85, 76], False, False, 60.4, False), ([94], True, True, 30, False)],
        "C": [([85, 76], False, False, -5, False), ([85], False, False, 4, True)],
    }
    entries["D"] = [([77], False, False, 1, False)]  # left with a wrong answer
    entries["=A"].append(([True], False, False, 9, True))
    entries["B"].append(([False, True], False, False, 0, False))
    asked = ("tokens-left", 1), ("tokens-left", 0), ("stale", 1)
    for learner, answered in entries.items():
        answers = [Answered(*which, *entry) for which, entry in zip(asked, answered, strict=False)]
        sheet = AnswerSheet(paper, learner, answers=answers, id=f"id-{learner}")
        sheet.write(tmp_path / f"{learner}.json")

    def open_run(paper: Paper) -> Timeline:
        trained.append(paper)
        return recording()

    grades = grade_files(sorted(tmp_path.iterdir()), open_run)
    assert len(trained) == 1
    [quiz] = grades.quizzes
    lines = [f"medians: {quiz.medians}"]
    for suffix, content in grade_tables(grades, spell).items():
        assert content.startswith(b"\xef\xbb\xbf")
        lines += ["", suffix, *content.decode("utf-8-sig").split("\r\n")[:-1]]
    check_sheet("grades", lines)


def test_answers_to_another_quiz_are_in_no_table(tmp_path: Path) -> None:
    other = replace(CLASS, seed="8")
    edited = replace(wrong_sheet("b", {}), paper=replace(CLASS, options={"model": "unigram"}))
    edited.quiz = CLASS.code
    grades = grade_sheets(
        tmp_path, wrong_sheet("a", {}), edited, wrong_sheet("c", {}, other), papers=[CLASS]
    )
    [quiz] = grades.quizzes
    assert [each.sheet.learner for each in quiz.sheets] == ["a", "b"]
    assert quiz.sheets[1].notes == (
        "its options were edited: model 'unigram'; graded by the quiz file",
    )
    assert grades.others == [f"{tmp_path / '2.json'}: answers another quiz, with seed '8'"]
    many = replace(CLASS, questions=3)
    each_apart = grade_sheets(tmp_path, *(sheet_of(paper) for paper in (CLASS, other, many)))
    assert [len(each.sheets) for each in each_apart.quizzes] == [1, 1, 1]
    assert [each.name for each in each_apart.quizzes] == [
        f"low.txt, seed 7 ({CLASS.code})",
        "low.txt, seed 8",
        f"low.txt, seed 7 ({many.code})",
    ]


def test_differences_between_quizzes_are_named(tmp_path: Path) -> None:
    asked = replace(CLASS, options={"model": "bpe", "min_count": 2})
    given = {
        "model": "bpe",
        "pattern": "x" * 38,
        "tie_rule": "x" * 39,
        "special_tokens": ["a", "b"],
    }
    other = Paper("b.txt", "1" * 64, given, "8", 5)
    coded = AnswerSheet(asked, quiz="a code")
    grades = grade_sheets(tmp_path, AnswerSheet(other), coded, papers=[asked])
    assert grades.others == [
        f"{tmp_path / '0.json'}: answers another quiz, with another corpus, 'b.txt' and min-count "
        f"by default and pattern '{'x' * 38}' and tie-rule '{'x' * 38}… and special-tokens of 2 "
        "and seed '8' and 5 questions and the kinds of all questions"
    ]
    edited = "its options or its code were edited after the questions were asked"
    assert [each.notes for each in grades.sheets] == [(edited,)]


def test_answers_beyond_the_last_question_do_not_count(tmp_path: Path) -> None:
    sheet = sheet_of(replace(CLASS, questions=8, kinds=("make-merges",)))
    assert len(sheet.answers) == 2  # each is about several steps: no more are found
    sheet.answers += sheet.answers[:2]
    [read] = grade_sheets(tmp_path, sheet).sheets
    assert (len(read.attempts), read.at_first_try) == (2, 2)
    assert read.notes == ("question 3: this quiz has only 2 questions",)


def test_files_about_many_runs_are_not_all_graded(tmp_path: Path) -> None:
    papers = [replace(CLASS, questions=1, digest=f"{number:064}") for number in (*range(21), 0, 1)]
    grades = grade_sheets(tmp_path, *map(AnswerSheet, papers))
    assert len(grades.sheets) == 22
    assert grades.problems == [
        f"{tmp_path / '20.json'}: these files are about more than 20 runs; grade one quiz at a time"
    ]


@pytest.mark.parametrize(
    "name", ["=1+1", "+1", "-1", "@x", "\u202e=1", " =1", "＝1", '"=1', "|x", "%x"]
)
def test_no_cell_of_a_table_is_a_formula(tmp_path: Path, name: str) -> None:
    grades = grade_sheets(tmp_path, replace(sheet_of(CLASS, learner=name), id=name))
    table = grade_tables(grades, spell)[""].decode("utf-8-sig")
    [row] = csv.DictReader(StringIO(table))
    assert (row["learner"][0], row["id"][0]) == ("'", "'")


def test_copies_and_later_attempts_are_named_and_not_counted(tmp_path: Path) -> None:
    first = sheet_of(CLASS, learner="Li")
    first.id, first.started = "7", "2026-01-01T10:00"
    first.learner = f"Li\n{'x' * 300}"
    later, other = replace(first, started="2026-01-01T11:00"), replace(first, learner="Wang")
    for name, sheet in {"b": later, "a": first, "a (1)": first, "c": other}.items():
        sheet.write(tmp_path / f"{name}.json")
    grades = grade_files(sorted(tmp_path.iterdir()), lambda paper: recording())
    assert [each.path.name for each in grades.sheets] == ["a.json", "c.json"]
    assert [line.rpartition("/")[2] for line in grades.others] == [
        "a (1).json: is a copy of a.json, not counted",
        "b.json: is a later attempt of the learner of a.json, not counted",
    ]
    assert [each.notes for each in grades.sheets] == [("the ID 7 is another learner's, too",)] * 2
    assert grades.sheets[0].sheet.learner.startswith("Li")
    assert len(grades.sheets[0].sheet.learner) == 200
