# ruff: noqa: F401
"""Names inside `engine/recording` that tests need: they know the room, not its modules."""

from __future__ import annotations

from engine.recording.affected_pretokens import LONGEST_TAKEN_APART, AffectedPretoken, PretokenIndex
from engine.recording.change_log import ChangeLog, GrowingArray
from engine.recording.merge_record import PhaseStart
from engine.recording.playback import MergeFrame
from engine.recording.token_table import NONE, TokenTable
from engine.recording.training import (
    CountedCorpus,
    CountOrigin,
    Training,
    TrainingListener,
    train_on_corpus,
)
from engine.recording.vocabulary import COLUMNS, FILTERS, Query, Vocabulary
