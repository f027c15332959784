"""`bpe-tui learn`: lessons beside the live screen, or as text; checked and printed for authors."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from bpe_tui.cli import console, inputs, options
from bpe_tui.cli.declared import command, examples
from bpe_tui.cli.plain import ask_until_over, lines_typed, transcript_of
from bpe_tui.lessons.beside import with_tokens_beside
from bpe_tui.session import languages, lessons
from bpe_tui.session.config import Config
from bpe_tui.widgets.language import current_table, spoken, tr, visible_message
from bpe_tui.widgets.visible import visible_prose, visible_text
from bpe_tui.words.transcript import AnyTranscript, PlainQuestion
from engine.core.errors import QuestionError
from engine.learning.lesson import Lesson, LessonError, LessonProblem, Scene
from engine.learning.lesson_file import read_lesson
from engine.learning.questions import ask
from engine.learning.questions.question import Attempt, Question

AGAIN = ("r", "another")
"""Words that ask for another example."""
GO_ON = "An empty line goes on; or type a command of the stepper, such as help; quit leaves."


class PlainLesson:
    """A lesson as text on standard output, with answers and commands from standard input."""

    def __init__(self, lesson: Lesson) -> None:
        self._lesson = lesson
        self._lines = lines_typed()
        self._opened: dict[Config, AnyTranscript] = {}
        self._stepper: AnyTranscript | None = None
        self._step = 0
        self._progress = lessons.all_progress().get(
            lessons.progress_key(lesson.path), lessons.LessonProgress()
        )

    def run(self) -> None:
        """Print the scenes from the first on, until the end of the lesson or of the input.

        Raises:
            BpeError: a file of the lesson cannot be opened, or a question cannot be asked.
        """
        lesson = self._lesson
        self._say(tr("Lesson: {title}.", title=visible_text(lesson.title, spaces=False)))
        for place, scene in enumerate(lesson.scenes):
            self._say("")
            heading = tr(
                "Scene {n} of {last}: {title}.",
                n=place + 1,
                last=len(lesson.scenes),
                title=visible_text(scene.title, spaces=False),
            )
            self._say(heading, *_text(scene))
            self._show(scene)
            self._keep(scene=place, seen=self._progress.seen | {place})
            if not (self._ask(place, scene) if scene.asks else self._let_look() != "quit"):
                return
        self._keep(done=True)
        self._say(tr("That is the end of the lesson."))

    def _say(self, *sentences: str) -> None:
        for sentence in sentences:
            print(sentence, flush=True)

    def _keep(self, **changed: object) -> None:
        self._progress = replace(self._progress, **changed)  # type: ignore[arg-type]
        lessons.keep_progress(lessons.progress_key(self._lesson.path), self._progress)

    def _show(self, scene: Scene) -> None:
        """Go to the step of the scene, and print its state."""
        if scene.show is None and self._stepper is not None:
            return
        config = lessons.config_of(self._lesson, scene)
        if config not in self._opened:
            self._opened[config] = transcript_of(config)
        self._stepper = self._opened[config]
        self._step = (scene.show.step if scene.show else None) or 0
        self._say(*self._stepper.answer(f"go {self._step}"))
        if scene.show is not None and scene.show.text is not None:
            text = scene.show.text
            encoded = tr("Encoded: {text}", text=visible_text(text))
            self._say(encoded, *self._stepper.answer(f"encode {text}"))

    def _ask(self, place: int, scene: Scene) -> bool:
        """Ask the questions of the scene; return whether the learner goes on."""
        stepper = self._stepper
        assert stepper is not None
        for number, asked in enumerate(scene.asks):
            step = self._step if asked.step is None else asked.step
            list(stepper.answer(f"go {step}"))  # its sentence would give the answer
            question = ask(
                asked.kind, stepper.frame, asked.seed, about=asked.about, rows=asked.rows
            )
            heading = tr(
                "Question {n} of {last}, step {step}.",
                n=number + 1,
                last=len(scene.asks),
                step=f"{step:,}",
            )
            self._say(heading)
            if not self._pose([question], f"{place}.{number}"):
                return False
        return True

    def _pose(self, asked: list[Question], name: str) -> bool:
        """Ask a question, and others of its kind while the learner types `r`; return as `_ask`."""
        assert self._stepper is not None
        posed = asked[-1].translated(current_table())
        while ask_until_over(PlainQuestion(Attempt(posed)), self._lines):
            self._keep(answered=self._progress.answered | {name})
            self._say(tr("↵ go on  r another one"))
            if (word := self._let_look()) not in AGAIN:
                return not word
            try:
                asked.append(self._stepper.another_example(asked))
            except QuestionError as error:
                self._say(visible_message(error))
                return self._let_look() != "quit"
            posed = asked[-1].translated(current_table())
        return False

    def _let_look(self) -> str:
        """Answer commands about the run until an empty line, `quit` or `r`; return which it was."""
        stepper = self._stepper
        assert stepper is not None
        self._say(tr(GO_ON))
        for line in self._lines:
            if (word := line.strip()) in ("", "quit", *AGAIN):
                return word
            self._say(*stepper.answer(line))
        return "quit"


def _text(scene: Scene) -> Iterator[str]:
    for paragraph in scene.paragraphs:
        mark = f"{paragraph.mark} " if paragraph.mark else ""
        for line in paragraph.text.split("\n"):
            yield f"{mark}{visible_prose(line)}"


def _complete_lesson(incomplete: str) -> list[str]:
    """Return the numbers of lessons that begin so, for a shell."""
    numbers = (str(each.number) for each in lessons.builtin_lessons())
    return [number for number in numbers if number.startswith(incomplete)]


@command(
    "learn",
    epilog=examples(
        "bpe-tui learn --list",
        "bpe-tui learn 3",
        "bpe-tui learn 1 --language zh",
        "bpe-tui learn 3 --plain",
        "bpe-tui learn my-lesson.md --check",
        "bpe-tui learn my-lesson.md --print > handout.md",
    ),
)
def learn(
    lesson: str | None = options.argument(
        "[N|FILE]",
        "A lesson by its number, or a file of yours. By default the first not done.",
        autocompletion=_complete_lesson,
        default=None,
    ),
    show_list: bool = options.option("--list", "Name the lessons.", options.OUTPUT),
    check: bool = options.option(
        "--check", "Say what is wrong in the lesson, as FILE:LINE: …, and end.", options.OUTPUT
    ),
    handout: bool = options.option(
        "--print", "Print the lesson in Markdown, with what the screen shows.", options.OUTPUT
    ),
    plain: bool = options.option(
        "--plain", "No screen: read the lesson as text, answer by typing.", options.OUTPUT
    ),
) -> None:
    """Learn with lessons beside the live screen, and questions."""
    if show_list:
        progress = lessons.all_progress()
        for each in lessons.builtin_lessons(spoken()):
            if each.number == lessons.FIRST_OF_MORE:
                print(f"\n{tr('More lessons')}")
            mark = progress.get(lessons.progress_key(each.path), lessons.LessonProgress()).mark
            print(f"{each.number:>2} {mark:<2}{visible_text(each.title, spaces=False)}")
        return
    if lesson is None:
        path = lessons.next_lesson().path
    else:
        path = lessons.numbered_lesson(lesson) or Path(lesson)
    if check:
        raise SystemExit(_check(path))
    languages.speak_as(path)
    found = read_lesson(path)  # errors in it are printed before the screen opens
    if not (handout or plain):
        raise SystemExit(inputs.open_screen(None, path))
    scenes = (with_tokens_beside(scene) for scene in found.scenes)
    found = replace(found, scenes=tuple(scenes))
    if handout:
        from bpe_tui.app.lesson_author import handout as parts_of  # slow to import

        async def print_all() -> None:
            print("".join([part async for part in parts_of(found)]), end="")

        asyncio.run(print_all())
    else:
        PlainLesson(found).run()


def _check(path: Path) -> int:
    """Print the problems of a lesson; return the exit code."""
    from bpe_tui.app.lesson_author import SIZES, problems_of, unseen_at  # slow to import

    async def unseen(lesson: Lesson) -> list[LessonProblem]:
        found = [problem for size in SIZES async for problem in unseen_at(size, [lesson])]
        return sorted(found, key=lambda problem: problem.line)

    try:
        lesson = read_lesson(path)
        problems = problems_of(lesson) or asyncio.run(unseen(lesson))
    except LessonError as error:
        problems = list(error.problems)
    for problem in problems:
        place = visible_text(f"{path}:{problem.line}", spaces=False)
        print(f"{place}: {visible_message(problem.message)}")
    return console.BAD_INPUT if problems else 0
