"""A registry: named things of one kind, and a helpful error for an unknown name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, NoReturn, Protocol, TypeVar, cast

from engine.core.errors import UnknownNameError
from engine.core.slow_modules import difflib

NameT = TypeVar("NameT", bound=str)
T = TypeVar("T")


class Registry(dict[NameT, T]):
    """An ordered mapping name → thing.

    Args:
        kind: the word for one of the things, for the error: `unknown colour 'gren'`.
        entries: the things by name, in the order in which they are offered.

    Raises:
        UnknownNameError: by `registry[name]`, for an unknown name.

    >>> colours = Registry("colour", {"red": 1, "green": 2})
    >>> try: colours["gren"]
    ... except UnknownNameError as error: print(error)
    unknown colour 'gren'; did you mean 'green'? There are: red, green
    """

    def __init__(self, kind: str, entries: Mapping[NameT, T]) -> None:
        super().__init__(entries)
        self.kind = kind

    if TYPE_CHECKING:  # a name that may be unknown is looked up, too

        def __getitem__(self, name: str) -> T: ...

    def name_of(self, text: str) -> NameT:
        """Return the name that a text is; an unknown one raises as `registry[text]` does."""
        return next((name for name in self if name == text), None) or self.__missing__(text)

    def __missing__(self, name: str) -> NoReturn:
        near = near_name(name, self)
        hint = f"; did you mean {near!r}?" if near else "."
        known = ", ".join(self)
        raise UnknownNameError(f"unknown {self.kind} {name!r}{hint} There are: {known}")


class LoadedRegistry(Registry[NameT, T]):
    """A registry whose things are loaded when they are first looked up.

    Args:
        places: name → the place of the thing, such as `module:object`.
        load: returns the thing at a place.

    >>> colours = LoadedRegistry("colour", {"red": "255", "green": "0"}, int)
    >>> list(colours), colours["red"]
    (['red', 'green'], 255)
    """

    def __init__(self, kind: str, places: Mapping[NameT, str], load: Callable[[str], T]) -> None:
        super().__init__(kind, cast("Mapping[NameT, T]", places))
        self._load = load

    def __getitem__(self, name: str) -> T:
        found = super().__getitem__(name)
        if isinstance(found, str):
            found = self[cast("NameT", name)] = self._load(found)
        return found

    def values(self) -> Any:
        return map(self.__getitem__, self)

    def items(self) -> Any:
        return zip(self, self.values(), strict=True)


def near_name(name: str, known: Iterable[str]) -> str | None:
    """Return the name that another misspells or abbreviates; `None` if there is none.

    >>> formats = ["huggingface", "tiktoken", "gpt2"]
    >>> near_name("GPT-2", formats), near_name("hf", formats), near_name("x", formats)
    ('gpt2', 'huggingface', None)
    """
    name, known = name.casefold(), list(known)
    near = difflib.get_close_matches(name, known, n=1) or [
        each for each in known if each[:1] == name[:1] and _has_in_order(each, name)
    ]
    return near[0] if near else None


def _has_in_order(word: str, letters: str) -> bool:
    """Return whether a word has these letters in this order, perhaps with others between."""
    rest = iter(word)
    return all(letter in rest for letter in letters)


class Named(Protocol):
    """A thing with a name."""

    @property
    def name(self) -> str: ...


NamedT = TypeVar("NamedT", bound=Named)


def registry_of(kind: str, *entries: NamedT) -> Registry[Any, NamedT]:
    """Return a registry of things that have a `name`, in this order.

    >>> from types import SimpleNamespace
    >>> list(registry_of("colour", SimpleNamespace(name="red"), SimpleNamespace(name="green")))
    ['red', 'green']
    """
    return Registry(kind, {entry.name: entry for entry in entries})
