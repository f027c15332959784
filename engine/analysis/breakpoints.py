"""Breakpoints of a recorded training: conditions on a merge.

Each condition is a class: the grammar of its line, and whether a merge meets it. To add one, write
the class and name it in `KINDS`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import lru_cache
from typing import Any, ClassVar, cast

from engine.core.errors import BreakpointError, PatternError
from engine.core.slow_modules import regex
from engine.recording.merge_record import PairStep
from engine.recording.playback import MergeTimeline
from engine.text.typed_regex import compile_typed

# -- bytes in a line of text, in quotes
_STRAY = re.compile("[\udc80-\udcff]")


def text_of(data: bytes, stray: str) -> str:
    """Decode the bytes; write those that are not UTF-8 in the format `stray`.

    >>> text_of(b"a\\xe6", stray="<{:02X}>")
    'a<E6>'
    """
    text = data.decode("utf-8", "surrogateescape")
    return _STRAY.sub(lambda found: stray.format(ord(found[0]) - 0xDC00), text)


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
    return '"' + text_of(data, stray=r"\x{:02x}") + '"'


# -- the conditions

LONGEST_MATCH_SECONDS = 0.02
"""Time limit for an expression on one token; some take ages to find that nothing matches."""
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
        """Whether to stop at this merge of the timeline.

        Raises:
            BreakpointError: it cannot be found out.
        """
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


@dataclass(frozen=True)
class PairMerged(Breakpoint):
    """The merge joins these two tokens."""

    form = "pair {} {}"
    example = 'pair "t" "h"'
    grammar = rf"pair\s+{_STRING}\s+{_STRING}"
    value = unquoted

    left: bytes
    right: bytes

    def __post_init__(self) -> None:
        if not self.left or not self.right:
            raise BreakpointError("neither token of a pair can be empty")

    def matches(self, step: PairStep, timeline: MergeTimeline[Any]) -> bool:
        return (step.left, step.right) == (self.left, self.right)


@dataclass(frozen=True)
class PretokenWhole(Breakpoint):
    """The merge makes the pretoken one token."""

    form = "pretoken {}"
    example = 'pretoken "there"'
    grammar = rf"pretoken\s+{_STRING}"
    value = unquoted

    pretoken: bytes

    def __post_init__(self) -> None:
        if len(self.pretoken) < 2:
            raise BreakpointError("no merge makes this pretoken whole: it is one token already")

    def matches(self, step: PairStep, timeline: MergeTimeline[Any]) -> bool:
        if step.covers != self.pretoken:
            return False
        # The pretoken's own merges need not end with the token of the same bytes.
        tokens = timeline.run.segmenter.tokens_at(self.pretoken, step.index + 1)
        return tokens == (step.new_id,)


@dataclass(frozen=True)
class Matching(Breakpoint):
    """The text of the new token matches a regular expression; stray bytes are `<E6>` in it."""

    form = "/{}/"
    example = "/ing$/"
    grammar = r"/(.+)/"

    expression: str

    def __post_init__(self) -> None:
        _compiled(self.expression)

    def matches(self, step: PairStep, timeline: MergeTimeline[Any]) -> bool:
        text = text_of(step.token, stray="<{:02X}>")
        try:
            found = _compiled(self.expression).search(text, timeout=LONGEST_MATCH_SECONDS)
        except TimeoutError:
            raise BreakpointError(
                f"{self} takes too long on a token of {len(text)} characters; make it simpler"
            ) from None
        return found is not None


@lru_cache
def _compiled(expression: str) -> regex.Pattern[str]:
    try:
        return compile_typed(expression)
    except PatternError as error:
        raise BreakpointError(f"/{expression}/ is no regular expression: {error}") from None


KINDS: tuple[type[Breakpoint], ...] = (
    Tie,
    CountBelow,
    TokenLength,
    AtStep,
    TokenMade,
    PairMerged,
    PretokenWhole,
    Matching,
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
