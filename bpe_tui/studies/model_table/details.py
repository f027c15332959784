"""Where do the numbers of this row come from, and how can its kind be watched?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from textual.content import Content

from bpe_tui.studies.model_table.table import Entry
from bpe_tui.views.panel import PRETOKEN_BORDER
from bpe_tui.views.targets import ToKind
from bpe_tui.widgets.lines import Lines
from bpe_tui.widgets.numbers import number, percent, plural
from bpe_tui.widgets.rows import TOKEN_HUES, Row, Span, left, paragraph, spans_width, wrapped
from bpe_tui.widgets.visible import shorten, visible_bytes, visible_text
from engine.analysis.model_table.kinds import KINDS, Candidate
from engine.analysis.model_table.table import MisspelledWord, Texts

MARGIN = 10
"""Cells of the labels."""
NARROWEST = 8
SHOWN_CHARACTERS = 120
"""Of a text that is drawn in tokens."""
SHOWN_WORDS = 8
SHOWN_MISSPELLINGS = 6
LONGEST_WORD = 12
WIDEST = 110


def token(candidate: Candidate, token_id: int) -> Span:
    """A token as the vocabulary has it; the unknown one stands out."""
    role = "loss" if token_id == candidate.unknown_id else f"token-{token_id % TOKEN_HUES}"
    return visible_bytes(candidate.piece(token_id)), role


def bordered(candidate: Candidate, ids: Iterable[int]) -> list[list[Span]]:
    """Tokens, each with a border behind it."""
    return [[token(candidate, token_id), PRETOKEN_BORDER] for token_id in ids]


def labelled(label: str, words: Iterable[Sequence[Span]], width: int) -> Iterator[Row]:
    """Words of spans behind a label, in as many rows as they need."""
    for place, line in enumerate(wrapped(words, room_beside(width))):
        yield Row([_label("" if place else label), *line])


def said(label: str, text: str, role: str, width: int) -> Iterator[Row]:
    """A visible text behind a label, broken at blanks."""
    return labelled(label, ([(f"{word} ", role)] for word in text.split()), width)


def lanes(
    labels: Sequence[str], columns: Iterable[Sequence[Span]], width: int
) -> Iterator[tuple[Row, ...]]:
    """Lanes with a label each, such as tokens over their ids, line by line.

    A column has a span for each lane; it is as wide as the widest of them.
    """
    lines_of_lanes: list[list[Sequence[Span]]] = [[] for _ in labels]
    for column in columns:
        cells = max(spans_width([span]) for span in column)
        for lane, span in zip(lines_of_lanes, column, strict=True):
            lane.append([*left([span], cells), PRETOKEN_BORDER])
    wrapped_lanes = (wrapped(lane, room_beside(width)) for lane in lines_of_lanes)
    for place, lines in enumerate(zip(*wrapped_lanes, strict=True)):
        yield tuple(
            Row([_label("" if place else label), *line])
            for label, line in zip(labels, lines, strict=True)
        )


def over_ids(label: str, candidate: Candidate, text: str, width: int) -> Iterator[Row]:
    """A text in its tokens, each over its id."""
    columns = ((token(candidate, some), (str(some), "dim")) for some in candidate.encode(text))
    return chain.from_iterable(lanes((label, "ids"), columns, width))


def room_beside(width: int) -> int:
    """Cells beside a label."""
    return max(width - MARGIN, NARROWEST)


def _label(label: str) -> Span:
    return label.ljust(MARGIN), "dim"


class FamilyDetails(Lines):
    """The kind under the table's cursor: its training, and each text in its tokens."""

    def __init__(self) -> None:
        super().__init__(id="family-details")
        self._about: tuple[Entry, Texts | None, str, str] | None = None

    def show(self, entry: Entry, texts: Texts | None, typed: str, way_in: str) -> None:
        """Explain a row; `way_in` says what Enter does about its kind."""
        self._about = entry, texts, typed, way_in
        self.border_title = Content(entry.name)
        self.rebuild()

    def clear(self) -> None:
        """There is no row to explain."""
        self._about, self._rows, self.border_title = None, [], Content("")
        self.rebuild()

    def point_at_way_in(self) -> None:
        """Put the cursor where Enter leads to the training, if there is one."""
        places = (place for place, row in enumerate(self._rows) if row.target is not None)
        self.cursor = next(places, 0)

    def rebuild(self) -> None:
        if self._about is not None and self.size.width:
            room = min(self.scrollable_content_region.width - 1, WIDEST)
            self._rows = list(_rows(*self._about, room))
        super().rebuild()


def _rows(entry: Entry, texts: Texts | None, typed: str, way_in: str, width: int) -> Iterator[Row]:
    kind = KINDS[entry.name]
    yield from paragraph(kind.summary, width)
    if way_in:
        yield Row(left([(way_in, "here")], width), ToKind(entry.name))
    elif kind.model is None:
        yield from paragraph("It has no steps to watch: its tokens are only counted.", width, "dim")
    if entry.candidate is None or entry.row is None or texts is None:
        yield Row([])
        yield from paragraph(visible_text(entry.state, spaces=False), width, "dim")
        return
    yield from paragraph(_learnt(entry), width, "dim")
    yield Row([])
    candidate = entry.candidate
    stretches = (typed,) if typed else texts.unseen
    beginning = _beginning("".join(stretches))
    yield from over_ids("typed" if typed else "held out", candidate, beginning, width)
    yield from _exactness(entry, beginning, width)
    yield from _unknown_words(entry, width)
    yield from _frequent(entry, width)
    yield Row([])
    yield from _misspellings(entry, width)
    yield Row([])
    yield from labelled("Chinese", [[(visible_text(c), "")] for c in texts.chinese], width)
    yield from labelled("", bordered(candidate, candidate.encode(texts.chinese)), width)


def _beginning(text: str) -> str:
    """As much of a text as is drawn, up to a blank if there is one."""
    if len(text) <= SHOWN_CHARACTERS:
        return text
    end = text.rfind(" ", 1, SHOWN_CHARACTERS)
    return text[: end if end > 0 else SHOWN_CHARACTERS]


def _learnt(entry: Entry) -> str:
    assert entry.row is not None
    kind = KINDS[entry.name]
    rules = f"the pattern {kind.pattern}"
    if kind.model == "bpe":
        rules += f" and the units {kind.units}"
    stopped = " Its training was stopped, as it took long." if entry.stopped else ""
    return f"It has learnt {plural(entry.row.vocab_size, 'token')} with {rules}.{stopped}"


def _exactness(entry: Entry, beginning: str, width: int) -> Iterator[Row]:
    """What decoding gives, if it is not the text, and why it is not."""
    assert entry.candidate is not None
    measures = entry.measures
    if measures is None or measures.exact:
        yield from said("decoded", "the very same text", "gain", width)
        return
    back = entry.candidate.decode(entry.candidate.encode(beginning))
    shown = left([(visible_text(back), "loss")], room_beside(width))
    yield from labelled("decoded", [shown], width)
    why = "; ".join(loss.value for loss in measures.losses)
    yield from said("", f"not the very same text: {why}", "loss", width)


def _unknown_words(entry: Entry, width: int) -> Iterator[Row]:
    """The words that hold an unknown token, the most frequent first."""
    assert entry.candidate is not None
    assert entry.measures is not None
    if entry.candidate.unknown_id is None:
        return said("unknown", "none: there is no unknown token", "gain", width)
    words = entry.measures.unknown_spellings
    if not words:
        return said("unknown", "no word", "gain", width)
    shown: list[Sequence[Span]] = [[(f"{visible_text(w)}  ", "loss")] for w in words[:SHOWN_WORDS]]
    if len(words) > SHOWN_WORDS:
        shown.append([(f"and {number(len(words) - SHOWN_WORDS)} more", "dim")])
    return labelled("unknown", shown, width)


def _frequent(entry: Entry, width: int) -> Iterator[Row]:
    """The tokens that stand most often in the text held out: as many as go into a line."""
    assert entry.candidate is not None
    assert entry.row is not None
    columns = [
        (token(entry.candidate, some), (str(some), "dim"), (f"{number(count)}×", ""))
        for some, count in entry.row.unseen.frequent
    ]
    if columns:
        yield from next(lanes(("frequent", "ids", ""), columns, width))


def _misspellings(entry: Entry, width: int) -> Iterator[Row]:
    """How frequent words of the corpus, with two letters swapped, are encoded."""
    assert entry.row is not None
    found = entry.row.misspelled
    if not found.words:
        yield from said("misspelt", "the corpus has no word to misspell", "dim", width)
        return
    became = f"{found.tokens_per_word:.2f} → {found.wrong_tokens_per_word:.2f} tokens a word"
    unknown = f", {percent(found.unknown_share)} unknown" if found.unknown_share else ""
    of = f"two letters swapped in {plural(len(found.words), 'frequent word')}"
    yield from said("misspelt", f"{of}: {became}{unknown}", "", width)
    shown = found.words[:SHOWN_MISSPELLINGS]
    spelled = [shorten(visible_text(w.misspelling.word), LONGEST_WORD) for w in shown]
    cells = max(spans_width([(text, "")]) for text in spelled)
    for word in shown:
        yield from labelled("", [_misspelt(entry, word, cells, room_beside(width))], width)


def _misspelt(entry: Entry, word: MisspelledWord, cells: int, room: int) -> list[Span]:
    """`the → teh  1 → 2  t│eh│`, with words in so many cells."""
    assert entry.candidate is not None
    right, wrong = (
        left([(shorten(visible_text(spelling), LONGEST_WORD), "")], cells)
        for spelling in (word.misspelling.word, word.misspelling.wrong)
    )
    role = "loss" if word.unknown else "" if word.wrong_tokens > word.tokens else "dim"
    counts = left([(f"{word.tokens} → {word.wrong_tokens}", role)], 9)
    spans: list[Span] = [*right, (" → ", "dim"), *wrong, ("   ", ""), *counts]
    for some in bordered(entry.candidate, entry.candidate.encode(" " + word.misspelling.wrong)):
        spans += some
    return left(spans, room)
