"""What a normalizer is: it replaces parts of a text, and knows which.

A normalizer tells its *edits*: stretches of the text with what comes in their place. From these
follows the new text, and for each of its characters the stretch of the original that it stands
for. What no edit touches stands for itself.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple, Self

from engine.pipeline.stage import Composite, Stage, check_growth, stage


class Edit(NamedTuple):
    """`text[start:end]` becomes `new`."""

    start: int
    end: int
    new: str


@dataclass(frozen=True)
class Aligned:
    """A text that was made of another one.

    Attributes:
        text: as it is now.
        spans: for each of its characters from where to where the original is that it stands for.
    """

    text: str
    spans: tuple[tuple[int, int], ...]

    @classmethod
    def of(cls, text: str, start: int = 0) -> Self:
        """A text that nothing has changed, and that begins at `start` of the original."""
        return cls(text, tuple((start + at, start + at + 1) for at in range(len(text))))

    def part(self, start: int, end: int) -> Aligned:
        """The characters from `start` to `end`."""
        return Aligned(self.text[start:end], self.spans[start:end])

    def edited(self, edits: Iterable[Edit]) -> Aligned:
        """The text after edits, which come in order and do not overlap.

        What is inserted stands for nothing: its span is empty.

        >>> Aligned.of("ABC").edited([Edit(1, 2, "be")]).spans
        ((0, 1), (1, 2), (1, 2), (2, 3))
        """
        texts: list[str] = []
        spans: list[tuple[int, int]] = []
        last = 0
        for start, end, new in edits:
            texts += (self.text[last:start], new)
            spans += self.spans[last:start]
            spans += [self.span(start, end)] * len(new)
            last = end
        return Aligned("".join((*texts, self.text[last:])), (*spans, *self.spans[last:]))

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The stretch of the original that the characters from `start` to `end` stand for."""
        if start < end:
            return self.spans[start][0], self.spans[end - 1][1]
        place = self.spans[start][0] if start < len(self.spans) else self._end
        return place, place

    @property
    def _end(self) -> int:
        return self.spans[-1][1] if self.spans else 0


class Normalizer(Stage):
    """Makes a text that is easier to encode, and often loses something."""

    @abstractmethod
    def align(self, aligned: Aligned) -> Aligned:
        """The normalized text, with where each of its characters comes from."""

    def normalize(self, text: str) -> str:
        """The normalized text. A subclass may know a faster way to it."""
        return self.align(Aligned.of(text)).text


class EditingNormalizer(Normalizer):
    """A normalizer that tells what it changes."""

    @abstractmethod
    def edits(self, text: str) -> Iterator[Edit]:
        """What changes, from left to right."""

    def align(self, aligned: Aligned) -> Aligned:
        return aligned.edited(self.edits(aligned.text))


class CharacterNormalizer(EditingNormalizer):
    """A normalizer that looks at each character by itself."""

    @abstractmethod
    def replaced(self, character: str) -> str:
        """What comes in the place of a character: itself, another, several, or nothing."""

    def edits(self, text: str) -> Iterator[Edit]:
        for at, character in enumerate(text):
            new = self.replaced(character)
            if new != character:
                yield Edit(at, at + 1, new)

    def normalize(self, text: str) -> str:
        return "".join(map(self.replaced, text))


@stage
class Sequence(Composite[Normalizer], Normalizer):
    """Normalizers one after the other."""

    name = "Sequence"
    parts_key = "normalizers"

    def align(self, aligned: Aligned) -> Aligned:
        before = len(aligned.text)
        for part in self.parts:
            aligned = part.align(aligned)
            check_growth(part, before, len(aligned.text))
        return aligned

    def normalize(self, text: str) -> str:
        before = len(text)
        for part in self.parts:
            text = part.normalize(text)
            check_growth(part, before, len(text))
        return text
