"""BPE's small panels of the training screen, and the line to type in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain

from textual.reactive import reactive

from bpe_tui.bpe.narration import describe_unknown, narrate_move
from bpe_tui.views.corpus import MergingExcerptPanel, flowed, layout_step
from bpe_tui.views.narration import NO_CORPUS
from bpe_tui.views.panel import GIVEN, Panel, pair_text, sentence
from bpe_tui.views.training_panels import MergeList, TouchedPanel, TypedLine, TypedText, over_ids
from bpe_tui.widgets.lines import Drawn
from bpe_tui.widgets.numbers import number, plural, short_number
from bpe_tui.widgets.rows import Row, Span, left, paragraph, right, spans_width, wrapped_text
from bpe_tui.widgets.visible import visible_bytes, visible_text, width
from engine.bpe.frame import Frame
from engine.bpe.heap import Move
from engine.bpe.record import MergeStep
from engine.bpe.trainers import TRAINERS, algorithm_for
from engine.bpe.trainers.algorithm import Algorithm, CodeLine, Phase, WorkPhase, phases_of
from engine.encoding.lanes import align
from engine.text.pretokenize import Pretoken, to_bytes


def characters_above(
    frame: Frame, earlier: Frame, pretoken: Pretoken, spans: Sequence[Span]
) -> list[Span]:
    """What stands above the spans of a pretoken: the characters that tokens cut at `earlier`.

    Each stands above the first of its bytes. There are as many spans, each as wide.
    """
    cut = set[int]()
    if not (pretoken.special or pretoken.text.isascii()):
        cut = _cut_characters(earlier, pretoken.bytes)
    widths = [spans_width([span]) for span in spans]
    if not cut:
        return [(" " * cells, "") for cells in widths]
    lanes = align((token, frame.any_token(token)) for token in frame.tokens_of(pretoken.bytes))
    named = {c.start: visible_text(c.text) for c in lanes.characters if c.text and c.start in cut}
    above: list[Span] = []
    for place, cells in enumerate(widths):  # a border stands behind each token
        text = ""
        token = None if place % 2 else lanes.tokens[place // 2]
        for start in range(token.start, token.end) if token else ():
            at = width(visible_bytes(lanes.data[token.start : start])) if token else 0
            if start in named and at + width(named[start]) <= cells:
                text = text.ljust(len(text) + at - width(text)) + named[start]
        above.append((text + " " * (cells - width(text)), "dim"))
    return above


def _cut_characters(frame: Frame, pretoken: bytes) -> set[int]:
    """Where the characters begin that no token of the pretoken holds whole."""
    lanes = align((token, frame.any_token(token)) for token in frame.tokens_of(pretoken))
    return {piece.start for token in lanes.tokens for piece in token.pieces if not piece.whole} & {
        character.start for character in lanes.characters
    }


def _is_blank(row: Row) -> bool:
    return not any(text.strip() for text, _ in row.spans)


class CorpusPanel(MergingExcerptPanel[Frame]):
    """The beginning of the corpus cut into pretokens and tokens, wrapped at the panel's width."""

    shows_characters: reactive[bool] = reactive(True, repaint=False, init=False)
    """Whether characters stand above their bytes, where tokens cut them."""

    def watch_shows_characters(self) -> None:
        self.rebuild()

    def line_rows(self, frame: Frame, line: tuple[Pretoken, ...], width: int) -> Iterator[Row]:
        if not self.shows_characters or all(pretoken.text.isascii() for pretoken in line):
            return super().line_rows(frame, line, width)
        # Between words whose ends are marked nothing stands: such a pretoken has no word.
        found = [
            (pretoken, word) for pretoken in line for word in self.words_of(frame, (pretoken,))
        ]
        words = [word for _, word in found]
        # The step that decides where rows break decides this, too: else rows would come and go.
        earlier = frame.at(layout_step(frame.step))
        lane = [
            (characters_above(frame, earlier, pretoken, spans), needed)
            for pretoken, (spans, needed) in found
        ]
        pairs = zip(flowed(lane, width), flowed(words, width), strict=True)
        return (row for above, row in pairs for row in (above, row) if not _is_blank(row))

    def rows_of(self, frame: Frame, width: int) -> list[Row]:
        if not frame.has_corpus and not frame.excerpt.lines:
            self.say("corpus")
            return sentence(NO_CORPUS, width)
        return super().rows_of(frame, width)


LEAST_PAIR = 5
"""Cells of a pair; where a count would leave less, it is told in thousands."""


class MergesPanel(MergeList[Frame]):
    """The merges with their counts."""

    def merge_spans(self, frame: Frame, index: int, cells: int) -> list[Span]:
        merge = frame.merge_at(index)
        pair = self.painter(frame).pair(merge.pair)
        counted = number(merge.count) if frame.has_corpus else ""
        if cells - len(counted) - 1 < LEAST_PAIR:
            counted = short_number(merge.count)
        # The pair has all that its own count leaves: no column stands to the right of the counts.
        return [*left(pair, max(cells - len(counted) - 1, 3)), right(counted, len(counted) + 1)]


class WordsPanel(TouchedPanel[Frame]):
    """The pretokens that hold the merged pair, in their tokens before and after."""


class EncodedText(TypedText[Frame], Panel):
    """The tokens of a text, each over its id."""

    MARKS_NEXT = True

    def rows_of_text(self, frame: Frame, width: int) -> Sequence[Row]:
        pieces = (piece.ids for piece in frame.encode(self.text))
        rows = over_ids(self.painter(frame), pieces, width)
        unknown = paragraph(describe_unknown(frame, self.text), width, "loss")
        return [*rows, *unknown] if unknown else rows


class EncodeLine(TypedLine):
    """A line to type in, and under it the encoding."""

    TYPED_TEXT = EncodedText

    def describe_size(self, frame: Frame, text: str, shortened: bool) -> str:
        tokens = sum(len(piece.ids) for piece in frame.encode(text))
        unknown = frame.unknown_in(text)
        lost = f"{number(unknown)} × <unk>, in bytes none · " if unknown else ""
        return (
            f"{lost}{plural(tokens, 'token')} · {plural(len(to_bytes(text)), 'byte')} · "
            f"step {number(frame.step)}"
        )


class PseudocodePanel(Panel):
    """The lines of a trainer, those at work marked, and what they do at this step.

    All trainers make the same merges; this one need not be the one that ran. `heap` goes by the
    moves of the frame's heap. Any other trainer goes by its phases; which of them is on is the
    panel's own affair, and the first one of the next merge is after every step.
    """

    ID = "pseudocode"
    IN_PLACE_OF = "words"
    WIDEST = 100

    algorithm: Drawn[Algorithm | None] = Drawn(None)

    def __init__(self) -> None:
        super().__init__()
        self._phase = 0

    @property
    def goes_by_moves(self) -> bool:
        """Whether the trainer keeps a heap, whose moves are its moments."""
        return any(isinstance(moment, Move) for moment in phases_of(self._lines))

    @property
    def _lines(self) -> tuple[CodeLine, ...]:
        return self.algorithm.pseudocode if self.algorithm else ()

    def next_algorithm(self) -> None:
        """Go on to the lines of the next trainer that could have made these merges."""
        if self.algorithm is not None and self.frame is not None:
            names = list(TRAINERS)
            place = names.index(self.algorithm.name) + 1
            rule, alphabet = self.frame.tie_rule, self.frame.run.alphabet
            followers = (TRAINERS[name] for name in (*names[place:], *names))
            able = (each for each in followers if algorithm_for(each.name, rule, alphabet) == each)
            self._phase = 0
            self.algorithm = next(able)

    def next_phase(self) -> bool:
        """Go on to the next phase; whether the step has another one."""
        if self._phase + 1 >= len(phases_of(self._lines)):
            return False
        self._phase += 1
        self.rebuild()
        return True

    def watch_frame(self, old: Frame | None, new: Frame | None) -> None:
        if old is None or new is None or not old.looks_like(new):
            self._phase = 0
        super().watch_frame(old, new)

    def rows_of(self, frame: Frame, width: int) -> list[Row]:
        foot = "p next trainer · . goes on"
        self.say(f"pseudocode  {self.algorithm.name if self.algorithm else ''}", foot)
        if self.algorithm is None:
            return sentence(GIVEN, width)
        moment = self._moment(frame)
        said = paragraph(self._said(frame, moment), width - 2)
        code = [_code_rows(line, moment in line.during, width) for line in self._lines]
        return [
            *chain.from_iterable(code),
            Row([]),
            *(Row([("  ", ""), *row.spans]) for row in said),
        ]

    def _moment(self, frame: Frame) -> WorkPhase | None:
        if not self.goes_by_moves:
            return phases_of(self._lines)[self._phase] if self._lines else None
        return frame.queue.moves()[frame.moves_done - 1].move if frame.moves_done else None

    def _said(self, frame: Frame, moment: WorkPhase | None) -> str:
        if frame.step == frame.recorded_steps:
            return "No merge follows." if frame.next_pair is None else "The next is not made yet."
        if isinstance(moment, Phase):
            return _describe(frame, frame.merge_at(frame.step), moment)
        if moment is None:
            return "Key . makes the first move of the next merge."
        return narrate_move(frame)


def _code_rows(line: CodeLine, at_work: bool, width: int) -> Iterator[Row]:
    """A line of code; where it is too long, it goes on below, further to the right."""
    code = line.text.lstrip()
    indent = " " * (len(line.text) - len(code))
    first, *rest = wrapped_text(code, max(width - 4 - len(indent), 10))
    role = "pair" if at_work else ""
    yield Row([("▸ " if at_work else "  ", "pair"), (indent + first, role)])
    for part in rest:
        yield Row([("    ", ""), (indent + part, role)])


def _describe(frame: Frame, merge: MergeStep, phase: Phase) -> str:
    """What a phase does in the merge that comes next."""
    pair = pair_text(frame, merge.pair)
    born = sum(change.before == 0 for change in merge.changes)
    facts = {
        Phase.COUNT: f"{plural(frame.queue.pair_count, 'pair')} stand somewhere",
        Phase.CHOOSE: f"{pair}, {plural(merge.count, 'time')}"
        + (f", tied with {number(len(merge.tied) - 1)} more" if len(merge.tied) > 1 else ""),
        Phase.JOIN: f"{visible_bytes(merge.token)}, id {number(merge.new_id)}",
        Phase.REPLACE: f"{plural(merge.occurrences, 'occurrence')} in "
        f"{plural(merge.pretokens, 'pretoken')}",
        Phase.CORRECT: f"{plural(len(merge.changes) - born, 'old pair')} rarer or gone",
        Phase.ENTER: plural(born, "new pair"),
    }
    return f"Merge {number(merge.index + 1)}: {phase.value}: {facts[phase]}."
