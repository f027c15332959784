"""The first part of a corpus, cut into lines of pretokens, to be looked at."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from engine.core.errors import WhatIfError
from engine.text.patterns import Pattern, as_pattern
from engine.text.pretokenize import Pretoken, SpecialSplitter, is_blank, pretokens, to_text

# One document of a corpus by its number, in pretokens.


def document_counts(
    chunks: Iterable[bytes],
    number: int,
    pattern: str | Pattern = "gpt2",
    special_tokens: Sequence[str] = (),
) -> Counter[bytes]:
    """The pretoken counts of document `number`, from 1, of a corpus cut into safe chunks.

    A document is a stretch between special tokens that holds more than whitespace.

    >>> dict(document_counts([b"a b<e> <e>c ", b"d<e>"], 2, special_tokens=["<e>"]))
    {b'c': 1, b' ': 1, b'd': 1}

    Raises:
        WhatIfError: there is no document of this number.
    """
    splitter, pattern = SpecialSplitter(special_tokens), as_pattern(pattern)
    counts: Counter[bytes] = Counter()
    documents, begun = 0, False
    for chunk in chunks:
        for place, stretch in enumerate(splitter.documents(chunk)):
            if place:
                if begun and documents == number:
                    return counts
                counts.clear()
                begun = False
            if not begun and not is_blank(stretch):
                documents, begun = documents + 1, True
            if documents + (not begun) == number:
                found = pretokens(to_text(stretch), pattern, SpecialSplitter(()))
                counts.update(pretoken.bytes for pretoken in found)
    if begun and documents == number:
        return counts
    raise WhatIfError(f"there is no document {number:,}; the corpus has {documents:,}")


def without(counts: Mapping[bytes, int], some: Mapping[bytes, int]) -> dict[bytes, int]:
    """The counts less those of a part; what is not left is left out, the order stays.

    >>> without({b"a": 2, b"b": 1}, {b"a": 1, b"b": 1})
    {b'a': 1}
    """
    left = ((pretoken, count - some.get(pretoken, 0)) for pretoken, count in counts.items())
    return {pretoken: count for pretoken, count in left if count > 0}


LONGEST_LINE = 200
"""Pretokens in a line; a longer one is continued on the next."""


@dataclass(frozen=True)
class Excerpt:
    """Lines of pretokens. `complete` says that the whole corpus is here.

    A line ends behind a pretoken that holds a newline, and behind a special token.
    """

    lines: tuple[tuple[Pretoken, ...], ...]
    complete: bool

    @classmethod
    def of(
        cls,
        data: bytes,
        pattern: str | Pattern = "gpt2",
        special_tokens: Sequence[str] = (),
        *,
        complete: bool = True,
    ) -> Excerpt:
        """Cut the beginning of a corpus into lines."""
        lines: list[tuple[Pretoken, ...]] = []
        line: list[Pretoken] = []
        for pretoken in pretokens(
            to_text(data), as_pattern(pattern), SpecialSplitter(special_tokens)
        ):
            if pretoken.special and line:
                lines.append(tuple(line))
                line = []
            line.append(pretoken)
            if pretoken.special or "\n" in pretoken.text or len(line) == LONGEST_LINE:
                lines.append(tuple(line))
                line = []
        if line:
            lines.append(tuple(line))
        return cls(tuple(lines), complete)

    @property
    def text(self) -> str:
        r"""What was cut, special tokens included.

        >>> Excerpt.of(b"a cat\na dog").text
        'a cat\na dog'
        """
        return "".join(pretoken.text for line in self.lines for pretoken in line)

    @cached_property
    def first_lines(self) -> dict[bytes, int]:
        """pretoken → the first line that holds it; special tokens left out."""
        first: dict[bytes, int] = {}
        for number, line in enumerate(self.lines):
            for pretoken in line:
                if not pretoken.special:
                    first.setdefault(pretoken.bytes, number)
        return first

    def lines_with(self, pretoken: bytes) -> list[int]:
        r"""The lines that hold the pretoken, by their places from 0.

        >>> Excerpt.of(b"a cat\na dog\na cat").lines_with(b" cat")
        [0, 2]
        """
        text = to_text(pretoken)
        return [
            number
            for number, line in enumerate(self.lines)
            if any(found.text == text and not found.special for found in line)
        ]
