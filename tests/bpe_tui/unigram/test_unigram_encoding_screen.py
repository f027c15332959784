"""The encoding screen of Unigram, driven by keys, and the text of its rows."""

from __future__ import annotations

from pathlib import Path

import pytest
from edges import text_of
from opening import opened, until
from textual.widgets import Input, Static, TextArea
from unigram_texts import corpus as corpus
from unigram_texts import frame_of

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
from bpe_tui.unigram.piece_table import PieceLanesPanel
from bpe_tui.unigram.training_screen import PiecesOfText
from bpe_tui.widgets.visible import width
from engine.unigram.frame import UnigramFrame, UnigramTimeline
from engine.unigram.lattice import Reached
from engine.unigram.pieces import spelled_counts
from engine.unigram.textbook import TextbookTrainer
from engine.unigram.trainer import UnigramTrainer


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


def drawn(walk: Walkthrough, place: int, cells: int = 118) -> list[str]:
    return [
        "".join(text for text, _ in row.spans) for row in LatticeDrawing(walk, place, cells).rows()
    ]


# -- the lattice, without a screen


def test_a_long_pretoken_is_seen_through_a_window_that_follows(timeline: UnigramTimeline) -> None:
    walk = Walkthrough(timeline.seek(0), "▁hugs" * 8)
    for place in range(len(walk.steps) + 1):
        rows = drawn(walk, place, cells=60)
        assert all(width(row) <= 60 for row in rows)
        assert str(walk.node(place)) in rows[0].split()


def test_wide_and_hostile_characters_keep_the_columns(timeline: UnigramTimeline) -> None:
    walk = Walkthrough(timeline.seek(0), "▁漢\u200d\x1b\udcff🙂s")
    assert drawn(walk, 0)[1] == "│  ▁   │  漢  │‹200D›│  ␛   │ <FF> │  🙂  │  s   │"


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
    assert drawn(walk, 1, cells)[:4] == rows


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
        app.screen.query_one("#decode-input", Input).value = "1 9999"
        await pilot.pause()
        decoded = str(app.screen.query_one("#decoded", Static).content)
        assert decoded.startswith("<|endoftext|>‹9999?›")
        app.screen.query_one("#decode-input", Input).value = "2 3 4 5 6"
        await pilot.pause()
        of_the_seed = app.screen.query_one("#decoded", Static).content
        tokens, field = app.screen.query_one(PiecesOfText), app.screen.query_one(TextArea)
        for pieces, title in ((500, "tokens  500"), (501, "tokens  500+")):
            field.load_text("u" * pieces)
            await until(pilot, lambda: tokens.border_title == title)  # noqa: B023
        app.seek(frame_of(app).recorded_steps)  # the same ids are other pieces
        await pilot.pause()
        assert app.screen.query_one("#decoded", Static).content != of_the_seed
