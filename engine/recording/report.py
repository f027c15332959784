"""What the reports of all models' steps are made of: tables, code spans, lines of JSON.

Bytes are written in GPT-2's spelling (`Ġ` for a space), where each has a visible character: so a
report can be pasted anywhere, whatever the corpus holds.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Protocol, Self, TypeVar

from engine.core.events import Pair
from engine.core.gpt2_bytes import spell
from engine.recording.merge_record import PairStep

if TYPE_CHECKING:
    from engine.recording.playback import AnyMergeFrame

ROWS = 20
"""Changes, pretokens, tied pairs that a step in Markdown lists; it says how many it leaves out."""


class Step(Protocol):
    """A step that can be given in plain values."""

    def as_dict(self) -> dict[str, object]: ...


class Steps(Protocol):
    """A frame of a run, from which the others can be had."""

    @property
    def recorded_steps(self) -> int: ...

    def merge_at(self, index: int, /) -> Step: ...


class Frame(Protocol):
    """The state at one step of a run; `at` gives that at another."""

    @property
    def recorded_steps(self) -> int: ...

    def at(self, step: int, /) -> Self: ...


AnyFrame = TypeVar("AnyFrame", bound=Frame)


def json_line(step: Step) -> str:
    """A step as one line of JSON, without the newline: its `as_dict`."""
    return json.dumps(step.as_dict(), ensure_ascii=False)


def json_lines(frame: Steps, first: int, last: int) -> Iterator[str]:
    """Steps `first` … `last` (from 1) of the frame's run, a line each."""
    return (json_line(frame.merge_at(step - 1)) + "\n" for step in range(first, last + 1))


def document(
    title: str,
    note: str,
    frame: AnyFrame,
    first: int,
    last: int,
    part_of: Callable[[AnyFrame], str],
) -> Iterator[str]:
    """Some steps of a run as a Markdown document.

    Args:
        title, note: of the document.
        frame: any frame of the run.
        first, last: the steps, from 1.
        part_of: frame → the part of the step that led to it.

    Returns:
        the document, in a part for each step.
    """
    steps = f"step {first:,}" if first == last else f"steps {first:,} to {last:,}"
    yield f"# {title}, {steps} of {frame.recorded_steps:,}\n\n{note}\n"
    for step in range(first, last + 1):
        yield "\n" + part_of(frame.at(step))


def table(head: tuple[str, ...], rows: Sequence[tuple[str, ...]], total: int) -> str:
    """A table of the first rows of `total`."""
    drawn = "\n".join(map(_row, [head, tuple("---" for _ in head), *rows]))
    left_out = total - len(rows)
    return f"{drawn}\n\nand {left_out:,} more" if left_out > 0 else drawn


def _row(cells: tuple[str, ...]) -> str:
    # A bar would end its cell, even inside a code span.
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def code(token: bytes) -> str:
    """A token as a Markdown code span; its fence is longer than any run of backticks in it.

    >>> code(b" the"), code(b"a`b")
    ('`Ġthe`', '`` a`b ``')
    """
    return code_span(spell(token))


def code_span(text: str) -> str:
    """A text of one line as a Markdown code span."""
    runs = re.findall("`+", text)
    if not runs:
        return f"`{text}`"
    fence = "`" * (max(map(len, runs)) + 1)
    return f"{fence} {text} {fence}"


# -- what all trainings by merges report alike: counts changed, affected pretokens, tied pairs

Code = Callable[[bytes], str]
"""Writes a token as a Markdown code span, in the model's own spelling."""


def changes_table(frame: AnyMergeFrame, merge: PairStep, code: Code) -> str:
    """A table of the pairs whose count a merge changed."""
    rows = [
        (describe_pair(frame, change.pair, code), f"{change.before:,}", f"{change.after:,}")
        for change in merge.changes[:ROWS]
    ]
    return table(("pair", "count before", "after"), rows, len(merge.changes))


def affected_table(frame: AnyMergeFrame, merge: PairStep, code: Code, what: str) -> str:
    """A table of the pretokens that a merge changed; `what` is the model's word for them."""
    rows = [
        (
            code(affected.pretoken),
            f"{affected.count:,}",
            _tokens(frame, affected.before, code),
            _tokens(frame, affected.after, code),
        )
        for affected in frame.affected(ROWS)
    ]
    return table((what, "count", "before", "after"), rows, merge.pretokens)


def counted(n: int, thing: str) -> str:
    """How many, for a sentence.

    >>> counted(1, "time"), counted(1204, "pretoken")
    ('1 time', '1,204 pretokens')
    """
    return f"{n:,} {thing}" if n == 1 else f"{n:,} {thing}s"


def describe_pair(frame: AnyMergeFrame, pair: Pair, code: Code) -> str:
    """A pair: `` `a` + `b` ``."""
    return " + ".join(code(frame.any_token(token_id)) for token_id in pair)


def describe_pairs(frame: AnyMergeFrame, pairs: Sequence[Pair], code: Code) -> str:
    """The first of some pairs, and how many more there are."""
    named = ", ".join(describe_pair(frame, pair, code) for pair in pairs[:ROWS])
    return f"{named} and {len(pairs) - ROWS:,} more" if len(pairs) > ROWS else named


def _tokens(frame: AnyMergeFrame, ids: Sequence[int], code: Code) -> str:
    return " ".join(code(frame.any_token(token_id)) for token_id in ids)
