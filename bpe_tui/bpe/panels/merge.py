"""The panel of the merge: the pair, why it won, and the counts that it changed."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from bpe_tui.bpe.narration import is_replayed, why_first
from bpe_tui.bpe.panels.pairs import highest_shown
from bpe_tui.views.narration import NO_CORPUS, times
from bpe_tui.views.panel import Panel, TokenPainter, pair_word, sentence
from bpe_tui.views.targets import ToChange, ToPair, ToToken
from bpe_tui.views.training_panels import (
    ChangedCount,
    change_columns,
    describe_occurrences,
    merge_row,
)
from bpe_tui.widgets.numbers import number, plural
from bpe_tui.widgets.rows import Row, RowColumn, RowTable, paragraph, wrapped_text
from engine.bpe.frame import Frame
from engine.bpe.record import MergeStep
from engine.core.events import Pair
from engine.recording.affected_pretokens import CountAttribution

SLICE_SECONDS = 0.004
"""How long at a time it is read which pretokens changed the counts."""
ROOM_FOR_PRETOKENS = 44
TIED_SHOWN = 3
NOWHERE = "The pair stands nowhere in this corpus: the merge changes no count."
CHANGES_SHOWN = 500
NOTE_CELLS = 8
ROOM_FOR_REASONS = 12
"""From so many rows on it is said why a tie that is to come will be decided as it will."""


class MergePanel(Panel):
    """The merge in words: the pair, why it won, and the counts that it changed."""

    ID = "merge"

    def rows_of(self, frame: Frame, width: int) -> list[Row]:
        merge = frame.merge
        if merge is None:
            self.say("merge", "")
            return [*_start_rows(frame, width), Row([]), *self._next_rows(frame, width)]
        tied = len(merge.tied)
        tie = f" · {plural(tied, 'pair')} tied" if tied > 1 else ""
        behind = "↵ behind a change" if merge.count else ""
        foot = behind if frame.given else f"t next tie · {behind}"
        self.say(f"merge {number(frame.step)}{tie}", foot)
        painter = self.painter(frame)
        return [
            merge_row(painter, merge, ToToken(merge.new_id)),
            *(
                paragraph(describe_occurrences(merge, "pretoken"), width)
                if frame.has_corpus
                else []
            ),
            Row([]),
            *_why(frame, merge, width),
            *_other_rules(painter, frame, merge),
            *self._next_rows(frame, width),
            Row([]),
            *(
                change_rows(frame, painter, merge, self._attribution(frame), width)
                if merge.count
                else sentence(NOWHERE if frame.has_corpus else NO_CORPUS, width)
            ),
        ]

    def _next_rows(self, frame: Frame, width: int) -> list[Row]:
        """The tie that the next merge decides: who is tied, who wins and why, who by other rules.

        Where the panel is low, only who is tied.
        """
        is_roomy = frame.merge is None or self.size.height >= ROOM_FOR_REASONS
        said = describe_next_tie(frame, in_full=is_roomy)
        lines = wrapped_text(said, max(width - 6, 10)) if said else []
        return [
            Row([("Next " if not place else "     ", "strong"), (line, "tie")])
            for place, line in enumerate(lines)
        ]

    def _attribution(self, frame: Frame) -> CountAttribution | None:
        """Which pretokens changed the counts; `None` while a later slice of time has to go on."""
        if frame.attribution.read(SLICE_SECONDS):
            return frame.attribution
        self.set_timer(SLICE_SECONDS, self._read_on)
        return None

    def _read_on(self) -> None:
        """Read another slice; the rows are made anew when all is read."""
        frame = self.frame
        if frame is not None and frame.merge is not None and self._attribution(frame) is not None:
            self.rebuild()


def _start_rows(frame: Frame, width: int) -> list[Row]:
    text = f"Step 0: nothing is merged yet, every {frame.units.one} is a token. "
    text += "Press → for the first merge, space to play."
    if not frame.units.spells_all:
        text += f" {frame.units.lesson}"
    if frame.given and frame.merges_nothing:
        text = "The tokens are there from the start; there are no merges to go through."
    return paragraph(text, width)


def describe_next_tie(frame: Frame, in_full: bool = True) -> str:
    """Which pairs are tied to merge next, which wins and why; empty if none are tied."""
    following, tied = frame.next_pair, frame.queue.tied
    if frame.given or following not in tied or len(tied) == 1:
        return ""
    assert following is not None  # it is among those tied
    rivals = [pair for pair in tied if pair != following]
    named = ", ".join(pair_word(frame, pair) for pair in rivals[:TIED_SHOWN])
    more = f" and {number(len(rivals) - TIED_SHOWN)} more" if len(rivals) > TIED_SHOWN else ""
    said = f"{pair_word(frame, following)}, tied with {named}{more}"
    if not in_full:
        return said
    by_pair: dict[Pair, list[str]] = {}
    for rule, pair in frame.queue.choices.items():
        if pair != following:
            by_pair.setdefault(pair, []).append(rule)
    others = "; ".join(
        f"{pair_word(frame, pair)} by {', '.join(rules)}" for pair, rules in by_pair.items()
    )
    return (
        f"{said}. {rule_that_decided(frame, following, rivals)}. "
        f"{f'Other rules: {others}.' if others else 'Every other rule takes the same pair.'}"
    )


def _why(frame: Frame, merge: MergeStep, width: int) -> list[Row]:
    """The reason in words, under a label in the margin."""
    lines = wrapped_text(why_it_merged(frame, merge), max(width - 6, 10))
    role = "tie" if len(merge.tied) > 1 else ""
    return [
        Row([("Why  " if first else "     ", "strong"), (line, role)])
        for first, line in zip([True] + [False] * len(lines), lines, strict=False)
    ]


def why_it_merged(frame: Frame, merge: MergeStep) -> str:
    """Why this pair and no other: who chose it, or its count, and what decided a tie."""
    prescribed, rivals = merge.record.prescribed, merge.tied[1:]
    if frame.given:
        return f"the tokenizer says so: merge {number(merge.index + 1)} of its list"
    if prescribed is not None and prescribed.forces(merge.index):
        return f"chosen by hand, whatever the counts; it stood {times(merge.count)}"
    if is_replayed(frame, merge):
        return "the run that this is a fork of merged it here; the rules of the fork would not"
    of_whom = " of the pairs that may merge" if merge.passed_over else ""
    others = ""
    if merge.passed_over:
        named = (f"{pair_word(frame, p)}, {times(count)}" for p, count in merge.passed_over)
        others = f". Forbidden in this fork: {'; '.join(islice(named, TIED_SHOWN))}"
    if not rivals:
        none = "" if merge.passed_over else "; no other pair had as many"
        return f"the highest count{of_whom}{none}{others}"
    named = (pair_word(frame, pair) for pair in rivals[:TIED_SHOWN])
    more = f" and {number(len(rivals) - TIED_SHOWN)} more" if len(rivals) > TIED_SHOWN else ""
    return (
        f"the highest count{of_whom}, tied with {', '.join(named)}{more}. "
        f"{rule_that_decided(frame, merge.pair, rivals)}{others}"
    )


def rule_that_decided(frame: Frame, winner: Pair, rivals: Sequence[Pair]) -> str:
    """The tie rule and what it looks at; against one rival, what made the difference."""
    rule = frame.tie_rule
    one = len(rivals) == 1
    how = why_first(frame, winner, rivals[0]) if one else rule.summary.split(";")[0]
    return f"Tie rule {rule.name}: {how}"


def _other_rules(painter: TokenPainter, frame: Frame, merge: MergeStep) -> list[Row]:
    """What the other tie rules would have taken, where that is another pair."""
    if len(merge.tied) == 1:
        return []
    rows = [
        Row([(f"     {name:<14}", "dim"), *painter.pair(pair)], ToPair(pair))
        for name, pair in frame.choices_before.items()
        if pair != merge.pair
    ]
    text = "Other rules would take" if rows else "Every other rule takes the same pair."
    return [Row([(f"     {text}", "dim")]), *rows]


def change_rows(
    frame: Frame,
    painter: TokenPainter,
    merge: MergeStep,
    attribution: CountAttribution | None,
    width: int,
) -> list[Row]:
    """The counts that the merge changed.

    `attribution` tells in how many pretokens, once it is read; it is `None` before.
    """
    changes = merge.changes
    columns = change_columns(highest_shown(frame), NOTE_CELLS)
    if width >= ROOM_FOR_PRETOKENS:
        pretokens = RowColumn("pretokens", 10, lambda change: [(change.pretokens, "dim")], True)
        columns.insert(-1, pretokens)
    table = RowTable(columns, width, least=8)

    def row(pair: Pair, before: int, after: int) -> Row:
        spans, is_new = painter.pair(pair), painter.fresh in pair
        pretokens = number(len(attribution.behind(pair))) if attribution else "…"
        return table.row(ChangedCount(spans, before, after, is_new, pretokens), ToChange(pair))

    rows = [table.header(), *(row(*change) for change in changes[:CHANGES_SHOWN])]
    if len(changes) > CHANGES_SHOWN:
        rows.append(Row([(f"and {number(len(changes) - CHANGES_SHOWN)} more", "dim")]))
    return rows
