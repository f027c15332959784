"""Errors and notes, which are English with values in their places, in another language."""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import pytest

import bpe_tui
import engine
from bpe_tui.session.languages import finished_in, speak
from bpe_tui.widgets.language import tr_message
from engine.core import errors
from engine.core.wording import template_parts

OF_THE_LIBRARY = {
    *("ArgumentError", "TextError", "TokenIdsError", "TimelineError", "CountsError", "PhaseError"),
    *("AssertionError", "AttributeError", "IndexError", "KeyError", "RuntimeError", "TypeError"),
    *("ValueError", "EOFError", "LessonError"),
}
"""Errors of calls, which only programmers see, and errors that others turn into messages."""


def test_a_message_is_translated_by_the_template_that_leaves_least_as_it_is() -> None:
    speak("zh")
    for english, chinese in {
        "low.txt: no such file; did you mean slow.txt?": "low.txt：没有这个文件；是不是 slow.txt？",
        "a.txt: cannot be read: Permission denied": "a.txt：读不了：没有权限",
        "unknown tie rule 'x'. There are: a, b": "没有名为 'x' 的并列规则。有：a, b",
        "No such option: --bar; try bpe-tui train --help": (
            "没有选项 --bar；可以看 bpe-tui train --help"
        ),
        "nobody has translated this": "nobody has translated this",
    }.items():
        assert tr_message(english) == chinese
    speak("en")
    assert tr_message("a.txt: no such file") == "a.txt: no such file"


def raised_in(tree: ast.AST) -> Iterator[str]:
    """Yield the messages of errors of a module, with 7 in each place."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.args:
            name, message = node.func.id, node.args[0]
            if name.endswith("Error") and name not in OF_THE_LIBRARY:
                parts = message.values if isinstance(message, ast.JoinedStr) else [message]
                yield "".join(
                    str(part.value) if isinstance(part, ast.Constant) else "7" for part in parts
                )


@cache
def sources() -> dict[str, str]:
    """Return the text of each module of both packages, and of the reader of command lines."""
    paths = [path for made in (bpe_tui, engine) for path in package_of(made.__name__)]
    readers = [path for name in ("typer", "click") if find_spec(name) for path in package_of(name)]
    return {str(path): path.read_text("utf-8") for path in (*paths, *readers)}


def package_of(name: str) -> list[Path]:
    found = find_spec(name)
    assert found is not None
    assert found.origin is not None
    return sorted(Path(found.origin).parent.rglob("*.py"))


@pytest.mark.slow  # it reads the syntax tree of every module
def test_each_error_that_a_person_meets_is_in_the_table() -> None:
    speak("zh")
    own = [path for made in (bpe_tui, engine) for path in package_of(made.__name__)]
    said = {text for path in own for text in raised_in(ast.parse(path.read_text("utf-8")))}
    worded = {text for text in said if re.search(r"[a-z]{2} [a-z]{2}", text)}
    assert len(worded) > 300
    assert sorted(text for text in worded if not re.search("[一-鿿]", tr_message(text))) == []


@pytest.mark.slow
def test_the_table_of_finished_messages_says_nothing_that_nobody_says() -> None:
    constants = " ".join(constants_of_all())
    for template in finished_in("zh"):
        clauses = (re.split("[;:,.()]", part) for part in template_parts(template)[::2])
        longest = max((clause.strip() for each in clauses for clause in each), key=len)
        assert longest in constants or template.startswith(TYPER_SAYS), template


def constants_of_all() -> Iterator[str]:
    for text in sources().values():
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield node.value
    yield from (os.strerror(number) for number in range(1, 134))
    yield from PYTHON_SAYS


TYPER_SAYS = ("Missing ", "No such ", "Option '", "Invalid value", "give a number")
"""Beginnings of what some versions of typer say, each in its own way."""
PYTHON_SAYS = (
    *("embedded null byte", "Compressed file ended before the end-of-stream marker was reached"),
    *(
        "Not a gzipped file",
        "Invalid data stream",
        "Corrupt input data",
        "LOCALE and UNICODE flags are mutually incompatible",
    ),
    "VERSION0 and VERSION1 flags are mutually incompatible",
    *("Expecting value", "Expecting '", "Expecting property name enclosed in double quotes"),
    *("Extra data", "Unterminated string starting at", "Invalid control character at"),
    *("Invalid \\escape", "Incorrect padding", "Excess data after padding", "column"),
    # the library regex
    *("missing )", "unbalanced parenthesis", "unterminated character set", "nothing to repeat"),
    *("multiple repeat", "bad escape (end of pattern)", "bad character range", "unknown property"),
)


def test_an_error_is_english_for_programmers_whatever_the_language() -> None:
    speak("zh")
    assert str(errors.CorpusError("a.txt: no such file")) == "a.txt: no such file"
