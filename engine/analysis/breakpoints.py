"""Breakpoints of a recorded training: conditions on a merge.

Each condition is a class: the grammar of its line, and whether a merge meets it. To add one, write
the class and name it in `KINDS`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any, ClassVar, cast

from engine.core.errors import BreakpointError
from engine.recording.merge_record import PairStep
from engine.recording.playback import MergeTimeline

# -- bytes in a line of text, in quotes
_STRAY = re.compile("[\udc80-\udcff]")
_ESCAPES = {b"n": b"\n", b"t": b"\t", b"r": b"\r"}
_ESCAPED = re.compile(rb"\\(x[0-9a-fA-F]{2}|.)", re.DOTALL)


def unquoted(text: str) -> bytes:
    r"""Return the bytes of a word or a string in quotes.

    >>> unquoted(r'" the\n\xe6"'), unquoted("the")
    (b' the\n\xe6', b'the')
    """
    data = text.encode("utf-8", "surrogateescape")
    if not text.startswith('"'):
        return data
    return _ESCAPED.sub(
        lambda found: (
            bytes.fromhex(found[1][1:].decode())
            if len(found[1]) == 3
            else _ESCAPES.get(found[1], found[1])
        ),
        data[1:-1],
    )


def quoted(data: bytes) -> str:
    r"""Return the bytes as a string in quotes, which `unquoted` reads.

    >>> print(quoted(b' the\n\xe6"'))
    " the\n\xe6\""
    """
    data = data.replace(b"\\", rb"\\").replace(b'"', rb"\"")
    for code, byte in _ESCAPES.items():
        data = data.replace(byte, b"\\" + code)
    text = data.decode("utf-8", "surrogateescape")
    stray = _STRAY.sub(lambda found: rf"\x{ord(found[0]) - 0xDC00:02x}", text)
    return f'"{stray}"'


# -- the conditions

_STRING = r"(\"(?:[^\"\\]|\\.)*\"|[^\s\"]+)"


class Breakpoint:
    """A condition to stop at. Its `str` is a line of text that `parse` reads back.

    Attributes:
        form: the line, with `{}` for each field of the dataclass.
        example: an example of the line.
        grammar: a regular expression for the line, with a group for each field.
        value: reads a field from the text of its group.
    """

    form: ClassVar[str]
    example: ClassVar[str]
    grammar: ClassVar[str]
    value: ClassVar[Callable[[str], Any]] = str

    def matches(self, step: PairStep, timeline: MergeTimeline[Any]) -> bool:
        """Whether to stop at this merge of the timeline."""
        raise NotImplementedError

    def __str__(self) -> str:
        values = (getattr(self, field.name) for field in fields(cast(Any, self)))
        return self.form.format(*(quoted(v) if isinstance(v, bytes) else v for v in values))


@dataclass(frozen=True)
class Tie(Breakpoint):
    """Several pairs shared the top count, or in WordPiece the top score."""

    form = "tie"
    example = "tie"
    grammar = r"ties?"

    def matches(self, step: PairStep, timeline: MergeTimeline[Any]) -> bool:
        return timeline.run.ties.is_tied(step.index + 1)


@dataclass(frozen=True)
class CountBelow(Breakpoint):
    """The count of the merged pair falls below `limit`.

    In BPE this happens once, as counts only fall. In WordPiece they rise and fall.
    """

    form = "count<{}"
    example = "count<50"
    grammar = r"count\s*<\s*(-?\d{1,18})"
    value = int

    limit: int

    def __post_init__(self) -> None:
        if self.limit < 2:
            raise BreakpointError(
                f"no merge has a count below {max(self.limit, 0)}: a pair that merges occurs "
                "somewhere; give a number from 2 on"
            )

    def matches(self, step: PairStep, timeline: MergeTimeline[Any]) -> bool:
        if step.count >= self.limit:
            return False
        return step.index == 0 or timeline.record[step.index - 1].count >= self.limit


@dataclass(frozen=True)
class TokenLength(Breakpoint):
    """The new token has `least` bytes or more."""

    form = "len>={}"
    example = "len>=8"
    grammar = r"len\s*>=\s*(-?\d{1,18})"
    value = int

    least: int

    def matches(self, step: PairStep, timeline: MergeTimeline[Any]) -> bool:
        return len(step.covers) >= self.least


@dataclass(frozen=True)
class AtStep(Breakpoint):
    """The step has this number."""

    form = "step {}"
    example = "step 1000"
    grammar = r"step\s+(-?\d{1,18})"
    value = int

    number: int

    def __post_init__(self) -> None:
        if self.number < 1:
            raise BreakpointError("no merge leads to step 0, the start; give a number from 1 on")

    def matches(self, step: PairStep, timeline: MergeTimeline[Any]) -> bool:
        return step.index + 1 == self.number


@dataclass(frozen=True)
class TokenMade(Breakpoint):
    """The merge makes the token of these bytes."""

    form = "token {}"
    example = 'token " the"'
    grammar = rf"token\s+{_STRING}"
    value = unquoted

    token: bytes

    def __post_init__(self) -> None:
        if len(self.token) < 2:
            raise BreakpointError("no merge makes this token: it has to have two bytes or more")

    def matches(self, step: PairStep, timeline: MergeTimeline[Any]) -> bool:
        return step.token == self.token


KINDS: tuple[type[Breakpoint], ...] = (
    Tie,
    CountBelow,
    TokenLength,
    AtStep,
    TokenMade,
)
"""All kinds, in the order of their examples."""


EXAMPLES = tuple(kind.example for kind in KINDS)


def parse(line: str) -> Breakpoint:
    r"""Read the breakpoint of a line.

    Args:
        line: for example one of `EXAMPLES`.

    >>> parse("count < 50"), parse('token " the"')
    (CountBelow(limit=50), TokenMade(token=b' the'))

    Raises:
        BreakpointError: it is no breakpoint, or one that no merge can meet.
    """
    line = line.strip()
    for kind in KINDS:
        if found := re.fullmatch(kind.grammar, line, re.DOTALL):
            make: Callable[..., Breakpoint] = kind
            return make(*map(kind.value, found.groups()))
    raise BreakpointError("not a breakpoint; write one like  " + "   ".join(EXAMPLES))
