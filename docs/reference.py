"""Write the reference of the library, with the members that its classes inherit.

    python docs/reference.py FOLDER

pdoc only names inherited members. Half of ours come from bases that are not public, such as
`Timeline.forward`, so they are documented where a reader looks for them.
"""

from __future__ import annotations

import sys
from functools import cached_property
from pathlib import Path

import pdoc
from pdoc.doc import Class, Doc, Variable

MOST_CHARACTERS = 200
"""A value that takes more is left out; the registries would fill pages."""


def members(documented: Class) -> list[Doc]:
    """Return the members of a class, also inherited ones, but none of Python's own classes."""
    return [
        member
        for member in documented.members.values()
        if member.taken_from[0].split(".")[0] == "engine"
    ]


def short_value(
    documented: Variable, whole: cached_property[str] = Variable.default_value_str
) -> str:
    """Return the value of a variable as the page shows it; nothing if it is long."""
    value = whole.func(documented)
    return value if len(value) <= MOST_CHARACTERS else ""


if __name__ == "__main__":
    for kind, name, property_ in (
        (Class, "own_members", cached_property(members)),
        (Variable, "default_value_str", cached_property(short_value)),
    ):
        property_.__set_name__(kind, name)
        setattr(kind, name, property_)
    pdoc.pdoc("engine", output_directory=Path(sys.argv[1]))
