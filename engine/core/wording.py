"""Sentences that quote tokens: a sequence of `str` for words and `bytes` for tokens.

Tokens may hold any bytes. The caller that shows a sentence decides how to write them: a screen
makes control characters visible, a notebook may use GPT-2's spelling.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from engine.core.gpt2_bytes import spell

Words = tuple[str | bytes, ...]
ShowBytes = Callable[[bytes], str]
"""A function that writes the bytes of a token as text."""


@dataclass(frozen=True)
class Sentence:
    """A sentence, with a shorter version for where room is short.

    >>> sentence = say(b" th", " occurs 12 times.", shorter=(b" th", ": 12."))
    >>> str(sentence), str(sentence.shorter)
    ('Ġth occurs 12 times.', 'Ġth: 12.')
    """

    words: Words
    shorter: Sentence | None = None

    def describe(self, show: ShowBytes = spell) -> str:
        """Return the sentence as text."""
        return describe(self.words, show)

    def __str__(self) -> str:
        return self.describe()

    def __iter__(self) -> Iterator[Sentence]:
        """Yield the versions of the sentence, the longest first."""
        version: Sentence | None = self
        while version is not None:
            yield version
            version = version.shorter


def say(*words: str | bytes, shorter: Words = ()) -> Sentence:
    """Make a sentence of these words."""
    return Sentence(words, Sentence(shorter) if shorter else None)


def describe(words: Words, show: ShowBytes = spell) -> str:
    """Return words and tokens as one text."""
    return "".join(word if isinstance(word, str) else show(word) for word in words)


_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def with_power(value: float, digits: int) -> str:
    """Write a small number with this number of digits and a power of ten.

    (0.0000231, 3) → '2.31·10⁻⁵'; (0.001, 1) → '10⁻³'.
    """
    amount, _, exponent = f"{value:.{digits - 1}e}".partition("e")
    power = f"10{str(int(exponent)).translate(_SUPERSCRIPTS)}"
    return power if amount == "1" else f"{amount}·{power}"


def counted(number: int, thing: str) -> str:
    """Count things: (1, 'token') → '1 token'; (1204, 'token') → '1,204 tokens'."""
    return f"{number:,} {thing}{'' if number == 1 else 's'}"


def times(count: int) -> str:
    """Write how often something occurs: 1 → 'once', 1204 → '1,204 times'."""
    return "once" if count == 1 else f"{count:,} times"
