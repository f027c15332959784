r"""Try a pattern as it is typed: its pretokens, its errors, its differences from another.

A typed regex is cut at its top-level `|` into alternatives, so that each pretoken knows which one
matched, as for the named patterns. It may be invalid at any moment, or take for ever on a harmless
text: `(?:a|aa)+$` tries every way to cut up a run of `a`. So a trial reports where a regex is
invalid, and has a time limit.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from time import monotonic
from typing import Any

import regex

from engine.core.errors import PatternError
from engine.text.patterns import PATTERNS, Alternative
from engine.text.pretokenize import Pretoken, SpecialSplitter, fill_gaps, to_bytes, to_text
from engine.text.typed_regex import compile_typed, within_seconds

TIMEOUT_SECONDS = 0.1
"""Processor time for a whole text."""

_NUMBERED = regex.compile(r"(?<!\\)(?:\\\\)*(?:\\[1-9]|\\g<\d|\(\?\(?\d)")
r"""A reference to a group by its number: `\1`, `\g<1>`, `(?1)`, `(?(1)…)`."""

_SIGN = regex.compile(
    r"""
      \\.                                              # an escape
    | \(\?\#[^)]*\)                                    # a comment
    | \[ \^? \]? (?: \\. | \[:[^\]]*:\] | [^\]\\] )* \]  # a class; a `]` at its head is a member
    | (?P<sign> [|()] )
    """,
    regex.VERBOSE | regex.DOTALL,
)
_LABEL = "_alternative_{}_"


@dataclass(frozen=True)
class Stretch:
    """A part of the text between two borders that two patterns share, with no other in between.

    Where the patterns agree both sides are the same one pretoken.
    """

    mine: tuple[Pretoken, ...]
    other: tuple[Pretoken, ...]

    @property
    def differs(self) -> bool:
        """Whether the two patterns cut it in different ways."""
        return len(self.mine) > 1 or len(self.other) > 1


def try_pattern(
    source: str, text: str, splitter: SpecialSplitter, timeout: float = TIMEOUT_SECONDS
) -> tuple[Pretoken, ...]:
    r"""Return the pretokens that a typed regex makes of a text.

    Each has the alternative that matched. One that a named pattern has, too, has its name there.

    Raises:
        PatternError: it is not a valid regex, or takes longer than the timeout.

    >>> pieces = try_pattern(r" ?\w+|[^\w]", "hi you!", SpecialSplitter([]))
    >>> [(piece.text, piece.alternative.regex) for piece in pieces]
    [('hi', ' ?\\w+'), (' you', ' ?\\w+'), ('!', '[^\\w]')]
    """
    compiled = _checked(source)
    is_verbose = bool(compiled.flags & regex.VERBOSE)  # then a `|` may be in a comment
    names = {
        alternative.regex: alternative.name
        for pattern in PATTERNS.values()
        for alternative in pattern.alternatives
    }
    parts = [source] if is_verbose else split_alternatives(source)
    alternatives = [Alternative(names.get(part, part), part) for part in parts]
    labelled = compiled
    if len(parts) > 1:
        groups = (f"(?P<{_LABEL.format(place)}>{part})" for place, part in enumerate(parts))
        labelled = regex.compile("|".join(groups))
    # Pairs of surrogates become one character before the pattern sees them.
    pieces = tuple(splitter.split_text(to_text(to_bytes(text))))
    try:
        return within_seconds(
            timeout, lambda seconds: tuple(_cut(labelled, alternatives, pieces, seconds))
        )
    except TimeoutError:
        raise PatternError(
            f"too slow: gave up after {timeout * 1000:.0f} ms. Repeats such as (a|aa)+ or (a+)+ "
            "try every way to cut a run; a possessive ++ tries one"
        ) from None


def split_alternatives(source: str) -> list[str]:
    r"""Cut a regex at each `|`, except those in groups, classes, comments and escapes.

    >>> split_alternatives(r"a|(b|c)|[d|]|\|")
    ['a', '(b|c)', '[d|]', '\\|']
    """
    parts, start, depth = [], 0, 0
    for found in _SIGN.finditer(source):
        sign = found["sign"]
        if sign == "|" and not depth:
            parts.append(source[start : found.start()])
            start = found.end()
        depth += (sign == "(") - (sign == ")")
    return [*parts, source[start:]]


def differences(mine: Sequence[Pretoken], other: Sequence[Pretoken]) -> list[Stretch]:
    """Compare two ways to cut the same text, between each two borders that they share."""
    shared = {piece.end for piece in mine} & {piece.end for piece in other}
    mine_parts, other_parts = _stretches(mine, shared), _stretches(other, shared)
    return [Stretch(a, b) for a, b in zip(mine_parts, other_parts, strict=True)]


def _stretches(pieces: Iterable[Pretoken], borders: set[int]) -> Iterator[tuple[Pretoken, ...]]:
    gathered: list[Pretoken] = []
    for piece in pieces:
        gathered.append(piece)
        if piece.end in borders:
            yield tuple(gathered)
            gathered = []


def _checked(source: str) -> Any:
    """Compile the regex; its errors report what is wrong and where."""
    if not source:
        raise PatternError("nothing typed; type a regex")
    compiled = compile_typed(source)
    if compiled.groups and (found := _NUMBERED.search(source)):
        # A group is put round each alternative, to see which one matched: that shifts the numbers.
        raise PatternError(
            "a group is referred to by its number; give it a name: (?P<x>…) and (?P=x)",
            found.start(),
        )
    return compiled


def _cut(
    labelled: Any,
    alternatives: Sequence[Alternative],
    pieces: Iterable[tuple[str, bool]],
    timeout: float,
) -> Iterator[Pretoken]:
    by_label = {_LABEL.format(place): each for place, each in enumerate(alternatives)}
    offset, ends = 0, monotonic() + timeout
    for piece, special in pieces:
        if special:
            yield Pretoken(piece, offset, offset + len(piece), None, special=True)
        else:
            left = max(ends - monotonic(), 0.001)
            # `concurrent` lets other threads run meanwhile, such as the one that paints.
            found = labelled.finditer(piece, timeout=left, concurrent=True)
            matches = (
                (*match.span(), by_label.get(match.lastgroup, alternatives[0])) for match in found
            )
            yield from fill_gaps(piece, offset, matches)
        offset += len(piece)
