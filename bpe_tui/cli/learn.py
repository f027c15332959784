"""`bpe-tui learn`: lessons beside the live screen, or as text; checked and printed for authors."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from bpe_tui.cli.console import BAD_INPUT, PROGRAM
from bpe_tui.cli.options import OUTPUT
from bpe_tui.cli.program import GroupedHelp, app, examples
from bpe_tui.cli.screen import open_screen
from bpe_tui.session.lessons import (
    ENGLISH,
    Progress,
    all_progress,
    builtin_lessons,
    key_of,
    languages,
    next_lesson,
    numbered_lesson,
)
from bpe_tui.widgets.visible import visible_text
from engine.learning.lesson import Lesson, LessonError
from engine.learning.lesson_file import read_lesson


@app.command(
    "learn",
    cls=GroupedHelp,
    epilog=examples(
        f"{PROGRAM} learn --list",
        f"{PROGRAM} learn 3",
        f"{PROGRAM} learn 1 --language zh",
        f"{PROGRAM} learn 3 --plain",
        f"{PROGRAM} learn my-lesson.md --check",
        f"{PROGRAM} learn my-lesson.md --print > handout.md",
    ),
)
def learn(
    lesson: Annotated[
        str | None,
        typer.Argument(
            metavar="[N|FILE]",
            help="A lesson by its number, or a file of yours. By default the first not done.",
            show_default=False,
        ),
    ] = None,
    show_list: Annotated[
        bool, typer.Option("--list", help="Name the lessons.", rich_help_panel=OUTPUT)
    ] = False,
    check: Annotated[
        bool,
        typer.Option(
            "--check",
            help="Say what is wrong in the lesson, as FILE:LINE: …, and end.",
            rich_help_panel=OUTPUT,
        ),
    ] = False,
    handout: Annotated[
        bool,
        typer.Option(
            "--print",
            help="Print the lesson in Markdown, with what the screen shows.",
            rich_help_panel=OUTPUT,
        ),
    ] = False,
    plain: Annotated[
        bool,
        typer.Option(
            "--plain",
            help="No screen: read the lesson as text, answer by typing.",
            rich_help_panel=OUTPUT,
        ),
    ] = False,
    language: Annotated[
        str,
        typer.Option("--language", metavar="NAME", help=f"One of: {', '.join(languages())}."),
    ] = ENGLISH,
) -> None:
    """Learn with lessons: a text beside the live screen, and questions."""
    lessons = builtin_lessons(language)
    progress = all_progress()
    if show_list:
        for each in lessons:
            mark = progress.get(key_of(each.path), Progress()).mark
            print(f"{each.number:>2} {mark:<2}{visible_text(each.title, spaces=False)}")
        return
    path = _path(lesson, language)
    if check:
        raise typer.Exit(_check(path))
    found = read_lesson(path)  # what is wrong in it is told before the screen is there
    if handout:
        print(asyncio.run(_handout(found)), end="")
        return
    if plain:
        from bpe_tui.cli.plain_lesson import PlainLesson  # numpy is slow to import

        PlainLesson(found).tell()
        return
    raise typer.Exit(open_screen(None, path))


async def _handout(lesson: Lesson) -> str:
    from bpe_tui.app.lesson_author import handout  # slow to import

    return "".join([part async for part in handout(lesson)])


def _check(path: Path) -> int:
    """Print what is wrong in a lesson; the exit code."""
    from bpe_tui.app.lesson_author import problems_of  # slow to import

    try:
        problems = problems_of(read_lesson(path))
    except LessonError as error:
        problems = list(error.problems)
    for problem in problems:
        print(visible_text(f"{path}:{problem.line}: {problem.message}", spaces=False))
    return BAD_INPUT if problems else 0


def _path(lesson: str | None, language: str) -> Path:
    """The file of a lesson that is named by its number or its path."""
    if lesson is None:
        return next_lesson(language).path
    named = None if Path(lesson).exists() else numbered_lesson(lesson, language)
    return named or Path(lesson)
