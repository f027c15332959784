"""Reading untrusted JSON files: `Fields` checks the type of each value, `gc_paused` saves time.

A value that is missing or of another type is an error that names the place:
`pre_tokenizer.pretokenizers[1].behavior: should be a text, and is a number`.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from engine.core.errors import TokenizerFileError


@contextmanager
def gc_paused() -> Iterator[None]:
    """Pause the garbage collector; afterwards it is enabled as before.

    It goes through all containers whenever their number has grown by a quarter. While a vocabulary
    of 200,000 tokens is read, all of them are in use, and that time is lost.

    >>> with gc_paused():
    ...     gc.isenabled()
    False
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


_KINDS: dict[type, str] = {
    dict: "an object",
    list: "a list",
    str: "a text",
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    type(None): "null",
}


class Fields:
    """One object of a JSON file.

    Args:
        value: the value in the file, which should be an object.
        where: its path from the top of the file, for errors; empty for the whole file.

    >>> Fields({"behavior": None}, "pre_tokenizer").text("behavior")
    Traceback (most recent call last):
    engine.core.errors.TokenizerFileError: pre_tokenizer.behavior: should be a text, and is null
    """

    def __init__(self, value: Any, where: str = "") -> None:
        self.where = where
        self.value: Mapping[str, Any] = _checked(value, dict, where or "the file")

    def path(self, key: str) -> str:
        """Return the path of a key from the top of the file."""
        return f"{self.where}.{key}" if self.where else key

    def error(self, key: str, problem: str) -> TokenizerFileError:
        """Return an error that names a key and the problem with its value."""
        return TokenizerFileError(f"{self.path(key)}: {problem}")

    def has(self, key: str) -> bool:
        """Whether the key has a value other than null."""
        return self.value.get(key) is not None

    def _get(self, key: str, kind: type) -> Any:
        if key not in self.value:
            raise self.error(key, f"is missing; {_KINDS[kind]} should be there")
        return _checked(self.value[key], kind, self.path(key))

    def text(self, key: str) -> str:
        return well_formed(self._get(key, str), self.path(key))

    def text_or_null(self, key: str) -> str | None:
        return self.text(key) if self.has(key) else None

    def character(self, key: str) -> str:
        text = self.text(key)
        if len(text) != 1:
            raise self.error(key, f"should be a single character, and is {text[:60]!r}")
        return text

    def flag(self, key: str) -> bool:
        return bool(self._get(key, bool))

    def flag_or_null(self, key: str) -> bool | None:
        return self.flag(key) if self.has(key) else None

    def count(self, key: str) -> int:
        """Return a whole number that is not negative."""
        number = int(self._get(key, int))
        if number < 0:
            raise self.error(key, f"should not be negative, and is {number}")
        return number

    def number_or_null(self, key: str) -> float | None:
        number = self.value.get(key)
        if number is not None and type(number) not in (int, float):
            raise self.error(key, "should be a number or null")
        return number

    def choice(self, key: str, choices: Sequence[str]) -> str:
        """Return a text that must be one of the choices."""
        chosen = self.text(key)
        if chosen not in choices:
            known = ", ".join(choices)
            raise self.error(key, f"{chosen[:60]!r} is none of {known}")
        return chosen

    def inner(self, key: str) -> Fields:
        """Return the object under a key."""
        return Fields(self._get(key, dict), self.path(key))

    def inner_or_null(self, key: str) -> Fields | None:
        return self.inner(key) if self.has(key) else None

    def each(self, key: str) -> list[Fields]:
        """Return the objects of the list under a key."""
        items = enumerate(self.items(key))
        return [Fields(item, f"{self.path(key)}[{place}]") for place, item in items]

    def texts(self, key: str) -> list[str]:
        """Return the list of texts under a key."""
        return [each.text("item") for each in self._items_as_fields(key)]

    def counts(self, key: str) -> list[int]:
        """Return the list of whole numbers under a key; a negative one is an error."""
        return [each.count("item") for each in self._items_as_fields(key)]

    def _items_as_fields(self, key: str) -> list[Fields]:
        items = enumerate(self.items(key))
        return [Fields({"item": item}, f"{self.path(key)}[{place}]") for place, item in items]

    def items(self, key: str) -> list[Any]:
        """Return the list under a key, without checking its items."""
        return list(self._get(key, list))


def _checked(value: Any, kind: type, where: str) -> Any:
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise TokenizerFileError(
            f"{where}: should be {_KINDS[kind]}, and is {_KINDS.get(type(value), 'something else')}"
        )
    return value


def well_formed(text: str, where: str) -> str:
    r"""Return the text; raise an error if it contains half a surrogate pair.

    JSON can contain one, as `"\ud800"`, but no text that a tokenizer reads does.
    """
    try:
        text.encode()
    except UnicodeEncodeError as error:
        near = text[max(error.start - 9, 0) : error.end + 9]
        raise TokenizerFileError(f"{where}: holds half a character, in {near!r}") from None
    return text
