"""Where do the numbers of this row come from, and how can its kind be watched?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from textual.content import Content

from bpe_tui.columns import left, paragraph, wrapped
from bpe_tui.models import MODELS
from bpe_tui.panels.family.entries import Entry
from bpe_tui.panels.targets import ToModel
from bpe_tui.pieces import PRETOKEN_BORDER
from bpe_tui.visible import number, plural, shorten, signed, visible_bytes, visible_text
from bpe_tui.widgets.lines import Lines, Row, Span
from bpe_tui.widgets.roles import TOKEN_HUES
from engine.family.contender import Contender
from engine.family.kinds import KINDS
from engine.family.measures import word_counts
from engine.family.misspelling import MisspelledWord
from engine.family.table import Texts

SHOWN_CHARACTERS = 160
"""Of a text that is drawn in tokens."""
SHOWN_WORDS = 8
SHOWN_MISSPELLINGS = 6
MARGIN = 14
WIDEST = 110


class FamilyDetails(Lines):
    """The kind under the table's cursor: its training, and each text in its tokens."""

    def __init__(self) -> None:
        super().__init__(id="family-details")
        self._about: tuple[Entry, Texts | None, str, str] | None = None
        self._rows: list[Row] = []

    def show(self, entry: Entry, texts: Texts | None, typed: str, way_in: str) -> None:
        """Explain a row; `way_in` says what Enter does about its kind."""
        self._about = entry, texts, typed, way_in
        self.border_title = Content(entry.name)
        self.rebuild()

    def point_at_way_in(self) -> None:
        """Put the cursor where Enter leads to the model, if there is one."""
        places = (place for place, row in enumerate(self._rows) if row.target is not None)
        self.cursor = next(places, 0)

    @property
    def row_count(self) -> int:
        return len(self._rows)

    def row(self, index: int) -> Row:
        return self._rows[index]

    def rebuild(self) -> None:
        if self._about is not None and self.size.width:
            room = min(self.scrollable_content_region.width, WIDEST)
            self._rows = list(_rows(*self._about, room))
        super().rebuild()


def _rows(entry: Entry, texts: Texts | None, typed: str, way_in: str, width: int) -> Iterator[Row]:
    kind = KINDS[entry.name]
    yield Row([(kind.summary, "")])
    if way_in:
        yield Row(left([(way_in, "pair")], width), ToModel(entry.name))
    elif entry.name not in MODELS:
        yield from paragraph("It has no steps to watch: its tokens are only counted.", width, "dim")
    if entry.contender is None or entry.row is None or texts is None:
        yield Row([])
        yield from paragraph(visible_text(entry.state, spaces=False), width, "dim")
        return
    yield from paragraph(_learnt(entry), width, "dim")
    yield Row([])
    contender = entry.contender
    stretches = (typed,) if typed else texts.unseen
    beginning = "".join(stretches)[:SHOWN_CHARACTERS]
    yield from _labelled("typed" if typed else "held out", _tokens(contender, beginning), width)
    yield from _exactness(entry, beginning, width)
    yield from _unknown_words(contender, stretches, width)
    yield Row([])
    yield from _misspellings(entry, width)
    yield Row([])
    yield from _labelled("Chinese", [[(visible_text(c), "")] for c in texts.chinese], width)
    yield from _labelled("", _tokens(contender, texts.chinese), width)


def _learnt(entry: Entry) -> str:
    assert entry.row is not None
    pattern = KINDS[entry.name].pattern
    stopped = " Its training was stopped, as it took long." if entry.stopped else ""
    return (
        f"It has learnt {plural(entry.row.vocab_size, 'token')} from words cut by the pattern "
        f"{pattern}.{stopped}"
    )


def _labelled(label: str, words: Sequence[Sequence[Span]], width: int) -> Iterator[Row]:
    """Words of spans behind a label, in as many rows as they need."""
    for place, line in enumerate(wrapped(words, max(width - MARGIN, 8))):
        name = label if not place else ""
        yield Row([(name.ljust(MARGIN), "dim"), *line])


def _tokens(contender: Contender, text: str) -> list[list[Span]]:
    """The tokens of a text, each with a border behind it."""
    return [[_token(contender, token_id), PRETOKEN_BORDER] for token_id in contender.encode(text)]


def _token(contender: Contender, token_id: int) -> Span:
    role = "loss" if token_id == contender.unknown_id else f"token-{token_id % TOKEN_HUES}"
    return visible_bytes(contender.piece(token_id)), role


def _exactness(entry: Entry, beginning: str, width: int) -> Iterator[Row]:
    """What decoding gives, if it is not the text."""
    assert entry.contender is not None
    measures = entry.measures
    if measures is None or measures.exact:
        yield from _labelled("decoded", [[("the very same text", "gain")]], width)
        return
    back = entry.contender.decode(entry.contender.encode(beginning))
    shown = left([(visible_text(back), "loss")], max(width - MARGIN, 8))
    yield from _labelled("decoded", [shown], width)


def _unknown_words(contender: Contender, stretches: Sequence[str], width: int) -> Iterator[Row]:
    """The words that hold an unknown token, the most frequent first."""
    unknown = contender.unknown_id
    if unknown is None:
        said: list[Sequence[Span]] = [[("none: there is no unknown token", "gain")]]
    else:
        words = [
            word
            for word, _ in word_counts(stretches).most_common()
            if unknown in contender.encode(word)
        ]
        said = [[(f"{visible_text(word)}  ", "loss")] for word in words[:SHOWN_WORDS]]
        if len(words) > SHOWN_WORDS:
            said.append([(f"and {number(len(words) - SHOWN_WORDS)} more", "dim")])
    yield from _labelled("unknown", said or [[("no word", "gain")]], width)


def _misspellings(entry: Entry, width: int) -> Iterator[Row]:
    """How frequent words of the corpus, wrongly spelled by rule, are encoded."""
    assert entry.row is not None
    words = entry.row.misspelled.words
    if not words:
        yield from _labelled(
            "misspelt", [[("the corpus has no word of four letters", "dim")]], width
        )
        return
    for place, word in enumerate(words[:SHOWN_MISSPELLINGS]):
        yield Row([(("" if place else "misspelt").ljust(MARGIN), "dim"), *_misspelt(entry, word)])
    if (more := len(words) - SHOWN_MISSPELLINGS) > 0:
        yield Row([(" " * MARGIN + f"and {number(more)} more", "dim")])


def _misspelt(entry: Entry, word: MisspelledWord) -> list[Span]:
    assert entry.contender is not None
    spelling = word.misspelling
    how = "letters swapped" if spelling.kind == "swap" else "letter dropped"
    spans = [
        *left([(shorten(visible_text(spelling.word), 12), "")], 13),
        (" → ", "dim"),
        *left([(shorten(visible_text(spelling.wrong), 12), "")], 13),
        *left([(how, "dim")], 17),
        *left([(signed(word.extra), "loss" if word.extra > 0 else "dim")], 4),
    ]
    for token in _tokens(entry.contender, " " + spelling.wrong):
        spans += token
    return spans
