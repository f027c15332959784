"""The stages of a pipeline: each with its name, its settings, and its output for a text.

The part of the output that belongs to the token under the cursor is marked in every stage.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, groupby

from textual.content import Content

from bpe_tui.panels.training_panels import Labelled, labelled, over_labels
from bpe_tui.shell.panel import PRETOKEN_BORDER, mark_role, sentence, token_edge
from bpe_tui.widgets.language import plural, tr
from bpe_tui.widgets.lines import Lines
from bpe_tui.widgets.numbers import number
from bpe_tui.widgets.rows import (
    TOKEN_HUES,
    Row,
    Span,
    cursor_sign,
    left,
    paragraph,
    spans_width,
    wrapped,
)
from bpe_tui.widgets.visible import shorten, visible_bytes, visible_text, width
from engine.core.characters import whole_characters
from engine.core.gpt2_bytes import spell, unspell
from engine.pipeline.decoders import ByteLevel as ByteLevelDecoder
from engine.pipeline.losses import Losses
from engine.pipeline.models import WordPiece
from engine.pipeline.pipeline import OutputToken, Pipeline, PipelineRun, TextRun
from engine.pipeline.post_processors import PostProcessor, spelled_template
from engine.pipeline.pretokenizers import ByteLevel, Split
from engine.pipeline.stage import Stage, opened
from engine.text.patterns import PATTERNS
from engine.text.pretokenize import to_bytes, to_text

GUTTER = 16
"""Cells for the names of the stages."""
NARROW_GUTTER = 3
EXAMPLES = 6
LONGEST_SETTING = 40
MARK_CELLS = 2
"""Cells for the mark of the row under the cursor."""


# -- lines: `│` is between pretokens; `┊` between the tokens of one, and «», without colours


def character_lines(text: str, marked: range, marks: bool, room: int) -> list[list[Span]]:
    """Draw a text with some of its characters marked, in lines."""
    return wrapped(anywhere_broken([_marked(text, marked, marks)]), room)


def _marked(text: str, marked: Container[int], marks: bool, role: str = "") -> list[Span]:
    """Draw a text with the characters at some places marked."""
    spans: list[Span] = []
    for is_marked, run in groupby(range(len(text)), key=marked.__contains__):
        places = list(run)
        part = visible_text(text[places[0] : places[-1] + 1])
        spans.append(_mark(part, marks) if is_marked else (part, role))
    return spans


def _mark(text: str, marks: bool) -> Span:
    return (f"«{text}»" if marks else text), "tab"


def anywhere_broken(lines: Iterable[Sequence[Span]]) -> Iterator[list[Span]]:
    """Cut spans to a few cells each, so that a line can be broken anywhere."""
    for spans in lines:
        for text, role in spans:
            yield from ([(text[start : start + 8], role)] for start in range(0, len(text), 8))


def token_lines(
    tokens: Sequence[OutputToken], chosen: OutputToken | None, shown: PipelineView, room: int
) -> list[Sequence[Span]]:
    """Draw tokens over their ids; a character that they cut is over marks."""
    pieces: list[Labelled] = []
    place = 0
    for text, together in shown.characters(tokens):
        place += len(together)
        following = tokens[place] if place < len(tokens) else None
        within = following is not None and following.piece == together[-1].piece is not None
        border = token_edge(marks=shown.marks) if within else PRETOKEN_BORDER
        if together == [chosen]:
            text, _ = _mark(text, shown.marks)
        labels = []
        for each in together:
            role = shown.role_of(each) if len(together) == 1 else mark_role(shown.role_of(each))
            labels.append(("tab" if each is chosen else role, str(each.token_id)))
        pieces.append(labelled(text, labels, border))
    return [row.spans for row in over_labels(pieces, room)] if pieces else []


# -- names


def stage_name(stage: Stage) -> str:
    """Return the name of a stage with its settings; those that are off are left out."""
    if isinstance(stage, ByteLevelDecoder):
        return stage.name  # its settings have no effect
    named = stage.as_pattern() if isinstance(stage, Split) else None
    if named is not None and named.name in PATTERNS:
        return tr("Split (the pattern {name})", name=named.name)
    if isinstance(stage, PostProcessor):
        template = spelled_template(stage)
        adds = "" if template == "$A" else f": {template}"  # `$A` is the text, alone
        return visible_text(f"{stage.name}{adds}", spaces=False)
    settings = {key: value for key, value in stage.settings().items() if value not in (None, False)}
    listed = []
    for key, value in settings.items():
        if value is True:
            listed.append(key)
        else:
            text = " ".join(map(str, value.values())) if isinstance(value, dict) else str(value)
            listed.append(f"{key} {shorten(visible_text(text), LONGEST_SETTING)}")
    name = visible_text(stage.name, spaces=False)
    return f"{name} ({visible_text(', '.join(listed), spaces=False)})" if listed else name


@dataclass(frozen=True)
class PipelineView:
    """A pipeline and its output, as the rows show it.

    Attributes:
        pipeline: the stages.
        run: its output for the text.
        losses: the text that it lost.
        chosen: the token under the cursor; `None` if there is none.
        marks: whether «» mark the text of that token, if there are no colours.
        in_letters: whether bytes are shown as GPT-2's letters, not as their characters.
        fresh: the id of the token that the step made; `None` if it made none.
    """

    pipeline: Pipeline
    run: PipelineRun
    losses: Losses
    chosen: OutputToken | None
    marks: bool
    in_letters: bool = False
    fresh: int | None = None

    def role_of(self, token: OutputToken) -> str:
        """Return the role of a token."""
        if token.from_template:
            return "special"
        if token.token_id == self.fresh:
            return "fresh"
        return "base" if len(token.text) == 1 else f"token-{token.token_id % TOKEN_HUES}"

    def data_of(self, text: str) -> bytes | None:
        """Return the bytes that GPT-2's letters spell; `None` if the text itself is shown."""
        stages = opened(self.pipeline.pre_tokenizer)
        if self.in_letters or not any(isinstance(each, ByteLevel) for each in stages):
            return None
        data = unspell(text)
        return None if data.isascii() else data

    def characters(
        self, tokens: Sequence[OutputToken]
    ) -> Iterator[tuple[str, Sequence[OutputToken]]]:
        """Yield the visible text of tokens: one by one, but those together that cut a character."""
        spelled = [None if each.from_template else self.data_of(each.text) for each in tokens]
        place = 0
        for together in whole_characters(b"" if each is None else each for each in spelled):
            run = tokens[place : place + len(together)]
            text = visible_text(_characters_of(b"".join(together)) or run[0].text) or "␣"
            place += len(run)
            yield text, run

    @property
    def text(self) -> TextRun:
        """The stages of the text up to the model."""
        return self.run.text


def _block(
    title: str,
    summary: str,
    lines: Iterable[Sequence[Span]],
    gutter: int,
    room: int,
    notes: Iterable[Span] = (),
) -> Iterator[Row]:
    """Yield the rows of a stage: its name and summary, its output, and notes."""
    head = left([(title, "strong")], max(gutter, width(title) + 2))
    summary = shorten(summary, room - spans_width(head))
    yield Row([*head, (summary, "dim")])
    indent = (" " * gutter, "")
    for line in lines:
        yield Row([indent, *line])
    for note, role in notes:
        for row in paragraph(note, room - gutter, role):
            yield Row([indent, *row.spans])


# -- the stages


def _text(shown: PipelineView, width: int, gutter: int) -> Iterator[Row]:
    text, chosen = shown.text.text, _chosen(shown)
    marked = range(*chosen.span) if chosen else range(0)
    lines = character_lines(text, marked, shown.marks, width - gutter)
    counted, title = plural(len(text), "character"), tr("text")
    yield from _block(title, counted, lines, gutter, width)


def _normalized(shown: PipelineView, width: int, gutter: int) -> Iterator[Row]:
    chosen = _chosen(shown)
    first, last = chosen.span if chosen else (0, 0)
    words = []
    for part in shown.text.sections:
        spans = part.spans
        marked = {at for at, (start, end) in enumerate(spans) if start < last and first < end}
        words.append(_marked(part.text, marked, shown.marks, "special" if part.token else ""))
    lines = wrapped(anywhere_broken(words), width - gutter)
    changed = shown.losses.changed
    notes: list[Span] = []
    if changed:
        few = _few(dict.fromkeys(f"{_shown(c.old)} → {_shown(c.new)}" for c in changed))
        notes.append((tr("changed, and decoding will not change it back: {few}", few=few), "loss"))
    yield from _block(
        tr("normalizer"), _names(shown.pipeline.normalizer), lines, gutter, width, notes
    )


def _pretokens(shown: PipelineView, width: int, gutter: int) -> Iterator[Row]:
    chosen = _chosen(shown)
    words = []
    for at, part in enumerate(shown.text.pieces):
        marked = range(*chosen.within) if chosen and chosen.piece == at else range(0)
        role = "special" if part.token else "base"
        spelled, data = part.text, None if part.token else shown.data_of(part.text)
        if data is not None:
            spelled, marked = _characters_of(data), _characters_at(to_text(data), marked)
        words.append([*_marked(spelled, marked, shown.marks, role), PRETOKEN_BORDER])
    lines = wrapped(words, width - gutter)
    pieces = [part.text for part in shown.text.pieces]
    notes: list[Span] = [
        (tr(meaning), "dim")
        for mark, meaning in _SPELLINGS
        if any(mark in piece for piece in pieces)
    ]
    if dropped := shown.losses.dropped:
        few = _few(dict.fromkeys(map(_shown, dropped)))
        notes.append((tr("left out, so a decoder can only guess: {few}", few=few), "loss"))
    yield from _block(
        tr("pre-tokenizer"), _names(shown.pipeline.pre_tokenizer), lines, gutter, width, notes
    )


def _characters_of(data: bytes) -> str:
    """Return bytes as characters, with GPT-2's letters for spaces and controls."""
    return "".join(spell(to_bytes(c)) if c.isascii() else c for c in to_text(data))


def _characters_at(text: str, marked: range) -> range:
    """Return the characters of a text that have some of its bytes."""
    ends = list(accumulate(len(to_bytes(each)) for each in text))
    return range(bisect_right(ends, marked.start), bisect_left(ends, marked.stop) + bool(marked))


def _model(shown: PipelineView, width: int, gutter: int) -> Iterator[Row]:
    model = shown.pipeline.model
    # The token under the cursor as the model made it, before the template.
    tokens = shown.text.tokens
    finished = (each for each in shown.run.tokens if not each.from_template)
    both = zip(tokens, finished, strict=False)
    chosen = next((before for before, after in both if after is shown.chosen), None)
    lines = token_lines(tokens, chosen, shown, width - gutter)
    made, n = plural(len(tokens), "token"), number(len(model.vocab))
    vocabulary = tr("vocabulary {n} → {made}", n=n, made=made)
    summary = f"{model.name}, {vocabulary}"
    notes: list[Span] = []
    if isinstance(model, WordPiece):
        prefix = visible_text(model.continuing_subword_prefix)
        notes.append((tr("{prefix} continues the word before it", prefix=prefix), "dim"))
    if shown.losses.unknown:
        assert model.unknown_id is not None
        name = model.texts[model.unknown_id]
        few = _few(dict.fromkeys(map(_shown, shown.losses.unknown)))
        template = "{name} stands for {few}: which text it was is lost"
        notes.append((tr(template, name=visible_text(name), few=few), "loss"))
    if shown.losses.unspelled:
        few = _few(dict.fromkeys(map(_shown, shown.losses.unspelled)))
        notes.append((tr("no token spells {few}: left out", few=few), "loss"))
    yield from _block(tr("model"), summary, lines, gutter, width, notes)


def _finished(shown: PipelineView, width: int, gutter: int) -> Iterator[Row]:
    lines: Sequence[Sequence[Span]] = ()
    notes: list[Span] = []
    if any(token.from_template for token in shown.run.tokens):
        lines = token_lines(shown.run.tokens, shown.chosen, shown, width - gutter)
        notes = [(tr("encode --template adds these tokens on the command line"), "dim")]
    elif shown.pipeline.post_processor is not None:
        notes = [(tr("adds no tokens"), "dim")]
    yield from _block(
        tr("post-processor"), _names(shown.pipeline.post_processor), lines, gutter, width, notes
    )


def _decoded(shown: PipelineView, width: int, gutter: int) -> Iterator[Row]:
    lines = character_lines(shown.run.decoded, range(0), shown.marks, width - gutter)
    is_same = shown.losses.comes_back
    said = tr("the text comes back as it was" if is_same else "not the text that was given")
    notes: list[Span] = [(said, "gain" if is_same else "loss")]
    if skipped := shown.losses.skipped:
        few = _few(map(_shown, skipped))
        notes.append((tr("special tokens are left out in decoding: {few}", few=few), "dim"))
    yield from _block(tr("decoder"), _names(shown.pipeline.decoder), lines, gutter, width, notes)


def _names(stage: Stage | None) -> str:
    """Return the names of a stage's parts."""
    return " │ ".join(map(stage_name, opened(stage))) or tr("none")


# -- the token under the cursor


def _chosen(shown: PipelineView) -> OutputToken | None:
    """Return the token under the cursor if it belongs to the text."""
    chosen = shown.chosen
    return None if chosen is None or chosen.from_template else chosen


_SPELLINGS = (
    ("▁", "▁ stands for a space before a word"),
    ("Ġ", "Ġ and others like it stand for bytes: Ġ for a space, Ċ for a new line"),
)


def _shown(text: str) -> str:
    return visible_text(text) or tr("nothing")


def _few(texts: Iterable[str]) -> str:
    """Return the first texts, and the number of further ones.

    >>> [_few("abcdef"), _few("abcdefgh")]
    ['a  b  c  d  e  f', 'a  b  c  d  e  f and 2 more']
    """
    shown = list(texts)
    more = len(shown) - EXAMPLES
    return "  ".join(shown[:EXAMPLES]) + (tr(" and {more} more", more=more) if more > 0 else "")


def describe_token(shown: PipelineView) -> str:
    """Describe the token under the cursor in one sentence."""
    token = shown.chosen
    if token is None:
        return tr("Type a text: e. There is no token yet.")
    place = next(n for n, each in enumerate(shown.run.tokens, start=1) if each is token)
    data = None if token.from_template else shown.data_of(token.text)
    text = visible_text(token.text) if data is None else visible_bytes(data)
    (start, end), characters = token.span, _shown(shown.text.text[slice(*token.span)])
    where = "characters {start} to {end}, “{characters}”."
    if token.from_template:
        where = tr("the template adds it.")
    elif start == end:
        where = tr("comes from no character of the text.")
    elif end == start + 1:
        where = "character {start}, “{characters}”."
    of = number(len(shown.run.tokens))
    about = tr(where, start=str(start), end=end - 1, characters=characters)
    name = tr("Token {n} of {last}: {text}", n=place, last=of, text=text)
    return tr("{name}, id {id}: {about}", name=name, id=str(token.token_id), about=about)


FOOT = "← → tokens"


class PipelinePanel(Lines):
    """The stages from top to bottom."""

    def __init__(self) -> None:
        super().__init__(id="stages")
        self._shown: PipelineView | None = None
        self._why_empty = ""

    def row(self, index: int) -> Row:
        return Row([cursor_sign(index == self.cursor), *self._rows[index].spans])

    def show(self, shown: PipelineView | None, title: str) -> None:
        """Show another run."""
        self._shown = shown
        self.border_title = Content(title)
        self.border_subtitle = Content(tr(FOOT))
        self.rebuild()

    def say(self, why: str) -> None:
        """Show a reason instead of stages."""
        self._shown = None
        self._why_empty = why
        self.rebuild()

    def rebuild(self) -> None:
        if self.size.width:
            room = self.scrollable_content_region.width - MARK_CELLS
            if self._shown is None:
                self._rows = sentence(self._why_empty, room)
            else:
                gutter = GUTTER if room >= 72 else NARROW_GUTTER
                made = (_text, _normalized, _pretokens, _model, _finished, _decoded)
                blocks = [list(block(self._shown, room, gutter)) for block in made]
                # Blank lines are between the stages if there is room.
                has_room = sum(map(len, blocks)) + len(blocks) <= self.size.height
                between = [Row([])] if has_room else []
                self._rows = [row for block in blocks for row in (*block, *between)]
        super().rebuild()
