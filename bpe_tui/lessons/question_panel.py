"""A panel that asks a question; keys or the mouse answer it, in any form.

    form      drawn as                     keys                          mouse
    --------  ---------------------------  ----------------------------  --------------------
    Choice    rows, some with a bar        ↑ ↓ k j, Enter                a click on a row
    YesOrNo   two rows                     y, n, or as above             a click on a row
    Number    what is typed                digits, Backspace, Enter
    Cuts      gaps between characters      ← → h l, Space, Enter         a click on a gap
    Joins     gaps between tokens          ← → h l, Enter                a click on a gap
    Merges    gaps in several words        ← → ↑ ↓ h l k j, Space, Enter a click on a gap

`H` asks for a hint and `!` for the answer; `→` skips, unless it moves. After the
answer Enter goes on, and `r` asks again where there is another example. PageUp scrolls up.

    panel = QuestionPanel()
    panel.ask(Attempt(ask("next-pair", frame)), "question 1 of 2")
    …                                     # `QuestionPanel.Over` comes, then `QuestionPanel.GoOn`
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from string import digits

from textual import events
from textual.content import Content
from textual.message import Message
from textual.strip import Strip

from bpe_tui.lessons.merges_board import MergesBoard
from bpe_tui.lessons.question_rows import (
    graded_rows,
    option_rows,
    packed_rows,
    sentence_rows,
    sentence_spans,
    spaced,
)
from bpe_tui.shell.panel import ABOUT_TO_JOIN, PRETOKEN_BORDER, TOKEN_BORDER
from bpe_tui.widgets.language import tr, tr_sentence, visible_message
from bpe_tui.widgets.lines import Lines
from bpe_tui.widgets.rows import CURSOR, Row, Span, spans_width
from bpe_tui.widgets.visible import visible_bytes, visible_text, width
from engine.core.errors import AnswerError
from engine.core.wording import Sentence
from engine.learning.questions.answer_forms import (
    END,
    Answer,
    Choice,
    Cuts,
    Form,
    Joins,
    Number,
    Option,
    YesOrNo,
)
from engine.learning.questions.merges_form import Merges
from engine.learning.questions.question import Attempt, Question

SIDEWAYS = {"right": 1, "l": 1, "left": -1, "h": -1}
UP_AND_DOWN = {"down": 1, "j": 1, "up": -1, "k": -1}
"""Key → by how much it moves the cursor."""
LONGEST_NUMBER = 15
MOST_GIVEN = 4
"""Largest number of words to count in that have a row each."""
INDENT: Span = (" ", "")


def options_of(form: Choice | YesOrNo) -> Sequence[Option]:
    """Return the rows to choose from."""
    if isinstance(form, Choice):
        return form.options
    return [Option((tr(word),)) for word in ("yes", "no")]


class QuestionPanel(Lines):
    """A question and its grade. Messages tell its screen that the question is over."""

    @dataclass
    class Over(Message):
        """The question is answered, or given up."""

        attempt: Attempt

    @dataclass
    class GoOn(Message):
        """The user goes on, after the end or by skipping the question."""

        attempt: Attempt

    attempt: Attempt | None = None
    offers_another = False
    """Whether `r` asks for the same with another example, after the end."""
    _is_touched = False  # whether a key has done something since the question came
    _key_rows = 0
    _question: Question
    _form: Form
    _chosen: int  # the row, or the gap, from 0
    _typed: str
    _is_replaced: bool  # whether the next key replaces what is typed: it was wrong
    _bars: set[int]
    _board: MergesBoard | None  # of merges made by hand
    _refusal: str
    _first_choice: int  # the first row of the choices, of the gaps, or of the words to mark
    _gaps: dict[int, int]  # cell of a row → its gap
    _stops: int  # number of places for the cursor

    def __init__(self, id: str = "question") -> None:
        super().__init__(id=id)

    def ask(self, attempt: Attempt, title: str = "question", foot: str = "") -> None:
        """Ask another question."""
        self.attempt = attempt
        self._question, self._form = attempt.question, attempt.question.form
        self._chosen, self._typed, self._bars = 0, "", set()
        self._board = MergesBoard(self._form) if isinstance(self._form, Merges) else None
        self._refusal, self._is_touched, self._is_replaced = "", False, False
        self.border_title, self.border_subtitle = Content(title), Content(foot)
        self.rebuild()

    def refuse(self, reason: str) -> None:
        """Show why something cannot be done."""
        self._refusal = visible_text(reason, spaces=False)
        self.rebuild()

    # -- drawing

    def rebuild(self) -> None:
        attempt, room = self.attempt, max(self.size.width - 2, 20)
        rows: list[Row] = []
        if attempt is not None:
            question = self._question
            asked = sentence_rows(question.asks, room, role="strong")
            asked += sentence_rows(question.advice, room, role="dim")
            given = [row for each in question.given for row in sentence_rows(each, room)]
            if len(given) > MOST_GIVEN and question.pairs:
                given = packed_rows(question.given, room)
            self._first_choice = 0
            answer = self._answer_rows(attempt, room)
            graded = []
            if self._refusal:
                graded = sentence_rows(Sentence((tr(self._refusal),)), room, role="loss")
            graded += graded_rows(attempt, room)
            parts = [asked, given, answer, graded]
            is_cut = sum(map(len, parts)) >= self.size.height
            keys = sentence_rows(Sentence((self._keys_text(is_cut),)), room, role="dim")
            self._key_rows = len(keys)
            rows, above = spaced([*parts, keys], self.size.height)
            self._first_choice += above
        self._rows = [Row([INDENT, *row.spans]) for row in rows]
        super().rebuild()
        # If not all fits, show the question first, then the answer at the end.
        if self._is_touched:
            self.scroll_end(animate=False, immediate=True)
        else:
            self.scroll_home(animate=False, immediate=True)

    def render_line(self, y: int) -> Strip:
        index, from_below = y + self.scroll_offset.y, self.size.height - y
        if from_below <= self._key_rows and self.row_count > self.size.height:
            index = self.row_count - from_below  # the keys stay in sight
        if index >= self.row_count:
            return Strip.blank(self.size.width, self.rich_style)
        return self.paint(self.row(index).spans)

    def _answer_rows(self, attempt: Attempt, room: int) -> list[Row]:
        match self._form:
            case Choice() | YesOrNo() as form:
                return option_rows(attempt, options_of(form), self._chosen, room)
            case Number():
                shown = visible_text(str(self._question.answer) if self._is_over else self._typed)
                cursor = "" if self._is_over else "▏"
                role = "cursor" if self._is_replaced and not self._is_over else "strong"
                return [Row([(tr("Answer: "), "dim"), (shown, role), (cursor, "pair")])]
            case Cuts(text):
                characters = [visible_text(character) for character in text]
                bars = self._question.answer if self._is_over else self._bars
                assert not isinstance(bars, int | str)
                marks: list[Span] = [
                    (PRETOKEN_BORDER[0], "pair") if place in bars else (" ", "")
                    for place in range(1, len(characters))
                ]
                return self._gap_rows(characters, marks)
            case Joins() as joins:
                joined = self._question.answer if self._is_over else attempt.progress
                assert isinstance(joined, tuple)
                tokens = [visible_bytes(token) for token in joins.tokens_after(joined)]
                return self._gap_rows(tokens, [TOKEN_BORDER] * (len(tokens) - 1))
            case Merges() as merges:
                return self._board_rows(merges, attempt, room)
            case form:
                raise AssertionError(f"nothing draws {form}")

    def _gap_rows(self, things: Sequence[str], marks: Sequence[Span]) -> list[Row]:
        """Return things with gaps of one cell between them, and a sign below the cursor's gap.

        Remembers the cell of each gap, for a click.
        """
        ends = list(accumulate(width(thing) + 1 for thing in things))
        may_end = isinstance(self._form, Joins) and not self._is_over
        self._stops = len(marks) + may_end
        self._gaps = {end: gap for gap, end in enumerate(ends[:-1])}  # the cell after the indent
        spans: list[Span] = []
        for place, thing in enumerate(things):
            joins = isinstance(self._form, Joins) and not self._is_over
            at = joins and self._chosen in (place, place - 1)
            spans.append((thing, "pair" if at else "strong"))
            if place < len(marks):
                spans.append(ABOUT_TO_JOIN if joins and place == self._chosen else marks[place])
        rows = [Row(spans)]
        if may_end:
            is_chosen = self._chosen == len(marks)
            spans += [(f"   {CURSOR}" if is_chosen else "     ", "pair")]
            first = spans_width(spans) + 1
            end = tr("none joins")
            spans.append((end, "pair" if is_chosen else "dim"))
            self._gaps |= dict.fromkeys(range(first, first + width(end)), len(marks))
        if not self._is_over and self._chosen < len(marks):
            rows.append(Row([(" " * (ends[self._chosen] - 1), ""), ("▲", "pair")]))
        return rows

    def _board_rows(self, merges: Merges, attempt: Attempt, room: int) -> list[Row]:
        """Return the words of merges made by hand, below what to do."""
        board, answer = self._board, self._question.answer
        assert board is not None
        if self._is_over:
            assert isinstance(answer, tuple)
            board.begin_part(answer)
            return board.word_rows(room, is_over=True)
        marked = ""
        if not board.is_choosing:
            marked = f"  {tr('{n} marked', n=str(board.marked))}"
        task = tr_sentence(merges.task(attempt.progress))
        spans = sentence_spans(task, room - width(marked), role="strong", token_role="pair")
        self._first_choice += 1
        return [Row([*spans, (marked, "dim")]), *board.word_rows(room, is_over=False)]

    # -- keys

    @property
    def _is_over(self) -> bool:
        return self.attempt is not None and self.attempt.is_over

    def _keys_text(self, is_cut: bool) -> str:
        if self._is_over:
            return tr("↵ go on  r another one" if self.offers_another else "↵ go on")
        match self._form:
            case Choice():
                own = tr("↑↓ choose  ↵ answer")
            case YesOrNo():
                own = tr("y yes  n no")
            case Cuts():
                own = tr("← → move  space cut  ↵ answer")
            case Joins():
                own = tr("← → move  ↵ join")
            case Merges():
                assert self._board is not None
                own = tr(self._board.keys_text)
            case _:
                own = tr("type  ↵ answer")
        keys = [own, f"H {tr('hint')}", f"! {tr('show me')}"]
        if not isinstance(self._form, Cuts | Joins | Merges):  # they move with →
            keys.append(f"→ {tr('skip')}")
        if is_cut:
            keys.append(tr("PgUp {above}", above=tr("above")))
        return "  ".join(keys)

    def on_key(self, event: events.Key) -> None:
        """Handle a key; leave one that does nothing here to others."""
        attempt = self.attempt
        if attempt is None:
            return
        self._is_touched = True
        form = self._form
        key, character = event.key, event.character if event.is_printable else None
        if attempt.is_over:
            if key != "enter":
                return
            self._go_on()
        elif key in ("pageup", "pagedown"):
            page = self.size.height - 1
            by = page if key == "pagedown" else -page
            self.scroll_relative(y=by, animate=False, immediate=True)
        elif isinstance(form, Cuts | Joins) and key in SIDEWAYS:
            self._move(SIDEWAYS[key], self._stops)
        elif self._board is not None and self._moves_board(self._board, key):
            pass
        elif character == "H":
            attempt.ask_hint()
        elif key == "exclamation_mark":
            self._give_up()
        elif key == "right":
            self._give_up()
            self._go_on()
        elif key == "enter":
            self._answer()
        elif isinstance(form, Number) and (character or key == "backspace"):
            self._type(character)
        elif isinstance(form, YesOrNo) and key in ("y", "n"):
            self._try(key == "y")
        elif isinstance(form, Choice | YesOrNo) and key in UP_AND_DOWN:
            self._move(UP_AND_DOWN[key], len(options_of(form)))
        elif isinstance(form, Cuts) and key == "space":
            self._bars ^= {self._chosen + 1}
        else:
            return
        event.stop()
        if key not in ("pageup", "pagedown"):
            self.rebuild()

    def _moves_board(self, board: MergesBoard, key: str) -> bool:
        """Do what a key does on the board; return whether it does anything."""
        if key in SIDEWAYS:
            board.move(SIDEWAYS[key])
        elif key in UP_AND_DOWN:
            board.move_word(UP_AND_DOWN[key])
        elif key == "space":
            board.mark()
        else:
            return False
        return True

    def _move(self, by: int, count: int) -> None:
        if count:
            self._chosen = (self._chosen + by) % count

    def _type(self, character: str | None) -> None:
        self._refusal = ""
        if character not in (None, *digits):
            # A comma may stand between digits, which are kept without.
            self._refusal = "" if character == "," else Number.how
            return
        if self._is_replaced:
            self._typed, self._is_replaced = "", False
        kept = self._typed[:-1] if character is None else self._typed + character
        self._typed = kept[:LONGEST_NUMBER]

    def _answer(self) -> None:
        """Answer with the present choice, bars, joins or text."""
        match self._form:
            case Choice():
                self._try(self._chosen)
            case YesOrNo():
                self._try(not self._chosen)
            case Cuts():
                self._try(tuple(sorted(self._bars)))
            case Joins():
                assert self.attempt is not None
                place = END if self._chosen == self._stops - 1 else self._chosen
                self._try((*self.attempt.progress, place))
            case Merges() as merges:
                assert self.attempt is not None
                assert self._board is not None
                self._try(merges.check((*self.attempt.progress, *self._board.part)))
            case form:
                try:
                    self._try(form.read(self._typed))
                except AnswerError as error:
                    self._refusal = visible_message(error)

    def _try(self, answer: Answer) -> None:
        assert self.attempt is not None
        self._refusal = ""
        grade = self.attempt.try_answer(answer)
        self._is_replaced = not grade.right
        if grade.right and isinstance(self._form, Joins):
            self._chosen = 0
        if grade.right and self._board is not None:
            self._board.begin_part(self.attempt.progress)
        if grade.done:
            self.post_message(self.Over(self.attempt))

    def _give_up(self) -> None:
        assert self.attempt is not None
        self._refusal = ""
        self.attempt.given_up = True
        self.post_message(self.Over(self.attempt))

    def _go_on(self) -> None:
        assert self.attempt is not None
        self.post_message(self.GoOn(self.attempt))

    # -- the mouse

    def on_click(self, event: events.Click) -> None:
        event.prevent_default()  # a click on other rows would do something else
        index, offset = self.row_at(event), event.get_content_offset(self)
        if self.attempt is None or index is None or offset is None:
            return
        if self._is_over:
            self._go_on()
            return
        form, cell = self._form, offset.x + self.scroll_offset.x
        if isinstance(form, Choice | YesOrNo):
            place = index - self._first_choice
            if place in range(len(options_of(form))):
                self._chosen = place
                self._answer()
        elif self._board is not None and self._board.take(index - self._first_choice, cell - 1):
            if self._board.is_choosing:
                self._answer()
            else:
                self._board.mark()
        elif isinstance(form, Cuts | Joins) and index == self._first_choice and cell in self._gaps:
            self._chosen = self._gaps[cell]
            if isinstance(form, Joins):
                self._answer()
            else:
                self._bars ^= {self._chosen + 1}
        self.rebuild()
