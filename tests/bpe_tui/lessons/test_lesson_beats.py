"""The clock of the lesson view, controlled by the test, and the rows of each moment."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from edges import edged
from textual.geometry import Region, Size
from textual.widget import Widget

from bpe_tui.bpe.lesson import BpeExplainer
from bpe_tui.lessons.beats import ALL_BEATS, BeatClock
from bpe_tui.lessons.layout import Layout, layout
from bpe_tui.lessons.section import RAILS, LessonSection
from bpe_tui.unigram.lesson import UnigramExplainer
from bpe_tui.unigram.piece_table import _cost_rows
from bpe_tui.views.corpus import CorpusPlace
from bpe_tui.views.explanation import (
    BAR_BESIDE_FRACTION,
    JOINED_AT,
    REMARK,
    SHRUNK_AT,
    BarColumns,
    Beat,
    CountRoom,
    StepMoment,
)
from bpe_tui.views.training_panels import word_rows
from bpe_tui.widgets.rows import Row, spans_width
from bpe_tui.wordpiece.lesson import WordPieceExplainer
from engine import Frame, Timeline, Trainer, count_pretokens
from engine.text.excerpt import Excerpt
from engine.unigram.frame import UnigramTimeline
from engine.unigram.trainer import UnigramTrainer
from engine.wordpiece.frame import WordPieceTimeline
from engine.wordpiece.trainer import WordPieceTrainer

COUNTS = {b"low": 5, b"lower": 2, b"widest": 3, b"newest": 6}
TEXT = b"low low lower widest newest newest\n"
STORIES = Path(__file__).parents[3] / "samples" / "tinystories_valid.txt"
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


def test_a_step_has_three_beats_and_a_rest_but_a_key_never_waits(clock: Clocked) -> None:
    it, hands, timeline = clock
    it.follow(timeline.forward())
    hands.pass_by(0.4)  # lit
    it.follow(timeline.forward())
    assert (it.moment.beat, it.moment.frame.step) == (Beat.REST, 2)  # type: ignore[union-attr]
    hands.pass_by(9)  # the timers of the first step are ignored
    assert hands.beats == [Beat.PICK, Beat.LIGHT, Beat.REST]
    it.follow(timeline.forward())  # late enough for beats
    assert it.moment.beat is Beat.PICK  # type: ignore[union-attr]
    hands.pass_by(9)
    hands.shown.clear()
    it.follow(timeline.forward())
    hands.pass_by(0.34)
    assert hands.beats == [Beat.PICK]
    hands.pass_by(0.45)
    assert hands.beats == [Beat.PICK, Beat.LIGHT]
    hands.pass_by(0.63)
    assert hands.beats == [Beat.PICK, Beat.LIGHT, Beat.JOIN, Beat.REST]
    assert hands.shown[-1].frame is timeline.frame


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


# -- what is seen


def test_before_the_first_merge_the_view_shows_it_as_the_next_but_not_in_a_lesson() -> None:
    start, explainer = StepMoment.at_rest(bpe_timeline().frame), BpeExplainer(marks=False)
    assert said(explainer.pick_rows(start, 70))[0] == "s+t and e+s both occur 9 times: a tie."
    assert said(explainer.replace_rows(start, 2, 70))[0].startswith("Here it is: s+t ")
    explainer.previews = False
    assert said(explainer.pick_rows(start, 70)) == ["Nothing is picked yet."]
    assert not explainer.replace_rows(start, 2, 70)


@pytest.mark.parametrize(
    ("step", "beat", "width", "sentences"),
    [
        (0, Beat.PICK, 70, ["s+t and e+s both occur 9 times: a tie."]),
        (0, Beat.REST, 70, ["s+t and e+s both occurred 9 times: a tie."]),
        (0, Beat.PICK, 34, ["s+t and e+s: a tie, 9 times.", "s is later in byte order than e."]),
        (
            1,
            Beat.PICK,
            70,
            [
                "e+st occurs 9 times, more often than any other pair.",
                "Second is w+e with 8, 1 fewer.",
            ],
        ),
        (1, Beat.REST, 50, ["e+st occurred 9 times, the most often."]),
        (1, Beat.REST, 34, ["e+st occurred 9 times.", "Second was w+e with 8, 1 fewer."]),
        (4, Beat.PICK, 40, ["w+est and 2 others: a tie, 6 times."]),
        (0, Beat.REST, 27, ["s+t and e+s: a tie, 9 times.", "s is later in byte order", "than e."]),
    ],
)
def test_pick_names_the_pair_and_the_reason_in_the_width(
    step: int, beat: Beat, width: int, sentences: list[str]
) -> None:
    rows = BpeExplainer(marks=False).pick_rows(moment(step, beat), width)
    assert said(rows)[: len(sentences)] == sentences
    assert len(rows) == max(2, len(sentences))
    assert all(spans_width(row.spans) <= width for row in rows[1:])


def test_the_pair_lights_up_then_joins_and_closes_up() -> None:
    explainer = BpeExplainer(marks=False)

    def text(beat: Beat, share: float = 1.0) -> str:
        return said(explainer.corpus_rows(moment(0, beat, share), CorpusPlace(0, 0), 1, 80))[0]

    assert text(Beat.PICK).endswith("n┊e┊w┊e┊s+t│⏎│")
    picked = explainer.corpus_rows(moment(0, Beat.PICK), CorpusPlace(0, 0), 1, 80)[0]
    assert {text for text, role in picked.spans if role == "joining"} == {"s", "t"}
    assert text(Beat.LIGHT).endswith("n┊e┊w┊e┊s+t│⏎│")
    assert text(Beat.JOIN, 0.0).endswith("n┊e┊w┊e┊s┊t│⏎│")
    assert text(Beat.JOIN, 0.5).endswith("n┊e┊w┊e┊st│⏎│")


@pytest.mark.parametrize("step", range(12))
@pytest.mark.parametrize("width", [20, 33, 80])
def test_a_join_moves_only_the_rest_of_its_row(step: int, width: int) -> None:
    """Each row keeps its words at every step."""
    explainer = BpeExplainer(marks=False)

    def words(beat: Beat, share: float = 1.0) -> list[str]:
        rows = said(explainer.corpus_rows(moment(step, beat, share), CorpusPlace(0, 0), 9, width))
        signs = str.maketrans("", "", "┊+ ")
        return [row.translate(signs) for row in rows]

    assert words(Beat.PICK) == words(Beat.LIGHT) == words(Beat.JOIN, 0.1) == words(Beat.REST)


def test_numbers_never_animate_and_bars_end_at_their_resting_length() -> None:
    explainer, frames = BpeExplainer(marks=False), [share / 20 for share in range(20)]
    room = CountRoom(rows=40, width=70, name=10)  # for all pairs
    before = said(explainer.count_rows(moment(1, Beat.LIGHT), room))
    after = said(explainer.count_rows(moment(1, Beat.REST), room))

    def numbers(rows: list[str]) -> set[tuple[str, str]]:
        return {tuple(row.strip("▶= ").split()[:2]) for row in rows}  # type: ignore[misc]

    known = numbers(before) | numbers(after)
    gone = {(pair, "0") for pair, _ in numbers(before) - numbers(after)}
    for share in frames:
        rows = said(explainer.count_rows(moment(1, Beat.JOIN, share), room))
        assert numbers(rows) <= known | gone
    assert said(explainer.count_rows(moment(1, Beat.JOIN, 0.0), room)) == before


@pytest.mark.parametrize("step", range(1, 8))
def test_bars_and_their_rows_move_from_the_old_counts_to_the_new(step: int) -> None:
    explainer, room = BpeExplainer(marks=False), CountRoom(rows=40, width=70, name=10)

    def drawn(beat: Beat, share: float = 1.0) -> dict[str, tuple[int, int]]:
        """Return the row of each pair, and the half cells of its bar."""
        rows = said(explainer.count_rows(moment(step, beat, share), room))
        pairs = [row.strip("▶= ").split()[0] for row in rows]
        halves = (2 * row.count("▄") + row.count("▖") for row in rows)
        return {pair: (at, each) for at, (pair, each) in enumerate(zip(pairs, halves, strict=True))}

    way = [drawn(Beat.JOIN, share / 20) for share in range(21)]
    ends = drawn(Beat.LIGHT), drawn(Beat.REST)
    for pair in ends[0].keys() & ends[1].keys():
        assert (way[0][pair], way[-1][pair]) == (ends[0][pair], ends[1][pair])
        assert drawn(Beat.JOIN, JOINED_AT)[pair] == ends[0][pair]
        assert drawn(Beat.JOIN, SHRUNK_AT)[pair] == (ends[0][pair][0], ends[1][pair][1])
        lengths = [each[pair][1] for each in way]
        assert lengths == sorted(lengths, reverse=lengths[0] > lengths[-1])


def test_a_moment_looks_the_same_after_any_way_there() -> None:
    first, second = BpeExplainer(marks=False), BpeExplainer(marks=False)
    for share in (0.9, 0.5):
        first.count_rows(moment(3, Beat.JOIN, share), ROOM)
    there = moment(3, Beat.JOIN, 0.5)
    assert first.count_rows(there, ROOM) == second.count_rows(there, ROOM)


def test_wordpiece_shows_scores_with_their_fractions() -> None:
    trainer = WordPieceTrainer({b"hug": 10, b"pug": 5, b"pun": 12, b"bun": 4, b"hugs": 5}, 40)
    timeline = WordPieceTimeline(trainer.record, trainer.steps())
    frame, explainer = timeline.frame, WordPieceExplainer(marks=False)
    there = StepMoment(frame, frame.at(1), Beat.PICK)
    top = frame.top_pairs(1)[0]
    assert str(top.score) in said(explainer.count_rows(there, ROOM))[0]
    assert said(explainer.pick_rows(there, 90))[0].endswith(f", {top.score} = 0.05.")
    lit = explainer.replace_rows(StepMoment(frame, frame.at(1), Beat.LIGHT), 2, 70)
    assert said(lit)[0].startswith("Here it is: ##g+##s")


def test_wordpiece_says_that_rare_pairs_are_left_out_when_none_merges() -> None:
    trainer = WordPieceTrainer({b"hug": 10, b"pun": 1}, 400, min_count=2)
    timeline = WordPieceTimeline(trainer.record, trainer.steps())
    timeline.complete()
    frame = timeline.frame.at(timeline.frame.recorded_steps)
    [row] = said(WordPieceExplainer(marks=False).count_rows(StepMoment.at_rest(frame), ROOM))
    assert row.strip() == "No pair is left that occurs 2 times or more (--min-count)."


@pytest.mark.parametrize("width", [47, 60, 80])
def test_beside_fractions_pairs_have_the_room_that_bars_leave(width: int) -> None:
    columns = BarColumns.within(CountRoom(5, width, 10), fraction=18, number=9)
    left = width - columns.pair - columns.fraction - columns.number - 6
    assert left >= REMARK + BAR_BESIDE_FRACTION or left == -2  # no bar, nor blanks before it
    assert columns.pair >= len("##in+##g")


@pytest.fixture(scope="module")
def stories() -> Frame:
    counts = count_pretokens(STORIES, special_tokens=["<|endoftext|>"])
    trainer = Trainer(counts, 262, special_tokens=["<|endoftext|>"])
    timeline = Timeline(counts, trainer.steps(), record=trainer.record)
    timeline.complete()
    return timeline.frame


def test_at_rest_the_counts_of_a_made_merge_keep_its_pair(stories: Frame) -> None:
    explainer, there = BpeExplainer(marks=False), StepMoment(stories.at(2), stories.at(3))
    made = StepMoment(there.before, there.after, Beat.LIGHT)

    def counts(of: StepMoment[Any], rows: int) -> list[list[str]]:
        room = CountRoom(rows, width=70, name=10)
        return [row.split() for row in said(explainer.count_rows(of, room))]

    picked, second = counts(made, 2)
    assert (picked[:3], picked[-1]) == (["▶", "·+a", "3,258"], "picked")
    assert second[:2] == ["·+s", "2,649"]
    following = counts(there, 3)
    assert [row[:2] for row in following] == [
        ["·+s", "2,649"],
        ["·+w", "2,289"],
        ["·t+he", "2,237"],
    ]
    replaced = said(explainer.replace_rows(there, 2, 80))[0].split("  ")
    assert replaced[:2] == ["· + a → ·a", "token 259"]
    assert replaced[-1].strip() == "3,258 places in 59 different pretokens"


@pytest.mark.parametrize("width", [40, 61, 100])
def test_a_long_word_before_and_after_a_step_takes_the_width_and_no_more(width: int) -> None:
    word = [("hugs" * 30, "")]
    (row,) = word_rows([1234], [(word, word)], width, shows_after=True)
    assert width - 2 <= spans_width(row.spans) <= width


def test_unigram_shows_removed_pieces_and_their_replacements() -> None:
    words = {"hugs": 20, "hug": 10, "▁pug": 5, "▁hugs": 5, "bun": 4, "▁buns": 3}
    trainer = UnigramTrainer(words, 12)
    steps = list(trainer.steps())
    excerpt = Excerpt.of(b"hugs hug pug hugs bun buns")
    frame = UnigramTimeline(trainer.record, steps, words=words, excerpt=excerpt).frame
    before = frame.at(frame.prunes[0] - 1)
    there = StepMoment(before, before.at(before.step + 1), Beat.LIGHT)
    explainer = UnigramExplainer(marks=False)
    ahead = StepMoment(before.at(before.step - 1), before, Beat.REST)
    assert said(explainer.count_rows(ahead, replace(ROOM, rows=1))) == [
        "Weighing the pieces that stay …"
    ]
    for _ in explainer.weigh(before) or ():
        pass
    assert explainer.stations(before) == ("COST", "PICK", "PRUNE")
    stay = [
        "▁buns    → ▁┊bun┊s     +0.3202  ▄▄▄▄▄▄▄▄▄▖ stays",
        "hugs     → hug┊s      +0.4928  ▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄ stays",
        "▁pug     → ▁┊p┊u┊g      +0.8330  ▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄ stays",
    ]
    for beat, share, shrunk in (
        (Beat.LIGHT, 1.0, "▄▄▖"),
        (Beat.JOIN, (JOINED_AT + SHRUNK_AT) / 2, "▄▖┄"),
        (Beat.JOIN, 1.0, "┄┄┄"),
    ):
        here = StepMoment(before, there.after, beat, share)
        assert said(explainer.count_rows(here, ROOM)) == [
            f"✗ ▁hugs    → ▁┊hugs     +0.0887  {shrunk} goes",
            *stay,
        ]
    assert said(explainer.count_rows(StepMoment(before, there.after, Beat.REST), ROOM)) == [
        "hugs       25.0  ▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▖",
        "hug        10.0  ▄▄▄▄▄▄▄▄▄▄▄▄▄▖",
        "▁          5.00  ▄▄▄▄▄▄▖",
        "▁pug       5.00  ▄▄▄▄▄▄▖",
    ]
    assert said(explainer.pick_rows(there, 70)) == [
        "1 of 14 pieces go: those whose loss costs least.",
        "The dearest of them, ▁hugs, raises the loss by 0.0887.",
    ]
    going = {before.record.texts[number] for number in before.leaving}
    struck = [
        span for row in explainer.corpus_rows(there, CorpusPlace(0, 0), 3, 70) for span in row.spans
    ]
    assert {text for text, role in struck if role == "stale"} <= going == {"▁hugs"}
    assert said(list(_cost_rows(before, before.record.texts.index("▁hugs"), 70)))[1:] == [
        "5 of 47 tokens are it: log P −2.24",
        "2 tokens in its place: log P −3.07",
        "5 ÷ 47 pretokens × 0.83 = +0.088666 nats",
    ]
    assert said(explainer.replace_rows(there, 2, 70)) == [
        "✗ ▁hugs",
        "Others replace them:",
        "5  ▁hugs → ▁┊hugs",
    ]
    assert explainer.place_to_show(before, CorpusPlace(0, 3), 5, 70) == CorpusPlace(0, 3)


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
    painted: list[tuple[Region, ...]] = []
    monkeypatch.setattr(Widget, "screen", SimpleNamespace(size=Size(36, 9)))
    monkeypatch.setattr(Widget, "size", Size(36, 3))
    monkeypatch.setattr(LessonSection, "refresh", lambda section, *where: painted.append(where))
    section = LessonSection("count")
    section.rail, section.label, section.caption = RAILS["pick"], "2 PICK", "merge 1,234,567"
    section.margin, section.height = 16, 3
    rows = [Row([("e+s 9", "strong")], "target"), Row([("nineteen characters", "")])]
    shown = []
    for is_lit, is_short in ((True, False), (False, False), (False, True)):
        section.is_short = is_short
        changed = section.show(rows, is_lit)
        texts = ["".join(text for text, _ in row.spans).rstrip() for row in section._rows]
        shown.append((changed, texts, [role for _, role in section._rows[0].spans]))
    cut = "nineteen characte…"
    long = [" ├─▶ 2 PICK     e+s 9", f" │   merge 1,23…{cut}", " │"]
    dark = [" │   2 PICK     e+s 9", *long[1:]]
    short = [" │ 2 PICK       e+s 9", f" │ merge 1,234,…{cut}", " │"]
    roles = ["border", "border", "dim", "", "strong"]
    assert shown == [
        (3, long, ["border", "pair", "pair", "", "strong"]),
        (1, dark, roles),
        (3, short, roles),
    ]
    assert painted[1] == (Region(0, 0, 36, 1),)
    assert [row.target for row in section._rows] == ["target", None, None]
    assert [role for _, role in section._rows[1].spans] == ["border", "dim", "", "", ""]
