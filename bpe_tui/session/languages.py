"""The languages of the program: which one it speaks, and the table of messages of each.

A language is a folder beside `en`, with lessons and a table of messages.
"""

from __future__ import annotations

import os
from functools import cache, partial
from pathlib import Path

from bpe_tui.session.state import preferences, save_preferences
from bpe_tui.widgets import language as process
from engine.core.errors import UnknownNameError
from engine.core.wording import ENGLISH, Messages, template_parts

MESSAGES = "messages.toml"
"""The table of messages in the folder of a language. Its first line is the language's own name."""
FINISHED = "finished.toml"
"""The table of finished messages in the folder of a language: errors and notes."""
PLACE = Path(__file__).parents[1] / "lessons" / "builtin"
DEFAULT_LANGUAGE = process.DEFAULT_LANGUAGE


def languages() -> list[str]:
    """Return the languages: `en`, `zh`."""
    return sorted(path.name for path in PLACE.iterdir() if path.is_dir())


def own_name(language: str) -> str:
    """Return a language's name in that language: `en` → 'English', `zh` → '中文'."""
    if language == DEFAULT_LANGUAGE:
        return "English"
    with (PLACE / language / MESSAGES).open(encoding="utf-8") as file:
        return file.readline().strip("# \n")


def speak(language: str) -> None:
    """Speak a language from now on.

    Raises:
        UnknownNameError: there is no such language.
    """
    if language not in (known := languages()):
        raise UnknownNameError(f"there is no language {language!r}; there are: {', '.join(known)}")
    process.speak(language, messages_in(language), partial(messages_in, language, FINISHED))


def speak_usual() -> None:
    """Speak the language that was chosen on the screen, else the locale's, else English."""
    chosen = next(filter(None, map(os.environ.get, ("LC_ALL", "LC_MESSAGES", "LANG"))), "")
    ways = preferences().language, chosen.partition("_")[0]
    speak(next((way for way in ways if way in languages()), DEFAULT_LANGUAGE))


def speak_as(lesson: Path) -> bool:
    """Speak the language of a lesson's file, unless it is English; return whether it is new."""
    language = language_of(lesson)
    is_new = language not in (DEFAULT_LANGUAGE, process.spoken())
    if is_new:
        speak(language)
    return is_new


def following_language() -> str:
    """Return the language after the present one, in the order of their names."""
    known = languages()
    return known[(known.index(process.spoken()) + 1) % len(known)]


def change_language() -> None:
    """Speak the following language from now on, also when the program starts again."""
    speak(following_language())
    save_preferences(language=process.spoken())


def language_of(path: Path) -> str:
    """Return the language of a built-in lesson; English for any other lesson."""
    folder = path.resolve().parent
    return folder.name if folder.parent == PLACE.resolve() else DEFAULT_LANGUAGE


@cache
def messages_in(language: str, name: str = MESSAGES) -> Messages:
    """Return a table of messages of a language; it is empty if all stay English.

    Raises:
        LessonError: a message has other places than its English one.
    """
    path = PLACE / language / name
    return read_messages(path) if path.is_file() else ENGLISH


def read_messages(path: Path) -> Messages:
    """Read what the program says in another language: a table of messages in TOML.

        "Which pair merges next?" = "下一次合并哪一对？"
        "{pair} occurs {times}." = "{pair} 出现 {times}。"

    The names in braces, which the program fills in, are the same on both sides, in any order.

    Raises:
        LessonError: it is no table of texts, or a message has other places than its English one.
    """
    import tomllib  # slow to import, as the next, and English needs no table

    from engine.learning.lesson import LessonError, LessonProblem

    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise LessonError(str(path), [LessonProblem(1, str(error))]) from error
    problems = [
        LessonProblem(1, f"{english!r}: {problem}")
        for english, message in table.items()
        if (problem := _problem(english, message))
    ]
    if problems:
        raise LessonError(str(path), problems)
    return table


def _problem(english: str, message: object) -> str:
    """Return what is wrong with a message; "" if nothing is."""
    if not isinstance(message, str):
        return "the message is no text"
    places, own = (set(template_parts(text)[1::2]) for text in (english, message))
    if own - places:
        return f"there is no {{{min(own - places)}}} in English"
    return ""
