"""Reports of steps: Markdown for people, lines of JSON for programs.

Each model's `narration` gives the title, the sentences and the tables of one step. Tokens look as
they do on the screen, so each stays on one line; characters with a meaning in Markdown are escaped.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from bpe_tui.views.narration import format_pair
from bpe_tui.widgets.numbers import number, plural
from bpe_tui.widgets.visible import visible_bytes

if TYPE_CHECKING:
    from engine.recording.playback import AnyMergeFrame

ROWS = 20
"""Most rows of a table; the report says how many it leaves out."""
_ESCAPED = str.maketrans({sign: f"\\{sign}" for sign in r"\`*_[]<>|~$&"})


class Table(NamedTuple):
    """The names of the columns, the first `ROWS` rows, and the number of all rows."""

    head: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]
    total: int


class StepReport(NamedTuple):
    """One step in words and tables; tables without rows are left out."""

    title: str
    sentences: Iterable[str]
    tables: Sequence[Table] = ()


def markdown(
    model: str, report_step: Callable[[Any], StepReport], frame: Any, first: int, last: int
) -> Iterator[str]:
    """Yield steps `first` … `last` (from 1) of the frame's run as Markdown, one part a step.

    Args:
        model: its name, for the title.
        report_step: returns the report of the step that led to a frame.
        frame: any frame of the run.
        first, last: the steps.
    """
    steps = f"step {number(first)}" if first == last else f"steps {number(first)} to {number(last)}"
    yield f"# {model}, {steps} of {number(frame.recorded_steps)}\n"
    for step in range(first, last + 1):
        yield "\n" + step_markdown(report_step(frame.at(step)))


def step_markdown(report: StepReport) -> str:
    """Return a step as Markdown: a heading, a list of the sentences, the tables."""
    parts = [f"## {escaped(report.title)}"]
    parts.append("\n".join(f"- {escaped(sentence)}" for sentence in report.sentences))
    for head, rows, total in report.tables:
        if rows:
            lines: list[Iterable[str]] = [
                head,
                ("---",) * len(head),
                *(map(escaped, row) for row in rows),
            ]
            parts.append("\n".join(f"| {' | '.join(line)} |" for line in lines))
            if total > len(rows):
                parts.append(f"and {number(total - len(rows))} more")
    return "\n\n".join(parts) + "\n"


def escaped(text: str) -> str:
    r"""Return a text with Markdown's signs escaped: `a|b` → `a\|b`."""
    return text.translate(_ESCAPED)


def merge_report(
    frame: AnyMergeFrame, sentences: Iterable[str], thing: str, *tables: Table
) -> StepReport:
    """Return the report of a merge, or of step 0.

    Args:
        frame: the state after the merge.
        sentences: the model's own, about the merge or about step 0.
        thing: what pairs occur in: a pretoken or a word.
        tables: the model's own; a table of pairs and one of pretokens follow.
    """
    merge = frame.merge
    if merge is None:
        return StepReport("Step 0", sentences)

    shown: dict[int, str] = {}  # the same few tokens occur in most rows

    def tokens(ids: Sequence[int]) -> str:
        for token_id in ids:
            if token_id not in shown:
                shown[token_id] = visible_bytes(frame.any_token(token_id))
        return " ".join(map(shown.__getitem__, ids))

    pairs = [
        (format_pair(frame, change.pair), number(change.before), number(change.after))
        for change in merge.changes[:ROWS]
    ]
    words = [
        (visible_bytes(each.pretoken), number(each.count), tokens(each.before), tokens(each.after))
        for each in frame.affected(ROWS)
    ]
    return StepReport(
        f"Merge {number(frame.step)}: {format_pair(frame, merge.pair)} → "
        f"{visible_bytes(merge.token)}",
        (
            *sentences,
            f"Its id is {merge.new_id}. It is in {plural(merge.pretokens, thing)}.",
            f"The corpus has {plural(frame.token_count, 'token')} now.",
        ),
        (
            *tables,
            Table(("pair", "count before", "after"), pairs, len(merge.changes)),
            Table((thing, "count", "before", "after"), words, merge.pretokens),
        ),
    )


def json_lines(frame: AnyMergeFrame, first: int, last: int) -> Iterator[str]:
    """Yield merges `first` … `last` (from 1) of the frame's run as JSON, a line each."""
    for index in range(first - 1, last):
        yield json.dumps(frame.merge_at(index).as_dict(), ensure_ascii=False) + "\n"
