"""The sentences of a WordPiece merge, where they compare it with BPE's choice."""

from __future__ import annotations

from bpe_tui.wordpiece.narration import describe_left_out, explain_merge
from engine.wordpiece.frame import WordPieceTimeline
from engine.wordpiece.trainer import WordPieceTrainer


def test_a_winner_that_is_the_most_frequent_is_called_so() -> None:
    trainer = WordPieceTrainer({b"ab": 3}, 9)
    frame = WordPieceTimeline(trainer.record, trainer.steps()).forward()
    assert "the same pair" in list(explain_merge(frame))[-1]


def test_of_several_pairs_that_the_minimum_leaves_out_the_best_is_named() -> None:
    found = []
    for rare in ({b"cd": 1}, {b"cd": 1, b"ef": 1}):
        trainer = WordPieceTrainer({b"aab": 3} | rare, 20, min_count=2)
        found.append(describe_left_out(WordPieceTimeline(trainer.record, trainer.steps()).frame))
    assert found == [
        "The minimum (--min-count 2) leaves out 1 rarer pair: “c” and “##d”, 1 / (1 × 1) = 1.",
        "The minimum (--min-count 2) leaves out 2 rarer pairs; the best of them, “c” and “##d”, "
        "1 / (1 × 1) = 1.",
    ]


def test_a_frequent_pair_of_frequent_pieces_is_hardly_more_frequent_than_by_chance() -> None:
    counts = {"我是": 6, "我的": 6, "他是": 6, "葡萄": 2}
    trainer = WordPieceTrainer({word.encode(): n for word, n in counts.items()}, 20)
    frame = WordPieceTimeline(trainer.record, trainer.steps()).forward()
    assert list(explain_merge(frame))[-1] == (
        "By count alone, as BPE chooses, “我” and “##的” would have merged, 6 / (12 × 6) = 0.0833. "
        "But “我” and “##的” are frequent anyway: its score is 6 times lower. It occurs 6.67 times "
        "as often as by chance, the pair that merged 40 times."
    )
