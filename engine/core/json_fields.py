"""Reading untrusted JSON files: `Fields` checks the type of each value, `gc_paused` saves time.

A value that is missing or of another type is an error that names the place:
`pre_tokenizer.pretokenizers[1].behavior: should be a text, and is a number`.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

from engine.core.errors import TokenizerFileError


@contextmanager
def gc_paused() -> Iterator[None]:
    """Pause the collector; afterwards it is as it was before.

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


Default = TypeVar("Default")

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
        value: what stands there, which may be no object at all.
        where: the way to it from the top, for errors; empty for the whole file.

    >>> Fields({"behavior": None}, "pre_tokenizer").text("behavior")
    Traceback (most recent call last):
    engine.core.errors.TokenizerFileError: pre_tokenizer.behavior: should be a text, and is null
    """

    def __init__(self, value: Any, where: str = "") -> None:
        self.where = where
        self.value: Mapping[str, Any] = _checked(value, dict, where or "the file")

    def path(self, key: str) -> str:
        """The way to a key from the top of the file."""
        return f"{self.where}.{key}" if self.where else key

    def error(self, key: str, problem: str) -> TokenizerFileError:
        """An error that says what is wrong under a key."""
        return TokenizerFileError(f"{self.path(key)}: {problem}")

    def has(self, key: str) -> bool:
        """Whether something other than null stands there."""
        return self.value.get(key) is not None

    def _get(self, key: str, kind: type) -> Any:
        if key not in self.value:
            raise self.error(key, f"is missing; {_KINDS[kind]} should stand there")
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
        """A whole number that is not negative."""
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
        """A text that has to be one of the choices."""
        chosen = self.text(key)
        if chosen not in choices:
            known = ", ".join(choices)
            raise self.error(key, f"{chosen[:60]!r} is none of {known}")
        return chosen

    def inner(self, key: str) -> Fields:
        """The object under a key."""
        return Fields(self._get(key, dict), self.path(key))

    def inner_or_null(self, key: str) -> Fields | None:
        return self.inner(key) if self.has(key) else None

    def each(self, key: str) -> list[Fields]:
        """The objects of the list under a key."""
        items = enumerate(self.items(key))
        return [Fields(item, f"{self.path(key)}[{place}]") for place, item in items]

    def each_or_none(self, key: str) -> list[Fields]:
        """The objects of the list under a key; none if null or nothing stands there."""
        return self.each(key) if self.has(key) else []

    def texts(self, key: str) -> list[str]:
        """The list of texts under a key."""
        return [self._item(key, place).text("item") for place in range(len(self.items(key)))]

    def counts(self, key: str) -> list[int]:
        """The list of whole numbers under a key, none of them negative."""
        return [self._item(key, place).count("item") for place in range(len(self.items(key)))]

    def _item(self, key: str, place: int) -> Fields:
        return Fields({"item": self.items(key)[place]}, f"{self.path(key)}[{place}]")

    def items(self, key: str) -> list[Any]:
        """The list under a key, its items unchecked."""
        return list(self._get(key, list))


def _checked(value: Any, kind: type, where: str) -> Any:
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise TokenizerFileError(
            f"{where}: should be {_KINDS[kind]}, and is {_KINDS.get(type(value), 'something else')}"
        )
    return value


def well_formed(text: str, where: str) -> str:
    r"""The text, unless it holds half a pair of surrogates, which no tokenizer can meet.

    JSON can write them down: `"\ud800"`.
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        raise TokenizerFileError(f"{where}: holds half a character, {text[:60]!r}") from None
    return text
