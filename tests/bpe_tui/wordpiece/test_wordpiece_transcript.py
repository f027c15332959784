"""The transcript of a WordPiece training: a line in, sentences out."""

from __future__ import annotations

import pytest

from bpe_tui.wordpiece.narration import explain_merge, narrate_tie
from bpe_tui.wordpiece.transcript import WordPieceTranscript
from engine import StopReason
from engine.wordpiece.frame import WordPieceTimeline
from engine.wordpiece.trainer import WordPieceTrainer

COURSE = {b"hug": 10, b"pug": 5, b"pun": 12, b"bun": 4, b"hugs": 5}


@pytest.fixture
def transcript() -> WordPieceTranscript:
    trainer = WordPieceTrainer(COURSE, 20)
    timeline = WordPieceTimeline(trainer.record, trainer.steps())
    timeline.complete()
    return WordPieceTranscript(timeline, StopReason.SIZE_REACHED)


def answers(transcript: WordPieceTranscript, *lines: str) -> list[str]:
    """Return the answer to the last line."""
    return [list(transcript.answer(line)) for line in lines][-1]


def test_why_computes_the_score_and_names_the_choice_of_bpe(
    transcript: WordPieceTranscript,
) -> None:
    first, pmi, tie, by_count = answers(transcript, "next", "why")
    assert first == (
        "The pair ##g and ##s occurred 5 times; ##g occurred 20 times, ##s 5 times. "
        "Its score is 5 / (20 × 5) = 0.05."
    )
    assert pmi == (
        "P(ab) / (P(a) × P(b)) is the score times 113² / 77, pieces and pairs in the corpus: 8.29. "
        "Its logarithm, 3.05 bits, is the pointwise mutual information (PMI); a logarithm changes "
        "no order."
    )
    assert tie == "No other pair had so high a score."
    assert by_count.startswith(
        "By count alone, as BPE chooses, ##u and ##g would have merged, 20 / (36 × 20)"
    )


def test_every_tied_step_is_found_and_its_rivals_are_named(
    transcript: WordPieceTranscript,
) -> None:
    found = []
    while not answers(transcript, "tie")[0].startswith("No merge after"):
        found.append(transcript.frame.step)
        assert narrate_tie(transcript.frame).startswith("The same score had")
    assert found == list(transcript.frame.tied_steps)


def test_a_winner_that_is_the_most_frequent_is_called_so() -> None:
    trainer = WordPieceTrainer({b"ab": 3}, 9)
    frame = WordPieceTimeline(trainer.record, trainer.steps()).forward()
    assert "the same pair" in list(explain_merge(frame))[-1]


def test_pairs_are_listed_from_the_highest_score_and_a_merge_with_its_counts(
    transcript: WordPieceTranscript,
) -> None:
    assert answers(transcript, "pairs 1") == ["1. ##g and ##s, 5 / (20 × 5) = 0.05; PMI 3.05."]
    answer = answers(transcript, "next", "merge")
    assert "The pretoken hugs, 5 times, is h, ##u, ##gs now." in answer
    assert "The count of the piece ##g went from 20 to 15." in answer
    assert "The count of ##g and ##s went from 5 to 0." in answer


def test_a_text_is_encoded_with_all_that_is_looked_up_and_unknown_words_are_named(
    transcript: WordPieceTranscript,
) -> None:
    pieces, _, unknown = answers(transcript, "next", "encode hugs x")
    assert pieces == "4 pieces for 2 pretokens: h, ##u, ##gs, [UNK]."
    assert unknown == (
        "x: no piece begins at its character 1, x; not even x is one. So the whole word is [UNK]."
    )
    answers(transcript, "back")
    assert answers(transcript, "next", "explain hugs") == [
        "hugs",
        "  hugs no, hug no, hu no, h yes (id 10)",
        "  ##ugs no, ##ug no, ##u yes (id 8)",
        "  ##gs yes (id 12)",
        "  h ##u ##gs = 10 8 12",
    ]


def test_pairs_that_the_minimum_leaves_out_are_named() -> None:
    trainer = WordPieceTrainer({b"aaaa": 1}, 9, min_count=2)
    timeline = WordPieceTimeline(trainer.record, trainer.steps())
    timeline.complete()
    transcript = WordPieceTranscript(timeline, StopReason.TOO_RARE)
    left_out = (
        "The minimum (--min-count 2) leaves out 1 rarer pair: a and ##a, 1 / (1 × 3) = 0.333."
    )
    assert transcript.start().startswith(
        "Step 0: 4 pieces of one character. The pair ##a and ##a has the highest score of the "
        "pairs that occur at least 2 times, 2 / (3 × 3)."
    )
    assert answers(transcript, "pairs") == [
        "1. ##a and ##a, 2 / (3 × 3) = 0.222; PMI 0.25.",
        left_out,
    ]
    merged, *_ = answers(transcript, "next")
    assert ", the highest of the pairs that occur at least 2 times; they are" in merged
    why = answers(transcript, "why")
    assert "No other pair that occurs at least 2 times had so high a score." in why
    assert left_out in why


def test_a_frequent_pair_of_frequent_pieces_is_hardly_more_frequent_than_by_chance() -> None:
    counts = {"我是": 6, "我的": 6, "他是": 6, "葡萄": 2}
    trainer = WordPieceTrainer({word.encode(): n for word, n in counts.items()}, 20)
    frame = WordPieceTimeline(trainer.record, trainer.steps()).forward()
    assert list(explain_merge(frame))[-1] == (
        "By count alone, as BPE chooses, 我 and ##的 would have merged, 6 / (12 × 6) = 0.0833. "
        "But 我 and ##的 are frequent anyway: its score is 6 times lower. It occurs 6.67 times as "
        "often as by chance, the pair that merged 40 times."
    )
