"""News that jobs post to the application."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any

from textual.message import Message

from engine.bpe.frame import Timeline
from engine.bpe.trainer import StopReason
from engine.bpe.what_if import Comparison
from engine.core.events import CountProgress
from engine.recording.playback import Player

if TYPE_CHECKING:
    from bpe_tui.session.config import RunConfig
    from engine.formats.tokenizer_format import Opened
    from engine.learning.session_file import SavedFork


class News(Message):
    """News of the job behind a session. `of` is that session: there may be another one by now."""

    of: object = None


@dataclass
class TokenizerOpened(News):
    """The tokenizer is read; its merges are replayed next."""

    opened: Opened


@dataclass
class NoTokenizer(News):
    """What looked like a tokenizer cannot be read as one; it is opened otherwise."""

    error: Exception
    otherwise: RunConfig


@dataclass
class Reading(News):
    """So much of the corpus is read; `pairs` are the most frequent ones so far."""

    progress: CountProgress
    rate: float
    """bytes per second"""
    pairs: list[tuple[bytes, bytes, int]]


@dataclass
class Indexing(News):
    """The corpus is read; the pairs are being counted."""

    distinct: int


@dataclass
class Working(News):
    """What the training is busy with: `done` parts of `total`."""

    doing: str
    done: int
    total: int


@dataclass
class TrainingStarted(News):
    """The corpus is counted, if there is one: here is the timeline, at step 0.

    `obstacle`: why a tokenizer's merges cannot be gone through; `None` if they can.
    """

    timeline: Player[Any]
    documents: int
    bytes_read: int
    obstacle: str | None = None


@dataclass
class StepsRecorded(News):
    """There are so many steps now. They are in the record, which the timeline shares."""

    steps: int


@dataclass
class TrainingEnded(News):
    """No step will follow; the reason's value says why in words."""

    reason: Enum


@dataclass
class JobFailed(News):
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


@dataclass
class ForkMade(News):
    """A fork of a saved session is made, or cannot be; `rest` are those to be made after it."""

    outcome: WhatIfEnded | WhatIfFailed
    wish: Any
    rest: tuple[SavedFork, ...]


class RaceRan(Message):
    """The race has come farther, or to its end."""


class CheckRan(Message):
    """The check has come farther, or to its end."""


@dataclass
class ScreenImported(Message):
    """A screen is imported that nobody has asked for yet; there is time to make it."""

    screen: str
