"""What does each kind of tokenizer make of the same text? The work behind the table; its rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import monotonic

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message

from bpe_tui.session.jobs import Job
from bpe_tui.views.narration import Facts, fitting
from bpe_tui.views.panel import sentence
from bpe_tui.widgets.lines import Lines
from bpe_tui.widgets.numbers import number, percent
from bpe_tui.widgets.rows import Row, Span, left, right
from bpe_tui.widgets.virtual_table import GAP, Column, Header, Place, arranged
from engine.analysis.model_table.kinds import KINDS, Candidate
from engine.analysis.model_table.table import (
    Measures,
    Texts,
    Untrained,
    hold_out,
    measure,
    row_of,
    train_candidate,
)
from engine.analysis.model_table.table import Row as KindRow
from engine.text.pretokenize import SpecialSplitter, to_text

# The work behind the comparison table: train one tokenizer of each kind, and measure it.
#
# They learn from the beginning of the corpus, which is at hand, and none trains longer than
# `SECONDS`: a table is to be looked at, not waited for.


WAITS, TRAINS = "waits for the others", "is being trained …"


@dataclass
class Entry:
    """One kind of tokenizer.

    Attributes:
        state: what to say as long as there is no row: that it waits, or why there will be none.
        stopped: its training was stopped before it had its size.
        typed: what it makes of the text that somebody typed; `None` if there is none.
    """

    name: str
    state: str = WAITS
    candidate: Candidate | None = None
    row: KindRow | None = None
    stopped: bool = False
    typed: Measures | None = None

    @property
    def measures(self) -> Measures | None:
        """What it makes of the text that the table is about."""
        if self.typed is not None:
            return self.typed
        return self.row.unseen if self.row is not None else None

    def measure_typed(self, stretches: Sequence[str]) -> None:
        """Measure a text in place of the end of the corpus; without one, that again."""
        if self.candidate is not None:
            self.typed = measure(self.candidate, stretches) if stretches else None


def stretches_of(text: str, special_tokens: Sequence[str]) -> tuple[str, ...]:
    """What stands between the special tokens of a typed text."""
    pieces = SpecialSplitter(special_tokens).split_text(text)
    return tuple(piece for piece, special in pieces if not special and piece)


SECONDS = 10.0
"""How long one kind may train."""


class FamilyNews(Message):
    """What the job of a table tells. `of` is that table: there may be another one by now."""

    of: object = None


@dataclass
class TextsChosen(FamilyNews):
    """What all learn from, in bytes, and what they are measured on."""

    learnt: int
    texts: Texts


@dataclass
class KindBegun(FamilyNews):
    """This kind is being trained."""

    name: str


@dataclass
class KindMeasured(FamilyNews):
    """A kind is trained, and its row is known. `stopped`: the time was up before its size was."""

    candidate: Candidate
    row: KindRow
    stopped: bool


@dataclass
class KindFailed(FamilyNews):
    """A kind cannot be trained that way."""

    found: Untrained


@dataclass
class FamilyFailed(Message):
    """The work ended in an error that was not meant to be."""

    error: Exception


class FamilyJob(Job):
    """Trains every kind on `corpus`, and measures it on the end of it."""

    def __init__(
        self,
        corpus: str,
        vocab_size: int,
        special_tokens: Sequence[str],
        post: Callable[[Message], object],
    ) -> None:
        super().__init__("family", post)
        self._corpus = corpus
        self._vocab_size = vocab_size
        self._special_tokens = special_tokens
        self._due = 0.0
        self._stopped = False

    def failed(self, error: Exception) -> Message:
        return FamilyFailed(error)

    def work(self) -> None:
        corpus = self._corpus.encode("utf-8", "surrogateescape")
        learnt, rest = hold_out(corpus, self._special_tokens)
        texts = Texts.of(learnt, to_text(rest), self._special_tokens)
        self.check_cancelled()
        self.post(TextsChosen(len(learnt), texts))
        for name in KINDS:
            self.post(KindBegun(name))
            self._due, self._stopped = monotonic() + SECONDS, False
            found = train_candidate(
                name, learnt, self._vocab_size, self._special_tokens, self._go_on
            )
            self.check_cancelled()
            if isinstance(found, Untrained):
                self.post(KindFailed(found))
            else:
                self.post(KindMeasured(found, row_of(found, texts), self._stopped))

    def _go_on(self) -> bool:
        """Between two steps of a training: leave if nobody wants it, stop it if it takes long."""
        self.check_cancelled()
        self._stopped = monotonic() >= self._due
        return not self._stopped


NAME = max(map(len, KINDS))
COLUMNS = (
    Column("kind", "kind", NAME, 100),
    Column("granularity", "tokens are", 10, 1, share=1),
    Column("vocabulary", "vocabulary", 10, 5, is_number=True),
    Column("unknown", "OOV", 6, 9, is_number=True),
    Column("tokens", "tokens", 7, 8, is_number=True),
    Column("per_word", "a word", 6, 3, is_number=True),
    Column("bytes", "bytes/token", 11, 2, is_number=True),
    Column("exact", "exact", 5, 4, is_number=True),
    Column("misspelt", "misspelt", 9, 7, is_number=True),
    Column("chinese", "Chinese", 9, 6, is_number=True),
)
MEANINGS: Facts = [
    (3, "↵ explains a row"),
    (0, "OOV: words unknown"),
    (2, "misspelt: tokens before → after"),
    (1, "exact: decoding gives the text back"),
]


class FamilyRows(Lines):
    """The kinds, one a row; where there are none, why not."""

    class Pointed(Message):
        """The cursor is on this kind now."""

    def __init__(self) -> None:
        super().__init__(id="family-rows")
        self.entries: Sequence[Entry] = ()
        self.why_none = ""
        self._said: Sequence[Row] = ()
        self.places: list[Place] = []

    @property
    def row_count(self) -> int:
        return len(self.entries) or len(self._said)

    def rebuild(self) -> None:
        self._said = sentence(self.why_none, self.scrollable_content_region.width - 2)
        self.places = arranged(COLUMNS, max(self.scrollable_content_region.width - 2, 1))
        super().rebuild()

    def row(self, index: int) -> Row:
        if not self.entries:
            return self._said[index]
        entry = self.entries[index]
        here: Span = ("▸ " if index == self.cursor else "  ", "here")
        if entry.row is None:
            room = max(self.scrollable_content_region.width - 2 - GAP - NAME, 9)
            name = left([(entry.name, "strong")], NAME + GAP)
            return Row([here, *name, *left([(entry.state, "dim")], room)], entry.name)
        spans: list[Span] = [here]
        for place in self.places:
            text, role = cell(entry, place.column.name)
            if place.column.is_number:
                spans.append(right(text, place.cells, role))
            else:
                spans += left([(text, role)], place.cells)
            spans.append((" " * GAP, ""))
        return Row(spans, entry.name)

    def watch_cursor(self) -> None:
        super().watch_cursor()
        self.post_message(self.Pointed())


class FamilyPanel(Vertical):
    """The table under its header."""

    def __init__(self) -> None:
        super().__init__(id="family-table")
        self.border_title = Content("the family")

    def compose(self) -> ComposeResult:
        yield Header(id="family-header")
        yield FamilyRows()

    @property
    def rows(self) -> FamilyRows:
        return self.query_one(FamilyRows)

    def show(self, entries: Sequence[Entry], about: str) -> None:
        """Show the rows as they are now, and what they are measured on."""
        self._show(entries, f"the family  {about}")

    def say(self, why_none: str) -> None:
        """Say why there are no rows."""
        self.rows.why_none = why_none
        self._show((), "the family")

    def _show(self, entries: Sequence[Entry], title: str) -> None:
        self.border_title = Content(title)
        self.rows.entries = entries
        self.rows.rebuild()
        self.place_header()

    def on_resize(self) -> None:
        self.border_subtitle = Content(fitting(MEANINGS, self.size.width - 4))
        self.call_after_refresh(self.place_header)

    def place_header(self) -> None:
        """Put the titles over their columns."""
        header = self.query_one(Header)
        header.places = [Place(p.column, p.start + 2, p.cells) for p in self.rows.places]


def _unknown(row: KindRow, measures: Measures) -> Span:
    share = measures.unknown_word_share
    return percent(share), "loss" if share else "dim"


def _misspelt(row: KindRow, measures: Measures) -> Span:
    """Tokens of a word before and after two letters are swapped, or how many are unknown then."""
    wrong = row.misspelled
    if not wrong.words:
        return "–", "dim"
    if wrong.unknown_share:
        return f"{percent(wrong.unknown_share)} UNK", "loss"
    before, after = wrong.tokens_per_word, wrong.wrong_tokens_per_word
    digits = 1 if max(before, after) < 9.95 else 0
    return f"{before:.{digits}f} → {after:.{digits}f}", "" if after > before else "dim"


def _chinese(row: KindRow, measures: Measures) -> Span:
    """Tokens a character, or how many of the characters are unknown."""
    found = row.chinese
    if found.unknown_characters:
        return f"{percent(found.unknown_character_share)} UNK", "loss"
    return f"{found.tokens_per_character:.2f}/char", ""


CELLS: dict[str, Callable[[KindRow, Measures], Span]] = {
    "kind": lambda row, measures: (row.name, "strong"),
    "granularity": lambda row, measures: (row.granularity, "dim"),
    "vocabulary": lambda row, measures: (number(row.vocab_size), ""),
    "unknown": _unknown,
    "tokens": lambda row, measures: (number(measures.tokens), ""),
    "per_word": lambda row, measures: (f"{measures.tokens_per_word:.2f}", ""),
    "bytes": lambda row, measures: (f"{measures.bytes_per_token:.2f}", ""),
    "exact": lambda row, measures: ("yes", "gain") if measures.exact else ("no", "loss"),
    "misspelt": _misspelt,
    "chinese": _chinese,
}
"""What stands in each column; the measures are of the text that the table is about."""


def cell(entry: Entry, column: str) -> Span:
    """What stands in a column for a kind that is measured."""
    assert entry.row is not None
    assert entry.measures is not None
    text, role = CELLS[column](entry.row, entry.measures)
    if column == "vocabulary" and entry.stopped:
        return f"{text} …", "tie"
    return text, role
