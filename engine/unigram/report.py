r"""Steps of a Unigram training for people and programs to read elsewhere: Markdown, lines of JSON.

Pieces are written as they are, a space as ▁. In Markdown what cannot be seen is escaped, `\n`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice
from typing import Any

from engine.recording.report import ROWS, code_span, counted, document, table
from engine.unigram.frame import CountChanges, UnigramFrame, count_changes
from engine.unigram.record import EmStep, PruneStep

SPELLING = "In pieces `▁` is a space; scores are natural logarithms of probabilities."
BATCH = 50
"""Removed pieces that are written in one part: each may take a search for what stands in."""


def json_lines(frame: UnigramFrame, first: int, last: int) -> Iterator[str]:
    """Steps `first` … `last` (from 1) of the frame's run, a line each, in several parts.

    A line is `EmStep.as_dict` or `PruneStep.as_dict`, and says of each piece that a prune removed
    what stands in its place, and of each iteration of EM the expected counts that changed most.
    """
    for step in range(first, last + 1):
        yield from _json_line(frame.at(step))


def _json_line(frame: UnigramFrame) -> Iterator[str]:
    facts = _step_of(frame).as_dict()
    del facts["removed"]
    if isinstance(frame.came_by, EmStep):
        facts["changes"] = [list(change) for change in _largest(frame, count_changes(frame))]
    yield _json(facts)[:-1] + ', "removed": ['
    rows = _removed(frame)
    between = ""
    while batch := list(islice(rows, BATCH)):
        yield between + ", ".join(map(_json, batch))
        between = ", "
    yield "]}\n"


def _removed(frame: UnigramFrame) -> Iterator[dict[str, object]]:
    """The pieces that the step which led to a frame removed, each with what stands in for it."""
    step, earlier = _step_of(frame), frame.at(frame.step - 1)
    for removed in step.removed:
        row: dict[str, object] = removed._asdict()
        del row["number"]
        if isinstance(step, PruneStep):
            row["alternative"] = _alternative(earlier, removed.text)
        yield row


def _json(value: object) -> str:
    """As JSON in letters as far as these have bytes, else in escapes."""
    text = json.dumps(value, ensure_ascii=False)
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.dumps(value)
    return text


def markdown(frame: UnigramFrame, first: int, last: int) -> Iterator[str]:
    """Steps `first` … `last` (from 1) of the frame's run as a document, a part for each step."""
    return document("Unigram", SPELLING, frame, first, last, step_markdown)


def step_markdown(frame: UnigramFrame) -> str:
    """The step that led to a frame: losses, sizes, what went, what changed most.

    >>> from engine.unigram.frame import UnigramTimeline
    >>> from engine.unigram.trainer import UnigramTrainer
    >>> trainer = UnigramTrainer({"hug": 10, "pug": 5, "hugs": 5, "bun": 4}, 10)
    >>> steps = list(trainer.steps())
    >>> timeline = UnigramTimeline(trainer.record, steps)
    >>> print(step_markdown(timeline.seek(3)))
    ## Step 3, prune 1: 2 of 11 pieces go
    <BLANKLINE>
    - the loss goes from 1.519 to 4.747 nats a pretoken
    - the lowest scores go, to the size asked for
    <BLANKLINE>
    | piece | score | loss increase | instead |
    | --- | --- | --- | --- |
    | `bun` | -2.04 | +0.741094 | `b` `u` `n` |
    | `hugs` | -1.80 | +0.176768 | `hug` `s` |
    <BLANKLINE>
    """
    step = frame.came_by
    if step is None:
        return f"## Step 0\n\nThe seed: {frame.size:,} pieces, loss {frame.loss:.3f} nats.\n"
    return (_em_markdown if isinstance(step, EmStep) else _prune_markdown)(frame)


def _em_markdown(frame: UnigramFrame) -> str:
    step, changes = frame.came_by, count_changes(frame)
    assert isinstance(step, EmStep)
    rows = [
        (code(removed.text), f"{removed.score:.2f}", f"{removed.expected_count:.3f}")
        for removed in step.vanished[:ROWS]
    ]
    moved = [
        (code(text), f"{before:,.2f}", f"{after:,.2f}")
        for text, before, after in _largest(frame, changes)
    ]
    gone = step.size_before - step.size_after
    return _document(
        f"## Step {frame.step:,}, EM {step.iteration + 1} of round {step.round + 1}: "
        f"{gone:,} of {counted(step.size_before, 'piece')} vanish",
        f"- {_losses(step)}",
        table(("vanished piece", "score", "expected count"), rows, gone) if rows else "",
        table(("piece", "expected count before", "after"), moved, len(changes.numbers)),
    )


def _prune_markdown(frame: UnigramFrame) -> str:
    step, earlier = frame.came_by, frame.at(frame.step - 1)
    assert isinstance(step, PruneStep)
    rows = [
        (
            code(removed.text),
            f"{removed.score:.2f}",
            f"{removed.loss_increase:+.6f}" if removed.loss_increase else "unused",
            " ".join(map(code, _alternative(earlier, removed.text))),
        )
        for removed in step.pruned[:ROWS]
    ]
    gone = step.size_before - step.size_after
    return _document(
        f"## Step {frame.step:,}, prune {step.round + 1}: "
        f"{gone:,} of {counted(step.size_before, 'piece')} go",
        f"- {_losses(step)}\n- {step.rule.value}",
        table(("piece", "score", "loss increase", "instead"), rows, gone) if rows else "",
    )


def _document(*parts: str) -> str:
    return "\n\n".join(part for part in parts if part) + "\n"


def _losses(step: EmStep | PruneStep) -> str:
    return f"the loss goes from {step.loss_before:.3f} to {step.loss_after:.3f} nats a pretoken"


def _largest(frame: UnigramFrame, changes: CountChanges) -> list[tuple[str, float, float]]:
    """The expected counts that changed most: piece, before, after."""
    texts = frame.record.texts
    columns = (changes.numbers, changes.before, changes.after)
    rows: Any = zip(*(column[:ROWS].tolist() for column in columns), strict=True)
    return [(texts[number], before, after) for number, before, after in rows]


def _alternative(frame: UnigramFrame, text: str) -> list[str]:
    """The best segmentation of a piece without the piece itself."""
    path = frame.alternative(text)
    return [] if path is None else [text[edge.start : edge.end] for edge in path.edges]


def _step_of(frame: UnigramFrame) -> EmStep | PruneStep:
    assert frame.came_by is not None
    return frame.came_by


def code(piece: str) -> str:
    r"""A piece as a Markdown code span, what cannot be seen escaped.

    >>> print(code("▁the"), code("a\n"))
    `▁the` `a\n`
    """
    escaped = (c if c.isprintable() else c.encode("unicode_escape").decode() for c in piece)
    return code_span("".join(escaped))
