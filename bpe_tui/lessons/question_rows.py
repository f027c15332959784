"""Questions, answers and options in rows, for the panel and for the explain screen."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.cells import chop_cells

from bpe_tui.shell.panel import PRETOKEN_BORDER, TOKEN_BORDER
from bpe_tui.widgets.language import tr
from bpe_tui.widgets.numbers import bar, bar_room, scale_of
from bpe_tui.widgets.rows import CURSOR, Row, Span, left, right, spans_width, words_in, wrapped
from bpe_tui.widgets.visible import visible_bytes, width
from engine.core.events import PAIR_SIGN
from engine.core.wording import Sentence, Words
from engine.learning.questions.answer_forms import Option
from engine.learning.questions.question import Attempt

GAP = 3
"""Cells between words to count in that share a row."""
GIVEN, ANSWER, GRADE, KEYS = 1, 2, 3, 4
"""Places of the parts of a question, after what is asked."""
BLANKS = (ANSWER, GRADE, GIVEN, KEYS)
"""The parts that a blank row precedes, the most useful ones first."""
EDGES = (PRETOKEN_BORDER[0], PAIR_SIGN)
"""Words of a sentence that are drawn as borders."""


def word_spans(words: Words, token_role: str = "strong", role: str = "") -> list[Span]:
    """Return words and visible tokens, each with its role."""
    return [
        (word, "border" if word in EDGES else role)
        if isinstance(word, str)
        else (visible_bytes(word), token_role)
        for word in words
    ]


def sentence_spans(
    sentence: Sentence, room: int, role: str = "", token_role: str = "strong"
) -> list[Span]:
    """Return the longest form of a sentence that fits."""
    ways = [word_spans(way.words, token_role, role) for way in sentence]
    return next((way for way in ways if spans_width(way) <= room), left(ways[-1], room))


def sentence_rows(
    sentence: Sentence, room: int, before: Sequence[Span] = (), role: str = ""
) -> list[Row]:
    """Return a sentence in the rows that it needs."""
    spans = [*before, *word_spans(sentence.words, role=role)]
    if spans_width(spans) <= room:
        return [Row(spans)]
    parts = (piece for part in _unbroken(spans, room) for piece in _pretokens(part, room))
    lines = wrapped(parts, room)
    return [Row([*line[:-1], (line[-1][0].rstrip(), line[-1][1])]) for line in lines]


def fitting_rows(
    sentence: Sentence, room: int, before: Sequence[Span] = (), role: str = ""
) -> list[Row]:
    """Return the longest form of a sentence that fits in a row; else the shortest, wrapped."""
    return min((sentence_rows(way, room, before, role) for way in sentence), key=len)


def spaced(parts: Sequence[Sequence[Row]], height: int) -> tuple[list[Row], int]:
    """Put blank rows between the parts of a question, the more useful ones first if room is short.

    Args:
        parts: what is asked, what is given, the answer, its grade, and the keys.
        height: number of rows for all.

    Returns:
        the rows, and the number of rows above the answer.
    """
    spare = max(height - sum(map(len, parts)), 0)
    wanted = [place for place in BLANKS if place != GIVEN or parts[place]]
    blank = set(wanted[:spare])
    rows: list[Row] = []
    above = 0
    for place, part in enumerate(parts):
        rows += [Row([])] * (place in blank)
        above = len(rows) if place == ANSWER else above
        rows += part
    return rows, above


def packed_rows(
    sentences: Sequence[Sentence], room: int, *, edge: Span = TOKEN_BORDER
) -> list[Row]:
    """Return short sentences, such as words to count in, several in a row.

    Args:
        sentences: the sentences.
        room: cells of a row.
        edge: drawn between two tokens.
    """
    lines: list[list[Span]] = []
    for sentence in sentences:
        spans = sentence_spans(sentence, room, token_role="base")
        spans = [edge if span[0] == TOKEN_BORDER[0] else span for span in spans]
        if lines and spans_width(lines[-1]) + GAP + spans_width(spans) <= room:
            lines[-1] += [(" " * GAP, ""), *spans]
        else:
            lines.append(spans)
    return [Row(line) for line in lines]


def _unbroken(spans: Sequence[Span], room: int) -> Iterator[list[Span]]:
    """Yield the parts of a sentence that stay in one line: words, and Chinese characters."""
    part: list[Span] = []
    for text, role in spans:
        for word in words_in(text):
            *whole_lines, last = chop_cells(word, room)  # such as a long regex
            for line in whole_lines:
                yield [*part, (line, role)]
                part = []
            part.append((last, role))
            if word[-1] == " " or word[0] > "⺀":
                yield part
                part = []
    if part:
        yield part


def _pretokens(part: list[Span], room: int) -> Iterator[list[Span]]:
    """Yield a part; one that is too long, such as a line of a corpus, is cut after its borders."""
    if spans_width(part) <= room:
        yield part
        return
    piece: list[Span] = []
    for span in part:
        piece.append(span)
        if span[0] == PRETOKEN_BORDER[0]:
            yield piece
            piece = []
    if piece:
        yield piece


def graded_rows(attempt: Attempt, room: int) -> list[Row]:
    """Return the rows about an attempt: right or wrong and why, a hint, the answer."""
    question, grade = attempt.question, attempt.grade
    if attempt.given_up:
        return [row for each in question.model_answer for row in sentence_rows(each, room)]
    rows: list[Row] = []
    if grade is not None:
        word: Span = (tr(grade.verdict), "gain" if grade.right else "loss")
        rows += sentence_rows(grade.said, room, (word,))
        if grade.why is not None:
            rows += sentence_rows(grade.why, room)
    if attempt.is_over:
        return rows
    if attempt.shows_hint:
        rows += sentence_rows(attempt.hint, room, ((tr("Hint: "), "tie"),))
    elif grade is not None and not grade.right and grade.why is None:
        rows.append(Row([(tr("Try again, or {key} for a hint.", key="H"), "dim")]))
    return rows


def option_rows(attempt: Attempt, options: Sequence[Option], chosen: int, room: int) -> list[Row]:
    """Return rows to choose from: a mark, a label, numbers, a bar, and whether it was wrong.

    Args:
        chosen: the row of the cursor.
    """
    right_place, *tried = (  # yes and no are rows 0 and 1
        int(not answer) if isinstance(answer, bool) else answer
        for answer in (attempt.question.answer, *attempt.tried)
    )
    labels = [word_spans(option.label) for option in options]
    note_cells = max(width(option.note) for option in options)
    revealed_cells = max(width(option.revealed) for option in options)
    has_bars = any(option.amount for option in options)
    most = room // 2 if has_bars else room - note_cells - revealed_cells - 14
    label_cells = min(max(map(spans_width, labels)), max(most, 8))
    spare = room - label_cells - note_cells - revealed_cells - 12
    bars, scale = bar_room(spare), scale_of(max(option.amount for option in options))
    rows = []
    for place, (option, label) in enumerate(zip(options, labels, strict=True)):
        is_right = attempt.is_over and place == right_place
        is_revealed = place in tried or attempt.reveals(place)
        mark: Span = ("▶ ", "pair") if is_right else ("  ", "")
        if place == chosen and not attempt.is_over:
            mark = (CURSOR, "pair")
        spans: list[Span] = [mark, *left(label, label_cells)]
        if note_cells:
            spans += [("  ", ""), right(option.note, note_cells)]
        if revealed_cells:
            text, role = (option.revealed, "strong") if is_revealed else ("?", "dim")
            spans += [("  ", ""), right(text, revealed_cells, role)]
        if bars and option.amount and is_revealed:
            spans += [
                ("  ", ""),
                (bar(option.amount / scale, bars), "pair" if is_right else "border"),
            ]
        if is_right:
            spans.append((f" {tr('this one')}", "pair"))
        elif place in tried and not isinstance(attempt.question.answer, bool):
            spans.append((f" {tr('no')}", "loss"))
        rows.append(Row(spans))
    return rows
