"""Named tuples that cost little to define.

The `NamedTuple` of `typing` compiles the annotation of each field. The first call of `compile` in a
process also makes all types of syntax trees, which takes as long as ten of our modules. This one
leaves annotations as they are written. Type checkers see that of `typing`.

>>> class Point(NamedTuple):
...     x: int
...     y: int = 0
>>> Point(1), Point(1) == (1, 0)
(Point(x=1, y=0), True)
"""

from __future__ import annotations

from collections import namedtuple
from typing import TYPE_CHECKING, Any

_OF_THE_TUPLE = ("__module__", "__annotations__", "__classcell__")
"""Attributes that `namedtuple` sets itself, or that only a type made by `type` needs."""


class _Maker(type):
    """The type of the base class: it makes a named tuple of each class below that."""

    def __new__(cls, name: str, bases: tuple[type, ...], body: dict[str, Any]) -> Any:
        if not bases:
            return super().__new__(cls, name, bases, body)
        fields: dict[str, str] = body.get("__annotations__", {})
        defaults = [body[field] for field in fields if field in body]
        made: Any = namedtuple(name, fields, defaults=defaults, module=body["__module__"])  # type: ignore[misc]
        for attribute, value in body.items():
            if attribute not in _OF_THE_TUPLE and attribute not in fields:
                setattr(made, attribute, value)
        made.__annotations__ = made.__new__.__annotations__ = fields
        return made


class _NamedTuple(metaclass=_Maker):
    """The base class of named tuples; their fields are the annotated names."""


if TYPE_CHECKING:
    from typing import NamedTuple as NamedTuple
else:
    NamedTuple = _NamedTuple
