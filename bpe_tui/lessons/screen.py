"""The lesson view: the algorithm from top to bottom, in the order of an explanation.

A rail joins three stations, COUNT, PICK and REPLACE; below are the corpus and a text of the user's.
The model's explainer (`bpe_tui.views.explanation`) makes their rows; the clock (`beats`) moves a
step.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import cycle, zip_longest
from typing import Any, ClassVar

from textual import events
from textual.app import ComposeResult
from textual.geometry import Region, Size
from textual.widgets import Input

from bpe_tui.bpe.lesson import BpeExplainer
from bpe_tui.bpe.training_screen import BpeScreen
from bpe_tui.lessons.beats import BeatClock, beats_of
from bpe_tui.lessons.prediction import Prediction, Predictor, ToOption
from bpe_tui.session.declarations import LESSON
from bpe_tui.session.models import DEFAULT_MODEL
from bpe_tui.session.session import Session
from bpe_tui.session.state import preferences
from bpe_tui.styles import sheet
from bpe_tui.unigram.lesson import UnigramExplainer
from bpe_tui.unigram.model import UNIGRAM_LESSON
from bpe_tui.unigram.pieces import Slices, UnigramScreen
from bpe_tui.views.corpus import CorpusPlace
from bpe_tui.views.explanation import (
    JOINED_AT,
    AnyExplainer,
    Beat,
    CountRoom,
    StepMoment,
)
from bpe_tui.views.merge_explanation import MergeExplainer
from bpe_tui.views.panel import TokenPainter
from bpe_tui.views.session_screen import SessionScreen
from bpe_tui.widgets.controls import KeyBar
from bpe_tui.widgets.fields import TextLine
from bpe_tui.widgets.lines import Lines
from bpe_tui.widgets.numbers import number
from bpe_tui.widgets.rows import Row, Span, spans_width
from bpe_tui.widgets.visible import shorten, visible_text, width
from bpe_tui.wordpiece.lesson import WordPieceExplainer
from bpe_tui.wordpiece.model import WORDPIECE_LESSON
from bpe_tui.wordpiece.training_screen import WordPieceScreen
from engine.unigram.frame import UnigramFrame

STATIONS = ("count", "pick", "replace")
SECTIONS = (*STATIONS, "corpus", "your-text")
LEAST_FOR_TEXT, LEAST_FOR_CORPUS = 18, 15
"""Least heights that have room for the user's text and for the corpus; else a note has theirs."""
MARK = 2
"""Cells to the left of the rows' edge, for the mark of a bar."""


@dataclass(frozen=True)
class Rail:
    """The signs of the rail beside a station: at its name, and below it."""

    corner: str
    lit_corner: str
    stem: str
    below: str


RAILS = {
    "count": Rail("╭", "╭", "─▸ ", "│"),
    "pick": Rail("│", "├", "   ", "│"),
    "replace": Rail("╰", "╰", "── ", " "),
}
NO_RAIL = Rail(" ", " ", "   ", " ")
LIT_STEM = "─▶ "


class LessonSection(Lines, can_focus=False):
    """A name and rows beside it; only lines that change are painted again."""

    def __init__(self, name: str) -> None:
        super().__init__(id=name)
        self.rail = RAILS.get(name, NO_RAIL)
        self.label = self.caption = ""
        self.caption_role = "dim"
        self.margin = 0
        self.is_short = False
        self.height = 1

    @property
    def room(self) -> int:
        """Cells of a row."""
        return max(self.screen.size.width - self.margin - 2, 10)

    def show(self, rows: Sequence[Row], is_lit: bool = False) -> int:
        """Show rows beside the rail and the name; return the number of lines to paint."""
        rail, cells = self.rail, self.margin
        stem, corner = (LIT_STEM, rail.lit_corner) if is_lit else (rail.stem, rail.corner)
        name: list[Span] = [
            (f" {corner}", "border"),
            (stem[1] if self.is_short else stem, "pair" if is_lit else "border"),
            (self.label, "pair" if is_lit else "dim"),
        ]
        name.append((" " * (cells - spans_width(name)), ""))
        shown = []
        for index in range(self.height):
            row = rows[index] if index < len(rows) else Row(())
            text = self.caption if index == 1 and not self.is_short else ""
            below = [(f" {rail.below}   ", "border"), (text.ljust(cells - 5), self.caption_role)]
            shown.append(Row([*(below if index else name), *row.spans], row.target))
        changed = [
            Region(0, index, self.size.width, 1)
            for index, (row, was) in enumerate(zip_longest(shown, self._rows))
            if row != was
        ]
        self._rows = shown
        if changed:
            self.refresh(*changed)
        return len(changed)


class LessonScreen(SessionScreen):
    """The lesson view of a model: shows a step beat by beat, with the model's explainer."""

    CSS_PATH = sheet("lesson.tcss")
    AUTO_FOCUS = ""
    """Empty, so that the hidden field does not get the keys."""
    SHOWS_STEP = False  # the heading has it, with the question or the speed
    EXPLAINER: ClassVar[type[AnyExplainer]]

    def __init__(self) -> None:
        super().__init__()
        self.clock = BeatClock(self.show, self.set_timer)
        self.top = CorpusPlace(0, 0)
        self._run: Any = None
        self.text = ""
        self.explainer = self.EXPLAINER(marks=self.app.no_color)
        self.predictor = Predictor(self.explainer, self.show_again, self.make_step, self.tell)
        self.question: Prediction | None = None
        self.sections = {name: LessonSection(name) for name in SECTIONS}
        self.field = TextLine(id="own-text")
        self._layout = layout(0, 0)
        self._count_room = CountRoom(0, 0, 0)
        self._laid_out = Size()
        self._still: tuple[Any, ...] = ()

    def compose_body(self) -> ComposeResult:
        yield from self.sections.values()
        yield self.field

    def on_mount(self) -> None:
        self.clock.motion = preferences().motion
        self.field.display = False
        self.sections["corpus"].label = "corpus"
        self.sections["your-text"].label = "your text"

    # -- the layout

    def give_room(self, taken: Size) -> None:
        super().give_room(taken)
        self.show_again()

    @property
    def _free(self) -> Size:
        """Size of the screen without the note."""
        note = self.query_one("#note")
        taken = note.outer_size.height if note.display else 0
        return Size(self.size.width, self.size.height - taken)

    def show_notices(self) -> None:
        super().show_notices()
        self.call_after_refresh(  # once a note has its height
            lambda: self.show_again() if self._laid_out != self._free else None
        )

    def _lay_out(self) -> None:
        """Give all sections their rows and columns at this size."""
        self._laid_out = self._free
        room = self._layout = layout(*self._free)
        rows = {
            "count": room.bars + 1,
            "pick": PICK_ROWS + 1,
            "replace": room.words + 2,
            "corpus": room.corpus + 1,
            "your-text": room.text,
        }
        for name, height in rows.items():
            section = self.sections[name]
            section.height = height
            if name != "corpus":  # it takes the rest, and gives way to messages
                section.styles.height = height
            section.margin = room.margin - (MARK if name == "count" else 0)
            section.is_short = room.is_short
        self.sections["your-text"].display = self._free.height >= LEAST_FOR_TEXT
        self.sections["corpus"].display = self._free.height >= LEAST_FOR_CORPUS
        self._count_room = CountRoom(room.bars, self.sections["count"].room, room.name)
        self.query_one("#heading").styles.margin = (0, 0, room.head_gap, 0)
        self.call_after_refresh(self._place_field)  # once the sections have their places

    # -- drawing

    def show_session(self, session: Session) -> None:
        frame = self.frame_of(session)
        if not self.is_current or frame is None:
            return
        super().show_session(session)
        has_new_text = self.field.text != session.text
        if has_new_text:
            self._take_text()
        if has_new_text or self._laid_out != self._free:
            self.show_again()
        self.clock.follow(frame, session.speed if session.playing else None)
        if self.clock.moment is not None:
            self._show_heading(self.clock.moment)

    def on_screen_suspend(self) -> None:
        if not self.app.screen.is_modal:  # a window may cover a held beat
            self.clock.finish()

    def show(self, moment: StepMoment[Any]) -> None:
        """Show a moment in all sections."""
        if not self.is_mounted:
            return
        if self._laid_out != self._free:
            self._lay_out()
        joined = moment.beat is Beat.JOIN and moment.share >= JOINED_AT
        still = (moment.after, joined, self.text, self.size)
        if joined and still == self._still:  # only the bars move
            rows = self.explainer.count_rows(moment, self._count_room)
            self.sections["count"].show(rows, is_lit=True)
            return
        self._still = still
        if moment.beat is Beat.REST:
            self.question = self.predictor.attend(
                moment.after, self.session.playing, self._layout.bars
            )
            self.show_keys()
        # Before anything lights up, scroll to a part of the corpus that shows the step; later
        # beats do not scroll, nor do steps that are played.
        if moment.before is None or self._run is not moment.after.run:
            self._run, self.top = moment.after.run, CorpusPlace(0, 0)
        runs = self.session.playing or self.session.following
        may_move = moment.beat is Beat.PICK or (moment.beat is Beat.REST and not runs)
        if moment.before is not None and may_move:
            room = self.sections["corpus"].room
            self.top = self.explainer.place_to_show(
                moment.before, self.top, self._layout.corpus, room
            )
        self._show_stations(moment)
        corpus, text = self.sections["corpus"], self.sections["your-text"]
        corpus.show(self.explainer.corpus_rows(moment, self.top, self._layout.corpus, corpus.room))
        rows = self.explainer.text_rows(moment, self.text, text.height - 1, text.room)
        is_typed = self.field.display and bool(self.text)  # the field takes the row of the count
        text.caption, text.caption_role = rows[-1].spans[0][0] if is_typed else "", "strong"
        text.show(rows[:-1] if is_typed else rows)
        self._show_heading(moment)

    def _show_stations(self, moment: StepMoment[Any]) -> None:
        """Show COUNT, PICK and REPLACE; at rest they show the question, if there is one."""
        explainer = self.explainer
        count, pick, replace = (self.sections[name] for name in STATIONS)
        is_asked = self.question is not None and moment.beat is Beat.REST
        # A question is about the next step.
        of = StepMoment(moment.after, moment.after) if is_asked else moment
        names, captions = explainer.stations(of)
        for place, section in enumerate((count, pick, replace)):
            section.label = f"{place + 1} {names[place]}"
            section.caption = captions[place] if self._layout.has_captions else ""
        if self.question is not None and is_asked:
            count.show(self.question.count_rows(self._count_room))
            pick.show(self.question.pick_rows(pick.room), is_lit=True)
            replace.show(self.question.given_rows(replace.room, self._layout.words + 2))
            return
        lit = moment.beat
        if lit is Beat.JOIN:  # as soon as the bars move, this is counting again
            lit = Beat.LIGHT if moment.is_joining else Beat.REST
        count.show(explainer.count_rows(moment, self._count_room), lit is Beat.REST)
        pick.show(explainer.pick_rows(moment, pick.room), lit is Beat.PICK)
        replaced = explainer.replace_rows(moment, self._layout.words, replace.room)
        replace.show(replaced, lit is Beat.LIGHT)

    def _show_heading(self, moment: StepMoment[Any]) -> None:
        """Show the heading: the corpus on the left, the step and facts on the right."""
        session, room = self.session, self.size.width - 2
        name = visible_text(session.config.name, spaces=False)
        if session.model.name != DEFAULT_MODEL:
            name += f"   {session.model.title}"
        playing = f"▶ {session.speed}/s   " if session.playing else ""
        if self.question is not None:
            where = playing + self.question.heading
        else:
            step, recorded = moment.frame.step, moment.after.recorded_steps
            is_ended = session.stop_reason is not None
            where = f"{playing}step {number(step)} of {number(recorded)}"
            where += "…" if not is_ended else ", the end" if step == recorded else ""
        facts = self.explainer.facts(moment.frame)
        longer = f"{where}   {facts}" if facts else where
        right = longer if width(name) + width(longer) + 3 <= room else where
        name = shorten(name, max(room - width(right) - 2, 1))
        blanks = " " * max(room - width(name) - width(right), 1)
        self.say("#heading", f"{name}{blanks}{right}")

    def retell(self, seconds: float, frames_a_second: int) -> Iterator[float]:
        """Show the present step again, moment by moment, and yield the time of each shown one.

        A recording uses this with a clock of its own. Step 0 has no moments.
        """
        self.clock.finish()
        if (moment := self.clock.moment) is None or moment.before is None:
            return
        self.work_out(moment.before)
        for at, shown in beats_of(moment.before, moment.after, seconds, frames_a_second):
            self.show(shown)
            yield at

    def work_out(self, frame: Any) -> None:
        """Compute at once what is otherwise computed while the cursor rests at a frame."""

    # -- keys

    def action_next(self) -> None:
        """Make a step; finish a held one first, or go on from a question."""
        if not (self.predictor.go_on() or self.clock.release()):
            self.make_step()

    def make_step(self) -> None:
        """Make a step, which the clock shows."""
        self.session.step(1)
        self.host.changed()

    def action_beat(self) -> None:
        """Show one beat, and hold it until the next key."""
        if self.clock.hold_next():
            self.make_step()

    # -- predictions

    def action_predict(self) -> None:
        """Start or stop asking what each step does before showing it."""
        self.clock.finish()
        self.predictor.toggle()

    def on_key(self, event: events.Key) -> None:
        """Answer a question with keys that panels use on other screens."""
        if self.is_typing or not self.predictor.keys:
            return
        if event.key in ("up", "k", "down", "j"):
            self.action_choose(-1 if event.key in ("up", "k") else 1)
        elif event.key == "enter":
            self.action_answer()
        else:
            return
        event.stop()
        event.prevent_default()

    def action_choose(self, by: int) -> None:
        self.predictor.move(by)

    def action_answer(self) -> None:
        self.predictor.answer()

    def action_hint(self) -> None:
        self.predictor.hint()

    def action_show_answer(self) -> None:
        self.predictor.show_answer()

    def follow(self, target: object) -> None:
        if isinstance(target, ToOption):
            self.predictor.answer(target.place)
        else:
            super().follow(target)

    def inspect(self, event: Lines.Asked) -> None:
        if self.predictor.waiting is not None:
            self.tell("That would tell the answer: answer first, or P asks no more.")
        else:
            super().inspect(event)

    def show_keys(self) -> None:
        super().show_keys()
        if (keys := self.predictor.keys) and not self.is_typing:
            bar = self.query_one(KeyBar)
            bar.keys = [*keys, *bar.keys[-2:]]

    # -- the user's text

    def action_type(self) -> None:
        """Show the field under the text, in the row of its count."""
        self.field.display = True
        self._place_field()
        self.set_focus(self.field)
        self.show_again()

    def _place_field(self) -> None:
        text = self.sections["your-text"]
        self.field.styles.offset = (text.region.x + text.margin, text.region.bottom - 1)
        self.field.styles.width = text.room

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        if self.is_current:
            self.session.type(self.field.text)
            self._take_text()
            self.show_again()

    def _take_text(self) -> None:
        """Take the text of the session as the one that the step cuts."""
        self.field.show_text(self.session.text)
        self.text = self.field.value

    def show_again(self) -> None:
        if self.clock.moment is not None:
            self.show(self.clock.moment)

    def painter_maker(self) -> Callable[[Any], TokenPainter] | None:
        return self.explainer.painter_of if isinstance(self.explainer, MergeExplainer) else None

    def enter(self, field: Input) -> None:
        self.action_leave()

    def action_leave(self) -> None:
        if self.is_typing:
            self.set_focus(None)
            self.field.display = False
            self.show_again()
        elif self.predictor.is_on:
            self.predictor.toggle()
        else:
            self.action_go_back()

    @property
    def can_leave(self) -> bool:
        return self.predictor.is_on or super().can_leave


class BpeLesson(LessonScreen, BpeScreen):
    """The lesson view of BPE."""

    NAME = LESSON
    EXPLAINER = BpeExplainer


class WordPieceLesson(LessonScreen, WordPieceScreen):
    """The lesson view of WordPiece."""

    NAME = WORDPIECE_LESSON
    EXPLAINER = WordPieceExplainer


class UnigramLesson(LessonScreen, UnigramScreen):
    """The lesson view of Unigram; it computes the costs of removals while the cursor rests."""

    NAME = UNIGRAM_LESSON
    EXPLAINER = UnigramExplainer
    explainer: UnigramExplainer

    def __init__(self) -> None:
        super().__init__()
        self._work = Slices(self, self._weighed)
        self._weighing: UnigramFrame | None = None

    def show_session(self, session: Session) -> None:
        super().show_session(session)
        frame = self.frame_of(session)
        if not self.is_current or frame is None:
            return
        if self._weighing is None or not self._weighing.looks_like(frame):
            self._weighing = frame
            self._work.stop()
            if (work := self.explainer.weigh(frame)) is not None:
                self._work.start(work)

    def work_out(self, frame: UnigramFrame) -> None:
        for _ in self.explainer.weigh(frame) or ():
            pass
        self.show_again()

    def _weighed(self, is_last: bool) -> None:
        if is_last:
            self.show_again()


# -- rows of each section at a size, and which sections give way


LEAST = (4, 2, 2)
MOST = (10, 5, 10)
"""Least and largest numbers of rows of bars, of words, of the corpus."""
BARS, WORDS, CORPUS = range(3)
TURNS = (BARS, CORPUS, BARS, WORDS, CORPUS)
"""The order in which sections get the rows that are left."""

PICK_ROWS = TEXT_ROWS = 2
ROOMY = 36
"""Least height at which the user's text has one more row."""


@dataclass(frozen=True)
class Layout:
    """Rows and columns of the sections.

    Attributes:
        bars: rows of bars.
        words: rows of words, below the row with the rule.
        corpus: rows of the corpus, which takes the rest.
        text: rows of the user's text and its count; one may stay empty.
        margin: cells at the left, for the rail and the names.
        name: cells of a bar's name.
        head_gap: empty rows below the heading.
        has_legend: whether there is a row that explains the signs.
        is_short: whether the rail is short.
        has_captions: whether the stations have captions.
    """

    bars: int
    words: int
    corpus: int
    text: int
    margin: int
    name: int
    head_gap: int
    has_legend: bool
    is_short: bool
    has_captions: bool


def layout(width: int, height: int) -> Layout:
    """Divide a screen of this size into sections.

    >>> [(each.bars, each.words, each.corpus) for each in map(layout, (100, 80, 60), (30, 24, 20))]
    [(8, 3, 5), (5, 2, 3), (5, 2, 2)]
    """
    margin, name = (19, 15) if width >= 96 else (16, 13) if width >= 76 else (13, 10)
    head_gap, has_legend = int(height >= 22), height >= 24
    heading = keys = rule = 1
    gaps, legend = 4, int(has_legend)
    text = TEXT_ROWS + (height >= 23) + (height >= ROOMY)
    spare = height - heading - head_gap - PICK_ROWS - rule - text - gaps - legend - keys
    parts = list(LEAST)
    # The sections take turns; once all have their most rows, the corpus gets the rest.
    turns = cycle(TURNS)
    for _ in range(max(spare - sum(LEAST), 0)):
        growing = [place for place in range(len(parts)) if parts[place] < MOST[place]]
        parts[next(turn for turn in turns if turn in growing) if growing else CORPUS] += 1
    bars, words, corpus = parts
    rail = margin < 14, margin >= 17
    return Layout(bars, words, corpus, text, margin, name, head_gap, has_legend, *rail)
