"""Fertility: how many tokens a word takes, script by script.

A word is a run of letters and marks of one script; in scripts that are written without spaces
between words each character is one. Marks and letters that several scripts share go with the
character before them. A token that reaches into two words counts in both.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from engine.core.arrays import Bools, Ints
from engine.text.pretokenize import to_text
from engine.text.scripts import (
    KIND_NAMES,
    OTHER,
    SHARED,
    WRITTEN_WITHOUT_SPACES,
    Kinds,
    ScriptTable,
)

SLICE = 1 << 20
"""Bytes that are looked at together: what is made of them takes thirty times the room."""

_SPACELESS = np.array(sorted(WRITTEN_WITHOUT_SPACES), dtype=np.uint8)


@dataclass(frozen=True)
class ScriptFertility:
    """The words of one script, and the tokens that each tokenizer takes for them."""

    script: str
    words: int
    tokens: tuple[int, ...]

    @property
    def tokens_per_word(self) -> tuple[float, ...]:
        """The fertility of each tokenizer."""
        return tuple(tokens / self.words for tokens in self.tokens)


@dataclass
class _Sums:
    words: Ints
    tokens: Ints = field(repr=False)


def fertility(data: bytes, edges: Sequence[Ints]) -> list[ScriptFertility]:
    """The scripts of a text, the one with the most words first.

    Args:
        data: the text.
        edges: for each tokenizer the edges of its tokens, in bytes.

    >>> [each] = fertility(b"to be", [np.array([0, 1, 2, 5]), np.array([0, 5])])
    >>> each.script, each.words, each.tokens
    ('Latin', 2, (3, 2))
    """
    table = ScriptTable()
    kinds = len(KIND_NAMES)
    sums = _Sums(np.zeros(kinds, np.int64), np.zeros((len(edges), kinds), np.int64))
    for start, end in _slices(data):
        _add(sums, table, data, edges, start, end)
    found = [
        ScriptFertility(name, int(words), tuple(tokens.tolist()))
        for name, words, tokens in zip(KIND_NAMES, sums.words, sums.tokens.T, strict=True)
        if words
    ]
    return sorted(found, key=lambda each: -each.words)


def _slices(data: bytes) -> Iterator[tuple[int, int]]:
    """Stretches that end before a newline or a space, so that no word is cut."""
    start = 0
    while start < len(data):
        wanted = start + SLICE
        places = [place for sign in (b"\n", b" ") if (place := data.find(sign, wanted)) >= 0]
        end = min(places, default=len(data))
        yield start, end
        start = end


def _add(
    sums: _Sums, table: ScriptTable, data: bytes, edges: Sequence[Ints], start: int, end: int
) -> None:
    text = to_text(data[start:end])
    kinds = _shared_as_before(table.kinds(text))
    begins, ends = _words(kinds)
    of_words = kinds[begins]
    places = _byte_places(text)
    sums.words += np.bincount(of_words, minlength=len(sums.words))
    for row, each in enumerate(edges):
        # Tokens that a word touches: one more than the cuts strictly inside it.
        inside = np.searchsorted(each, places[ends] + start) - np.searchsorted(
            each, places[begins] + start, side="right"
        )
        weights = np.maximum(inside, 0) + 1
        counted = np.bincount(of_words, weights=weights, minlength=len(sums.words))
        sums.tokens[row] += counted.astype(np.int64)


def _shared_as_before(kinds: Kinds) -> Kinds:
    """Shared letters and marks get the kind of the character before; at the start they stay."""
    if not np.any(kinds == SHARED):
        return kinds
    sources = np.where(kinds == SHARED, 0, np.arange(len(kinds)))
    return kinds[np.maximum.accumulate(sources)]


def _words(kinds: Kinds) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Where words begin and end, in characters."""
    is_word: Bools = kinds >= OTHER
    before = np.concatenate((np.zeros(1, np.uint8), kinds[:-1]))
    begins = is_word & ((before != kinds) | np.isin(kinds, _SPACELESS))
    after = np.append(begins[1:] | ~is_word[1:], True)[: len(kinds)]
    return np.flatnonzero(begins), np.flatnonzero(is_word & after) + 1


def _byte_places(text: str) -> Ints:
    """Where each character begins in UTF-8, and last where the text ends."""
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    widths = 1 + (codes >= 0x80).astype(np.int64) + (codes >= 0x800) + (codes >= 0x10000)
    widths[(codes >= 0xD800) & (codes < 0xE000)] = 1  # each stands for one byte that is no UTF-8
    return np.concatenate((np.zeros(1, np.int64), np.cumsum(widths)))
