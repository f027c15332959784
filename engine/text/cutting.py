"""Cutters of pieces of text into pretokens, thousands of pieces at a time.

A piece is the text between two borders of a pattern (see `Border`), usually a single pretoken.
The compiled kernel scans pieces for the patterns it knows. For other patterns, or without a kernel,
the pattern's regex cuts each piece.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable
from functools import cache, partial

from engine.core.arrays import parts_of
from engine.core.slow_modules import regex
from engine.native import KERNEL, scanning
from engine.text.patterns import Pattern, bert_pattern, name_of
from engine.text.pretokenize import pretokens_of_piece

CutPieces = Callable[[bytes, "array[int]"], tuple["array[int]", "array[int]"]]
"""A function (joined pieces, their sizes) → (lengths of pretokens, number of pretokens a piece).

Sizes and lengths are in bytes. All arrays hold 64-bit integers."""


def cutter_for(pattern: Pattern) -> CutPieces:
    """Return the fastest cutter for a pattern; several threads may call it.

    >>> from engine.text.patterns import PATTERNS
    >>> cut = cutter_for(PATTERNS["gpt2"])
    >>> [numbers.tolist() for numbers in cut(b" low  .", array("q", [4, 3]))]
    [[4, 1, 2], [1, 2]]
    """
    scanner = scanner_for(pattern)
    return regex_cutter(pattern) if scanner is None else scanner.cut


def text_cutter(pattern: Pattern) -> Callable[[str], list[str]]:
    r"""Return `pattern.split`, or a faster function with the same results.

    >>> from engine.text.patterns import PATTERNS
    >>> text_cutter(PATTERNS["gpt2"])("don't stop")
    ['don', "'t", ' stop']
    """
    scanner = scanner_for(pattern)
    if scanner is None:
        return pattern.split

    def cut(text: str) -> list[str]:
        if not text.isascii():  # the kernel counts bytes, and asks `regex` for other characters
            return pattern.split(text)
        lengths, _ = scanner.cut(text.encode(), array("q", (len(text),)))
        return parts_of(text, lengths)

    return cut


def scanner_for(pattern: Pattern) -> scanning.KernelScanner | None:
    """Return a scanner for a pattern; `None` if the kernel does not have the pattern."""
    marks = pattern.alternatives[0].regex
    name = "bert" if pattern == bert_pattern(marks) else name_of(pattern)
    if KERNEL is None or name not in scanning.SCANNED:
        return None
    return scanning.KernelScanner(name, partial(_classes_of, marks if name == "bert" else ""))


def regex_cutter(pattern: Pattern) -> CutPieces:
    """Return a cutter that uses the pattern's regex."""

    def cut(text: bytes, sizes: array[int]) -> tuple[array[int], array[int]]:
        lengths, counts = array("q"), array("q")
        for piece in parts_of(text, sizes):
            pretokens = pretokens_of_piece(pattern, piece)
            lengths.extend(map(len, pretokens))
            counts.append(len(pretokens))
        return lengths, counts

    return cut


_CLASSES = (
    (scanning.LETTER, r"\p{L}+"),
    (scanning.NUMBER, r"\p{N}+"),
    (scanning.SPACE, r"\s+"),
    (scanning.UPPER, r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+"),
    (scanning.LOWER, r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]+"),
)
_ASCII_CLASSES = (
    *((scanning.LETTER, "[A-Za-z]+"), (scanning.NUMBER, "[0-9]+"), (scanning.SPACE, "[\t-\r ]+")),
    *((scanning.UPPER, "[A-Z]+"), (scanning.LOWER, "[a-z]+"), (scanning.MARK, r"[!-/:-@\[-`{-~]+")),
)


@cache
def _classes_of(marks: str, page: int) -> bytes:
    """Return the class bits of each character of a page; `marks` is a regex of punctuation.

    The bits come from the `regex` module, so the kernel and the regexes agree on every character.
    Those of ASCII are written down, since loading that module takes longer than a short training.
    """
    characters = "".join(map(chr, range(scanning.PAGE * page, scanning.PAGE * (page + 1))))
    classes = bytearray([scanning.KNOWN] * scanning.PAGE)
    classes_here = (*_CLASSES, (scanning.MARK, marks)) if page else _ASCII_CLASSES
    for one, of_class in classes_here:
        for run in (regex if page else re).finditer(of_class, characters):
            for place in range(*run.span()):
                classes[place] |= one
    return bytes(classes)
