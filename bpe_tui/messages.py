"""What the training job tells the application."""

from __future__ import annotations

from dataclasses import dataclass

from textual.message import Message

from engine.events import CountProgress
from engine.record import MergeStep
from engine.timeline import Timeline
from engine.trainer import StopReason
from engine.what_if import Comparison


@dataclass
class Reading(Message):
    """So much of the corpus is read; `pairs` are the most frequent ones so far."""

    progress: CountProgress
    rate: float
    """bytes per second"""
    pairs: list[tuple[bytes, bytes, int]]


@dataclass
class Indexing(Message):
    """The corpus is read; the pairs are being counted."""

    distinct: int


@dataclass
class TrainingStarted(Message):
    """The corpus is counted: here is the timeline, at step 0."""

    timeline: Timeline
    documents: int
    bytes_read: int


@dataclass
class StepsRecorded(Message):
    """More steps to extend the timeline with."""

    steps: list[MergeStep]


@dataclass
class TrainingEnded(Message):
    """No step will follow."""

    reason: StopReason


@dataclass
class JobFailed(Message):
    """The job came to an end that it was not meant to have."""

    error: Exception


@dataclass
class WhatIfProgress(Message):
    """The fork has made so many merges."""

    merges: int


@dataclass
class WhatIfEnded(Message):
    """The fork is trained: its timeline, complete, and how it differs from the run."""

    timeline: Timeline
    reason: StopReason
    difference: Comparison


@dataclass
class WhatIfFailed(Message):
    """The fork cannot be trained."""

    error: Exception


class RaceRan(Message):
    """The race has come farther, or to its end."""
