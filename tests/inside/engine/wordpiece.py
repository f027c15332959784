# ruff: noqa: F401
"""Names inside `engine/wordpiece` that tests need: they know the room, not its modules."""

from __future__ import annotations

from engine.wordpiece.frame import WordPieceFrame, WordPieceTimeline
from engine.wordpiece.score import SCORE_TIE_RULES, Score, highest, standings
from engine.wordpiece.tokenizer import Outcome, WordPieceEncoder, WordPieceTokenizer, save_vocab
from engine.wordpiece.trainer import PieceChange, WordPieceStep, WordPieceTrainer
from engine.wordpiece.words import bare, count_words
