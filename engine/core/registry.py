"""A registry: named things of one kind, and a helpful error for a name that is not among them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from typing import Generic, Protocol, TypeVar

from engine.core.errors import UnknownNameError

T = TypeVar("T")


class Registry(Mapping[str, T], Generic[T]):
    """An ordered mapping name → thing.

    Args:
        kind: what one of the things is called, for the error: `unknown colour 'gren'`.
        entries: the things by name, in the order in which they are offered.

    Raises:
        UnknownNameError: by `registry[name]`, for a name that is not there.

    >>> colours = Registry("colour", {"red": 1, "green": 2})
    >>> try: colours["gren"]
    ... except UnknownNameError as error: print(error)
    unknown colour 'gren'; did you mean 'green'? There are: red, green
    """

    def __init__(self, kind: str, entries: Mapping[str, T]) -> None:
        self.kind = kind
        self._entries = dict(entries)

    def __getitem__(self, name: str) -> T:
        try:
            return self._entries[name]
        except KeyError:
            near = get_close_matches(name, self._entries, n=1)
            hint = f"; did you mean {near[0]!r}?" if near else "."
            raise UnknownNameError(
                f"unknown {self.kind} {name!r}{hint} There are: {', '.join(self._entries)}"
            ) from None

    def __contains__(self, name: object) -> bool:
        return name in self._entries

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)


class Named(Protocol):
    """A thing that has a name of its own."""

    @property
    def name(self) -> str: ...


NamedT = TypeVar("NamedT", bound=Named)


def registry_of(kind: str, *entries: NamedT) -> Registry[NamedT]:
    """The registry of things that have a `name`, in this order.

    >>> from types import SimpleNamespace
    >>> list(registry_of("colour", SimpleNamespace(name="red"), SimpleNamespace(name="green")))
    ['red', 'green']
    """
    return Registry(kind, {entry.name: entry for entry in entries})
