"""The corpus of Hugging Face's course on WordPiece, and timelines of it."""

from engine.wordpiece.frame import WordPieceTimeline
from engine.wordpiece.trainer import WordPieceTrainer

COURSE = {b"hug": 10, b"pug": 5, b"pun": 12, b"bun": 4, b"hugs": 5}


def timeline_of(
    counts: dict[bytes, int], tie_rule: str = "frequent", min_count: int = 1
) -> WordPieceTimeline:
    trainer = WordPieceTrainer(counts, 200, tie_rule=tie_rule, min_count=min_count)
    return WordPieceTimeline(trainer.record, trainer.steps())


def in_bytes(corpus: dict[str, int]) -> dict[bytes, int]:
    return {word.encode(): count for word, count in corpus.items()}
