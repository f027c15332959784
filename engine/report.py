"""Steps of a run for people and programs to read elsewhere: as Markdown, as lines of JSON.

Tokens are written in GPT-2's spelling (`Ġ` for a space), where every byte has a visible character:
so a report can be pasted anywhere, whatever bytes the corpus holds.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence

from engine.byte_chars import spell
from engine.events import Pair
from engine.frame import Frame
from engine.record import MergeStep

ROWS = 20
"""Changes, pretokens, tied pairs that a step in Markdown lists; it says how many it leaves out."""

SPELLING = "Tokens are in GPT-2's spelling: `Ġ` is a space, `Ċ` a newline."


def json_line(step: MergeStep) -> str:
    """A step as one line of JSON, without the newline: `MergeStep.as_dict`."""
    return json.dumps(step.as_dict(), ensure_ascii=False)


def json_lines(frame: Frame, first: int, last: int) -> Iterator[str]:
    """Steps `first` … `last` (from 1) of the frame's run, a line each."""
    return (json_line(frame.merge_at(step - 1)) + "\n" for step in range(first, last + 1))


def markdown(frame: Frame, first: int, last: int) -> Iterator[str]:
    """Steps `first` … `last` (from 1) of the frame's run as a document, a part for each step."""
    steps = f"step {first:,}" if first == last else f"steps {first:,} to {last:,}"
    yield f"# Byte-pair encoding, {steps} of {frame.recorded_steps:,}\n\n{SPELLING}\n"
    for step in range(first, last + 1):
        yield "\n" + step_markdown(frame.at(step))


def step_markdown(frame: Frame) -> str:
    """The merge that led to a frame: pair, count, ties and rule, changes, pretokens.

    >>> from engine import Timeline, Trainer
    >>> counts = {b"low": 5, b"lower": 2}
    >>> timeline = Timeline(counts, Trainer(counts, 300).steps())
    >>> print(step_markdown(timeline.seek(1)).splitlines()[0])
    ## Merge 1: `o` + `w` → `ow`
    """
    merge = frame.merge
    if merge is None:
        return f"## Step 0\n\n{frame.token_count:,} {frame.units.many}, each a token of its own.\n"
    left, right, token = map(code, (merge.left, merge.right, merge.token))
    parts = [
        f"## Merge {frame.step:,}: {left} + {right} → {token}",
        "\n".join(f"- {fact}" for fact in _facts(frame, merge)),
        table(("pair", "count before", "after"), _changes(frame, merge), len(merge.changes)),
        table(("pretoken", "count", "before", "after"), _pretokens(frame), merge.pretokens),
    ]
    return "\n\n".join(parts) + "\n"


def _facts(frame: Frame, merge: MergeStep) -> Iterator[str]:
    yield f"id {merge.new_id}, bytes {merge.covers.hex(' ').upper()}"
    overlapping = (
        f", {merge.occurrences:,} of them apart" if merge.occurrences < merge.count else ""
    )
    yield f"side by side {merge.count:,} times{overlapping}, in {merge.pretokens:,} pretokens"
    rivals = merge.tied[1:]
    if rivals:
        named = ", ".join(_pair(frame, pair) for pair in rivals[:ROWS])
        more = f" and {len(rivals) - ROWS:,} more" if len(rivals) > ROWS else ""
        yield f"tied with {named}{more}"
        yield f"tie rule {frame.tie_rule.name}: {frame.tie_rule.summary}"
        yield from _other_choices(frame, merge)
    else:
        yield "no other pair was as frequent" if not frame.given else "the tokenizer's own merge"
    yield f"the corpus now has {frame.token_count:,} tokens, {frame.bytes_per_token:.2f} bytes each"


def _other_choices(frame: Frame, merge: MergeStep) -> Iterator[str]:
    for rule, pair in frame.choices_before.items():
        if pair != merge.pair:
            yield f"{rule} would take {_pair(frame, pair)}"


def _changes(frame: Frame, merge: MergeStep) -> list[tuple[str, ...]]:
    return [
        (_pair(frame, change.pair), f"{change.before:,}", f"{change.after:,}")
        for change in merge.changes[:ROWS]
    ]


def _pretokens(frame: Frame) -> list[tuple[str, ...]]:
    return [
        (
            code(touched.pretoken),
            f"{touched.count:,}",
            _tokens(frame, touched.before),
            _tokens(frame, touched.after),
        )
        for touched in frame.touched(ROWS)
    ]


def table(head: tuple[str, ...], rows: Sequence[tuple[str, ...]], total: int) -> str:
    """A table in Markdown of the first rows of `total`, and how many there are more."""
    lines = "\n".join(map(_row, [head, tuple("---" for _ in head), *rows]))
    left_out = total - len(rows)
    return f"{lines}\n\nand {left_out:,} more" if left_out > 0 else lines


def _row(cells: tuple[str, ...]) -> str:
    # A bar would end its cell, even inside a code span.
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _pair(frame: Frame, pair: Pair) -> str:
    return " + ".join(code(frame.any_token(token_id)) for token_id in pair)


def _tokens(frame: Frame, ids: Sequence[int]) -> str:
    return " ".join(code(frame.any_token(token_id)) for token_id in ids)


def code(token: bytes) -> str:
    """A token as a Markdown code span; in a fence longer than any run of backticks in it.

    >>> code(b" the"), code(b"a`b")
    ('`Ġthe`', '`` a`b ``')
    """
    return code_span(spell(token))


def code_span(text: str) -> str:
    """A text as a Markdown code span."""
    runs = re.findall("`+", text)
    if not runs:
        return f"`{text}`"
    fence = "`" * (max(map(len, runs)) + 1)
    return f"{fence} {text} {fence}"
