"""Questions cannot be guessed: answers without knowledge are right as often as by chance.

A guesser sees a question and returns an answer. The chance of a choice is 1 of its rows. Whether a
guesser does better is decided by the 99 % interval of the sum of these chances.
"""

from __future__ import annotations

import lzma
from collections.abc import Callable, Iterator
from contextlib import suppress
from math import sqrt
from pathlib import Path
from typing import Any

import pytest
from inside.engine.learning import (
    KINDS,
    Answer,
    Chance,
    Choice,
    Cuts,
    Joins,
    Number,
    Question,
    Text,
    YesOrNo,
)
from inside.engine.text import Excerpt
from inside.engine.unigram import UnigramTimeline, UnigramTrainer
from inside.engine.wordpiece import WordPieceTimeline, WordPieceTrainer

from engine import QuestionError, Timeline, Trainer, ask, count_text

SAMPLES = Path(__file__).parents[3] / "samples"
LARGE = Path("/work/shared/data/ts-22M.txt.xz")
QUESTIONS = 500
WIDTH = 2.576
"""Standard deviations on each side of a 99 % interval."""

Guess = Callable[[Question], Answer]
