"""What is asked and what is said to an answer, in rows; rows to choose from, with their bars."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.cells import chop_cells

from bpe_tui.widgets.numbers import bar, bar_room, scale_of
from bpe_tui.widgets.rows import Row, Span, left, right, spans_width, wrapped
from bpe_tui.widgets.visible import visible_bytes, width
from engine.core.wording import Sentence, Words
from engine.learning.questions.question import Answer, Attempt, Option


def word_spans(words: Words, token_role: str = "strong", role: str = "") -> list[Span]:
    """Words and tokens, each with its role; the tokens made visible."""
    return [
        (word, "border" if word == "│" else role)
        if isinstance(word, str)
        else (visible_bytes(word), token_role)
        for word in words
    ]


def sentence_spans(
    sentence: Sentence, room: int, before: Sequence[Span] = (), role: str = ""
) -> list[Span]:
    """A sentence in the longest way that fits, behind what stands before it."""
    ways = [[*before, *word_spans(way.words, role=role)] for way in sentence]
    return next((way for way in ways if spans_width(way) <= room), left(ways[-1], room))


def sentence_rows(
    sentence: Sentence, room: int, before: Sequence[Span] = (), role: str = ""
) -> list[Row]:
    """A sentence in as many rows as it needs."""
    spans = [*before, *word_spans(sentence.words, role=role)]
    if spans_width(spans) <= room:
        return [Row(spans)]
    parts = (piece for part in _unbroken(spans, room) for piece in _pretokens(part, room))
    lines = wrapped(parts, max(room, 10))
    return [Row(_without_end(line)) for line in lines]


def _unbroken(spans: Sequence[Span], room: int) -> Iterator[list[Span]]:
    """The parts of a sentence that stay in one line: what stands between blanks."""
    part: list[Span] = []
    for text, role in spans:
        words = text.split(" ")
        for word in words[:-1]:
            yield [*part, (f"{word} ", role)]
            part = []
        *whole_lines, last = chop_cells(words[-1], room) or [""]  # such as a long regex
        for line in whole_lines:
            yield [*part, (line, role)]
            part = []
        if last:
            part.append((last, role))
    if part:
        yield part


def _pretokens(part: list[Span], room: int) -> Iterator[list[Span]]:
    """A part that is too long for a line, such as a line of a corpus, cut behind its borders."""
    if spans_width(part) <= room:
        yield part
        return
    piece: list[Span] = []
    for span in part:
        piece.append(span)
        if span == ("│", "border"):
            yield piece
            piece = []
    if piece:
        yield piece


def _without_end(line: list[Span]) -> list[Span]:
    text, role = line[-1]
    return [*line[:-1], (text.rstrip(), role)]


def graded_rows(attempt: Attempt, room: int, hint_key: str = "H") -> list[Row]:
    """What there is to say to an attempt: right or wrong and why, a hint, the answer."""
    question, grade = attempt.question, attempt.grade
    if attempt.given_up:
        return [row for said in question.model_answer for row in sentence_rows(said, room)]
    rows: list[Row] = []
    if grade is not None:
        word: Span = (f"{grade.word}: ", "gain" if grade.right else "loss")
        rows += sentence_rows(grade.said, room, (word,))
        if grade.why is not None:
            rows += sentence_rows(grade.why, room)
    if attempt.is_over:
        return rows
    if attempt.hinted:
        rows += sentence_rows(question.hint, room, (("Hint: ", "tie"),))
    elif grade is not None and not grade.right and grade.why is None:
        rows.append(Row([(f"Try again, or {hint_key} for a hint.", "dim")]))
    return rows


def option_rows(attempt: Attempt, options: Sequence[Option], chosen: int, room: int) -> list[Row]:
    """Rows to choose from: a mark, what it is, numbers, a bar, and whether it was wrong.

    Args:
        chosen: the row that the keys are at.
    """
    right_place = _place_of(attempt.question.answer)
    tried = [_place_of(each) for each in attempt.tried]
    labels = [word_spans(option.label) for option in options]
    label_cells = min(max(map(spans_width, labels)), max(room // 2, 8))
    note_cells = max(width(option.note) for option in options)
    told_cells = max(width(option.revealed) for option in options)
    spare = room - label_cells - note_cells - told_cells - 12
    bars, scale = bar_room(spare), scale_of(max(option.amount for option in options))
    rows = []
    for place, (option, label) in enumerate(zip(options, labels, strict=True)):
        is_right = attempt.is_over and place == right_place
        is_told = attempt.is_over or place in tried
        mark: Span = ("▶ ", "pair") if is_right else ("  ", "")
        if place == chosen and not attempt.is_over:
            mark = ("❯ ", "pair")
        spans: list[Span] = [mark, *left(label, label_cells)]
        if note_cells:
            spans += [("  ", ""), right(option.note, note_cells)]
        if told_cells:
            told = (option.revealed, "strong") if is_told else ("?", "dim")
            spans += [("  ", ""), right(told[0], told_cells, told[1])]
        if bars and option.amount:
            spans += [
                ("  ", ""),
                (bar(option.amount / scale, bars), "pair" if is_right else "border"),
            ]
        if is_right:
            spans.append((" this one", "pair"))
        elif place in tried and not isinstance(attempt.question.answer, bool):
            spans.append((" no", "loss"))
        rows.append(Row(spans))
    return rows


def _place_of(answer: Answer) -> Answer:
    """The row of an answer; yes and no are rows, too."""
    return (0 if answer else 1) if isinstance(answer, bool) else answer
