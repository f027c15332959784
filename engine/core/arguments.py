"""Types of arguments, checked where a user of the library calls: one error that names the argument.

Checking all of them before each call would cost more than a short text takes to encode. So a
`checked` function looks at its arguments once it has failed. What Python would take in silence is
checked before: `True` and `72.0` are no whole numbers here.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from functools import wraps
from operator import index
from reprlib import repr as short_repr
from types import FunctionType
from typing import Any, ParamSpec, TypeVar

from engine.core.errors import ArgumentError, BpeError

P = ParamSpec("P")
R = TypeVar("R")
Class = TypeVar("Class", bound=type)


def is_whole(value: Any) -> bool:
    """Whether a value is a whole number: an `int` or one of NumPy's.

    >>> is_whole(3), is_whole(3.0), is_whole(True)
    (True, False, False)
    """
    if isinstance(value, bool):
        return False
    try:
        index(value)
    except TypeError:
        return False
    return True


def check_whole(least: int | None = None, /, **given: Any) -> None:
    """Raise `ArgumentError` for the first argument that is neither a whole number nor `None`.

    Args:
        least: the smallest number allowed; `None` for any.
    """
    for name, value in given.items():
        if value is None:
            continue
        if not is_whole(value):
            raise ArgumentError(f"{name} is a whole number, and this is {short_repr(value)}")
        if least is not None and index(value) < least:
            raise ArgumentError(f"{name} is at least {least}, and this is {short_repr(value)}")


MOST_WORKERS = 1 << 10


def check_workers(workers: Any) -> None:
    """Raise `ArgumentError` unless workers is from 1 to the most, or `None` for the default."""
    check_whole(1, workers=workers)
    if workers is not None and index(workers) > MOST_WORKERS:
        raise ArgumentError(f"workers is at most {MOST_WORKERS:,}; leave it out for one a core")


LARGEST_FLOAT = 1 << 1023
"""A whole number from here on may be too large for a `float`."""


def checked(function: Callable[P, R]) -> Callable[P, R]:
    """Let a function that fails name the first argument of a wrong type, if there is one."""

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return function(*args, **kwargs)
        except BpeError:
            raise
        except Exception as error:
            if (wrong := _wrong_argument(function, args, kwargs)) is None:
                raise
            raise ArgumentError(wrong) from error

    return call


def checked_methods(kind: Class) -> Class:
    """Let all public methods that a class defines be `checked`, and its `__init__`."""
    for name, method in list(vars(kind).items()):
        if type(method) is FunctionType and (name == "__init__" or not name.startswith("_")):
            setattr(kind, name, checked(method))
    return kind


def _wrong_argument(
    function: Callable[..., object], args: Iterable[object], kwargs: Mapping[str, object]
) -> str | None:
    """Return what is wrong with an argument; `None` if their types are those of the signature."""
    from inspect import Parameter, signature  # slow to import, and only errors need them
    from types import SimpleNamespace
    from typing import get_type_hints

    expected = signature(function)
    annotations = {
        name: each.annotation
        for name, each in expected.parameters.items()
        if each.annotation is not Parameter.empty
    }
    hints = get_type_hints(SimpleNamespace(__annotations__=annotations), function.__globals__)
    try:
        given = expected.bind(*args, **kwargs).arguments
    except TypeError:
        return None  # too many arguments or too few, which Python names itself
    for name, value in given.items():
        if name in hints and not _fits(value, hints[name]):
            return f"{name} should be of type {annotations[name]}, and this is {short_repr(value)}"
    return None


def _fits(value: Any, hint: object) -> bool:
    """Whether a value is of a type; of containers the items are looked at, too."""
    from types import NoneType, UnionType  # as in `_wrong_argument`
    from typing import Literal, Union, get_args, get_origin

    kind, items = get_origin(hint) or hint, get_args(hint)
    if kind in (Union, UnionType):
        return any(_fits(value, each) for each in items)
    if kind is NoneType:
        return value is None
    if kind is int:
        return is_whole(value)
    if kind is float:
        return isinstance(value, float) or (is_whole(value) and abs(value) < LARGEST_FLOAT)
    if kind is Literal:
        return isinstance(value, str)
    if kind is Any or not isinstance(kind, type):
        return True
    if getattr(kind, "_is_protocol", False):
        members = {*vars(kind), *kind.__annotations__}
        return all(hasattr(value, name) for name in members if not name.startswith("_"))
    if not isinstance(value, kind) or (items and isinstance(value, str | bytes)):
        return False  # a text is a sequence of texts for Python alone
    if isinstance(value, Mapping):
        return not items or all(all(map(_fits, pair, items)) for pair in value.items())
    if isinstance(value, Collection) and items and kind is not tuple:
        return all(_fits(each, items[0]) for each in value)
    return kind is not tuple or _fits_tuple(value, items)


def _fits_tuple(value: object, items: tuple[object, ...]) -> bool:
    """Whether a tuple has the types of `tuple[int, int]` or `tuple[int, ...]`."""
    assert isinstance(value, tuple)
    if items[1:] == (Ellipsis,):
        return all(_fits(each, items[0]) for each in value)
    return len(value) == len(items) and all(map(_fits, value, items))
