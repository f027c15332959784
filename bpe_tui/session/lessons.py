"""Lessons that come with the program; the config of a scene; progress in lessons.

Progress is kept in a state file, whose invalid entries are ignored.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path
from typing import Any, TypeGuard

from bpe_tui.session import languages
from bpe_tui.session.config import Claimed, Config, RunConfig, TokenizerConfig
from bpe_tui.session.models import MODELS, completed
from bpe_tui.session.samples import SAMPLES, directory
from bpe_tui.session.state import keep_state, read_state
from bpe_tui.widgets.language import spoken
from engine.core.errors import PhaseError, UnknownNameError
from engine.learning.lesson import Lesson, LessonError, LessonProblem, Scene
from engine.learning.lesson_file import LessonHead, read_head, read_lesson

FIRST_OF_MORE = 16
"""The number of the first lesson that a course may leave out."""
PROGRESS, KEPT = "lessons.json", 200
IN_A_ROW = 3
"""Number of questions of a kind to be right, one after another, at the first try without a hint."""


@dataclass(frozen=True)
class BuiltInLesson:
    """A lesson that comes with the program: its number, its file, and what lists show of it."""

    number: int
    path: Path
    head: LessonHead

    @property
    def title(self) -> str:
        return self.head.title


@cache
def builtin_lessons(language: str = languages.DEFAULT_LANGUAGE) -> tuple[BuiltInLesson, ...]:
    """Return all lessons in their order, in English those that the language lacks."""
    files = {
        path.name[:2]: path
        for path in sorted((languages.PLACE / languages.DEFAULT_LANGUAGE).glob("*.md"))
    }
    files |= {path.name[:2]: path for path in (languages.PLACE / language).glob("*.md")}
    return tuple(
        BuiltInLesson(int(number), path, read_head(path)) for number, path in files.items()
    )


def numbered_lesson(number: str) -> Path | None:
    """Return the file of a lesson by its number; `None` if `number` is none or names a file.

    Raises:
        UnknownNameError: no lesson has the number.
    """
    if not (number.isascii() and number.isdigit()) or os.path.exists(number):
        return None
    lessons = builtin_lessons(spoken())
    found = (each.path for each in lessons if str(each.number) == number.lstrip("0"))
    if (path := next(found, None)) is None:
        raise _no_lesson(number)
    return path


def lesson_typed(before: BuiltInLesson | None, digit: str) -> BuiltInLesson | None:
    """Return the lesson of the digits typed so far: of `1` the first, then of `2` the twelfth.

    Args:
        before: the lesson of the digits before.
        digit: the name of the key now.
    """
    known = {str(each.number): each for each in builtin_lessons(spoken())}
    longer = f"{before.number}{digit}" if before is not None else digit
    return known.get(longer) or known.get(digit)


def kinds_of_lessons(numbers: Iterable[int]) -> list[str]:
    """Return the kinds of questions that the lessons of these numbers ask, each once.

    Raises:
        UnknownNameError: no lesson has the number.
    """
    paths = {each.number: each.path for each in builtin_lessons()}
    found: dict[str, None] = {}
    for number in numbers:
        if number not in paths:
            raise _no_lesson(number)
        found |= read_lesson(paths[number]).kinds
    return list(found)


def _no_lesson(number: int | str) -> UnknownNameError:
    count = len(builtin_lessons())
    return UnknownNameError(f"there is no lesson {number}; bpe-tui learn --list names all {count}")


def next_lesson() -> BuiltInLesson:
    """Return the first lesson that is not done, or the first if all are."""
    lessons, progress = builtin_lessons(spoken()), all_progress()
    undone = [e for e in lessons if not progress.get(progress_key(e.path), LessonProgress()).done]
    return (undone or lessons)[0]


# -- the config of a scene


def config_of(lesson: Lesson, scene: Scene) -> Config:
    """Return the config that a scene shows.

    Raises:
        LessonError: the lesson names a file or a model that does not exist.
    """
    options = lesson.options_of(scene)
    path = None
    if (corpus := options.get("corpus")) is not None:
        is_sample = corpus in (sample.name for sample in SAMPLES)
        beside_lesson = not is_sample or (lesson.path.parent / corpus).exists()
        path = str(_file(lesson, corpus) if beside_lesson else directory() / corpus)
    special = tuple(options.get("special", RunConfig.special_tokens))
    if "tokenizer" in options and (scene.show is None or "corpus" not in scene.show.options):
        tokenizer = _file(lesson, options["tokenizer"])
        return TokenizerConfig((str(tokenizer),), path, special if "special" in options else None)
    assert path is not None  # a lesson names a corpus or a tokenizer
    try:
        _ = MODELS[options.get("model", RunConfig.model)]
    except UnknownNameError as error:
        raise _wrong(lesson, scene, str(error)) from error
    known = {option.replace("-", "_"): value for option, value in options.items()}
    known["ngram"] = max(known.get("ngram", RunConfig.ngram), 1)
    claimed = _claimed(lesson, options)
    given = {each.name: known[each.name] for each in fields(RunConfig)[1:] if each.name in known}
    try:
        return completed(RunConfig(path, special_tokens=special, claimed=claimed, **given), options)
    except PhaseError as error:
        raise _wrong(lesson, scene, str(error)) from error


def _file(lesson: Lesson, name: str) -> Path:
    """Return the file that a lesson names; built-in ones share the files of the English ones."""
    if (
        languages.language_of(lesson.path) != languages.DEFAULT_LANGUAGE
        and not (lesson.path.parent / name).exists()
    ):
        return languages.PLACE / languages.DEFAULT_LANGUAGE / name
    return lesson.file(name)


def _claimed(lesson: Lesson, options: Mapping[str, Any]) -> Claimed | None:
    """Return the file of a trainer that the lesson checks; `None` if it checks none."""
    if "check" not in options:
        return None
    path = _file(lesson, options["check"])
    return Claimed((str(path),), are_steps=path.suffix == ".jsonl")


def _wrong(lesson: Lesson, scene: Scene, message: str) -> LessonError:
    line = scene.show.line if scene.show is not None else scene.line
    return LessonError(str(lesson.path), [LessonProblem(line, message)])


# -- progress


@dataclass(frozen=True)
class LessonProgress:
    """A learner's progress in a lesson.

    Attributes:
        scene: the last scene, from 0.
        seen: the scenes that were shown.
        answered: the questions that were answered, as `scene.question`.
        done: whether all scenes were shown and all questions answered once.
        sure: the kinds of its questions that were right `IN_A_ROW` times in a row.
        mastered: whether these are all of its kinds.
    """

    scene: int = 0
    seen: frozenset[int] = frozenset()
    answered: frozenset[str] = frozenset()
    done: bool = False
    sure: frozenset[str] = frozenset()
    mastered: bool = False

    @property
    def mark(self) -> str:
        """Its sign in a list of lessons."""
        return "★" if self.mastered else "✓" if self.done else "◐" if self.seen else ""


def progress_key(lesson: Path) -> str:
    """Return the key of a lesson's progress: a built-in lesson's number, else its path."""
    path = lesson.resolve()
    return path.name[:2] if path.is_relative_to(languages.PLACE.resolve()) else str(path)


def all_progress() -> dict[str, LessonProgress]:
    """Return the progress in each lesson, by its key: the valid parts of the file."""
    kept = read_state(PROGRESS)
    found: dict[str, LessonProgress] = {}
    for key, entry in kept.items() if isinstance(kept, dict) else ():
        if not isinstance(entry, dict):
            continue
        seen, answered, sure = (
            each if isinstance(each, list) else ()
            for each in map(entry.get, ("seen", "answered", "sure"))
        )
        found[key] = LessonProgress(
            next(filter(_is_place, (entry.get("scene"),)), 0),
            frozenset(filter(_is_place, seen)),
            frozenset(each for each in answered if isinstance(each, str)),
            entry.get("done") is True,
            frozenset(each for each in sure if isinstance(each, str)),
            entry.get("mastered") is True,
        )
    return found


def _is_place(value: Any) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1000


def keep_progress(key: str, progress: LessonProgress) -> None:
    """Keep the progress in a lesson, before that in others."""
    every = {key: progress, **{k: v for k, v in all_progress().items() if k != key}}
    content = {
        key: {
            name: sorted(value) if isinstance(value, frozenset) else value
            for name, value in vars(each).items()
        }
        for key, each in list(every.items())[:KEPT]
    }
    keep_state(PROGRESS, json.dumps(content).encode())
