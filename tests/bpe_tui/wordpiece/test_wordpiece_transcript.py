"""The sentences of a WordPiece merge, where they compare it with BPE's choice."""

from __future__ import annotations

from bpe_tui.wordpiece.narration import explain_merge
from engine.wordpiece.frame import WordPieceTimeline
from engine.wordpiece.trainer import WordPieceTrainer


def test_a_winner_that_is_the_most_frequent_is_called_so() -> None:
    trainer = WordPieceTrainer({b"ab": 3}, 9)
    frame = WordPieceTimeline(trainer.record, trainer.steps()).forward()
    assert "the same pair" in list(explain_merge(frame))[-1]


def test_a_frequent_pair_of_frequent_pieces_is_hardly_more_frequent_than_by_chance() -> None:
    counts = {"我是": 6, "我的": 6, "他是": 6, "葡萄": 2}
    trainer = WordPieceTrainer({word.encode(): n for word, n in counts.items()}, 20)
    frame = WordPieceTimeline(trainer.record, trainer.steps()).forward()
    assert list(explain_merge(frame))[-1] == (
        "By count alone, as BPE chooses, 我 and ##的 would have merged, 6 / (12 × 6) = 0.0833. "
        "But 我 and ##的 are frequent anyway: its score is 6 times lower. It occurs 6.67 times as "
        "often as by chance, the pair that merged 40 times."
    )
