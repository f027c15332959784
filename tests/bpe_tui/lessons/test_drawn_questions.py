"""The rows of a question in each form of answer, after keys and clicks, without a screen.

The sheets have the rows after each key, as `drawing.py` tells them.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from types import SimpleNamespace
from typing import Any

import pytest
from drawing import SHEETS, Drawing
from opening import SAMPLE, session_of
from rich.segment import Segment
from rich.style import Style
from sheets import check_sheet
from textual import events
from textual.geometry import Offset
from textual.keys import key_to_character
from textual.strip import Strip

from bpe_tui.explain.bpe import BpeExplainer
from bpe_tui.explain.explanation import CountRoom
from bpe_tui.explain.prediction import Predictor
from bpe_tui.lessons.merges_board import MergesBoard
from bpe_tui.lessons.question_panel import QuestionPanel
from bpe_tui.lessons.question_rows import (
    fitting_rows,
    packed_rows,
    sentence_rows,
    sentence_spans,
    word_spans,
)
from bpe_tui.session.config import RunConfig
from bpe_tui.widgets.lines import Lines
from bpe_tui.widgets.rows import Row, plain_text
from engine import ask
from engine.bpe.ties import TIE_RULES
from engine.core.wording import Sentence, Words
from engine.learning.questions.contest import by_rule
from engine.learning.questions.merges_form import CountedWord, Merges
from engine.learning.questions.question import Attempt
from engine.text.pretokenize import to_bytes

HANDOUT = str(SAMPLE.with_name("handout.txt"))
BPE = RunConfig(HANDOUT, pattern="whitespace", vocab_size=1000)
SMALLEST_IDS = replace(BPE, tie_rule="smallest-ids")
UNICODE = RunConfig(str(SAMPLE.with_name("unicode.txt")), vocab_size=300)
UNIGRAM = RunConfig(HANDOUT, vocab_size=30, model="unigram")
WORDPIECE = RunConfig(HANDOUT, vocab_size=40, model="wordpiece")
ASKED: list[tuple[RunConfig, int, str, str | None, int, str]] = [
    (BPE, 1, "next-pair", None, 76, "x enter H k up j down down down enter j enter"),
    (BPE, 3, "next-pair", None, 40, "pageup pagedown @9,6 @9,13 @5,7 @8,12 @2,2"),
    (BPE, 0, "tie", None, 60, "right"),
    (UNICODE, 7, "next-pair", None, 60, "down enter exclamation_mark"),
    (SMALLEST_IDS, 0, "tie", None, 60, "enter"),
    (UNIGRAM, 2, "best-path", None, 60, "enter exclamation_mark"),
    (UNIGRAM, 1, "best-path", None, 30, "down enter"),
    (BPE, 3, "stale", "l|o", 60, "down n H @2,6 @2,9 @2,8 y x"),
    (BPE, 3, "stale", "l|o", 60, "j enter @2,7"),
    (BPE, 0, "tokens-left", None, 70, "enter space x comma 99 backspace enter H 86 enter"),
    (BPE, 0, "tokens-left", None, 40, "1234567890123456 exclamation_mark"),
    (
        BPE,
        12,
        "encode-by-hand",
        "lowest",
        64,
        "left right l h enter H l l l enter @4,9 @4,10 @12,10",
    ),
    (BPE, 12, "encode-by-hand", "lowest", 64, "@17,10 @10,10 @8,10 @4,10 @2,10 left enter enter"),
    (BPE, 0, "make-merges", "2", 60, "space down right j enter space H k l up h enter"),
    (BPE, 0, "make-merges", "2", 30, "@8,9 @8,10 @16,12 @16,12 @16,11 @18,12 space enter H right"),
    (
        BPE,
        0,
        "make-merges",
        "2",
        30,
        "up left enter space down space enter up left enter space j space enter",
    ),
    (
        WORDPIECE,
        12,
        "longest-match",
        "lowest",
        60,
        "space right l space H enter h left right space",
    ),
    (WORDPIECE, 12, "longest-match", "lowest", 60, "@6,8 @4,7 @6,7 @7,7 @4,7 enter"),
]
"""Run, step, kind, what it is about, cells; then keys, digits, and clicks as `@column,line`."""

SCROLLED = Offset(1, 2)


def press(panel: QuestionPanel, key: str) -> str:
    """Press a key, several digits, or click; return whether others may use the key, too."""
    if not key.startswith("@"):
        for each in key if key.isdecimal() else (key,):
            pressed = events.Key(each, key_to_character(each))
            panel.on_key(pressed)
        return "" if pressed._stop_propagation else "left alone"
    there = Offset(*map(int, key[1:].split(","))) - SCROLLED
    prevented: list[str] = []
    click: Any = SimpleNamespace(
        get_content_offset=lambda widget: there, prevent_default=lambda: prevented.append("")
    )
    panel.on_click(click)
    return prevented[0]


@pytest.mark.parametrize(
    ("words", "room", "rows"),
    [
        (("one two", b"three"), 12, ["one twothree"]),
        (("one two", b"three"), 11, ["one", "twothree"]),
        (("one ", *(b"l", "┊", b"ow", "│") * 2), 10, ["one", "l┊ow│l┊ow│"]),
        ((b"l", "┊", b"ow", "│") * 5, 10, ["l┊ow│l┊ow│", "l┊ow│l┊ow│", "l┊ow│"]),
        ((b"l", "┊", b"ow", "│") * 5, 9, ["l┊ow│"] * 5),
        (("数一数", b"low"), 8, ["数一数", "low"]),
        (("a (?:[^x]+|y)", b"z"), 5, ["a", "(?:[^", "x]+|y", ")z"]),
    ],
)
def test_a_sentence_breaks_at_blanks_pretokens_and_chinese_characters(
    words: Words, room: int, rows: list[str]
) -> None:
    drawn = sentence_rows(Sentence(words), room)
    assert [plain_text(row.spans) for row in drawn] == rows


def test_a_sentence_has_the_longest_form_that_fits_in_a_row() -> None:
    rule = by_rule(TIE_RULES["lexicographic"])
    assert [len(fitting_rows(rule, cells)) for cells in (80, 44, 43)] == [1, 1, 2]
    [longer, *_, shorter] = [plain_text(word_spans(way.words)) for way in rule]
    for room in (len(longer), len(longer) - 1, 9):
        drawn = plain_text(sentence_spans(rule, room))
        assert drawn == (
            longer if room == len(longer) else shorter[:8] + "…" if room == 9 else drawn
        )


def test_short_sentences_share_a_row_with_a_gap_between_them() -> None:
    words = [Sentence(("ab",)), Sentence(("cd",))]
    drawn = [[plain_text(row.spans) for row in packed_rows(words, room)] for room in (7, 6)]
    assert drawn == [["ab   cd"], ["ab", "cd"]]


class Told:
    """A explain screen that has only a question, and notes what it is told to do."""

    def __init__(self, frame: Any) -> None:
        self.frame, self.calls = frame, list[str]()
        self.explainer = BpeExplainer(marks=True)
        self.predictor = Predictor(
            self.explainer,
            partial(self.calls.append, "show"),
            self.step,
            self.go_to,
            self.calls.append,
        )

    def step(self) -> None:
        self.frame = self.frame.at(self.frame.step + 1)
        self.calls.append(f"step {self.frame.step}")

    def go_to(self, step: int) -> None:
        self.frame = self.frame.at(step)
        self.calls.append(f"on to {step}")

    def press(self, key: str) -> None:
        actions: dict[str, Callable[[], object]] = {
            "P": self.predictor.toggle,
            "down": partial(self.predictor.move, 1),
            "up": partial(self.predictor.move, -1),
            "enter": self.predictor.answer,
            "H": self.predictor.hint,
            "!": self.predictor.show_answer,
            "right": lambda: self.calls.append(str(self.predictor.go_on())),
            "end": lambda: setattr(self, "frame", self.frame.at(self.frame.recorded_steps)),
        }
        actions.get(key, lambda: self.predictor.answer(int(key)))()


def test_predictions_after_each_key_are_those_kept(drawing: Drawing) -> None:
    for config, width, keys in (
        (
            BPE,
            70,
            "right P enter H up enter down enter right H ! ! right enter P P 5 4 3 2 1 0 end",
        ),
        (UNICODE, 40, "P H right down down down down enter 5"),
    ):
        view = Told(session_of(config).frame)
        for key in keys.split():
            view.press(key)
            rows: list[Row] = []
            if shown := view.predictor.attend(view.frame, is_playing=False, rows=7):
                rows += [Row([(shown.heading, "")]), *shown.count_rows(CountRoom(4, width, 12))]
                rows += shown.pick_rows(width, 6, 1)
            labels = " ".join(key.label for key in view.predictor.keys)
            drawing.add_changes("", f"{key}: {', '.join(view.calls)} │ {labels}", rows)
            view.calls.clear()
        assert not view.predictor.attend(view.frame, is_playing=True, rows=7)
    check_sheet("predictions", drawing.lines, SHEETS)


def test_a_long_word_goes_on_below_its_beginning_whatever_the_room() -> None:
    words = (
        CountedWord(9, (b"m",)),
        CountedWord(1_234_567, tuple(map(to_bytes, "abcdefghij"))),
        CountedWord(8, (b"k" * 13, b"l")),
    )
    board = MergesBoard(Merges(words, 1))
    for room, rows in (
        (33, ["❯ 1,234,567 × a[┊]b┊c┊d┊e┊f┊g┊h┊", "              i┊j"]),
        (0, ["❯ 1,234,567 × a[┊]b┊c┊d┊e┊", "              f┊g┊h┊i┊j"]),
    ):
        drawn = [plain_text(row.spans) for row in board.word_rows(room, is_over=False)]
        last = "          8 × kkkkkkkkkkkkk┊"
        others = [f"{last}l"] if room else [last, "              l"]
        assert drawn == ["          9 × m", *rows, *others]
    places = {(row, cell) for row in range(5) for cell in range(40) if board.take(row, cell)}
    in_rows = {1: (16, 19, 21, 23, 25), 2: (15, 17, 19, 21), 3: (27,)}
    assert places == {(row, cell) for row, cells in in_rows.items() for cell in cells}


def test_the_rows_after_each_key_are_those_kept(
    drawing: Drawing, monkeypatch: pytest.MonkeyPatch
) -> None:
    frames: dict[RunConfig, Any] = {each[0]: session_of(each[0]).shown for each in ASKED}
    told: list[str] = []
    monkeypatch.setattr(
        QuestionPanel, "post_message", lambda _, one: told.append(type(one).__name__)
    )
    monkeypatch.setattr(Lines, "scroll_offset", SCROLLED)
    monkeypatch.setattr(Lines, "rich_style", Style())
    monkeypatch.setattr(Lines, "paint", lambda _, spans: Strip([Segment(plain_text(spans))]))
    for way in ("home", "end", "relative"):
        monkeypatch.setattr(
            QuestionPanel,
            f"scroll_{way}",
            lambda panel, y=0, way=way, **how: told.append(f"{way} {y}".removesuffix(" 0")),
        )
    for number, (config, step, kind, about, width, keys) in enumerate(ASKED):
        frame = frames[config]
        drawing.resize(width, 9 if width < 50 else 22)
        panel = QuestionPanel()
        panel.offers_another = number % 2 == 0
        panel.ask(Attempt(ask(kind, frame.at(step), "1", about=about)))
        drawing.lines.append(f"== {panel.attempt.question.asks}")  # type: ignore[union-attr]
        for key in ("", *keys.split()):
            note = press(panel, key) if key else ""
            rows = [panel.row(place) for place in range(panel.row_count)]
            drawing.add_changes("", f"{key} {note} {' '.join(told)} {len(rows)}", rows)
            told.clear()
        if width < 50:
            first, last = (panel.render_line(y).text.strip() for y in (0, 8))
            drawing.lines.append(f"in sight: {first} … {last}")
        panel.refuse("none is left\t")
        drawing.add_changes("", "refused", [panel.row(place) for place in range(panel.row_count)])
    check_sheet("questions", drawing.lines, SHEETS)
