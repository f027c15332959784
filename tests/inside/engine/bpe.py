# ruff: noqa: F401
"""Names inside `engine/bpe` that tests need: they know the room, not its modules."""

from __future__ import annotations

from engine.bpe import race
from engine.bpe.continuation import (
    Continuation,
    ContinuedReplay,
    check_continuable,
    fork_continuation,
)
from engine.bpe.heap import HeapWalk, claim_of
from engine.bpe.pair_queue import QueueEntry
from engine.bpe.phases import phases_from
from engine.bpe.race import PARTS, RACERS, Race, RaceSettings, RunnerState, SizeRace, sample
from engine.bpe.record import Record
from engine.bpe.replay import Replay
from engine.bpe.run import TieHistory, to_tokenizer
from engine.bpe.ties import TIE_RULES, never_seen
from engine.bpe.trainer import base_vocab
from engine.bpe.trainers import DEFAULT_TRAINER, TRAINERS, algorithm, algorithm_for, fast, linked
from engine.bpe.trainers.algorithm import (
    BORDER,
    COUNTERS,
    Move,
    Symbols,
    TrainingTask,
    WorkCounts,
    WorkLog,
    is_wordy,
    parts_of_step,
)
from engine.bpe.trainers.fast import BucketQueue
from engine.bpe.trainers.heap import LazyHeap
from engine.bpe.trainers.indexed import PairIndex
from engine.bpe.trainers.linked import ActivePairs, LinkedPretokens
from engine.bpe.what_if import ForkChange, compare, fork
