"""Our dataclasses behave as those of the standard library, but cost little until they are used."""

from __future__ import annotations

import copy
import dataclasses
import inspect
from collections.abc import Callable
from functools import cached_property
from types import SimpleNamespace
from typing import Any, ClassVar

import pytest
from inside.engine.core import light_dataclass

KINDS = {"the standard library's": dataclasses, "ours": light_dataclass}


def declare(kind: Any) -> SimpleNamespace:
    """Declare classes that use every feature, with one of the two decorators."""

    @kind.dataclass(frozen=True)
    class Point:
        """A point."""

        x: int
        y: int = 7
        unit: str = kind.field(default="cm", compare=False, repr=False)
        AXES: ClassVar[int] = 2

        @cached_property
        def total(self) -> int:
            return self.x + self.y

    @kind.dataclass(frozen=True)
    class Dot(Point):
        """A point with a colour; its `y` has another default."""

        y: int = 8
        colour: str = "red"

    @kind.dataclass
    class Basket:
        """A class that changes."""

        name: str
        items: list[str] = kind.field(default_factory=list)
        count: int = kind.field(init=False)
        seen: list[int] = kind.field(default_factory=list, init=False)

        def __post_init__(self) -> None:
            self.count = len(self.items)

    @kind.dataclass(slots=True)
    class Pair:
        """A class with slots."""

        left: int = 1
        right: int = 2

    @kind.dataclass(frozen=True, slots=True)
    class Spot:
        """A class with slots that does not change."""

        place: int
        colour: str = "red"

    @kind.dataclass(eq=False, kw_only=True)
    class Identity:
        """A class whose objects are equal to themselves only."""

        name: str

    @kind.dataclass
    class Shouting:
        """A class with methods of its own."""

        name: str

        def __repr__(self) -> str:
            return self.name.upper()

        def __eq__(self, other: object) -> bool:
            return True

        def __hash__(self) -> int:
            return 1

    @kind.dataclass(frozen=True)
    class Empty:
        """A class without fields."""

    class Named(Point):
        """A subclass without a decorator."""

        def __init__(self, name: str) -> None:
            super().__init__(1)
            self.name = name

    return SimpleNamespace(**locals())


CLASSES = {name: declare(kind) for name, kind in KINDS.items()}
CASES: list[Callable[[SimpleNamespace], Any]] = [
    lambda c: (c.Point(1), c.Point(1, 2), c.Point(y=3, x=4), c.Dot(1), c.Dot(1, colour="blue")),
    lambda c: (c.Basket("a"), c.Basket("b", ["x"]), c.Pair(), c.Pair(right=5), c.Empty()),
    lambda c: (c.Identity(name="a").name, c.Shouting("a"), c.Point.AXES, c.Point.y, c.Point.unit),
    lambda c: [c.Point(1) == other for other in (c.Point(1, 7, "m"), c.Point(2), c.Dot(1, 7), 1)],
    lambda c: c.Basket("a") == c.Basket("a") != c.Basket("a", ["x"]),
    lambda c: c.Identity(name="a") == c.Identity(name="a"),
    lambda c: (c.Shouting("a") == c.Shouting("b"), hash(c.Shouting("a")), c.Empty() == c.Empty()),
    lambda c: (hash(c.Point(1)), hash(c.Point(1, 7, "m")), hash(c.Empty()), hash(c.Dot(1))),
    lambda c: hash(c.Basket("a")),
    lambda c: setattr(c.Point(1), "x", 2),
    lambda c: setattr(c.Point(1), "other", 2),
    lambda c: delattr(c.Point(1), "x"),
    lambda c: delattr(c.Point(1), "other"),
    lambda c: setattr(c.Pair(), "other", 1),
    lambda c: (c.Named("n").name, c.Named("n"), c.Named("n") == c.Named("m")),
    lambda c: setattr(c.Named("n"), "x", 2),
    lambda c: (c.Point(1).total, c.Dot(2).total),
    lambda c: c.Point(),
    lambda c: c.Point(1, 2, 3, 4),
    lambda c: c.Point(1, z=2),
    lambda c: c.Identity("a"),
    lambda c: c.Basket("a", count=1),
    lambda c: (c.Basket("a").items is c.Basket("a").items, vars(c.Basket("a", ["x"]))),
    lambda c: (c.Point.__match_args__, c.Identity.__match_args__, c.Basket.__match_args__),
    lambda c: (dataclasses.replace(c.Dot(1), x=5), dataclasses.asdict(c.Basket("a", ["x"]))),
    lambda c: [(f.name, f.type, f.init) for k in (c.Dot, c.Basket) for f in dataclasses.fields(k)],
    lambda c: [dataclasses.is_dataclass(each) for each in (c.Point, c.Point(1), c.Named("n"))],
    lambda c: copy.copy(c.Point(1, 2)) == copy.deepcopy(c.Point(1, 2)) == c.Point(1, 2),
    lambda c: (c.Spot(1), c.Spot(1) == c.Spot(1, "red"), hash(c.Spot(1)), c.Spot.__slots__),
    lambda c: (copy.copy(c.Spot(1, "blue")), copy.deepcopy(c.Spot(2)), copy.copy(c.Pair(4))),
    lambda c: setattr(c.Spot(1), "place", 2),
    lambda c: (c.Pair.__slots__, hasattr(c.Pair(), "__dict__")),
    lambda c: list(inspect.signature(c.Dot).parameters),
    lambda c: c.Dot.__init__.__qualname__,
]
"""Ways to use the classes; each gives the same result, or the same error, with both decorators."""


@pytest.mark.parametrize("use", CASES)
def test_a_class_behaves_as_that_of_the_standard_library(
    use: Callable[[SimpleNamespace], Any],
) -> None:
    theirs, ours = (_result(use, classes) for classes in CLASSES.values())
    assert ours == theirs


def _result(use: Callable[[SimpleNamespace], Any], classes: SimpleNamespace) -> str:
    try:
        return repr(use(classes))
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def test_an_object_that_holds_itself_has_a_short_repr() -> None:
    basket = CLASSES["ours"].Basket("a")
    basket.items.append(basket)
    assert repr(basket) == "declare.<locals>.Basket(name='a', items=[...], count=0, seen=[])"


def test_the_constructor_is_compiled_when_the_first_object_is_made() -> None:
    fresh = declare(light_dataclass).Point
    assert not inspect.isfunction(vars(fresh)["__init__"])
    fresh(1)
    assert inspect.isfunction(vars(fresh)["__init__"])
