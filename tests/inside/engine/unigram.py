# ruff: noqa: F401
"""Names inside `engine/unigram` that tests need: they know the room, not its modules."""

from __future__ import annotations

from engine.unigram.em import (
    NORMALISATIONS,
    RARE,
    TrainingCorpus,
    digamma,
    expected_counts,
    removals,
)
from engine.unigram.frame import (
    UnigramFrame,
    UnigramTimeline,
    changed_words,
    count_changes,
    m_step,
    piece_occurrences,
)
from engine.unigram.grams import TIED
from engine.unigram.lattice import (
    ForwardBackward,
    Lattice,
    Reached,
    TracedBack,
    UnigramEncoder,
    viterbi_steps,
)
from engine.unigram.lattices import LONGEST_TEXT, Lattices, lattices_of
from engine.unigram.pieces import UNKNOWN, PieceTable, spelled, spelled_counts, unspelled
from engine.unigram.record import NEVER, EmStep, PruneRule, PruneStep, Seeded, UnigramRecord
from engine.unigram.seed import Seeds, seed_pieces
from engine.unigram.textbook import MOST_MOVES, TextbookRecord, TextbookTrainer
from engine.unigram.trainer import Event, UnigramStopReason, UnigramTrainer
from engine.unigram.units import GRAM_UNITS, TRAINER_NAMES, read_words
