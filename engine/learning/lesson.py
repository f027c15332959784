"""A lesson: scenes, each with a text, a setup of the live screen, and questions.

`lesson_file` reads lessons. Their text is not trusted: screens must make it visible first.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from engine.core.errors import BpeError
from engine.core.registry import Registry

LARGEST_CORPUS = 1 << 25
"""Largest corpus, in bytes, that a lesson may open: at most half a minute of training."""
BESIDE = Registry("encoding", {"gpt2": "GPT-2", "cl100k_base": "GPT-4"})
"""Encodings of tiktoken that a scene can compare its text with → their models."""


class LessonProblem(NamedTuple):
    """A mistake in a lesson, with its line, from 1."""

    line: int
    message: str


class LessonError(BpeError):
    """A lesson cannot be read.

    Attributes:
        problems: all mistakes; the message has the first.
    """

    def __init__(self, name: str, problems: Sequence[LessonProblem]) -> None:
        first, more = problems[0], len(problems) - 1
        others = f" (and {more} more; learn --check lists all)" if more else ""
        super().__init__(f"{name}:{first.line}: {first.message}{others}")
        self.problems = tuple(problems)


StyledText = tuple[str, str]
"""A text and its style: "", "strong", "emphasis" or "code"."""


@dataclass(frozen=True)
class Paragraph:
    """A paragraph of a scene.

    Attributes:
        words: its text in parts; line breaks of the file are blanks here.
        mark: the mark of a list entry, "•" or "1."; else "".
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
    """A setup of the live screen.

    Attributes:
        line: line of the block, from 1.
        view: the kind of screen; `None` keeps the present one.
        step: the step to go to; `None` keeps the present one.
        text: the text to encode.
        panel: the panel to focus.
        beside: an encoding in `BESIDE` whose tokens of the text the scene names, too.
        see: texts that must be in sight then; blanks in them do not count.
        options: options of the run that differ from the lesson's.
    """

    line: int = 0
    view: str | None = None
    step: int | None = None
    text: str | None = None
    panel: str | None = None
    beside: str | None = None
    see: tuple[str, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Ask:
    """A question at a step; a block with several steps makes several.

    Attributes:
        line: line of the block, from 1.
        kind: a name in `engine.learning.questions.KINDS`.
        step: the step to ask about; `None` for the step that the scene shows.
        about: a pair `o|t`, a word, a text, ids; `None` leaves it to the seed.
        seed: decides what is left open.
        rows: the largest number of rows to choose from.
    """

    line: int
    kind: str
    step: int | None
    about: str | None
    seed: str
    rows: int


@dataclass(frozen=True)
class Scene:
    """A scene of a lesson: a text, a setup of the live screen, questions.

    Attributes:
        title: its heading.
        line: line of the heading, from 1.
        paragraphs: its text.
        markdown: its text as it was written, without the blocks.
        show: the setup of the live screen; `None` leaves the screen as it is.
        asks: its questions, in order.
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
        title: its title.
        options: options of the run, named as on the command line: `corpus`, `tie-rule`.
        scenes: its scenes, at least one.
        path: its file; the files that it names are in the same folder or below.
        lines: option → its line, for errors that are found later.
    """

    title: str
    options: Mapping[str, Any]
    scenes: tuple[Scene, ...]
    path: Path
    lines: Mapping[str, int] = field(default_factory=dict)

    @property
    def questions(self) -> frozenset[str]:
        """The names of the questions in saved progress: `scene.question`, both from 0."""
        return frozenset(
            f"{place}.{number}"
            for place, scene in enumerate(self.scenes)
            for number in range(len(scene.asks))
        )

    @property
    def kinds(self) -> dict[str, None]:
        """The kinds of its questions, each once, in order."""
        return dict.fromkeys(asked.kind for scene in self.scenes for asked in scene.asks)

    def options_of(self, scene: Scene) -> Mapping[str, Any]:
        """Return the options of the run that a scene shows."""
        return {**self.options, **(scene.show.options if scene.show else {})}

    def file(self, name: str) -> Path:
        """Return the path of a file that the lesson names.

        Raises:
            LessonError: it is outside of the lesson's folder, even through a link; or it is packed,
                or too large.
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
