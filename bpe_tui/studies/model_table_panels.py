"""The panels of the model table: a row for each kind, and the details of one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from textual.content import Content
from textual.message import Message

from bpe_tui.panels.training_panels import Labelled, labelled, over_labels
from bpe_tui.session.samples import parallel_samples
from bpe_tui.shell.panel import PRETOKEN_BORDER, mark_role, needs_marks, token_edge
from bpe_tui.shell.targets import ToKind
from bpe_tui.widgets.language import plural, tr
from bpe_tui.widgets.lines import Lines
from bpe_tui.widgets.numbers import number, percent
from bpe_tui.widgets.rows import (
    CHIPS_MEET,
    GAP,
    TOKEN_HUES,
    Column,
    ColumnPlace,
    Row,
    Span,
    arranged,
    arranged_row,
    cursor_sign,
    left,
    paragraph,
    right,
    wrapped,
)
from bpe_tui.widgets.visible import visible_bytes, visible_text
from bpe_tui.words.encoded_text import chips
from bpe_tui.words.measures import describe_premiums
from bpe_tui.words.narration import leading_parts
from engine.analysis.measures import premiums_over_english
from engine.analysis.model_table import KindRow, TextMeasures, cut_by_kind
from engine.analysis.tokenizer_kinds import KINDS, SUBWORDS, ComparableTokenizer
from engine.core.characters import whole_characters

WAITS, TRAINS = "waits for the others", "is being trained …"
TRAINED = "is trained; waits for one size"


@dataclass(frozen=True)
class KindEntry:
    """One kind of tokenizer in the table.

    Attributes:
        state: shown instead of a row: that the kind waits, or why it cannot be trained.
        stopped: whether its training was stopped before it had its size.
    """

    name: str
    state: str = WAITS
    tokenizer: ComparableTokenizer | None = None
    row: KindRow | None = None
    stopped: bool = False

    @property
    def measured(self) -> KindRow:
        """The row of a kind that has one."""
        assert self.row is not None
        return self.row


def _size(entry: KindEntry) -> list[Span]:
    size = number(entry.measured.vocab_size)
    return [(f"{size} …", "tie") if entry.stopped else (size, "")]


def _unknown(entry: KindEntry) -> list[Span]:
    share = entry.measured.unseen.unknown_word_share
    return [(percent(share), "loss" if share else "dim")]


def _bytes_per_token(entry: KindEntry) -> list[Span]:
    return [(f"{entry.measured.unseen.bytes_per_token:.2f}", "")]


def _exact(entry: KindEntry) -> list[Span]:
    return [(tr("yes"), "gain") if entry.measured.unseen.exact else (tr("no"), "loss")]


NAME = max(map(len, KINDS))
COLUMNS = (
    Column("kind", NAME, lambda kind: [(kind.name, "strong")], importance=100),
    Column("tokens are", 10, lambda kind: [(tr(kind.row.granularity), "dim")], False, 1, share=1),
    Column("vocabulary", 10, _size, True, 5),
    Column("OOV", 6, _unknown, True, 9),
    Column("tokens", 7, lambda kind: [(number(kind.row.unseen.tokens), "")], True, 8),
    Column("per word", 8, lambda kind: [(f"{kind.row.unseen.tokens_per_word:.2f}", "")], True, 3),
    Column("bytes/token", 11, _bytes_per_token, True, 2),
    Column("exact", 5, _exact, True, 4),
)

FOOT = "↵ explains a row │ OOV: words unknown │ per word: tokens │ exact: decodes to the text"
"""The line in the border: what Enter does, then the legend of the columns."""


def describe_sizes(entries: Sequence[KindEntry], most: int) -> str:
    """Return whether the subword vocabularies, of at most `most` tokens, have the same size."""
    subwords = [entry for entry in entries if entry.name in SUBWORDS]
    sizes = {entry.row.vocab_size for entry in subwords if entry.row is not None}
    if not sizes or any(entry.state in (WAITS, TRAINS) and entry.row is None for entry in subwords):
        return tr("at the most {tokens}", tokens=plural(most, "token"))
    if len(sizes) == 1:
        return tr("subwords of one size, {tokens}", tokens=plural(sizes.pop(), "token"))
    least, largest = number(min(sizes)), number(max(sizes))
    return tr("subwords of different sizes, {n} to {last}", n=least, last=largest)


STRIPS = {"bpe": "BPE", "wordpiece": "WordPiece", "unigram": "Unigram"}
"""The kinds whose cuts of the text are under one another, each with its title."""
TITLE = max(map(len, STRIPS.values())) + 2
COUNT, OF_SIZE = 12, 10
"""Cells of the number of tokens of a strip, and of the size of its vocabulary."""


class FamilyStrips(Lines):
    """One text as BPE, WordPiece and Unigram cut it: chips, with the edges of pretokens."""

    can_focus = False

    def __init__(self) -> None:
        super().__init__(id="family-strips")
        self._shown: tuple[Sequence[KindEntry], str, Sequence[str]] = (), "", ()

    def show(self, entries: Sequence[KindEntry], text: str, special_tokens: Sequence[str]) -> None:
        """Show a text as the kinds in the table cut it."""
        self._shown = entries, text, special_tokens
        self.rebuild()

    def rebuild(self) -> None:
        entries = {entry.name: entry for entry in self._shown[0]}
        self._rows = [self._row(entries[name]) for name in STRIPS if name in entries]
        super().rebuild()

    def _row(self, entry: KindEntry) -> Row:
        _, text, special_tokens = self._shown
        title = left([(STRIPS[entry.name], "dim")], TITLE)
        cells = self.scrollable_content_region.width
        room = max(cells - TITLE - COUNT - OF_SIZE, NARROWEST)
        if entry.tokenizer is None:
            return Row([*title, *left([(tr(entry.state), "dim")], room)])
        pretokens = cut_by_kind(entry.tokenizer, text, special_tokens)
        edge = token_edge(marks=needs_marks(self.app))
        spans: list[Span] = []
        for pieces in pretokens:
            spans += [*[PRETOKEN_BORDER] * bool(spans)]
            spans += [edge if span == CHIPS_MEET else span for span in chips(pieces)]
        tokens = right(plural(sum(map(len, pretokens)), "token"), COUNT, "strong")
        size = right(tr("of {n}", n=entry.tokenizer.vocab_size), OF_SIZE, "dim")
        return Row([*title, *left(spans, room), tokens, size])


class FamilyTable(Lines):
    """A row for each kind under the titles of the columns, or the reason if there are none."""

    class Pointed(Message):
        """The cursor has moved to another kind."""

    def __init__(self) -> None:
        super().__init__(id="family-table")
        self.entries: Sequence[KindEntry] = ()
        self._places: list[ColumnPlace] = []

    def show(self, entries: Sequence[KindEntry], about: str) -> None:
        """Show these rows; `about` describes the text that they are measured on."""
        self.border_title = Content(f"{tr('the family')}  {about}".rstrip())
        self.entries = entries
        self.rebuild()

    @property
    def row_count(self) -> int:
        return len(self.entries)

    def rebuild(self) -> None:
        self._places = arranged(COLUMNS, self.scrollable_content_region.width - 2)
        titles = arranged_row(self._places, lambda column: [(tr(column.title), "")])
        self.head = [("  ", ""), *titles.spans]
        self.border_subtitle = Content(leading_parts(self.size.width, tr(FOOT)))
        super().rebuild()

    def row(self, index: int) -> Row:
        entry = self.entries[index]
        here = cursor_sign(index == self.cursor)
        if entry.row is None:
            room = self.scrollable_content_region.width - 2 - GAP - NAME
            name = left([(entry.name, "strong")], NAME + GAP)
            return Row([here, *name, *left([(tr(entry.state), "dim")], room)], entry.name)
        shown = arranged_row(self._places, lambda column: column.draw(entry))
        return Row([here, *shown.spans], entry.name)

    def watch_cursor(self) -> None:
        super().watch_cursor()
        self.post_message(self.Pointed())


MARGIN = 10
"""Cells of the labels."""
NARROWEST = 8
SHOWN_CHARACTERS = 120
"""Characters of a text that are drawn in tokens, where there is little room."""
BESIDE_TEXT = 18
"""Rows of the details besides the text."""
SHOWN_WORDS = 8


def beside(label: str, words: Iterable[Sequence[Span]], width: int) -> Iterator[Row]:
    """Yield rows of words after a label; a word is a list of spans."""
    for place, line in enumerate(wrapped(words, room_beside(width))):
        yield Row([*left([("" if place else tr(label), "dim")], MARGIN), *line])


def labelled_text(label: str, text: str, role: str, width: int) -> Iterator[Row]:
    """Yield rows of a text after a label, broken at blanks."""
    return beside(label, ([(f"{word} ", role)] for word in tr(text).split()), width)


def _over_ids(
    tokenizer: ComparableTokenizer, text: str, edge: Span, room: int
) -> Iterator[Sequence[Span]]:
    """Yield the tokens of a text over their ids; the unknown one has a role of its own."""
    ids = tokenizer.encode(text)
    waiting, pieces = iter(ids), list[Labelled]()
    for together in whole_characters(map(tokenizer.piece, ids)):
        tokens = []
        for token_id in islice(waiting, len(together)):
            role = f"token-{token_id % TOKEN_HUES}"
            role = mark_role(role) if len(together) > 1 else role
            tokens.append(("loss" if token_id == tokenizer.unknown_id else role, str(token_id)))
        pieces.append(labelled(visible_bytes(b"".join(together)), tokens, edge))
    yield from (row.spans for row in over_labels(pieces, room))


def room_beside(width: int) -> int:
    """Return the number of cells beside a label."""
    return max(width - MARGIN, NARROWEST)


class FamilyDetails(Lines):
    """The kind under the table's cursor: its training, and the text in its tokens."""

    def __init__(self) -> None:
        super().__init__(id="family-details")
        self._about: tuple[KindEntry, str, str] | None = None

    def show(self, entry: KindEntry, text: str, way_in: str) -> None:
        """Explain a row; `way_in` describes what Enter does for its kind."""
        self._about = entry, text, way_in
        self.border_title = Content(entry.name)
        self.rebuild()

    def clear(self) -> None:
        """Show nothing, as there is no row to explain."""
        self._about, self._rows, self.border_title = None, [], Content("")
        self.rebuild()

    def point_at_way_in(self) -> None:
        """Put the cursor on the row that leads to the training, if there is one."""
        places = (place for place, row in enumerate(self._rows) if row.target is not None)
        self.cursor = next(places, 0)

    def rebuild(self) -> None:
        if self._about is not None and self.size.width:
            self._rows = list(self._drawn(*self._about))
        super().rebuild()

    def _drawn(self, entry: KindEntry, text: str, way_in: str) -> Iterator[Row]:
        """Yield the rows about a kind: its training, then the beginning of the text in tokens."""
        width = self.scrollable_content_region.width - 1
        yield from _training(entry, way_in, width)
        tokenizer, measured = entry.tokenizer, entry.row
        if tokenizer is None or measured is None:
            yield Row([])
            yield from paragraph(visible_text(tr(entry.state), spaces=False), width, "dim")
            return
        yield from _learnt(entry, measured.vocab_size, width)
        yield Row([])
        room = room_beside(width)
        most = max(SHOWN_CHARACTERS, room * (self.size.height - BESIDE_TEXT) // 3)
        beginning = _beginning(text, most)
        edge = token_edge(marks=needs_marks(self.app))
        for place, line in enumerate(_over_ids(tokenizer, beginning, edge, room)):
            label = "" if place else tr("text")
            yield Row([*left([(label, "dim")], MARGIN), *line])
        yield from _exactness(tokenizer, beginning, width)
        yield from _unknown_words(tokenizer, measured.unseen, width)
        found = premiums_over_english(tokenizer.encode, parallel_samples(), tokenizer.unknown_id)
        if found:
            yield from labelled_text("languages", describe_premiums(found), "", width)


def _training(entry: KindEntry, way_in: str, width: int) -> Iterator[Row]:
    """Yield what a kind is, and the way to its training, or that there is none to watch."""
    kind = KINDS[entry.name]
    yield from paragraph(kind.summary, width)
    if way_in:
        yield Row(left([(way_in, "here")], width), ToKind(entry.name))
    elif kind.model is None:
        yield from paragraph("It has no steps to watch: its tokens are only counted.", width, "dim")


def _learnt(entry: KindEntry, size: int, width: int) -> Iterator[Row]:
    """Yield what a kind has learnt, and its rules."""
    kind = KINDS[entry.name]
    rules = tr("the pattern {pattern}", pattern=kind.pattern)
    if kind.model == "bpe":
        rules += tr(" and the units {units}", units=tr(kind.units))
    stopped = tr(" Its training was stopped, as it took long.") if entry.stopped else ""
    template = "It has learnt {tokens} with {rules}.{stopped}"
    learnt = tr(template, tokens=plural(size, "token"), rules=rules, stopped=stopped)
    yield from paragraph(learnt, width, "dim")
    if kind.model is not None:
        yield from _subwords(width)


def _beginning(text: str, most: int) -> str:
    """Return the first characters of a text, at most `most`, up to a blank if there is one."""
    if len(text) <= most:
        return text
    end = text.rfind(" ", 1, most)
    return text[: end if end > 0 else most]


def _subwords(width: int) -> Iterator[Row]:
    """Yield how each model learns subwords; a row leads to the training of its model."""
    yield Row([])
    yield from paragraph("How the three subword models differ; ↵ opens one.", width, "dim")
    for name, learning in SUBWORDS.items():
        facts = (
            ("starts", learning.start),
            ("a step", learning.step),
            ("learnt", learning.learnt),
            ("encoding", learning.encoding),
        )
        words = [
            [(f"{tr(label)} ", "dim"), (f"{tr(fact)}{GAP * ' '}", "")] for label, fact in facts
        ]
        for row in beside(name, words, width):
            yield Row(row.spans, ToKind(name))


def _exactness(tokenizer: ComparableTokenizer, text: str, width: int) -> Iterator[Row]:
    """Yield whether decoding gives the text back; if not, the decoded text."""
    back = tokenizer.decode(tokenizer.encode(text))
    if back == text:
        yield from labelled_text("decoded", "the very same text", "gain", width)
        return
    shown = left([(visible_text(back), "loss")], room_beside(width))
    yield from beside("decoded", [shown], width)
    yield from labelled_text("", "not the very same text", "loss", width)


def _unknown_words(
    tokenizer: ComparableTokenizer, measures: TextMeasures, width: int
) -> Iterator[Row]:
    """Return rows of the words with an unknown token, the most frequent first."""
    if tokenizer.unknown_id is None:
        return labelled_text("unknown", "none: there is no unknown token", "gain", width)
    words = measures.unknown_spellings
    if not words:
        return labelled_text("unknown", "no word", "gain", width)
    shown: list[Sequence[Span]] = [[(f"{visible_text(w)}  ", "loss")] for w in words[:SHOWN_WORDS]]
    if len(words) > SHOWN_WORDS:
        shown.append([(tr("and {words} more", words=len(words) - SHOWN_WORDS), "dim")])
    return beside("unknown", shown, width)
