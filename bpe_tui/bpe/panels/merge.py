"""The panel of the merge: the pair, why it won, and the counts that it changed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from bpe_tui.bpe.narration import is_replayed, why_first
from bpe_tui.bpe.panels.pairs import highest_shown
from bpe_tui.views.narration import NO_CORPUS, times
from bpe_tui.views.panel import Panel, TokenPainter, sentence
from bpe_tui.views.targets import ToChange, ToPair, ToToken
from bpe_tui.views.training_panels import (
    ChangedCount,
    change_columns,
    describe_occurrences,
    merge_row,
)
from bpe_tui.widgets.numbers import number, plural
from bpe_tui.widgets.rows import Row, RowColumn, RowTable, Span, paragraph, wrapped
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
ROOMY = 12
"""From so many rows on there are gaps, and the reason why a tie to come will be decided so."""
MARGIN = len("Why  ")


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
        painter, gap = self.painter(frame), [Row([])] if self._is_roomy else []
        return [
            merge_row(painter, merge, ToToken(merge.new_id)),
            *(
                paragraph(describe_occurrences(merge, "pretoken"), width)
                if frame.has_corpus
                else []
            ),
            *gap,
            *labelled("Why", why_it_merged(painter, frame, merge), width),
            *(_other_rules(painter, merge.pair, frame.choices_before) if tied > 1 else []),
            *self._next_rows(frame, width),
            *gap,
            *(
                change_rows(frame, painter, merge, self._attribution(frame), width)
                if merge.count
                else sentence(NOWHERE if frame.has_corpus else NO_CORPUS, width)
            ),
        ]

    @property
    def _is_roomy(self) -> bool:
        return self.size.height >= ROOMY

    def _next_rows(self, frame: Frame, width: int) -> list[Row]:
        """The tie that the next merge decides: who is tied, who wins and why, who by other rules.

        Where the panel is low, only who is tied.
        """
        following, tied = frame.next_pair, frame.queue.tied
        if frame.given or following is None or following not in tied:
            return []
        if len(tied) == 1:
            if frame.merge is not None:
                return []
            return _first_pair(self.painter(frame), following, frame.highest_count, width)
        painter, rivals = self.painter(frame), [pair for pair in tied if pair != following]
        said = [[[*painter.pair(following, "│"), ("  ", "")], *tied_with(painter, rivals)]]
        if frame.merge is not None and not self._is_roomy:
            return labelled("Next", said, width)
        made = frame.merge
        if len(rivals) == 1 or made is None or len(made.tied) <= 2:
            # Of several rivals the rule itself is told, which stands above then.
            said.append(words_of(rule_that_decided(frame, following, rivals)))
        others = _other_rules(painter, following, frame.queue.choices)
        return [*labelled("Next", said, width), *others]

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


def _first_pair(painter: TokenPainter, following: Pair, count: int, width: int) -> list[Row]:
    """Which pair merges first, and how often it stands."""
    said = words_of(f"stands side by side {times(count)}, more often than any other pair.")
    return labelled("Next", [[[*painter.pair(following, "│"), ("  ", "")], *said]], width)


def _start_rows(frame: Frame, width: int) -> list[Row]:
    text = f"Step 0: nothing is merged yet, every {frame.units.one} is a token. "
    text += "Press → for the first merge, space to play."
    if not frame.units.spells_all:
        text += f" {frame.units.lesson}"
    if frame.given and frame.merges_nothing:
        text = "The tokens are there from the start; there are no merges to go through."
    return paragraph(text, width)


Words = list[Sequence[Span]]
"""A sentence that is wrapped: its words, each with the blank behind it; a pair is one of them."""


def words_of(text: str, role: str = "") -> Words:
    """The words of a visible text."""
    return [[(f"{word} ", role)] for word in text.split(" ")]


def labelled(label: str, sentences: Iterable[Words], width: int) -> list[Row]:
    """Sentences, each in lines of its own, behind a label in the margin."""
    lines = (line for said in sentences for line in wrapped(said, max(width - MARGIN, 10)))
    return [
        Row([(("" if place else label).ljust(MARGIN), "strong"), *line])
        for place, line in enumerate(lines)
    ]


def tied_with(painter: TokenPainter, rivals: Sequence[Pair]) -> Words:
    """`tied with  e│s  .│"  and 3 more`: no comma between pairs, which may hold commas."""
    named: Words = [[*painter.pair(pair, "│"), ("  ", "")] for pair in rivals[:TIED_SHOWN]]
    more = len(rivals) - TIED_SHOWN
    rest = words_of(f"and {number(more)} more") if more > 0 else []
    return [[("tied with  ", "tie")], *named, *rest]


def why_it_merged(painter: TokenPainter, frame: Frame, merge: MergeStep) -> list[Words]:
    """Why this pair and no other: who chose it, or its count, and what decided a tie."""
    prescribed, rivals = merge.record.fork_rules, merge.tied[1:]
    if frame.given:
        index = number(merge.index + 1)
        return [words_of(f"the tokenizer says so: merge {index} of its list")]
    if prescribed is not None and prescribed.forces(merge.index):
        return [words_of(f"chosen by hand, whatever the counts; it stood {times(merge.count)}")]
    if is_replayed(frame, merge):
        origin = "the run that this is a fork of merged it here; the rules of the fork would not"
        return [words_of(origin)]
    count = "the highest count" + (" of the pairs that may merge" if merge.forbidden_rivals else "")
    if rivals:
        why = [[*words_of(f"{count},"), *tied_with(painter, rivals)]]
        why.append(words_of(rule_that_decided(frame, merge.pair, rivals)))
    else:
        none = "" if merge.forbidden_rivals else "; no other pair had as many"
        why = [words_of(f"{count}{none}")]
    if merge.forbidden_rivals:
        forbidden: Words = words_of("Forbidden in this fork: ")
        for pair, stood in merge.forbidden_rivals[:TIED_SHOWN]:
            forbidden += [[*painter.pair(pair, "│"), (f" {times(stood)}   ", "")]]
        why.append(forbidden)
    return why


def rule_that_decided(frame: Frame, winner: Pair, rivals: Sequence[Pair]) -> str:
    """The tie rule and what it looks at; against one rival, what made the difference."""
    rule = frame.tie_rule
    one = len(rivals) == 1
    how = why_first(frame, winner, rivals[0]) if one else rule.summary.split(";")[0]
    return f"Tie rule {rule.name}: {how}"


def _other_rules(painter: TokenPainter, pair: Pair, choices: Mapping[str, Pair]) -> list[Row]:
    """What the other tie rules would take, where that is another pair."""
    indent = " " * MARGIN
    rows = [
        Row([(f"{indent}{name:<15}", "dim"), *painter.pair(choice, "│")], ToPair(choice))
        for name, choice in choices.items()
        if choice != pair
    ]
    text = "Other rules would take" if rows else "Every other rule takes the same pair."
    return [Row([(f"{indent}{text}", "dim")]), *rows]


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
