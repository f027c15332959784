"""A quiz file holds what a lecturer has fixed; a hostile one is refused with one sentence."""

from hashlib import sha256
from pathlib import Path

import pytest

from engine import QuizFileError
from engine.learning.file_values import KnownFile
from engine.learning.quiz import Paper
from engine.learning.quiz_file import LARGEST, QuizFile, corpus_beside, is_quiz_file, read_quiz_file

CORPUS = b"low lower lowest"
DIGEST = sha256(CORPUS).hexdigest()
OPTIONS = {
    "model": "bpe",
    "special_tokens": ["<|end|>", 'a "quoted"\x7f \\ token\n'],
    "pattern": r"\w+|\s",
    "min_count": 1,
    "vocab_size": None,
}
PAPER = Paper("low.txt", DIGEST, OPTIONS, 'Ł "7"', 5, ("stale", "tie"))
QUIZ = QuizFile(PAPER, KnownFile("texts/low.txt", len(CORPUS), DIGEST), asks_id=True)


def test_a_written_quiz_file_reads_back_as_the_same_quiz(tmp_path: Path) -> None:
    path = tmp_path / "quiz.toml"
    QUIZ.write(path)
    again = read_quiz_file(path)
    assert again.paper.key == PAPER.key
    assert again.paper.code == PAPER.code
    assert (again.paper.seed, again.paper.kinds) == (PAPER.seed, PAPER.kinds)
    assert (again.corpus, again.asks_id) == (QUIZ.corpus, True)
    assert is_quiz_file(str(path))
    path.rename(tmp_path / "quiz.txt")
    assert is_quiz_file(str(tmp_path / "quiz.txt"))  # by its first key


def test_the_corpus_is_found_below_the_file_beside_it_or_elsewhere(tmp_path: Path) -> None:
    with pytest.raises(QuizFileError, match=r"its corpus 'low.txt' is not there"):
        QUIZ.find_corpus(tmp_path)
    beside, below = tmp_path / "low.txt", tmp_path / "texts" / "low.txt"
    sample = tmp_path / "samples" / "low.txt"
    sample.parent.mkdir()
    sample.write_bytes(CORPUS)
    (tmp_path / "other.txt").write_bytes(CORPUS)
    assert QUIZ.find_corpus(tmp_path, [tmp_path / "other.txt", sample]) == sample
    beside.write_bytes(CORPUS)
    assert QUIZ.find_corpus(tmp_path) == beside
    below.parent.mkdir()
    below.write_bytes(CORPUS)
    assert QUIZ.find_corpus(tmp_path) == below
    below.write_bytes(CORPUS.upper())
    assert QUIZ.find_corpus(tmp_path) == beside
    beside.unlink()
    with pytest.raises(QuizFileError, match="is not the corpus of this quiz, it has changed"):
        QUIZ.find_corpus(tmp_path)


def test_a_quiz_file_names_its_corpus_by_the_path_below_it_or_by_its_name() -> None:
    assert corpus_beside("/course/texts/low.txt", Path("/course")) == "texts/low.txt"
    assert corpus_beside("/low.txt", Path("/course")) == "low.txt"


GOOD = QUIZ.as_toml()


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"texts/low.txt"', '"../low.txt"', "is outside the folder of the quiz"),
        ('"texts/low.txt"', '"texts/../../low.txt"', "is outside the folder of the quiz"),
        ('"texts/low.txt"', '"..\\\\low.txt"', "is outside the folder of the quiz"),
        ('"texts/low.txt"', '"/etc/passwd"', "is outside the folder of the quiz"),
        ('"texts/low.txt"', '"low\\u001b.txt"', "corpus: has a control character"),
        ('"texts/low.txt"', '""', "no file can be called"),
        ('"texts/low.txt"', "3", "corpus: should be a text, and is a whole number"),
        ('"texts/low.txt"', "1979-05-27", "corpus: should be a text, and is something else"),
        ('["stale", "tie"]', '["stale", "cut"]', "kinds: unknown kind 'cut'; there are: next"),
        ('["stale", "tie"]', '"stale"', "kinds: should be a list, and is a text"),
        ('["stale", "tie"]', "[[1]]", "should be a text, and is a list"),
        ("questions = 5", "questions = 0", "questions: is not between 1 and 100"),
        ("questions = 5", "questions = 101", "questions: is not between 1 and 100"),
        ('"texts/low.txt"', f'"{"a" * 201}"', f"no file can be called '{'a' * 60}'"),
        ("seed = ", f"seed = '{'7' * 201}'\n#", "seed: is longer than 200 characters"),
        ("pattern = ", f"pattern = '{'a' * 4097}'\n#", "pattern: is longer than 4,096 characters"),
        ("questions = 5", f"questions = {10**30}", "questions: is not between 1 and 100"),
        ("questions = 5", f"questions = {'9' * 5000}", "is no valid TOML"),
        ("questions = 5", "questions = inf", "questions: should be a whole number"),
        ("questions = 5", "", "questions: is missing"),
        ("min-count = 1", "min-count = -1", "min-count: should not be negative"),
        ("min-count = 1", "min_count = 1", "min_count: is no key of a quiz; there are: "),
        ("ask-id = true", "ask-id = 1", "ask-id: should be true or false"),
        ("ask-id = true", f"x = {'[' * 3000}", "is no valid TOML: it is too deep"),
        ("ask-id = true", f"{'a.' * 3000}b = 1", "a: is no key of a quiz"),
        ("ask-id = true", f"# {'x' * 9000}", "is larger than any quiz file"),
        ('"bpe-tui quiz" = 1', '"bpe-tui quiz" = 2', "is of version 2, and this program reads 1"),
        ('"bpe-tui quiz" = 1', "", "is no quiz file; write one with: bpe-tui quiz"),
    ],
)
def test_a_hostile_quiz_file_is_refused_with_one_sentence(
    tmp_path: Path, old: str, new: str, message: str
) -> None:
    assert old in GOOD
    path = tmp_path / "quiz.toml"
    path.write_text(GOOD.replace(old, new, 1))
    with pytest.raises(QuizFileError) as refused:
        read_quiz_file(path)
    said = str(refused.value)
    assert said.startswith(f"{path}: ")
    assert message in said
    assert "\n" not in said
    assert len(said) < 500


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("questions = 5", "questions = 1"),
        ("questions = 5", "questions = 100"),
        ('"texts/low.txt"', f'"{"a" * 200}"'),
        ("seed = ", f"seed = '{'7' * 200}'\n#"),
        ("pattern = ", f"pattern = '{'a' * 4096}'\n#"),
        ("ask-id = true\n", "#".ljust(LARGEST - len(GOOD.encode()) + 14)),
    ],
)
def test_a_quiz_at_a_limit_is_read(tmp_path: Path, old: str, new: str) -> None:
    assert old in GOOD
    path = tmp_path / "quiz.toml"
    path.write_bytes(GOOD.replace(old, new, 1).encode())
    read_quiz_file(path)


@pytest.mark.parametrize("data", [b"", b"\xff\xfe", b"\x00", b"[" * 8000, b"= = ="])
def test_any_other_file_is_no_quiz(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "quiz.toml"
    path.write_bytes(data)
    with pytest.raises(QuizFileError):
        read_quiz_file(path)


def test_a_quiz_file_that_could_not_be_opened_again_is_not_written(tmp_path: Path) -> None:
    paper = Paper("low.txt", DIGEST, {"pattern": "a" * 9000}, "7", 5)
    with pytest.raises(QuizFileError, match="is larger than any quiz file"):
        QuizFile(paper, QUIZ.corpus).write(tmp_path / "quiz.toml")
    assert not (tmp_path / "quiz.toml").exists()
