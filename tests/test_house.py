"""The rooms of the house, and one way down: no import points up, no modules go in a circle.

Imports are read from the syntax trees, so that those for types and those inside functions count
too. A module's name in a string counts as an import of it.
"""

import ast
import re
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

REPO = Path(__file__).resolve().parents[1]

ROOMS = {
    "engine": """
        learning
        analysis
        formats
        pipeline
        wordpiece unigram
        bpe
        recording
        encoding
        counting
        text
        native
        core
    """,
    "bpe_tui": """
        cli
        app
        explain
        lessons
        bpe wordpiece unigram studies dialogs
        panels
        shell
        words
        session
        widgets
        styles
    """,
}
"""The rooms from top to bottom. Rooms in one line are level and do not import each other."""
MOST_ENTRIES = 15

BY_NAME = {
    "engine",  # its public names, each imported when it is first used
    "bpe_tui.session.models",  # the models, a folder above it each
    *(f"bpe_tui.{model}.model" for model in ("bpe", "wordpiece", "unigram")),  # their parts
}
"""Modules that may name any others in strings."""


def _name(path: Path) -> str:
    return ".".join(path.relative_to(REPO).with_suffix("").parts).removesuffix(".__init__")


MODULES = {
    _name(path): path for package in ROOMS for path in sorted((REPO / package).rglob("*.py"))
}
LEVELS = {
    f"{package}.{room}": level
    for package, rooms in ROOMS.items()
    for level, line in enumerate(reversed(rooms.strip().splitlines()))
    for room in line.split()
}
DOTTED = re.compile(rf"((?:{'|'.join(ROOMS)})(?:\.\w+)+)(?::\w+)?")
"""A module, or `module:object`."""


def _imported(module: str) -> Iterator[str]:
    """Yield the modules of ours that a module imports, or names in a string."""
    for node in ast.walk(ast.parse(MODULES[module].read_text("utf-8"))):
        named: list[str] = []
        if isinstance(node, ast.Import):
            named = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            inside = (f"{node.module}.{alias.name}" for alias in node.names)
            named = [name if name in MODULES else node.module for name in inside]
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            found = DOTTED.fullmatch(node.value) if module not in BY_NAME else None
            named = [found[1]] if found else []
        yield from (name for name in named if name in MODULES)


@cache
def _arrows() -> dict[str, set[str]]:
    """Return the imports of each module."""
    return {module: set(_imported(module)) - {module} for module in MODULES}


def _room(module: str) -> str:
    """Return the room of a module: `engine.text` for `engine.text.corpus`."""
    return ".".join(module.split(".")[:2])


def _points_up(module: str, imported: str) -> bool:
    here, there = _room(module), _room(imported)
    if here == there or here not in LEVELS:  # the doors of the packages may see everything
        return False
    if here.split(".")[0] != there.split(".")[0]:
        return here.startswith("engine")
    return there not in LEVELS or LEVELS[there] >= LEVELS[here]


def test_no_import_points_up() -> None:
    up = [f"{a} -> {b}" for a, found in _arrows().items() for b in found if _points_up(a, b)]
    remedy = "these imports point up; move what is needed to a room below, or hand it over:"
    assert not up, "\n".join([remedy, *sorted(up)])


def test_no_two_modules_import_each_other() -> None:
    try:
        TopologicalSorter(_arrows()).prepare()
    except CycleError as error:
        pytest.fail("these modules go round in a circle: " + " <- ".join(error.args[1]))


@pytest.mark.parametrize("package", ROOMS)
def test_a_package_is_its_rooms(package: str) -> None:
    files = {"__init__.py", "__init__.pyi", "__main__.py", "py.typed", "__pycache__"}
    rooms = {path.name for path in (REPO / package).iterdir()} - files
    assert rooms == set(ROOMS[package].split())
    assert len(rooms) <= MOST_ENTRIES


@pytest.mark.parametrize("package", [name for name in MODULES if MODULES[name].stem == "__init__"])
def test_every_room_says_what_it_is_for(package: str) -> None:
    assert ast.get_docstring(ast.parse(MODULES[package].read_text("utf-8")))


LITERAL = re.compile(r"[(,]\s*\*[(\[]")
"""The beginning of an argument such as `*(1, 2)`."""


def _unpacks_a_literal(call: ast.Call) -> bool:
    """Whether a call looks like `f(*(1, 2))`."""
    starred = (each.value for each in call.args if isinstance(each, ast.Starred))
    return any(isinstance(value, ast.Tuple | ast.List) for value in starred)


@pytest.mark.parametrize("folder", [*ROOMS, "tests"])
def test_calls_name_or_list_their_arguments(folder: str) -> None:
    texts = {path: path.read_text("utf-8") for path in sorted((REPO / folder).rglob("*.py"))}
    packed = [
        f"{path.relative_to(REPO)}:{node.lineno}"
        for path, text in texts.items()
        if LITERAL.search(text)  # others need no tree
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Call) and _unpacks_a_literal(node)
    ]
    remedy = "these calls unpack a tuple in place; write its items as arguments:"
    assert not packed, "\n".join([remedy, *packed])
