"""What a lesson is: scenes, each with a text, what it shows on the live screen, and what it asks.

`lesson_file` reads one. A lesson is foreign text: whoever draws it makes it visible first.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from engine.core.errors import BpeError

LARGEST_CORPUS = 1 << 25
"""Bytes of a corpus that a lesson may open by itself; half a minute of training at the most."""


class LessonProblem(NamedTuple):
    """What is wrong in a lesson, and in which of its lines, counted from 1."""

    line: int
    message: str


class LessonError(BpeError):
    """A lesson cannot be read.

    Attributes:
        problems: all that is wrong; the message tells the first.
    """

    def __init__(self, name: str, problems: Sequence[LessonProblem]) -> None:
        first, more = problems[0], len(problems) - 1
        others = f" (and {more} more; learn --check tells all)" if more else ""
        super().__init__(f"{name}:{first.line}: {first.message}{others}")
        self.problems = tuple(problems)


StyledText = tuple[str, str]
"""A text, and how it is said: "", "strong", "emphasis" or "code"."""


@dataclass(frozen=True)
class Paragraph:
    """Some text.

    Attributes:
        words: it, in parts; line breaks of the file are blanks here.
        mark: what stands before it in a list: "•" or "1."
        is_code: whether its lines and blanks stay as they are.
    """

    words: tuple[StyledText, ...]
    mark: str = ""
    is_code: bool = False

    @property
    def text(self) -> str:
        return "".join(text for text, _ in self.words)


@dataclass(frozen=True)
class ScreenSetup:
    """Where the live screen goes.

    Attributes:
        line: of the block, from 1.
        view: the kind of screen; `None`: the one that is there.
        step: how many steps are made; `None`: as many as are.
        text: what is typed to encode.
        panel: what has the focus.
        options: of the run, where this scene's is another than the lesson's.
    """

    line: int = 0
    view: str | None = None
    step: int | None = None
    text: str | None = None
    panel: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Ask:
    """A question at a step; a block with several steps makes several.

    Attributes:
        line: of the block, from 1.
        kind: a name in `engine.learning.questions.KINDS`.
        step: where it is asked; `None`: at the step that the scene shows.
        about: a pair `o|t`, a word, a text, ids; `None` leaves it to the seed.
        seed: decides what is left open.
        rows: how many rows there may be to choose from.
    """

    line: int
    kind: str
    step: int | None
    about: str | None
    seed: str
    rows: int


@dataclass(frozen=True)
class Scene:
    """A piece of a lesson: what is said, what is shown, what is asked.

    Attributes:
        title: its heading.
        line: of the heading, from 1.
        paragraphs: what is said.
        markdown: the same as it was written, without the blocks.
        show: where the live screen goes; `None`: it stays where it is.
        asks: what is asked, one after another.
    """

    title: str
    line: int
    paragraphs: tuple[Paragraph, ...]
    markdown: str
    show: ScreenSetup | None
    asks: tuple[Ask, ...]


@dataclass(frozen=True)
class Lesson:
    """A lesson.

    Attributes:
        title: what it is called.
        options: of the run, named as on the command line: `corpus`, `tie-rule`, `vocab-size`.
        scenes: at least one.
        path: the file; what it names lies beside it.
        lines: option → its line, for whoever finds out later that it will not do.
    """

    title: str
    options: Mapping[str, Any]
    scenes: tuple[Scene, ...]
    path: Path
    lines: Mapping[str, int] = field(default_factory=dict)

    @property
    def questions(self) -> frozenset[str]:
        """What progress calls the questions: `scene.question`, both from 0."""
        return frozenset(
            f"{place}.{number}"
            for place, scene in enumerate(self.scenes)
            for number in range(len(scene.asks))
        )

    def options_of(self, scene: Scene) -> Mapping[str, Any]:
        """The options of the run that a scene shows."""
        return {**self.options, **(scene.show.options if scene.show else {})}

    def file(self, name: str) -> Path:
        """A file that the lesson names, beside it or below.

        Raises:
            LessonError: it is elsewhere, also by a link; or it is packed, or too large to be opened
                unasked.
        """
        folder = self.path.resolve().parent
        try:
            found = (folder / name).resolve()
            inside = found.is_relative_to(folder)
            too_large = inside and found.is_file() and found.stat().st_size > LARGEST_CORPUS
        except (OSError, ValueError, RuntimeError) as error:
            raise self._wrong(f"{name!r} is no file: {error}") from error
        if not inside or os.path.isabs(name):
            raise self._wrong(f"{name!r} is outside the lesson's folder; put it beside the lesson")
        if not found.is_file():
            raise self._wrong(f"{name!r} is not there: no such file beside the lesson")
        if too_large:
            limit = f"{LARGEST_CORPUS >> 20} MB"
            raise self._wrong(f"{name!r} is large: a lesson opens {limit} at the most by itself")
        if found.suffix == ".gz":
            raise self._wrong(f"{name!r} is packed: unpack it, so that its size can be seen")
        return found

    def _wrong(self, message: str) -> LessonError:
        return LessonError(str(self.path), [LessonProblem(self.lines.get("corpus", 1), message)])
