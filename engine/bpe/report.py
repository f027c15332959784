"""The steps of BPE as Markdown, for people to read elsewhere."""

from __future__ import annotations

from collections.abc import Iterator

from engine.bpe.frame import Frame
from engine.bpe.record import MergeStep
from engine.recording.report import (
    affected_table,
    changes_table,
    code,
    counted,
    describe_pair,
    describe_pairs,
    document,
)

SPELLING = "Tokens are in GPT-2's spelling: `Ġ` is a space, `Ċ` a newline."


def markdown(frame: Frame, first: int, last: int) -> Iterator[str]:
    """Steps `first` … `last` (from 1) of the frame's run as a document, a part for each step."""
    return document("Byte-pair encoding", SPELLING, frame, first, last, step_markdown)


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
        changes_table(frame, merge, code),
        affected_table(frame, merge, code, "pretoken"),
    ]
    return "\n\n".join(parts) + "\n"


def _facts(frame: Frame, merge: MergeStep) -> Iterator[str]:
    yield f"id {merge.new_id}, bytes {merge.covers.hex(' ').upper()}"
    overlapping = (
        f", {merge.occurrences:,} of them apart" if merge.occurrences < merge.count else ""
    )
    times, places = counted(merge.count, "time"), counted(merge.pretokens, "pretoken")
    yield f"side by side {times}{overlapping}, in {places}"
    rivals = merge.tied[1:]
    if rivals:
        yield f"tied with {describe_pairs(frame, rivals, code)}"
        yield f"tie rule {frame.tie_rule.name}: {frame.tie_rule.summary}"
        yield from _other_choices(frame, merge)
    else:
        yield "no other pair was as frequent" if not frame.given else "the tokenizer's own merge"
    tokens = counted(frame.token_count, "token")
    yield f"the corpus now has {tokens}, {frame.bytes_per_token:.2f} bytes each"


def _other_choices(frame: Frame, merge: MergeStep) -> Iterator[str]:
    for rule, pair in frame.choices_before.items():
        if pair != merge.pair:
            yield f"{rule} would take {describe_pair(frame, pair, code)}"
