"""Commands as they are declared, and a reader of plain command lines.

To import typer, and to make its commands, takes longer than to encode a text. So `run_plain` reads
a line by itself if it is plain: options in full, each with its value, and files. Help, mistakes,
completion and other forms are typer's, which gets the same declarations in `program`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from bpe_tui.cli.console import COMPLETION, MODULES
from engine.text.sources import STANDARD_INPUT

KINDS = {"str": str, "int": int, "float": float, "bool": bool, "Path": Path}
"""The types of single values, by the names in annotations."""


def examples(*lines: str) -> str:
    """Return the examples of a help page; `\\b` keeps their lines apart."""
    return "\n".join(("\b", "Examples:", *(f"  {line}" for line in lines)))


class Declared(NamedTuple):
    """An option of a command, or an argument if it has no names.

    Attributes:
        names: the words that set it: `("--json",)`.
        default: its value where it is not given; `...` if it is needed.
        settings: what typer is told besides.
    """

    names: tuple[str, ...]
    default: Any
    settings: dict[str, Any]


Parameters = Mapping[str, tuple[str, Declared]]
"""Name of a parameter → its type as it is annotated, and its declaration."""


class Given(NamedTuple):
    """The values of a command's parameters.

    Attributes:
        params: name → value.
        asked: names of those that the command line has.
        parameters: the parameters of the command.
    """

    params: dict[str, Any]
    asked: frozenset[str]
    parameters: Parameters


class Command(NamedTuple):
    """A command: a function, whose first parameter `context` is a `Given` if it has that.

    Attributes:
        settings: what typer is told of it.
    """

    function: Callable[..., None]
    parameters: Parameters
    settings: dict[str, Any]

    def run(self, given: Given) -> int:
        """Run the command; return its exit code, with which it may raise `SystemExit`."""
        takes_given = self.function.__code__.co_varnames[0] == "context"
        try:
            self.function(*([given] if takes_given else []), **given.params)
        except SystemExit as done:
            return int(done.code or 0)
        return 0


COMMANDS: dict[str, Command] = {}
"""The commands of all modules that have been imported, by their names."""


def command(
    name: str = "", *, training: Parameters = MappingProxyType({}), **settings: Any
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Declare a function as a command. Its defaults, of `options`, are its parameters.

    Args:
        name: the name of the command, if not that of the function.
        training: further options, which the function takes as keywords, unless it has its own.
        settings: what typer is told.
    """

    def declare(function: Callable[..., None]) -> Callable[..., None]:
        code, defaults = function.__code__, function.__defaults__ or ()
        names = code.co_varnames[code.co_argcount - len(defaults) : code.co_argcount]
        annotations = map(function.__annotations__.__getitem__, names)
        own = dict(zip(names, zip(annotations, defaults, strict=True), strict=True))
        # In the order of the help page.
        first = {key: each for key, each in own.items() if training and each[1].default is ...}
        more = {key: each for key, each in training.items() if key not in own}
        COMMANDS[name or function.__name__] = Command(function, {**first, **more, **own}, settings)
        return function

    return declare


def type_of(annotation: str) -> tuple[type[Any], bool, bool]:
    """Return the type of one value, whether there are several, and whether there may be none.

    >>> type_of("list[str] | None")
    (<class 'str'>, True, True)
    """
    value = annotation.removesuffix(" | None")
    kind = KINDS[value.removeprefix("list[").removesuffix("]")]
    return kind, value.startswith("list["), value != annotation


def value_of(text: Any, kind: type[Any], settings: Mapping[str, Any]) -> Any:
    """Return the value that a word gives.

    Raises:
        ValueError: a number is none, or too small or too large; a path may not be read.
    """
    if kind is Path and "\0" in text:
        raise ValueError("a file's name holds no NUL byte")
    try:
        found = kind(text)
        is_hidden = kind is Path and not os.access(found, os.R_OK) and found.exists()
    except ValueError as error:
        problem = {int: "give a whole number", float: "give a number"}.get(kind, str(error))
        raise ValueError(problem) from None
    if is_hidden:
        raise ValueError(f"Path {text!r} is not readable.")
    least, most = settings.get("min"), settings.get("max")
    if least is not None and not found >= least:
        raise ValueError(f"give a number greater than or equal to {least}")
    if most is not None and not found <= most:
        raise ValueError(f"give a number less than or equal to {most}")
    return found


def read_plain(parameters: Parameters, words: Sequence[str]) -> Given | None:
    """Return the values that the words after a command give; `None` if typer has to read them."""
    key_of = {name: key for key, (_, each) in parameters.items() for name in each.names}
    arguments = [key for key, (_, each) in parameters.items() if not each.names]
    found: dict[str, list[str]] = {}
    rest = iter(words)
    if len(arguments) > 1:
        return None
    for word in rest:
        is_value = word == STANDARD_INPUT or not word.startswith("-")
        if not is_value and word not in key_of:
            return None
        key = arguments[0] if is_value else key_of[word]
        if not (is_value or parameters[key][0] == "bool"):
            word = next(rest, "-?")
            if word.startswith("-") and word != STANDARD_INPUT:
                return None
        found.setdefault(key, []).append(word)
    params: dict[str, Any] = {}
    for key, (annotation, declared) in parameters.items():
        kind, is_list, _ = type_of(annotation)
        texts = found.get(key, [])
        if (declared.default is ... and not texts) or (len(texts) > 1 and not is_list):
            return None
        try:
            values = [value_of(text, kind, declared.settings) for text in texts]
        except ValueError:
            return None
        params[key] = declared.default
        if texts:
            params[key] = values if is_list else values[0]
        if callback := declared.settings.get("callback"):
            params[key] = callback(params[key])
    return Given(params, frozenset(found), parameters)


def run_plain(arguments: Sequence[str]) -> int | None:
    """Run the command that a plain line names; return its exit code.

    `None` if typer has to read the line.
    """
    name, *words = arguments or [""]
    if name not in MODULES or COMPLETION in os.environ:
        return None
    import_module(f"bpe_tui.cli.{MODULES[name]}")
    given = read_plain(COMMANDS[name].parameters, words)
    return None if given is None else COMMANDS[name].run(given)
