"""Sentences that quote tokens: a sequence of `str` for words and `bytes` for tokens.

Tokens may hold any bytes. The caller that shows a sentence decides how to write them: a screen
makes control characters visible.

A sentence is made from a template with named places, so a table of messages can translate it. The
English template is the key of the table, and what is shown without one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, TypeVar

from engine.core.gpt2_bytes import spell

Words = tuple[str | bytes, ...]
ShowBytes = Callable[[bytes], str]
"""A function that writes the bytes of a token as text."""
Messages = Mapping[str, str]
"""English template → the same in another language."""
ENGLISH: Messages = {}
"""The empty table: every message stays English."""

PartT = TypeVar("PartT")


def is_partial(token: bytes) -> bool:
    """Whether a token holds a part of a character: b'\\xe6\\x88' → True."""
    if token.isascii():
        return False
    try:
        token.decode()
    except UnicodeDecodeError:
        return True
    return False


@cache
def template_parts(template: str) -> tuple[str, ...]:
    """Split a template at its places; every second part is the name of a place.

    >>> template_parts("{pair} occurs {times}.")
    ('', 'pair', ' occurs ', 'times', '.')
    """
    return tuple(re.split(r"\{(\w+)\}", template))


def fill(
    template: str, values: Mapping[str, Sequence[PartT]], literal: Callable[[str], PartT]
) -> list[PartT]:
    """Return the parts of a filled template; `literal` makes a part of the text between places."""
    filled: list[PartT] = []
    for at, part in enumerate(template_parts(template)):
        if at % 2:
            filled += values[part]
        elif part:
            filled.append(literal(part))
    return filled


class Sentence:
    """A sentence, with a shorter version for where room is short.

    >>> sentence = say("{token} occurs {n} times.", token=b" th", n="12", shorter="{token}: {n}.")
    >>> str(sentence), str(sentence.shorter)
    ('Ġth occurs 12 times.', 'Ġth: 12.')

    Attributes:
        words: the sentence in English.
        template, values: the template that it was made from, and the values of its places.
    """

    def __init__(
        self,
        words: Words,
        shorter: Sentence | None = None,
        template: str = "",
        values: Mapping[str, Value] | None = None,
    ) -> None:
        self.words, self.shorter = words, shorter
        self.template = template
        self.values: Mapping[str, Value] = values or {}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sentence) and self._versions == other._versions

    def __hash__(self) -> int:
        return hash(self._versions)

    def __repr__(self) -> str:
        return f"<Sentence {str(self)!r}>"

    @property
    def _versions(self) -> tuple[Words, ...]:
        return tuple(version.words for version in self)

    def describe(self, show: ShowBytes = spell) -> str:
        """Return the sentence as text."""
        return describe(self.words, show)

    def translated(self, messages: Messages) -> Sentence:
        """Return the sentence in the language of a table; a template that it lacks stays.

        >>> str(say("{n} tokens", n="12").translated({"{n} tokens": "{n} 个词元"}))
        '12 个词元'
        """
        if not messages or not self.template:  # without a template it is translated already
            return self
        shorter = None if self.shorter is None else self.shorter.translated(messages)
        words = _words(messages.get(self.template, self.template), self.values, messages)
        return Sentence(words, shorter)

    def __str__(self) -> str:
        return self.describe()

    def __iter__(self) -> Iterator[Sentence]:
        """Yield the versions of the sentence, the longest first."""
        version: Sentence | None = self
        while version is not None:
            yield version
            version = version.shorter


Value = str | bytes | Words | Sentence
"""A value of a place in a template. A sentence is translated, too."""


def say(template: str, *, shorter: str = "", **values: Value) -> Sentence:
    """Make a sentence from a template, and a shorter one from the same values."""
    return Sentence(
        _words(template, values, ENGLISH),
        Sentence(_words(shorter, values, ENGLISH), None, shorter, values) if shorter else None,
        template,
        values,
    )


def _words(template: str, values: Mapping[str, Value], messages: Messages) -> Words:
    known = {name: _words_of(value, messages) for name, value in values.items()}
    return tuple(fill(template, known, lambda text: text))


def _words_of(value: Value, messages: Messages) -> Words:
    if isinstance(value, Sentence):
        return value.translated(messages).words
    return value if isinstance(value, tuple) else (value,)


def together(parts: Iterable[Sentence]) -> Sentence:
    """Return parts of a sentence as one, or sentences.

    >>> str(together([say("{n} left", n="3"), say("; none is tied")]))
    '3 left; none is tied'
    """
    values: dict[str, Any] = {f"part{n}": part for n, part in enumerate(parts)}
    return say("".join(f"{{{name}}}" for name in values), **values)


def describe(words: Words, show: ShowBytes = spell) -> str:
    """Return words and tokens as one text."""
    return "".join(word if isinstance(word, str) else show(word) for word in words)


_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def parted(sign: str, parts: Iterable[bytes | Words]) -> Words:
    """Return tokens, or names of several, as words with a sign between them: `a, b`."""
    words: list[str | bytes] = []
    for part in parts:
        words += [*[sign] * bool(words), *((part,) if isinstance(part, bytes) else part)]
    return tuple(words)


def edged(tokens: Iterable[bytes]) -> Words:
    """Return tokens as words of a sentence, with their edges: `·low┊est`."""
    return parted("┊", tokens)


def with_power(value: float, digits: int) -> str:
    """Write a small number with this number of digits and a power of ten.

    (0.0000231, 3) → '2.31×10⁻⁵'; (0.001, 1) → '10⁻³'.
    """
    amount, _, exponent = f"{value:.{digits - 1}e}".partition("e")
    power = f"10{str(int(exponent)).translate(_SUPERSCRIPTS)}"
    return power if amount == "1" else f"{amount}×{power}"


def counted(number: int, thing: str) -> str:
    """Count things: (1, 'token') → '1 token'; (1204, 'token') → '1,204 tokens'."""
    return str(amount(number, thing))


def amount(number: int, thing: str) -> Sentence:
    """Return a number of things; the templates are `{n} token` and `{n} tokens`."""
    return say(f"{{n}} {thing}{'' if number == 1 else 's'}", n=f"{number:,}")


def frequency(count: int) -> Sentence:
    """Return how often something occurs, as a part of a sentence."""
    return say("once") if count == 1 else say("{n} times", n=f"{count:,}")
