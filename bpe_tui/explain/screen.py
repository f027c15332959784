"""Screen 0, the explain screen: the algorithm from top to bottom, in the order of an explanation.

A rail joins three stations, COUNT, PICK and REPLACE; below are the corpus and a text of the user's.
The heading has the beats of the step, with the present one filled.
The model's explainer (`bpe_tui.explain.explanation`) makes their rows; the clock (`beats`) moves a
step.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, ClassVar

from textual import events
from textual.app import ComposeResult
from textual.content import Content
from textual.geometry import Size
from textual.widgets import Input, Static

from bpe_tui.bpe.training_screen import BPE_VIEW
from bpe_tui.explain.beats import BeatClock, beats_of
from bpe_tui.explain.bpe import BpeExplainer
from bpe_tui.explain.explanation import AnyExplainer, Beat, CountRoom, StepMoment
from bpe_tui.explain.layout import ROOMY, Layout, layout
from bpe_tui.explain.merge_explanation import MergeExplainer
from bpe_tui.explain.prediction import Prediction, Predictor, ToOption
from bpe_tui.explain.section import NO_RAIL, RAILS, STATIONS, ExplainSection
from bpe_tui.explain.unigram import UnigramExplainer
from bpe_tui.explain.wordpiece import WordPieceExplainer
from bpe_tui.lessons.asking import ask_by_hand
from bpe_tui.lessons.question_panel import UP_AND_DOWN
from bpe_tui.panels.corpus import CorpusPlace
from bpe_tui.session.declarations import LESSON
from bpe_tui.session.models import DEFAULT_MODEL
from bpe_tui.session.session import Session
from bpe_tui.shell.panel import TokenPainter, needs_marks
from bpe_tui.shell.session_screen import SessionScreen
from bpe_tui.shell.slices import Slices
from bpe_tui.styles import BRIGHT, sheet
from bpe_tui.unigram.model import UNIGRAM_EXPLAIN
from bpe_tui.unigram.pieces import UNIGRAM_VIEW
from bpe_tui.widgets.controls import KeyBar
from bpe_tui.widgets.fields import TextLine
from bpe_tui.widgets.language import tr
from bpe_tui.widgets.lines import Lines
from bpe_tui.widgets.numbers import number
from bpe_tui.widgets.rows import Row, wrapped_text
from bpe_tui.widgets.visible import shorten, width
from bpe_tui.wordpiece.model import WORDPIECE_EXPLAIN
from bpe_tui.wordpiece.training_screen import WORDPIECE_VIEW
from bpe_tui.words.narration import PASSED_OVER, first_fitting, name_of
from engine.learning.questions.question import Question
from engine.unigram.frame import UnigramFrame

SECTIONS = (*STATIONS, "corpus", "your-text")
LEAST_FOR_TEXT, LEAST_FOR_CORPUS = 18, 15
"""Least heights that have room for the user's text and for the corpus; else a note has theirs."""
CUT_FIRST = "First the pattern cuts the text into pretokens. Pairs are counted inside of them."
MARK = 2
"""Cells to the left of the rows' edge, for the mark of a bar."""


class ExplainScreen(SessionScreen):
    """The explain screen of a model: shows a step beat by beat, with the model's explainer."""

    CSS_PATH = sheet("explain.tcss")
    SHOWS_STEP = False  # the heading has it, with the question or the speed
    EXPLAINER: ClassVar[type[AnyExplainer]]
    _layout: Layout
    _count_room: CountRoom
    _laid_out: tuple[Size, bool, bool, bool, bool] | None = None

    def __init__(self) -> None:
        super().__init__()
        self.clock = BeatClock(self.show, self.set_timer, cuts=self._cuts)
        self.top = CorpusPlace(0, 0)
        self._run: Any = None
        self.text = ""
        self.explainer = self.EXPLAINER(marks=needs_marks(self.app))
        self.predictor = Predictor(
            self.explainer, self.show_again, self.make_step, self._pass_over, self.tell
        )
        self.question: Prediction | None = None
        self.sections = {name: ExplainSection(name) for name in SECTIONS}
        self.field = TextLine(id="own-text")
        self._still: tuple[Any, ...] = ()

    def compose_body(self) -> ComposeResult:
        yield from self.sections.values()
        yield self.field

    def on_mount(self) -> None:
        self.clock.motion = self.app.animation_level != "none"
        self.field.display = False

    def _cuts(self, frame: Any) -> bool:
        return self.explainer.cuts(frame)

    # -- the layout

    @property
    def _free(self) -> Size:
        """Size of the screen without the note."""
        note = self.query_one("#note")
        taken = note.outer_size.height if note.display else 0
        return Size(self.size.width, self.size.height - taken)

    def show_notices(self) -> None:
        super().show_notices()
        self.call_after_refresh(  # once a note has its height
            lambda: self.show_again() if self._laid_out != self._needed else None
        )

    @property
    def _needed(self) -> tuple[Size, bool, bool, bool, bool]:
        """The arguments of `layout`, whether a question is asked, and whether there is a corpus.

        A question has the rows of REPLACE. Without a corpus, COUNT has its rows.
        Rows are dense below the text of a scene; beside it, the corpus gets the rows of the user's
        text unless it is being typed.
        """
        is_roomy = not self.room.has_text_beside or self.size.height >= ROOMY
        has_text = is_roomy or self.field.display
        shown = self.session.shown
        has_corpus = shown is None or shown.has_corpus
        return self._free, self.room.is_compact, has_text, self._is_asked, has_corpus

    def _lay_out(self) -> None:
        """Give all sections their rows and columns at this size."""
        (width, height), is_dense, has_text, is_asked, has_corpus = self._laid_out = self._needed
        room = self._layout = layout(width, height, is_dense, has_text)
        pick, replace = room.pick + room.gap, room.words + 1 + room.gap
        bars = room.bars
        if not has_corpus:
            bars, replace = bars + room.words + room.corpus + room.gap, 1 + room.gap
        rows = {
            "count": bars + room.gap,
            "pick": pick + replace if is_asked else pick,
            "replace": replace,
            "corpus": room.corpus + 1,
            "your-text": room.text,
        }
        for name, lines in rows.items():
            section = self.sections[name]
            section.height = lines
            # One takes the rest, and gives way to messages.
            takes_rest = name == ("corpus" if has_corpus else "count")
            section.styles.height = "1fr" if takes_rest else lines
            section.margin = room.margin - (MARK if name == "count" else 0)
            section.is_short = room.is_short
            section.rail = RAILS.get(name, NO_RAIL)
        self.sections["replace"].display = not is_asked
        if is_asked:
            self.sections["pick"].rail = RAILS["replace"]
        self.sections["your-text"].display = has_text and (
            height >= LEAST_FOR_TEXT or self.room.is_compact
        )
        self.sections["corpus"].display = has_corpus and height >= LEAST_FOR_CORPUS
        self._count_room = CountRoom(bars, self.sections["count"].room, room.name)
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
        if has_new_text or self._laid_out != self._needed:
            self.show_again()
        self.clock.follow(frame, session.speed if session.playing else None)
        if self.clock.moment is not None:
            self._show_heading(self.clock.moment)

    def draw_again(self) -> None:
        self.explainer.marks, self._still = needs_marks(self.app), ()
        self.show_again()
        super().draw_again()

    def on_screen_suspend(self) -> None:
        if not self.app.screen.is_modal:  # a window may cover a held beat
            self.clock.finish()

    def show(self, moment: StepMoment[Any]) -> None:
        """Show a moment in all sections."""
        if not self.is_mounted:
            return
        if self._laid_out != self._needed:
            self._lay_out()
        still = (moment.after, moment.is_recounting, self.text, self._laid_out)
        if moment.is_recounting and still == self._still:  # only the bars move
            self._show_counts(moment)
            return
        self._still = still
        self.sections["corpus"].label = tr("corpus")
        self.sections["your-text"].label = tr("your text")
        if moment.beat is Beat.REST:
            self.question = self.predictor.attend(
                moment.after, self.session.playing, self._layout.bars
            )
            self.show_keys()
            if self._laid_out != self._needed:
                self._lay_out()
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
        self._show_heading(moment)
        if not text.display:
            return
        rows = self.explainer.text_rows(moment, self.text, text.height - 1, text.room)
        is_typed = self.field.display and bool(self.text)  # the field takes the row of the count
        text.caption, text.caption_role = rows[-1].spans[0][0] if is_typed else "", "strong"
        text.show(rows[:-1] if is_typed else rows)

    @property
    def _is_asked(self) -> bool:
        """Whether a question is shown: at rest, instead of PICK and REPLACE."""
        moment = self.clock.moment
        return self.question is not None and moment is not None and moment.beat is Beat.REST

    def _show_stations(self, moment: StepMoment[Any]) -> None:
        """Show COUNT, PICK and REPLACE; at rest they show the question, if there is one."""
        explainer, room = self.explainer, self._layout
        explainer.hides_next = self.host.hides_next
        explainer.previews = self.named_keys is None and not explainer.hides_next
        count, pick, replace = (self.sections[name] for name in STATIONS)
        question = self.question if self._is_asked else None
        made = moment.after if question or moment.before is None else moment.before
        tells_next = explainer.tells_next(moment)
        picked = moment.after if tells_next else made
        counted = moment.counted
        count.label = tr(explainer.stations(counted)[0])
        pick.label, replace.label = map(tr, explainer.stations(picked)[1:])
        cells = min(pick.caption_cells, count.caption_cells)  # so all are written alike
        count.caption, pick.caption, replace.caption = (
            self._following_step(frame, cells) for frame in (counted, picked, made)
        )
        if not tells_next or made is picked:
            replace.caption = ""  # that of PICK
        if question is not None:
            count.show(question.count_rows(self._count_room))
            pick.show(question.pick_rows(pick.room, pick.height, room.gap), is_lit=True)
            return
        if moment.beat is Beat.CUT:
            lines = wrapped_text(tr(CUT_FIRST), count.room - MARK)
            count.show([Row([(f"  {line}", "")]) for line in lines], is_lit=True)
            pick.show(())
            replace.show(())
            return
        lit = Beat.REST
        if moment.beat is not Beat.REST and not moment.is_recounting:
            lit = Beat.PICK if moment.beat is Beat.PICK else Beat.LIGHT
        self._show_counts(moment, lit is Beat.REST)
        pick.show(explainer.pick_rows(moment, pick.room), lit is Beat.PICK)
        replaced = explainer.replace_rows(moment, room.words, replace.room)
        replace.show(replaced, lit is Beat.LIGHT)

    def _show_counts(self, moment: StepMoment[Any], is_lit: bool = True) -> None:
        """Show the current counts."""
        self.sections["count"].show(self.explainer.count_rows(moment, self._count_room), is_lit)

    def _following_step(self, frame: Any, cells: int) -> str:
        """Return the name of the step after a frame, for the cells under a station's name."""
        if frame.step == frame.recorded_steps:
            return ""
        step = number(frame.step + 1)
        return first_fitting(cells, tr(self.explainer.STEP, n=step), step)

    def _show_heading(self, moment: StepMoment[Any]) -> None:
        """Show the heading: the corpus and the beats on the left, the step and facts on the right.

        In few cells the facts, the corpus and the name of the step give way.
        """
        session, room = self.session, self.size.width - 2
        name = name_of(session.config)
        if session.model.name != DEFAULT_MODEL:
            name += f"   {session.model.title}"
        beats, present = self._beats(moment)
        following = self._following_step(moment.counted, room)
        where, facts = self._where(moment), self.explainer.facts(moment.frame)
        longer = f"{where}   {facts}" if facts else where
        named = f"{following}   {beats}" if following else beats
        brief = self._where(moment, says_end=False)
        ways = (f"{name}   {named}", longer), (named, longer), (named, where), (beats, where)
        left, right = fitting_sides((*ways, (beats, brief)), room)
        blanks = " " * (room - width(left) - width(right))
        heading = Content(f"{left}{blanks}{right}")
        bright = [(left, present)]
        if self.question is None:
            bright.append((right, number(moment.frame.step)))
        for text, part in bright:
            if part in text:
                start = text.rindex(part) if text is left else len(left + blanks) + text.index(part)
                heading = heading.stylize(BRIGHT, start, start + len(part))
        self.query_one("#heading", Static).update(heading, layout=False)

    def _where(self, moment: StepMoment[Any], says_end: bool = True) -> str:
        """Return the step with the speed of playing, or the question's score."""
        session = self.session
        playing = f"▶ {session.speed}/s   " if session.playing else ""
        if self.question is not None:
            return playing + self.question.heading
        step, recorded = moment.frame.step, moment.after.recorded_steps
        where = "step {n} of {last}…"
        if session.stop_reason is not None:
            is_end = says_end and step == recorded
            where = "step {n} of {last}, the end" if is_end else "step {n} of {last}"
        return playing + tr(where, n=step, last=recorded)

    def _beats(self, moment: StepMoment[Any]) -> tuple[str, str]:
        """Return the beats of a step, `● count  ○ pick  ○ replace`, and the present one."""
        place = Beat.PICK if self._is_asked else min(moment.beat, Beat.LIGHT)
        frame = moment.after if moment.beat <= Beat.REST else moment.before
        first: Beat = Beat.REST
        names: tuple[str, ...] = self.explainer.stations(frame)
        if moment.before is None and self._cuts(moment.after):
            first, names = Beat.CUT, ("CUT", *names)
        beats = {
            each: f"{'●' if each == place else '○'} {tr(name).lower()}"
            for each, name in enumerate(names, first)
        }
        return "  ".join(beats.values()), beats[place]

    def retell(
        self, seconds: float, frames_a_second: int, recounts: bool = True
    ) -> Iterator[float]:
        """Show the present step again, moment by moment, and yield the time of each shown one.

        A recording uses this with a clock of its own. Step 0 has no moments. Unless it `recounts`,
        it ends before the new counts.
        """
        if (moment := self.clock.moment) is None or moment.before is None:
            return
        self.work_out(moment.before)
        for at, shown in beats_of(moment.before, moment.after, seconds, frames_a_second):
            if shown.counted is moment.after and not recounts:
                return
            self.show(shown)
            yield at

    def work_out(self, frame: Any) -> None:
        """Compute at once what is otherwise computed while the cursor rests at a frame."""

    # -- keys

    async def action_forward(self, by: int) -> None:
        """Make a step; finish a held one first, or go on from a question."""
        if by < 0:
            await super().action_forward(by)
        elif not (self.predictor.go_on() or self.clock.release()):
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

    def toggle_predictions(self) -> None:
        """Start or stop asking what each step does before showing it."""
        self.clock.finish()
        self.predictor.toggle()

    @property
    def is_asking(self) -> bool:
        return self.predictor.waiting is not None

    def _pass_over(self, step: int) -> None:
        """Go to a later step once the present one is drawn, and give the reason."""

        def go() -> None:
            if self.predictor.is_on:
                self.host.seek(step)
                self.tell(tr(PASSED_OVER, step=step))

        self.call_after_refresh(go)

    def on_key(self, event: events.Key) -> None:
        """Answer a question with keys that panels use on other screens."""
        if self.is_typing or not self.predictor.keys:
            return
        if event.key in UP_AND_DOWN:
            self.action_choose(UP_AND_DOWN[event.key])
        elif event.key == "enter":
            self.predictor.answer()
        else:
            return
        event.stop()

    def action_choose(self, by: int) -> None:
        self.predictor.move(by)

    def action_by_hand(self) -> None:
        """Let the learner make the next merges, then show their steps."""
        self.clock.finish()
        if (frame := self.frame_of(self.session)) is None:
            return
        self.host.hold()

        def go_on(question: Question) -> None:
            self.session.step(question.steps)
            self.host.changed()

        ask_by_hand(self, "make-merges", frame, over=self.predictor.count, go_on=go_on)

    def action_hide_next(self) -> None:
        """Hide the merges to come, or show them; give a hint while a question is asked."""
        if self.is_asking:
            self.predictor.hint()
        else:
            super().action_hide_next()

    def action_show_answer(self) -> None:
        self.predictor.show_answer()

    def follow(self, target: object) -> None:
        if isinstance(target, ToOption):
            self.predictor.answer(target.place)
        else:
            super().follow(target)

    def inspect(self, event: Lines.Asked) -> None:
        if self.is_asking:
            self.tell(tr("That would tell the answer: answer first, or P asks no more."))
        else:
            super().inspect(event)

    def show_keys(self) -> None:
        super().show_keys()
        if (keys := self.predictor.keys) and not self.is_typing:
            bar = self.query_one(KeyBar)
            bar.keys = [*keys, *bar.keys[-1:]]
            named = {each.shown for each in bar.keys}
            bar.more = [each for each in bar.more if each.shown not in named]

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

    def on_input_changed(self) -> None:
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
            self.leave_panel()

    @property
    def closes(self) -> bool:
        return self.predictor.is_on or super().closes


def fitting_sides(ways: Sequence[tuple[str, str]], room: int) -> tuple[str, str]:
    """Return the first left and right side that fit, two cells apart; else the last, cut.

    >>> fitting_sides([("long", "right"), ("left", "r")], 7)
    ('left', 'r')
    >>> fitting_sides([("long", "right"), ("left", "r")], 6)
    ('le…', 'r')
    """
    left, right = ways[-1]
    cut = shorten(left, room - width(right) - 2), right
    return next((way for way in ways if sum(map(width, way)) + 2 <= room), cut)


class BpeExplainScreen(ExplainScreen):
    """The explain screen of BPE."""

    NAME = LESSON
    VIEW = BPE_VIEW
    EXPLAINER = BpeExplainer

    def action_characters(self) -> None:
        """Show characters that tokens cut, over marks, or their bytes."""
        assert isinstance(self.explainer, BpeExplainer)
        self.explainer.in_bytes = not self.explainer.in_bytes
        self._still = ()
        self.show_again()


class WordPieceExplainScreen(ExplainScreen):
    """The explain screen of WordPiece."""

    NAME = WORDPIECE_EXPLAIN
    VIEW = WORDPIECE_VIEW
    EXPLAINER = WordPieceExplainer


class UnigramExplainScreen(ExplainScreen):
    """The explain screen of Unigram; it computes the costs of removals while the cursor rests."""

    NAME = UNIGRAM_EXPLAIN
    VIEW = UNIGRAM_VIEW
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
