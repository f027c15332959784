"""The screens of Unigram, driven by keys."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from math import inf
from pathlib import Path

import pytest
from edges import text_of
from opening import ended_by_failure, opened, step, until
from screen_text import drawn
from textual.pilot import Pilot
from textual.widgets import Static, TextArea
from unigram_texts import corpus as corpus
from unigram_texts import frame_of, settled

from bpe_tui.app.app import BpeTuiApp
from bpe_tui.app.session_app import PLACES
from bpe_tui.panels.charts import ChartPanel
from bpe_tui.session.config import RunConfig
from bpe_tui.session.models import MODELS
from bpe_tui.shell.commands import commands_on
from bpe_tui.shell.targets import ToPiece
from bpe_tui.unigram.encoding_screen import (
    ArrivalsPanel,
    LatticeDrawing,
    LatticePanel,
    UnigramEncodingScreen,
    UnigramTextPretokens,
    Walkthrough,
    _arrival_rows,
    lanes_of,
)
from bpe_tui.unigram.narration import cost_text, count_text, probability_text, score_text
from bpe_tui.unigram.piece_table import PieceDetailPanel, PieceLanesPanel, PieceRows
from bpe_tui.unigram.summary_screens import UnigramVocabularyScreen
from bpe_tui.unigram.training_screen import (
    PiecesOfText,
    StepPanel,
    UnigramTrainingScreen,
)
from bpe_tui.widgets.controls import Scrubber, Switches
from bpe_tui.widgets.visible import width
from engine.analysis.inspection import PIECE_FILTERS
from engine.core.events import finished
from engine.unigram.frame import UnigramFrame, UnigramTimeline
from engine.unigram.lattice import Reached
from engine.unigram.pieces import spelled_counts
from engine.unigram.record import EmStep, PruneStep
from engine.unigram.textbook import TextbookTrainer
from engine.unigram.trainer import UnigramTrainer


async def test_the_same_keys_play_it_as_play_merges_and_t_goes_from_prune_to_prune(
    corpus: Path,
) -> None:
    async with opened(corpus, vocab_size=24, model="unigram") as (app, pilot):
        prunes = list(frame_of(app).prunes)
        assert prunes
        await pilot.press("n")
        assert step(app) == prunes[0]
        assert isinstance(frame_of(app).came_by, PruneStep)
        assert list(app.screen.query_one(Scrubber).marks[0].positions) == prunes
        await pilot.press("end", "t", "T")
        assert step(app) == max((p for p in prunes if p < frame_of(app).recorded_steps), default=0)
        app.seek(0)
        assert isinstance(app.screen, UnigramTrainingScreen)
        await pilot.press("right", "l", "h")
        assert step(app) == 1
        await pilot.press("end")
        assert step(app) == frame_of(app).recorded_steps
        await pilot.press("home", "g", "2", "enter")
        assert step(app) == 2
        await pilot.press("home", "plus", "plus", "plus", "space")
        await until(pilot, lambda: step(app) > 0)


async def test_a_typed_text_is_cut_with_the_pieces_of_the_step_and_enter_leads_on(
    corpus: Path,
) -> None:
    async with opened(corpus, vocab_size=24, model="unigram") as (app, pilot):
        await pilot.press("end", "e", "ctrl+u", *"hugs", "space", *"Qz")
        shown = text_of(app.screen.query_one(PiecesOfText))
        assert "Q" in shown[0]
        assert "Step" in str(app.screen.query_one("#narration", Static).content)
        await pilot.press("enter")
        assert app.screen.id == "unigram-encoding"


async def test_a_row_of_em_shows_its_arithmetic_and_leads_to_the_piece(corpus: Path) -> None:
    async with opened(corpus, vocab_size=24, model="unigram") as (app, pilot):
        await pilot.press("right")
        app.screen.query_one(StepPanel).focus()
        panel, frame = app.screen.query_one(StepPanel), frame_of(app)
        assert isinstance(frame.came_by, EmStep)
        await pilot.press(*["down"] * 12)
        text_shown = " ".join(text_of(panel)[:9])
        target = panel.row(panel.cursor).target
        assert target is not None
        number = target.number  # type: ignore[attr-defined]
        index = frame.index_of(number)
        if index is not None:
            assert f"= {score_text(float(frame.scores[index]), 3)}" in text_shown
        assert "ψ(" in text_shown
        await pilot.press("enter")
        rows = app.screen.query_one(PieceRows)
        assert (rows.has_focus, rows.token) == (True, number)


async def test_a_vocabulary_too_small_for_the_characters_is_an_error_in_words(corpus: Path) -> None:
    app = await ended_by_failure(RunConfig(str(corpus), vocab_size=5, model="unigram"))
    assert "too small" in str(app.failure)


def test_numbers_have_few_digits() -> None:
    counts = map(count_text, (0.0, 9.994, 10.0, 1204.31))
    assert [*counts] == ["0.00", "9.99", "10.0", "1,204.3"]
    assert [cost_text(cost) for cost in (0.0, 0.0001, 0.00009, -0.5)] == [
        *("0.0000", "0.0001", "9.0×10⁻⁵", "−0.5000")
    ]
    values = (-0.0001, 0.0, -0.0006, -inf, inf)
    assert [score_text(value, 3) for value in values] == ["0.000", "0.000", "−0.001", "−∞", "∞"]
    assert [probability_text(p) for p in (0.5, 0.02304, 0.0, 1e-9)] == [
        "50.0%",
        "2.304%",
        "0%",
        "10⁻⁷%",
    ]


@pytest.mark.parametrize("screen", [UnigramTrainingScreen, UnigramEncodingScreen])
def test_every_command_works_or_says_why_not(
    screen: type[UnigramTrainingScreen | UnigramEncodingScreen],
) -> None:
    name = screen().id or ""
    for command in commands_on(name):
        where, _, action = command.action.partition(".")
        done_by: type = screen if where == "screen" else BpeTuiApp
        assert hasattr(done_by, f"action_{action.partition('(')[0]}"), command.action
        if where == "screen" and action.startswith("show("):
            assert action[6:-2] in screen.PANEL_ORDER, command.action
        elif action.startswith("show("):
            assert MODELS["unigram"].screen(action[6:-2]) in PLACES, command.action


@asynccontextmanager
async def vocabulary(corpus: Path) -> AsyncIterator[tuple[BpeTuiApp, Pilot[int], PieceRows]]:
    """Open the vocabulary screen before the first prune."""
    async with opened(corpus, vocab_size=24, model="unigram") as (app, pilot):
        await pilot.press("n", "left", "3")
        assert isinstance(app.screen, UnigramVocabularyScreen)
        yield app, pilot, app.screen.query_one(PieceRows)


async def test_the_table_shows_the_step_that_removes_each_piece_and_at_the_last_that_none_goes(
    corpus: Path,
) -> None:
    async with vocabulary(corpus) as (app, pilot, rows):
        frame = frame_of(app)
        assert rows.row_count == frame.size
        first = rows.token
        await pilot.press("enter")
        assert app.screen.id == "unigram-encoding"
        await pilot.press("backspace", "C")
        assert rows.token == first
        while rows.sorting != "goes at step":
            await pilot.press("c")
        prune = frame.step + 1
        text_shown = text_of(rows)
        assert sum(row.rstrip().endswith(f" {prune}, prune") for row in text_shown) == len(
            frame.leaving
        )
        assert text_shown[-1].rstrip().endswith("stays")
        await pilot.press("greater_than_sign", "F", "d")
        assert text_of(rows) == [f"None goes next: step {step(app)} is the last."]
        assert rows.why_none(frame) == "No piece is left: change the search or the filters."
        detail = app.screen.query_one(PieceDetailPanel)
        await until(pilot, lambda: str(detail.border_title) == "piece")


async def test_filters_keep_the_matching_pieces(corpus: Path) -> None:
    async with vocabulary(corpus) as (app, pilot, rows):
        for key, name in (("p", "characters"), ("u", "seldom"), ("d", "leaving")):
            await pilot.press("F", key)
            assert app.screen.query_one(Switches).on == {name}
            kept = int(PIECE_FILTERS[name](frame_of(app)).sum())
            assert rows.row_count == max(kept, 1)
            await pilot.press("F", key)
            assert rows.row_count == frame_of(app).size


@pytest.mark.slow
async def test_enter_on_a_part_of_the_replacement_goes_there_and_back(corpus: Path) -> None:
    async with vocabulary(corpus) as (app, pilot, rows):
        await pilot.press("F", "d")
        await settled(pilot)
        await pilot.press("F", "d")
        await pilot.press("F", "d")
        before = rows.token
        panel = app.screen.query_one(PieceDetailPanel)
        app.screen.set_focus(panel)
        targets = [panel.row(place).target for place in range(panel.row_count)]
        panel.cursor = next(place for place, to in enumerate(targets) if to is not None)
        target = targets[panel.cursor]
        assert isinstance(target, ToPiece)
        await pilot.press("enter")
        assert rows.token == target.number
        assert app.screen.query_one(Switches).on == frozenset()  # it had hidden that piece
        await pilot.press("backspace")
        assert rows.token == before


@pytest.mark.slow
async def test_a_corpus_without_pretokens_has_empty_charts_and_lists(tmp_path: Path) -> None:
    corpus = tmp_path / "special.txt"
    corpus.write_text("<|endoftext|>")
    async with opened(corpus, vocab_size=24, model="unigram") as (app, pilot):
        await pilot.press("4")
        assert "No step is recorded" in drawn(app.screen.query_one("#loss", ChartPanel))
        assert "no pretokens" in drawn(app.screen.query_one("#zipf", ChartPanel))
        for key, screen in (("3", "unigram-vocabulary"), ("5", "unigram-inspection")):
            await pilot.press(key)
            assert app.screen.id == screen


@pytest.mark.slow
async def test_the_costs_of_removals_change_with_the_step(corpus: Path) -> None:
    async with vocabulary(corpus) as (app, pilot, _):
        last, first = "greater_than_sign", "less_than_sign"
        costs = []
        for key in (last, first, last):  # the last time both are known
            await pilot.press(key)
            await settled(pilot)
            found = frame_of(app).known_removals
            assert found is not None
            costs.append(found.loss_increases.tolist())
            assert costs[-1] == finished(frame_of(app).removals()).loss_increases.tolist()
        assert costs[0] == costs[2] != costs[1]


@pytest.fixture(scope="module")
def timeline() -> UnigramTimeline:
    words = spelled_counts({b" hugs": 10, b" hug": 9, b" bugs": 6, b" pun": 4, b" shrug": 2})
    trainer = UnigramTrainer(words, 16)
    events = list(trainer.steps())
    return UnigramTimeline(trainer.record, events, words=words)


def seed_of(counts: dict[str, int], longest: int = 2) -> UnigramFrame:
    """Return a seed of all pieces up to a length, each with the probability of its count."""
    trainer = TextbookTrainer(counts, 4, units="characters", ngram=longest)
    steps = list(trainer.steps())
    return UnigramTimeline(trainer.record, steps, words=counts).frame.at(0)


def rows_of(walk: Walkthrough, place: int, cells: int = 118) -> list[str]:
    return [
        "".join(text for text, _ in row.spans) for row in LatticeDrawing(walk, place, cells).rows()
    ]


# -- the lattice, without a screen


def test_a_long_pretoken_is_seen_through_a_window_that_follows(timeline: UnigramTimeline) -> None:
    walk = Walkthrough(timeline.seek(0), "▁hugs" * 8)
    for place in range(len(walk.steps) + 1):
        rows = rows_of(walk, place, cells=60)
        assert all(width(row) <= 60 for row in rows)
        assert str(walk.node(place)) in rows[0].split()


def test_wide_and_hostile_characters_keep_the_columns(timeline: UnigramTimeline) -> None:
    walk = Walkthrough(timeline.seek(0), "▁漢\u200d\x1b\udcff🙂s")
    assert rows_of(walk, 0)[1] == "│  ▁   │  漢  │‹200D›│  ␛   │ <FF> │  🙂  │  s   │"


@pytest.mark.parametrize(
    ("cells", "rows"),
    [
        (16, ["0      1      2", "│  漢  │  x   │", "   −1.04       ", " ╎ 漢x −1.22 ╎"]),
        (15, ["1      2", "│  x   │", "        ", " …−1.2╎"]),  # a character before it is outside
        (8, ["1      2", "│  x   │", "        ", " …−1.2╎"]),  # never less than a character
    ],
)
def test_the_window_is_as_wide_as_fits_and_a_bar_names_its_piece_if_it_just_fits(
    cells: int, rows: list[str]
) -> None:
    walk = Walkthrough(seed_of({"漢x": 5, "漢": 1, "x": 1}), "漢x")
    assert rows_of(walk, 1, cells)[:4] == rows


@pytest.mark.parametrize(
    ("counts", "lanes"),
    [
        # The best path, single characters with what fits before them, then longer pieces.
        ({"a": 5, "b": 5, "cd": 3, "ab": 1, "bc": 1}, ["a b cd", "ab c d", "bc"]),
        (
            {"a": 5, "b": 5, "cd": 3, "ab": 1, "abc": 1, "bcd": 1},
            ["ab cd", "a b c d", "bc", "abc", "bcd"],
        ),
    ],
)
def test_pieces_share_a_lane_if_they_do_not_overlap(
    counts: dict[str, int], lanes: list[str]
) -> None:
    found = lanes_of(Walkthrough(seed_of(counts, max(map(len, counts))), "abcd"))
    assert [" ".join("abcd"[edge.start : edge.end] for edge in lane) for lane in found] == lanes


def test_each_arrival_is_kept_or_tells_by_how_much_it_loses() -> None:
    rows = []
    for more in (2, 1):  # 1/6 is 2/6 × 3/6, and 1/5 is more than 2/5 × 2/5
        walk = Walkthrough(seed_of({"ab": 1, "a": 1, "b": more}), "ab")
        step = walk.steps[1]
        assert isinstance(step, Reached)
        rows += [row.spans for row in _arrival_rows(walk, step, 40)]
    assert ["".join(text for text, _ in spans).rstrip() for spans in rows] == [
        "Node 2: 2 pieces end here",
        "▸ ab    0:     0.00 − 1.79 = −1.79    kept",
        "  b     1:    −1.10 − 0.69 = −1.79     tie",
        "Node 2: 2 pieces end here",
        "▸ ab    0:     0.00 − 1.61 = −1.61    kept",
        "  b     1:    −0.92 − 0.92 = −1.83   −0.22",
    ]


# -- the screen


async def test_space_plays_until_another_pretoken_is_chosen_and_a_step_has_its_own_lattice(
    corpus: Path,
) -> None:
    async with opened(corpus, vocab_size=24, model="unigram") as (app, pilot):
        await pilot.press("end", "2", "e", "ctrl+u", *"hugs", "space", *"pun", "escape")
        screen = app.screen
        assert isinstance(screen, UnigramEncodingScreen)
        panel = screen.query_one(ArrivalsPanel)
        await pilot.press("space")
        await until(pilot, lambda: "Node" in text_of(panel)[0])
        await pilot.press("up", "down", "up")
        assert "best path" in text_of(panel)[0]
        assert not screen._playing
        before = len(text_of(screen.query_one(LatticePanel)))
        app.seek(0)
        await pilot.pause()
        assert len(text_of(screen.query_one(LatticePanel))) > before


async def test_unknown_characters_count_as_one_and_lanes_have_ids_for_them_and_specials(
    corpus: Path,
) -> None:
    async with opened(corpus, vocab_size=24, model="unigram") as (app, pilot):
        await pilot.press("2")
        field = app.screen.query_one(TextArea)
        field.load_text("漢字")
        await pilot.pause()
        (row,) = text_of(app.screen.query_one(UnigramTextPretokens))
        assert row.split()[:3] == ["❯", "漢字", "1"]
        assert "side by side are one <unk>" in str(field.border_subtitle)
        await pilot.press("2")
        app.screen.query_one(TextArea).load_text("漢字<|endoftext|>")
        await pilot.press("escape", "a")
        rows = text_of(app.screen.query_one(PieceLanesPanel))
        assert rows[-1].split() == ["ids", "0", "1"]
        tokens, field = app.screen.query_one(PiecesOfText), app.screen.query_one(TextArea)
        for pieces, title in ((500, "tokens  500"), (501, "tokens  500+")):
            field.load_text("u" * pieces)
            await until(pilot, lambda: tokens.border_title == title)  # noqa: B023
