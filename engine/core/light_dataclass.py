"""Dataclasses that cost little to define: they begin to exist when something uses them.

The decorator of the standard library loads `inspect`, and compiles up to six functions for each
class. With our classes that was half of the time that `from engine import train_bpe` took. This one
shares all functions but `__init__` among the classes, and compiles `__init__` at its first use.

Everything else is as in `dataclasses`: type checkers see the standard decorator, and the standard
`fields`, `replace` and `asdict` take these objects. Left out is what no class of ours uses, such as
`order`, `InitVar` and the metadata of fields.

>>> @dataclass(frozen=True)
... class Point:
...     x: int
...     y: int = 0
>>> Point(1), Point(1) == Point(1, 0)
(Point(x=1, y=0), True)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from operator import attrgetter
from reprlib import recursive_repr
from types import FunctionType, MemberDescriptorType
from typing import TYPE_CHECKING, Any

_MISSING: Any = object()
"""The value of a default that is not given."""
_SPEC = "__light_dataclass__"
"""The attribute of a class that holds its `_Spec`."""


class _Field:
    """A field of a class: its name, its annotation, and the arguments of `field`."""

    name: str
    annotation: str
    kw_only: bool

    def __init__(
        self,
        *,
        default: Any = _MISSING,
        default_factory: Callable[[], Any] = _MISSING,
        init: bool = True,
        repr: bool = True,
        compare: bool = True,
    ) -> None:
        self.default, self.default_factory = default, default_factory
        self.init, self.repr, self.compare = init, repr, compare


class _Spec:
    """The fields of one class, its own and those of its bases, and what they are used for."""

    def __init__(self, owner: type, fields: dict[str, _Field], *, frozen: bool) -> None:
        self.owner, self.fields, self.frozen = owner, fields, frozen
        self.compared = _getter([each.name for each in fields.values() if each.compare])
        self.shown = [each.name for each in fields.values() if each.repr]


def _getter(names: list[str]) -> Callable[[Any], tuple[Any, ...]]:
    """Return a function that returns these attributes of an object as a tuple."""
    if len(names) > 1:
        return attrgetter(*names)
    return lambda each: tuple(getattr(each, name) for name in names)


def _decorate(
    owner: type | None = None,
    /,
    *,
    frozen: bool = False,
    eq: bool = True,
    repr: bool = True,
    slots: bool = False,
    kw_only: bool = False,
) -> Any:
    """Make a class a dataclass; the arguments are those of `dataclasses.dataclass`."""

    def decorated(owner: type) -> type:
        fields = {each.name: each for each in _inherited(owner)}
        fields |= {each.name: each for each in _declared(owner, kw_only=kw_only)}
        if slots:
            owner = _with_slots(owner, fields)
        setattr(owner, _SPEC, _Spec(owner, fields, frozen=frozen))
        methods: dict[str, Any] = {"__repr__": _repr} if repr else {}
        if eq:
            methods |= {"__eq__": _eq}
            if vars(owner).get("__hash__") is None:  # Python sets it to None beside an `__eq__`
                owner.__hash__ = _hash if frozen else None  # type: ignore[assignment]
        if frozen:
            methods |= {"__setattr__": _refuse_to_set, "__delattr__": _refuse_to_delete}
            methods |= {"__reduce__": _reduce} if slots else {}
        positional = [each.name for each in fields.values() if each.init and not each.kw_only]
        methods |= {
            "__init__": _MadeWhenAsked(owner, "__init__", _compiled_init),
            "__match_args__": tuple(positional),
            "__dataclass_fields__": _MadeWhenAsked(owner, "__dataclass_fields__", _standard_fields),
        }
        for name, method in methods.items():
            if name not in vars(owner):
                setattr(owner, name, method)
        return owner

    return decorated if owner is None else decorated(owner)


def _inherited(owner: type) -> Iterator[_Field]:
    """Yield the fields of the bases, the farthest base first."""
    for base in reversed(owner.__mro__[1:]):
        if spec := vars(base).get(_SPEC):
            yield from spec.fields.values()


def _declared(owner: type, *, kw_only: bool) -> Iterator[_Field]:
    """Yield the fields that the class annotates. A default takes the place of its `field`."""
    for name, annotation in owner.__annotations__.items():
        if annotation.startswith("ClassVar"):
            continue
        found = getattr(owner, name, _MISSING)
        if isinstance(found, MemberDescriptorType):  # a slot of a base
            found = _MISSING
        if isinstance(found, _Field):
            declared = found
            if found.default is _MISSING:
                delattr(owner, name)
            else:
                setattr(owner, name, found.default)
        else:
            declared = _Field(default=found)
        declared.name, declared.annotation, declared.kw_only = name, annotation, kw_only
        yield declared


def _with_slots(owner: type, fields: dict[str, _Field]) -> type:
    """Return the class again, with slots: they have to be there when a class is made."""
    inherited = {each.name for each in _inherited(owner)}
    slots = tuple(name for name in fields if name not in inherited)
    left_out = {*fields, "__dict__", "__weakref__"}
    body = {name: value for name, value in vars(owner).items() if name not in left_out}
    body |= {"__slots__": slots, "__qualname__": owner.__qualname__}
    return type(owner)(owner.__name__, owner.__bases__, body)


# -- the functions that all classes share


def _spec_of(each: object) -> _Spec:
    spec: _Spec = getattr(type(each), _SPEC)
    return spec


@recursive_repr("...")
def _repr(self: object) -> str:
    shown = (f"{name}={getattr(self, name)!r}" for name in _spec_of(self).shown)
    return f"{type(self).__qualname__}({', '.join(shown)})"


def _eq(self: object, other: object) -> Any:
    if type(self) is not type(other):
        return NotImplemented
    compared = _spec_of(self).compared
    return compared(self) == compared(other)


def _hash(self: object) -> int:
    return hash(_spec_of(self).compared(self))


def _reduce(self: object) -> tuple[type, tuple[Any, ...]]:
    """Have copies made by the constructor: `copy` and `pickle` would set the frozen slots."""
    fields = _spec_of(self).fields.values()
    return type(self), tuple(getattr(self, each.name) for each in fields if each.init)


def _refuse_to_set(self: object, name: str, value: object) -> None:
    _check_not_frozen(self, name, "assign to")
    object.__setattr__(self, name, value)


def _refuse_to_delete(self: object, name: str) -> None:
    _check_not_frozen(self, name, "delete")
    object.__delattr__(self, name)


def _check_not_frozen(each: object, name: str, doing: str) -> None:
    """Raise `FrozenInstanceError` for a field, and for any attribute unless a subclass adds it."""
    spec = _spec_of(each)
    if name in spec.fields or type(each) is spec.owner:
        from dataclasses import FrozenInstanceError

        raise FrozenInstanceError(f"cannot {doing} field {name!r}")


# -- what is made when a class is first used


class _MadeWhenAsked:
    """A placeholder for an attribute of a class; it is made when something first asks for it."""

    def __init__(self, owner: type, name: str, make: Callable[[_Spec], Any]) -> None:
        self._owner, self._name, self._make = owner, name, make

    def __get__(self, instance: object, owner: type) -> Any:
        made = self._make(getattr(self._owner, _SPEC))
        setattr(self._owner, self._name, made)
        return made.__get__(instance, owner) if isinstance(made, FunctionType) else made


def _compiled_init(spec: _Spec) -> FunctionType:
    """Compile the `__init__` of a class; it is as fast as one that is written by hand."""
    owner = spec.owner
    names: dict[str, Any] = {
        "__name__": owner.__module__,
        "_missing": _MISSING,
        "_set": object.__setattr__,
    }
    parameters: list[str] = []
    keywords: list[str] = []
    lines = ["pass"]
    for name, each in spec.fields.items():
        value = name
        parameter = name
        if each.default_factory is not _MISSING:
            names[f"_new_{name}"] = each.default_factory
            parameter = f"{name}=_missing"
            value = f"_new_{name}()"
            if each.init:
                value += f" if {name} is _missing else {name}"
        elif each.default is not _MISSING:
            names[f"_default_{name}"] = each.default
            parameter = f"{name}=_default_{name}"
            value = name if each.init else f"_default_{name}"
        elif not each.init:
            continue
        if each.init:
            (keywords if each.kw_only else parameters).append(parameter)
        lines.append(f"_set(self, {name!r}, {value})" if spec.frozen else f"self.{name} = {value}")
    if hasattr(owner, "__post_init__"):
        lines.append("self.__post_init__()")
    signature = ", ".join(["self", *parameters, *(["*", *keywords] if keywords else [])])
    exec(f"def __init__({signature}):\n " + "\n ".join(lines), names)
    init: FunctionType = names["__init__"]
    init.__qualname__ = f"{owner.__qualname__}.__init__"
    init.__annotations__ = {
        name: each.annotation for name, each in spec.fields.items() if each.init
    } | {"return": None}
    return init


def _standard_fields(spec: _Spec) -> Any:
    """Return the fields as `dataclasses` has them, for its `fields`, `replace` and `asdict`."""
    import dataclasses

    fields = []
    for each in spec.fields.values():
        given = {key: value for key, value in vars(each).items() if value is not _MISSING}
        name, annotation = given.pop("name"), given.pop("annotation")
        fields.append((name, annotation, dataclasses.field(**given)))
    return vars(dataclasses.make_dataclass("Fields", fields))["__dataclass_fields__"]


if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
    from dataclasses import field as field
else:
    dataclass = _decorate
    field = _Field
