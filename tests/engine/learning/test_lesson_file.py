"""Lesson files: the content of scenes, and the reports of mistakes."""

import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sheets import SHEETS, check_sheet

from engine.learning.lesson import LARGEST_CORPUS, Lesson, LessonError, Paragraph
from engine.learning.lesson_file import (
    LARGEST,
    LARGEST_BLOCK,
    MOST_KEYS,
    MOST_LINES,
    MOST_QUESTIONS,
    MOST_SCENES,
    parse_lesson,
    read_head,
    read_lesson,
)

HERE = Path("/lessons/a.md")
LESSONS = SHEETS / "lessons"
TEXT = (LESSONS / "ties.md").read_text("utf-8")


def lesson(text: str = TEXT) -> Lesson:
    return parse_lesson(text, HERE)


def wrong(text: str) -> list[str]:
    """Return the mistakes as `line: message`."""
    with pytest.raises(LessonError) as told:
        parse_lesson(text, HERE)
    return [f"{line}: {message}" for line, message in told.value.problems]


def read_aloud(text: str, path: Path) -> Iterator[str]:
    """Yield all that a lesson has, or its mistakes."""
    try:
        read = parse_lesson(text, HERE)
    except LessonError as error:
        yield str(error).removeprefix(str(HERE))
        yield from (f"{line}: {message}" for line, message in error.problems)
        return
    yield f"{read_head(path)} {read.options} {read.lines}"
    yield f"{sorted(read.questions)} {[*read.kinds]}"
    for scene in read.scenes:
        yield f"\n{scene.title!r}, line {scene.line}, {read.options_of(scene)}"
        yield from (f"  {p.mark:2} {p.is_code:d} {p.words}" for p in scene.paragraphs)
        yield from (f"  {part}" for part in (repr(scene.markdown), scene.show, *scene.asks))


@pytest.mark.parametrize("path", sorted(LESSONS.glob("*.md")), ids=lambda path: path.stem)
def test_a_lesson_is_read_as_its_sheet_says(path: Path) -> None:
    check_sheet(f"lessons/{path.stem}", read_aloud(path.read_text("utf-8"), path))


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("view =", "vew =", "17: unknown key of show 'vew'; did you mean 'view'?"),
        ("tie-rule", "tierule", "4: unknown key 'tierule'; did you mean 'tie-rule'?"),
        ('"none"', '"nona"', "19: unknown pattern 'nona'; did you mean 'none'?"),
        ('title = "Ties"', 'title = ""', '2: title should be a text, such as "low"'),
        ("step = 3", "step 3", "18: expected '=' after a key"),
        ("step = 3", 'text = """low', "20: unterminated string; a line here is like step = 3"),
        ('title = "Ties"\n', "", "1: the lesson has no title"),
        ("+++\n## Count", "## Count", "1: nothing ends what +++ begins"),
        ('view = "training"', '"vi\\u0065w" = 3', '17: view should be a text, such as "low"'),
        ("## ", "# ", "6: there is no scene; a line like `## Count` begins one"),
    ],
)
def test_a_mistake_is_reported_with_its_line_and_a_remedy(old: str, new: str, told: str) -> None:
    assert any(each.startswith(told) for each in wrong(TEXT.replace(old, new)))


@pytest.mark.parametrize("end", ["\r\n", "\r"])
def test_every_line_end_of_markdown_ends_a_line(end: str, tmp_path: Path) -> None:
    assert lesson(TEXT.replace("\n", end)) == lesson()
    alone = (line for line in TEXT.split("\n") if f"{line}\n\n" not in TEXT)
    for line in alone:  # one other end among usual ones: no fence leaks
        assert lesson(TEXT.replace(f"{line}\n", f"{line}{end}", 1)) == lesson()
    path = tmp_path / "a.md"
    path.write_text(TEXT.replace("\n", end), newline="")
    assert read_head(path).scenes == ("Count", "Your turn")


def test_all_line_ends_count_as_lines(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_bytes(b"\r" * 20_000)
    with pytest.raises(LessonError, match="more than 10,000 lines"):
        read_lesson(path)
    path.write_bytes(b"+++\r# a\r\xff")
    with pytest.raises(LessonError, match=":3: is no UTF-8"):
        read_lesson(path)
    with pytest.raises(LessonError, match=":1: cannot be read: Is a directory"):
        read_lesson(tmp_path)
    path.write_text(TEXT.replace('title = "Ties"', ""))
    with pytest.raises(LessonError, match=":1: the lesson has no title"):
        read_head(path)


@given(st.text(max_size=300))
def test_any_text_is_a_lesson_or_our_error(text: str) -> None:
    for each in (text, TEXT.replace("Which", text), TEXT.replace("step = 3", text)):
        with suppress(LessonError):
            assert all(isinstance(p, Paragraph) for s in lesson(each).scenes for p in s.paragraphs)


HEAD = '+++\ntitle = "A"\ncorpus = "a.txt"\n+++\n'
ASK = '```ask\nkind = "tie"\n'


@pytest.mark.parametrize(
    ("make", "most", "told"),
    [
        (lambda n: "## A" + "\n" * (n - 4), MOST_LINES, "has more than 10,000 lines"),
        (lambda n: "## A\n".ljust(n - len(HEAD)), LARGEST, "is larger than 256 KB"),
        (lambda n: "## A\n" * n, MOST_SCENES, ":105: a lesson has 100 scenes at the most"),
        (lambda n: "## A\n" + f"{ASK}```\n" * n, MOST_QUESTIONS, ":5: a scene has 50 questions"),
        (lambda n: f"## A\n{ASK}steps = {[0] * n}\n```", MOST_QUESTIONS, ":8: steps should be"),
        (lambda n: f"## A\n```show\n{'#' * (n - 1)}\n```", LARGEST_BLOCK, ":6: .* more than 8 KB"),
        (lambda n: f"## A\n```show\nsee = {['a'] * n}\n```", MOST_SCENES, ":7: see should be"),
    ],
)
def test_a_lesson_is_of_bounded_size(
    make: Callable[[int], str], most: int, told: str, tmp_path: Path
) -> None:
    path = tmp_path / "a.md"
    path.write_text(HEAD + make(most), "utf-8")
    read_lesson(path)
    path.write_text(HEAD + make(most + 1), "utf-8")
    with pytest.raises(LessonError, match=told):
        read_lesson(path)


def test_a_block_has_a_hundred_keys_at_most() -> None:
    keys = [f"a{number} = 1\n" for number in range(MOST_KEYS + 1)]
    assert len(wrong(f"{HEAD}## A\n```show\n{''.join(keys[1:])}```")) == MOST_KEYS
    too_many = ["6: this block has 101 keys; 100 is the most"]
    assert wrong(f"{HEAD}## A\n```show\n{''.join(keys)}```") == too_many


def test_a_lesson_opens_files_of_its_own_folder_only(tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("no")
    folder = tmp_path / "course"
    (folder / "texts").mkdir(parents=True)
    (folder / "texts" / "a.txt").write_text("low")
    (folder / "link.txt").symlink_to(tmp_path / "secret.txt")
    (folder / "packed.gz").write_text("low")
    with (folder / "large.txt").open("wb") as large:
        os.truncate(large.fileno(), LARGEST_CORPUS + 1)
    with (folder / "largest.txt").open("wb") as largest:
        os.truncate(largest.fileno(), LARGEST_CORPUS)
    told = parse_lesson(TEXT, folder / "lesson.md")
    assert told.file("largest.txt").stat().st_size == LARGEST_CORPUS
    assert told.file("texts/a.txt") == (folder / "texts" / "a.txt").resolve()
    for name, why in {
        "../secret.txt": "outside",
        "link.txt": "outside",
        str(folder / "texts" / "a.txt"): "outside",
        "gone.txt": "not there",
        "texts": "not there",
        "a\0b": "no file",
        "large.txt": "large",
        "packed.gz": "packed",
    }.items():
        with pytest.raises(LessonError, match=why) as error:
            told.file(name)
        assert error.value.problems[0].line == 3
    with pytest.raises(LessonError, match=":1: 'gone"):
        replace(told, lines={}).file("gone.txt")
