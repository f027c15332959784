"""A quiz, on the screen and without, from the command line to the table of grades."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from program import refusal, run
from textual.widgets import Static
from tiny_tokenizers import LOW, timeline_of

from bpe_tui.app.base import SingleScreenApp
from bpe_tui.cli.quiz import AnswerKeeper
from bpe_tui.lessons.asking import QuizScreen
from bpe_tui.lessons.question_panel import QuestionPanel
from bpe_tui.widgets.fields import Field
from engine import ask
from engine.core.errors import BpeError
from engine.learning.questions.question import Attempt
from engine.learning.quiz import AnswerSheet, Paper

SAMPLES = Path(__file__).parents[3] / "samples"
HANDOUT = SAMPLES / "handout.txt"
SOON = ("--kinds", "stale,tokens-left")
"""Kinds of which so small a corpus has fair questions: none is searched for long."""
QUIZ = ("--pattern", "whitespace", "--questions", "4", "--plain", "--seed", "7", *SOON)


def quiz(out: Path, lines: Sequence[str], *options: str) -> str:
    stdin = "\n".join(lines).encode()
    result = run("quiz", HANDOUT, "--out", out, *QUIZ, *options, stdin=stdin)
    assert result.returncode == 0, result.stderr
    return result.stdout.decode()


def test_a_quiz_without_a_screen_is_graded_into_tables(tmp_path: Path) -> None:
    said = quiz(tmp_path / "a.json", ["show"] * 4, "--name", "Li")
    assert "Question 1 of 4" in said
    assert said.splitlines()[-1] == "0 of 4 at the first try."
    quiz(tmp_path / "b.json", ["show", "show"])  # the input ends early
    assert len(json.loads((tmp_path / "b.json").read_text())["answers"]) == 2
    (tmp_path / "c.json").write_text("{")
    out = tmp_path / "grades.csv"
    files = [tmp_path / name for name in ("a.json", "b.json", "c.json")]
    result = run("grade", *files, "--out", out)
    assert result.returncode == 2  # one of them could not be graded
    assert b"c.json: is no JSON, or cut short" in result.stderr
    assert f"2 files graded\nwritten: {out}, {tmp_path}/grades-answers" in result.stdout.decode()
    assert len(out.read_text().splitlines()) == 3
    assert len((tmp_path / "grades-questions.csv").read_text().splitlines()) == 5
    assert b"is there already; give --force" in run("grade", *files, "--out", out).stderr


def test_nothing_to_grade_is_no_result_and_one_impossible_file_spoils_no_other(
    tmp_path: Path,
) -> None:
    (tmp_path / "c.json").write_text("{")
    result = run("grade", tmp_path / "c.json")
    assert (result.returncode, result.stdout) == (2, b"")
    assert result.stderr.endswith(b"\n0 files graded\n")
    good, bad = tmp_path / "li.json", tmp_path / "mo.json"
    quiz(good, ["show"] * 4, "--name", "Li")
    bad.write_text(good.read_text().replace('"vocab_size": null', f'"vocab_size": {2**63 + 300}'))
    graded = run("grade", bad, good, "--corpus", HANDOUT)
    assert b"1 file graded" in graded.stdout
    assert b"at most 2,147,483,647 tokens" in graded.stderr


def test_a_file_of_answers_opens_no_corpus_of_its_own(tmp_path: Path) -> None:
    quiz(tmp_path / "a.json", ["show"] * 4)
    content = json.loads((tmp_path / "a.json").read_text())
    content["corpus"]["name"] = "/etc/passwd"
    (tmp_path / "a.json").write_text(json.dumps(content))
    assert (
        b"a.json: is about a corpus 'passwd' that is not here"
        in run("grade", tmp_path / "a.json").stderr
    )
    content["corpus"]["name"] = HANDOUT.name
    content["options"]["vocab_size"] = "10"
    (tmp_path / "a.json").write_text(json.dumps(content))
    assert (
        b"options.vocab_size: should be a whole number" in run("grade", tmp_path / "a.json").stderr
    )


def test_an_answer_is_kept_with_its_seconds_as_soon_as_its_question_is_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now, made = [100.0], timeline_of(LOW)
    monkeypatch.setattr("bpe_tui.cli.quiz.monotonic", lambda: now[0])
    sheet = AnswerSheet(Paper("low.txt", "0" * 64, {}, "7", 2))
    keeper = AnswerKeeper(sheet, tmp_path / "a\x1b.json", began=100.0)
    assert keeper.describe_rest(2) == "Answered: none of 2, so no file was written."
    for seconds in (5, 7):
        now[0] += seconds
        keeper.keep(Attempt(ask("next-pair", made.seek(1))))
    answers = json.loads(keeper.out.read_text())["answers"]
    assert [each["seconds"] for each in answers] == [5, 7]
    assert keeper.describe_rest(2) == f"Answered: 2 of 2, kept in {tmp_path}/a␛.json."


# -- the quiz file of a lecturer


def write_quiz(folder: Path, *options: str) -> Path:
    """Write `quiz.toml` about a copy of the handout beside it."""
    (folder / "handout.txt").write_bytes(HANDOUT.read_bytes())
    how = ("--pattern", "whitespace", "--questions", "4", *(options or SOON))
    result = run("quiz", "handout.txt", *how, "--write", "quiz.toml", cwd=folder)
    assert result.returncode == 0, result.stderr
    return folder / "quiz.toml"


def test_a_quiz_file_asks_the_same_in_any_folder(tmp_path: Path) -> None:
    asked = []
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        path = write_quiz(tmp_path / name, "--seed", "7", "--lessons", "1,17-18", "--ask-id")
        said = run("quiz", path, "--out", tmp_path / f"{name}.json", "--plain", stdin=b"Li\n42\n")
        asked.append(said.stdout)
    assert asked[0] == asked[1]
    assert asked[0].startswith(b"Your name?\nYour ID?\nQuestion 1 of ")
    kinds = 'kinds = ["fewer", "count-change", "make-merges", "stale"]'
    assert kinds in (tmp_path / "a" / "quiz.toml").read_text()


def test_a_corpus_that_is_not_beside_the_quiz_file_is_to_be_given_too(tmp_path: Path) -> None:
    (tmp_path / "low.txt").write_bytes(HANDOUT.read_bytes())
    (tmp_path / "class").mkdir()
    note = b"bpe-tui: note: give low.txt to your class, too, in the same folder\n"
    for corpus, place, said in (
        ("low.txt", "a.toml", b""),
        ("low.txt", "class/a.toml", note),
        ("samples/handout.txt", "class/b.toml", b""),
    ):
        done = run("quiz", corpus, "--questions", "1", "--write", place, cwd=tmp_path)
        assert done.stderr == b"Reading %s.\n%s" % (Path(corpus).name.encode(), said)


def test_the_corpus_of_a_quiz_file_may_not_change(tmp_path: Path) -> None:
    path, out = write_quiz(tmp_path), tmp_path / "a.json"
    (tmp_path / "handout.txt").write_text("low")
    refused = refusal(run("quiz", path, "--out", out, "--plain"))
    assert "has changed since the quiz was written" in refused
    assert not out.exists()


def test_a_class_is_graded_by_the_quiz_file_alone(tmp_path: Path) -> None:
    path, other = write_quiz(tmp_path), tmp_path / "o.json"
    for name in ("a", "b"):
        out = ("--plain", "--name", name, "--id", "=4711", "--out", tmp_path / f"{name}.json")
        run("quiz", path, *out, stdin=b"999\nn\nskip\n" * 9)
    edited = (tmp_path / "b.json").read_text().replace('"whitespace"', '"gpt2"')
    (tmp_path / "b.json").write_text(edited)
    run("quiz", HANDOUT, "--seed", "8", "--plain", "--out", other, *SOON, stdin=b"skip\n")
    (tmp_path / "handout.txt").rename(tmp_path / "moved.txt")  # the sample has its digest
    files, csv = [tmp_path / "a.json", tmp_path / "b.json", other], tmp_path / "g.csv"
    graded = run("grade", "--quiz", path, *files, "--out", csv)
    said = graded.stdout.decode()
    assert graded.returncode == 2
    assert "handout.txt, seed 1: 2 files\n" in said
    assert "b.json: its options were edited: pattern 'gpt2'; graded by the quiz file" in said
    assert "stale: took a stale entry for true (question" in said
    assert "o.json: answers another quiz, with pattern 'gpt2' and seed '8' and" in said
    assert "2 files graded" in said
    rows = csv.read_text("utf-8-sig").splitlines()
    assert rows[1].startswith("a.json,a,'=4711,")
    assert len(rows) == 3
    for name in ("answers", "questions", "mistakes"):
        assert (tmp_path / f"g-{name}.csv").read_bytes().startswith(b"\xef\xbb\xbf")


async def test_a_quiz_on_the_screen_asks_who_answers_and_says_that_an_answer_is_not_kept() -> None:
    def keep(_: Attempt) -> None:
        raise BpeError("the disk [b] is\tfull")

    asked = [ask("next-pair", timeline_of(LOW).seek(1))]
    sheet = AnswerSheet(Paper("low.txt", "0" * 64, {}, "7", 1), learner="L\x1b")
    app = SingleScreenApp(lambda: QuizScreen(asked, keep, "low [b]\t", sheet))
    async with app.run_test(size=(80, 24)) as pilot:
        screen = pilot.app.screen
        panel, note = screen.query_one(QuestionPanel), screen.query_one("#note", Static)
        assert [field.value for field in screen.query(Field)] == ["L␛", ""]
        await pilot.press("space", "enter")
        assert not panel.display  # the ID is needed, too
        assert str(screen.query_one("#heading", Static).render()) == "low [b]⇥"
        assert str(note.render()) == "Enter goes on; Ctrl+Q leaves"
        assert note.content_region.height == 1  # it was a box without a line
        await pilot.press("4", "2", "enter")
        assert (sheet.learner, sheet.id, panel.has_focus) == ("L␛", "42", True)
        assert not screen.query("#who")
        assert str(note.render()) == "Ctrl+Q leaves; what is answered is kept"
        await pilot.press("exclamation_mark")
        assert str(note.render()) == "the disk [b] is⇥full"
