"""Our named tuples behave as those of `typing`."""

from __future__ import annotations

import pickle
import typing
from collections.abc import Callable
from typing import Any

import pytest
from inside.engine.core import light_tuple

KINDS = {"typing's": typing.NamedTuple, "ours": light_tuple.NamedTuple}


def declare(base: Any) -> Any:
    """Declare a class that uses every feature, below one of the two."""

    class Point(base):  # type: ignore[misc]
        """A point."""

        x: int
        y: int = 7

        @property
        def total(self) -> int:
            """The sum."""
            return self.x + self.y

        @classmethod
        def origin(cls) -> Point:
            return cls(0, 0)

        def __str__(self) -> str:
            return f"{self.x}/{self.y}"

    return Point


CASES: list[Callable[[Any], Any]] = [
    lambda point: (point(1), point(1, 2), point(y=1, x=2), str(point(1)), point.origin()),
    lambda point: (point(1).total, point.total.__doc__, point.__doc__, point.__qualname__),
    lambda point: (point(1) == (1, 7), hash(point(1)) == hash((1, 7)), [*point(1)]),
    lambda point: (point(1)._replace(y=2), point(1)._asdict(), point._fields),
    lambda point: (point._field_defaults, point.__match_args__, hasattr(point(1), "__dict__")),
    lambda point: (point.__module__, list(point.__annotations__), point.__bases__),
    lambda point: point(),
    lambda point: point(1, 2, 3),
    lambda point: point(1, z=2),
    lambda point: setattr(point(1), "x", 2),
]


@pytest.mark.parametrize("use", CASES)
def test_a_named_tuple_behaves_as_that_of_typing(use: Callable[[Any], Any]) -> None:
    theirs, ours = (_result(use, declare(base)) for base in KINDS.values())
    assert ours == theirs


def _result(use: Callable[[Any], Any], declared: Any) -> str:
    try:
        return repr(use(declared))
    except Exception as error:
        return f"{type(error).__name__}: {error}"


class Stored(light_tuple.NamedTuple):
    """A named tuple that pickle finds by its module and name."""

    x: int


def test_a_named_tuple_can_be_pickled() -> None:
    assert pickle.loads(pickle.dumps(Stored(1))) == Stored(1)
