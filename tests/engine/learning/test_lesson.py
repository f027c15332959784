"""Lesson files: the content of scenes, and the reports of mistakes."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.learning.lesson import LARGEST_CORPUS, Lesson, LessonError, Paragraph
from engine.learning.lesson_file import LARGEST, parse_lesson, read_head, read_lesson

HERE = Path("/lessons/a.md")
TEXT = """+++
title = "Ties"
corpus = "handout.txt"
tie-rule = "first-seen"
+++
## Count
Which two **stand** side by
side `here`? <b>Not</b> [a link](http://x).

1. one
2. two

```sh
ls [b]
```
```show
view = "training"
step = 3
pattern = "none"
```
## Your turn
```ask
kind = "tie"
steps = [0, 2]
seed = 7
```
"""


def lesson(text: str = TEXT) -> Lesson:
    return parse_lesson(text, HERE)


def wrong(text: str) -> list[str]:
    """Return the mistakes as `line: message`."""
    with pytest.raises(LessonError) as told:
        parse_lesson(text, HERE)
    return [f"{line}: {message}" for line, message in told.value.problems]


def test_a_heading_begins_a_scene_with_its_text_and_its_setup() -> None:
    count, turn = lesson().scenes
    assert (count.title, count.line, turn.line) == ("Count", 6, 21)
    assert count.show is not None
    assert (count.show.view, count.show.step, count.show.text) == ("training", 3, None)
    said = ["Which two stand side by side here? <b>Not</b> a link.", "one", "two", "ls [b]"]
    assert [paragraph.text for paragraph in count.paragraphs] == said
    assert [paragraph.mark for paragraph in count.paragraphs] == ["", "1.", "2.", ""]
    assert ("stand", "strong") in count.paragraphs[0].words
    assert ("here", "code") in count.paragraphs[0].words
    assert "```show" not in count.markdown
    assert "```sh" in count.markdown


def test_a_scene_may_show_another_run_than_its_lesson() -> None:
    told = lesson()
    assert told.options_of(told.scenes[0])["pattern"] == "none"
    assert "pattern" not in told.options_of(told.scenes[1])


def test_a_block_asks_one_question_at_each_of_its_steps() -> None:
    asked = lesson().scenes[1].asks
    assert [(ask.kind, ask.step, ask.seed) for ask in asked] == [("tie", 0, "7"), ("tie", 2, "7")]
    assert lesson().questions == {"1.0", "1.1"}


def test_lines_of_chinese_are_joined_without_a_blank() -> None:
    told = lesson(TEXT.replace("Which two **stand** side by\nside", "字节\n是数字。\nword\nword"))
    assert told.scenes[0].paragraphs[0].text.startswith("字节是数字。 word word")


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("view =", "vew =", "17: unknown key of show 'vew'; did you mean 'view'?"),
        ("tie-rule", "tierule", "4: unknown key 'tierule'; did you mean 'tie-rule'?"),
        ('"none"', '"nona"', "19: unknown pattern 'nona'; did you mean 'none'?"),
        ("step = 3", "step = -3", "18: step should be a whole number, such as 3"),
        ('view = "training"', "view = 3", '17: view should be a text, such as "low"'),
        ('title = "Ties"', 'title = ""', '2: title should be a text, such as "low"'),
        ("step = 3", "step 3", "18: expected '=' after a key"),
        ('kind = "tie"', 'kind = "tye"', "23: unknown kind of question 'tye'; did you mean 'tie'?"),
        ('kind = "tie"', "", '22: the question has no kind; say kind = "next-pair"'),
        ("## Count\n", "", "6: this comes before the first scene"),
        ('title = "Ties"\n', "", "1: the lesson has no title"),
        ('corpus = "handout.txt"\n', "", "1: the lesson names nothing to show"),
        ("+++\n## Count", "## Count", "1: nothing ends what +++ begins"),
        (
            '```show\nview = "training"',
            '```show\n```\n```show\nview = "x"',
            "18: a scene shows one",
        ),
    ],
)
def test_a_mistake_is_reported_with_its_line_and_a_remedy(old: str, new: str, told: str) -> None:
    assert any(each.startswith(told) for each in wrong(TEXT.replace(old, new)))


def test_all_mistakes_are_reported_at_once() -> None:
    told = wrong(TEXT.replace("view =", "vew =").replace("tie-rule", "tierule"))
    assert [each.split(":")[0] for each in told] == ["4", "17"]


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


@given(st.text(max_size=300))
def test_any_text_is_a_lesson_or_our_error(text: str) -> None:
    for each in (text, TEXT.replace("Which", text), TEXT.replace("step = 3", text)):
        with suppress(LessonError):
            assert all(isinstance(p, Paragraph) for s in lesson(each).scenes for p in s.paragraphs)


def test_a_lesson_is_of_bounded_size_and_utf_8(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_text(TEXT, "utf-8")
    assert read_lesson(path).title == read_head(path).title == "Ties"
    for content, told in ((b"+" * (LARGEST + 1), "is larger"), (b"+++\n\xff", ":2: is no UTF-8")):
        path.write_bytes(content)
        with pytest.raises(LessonError, match=told):
            read_lesson(path)
    with pytest.raises(LessonError, match="cannot be read"):
        read_lesson(tmp_path)


def test_a_lesson_opens_files_of_its_own_folder_only(tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("no")
    folder = tmp_path / "course"
    (folder / "texts").mkdir(parents=True)
    (folder / "texts" / "a.txt").write_text("low")
    (folder / "link.txt").symlink_to(tmp_path / "secret.txt")
    (folder / "packed.gz").write_text("low")
    with (folder / "large.txt").open("wb") as large:
        os.truncate(large.fileno(), LARGEST_CORPUS + 1)
    told = parse_lesson(TEXT, folder / "lesson.md")
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
