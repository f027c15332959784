"""Sentences that quote tokens. Words are `str`; tokens, which may hold any bytes, are `bytes`.

Whoever shows a sentence says how bytes are written: a screen makes control characters visible, a
notebook may take GPT-2's spelling.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from engine.core.gpt2_bytes import spell

Words = tuple[str | bytes, ...]
ShowBytes = Callable[[bytes], str]
"""How bytes are written."""


@dataclass(frozen=True)
class Sentence:
    """A sentence, and one that stands in for it where room is short.

    >>> said = say(b" th", " stands 12 times.", shorter=(b" th", ": 12."))
    >>> str(said), str(said.shorter)
    ('Ġth stands 12 times.', 'Ġth: 12.')
    """

    words: Words
    shorter: Sentence | None = None

    def describe(self, show: ShowBytes = spell) -> str:
        """The sentence as text."""
        return describe(self.words, show)

    def __str__(self) -> str:
        return self.describe()

    def __iter__(self) -> Iterator[Sentence]:
        """The ways to say it, the longest first."""
        said: Sentence | None = self
        while said is not None:
            yield said
            said = said.shorter


def say(*words: str | bytes, shorter: Words = ()) -> Sentence:
    """A sentence of these words."""
    return Sentence(words, Sentence(shorter) if shorter else None)


def describe(words: Words, show: ShowBytes = spell) -> str:
    """Words and tokens as one text."""
    return "".join(word if isinstance(word, str) else show(word) for word in words)


_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def with_power(value: float, digits: int) -> str:
    """A small number with so many digits and a power of ten.

    (0.0000231, 3) → '2.31·10⁻⁵'; (0.001, 1) → '10⁻³'.
    """
    amount, _, exponent = f"{value:.{digits - 1}e}".partition("e")
    power = f"10{str(int(exponent)).translate(_SUPERSCRIPTS)}"
    return power if amount == "1" else f"{amount}·{power}"


def times(count: int) -> str:
    """How often: 1 → 'once', 1204 → '1,204 times'."""
    return "once" if count == 1 else f"{count:,} times"
