"""The view of the trainer `linked` in sentences: places touched, neighbours, lists, bigrams."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from bpe_tui.bpe import linked_view
from bpe_tui.bpe.linked_view import (
    _merge_rows,
    _neighbour_rows,
    _Slice,
    describe_none_left_out,
    drawn_list,
)
from bpe_tui.bpe.transcript import BpeTranscript
from bpe_tui.views.panel import TokenPainter
from bpe_tui.views.wording import Wording
from bpe_tui.widgets.rows import Row, plain_text
from engine import StopReason, Timeline, Trainer, count_pretokens
from engine.bpe.linked_lists import Place


def said(rows: list[Row]) -> list[str]:
    return [plain_text(row.spans).rstrip() for row in rows]


SAMPLE = Path(__file__).parents[3] / "samples" / "we_and_they.txt"


def test_the_transcript_has_the_same_facts() -> None:
    counts = count_pretokens(SAMPLE, pattern="whitespace")
    trainer = Trainer(counts, 100, algorithm="linked", units="characters")
    timeline = Timeline(trainer.counts, trainer.steps(), record=trainer.record)
    transcript = BpeTranscript(timeline, StopReason.SIZE_REACHED)
    assert "Step 0: every character is a node of its list." in transcript.answer("linked 1")
    list(transcript.answer("next"))
    assert list(transcript.answer("linked 1")) == [
        "Merge 1, 我 and 们: 10 of 120 places touched.",
        "Out: 们 and 的, 3; in: 我们 and 的, 3.",
        "And 11 neighbours more.",
        "List of pretoken 1: [我们]✗们⇄[的]⇄[花]⇄[园]⇄[在]⇄[河]⇄[边]⇄[。]",
        "Best: 他 and 们, 9 times, at 3:1, 5:1, 6:8, ….",
        "Active: 73 bigrams.",
        "Active: 花 and 园, 4 times, at 1:4, 3:4, 4:4, ….",
        "Inactive: none, as up to 1,000 are all active.",
    ]
    lists = [each for each in transcript.answer("linked 9") if each.startswith("List of ")]
    assert len(lists) == 3  # the most
    trainer = Trainer({b"abab": 3, b"xab": 2}, 258)
    timeline = Timeline(trainer.counts, trainer.steps(), record=trainer.record)
    answer = list(BpeTranscript(timeline, StopReason.SIZE_REACHED).answer("linked 2"))
    assert answer[1:3] == [  # the first has two of the places
        "List of pretoken 1: [a]⇄[b]⇄[a]⇄[b]",
        "List of pretoken 2: [x]⇄[a]⇄[b]",
    ]
    assert list(transcript.answer("linked x")) == ["Say how many bigrams to list, like linked 10."]


def test_nothing_to_merge_and_no_corpus_have_sentences() -> None:
    for counts, said in (({b"a": 3, b"b": 1}, "No pair is left"), ({}, "No corpus is open")):
        trainer = Trainer(counts, 300)
        timeline = Timeline(trainer.counts, trainer.steps(), record=trainer.record)
        timeline.complete()
        answer = list(BpeTranscript(timeline, StopReason.NO_PAIR_LEFT).answer("linked"))
        assert answer[-1].startswith(said)


def test_a_long_list_is_drawn_around_the_merged_nodes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linked_view, "NODES_SHOWN", 4)
    word = b"abcdefghijklmnop"
    trainer = Trainer({word: 3, b"cd": 2}, 257)
    frame = Timeline(trainer.counts, trainer.steps(), record=trainer.record).seek(1)
    lists = frame.linked
    assert lists is not None
    parts = (drawn_list(frame, lists, Place(1, node, word), True) for node in (1, 5, 6, 7, 15, 16))
    assert ["".join(text for part in each for text, _ in part) for each in parts] == [
        "[a]⇄[b]⇄[«cd»]✗d⇄[e]…",
        "[a]⇄[b]⇄[«cd»]✗d⇄[e]…",
        "…⇄[«cd»]✗d⇄[e]⇄[f]⇄[g]…",
        "…⇄[e]⇄[f]⇄[g]⇄[h]…",
        "…⇄[m]⇄[n]⇄[o]⇄[p]",
        "…⇄[n]⇄[o]⇄[p]",
    ]
    rows = linked_view._list_rows(frame, lists, Place(12, 1, word), 24, 1, True)
    assert said(rows) == ["12: [a]⇄[b]⇄[«cd»]✗d⇄[e…"]


def test_the_pairs_that_went_are_beside_those_that_came_and_the_next_one_fits_or_is_below() -> None:
    drawn = []
    for counts in ({b"abab": 30, b"bab": 4}, {b"aaaa": 3, b"xaa": 2}):
        trainer = Trainer(counts, 257)
        timeline = Timeline(counts, trainer.steps(), record=trainer.record)
        timeline.complete()
        frame = timeline.frame.at(1)
        painter, lists = TokenPainter(frame, marks=True), frame.linked
        assert lists is not None
        drawn.append([said(_neighbour_rows(lists, painter, width, 2)) for width in (40, 25)])
        drawn.append(
            [said(_merge_rows(frame, lists, painter, cells, _Slice())) for cells in (36, 35)]
        )
    assert said(_neighbour_rows(lists, painter, 40, 1))[1:] == ["    and 1 neighbour more"]
    touched = "3 of 5 places touched"
    assert drawn == [
        [
            [
                "out b+a          −34 in «ab»+«ab»    +30",
                "                        b+«ab»        +4",
            ],
            ["out b+a   −34 in ab+ab +30", "                 b+ab   +4"],
        ],
        [[f"a + b → «ab»   {touched}"], ["a + b → «ab»", touched]],
        [
            [
                "out x+a           −2 in x+«aa»        +2",
                "    itself, overlap…    «aa»+«aa»     +3",
            ],
            ["out x+a   −2 in x+aa  +2", "    itself,…    aa+aa +3"],
        ],
        [[f"a + a → «aa»   {touched}"], ["a + a → «aa»", touched]],
    ]


def test_none_is_inactive_up_to_a_thousand_or_as_none_was_left_out() -> None:
    lists: list[Any] = [SimpleNamespace(active=n, refreshed_at=7) for n in (1000, 1001)]
    assert [describe_none_left_out(each, Wording()) for each in lists] == [
        "none, as up to 1,000 are all active",
        "none was left out at step 7",
    ]


def test_a_text_without_spaces_is_counted_but_not_drawn() -> None:
    trainer = Trainer({b"ab" * 20_000: 1}, 258)
    timeline = Timeline(trainer.counts, trainer.steps(), record=trainer.record)
    transcript = BpeTranscript(timeline, StopReason.SIZE_REACHED)
    list(transcript.answer("next"))
    assert list(transcript.answer("linked")) == [
        "Merge 1, a and b: 1 pretoken touched.",
        "Out: b and a, 19,999; in: ab and ab, 19,999.",
        "A pretoken of more than 32,768 bytes is not drawn.",
        "Best: ab and ab, 19,999 times.",
        "Active: none besides the best one.",
        "Inactive: none, as up to 1,000 are all active.",
    ]
