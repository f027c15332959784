"""The view of the trainer `linked` in sentences: places touched, neighbours, lists, bigrams."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

from bpe_tui.bpe.linked_view import describe_none_left_out
from bpe_tui.bpe.transcript import BpeTranscript
from engine import StopReason, Timeline, Trainer, count_pretokens

SAMPLE = Path(__file__).parents[3] / "samples" / "we_and_they.txt"


def test_the_transcript_has_the_same_facts() -> None:
    counts = count_pretokens(SAMPLE, pattern="whitespace")
    trainer = Trainer(counts, 100, algorithm="linked", units="characters")
    timeline = Timeline(trainer.counts, trainer.steps(), record=trainer.record)
    transcript = BpeTranscript(timeline, StopReason.SIZE_REACHED)
    assert "Step 0: every character is a node of its list." in transcript.answer("linked 1")
    list(transcript.answer("next"))
    assert [each.translate({8220: "", 8221: ""}) for each in transcript.answer("linked 1")] == [
        "Merge 1, 我 and 们: 10 of 120 places touched.",
        "Out: 们 and 的, 3; in: 我们 and 的, 3.",
        "And 11 neighbours more.",
        "List of pretoken 1: [我们]✗们⇄[的]⇄[花]⇄[园]⇄[在]⇄[河]⇄[边]⇄[。]",
        "Best: 他 and 们, 9 times, at 3:1, 5:1, 6:8, ….",
        "Active: 73 bigrams.",
        "Active: 花 and 园, 4 times, at 1:4, 3:4, 4:4, ….",
        "Inactive: none, as up to 1,000 are all active.",
    ]
    answer = list(transcript.answer("linked 12"))  # as many as there are neighbours
    assert not any(each.startswith("And ") for each in answer)
    assert sum(each.startswith("List of ") for each in answer) == 3  # the most
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


def test_none_is_inactive_up_to_a_thousand_or_as_none_was_left_out() -> None:
    lists: list[Any] = [SimpleNamespace(active=n, refreshed_at=7) for n in (1000, 1001)]
    assert [describe_none_left_out(each) for each in lists] == [
        "none, as up to 1,000 are all active",
        "none was left out at step 7",
    ]


def test_a_text_without_spaces_is_counted_but_not_drawn() -> None:
    trainer = Trainer({b"ab" * 20_000: 1}, 258)
    timeline = Timeline(trainer.counts, trainer.steps(), record=trainer.record)
    transcript = BpeTranscript(timeline, StopReason.SIZE_REACHED)
    list(transcript.answer("next"))
    assert [each.translate({8220: "", 8221: ""}) for each in transcript.answer("linked")] == [
        "Merge 1, a and b: 1 pretoken touched.",
        "Out: b and a, 19,999; in: ab and ab, 19,999.",
        "A pretoken of more than 32,768 bytes is not drawn.",
        "Best: ab and ab, 19,999 times.",
        "Active: none besides the best one.",
        "Inactive: none, as up to 1,000 are all active.",
    ]
