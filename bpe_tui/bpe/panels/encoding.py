"""Into which pretokens is the text cut, and how does each of them encode?

`PretokensPanel` lists the pretokens. A `Walk` goes through the encoding of the one under its
cursor: merge by merge, or with all encoders in lockstep.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import ClassVar

from textual.reactive import reactive
from textual.strip import Strip

from bpe_tui.views.encoding_screen import PartsPanel
from bpe_tui.views.narration import first_fitting
from bpe_tui.views.panel import Panel, TokenPainter, sentence
from bpe_tui.views.targets import ToStep
from bpe_tui.widgets.lines import Drawn
from bpe_tui.widgets.numbers import number, plural
from bpe_tui.widgets.rows import (
    Part,
    Row,
    RowsOnDemand,
    Span,
    left,
    paragraph,
    right,
    spans_width,
    wrapped,
)
from bpe_tui.widgets.visible import ELLIPSIS, quoted, shorten, visible_bytes, visible_text
from engine.analysis.encoder_comparison import Lane, Lockstep, Move, lockstep
from engine.bpe.frame import Frame
from engine.encoding.incremental import EncodedPretoken
from engine.encoding.trace import TracedMerge, seen_before, trace_pretoken
from engine.pipeline.to_tokenizer import ModelAlphabet
from engine.text.patterns import STAGED

LONGEST = 500
"""Bytes of a pretoken up to which each step is shown; each shows the whole pretoken."""
THE_END = 10**9
LOST_SHOWN = 24
TOKENS_CELLS = len(" tokens")
NAME_CELLS = len("contraction")
"""Cells that the name of what matched has at the least: with fewer most would be cut."""
BESIDE_TEXT = TOKENS_CELLS + 4
"""Cells of a row of the pretokens beside text and name: a mark, how many tokens, a gap."""
MARGIN = 11
"""Cells before the merge in a row: a mark and the rank."""
RULES = {
    "WordPiece": "it takes the longest piece that fits, from the left, again and again",
    "Unigram": "of all ways to cut it into pieces it takes the most probable one",
    "WordLevel": "it looks the whole pretoken up, which is a token or unknown",
}
"""What models that do not merge do with a pretoken."""
NAME_WIDTH = 13
NOTE_WIDTH = 30
ROOMY = 64
"""Cells from which on the notes have a column of their own."""


class PretokensPanel(PartsPanel[Frame]):
    """The pretokens of `text`, one a row; the cursor chooses one."""

    text: Drawn[str] = Drawn("")

    frame: reactive[Frame | None] = reactive(None, repaint=False)

    def __init__(self) -> None:
        super().__init__("pretokens", id="pretokens")
        self._pieces: list[EncodedPretoken] = []
        self._seen: list[bool] = []
        self._staged = False

    @property
    def selected(self) -> EncodedPretoken | None:
        """The pretoken that the cursor is on."""
        return self._pieces[self.cursor] if self.cursor < len(self._pieces) else None

    @property
    def is_seen_before(self) -> bool:
        """Whether the same pretoken stands before it in the text."""
        return self.selected is not None and self._seen[self.cursor]

    def rebuild(self) -> None:
        if self.frame is not None:
            self._pieces = self.frame.encode(self.text)
            self._seen = seen_before(piece.pretoken for piece in self._pieces)
        super().rebuild()

    def rows_of(self, frame: Frame, width: int) -> Sequence[Row]:
        pattern = frame.rules.pattern
        self._staged = pattern.name == STAGED
        self.say(f"pretokens  {number(len(self._pieces))}", pattern.summary if self._staged else "")
        if not self._pieces:
            return sentence("Nothing typed yet: press e and type.", width)
        name_width = min(28, max((width - BESIDE_TEXT) // 2, NAME_CELLS))
        text_width = max(width - name_width - BESIDE_TEXT, 4)
        matched_by = "" if self._staged else "matched by"
        head: list[Span] = [*left([("  text", "")], text_width + 2), right("tokens", TOKENS_CELLS)]
        self.name_columns([*head, ("  ", ""), (matched_by, "")])
        return RowsOnDemand(
            len(self._pieces), lambda place: self._row(place, text_width, name_width)
        )

    def whole(self, row: Row) -> Sequence[Span]:
        """The pretoken and what matched it, if something of the row is cut."""
        piece = self.selected
        if piece is None or not any(ELLIPSIS in text for text, _ in row.spans):
            return ()
        return [
            (visible_text(piece.pretoken.text), ""),
            (f"   {self._matched_by(self.cursor)}", ""),
        ]

    def _matched_by(self, place: int) -> str:
        """Which alternative of the pattern took a pretoken from the text."""
        pretoken = self._pieces[place].pretoken
        if pretoken.special:
            return "special token"
        if self._staged:
            return ""  # stages have no alternatives
        return pretoken.alternative.name if pretoken.alternative else "no alternative"

    def _row(self, place: int, text_width: int, name_width: int) -> Row:
        piece, name = self._pieces[place], self._matched_by(place)
        pretoken = piece.pretoken
        if pretoken.special:
            name = first_fitting(name_width, name, "special")
        here = place == self.cursor
        tokens = f"{len(piece.ids):,}"
        if self._seen[place]:  # where there is no room for it, the walk beside still says so
            name = first_fitting(name_width, f"{name}, cached" if name else "cached", name)
        role = "special" if pretoken.special else ""
        return Row(
            [
                ("▸ " if here else "  ", "here"),
                *left(Part([(visible_text(pretoken.text), role)]), text_width),
                right(tokens, TOKENS_CELLS, "dim"),
                ("  ", ""),
                *left([(name, "dim")], name_width),
            ]
        )


class Walk(Panel):
    """A walk through the encoding of one pretoken: of the steps of `piece`, `place` are made.

    A subclass says which steps there are.
    """

    KEEPS_CURSOR = True
    STAYS_AT_END: ClassVar[bool] = True
    """Whether who is at the last of its steps stays there when they become more."""

    piece: reactive[EncodedPretoken | None] = reactive(None, repaint=False)
    seen: Drawn[bool] = Drawn(False)
    """Whether the same pretoken stands earlier in the text."""
    place: Drawn[int] = Drawn(0)
    _steps_before = 0
    """How many steps there were when it was drawn last."""

    @property
    def step_count(self) -> int:
        """How many steps encode the piece."""
        raise NotImplementedError

    def steps_of(self, frame: Frame, pretoken: bytes) -> None:
        """Find out the steps of a pretoken; none if it is empty."""
        raise NotImplementedError

    def step_rows(self, frame: Frame, piece: EncodedPretoken, width: int) -> Sequence[Row]:
        """The rows for a piece that has steps to show."""
        raise NotImplementedError

    def watch_piece(self, old: EncodedPretoken | None, new: EncodedPretoken | None) -> None:
        if old is None or new is None or old.pretoken.text != new.pretoken.text:
            self.place = THE_END
        self.rebuild()

        self.scroll_to_row(self.place)

    def walk(self, by: int) -> None:
        """Go through the steps."""
        self.place = max(0, min(self.place + by, self.step_count))

    def action_move(self, by: int) -> None:
        """The rows are the steps: moving among them is walking."""
        self.walk(by)

    def rows_of(self, frame: Frame, width: int) -> Sequence[Row]:
        piece = self.piece
        walked = piece is not None and not self._why_none(piece)
        was_at_end = self.STAYS_AT_END and self.place >= self._steps_before
        self.steps_of(frame, piece.pretoken.bytes if piece is not None and walked else b"")
        steps = self._steps_before = self.step_count
        # Who saw all of it still does when another step of the run has more merges.
        self.place = steps if was_at_end else min(self.place, steps)
        if not walked:
            # Title and head still speak of the piece that was here before.
            self.say(self.named)
            self.name_columns(())
        if piece is None:
            return paragraph("Type something; choose a pretoken with ↑ ↓.", width, "dim")
        if not walked:
            return paragraph(self._why_none(piece), width, "dim")
        return self.step_rows(frame, piece, width)

    def _why_none(self, piece: EncodedPretoken) -> str:
        """Why a piece has no steps to show; empty if it has."""
        if piece.pretoken.special:
            return "A special token: one id, never merged."
        if (length := len(piece.pretoken.bytes)) > LONGEST:
            return (
                f"A pretoken of {plural(length, 'byte')} is too long to be followed step by step; "
                f"up to {number(LONGEST)} it is."
            )
        return ""


class EncodeStepsPanel(Walk):
    """The merges of one pretoken in order, with ranks; `place` says how many are made.

    Below the last one made stand the candidates that lost to it.
    """

    LEAST_FOR_HEAD = 0

    def __init__(self) -> None:
        super().__init__("merges of the pretoken", id="encode-steps")
        self._merges: Sequence[TracedMerge] = ()

    @property
    def step_count(self) -> int:
        return len(self._merges)

    def steps_of(self, frame: Frame, pretoken: bytes) -> None:
        self._merges = trace_pretoken(frame.rules, pretoken)

    def step_rows(self, frame: Frame, piece: EncodedPretoken, width: int) -> Sequence[Row]:
        text = shorten(visible_text(piece.pretoken.text), max(width // 3, 4))
        alphabet = frame.rules.alphabet
        if isinstance(alphabet, ModelAlphabet):
            self.say(f"how {text} encodes   {alphabet.model.name}", "8 all stages · r regex")
            return self._at_once(frame, piece, alphabet.model.name, width)
        cached = " · seen before: from the cache" if self.seen else ""
        where = f"merge {self.place} of {self.step_count}" if self.step_count else "no merge"
        self.say(f"how {text} encodes   {where}{cached}", "w why not · c compare · r regex")
        self.cursor = self.place
        painter = self.painter(frame)
        start = tuple(alphabet.spell(piece.pretoken.bytes))
        merge = "  merge".ljust(_pair_cells(width) + 4)
        self.name_columns([right("rank", MARGIN - 2), (merge, ""), ("tokens then", "")])
        lost = list(self._lost_rows(painter, width))
        last_of_lost = self.place + len(lost)
        steps = len(self._merges) + 1 + len(lost)
        twin = _twin_rows(frame, piece, width)

        def row(index: int) -> Row:
            if index >= steps:
                return twin[index - steps]
            if self.place < index <= last_of_lost:
                return lost[index - self.place - 1]
            count = index if index <= self.place else index - len(lost)
            merge = self._merges[count - 1] if count else None
            here, ahead = count == self.place, count > self.place
            return _row(painter, merge, start, f"{alphabet.unit}s", width, here, ahead)

        return RowsOnDemand(steps + len(twin), row)

    def _at_once(
        self, frame: Frame, piece: EncodedPretoken, model: str, width: int
    ) -> Sequence[Row]:
        """A model without merges: there are no steps, but a rule."""
        tokens = self.painter(frame).tokens(piece.ids)
        tokens_made = plural(len(piece.ids), "token")
        rule = f"{tokens_made}. {model} merges nothing: {RULES[model]}."
        return [Row(line) for line in wrapped([[span] for span in tokens], width)] + [
            Row([]),
            *paragraph(rule, width, "dim"),
        ]

    def _lost_rows(self, painter: TokenPainter, width: int) -> Iterator[Row]:
        """The candidates that lost to the last merge made, in as many rows as they need."""
        if not self.place:
            return
        merge = self._merges[self.place - 1]
        if not merge.lost:
            yield Row([(" " * MARGIN + "the only candidate", "dim")])
            return
        words: list[list[Span]] = [[("lost to it: ", "dim")]]
        for candidate in merge.lost[:LOST_SHOWN]:
            rank = f" rank {number(candidate.rank)}   "
            words.append([*painter.pair(candidate.pair, between="┊"), (rank, "dim")])
        if len(merge.lost) > LOST_SHOWN:
            words.append([(f"and {number(len(merge.lost) - LOST_SHOWN)} more", "dim")])
        for line in wrapped(words, max(width - MARGIN, 12)):
            yield Row([(" " * MARGIN, ""), *line])


def _pair_cells(width: int) -> int:
    return min(18, max(width // 4, 9))


def _twin_rows(frame: Frame, piece: EncodedPretoken, width: int) -> list[Row]:
    """What the same word is with a space in front or without, where that is a pretoken too."""
    word = piece.pretoken.text
    has_space = word.startswith(" ")
    twin = word[1:] if has_space else f" {word}"
    if not word.strip(" ").isalpha():
        return []
    found = frame.rules.pretokens(twin)  # `frame.encode` is for the one text that is typed
    if len(found) != 1 or found[0].text != twin:
        return []
    ids = frame.rules.ids_of(found[0])
    shared = (Counter(ids) & Counter(piece.ids)).total()
    parts = "┊".join(visible_bytes(frame.token(token_id)) for token_id in ids)
    said = f"{'Without' if has_space else 'With'} a space in front it is {parts}: "
    said += plural(len(ids), "token")
    said += (
        f", {number(shared)} of them the same as here."
        if shared
        else ", none the same as here. To the merges these are two words, learnt apart."
    )
    return [Row([]), *paragraph(said, width, "dim")]


def _row(
    painter: TokenPainter,
    merge: TracedMerge | None,
    start: tuple[int, ...],
    units: str,
    width: int,
    here: bool,
    ahead: bool,
) -> Row:
    step = merge.step if merge else None
    joined = painter.pair(step.pair, between=" + ") if step else [(units, "dim")]
    pair_width = _pair_cells(width)
    strip_width = max(width - MARGIN - pair_width - 2, 8)
    spans = [
        ("▸ " if here else "  ", "pair"),
        right(number(step.rank) if step else "", 7, "strong" if here else "dim"),
        ("  ", ""),
        *left(joined, pair_width),
        ("  ", ""),
        *painter.strip(step.after if step else start, step.position if step else 0, strip_width),
    ]
    target = ToStep(step.rank + 1) if step else None
    return Row([(text, "dim") for text, _ in spans] if ahead else spans, target)


class LockstepPanel(Walk):
    """The encoders side by side, `place` steps on, up to the first disagreement."""

    def __init__(self) -> None:
        super().__init__("encoders in lockstep", id="lockstep")
        self._lockstep = Lockstep((), None)

    @property
    def step_count(self) -> int:
        return self._lockstep.steps

    def steps_of(self, frame: Frame, pretoken: bytes) -> None:
        self._lockstep = lockstep(frame, pretoken, self.seen)

    def step_rows(self, frame: Frame, piece: EncodedPretoken, width: int) -> Sequence[Row]:
        text = shorten(visible_text(piece.pretoken.text), max(width // 3, 4))
        self.say(
            f"encoders on {text}   step {self.place} of {self.step_count}",
            "← → steps   Esc back",
        )
        painter = self.painter(frame)
        rows: list[Row] = []
        for lane in self._lockstep.lanes:
            rows += _lane_rows(painter, lane, lane.at(self.place), width)
        return [*rows, Row([]), *self._outcome(width)]

    def paint(self, spans: Sequence[Span], at_cursor: bool = False) -> Strip:
        """No row is chosen here: all of them are one moment."""
        return super().paint(spans)

    def _outcome(self, width: int) -> Iterator[Row]:
        parting = self._lockstep.parting
        if self.place < self.step_count:
            return
        if parting is not None:
            yield from paragraph(f"They part here: {parting.describe(quoted)}", width, "tie")
            return
        tokens = plural(len(self._lockstep.lanes[0].at(self.place).tokens), "token")
        yield from paragraph(f"They all end alike, with {tokens}.", width, "gain")


def _lane_rows(painter: TokenPainter, lane: Lane, move: Move, width: int) -> Iterator[Row]:
    """What it did in words, and below what it has now."""
    note_width = NOTE_WIDTH if width >= ROOMY else spans_width([(move.note, "")]) + 2
    did: list[Span] = [
        (lane.name.replace("_", " ").ljust(NAME_WIDTH), "strong"),
        *left([(move.note, "dim")], note_width),
    ]
    if move.pair is not None:
        did += painter.pair(move.pair, between=" + ")
    if move.taken is not None:
        did.append(painter.token(move.taken))
    yield Row(left(did, width))
    yield Row([(" " * NAME_WIDTH, ""), *left(painter.tokens(move.tokens), width - NAME_WIDTH)])
