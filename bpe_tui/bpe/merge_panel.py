"""The panel of a merge in words: the pair, why it won, and the counts that it changed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from bpe_tui.bpe.narration import describe_decision
from bpe_tui.panels import training_panels
from bpe_tui.panels.heap_table import highest_shown
from bpe_tui.shell.panel import Panel, TokenPainter, sentence
from bpe_tui.shell.targets import ToChange, ToPair, ToToken
from bpe_tui.widgets.language import in_a_row, times, tr, tr_message, tr_sentence
from bpe_tui.widgets.lines import ShownInRows
from bpe_tui.widgets.numbers import number
from bpe_tui.widgets.rows import (
    Column,
    Row,
    RowTable,
    Span,
    left,
    paragraph,
    spans_width,
    words_in,
    wrapped,
    wrapped_text,
)
from bpe_tui.widgets.textual_private import do_after
from bpe_tui.words.narration import as_sentence, characters_of, part_of
from engine.bpe.frame import Frame
from engine.bpe.pick import Pick
from engine.bpe.record import MergeStep
from engine.bpe.ties import TIE_RULES
from engine.core.events import Pair
from engine.recording.affected_pretokens import CountAttribution

SLICE_SECONDS = 0.008
"""Time for one slice of finding the pretokens that changed the counts."""
ROOM_FOR_PRETOKENS = 42
TIED_SHOWN = 3
NOWHERE = "The pair occurs nowhere in this corpus: the merge changes no count."
NOTHING_YET = "Step 0: nothing is merged yet, {beginning}."
NOT_SEARCHED = "Not searched, as a pretoken is too long: {rule}."
NOTE_CELLS = 8
ROOMY = 12
"""Least height, in rows, for gaps and the reason of the next tie."""
MARGIN = len("Why  ")


class MergePanel(Panel):
    """The merge in words: the pair, why it won, and the counts that it changed."""

    ID = "merge"

    has_breakpoints: ShownInRows[bool] = ShownInRows(False)
    """Whether `n` goes to a breakpoint, not to a tie."""

    def rows_of(self, frame: Frame, width: int) -> Sequence[Row]:
        merge, picked = frame.merge, frame.picked
        if merge is None or picked is None:
            self.say(tr("merge"), "")
            return [*_start_rows(frame, width), Row([]), *self._next_rows(frame, width)]
        is_tied = bool(picked.rivals)
        tie = tr(" │ {n} pairs tied", n=len(picked.rivals) + 1) if is_tied else ""
        change = tr("↵ a change's pretokens") if merge.count else ""
        following = tr("n next breakpoint" if self.has_breakpoints else "n next tie")
        foot = change if frame.was_given else f"{following} │ {change}"
        self.say(f"{tr('merge {n}', n=frame.step)}{tie}", foot)
        painter, gap = self.painter(frame), [Row([])] if self.size.height >= ROOMY else []
        occurrences = ""
        if frame.has_corpus:
            occurrences = training_panels.describe_occurrences(merge, "pretoken")
        above = [
            training_panels.merge_row(painter, merge, ToToken(merge.new_id)),
            *_part_rows(frame, merge, width),
            *paragraph(occurrences, width),
            *gap,
            *labelled(tr("Why"), why_it_merged(painter, frame, picked), width),
            *(_other_rules(painter, merge.pair, frame.choices_before, width) if is_tied else []),
            *self._next_rows(frame, width),
            *gap,
        ]
        if not merge.count:
            return [*above, *(sentence(tr(NOWHERE), width) if frame.has_corpus else ())]
        attribution = self._attribution(frame) if width >= ROOM_FOR_PRETOKENS else None
        return change_rows(frame, painter, merge, attribution, width, above)

    def _next_rows(self, frame: Frame, width: int) -> list[Row]:
        """Return the tie that the next merge decides: tied pairs, winner, other rules' choices.

        A low panel shows the tied pairs only.
        """
        pick, picked = frame.pick, frame.picked
        if pick is None or pick.is_prescribed or self.hides_next:
            return []
        painter = self.painter(frame)
        pair, label = [*painter.pair(pick.pair), ("  ", "")], tr("Next")
        if not pick.rivals:
            often = times(pick.count)
            words = words_of(tr("occurs {times}, more often than any other pair.", times=often))
            return labelled(label, [[pair, *words]], width) if picked is None else []
        parts = [[pair, *tied_with(painter, pick.rivals)]]
        if picked is not None and self.size.height < ROOMY:
            return labelled(label, parts, width)
        if len(pick.rivals) == 1 or picked is None or len(picked.rivals) <= 1:
            # Against several rivals the reason is the rule itself, which is given above already.
            parts.append(words_of(describe_decision(frame, pick)))
        others = _other_rules(painter, pick.pair, frame.queue.choices, width)
        return [*labelled(label, parts, width), *others]

    def _attribution(self, frame: Frame) -> CountAttribution | None:
        """Return which pretokens changed the counts, or None while slices of work remain."""
        if frame.attribution.read(SLICE_SECONDS):
            return frame.attribution
        do_after(SLICE_SECONDS, self, self._read_on)
        return None

    def _read_on(self) -> None:
        """Do another slice of work; rebuild the rows after the last one."""
        frame = self.frame
        if frame is not None and frame.merge is not None and self._attribution(frame) is not None:
            self.rebuild()


def _part_rows(frame: Frame, merge: MergeStep, width: int) -> list[Row]:
    """Name the characters that contain the new token: `the first 2 bytes of 我 成 戏 …`."""
    start = tr("{part} of", part=str(tr_sentence(part_of(frame, merge.token))))
    parts = characters_of(frame, [merge.new_id], width, start)
    return [Row([(parts, "dim")])] if parts else []


def _start_rows(frame: Frame, width: int) -> list[Row]:
    alphabet = frame.run.alphabet
    text = tr(NOTHING_YET, beginning=tr_message(alphabet.beginning))
    if why := frame.run.obstacle:
        text = in_a_row(text, as_sentence(why))
    elif frame.recorded_steps or not frame.run.is_complete:
        text = in_a_row(text, tr("Press → for the first merge, space to play."))
    if frame.given and alphabet.exceptions:
        text = in_a_row(text, as_sentence(alphabet.exceptions))
    if not frame.units.spells_all:
        text = in_a_row(text, tr(frame.units.lesson))
    if frame.given and frame.merges_nothing:
        text = tr("The tokens are there from the start; there are no merges to go through.")
    return paragraph(text, width)


SentenceWords = list[Sequence[Span]]
"""A sentence to wrap: its words, each with the blank after it. A pair is one word."""


def words_of(text: str, role: str = "") -> SentenceWords:
    """Split a visible text into words, and into Chinese characters."""
    return [[(word, role)] for word in words_in(f"{text} ")]


def labelled(label: str, sentences: Iterable[SentenceWords], width: int) -> list[Row]:
    """Return sentences as rows, each from a new line, with a label in the margin."""
    lines = (line for words in sentences for line in wrapped(words, width - MARGIN))
    return [
        Row([*left([("" if place else label, "strong")], MARGIN), *line])
        for place, line in enumerate(lines)
    ]


def tied_with(painter: TokenPainter, rivals: Sequence[Pair]) -> SentenceWords:
    """Return `tied with  e+s  .+"  and 3 more`; no commas, since pairs may contain them."""
    named: SentenceWords = [[*painter.pair(pair), ("  ", "")] for pair in rivals[:TIED_SHOWN]]
    more = len(rivals) - TIED_SHOWN
    rest = words_of(tr("and {n} more", n=more)) if more > 0 else []
    return [[(tr("tied with  "), "tie")], *named, *rest]


def why_it_merged(painter: TokenPainter, frame: Frame, picked: Pick) -> list[SentenceWords]:
    """Return the reason of a merge: its count, what decided a tie, what a fork forbids."""
    if picked.is_prescribed:
        return [words_of(tr(picked.reason.value))]
    of_all = tr("the highest count of the pairs that may merge")
    highest = tr(of_all if picked.forbidden else "the highest count")
    if picked.rivals:
        why = [[*words_of(tr("{highest},", highest=highest)), *tied_with(painter, picked.rivals)]]
        why.append(words_of(describe_decision(frame, picked)))
    else:
        none = "" if picked.forbidden else tr("; no other pair had as many")
        why = [words_of(f"{highest}{none}")]
    if picked.forbidden:
        forbidden: SentenceWords = words_of(tr("Forbidden in this fork: "))
        for pair, count in picked.forbidden[:TIED_SHOWN]:
            forbidden += [[*painter.pair(pair), (f" {times(count)}   ", "")]]
        why.append(forbidden)
    return why


def _other_rules(
    painter: TokenPainter, pair: Pair, choices: Mapping[str, Pair], width: int
) -> list[Row]:
    """Return the choices of other tie rules, where they differ: a pair, and the rules with it."""
    indent = " " * MARGIN
    rules: dict[Pair, list[str]] = {}
    for name, choice in choices.items():
        if choice != pair:
            rules.setdefault(choice, []).append(TIE_RULES[name].title)
    rows = []
    for choice, names in rules.items():
        shown = painter.pair(choice)
        start = MARGIN + spans_width(shown) + 2
        words = [*(f"{name}, " for name in names[:-1]), names[-1]]
        lines = wrapped([[(word, "dim")] for word in words], max(width - start, 13))
        first: list[Span] = [(indent, ""), *shown, ("  ", "")]
        rows += [
            Row([(" " * start, ""), *line]) if place else Row([*first, *line], ToPair(choice))
            for place, line in enumerate(lines)
        ]
    unknown = [name for name in TIE_RULES if name not in choices]
    said = [tr(NOT_SEARCHED, rule=TIE_RULES[name].title) for name in unknown]
    said.append(tr("Other rules would take" if rows else "Every other rule takes the same pair."))
    above = (line for each in said for line in wrapped_text(each, max(width - MARGIN, 13)))
    return [*(Row([(f"{indent}{line}", "dim")]) for line in above), *rows]


def change_rows(
    frame: Frame,
    painter: TokenPainter,
    merge: MergeStep,
    attribution: CountAttribution | None,
    width: int,
    above: Sequence[Row],
) -> Sequence[Row]:
    """Return the rows above, then the counts that the merge changed, each made on demand.

    `attribution` gives the number of pretokens behind each; it is None until that is known.
    """
    columns = training_panels.change_columns(highest_shown(frame), NOTE_CELLS)
    if width >= ROOM_FOR_PRETOKENS:
        title = tr("pretokens")
        columns.insert(-1, Column(title, 10, lambda each: [(each.pretokens, "dim")], True))
    table = RowTable(columns, width, least=8)

    def row(pair: Pair, before: int, after: int) -> Row:
        spans, is_new = painter.pair(pair), painter.fresh in pair
        pretokens = number(len(attribution.behind(pair))) if attribution else "…"
        return table.row(
            training_panels.ChangedCount(spans, before, after, is_new, pretokens), ToChange(pair)
        )

    return training_panels.rows_of_changes(merge, row, [*above, table.header()])
