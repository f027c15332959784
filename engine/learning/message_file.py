"""Reading of a table of messages, which says what the screens of a lesson say in another language.

    "Which pair merges next?" = "下一次合并哪一对？"
    "{pair} occurs {times}." = "{pair} 出现 {times}。"

It is TOML: the English message, and the same in the other language. Names in braces stand for what
the program fills in. Both have the same names, in any order.
"""

from __future__ import annotations

from pathlib import Path

from engine.core.wording import Messages, template_parts
from engine.learning.lesson import LessonError, LessonProblem


def read_messages(path: Path) -> Messages:
    """Read a table of messages.

    Raises:
        LessonError: it is no table of texts, or a message has other places than its English one.
    """
    import tomllib  # slow to import, and English needs no table

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
