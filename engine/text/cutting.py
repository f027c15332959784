"""Cutters of pieces of text into pretokens, thousands of pieces at a time.

A piece is the text between two borders of a pattern (see `Border`), usually a single pretoken.
The compiled kernel scans pieces for the patterns it knows. For other patterns, or without a kernel,
the pattern's regex cuts each piece.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable
from functools import cache, partial

from engine.core.arrays import parts_of
from engine.core.slow_modules import regex, unicodedata
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
    return scanning.KernelScanner(name, partial(classes_of, marks if name == "bert" else ""))


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
_OF_CATEGORY = {
    **dict.fromkeys(("Lu", "Lt"), scanning.LETTER | scanning.UPPER),
    "Ll": scanning.LETTER | scanning.LOWER,
    "L": scanning.LETTER | scanning.UPPER | scanning.LOWER,
    "M": scanning.UPPER | scanning.LOWER,
    "N": scanning.NUMBER,
    "Z": scanning.SPACE,
    "P": scanning.MARK,
    "S": scanning.MARK,
}
"""Category of Unicode, or its first letter → class bits. Only BERT's pattern looks at marks."""
_SPACES = "\t\n\v\f\r\x85"
"""Spaces whose category is that of control characters."""
_RECLASSIFIED = "\u0295"
"""Characters whose category changes with Unicode 17, which not each Python and `regex` has."""


@cache
def classes_of(marks: str, page: int, is_again: bool) -> bytes:
    """Return the class bits of each character of a page; 0 where only `regex` knows them.

    The bits are those of the `regex` module, so the kernel and the regexes agree on every
    character. But its import takes a tenth of a short training, and the standard library knows the
    same of characters that have kept their category since Unicode 3.2.

    Args:
        marks: a regex of punctuation, of the pattern `bert`.
        is_again: whether a text has a character that was 0.
    """
    characters = "".join(map(chr, range(scanning.PAGE * page, scanning.PAGE * (page + 1))))
    if not (is_again or (marks and page)):
        return bytes(map(_class_in_python, characters))
    classes = bytearray([scanning.KNOWN] * scanning.PAGE)
    for one, of_class in (*_CLASSES, (scanning.MARK, marks)):
        for run in regex.finditer(of_class, characters):
            for place in range(*run.span()):
                classes[place] |= one
    return bytes(classes)


def _class_in_python(character: str) -> int:
    category = unicodedata.category(character)
    since_3_2 = unicodedata.ucd_3_2_0.category(character)
    if category != since_3_2 or category == "Cn" or character in _RECLASSIFIED:
        return 0
    if character in _SPACES:
        return scanning.KNOWN | scanning.SPACE
    return scanning.KNOWN | _OF_CATEGORY.get(category, _OF_CATEGORY.get(category[0], 0))
