"""The clock of the explain screen, controlled by the test, and the rows of each moment."""

from collections.abc import Callable
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import pytest
from edges import edged
from textual.geometry import Size
from textual.widget import Widget

from bpe_tui.explain import beats
from bpe_tui.explain.beats import ALL_BEATS, BeatClock, beats_of
from bpe_tui.explain.explanation import Beat, CountRoom, StepMoment
from bpe_tui.explain.layout import Layout, layout
from bpe_tui.explain.section import RAILS, ExplainSection
from bpe_tui.explain.wordpiece import WordPieceExplainer
from bpe_tui.panels.training_panels import word_rows
from bpe_tui.widgets.rows import Row, spans_width
from engine import Timeline, Trainer
from engine.text.excerpt import Excerpt
from engine.wordpiece.frame import WordPieceTimeline
from engine.wordpiece.trainer import WordPieceTrainer

COUNTS = {b"low": 5, b"lower": 2, b"widest": 3, b"newest": 6}
TEXT = b"low low lower widest newest newest\n"
ROOM = CountRoom(rows=4, width=70, name=10)


def bpe_timeline(tie_rule: str = "lexicographic") -> Timeline:
    trainer = Trainer(COUNTS, 400, tie_rule=tie_rule)
    excerpt = Excerpt.of(TEXT, "whitespace")
    timeline = Timeline(
        COUNTS, trainer.steps(), record=trainer.record, excerpt=excerpt, pattern="whitespace"
    )
    timeline.complete()
    return timeline


def moment(step: int, beat: Beat, share: float = 1.0) -> StepMoment[Any]:
    """Return a moment of the merge after a step."""
    frame = bpe_timeline().frame
    return StepMoment(frame.at(step), frame.at(step + 1), beat, share)


def said(rows: list[Row] | tuple[Row, ...]) -> list[str]:
    return [edged(row.spans).strip() for row in rows]


# -- the clock


@dataclass
class Hands:
    """A clock whose time the test controls."""

    now: float = 100.0
    due: list[tuple[float, Callable[[], None]]] = field(default_factory=list)
    shown: list[StepMoment[Any]] = field(default_factory=list)

    def call_in(self, seconds: float, call: Callable[[], None]) -> None:
        self.due.append((self.now + seconds, call))

    def pass_by(self, seconds: float) -> None:
        end = self.now + seconds
        while self.due and min(self.due, key=lambda one: one[0])[0] <= end:
            first = min(self.due, key=lambda one: one[0])
            self.due.remove(first)
            self.now = first[0]
            first[1]()
        self.now = end

    @property
    def beats(self) -> list[Beat]:
        """The beats that were shown, each once for all its frames."""
        beats = [moment.beat for moment in self.shown]
        return [beat for place, beat in enumerate(beats) if beats[place - 1 : place] != [beat]]


@pytest.fixture
def clock() -> tuple[BeatClock, Hands, Timeline]:
    hands, timeline = Hands(), bpe_timeline()
    clock = BeatClock(hands.shown.append, hands.call_in, lambda: hands.now)
    clock.follow(timeline.frame)
    hands.shown.clear()
    return clock, hands, timeline


Clocked = tuple[BeatClock, Hands, Timeline]


def test_each_moment_of_the_cut_and_of_a_step_has_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(beats, "SECONDS", {Beat.PICK: 0.25, Beat.LIGHT: 0.25, Beat.JOIN: 0.5})
    for name, number in (("ALL_BEATS", 1.0), ("CUT_SECONDS", 0.5), ("FRAMES_PER_SECOND", 8)):
        monkeypatch.setattr(beats, name, number)
    hands, timeline, told = Hands(now=0.0), bpe_timeline(), list[tuple[float, Beat, float]]()

    def show(moment: StepMoment[Any]) -> None:
        told.append((hands.now, moment.beat, moment.share))

    it = BeatClock(show, hands.call_in, lambda: hands.now, cuts=lambda frame: True)
    it.follow(timeline.frame)
    hands.pass_by(2)
    it.follow(timeline.forward())
    hands.pass_by(1)
    it.follow(timeline.forward())  # just late enough for beats
    hands.pass_by(0.625)
    it.follow(timeline.forward())  # too soon
    hands.pass_by(9)
    assert told == [
        *((0, Beat.CUT, 0), (0.5, Beat.CUT, 1), (1, Beat.REST, 1)),
        *((2, Beat.PICK, 1), (2.25, Beat.LIGHT, 1), (2.5, Beat.JOIN, 0)),
        *((2.625, Beat.JOIN, 0.25), (2.75, Beat.JOIN, 0.5), (2.875, Beat.JOIN, 0.75)),
        *((3, Beat.REST, 1), (3, Beat.PICK, 1), (3.25, Beat.LIGHT, 1), (3.5, Beat.JOIN, 0)),
        *((3.625, Beat.JOIN, 0.25), (3.625, Beat.REST, 1)),
    ]


@pytest.mark.parametrize("back_to", [0, 3, 1])
def test_back_and_jumps_have_no_beats(clock: Clocked, back_to: int) -> None:
    it, hands, timeline = clock
    it.follow(timeline.seek(2))
    it.follow(timeline.seek(5))
    it.follow(timeline.seek(back_to))
    assert hands.beats == [Beat.REST]


def test_a_held_beat_stays_until_the_next_key(clock: Clocked) -> None:
    it, hands, timeline = clock
    assert it.hold_next()  # a step is to be made for it
    it.follow(timeline.forward())
    hands.pass_by(9)
    assert hands.beats == [Beat.PICK]
    assert not it.hold_next()
    hands.pass_by(9)
    assert hands.beats == [Beat.PICK, Beat.LIGHT]
    assert it.release()  # → shows the rest
    hands.pass_by(9)
    assert hands.beats[-2:] == [Beat.JOIN, Beat.REST]
    hands.shown.clear()
    assert it.hold_next()
    it.follow(timeline.forward())
    for _ in range(2):
        assert not it.hold_next()
    hands.pass_by(9)
    assert hands.beats == [Beat.PICK, Beat.LIGHT, Beat.JOIN]
    held = hands.shown[-1]
    assert held.counted is held.before  # joined, but not counted again
    assert not held.is_joining
    assert not it.hold_next()  # now the counts move
    hands.pass_by(9)
    assert hands.beats[-2:] == [Beat.JOIN, Beat.REST]
    assert all(one.counted is one.after for one in hands.shown[-3:])
    it.hold_next()
    it.follow(timeline.forward())
    it.follow(timeline.back())  # ← takes a held beat back
    assert (it.moment.after, it.moment.beat) == (timeline.frame, Beat.REST)  # type: ignore[union-attr]
    assert not it.release()


def test_without_motion_or_played_fast_a_step_shows_its_result_but_a_beat_can_be_held(
    clock: Clocked,
) -> None:
    it, hands, timeline = clock
    for _ in range(2):  # at one step a second
        it.follow(timeline.forward(), steps_a_second=1)
        hands.pass_by(1)
    assert hands.beats == [Beat.PICK, Beat.LIGHT, Beat.JOIN, Beat.REST] * 2
    hands.shown.clear()
    it.follow(timeline.forward(), steps_a_second=2)
    assert hands.beats == [Beat.REST]
    hands.shown.clear()
    it, hands, timeline = clock
    it.motion = False
    it.follow(timeline.forward())
    hands.pass_by(ALL_BEATS)
    it.hold_next()
    it.follow(timeline.forward())
    assert hands.beats == [Beat.REST, Beat.PICK]
    assert it.release()
    assert hands.beats == [Beat.REST, Beat.PICK, Beat.REST]


def test_a_recording_of_a_step_has_the_times_and_shares_of_its_moments() -> None:
    frame = bpe_timeline().frame
    made = beats_of(frame, frame.at(1), 2 * ALL_BEATS, frames_a_second=3)
    shown = [(round(at, 2), moment.beat, round(moment.share, 2)) for at, moment in made]
    assert shown == [
        (0.0, Beat.PICK, 1.0),
        (0.7, Beat.LIGHT, 1.0),
        *((round(1.6 + 0.3 * k, 2), Beat.JOIN, k / 4) for k in range(4)),
        (2.8, Beat.REST, 1.0),
    ]


def test_a_step_begins_anew_from_what_is_shown_not_from_timers_before(clock: Clocked) -> None:
    it, hands, timeline = clock
    it.finish()
    assert not it.is_moving
    assert hands.shown == []
    it.follow(timeline.frame)
    hands.pass_by(9)
    it.follow(timeline.forward())
    it.rest(timeline.frame)
    hands.shown.clear()
    hands.pass_by(9)  # the timers of the step are ignored
    assert hands.shown == []
    it.follow(timeline.frame)
    hands.pass_by(ALL_BEATS)
    hands.shown.clear()
    it.follow(timeline.forward())
    it.finish()
    hands.pass_by(9)
    assert hands.beats == [Beat.PICK, Beat.REST]


# -- what is seen


def test_wordpiece_says_that_rare_pairs_are_left_out_when_none_merges() -> None:
    trainer = WordPieceTrainer({b"hug": 10, b"pun": 1}, 400, min_count=2)
    timeline = WordPieceTimeline(trainer.record, trainer.steps())
    timeline.complete()
    frame = timeline.frame.at(timeline.frame.recorded_steps)
    [row] = said(WordPieceExplainer(marks=False).count_rows(StepMoment.at_rest(frame), ROOM))
    assert row.strip() == "No pair is left that occurs 2 times or more (--min-count)."


@pytest.mark.parametrize("width", [40, 61, 100])
def test_a_long_word_before_and_after_a_step_takes_the_width_and_no_more(width: int) -> None:
    word = [("hugs" * 30, "")]
    (row,) = word_rows([1234], [(word, word)], width, shows_after=True)
    assert width - 2 <= spans_width(row.spans) <= width


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ((96, 36), Layout(10, 2, 4, 7, 4, 1, 19, 15, 1, False)),
        ((95, 35), Layout(10, 2, 4, 7, 3, 1, 19, 13, 1, False)),
        ((76, 24), Layout(5, 2, 2, 3, 3, 1, 19, 13, 1, False)),
        ((75, 23), Layout(5, 2, 2, 3, 3, 1, 15, 13, 1, True)),
        ((76, 22), Layout(5, 2, 2, 3, 2, 1, 19, 13, 1, False)),
        ((60, 21), Layout(5, 2, 2, 3, 2, 1, 15, 13, 0, True)),
        ((100, 60), Layout(10, 2, 5, 30, 4, 1, 19, 15, 1, False)),
        ((80, 30, True), Layout(7, 2, 4, 10, 2, 0, 19, 13, 1, False)),
        ((60, 18, True, False), Layout(5, 2, 3, 5, 0, 0, 15, 13, 0, True)),
    ],
)
def test_the_layout_uses_all_rows_of_a_screen(given: tuple[Any, ...], expected: Layout) -> None:
    assert layout(*given) == expected


def test_a_section_has_its_rail_name_and_caption_beside_its_rows(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    painted: list[object] = []
    monkeypatch.setattr(Widget, "size", Size(36, 3))
    monkeypatch.setattr(ExplainSection, "make_again", lambda section: painted.append(section))
    section = ExplainSection("count")
    section.rail, section.label, section.caption = RAILS["pick"], "2 PICK", "merge 1,234,567"
    section.margin, section.height = 16, 3
    rooms = []
    for width in (29, 28, 27, 36):
        monkeypatch.setattr(Widget, "screen", SimpleNamespace(size=Size(width, 9)))
        rooms.append(section.room)
    assert rooms == [11, 10, 10, 18]
    rows = [Row([("e+s 9", "strong")], "target"), Row([("nineteen characters", "")])]
    shown = []
    for is_lit, is_short in ((True, False), (False, False), (True, True)):
        section.is_short = is_short
        section.show(rows, is_lit)
        texts = ["".join(text for text, _ in row.spans).rstrip() for row in section._rows]
        shown.append((texts, [role for _, role in section._rows[0].spans]))
    cut = "nineteen characte…"
    long = [" ├─▶ 2 PICK     e+s 9", f" │   merge 1,2… {cut}", " │"]
    dark = [" │   2 PICK     e+s 9", *long[1:]]
    short = [" ├▶2 PICK       e+s 9", f" │ merge 1,234… {cut}", " │"]
    assert shown == [
        (long, ["border", "pair", "pair", "", "strong"]),
        (dark, ["border", "border", "dim", "", "strong"]),
        (short, ["border", "pair", "pair", "", "strong"]),
    ]
    section.show(rows, True)
    assert len(painted) == 3  # it has not changed since the third time
    assert [row.target for row in section._rows] == ["target", None, None]
    assert [role for _, role in section._rows[1].spans] == ["border", "dim", "", "", "", ""]
