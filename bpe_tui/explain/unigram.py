"""The explain screen of Unigram: what losing each piece costs, and which pieces go.

A step is a prune or an iteration of EM. Both count first, then choose, then cut the words again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import chain, islice
from math import isfinite
from typing import Any, NamedTuple, TypeVar

import numpy as np

from bpe_tui.explain.explanation import (
    JOINED_AT,
    LEAST_BAR,
    REMARK,
    SHRUNK_AT,
    Beat,
    CountRoom,
    StepExplainer,
    StepMoment,
    ThreeNames,
    eased,
    with_end,
)
from bpe_tui.panels.corpus import CorpusPlace, flowed_from
from bpe_tui.panels.training_panels import word_rows
from bpe_tui.shell.panel import SizedWord, token_edge
from bpe_tui.unigram.narration import cost_text, count_text, increase_text, score_text
from bpe_tui.unigram.pieces import PiecePainter, pieces_of_text, words_of_line
from bpe_tui.widgets.language import plural, tr, tr_spans
from bpe_tui.widgets.numbers import bar, number, scale_of, trace
from bpe_tui.widgets.rows import Row, Span, left, right, spans_width
from bpe_tui.widgets.visible import visible_text
from bpe_tui.widgets.visible import width as cells_of
from engine.unigram.frame import UnigramFrame
from engine.unigram.pieces import UNKNOWN
from engine.unigram.record import Pruned, PruneRule, PruneStep
from engine.unigram.textbook import TextbookRecord

STATIONS_OF_EM = "COUNT", "WEIGH", "CUT"
PIECE, LONGEST_PIECE, COST = 9, 16, 9
"""Widths of a piece, at least and at most, and of its cost, in cells."""
LOOKED_AT = 200
"""Number of words, most frequent first, searched for some that a step changes."""
SEARCHED, MOST_USED = 20_000, 12
"""Number of words searched, and of leaving pieces they are searched for."""
MOST_KEPT = 12
"""Number of answers that are kept, for the frames before and after a step."""
MORE_CELLS = 16
"""Cells for the number of pieces that are not named."""
FEW = 2
"""Staying pieces are shown up to this multiple of the cost of the last piece to go."""

UnigramMoment = StepMoment[UnigramFrame]
KeptT = TypeVar("KeptT")


class WeighedPiece(NamedTuple):
    """The number of a piece, the cost of losing it, and its replacement, as it is shown."""

    number: int
    cost: float
    instead: tuple[str, ...]


class PlainPiecePainter(PiecePainter):
    """Draws pieces without hues; leaving ones are struck out only if `strikes`."""

    def __init__(self, frame: UnigramFrame, *, strikes: bool, marks: bool) -> None:
        super().__init__(frame, marks=marks)
        self.struck = frame.leaving if strikes else frozenset()

    def role(self, number: int) -> str:
        role = super().role(number)
        return role if role in ("loss", "stale") else "base"


class UnigramExplainer(StepExplainer[UnigramFrame]):
    """Explains the steps of a Unigram training."""

    STATIONS = ("COST", "PICK", "PRUNE")
    STEP = "step {n}"
    THING = "piece"

    def __init__(self, *, marks: bool) -> None:
        super().__init__(marks=marks)
        self._answers: dict[tuple[object, ...], Any] = {}

    def _kept(self, key: tuple[object, ...], make: Callable[[], KeptT]) -> KeptT:
        """Return an answer that beats and animation frames ask for again, computed once."""
        if key not in self._answers:
            if len(self._answers) == MOST_KEPT:
                del self._answers[next(iter(self._answers))]
            self._answers[key] = make()
        answer: KeptT = self._answers[key]
        return answer

    def facts(self, frame: UnigramFrame) -> str:
        return plural(frame.size, frame.record.PIECE)

    def stations(self, before: UnigramFrame) -> ThreeNames:
        if not _is_prune(before):
            return STATIONS_OF_EM
        if isinstance(before.record, TextbookRecord):  # it removes one piece
            return "COST", "PICK", "REMOVE"
        return super().stations(before)

    def _pruned(self, frame: UnigramFrame, step: PruneStep) -> tuple[Pruned, ...]:
        """Return the pieces that the prune after a frame removes."""
        return self._kept(("pruned", frame.run, frame.step), lambda: step.removed)

    # -- costs of removals: recorded for the pieces that go, computed for those that stay

    def weigh(self, frame: UnigramFrame) -> Iterator[object] | None:
        """Return the work still needed to explain a prune: the costs of losing other pieces."""
        is_due = _is_prune(frame) and frame.known_removals is None
        return frame.removals() if is_due else None

    # -- 1 cost

    def count_rows(self, moment: UnigramMoment, room: CountRoom) -> list[Row]:
        before, after = moment.before, moment.after
        if moment.beat is Beat.JOIN and before is not None and _is_prune(before):
            frame, share = before, moment.share
        else:
            frame, share = moment.counted, 0.0
        if not _is_prune(frame):
            return self._expected_rows(frame, moment, room)
        shown = self._weighed(frame, room.rows)
        scale = scale_of(max((piece.cost for piece in shown), default=0))
        texts = (visible_text(frame.record.texts[piece.number]) for piece in shown)
        cells = min(max(max(map(cells_of, texts), default=0) + 1, PIECE), LONGEST_PIECE)
        is_chosen = moment.is_ahead or moment.beat is Beat.JOIN
        gone = eased((share - JOINED_AT) / (SHRUNK_AT - JOINED_AT))
        rows = []
        for piece in shown:
            length = piece.cost * (1 - gone if piece.number in frame.leaving else 1)
            spans = self._weighed_spans(frame, piece, is_chosen, cells, room)
            rows.append(self._bar_row(spans, length, piece.cost, scale, room))
        if is_chosen:
            rows = [
                self._with_fate(frame, each, row) for each, row in zip(shown, rows, strict=True)
            ]
        if frame is after and frame.known_removals is None:  # half of the rows are for them
            rows.append(Row([("  ", ""), *tr_spans("Weighing the pieces that stay …", "dim")]))
        return rows

    def _bar_row(
        self, spans: list[Span], value: float, before: float, scale: float, room: CountRoom
    ) -> Row:
        """Return a row with a bar, and a trace of the longer bar before."""
        spare = room.width - spans_width(spans) - REMARK
        if spare >= LEAST_BAR:
            body = bar(value / scale, spare)
            spans += [(body, "border"), (trace(before / scale, spare, body), "loss")]
        return Row(spans)

    def _with_fate(self, frame: UnigramFrame, piece: WeighedPiece, row: Row) -> Row:
        """Return a row that says whether a piece goes or stays."""
        goes = piece.number in frame.leaving
        remark, role = ("goes", "loss") if goes else ("stays", "dim")
        return Row([*row.spans, (f" {tr(remark)}", role)])

    def _weighed(self, frame: UnigramFrame, rows: int) -> list[WeighedPiece]:
        """Return the pieces to show; kept for the frames before and after a step."""
        key = rows, frame.run, frame.step, frame.known_removals is None
        return self._kept(key, lambda: self._to_show(frame, rows))

    def _to_show(self, frame: UnigramFrame, rows: int) -> list[WeighedPiece]:
        """Return leaving pieces from the cheapest to the dearest, then some that stay."""
        step = frame.leads_on
        pruned = self._pruned(frame, step) if isinstance(step, PruneStep) else ()
        gone = sorted((piece.loss_increase, piece.number) for piece in pruned)
        gone = [piece for piece in gone if isfinite(piece[0])]
        stay: list[tuple[float, int]] = []
        known = frame.known_removals
        if known is not None:
            costs = known.loss_increases
            staying = frame.numbers[frame.goes_at != frame.step + 1]
            staying = staying[np.isfinite(costs[staying])]
            # Rounded, so that equal costs stay in the order of the pieces.
            cheapest = staying[np.argsort(costs[staying].round(9), kind="stable")]
            stay = list(zip(costs[cheapest].tolist(), cheapest.tolist(), strict=True))
            most = FEW * max(stay[0][0], gone[-1][0] if gone else 0) if stay else 0
            stay = stay[: max(sum(cost <= most for cost, _ in stay), rows)]
        goers = _spread(gone, (rows + 1) // 2 if stay or known is None else rows)
        others = _spread(stay, rows - len(goers))
        return [
            WeighedPiece(piece, cost, self._instead(frame, frame.record.texts[piece]))
            for cost, piece in [*goers, *others]
        ]

    def _instead(self, frame: UnigramFrame, text: str) -> tuple[str, ...]:
        """Return the visible texts of the pieces that replace one."""
        other = frame.alternative(text)
        return tuple(
            tr("unknown") if edge.piece == UNKNOWN else visible_text(text[edge.start : edge.end])
            for edge in (other.edges if other is not None else ())
        )

    def _weighed_spans(
        self, frame: UnigramFrame, piece: WeighedPiece, is_chosen: bool, cells: int, room: CountRoom
    ) -> list[Span]:
        """Return a piece in `cells` cells, what replaces it, and what that costs."""
        goes = is_chosen and piece.number in frame.leaving
        instead: list[Span] = [("→ ", "dim")]
        for place, part in enumerate(piece.instead):
            instead += [token_edge(marks=self.marks)] * bool(place) + [(part, "base")]
        text = visible_text(frame.record.texts[piece.number])
        return [
            ("✗ " if goes else "  ", "loss"),
            *left([(text, "stale" if goes else "strong")], cells),
            *left(instead, room.name - 2),
            right(tr(increase_text(frame, piece.cost)), COST, "strong"),
            ("  ", ""),
        ]

    def _expected_rows(
        self, frame: UnigramFrame, moment: UnigramMoment, room: CountRoom
    ) -> list[Row]:
        """Return the pieces with the highest expected counts over all segmentations."""
        counts = frame.expected_counts
        before = moment.before if frame is moment.after else None
        highest = float(counts.max(initial=0))
        rows = []
        for index in np.argsort(-counts, kind="stable")[: room.rows].tolist():
            piece, now = int(frame.numbers[index]), float(counts[index])
            was = float(before.expected_counts[before.index_of(piece)]) if before else now
            spans: list[Span] = [
                ("  ", ""),
                *left([(visible_text(frame.record.texts[piece]), "")], room.name),
                right(count_text(now), len(number(highest)) + 3, "strong"),
                ("  ", ""),
            ]
            rows.append(self._bar_row(spans, now, was, scale_of(highest), room))
        return rows

    # -- 2 pick

    def pick_rows(self, moment: UnigramMoment, width: int) -> list[Row]:
        before, after = moment.before, moment.after
        if before is None:
            return self._seed_rows(after)
        step = before.leads_on
        if not isinstance(step, PruneStep):
            was, then = score_text(before.loss, 3), score_text(after.loss, 3)
            loss = (tr_spans(way, "dim", old=was, new=then) for way in LOSS_CHANGES)
            return [
                Row(self.fitting(width, *map(tr_spans, EM_COUNTS))),
                Row(self.fitting(width, *loss)),
            ]
        pruned = self._pruned(before, step)
        if isinstance(after.record, TextbookRecord):
            return self._removal_rows(after.record, before.step, pruned[0], width)
        gone, size = [(number(len(pruned)), "strong")], [(number(before.size), "strong")]
        by_score = step.rule is PruneRule.SCORE
        ways = LEAST_PROBABLE if by_score else CHEAPEST
        first = self.fitting(width, *(tr_spans(way, n=gone, all=size) for way in ways))
        if by_score:
            return [Row(first), Row(tr_spans("That leaves the final size.", "dim"))]
        dearest = max(pruned, key=lambda piece: piece.loss_increase)
        cost, name = cost_text(dearest.loss_increase), [(visible_text(dearest.text), "")]
        raised = (tr_spans(way, "dim", piece=name, cost=cost) for way in DEAREST)
        return [Row(first), Row(self.fitting(width, *raised))]

    def _seed_rows(self, seed: UnigramFrame) -> list[Row]:
        record = seed.record
        if not isinstance(record, TextbookRecord):
            pieces = plural(seed.size, "piece")
            return [
                Row(tr_spans("The seed has {n}: far too many.", "dim", n=pieces)),
                Row(tr_spans("Those whose loss costs least will go.", "dim")),
            ]
        second = "{n} will stay: the one that costs least goes first."
        if seed.size <= record.vocab_size:
            second = "None has to go."
        grams, units = plural(seed.size, "n-gram"), record.units
        length = plural(1, units.one) if record.ngram == 1 else units.length(record.ngram)
        return [
            Row(tr_spans("The seed has all {n} of {length}.", "dim", n=grams, length=length)),
            Row(tr_spans(second, "dim", n=number(record.vocab_size))),
        ]

    def _removal_rows(
        self, record: TextbookRecord, step: int, gone: Pruned, width: int
    ) -> list[Row]:
        """Return which n-gram goes, what that costs, and how a tie was decided."""
        name, ties = [(visible_text(gone.text), "strong")], len(record.equals_at(step))
        ways = COSTS_LEAST if gone.loss_increase else UNUSED
        cost = score_text(gone.loss_increase, 3)
        first = self.fitting(width, *(tr_spans(way, piece=name, cost=cost) for way in ways))
        second = "{n} tie: the smallest bytes decide." if ties > 1 else "None ties."
        return [Row(first), Row(tr_spans(second, "dim", n=number(ties)))]

    # -- 3 remove

    def replace_rows(self, moment: UnigramMoment, words: int, width: int) -> list[Row]:
        before, after = moment.before, moment.after
        if before is None:
            return [Row(tr_spans("Then other pieces replace them, everywhere.", "dim"))]
        if moment.beat is Beat.PICK:
            return []
        key = "words", before.run, before.step, words
        changed = self._kept(key, lambda: self._changed(before, after, words))
        rows = []
        if isinstance(before.leads_on, PruneStep):
            rows.append(self._pruned_row(before, before.leads_on, width))
            changed = changed[: words - 1]
        rows.append(Row([(self._what_replaces(before, bool(changed)), "")]))
        struck = PlainPiecePainter(before, strikes=True, marks=self.marks)
        plain = PlainPiecePainter(after, strikes=False, marks=self.marks)
        counts = [before.words[word] for word in changed]
        both = [(struck.word(word), plain.word(word)) for word in changed]
        return [*rows, *word_rows(counts, both, width, shows_after=True)]

    def _what_replaces(self, before: UnigramFrame, some_change: bool) -> str:
        """Return the sentence over the words that the step after a frame cuts otherwise."""
        if isinstance(before.leads_on, PruneStep):
            if isinstance(before.record, TextbookRecord):
                return tr("All is cut without it, and counted again.")
            return tr("Others replace them:" if some_change else NONE_CHANGED)
        rest = tr("Pretokens that are cut otherwise:" if some_change else NONE_CHANGED)
        if vanished := len(before.leaving):
            lost = tr("{n} went, used too seldom.", n=plural(vanished, "piece"))
            return tr("{lost} {rest}", lost=lost, rest=rest)
        return rest

    def _pruned_row(self, before: UnigramFrame, step: PruneStep, width: int) -> Row:
        """Return the pieces that go, the most used first: `✗ ▁nap  ✗ ▁dug   and 202 more`."""
        count = len(self._pruned(before, step))
        spans: list[Span] = []
        for text in _most_used(before):
            piece: list[Span] = [("✗ ", "loss"), (visible_text(text), "stale"), ("  ", "")]
            if spans and spans_width([*spans, *piece]) > width - MORE_CELLS:
                break
            spans += piece
            count -= 1
        more = tr("and {n} more", n=count) if count else ""
        return Row(with_end(spans, more, width))

    def _changed(self, before: UnigramFrame, after: UnigramFrame, limit: int) -> list[str]:
        """Return some words that the step cuts differently, the most frequent first."""
        words: Iterable[str] = before.words
        searched = list(islice(words, SEARCHED))
        holding = [
            list(islice((word for word in searched if piece in word), 3))
            for piece in _most_used(before)
        ]
        likely = dict.fromkeys(chain(*holding)) if holding else islice(words, LOOKED_AT)
        changed = (word for word in likely if _cut(before, word) != _cut(after, word))
        return sorted(islice(changed, limit), key=lambda word: -before.words[word])

    # -- the corpus, and a text of the reader's

    def corpus_rows(
        self, moment: UnigramMoment, top: CorpusPlace, rows: int, width: int
    ) -> list[Row]:
        frame = moment.frame
        painter = PlainPiecePainter(frame, strikes=moment.is_ahead, marks=self.marks)
        found = flowed_from(frame.excerpt, top, partial(words_of_line, painter), width)
        return list(islice(found, rows))

    def place_to_show(
        self, before: UnigramFrame, top: CorpusPlace, rows: int, width: int
    ) -> CorpusPlace:
        return top  # a step changes words everywhere: the excerpt stays where it is

    def drawn_words(self, moment: UnigramMoment, text: str) -> Iterator[SizedWord]:
        painter = PlainPiecePainter(moment.frame, strikes=moment.is_ahead, marks=self.marks)
        return words_of_line(painter, moment.frame.cut(text))

    def size_of(self, frame: UnigramFrame, text: str) -> int:
        """Count the pieces of a text; a special token is one."""
        return sum(1 for _ in pieces_of_text(frame, text))


NONE_CHANGED = "No frequent pretoken is cut otherwise."
# Sentences, each with a shorter one.
LEAST_PROBABLE = "{n} of {all} pieces go: the least probable.", "{n} of {all} pieces go."
CHEAPEST = (
    "{n} of {all} pieces go: those whose loss costs least.",
    "{n} of {all} pieces go, the cheapest.",
)
DEAREST = (
    "The dearest of them, {piece}, raises the loss by {cost}.",
    "The dearest, {piece}, costs {cost}.",
)
COSTS_LEAST = (
    "{piece} goes: without it the loss grows least, by {cost}.",
    "{piece} goes: it costs least, {cost}.",
)
UNUSED = "{piece} goes: no best segmentation uses it.", "{piece} goes: it is unused."
EM_COUNTS = (
    "EM counts each piece in all ways to cut, each by its probability.",
    "EM counts each piece in all ways to cut.",
)
LOSS_CHANGES = "The loss goes from {old} to {new} nats a pretoken.", "Loss {old} → {new}."


def _most_used(frame: UnigramFrame) -> list[str]:
    """Return the leaving pieces with the highest expected counts."""
    goes = frame.goes_at == frame.step + 1
    most = frame.numbers[goes][np.argsort(-frame.expected_counts[goes], kind="stable")]
    return [frame.record.texts[one] for one in most[:MOST_USED].tolist()]


def _cut(frame: UnigramFrame, word: str) -> list[tuple[int, int]]:
    """Return the end and the number of each piece of a word."""
    return [(edge.end, edge.piece) for edge in frame.pieces_of(word)]


def _is_prune(frame: UnigramFrame) -> bool:
    return isinstance(frame.leads_on, PruneStep) or isinstance(frame.record, TextbookRecord)


def _spread(found: Sequence[tuple[float, int]], rows: int) -> list[tuple[float, int]]:
    """Return up to `rows` items, evenly spaced from the first to the last.

    >>> [[at for _, at in _spread([(0.0, n) for n in range(9)], rows)] for rows in (1, 2, 3)]
    [[0], [0, 8], [0, 4, 8]]
    """
    if len(found) <= rows:
        return list(found)
    return [found[round(place * (len(found) - 1) / max(rows - 1, 1))] for place in range(rows)]
