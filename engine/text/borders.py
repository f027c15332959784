r"""Borders between pretokens that two neighbouring bytes give away.

A `Border` is a promise of a pattern: wherever a byte of `left` stands before one of `right`, the
text may be cut there, whatever is around them. Two facts make that true: a pretoken begins at the
place, and no pretoken to its left depends on what follows it. Then both sides are texts in their
own right, so *all* such places may be cut at once, and equal pieces have equal pretokens.

A byte says too little about characters beyond ASCII, so the sets below hold only what is sure:
`AFTER_TEXT` has no byte that might end a space and `BEFORE_TEXT` none that might begin one. Where
nothing is sure there is no border, and a piece holds several pretokens: that is slower, not wrong.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

SPACES = b"\t\n\v\f\r "
NEWLINES = b"\r\n"
BLANKS = b"\t\v\f "
LETTERS = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
DIGITS = b"0123456789"
PUNCTUATION = b"!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"


def without(some: bytes, others: bytes) -> bytes:
    return bytes(byte for byte in some if byte not in others)


_ASCII_TEXT = without(bytes(range(0x80)), SPACES)
SYMBOLS = without(_ASCII_TEXT, LETTERS + DIGITS)

# The spaces beyond ASCII begin with C2, E1, E2 or E3 and end in 80–8A, 9F, A0, A8, A9 or AF.
_MAY_BEGIN_A_SPACE = b"\xc2\xe1\xe2\xe3"
_MAY_END_A_SPACE = bytes((*range(0x80, 0x8B), 0x9F, 0xA0, 0xA8, 0xA9, 0xAF))
_BEYOND_ASCII = bytes(range(0x80, 0x100))
AFTER_TEXT = _ASCII_TEXT + without(_BEYOND_ASCII, _MAY_END_A_SPACE)
BEFORE_TEXT = _ASCII_TEXT + without(_BEYOND_ASCII, _MAY_BEGIN_A_SPACE)


@dataclass(frozen=True)
class Border:
    """A border between a byte of `left` and one of `right`; with `before_left`, before both."""

    left: bytes
    right: bytes
    before_left: bool = False

    @property
    def regex(self) -> bytes:
        """Matches where the border stands, and takes no room."""
        left, right = _any_of(self.left), _any_of(self.right)
        return b"(?=%b%b)" % (left, right) if self.before_left else b"(?<=%b)(?=%b)" % (left, right)


def _any_of(some: bytes) -> bytes:
    return b"[%b]" % b"".join(b"\\x%02x" % byte for byte in some)


@dataclass(frozen=True)
class BorderTables:
    """Borders as two tables for `bytes.translate`: each border is one bit.

    Between two bytes stands a border if `left[first] & right[second]` is not 0; the bits of
    `before_left` speak of the place before the first.
    """

    left: bytes
    right: bytes
    before_left: int

    @classmethod
    def of(cls, borders: Sequence[Border]) -> BorderTables:
        if len(borders) > 8:
            raise ValueError("a byte has room for eight borders")
        left, right, before_left = bytearray(256), bytearray(256), 0
        for place, border in enumerate(borders):
            for byte in border.left:
                left[byte] |= 1 << place
            for byte in border.right:
                right[byte] |= 1 << place
            before_left |= border.before_left << place
        return cls(bytes(left), bytes(right), before_left)
