# ruff: noqa: F401
"""Names inside `bpe_tui/session` that tests need: they know the room, not its modules."""

from __future__ import annotations

from bpe_tui.session import state
from bpe_tui.session.commands import COMMANDS
from bpe_tui.session.config import (
    Claimed,
    Config,
    RunConfig,
    TokenizerConfig,
    Viewpoint,
    in_phases,
)
from bpe_tui.session.declarations import (
    ALWAYS,
    CHARTS,
    COMPARISON,
    ENCODING,
    EVERYWHERE,
    FAMILY,
    INSPECTION,
    START,
    TABS,
    TRAINING,
    VOCABULARY,
)
from bpe_tui.session.jobs import (
    FarJumpsPrepared,
    OpeningJob,
    StepsRecorded,
    TrainingEnded,
    TrainingStarted,
    WhatIfFailed,
    WhatIfProgress,
)
from bpe_tui.session.kiosk import REFUSED, KioskError, for_kiosk
from bpe_tui.session.lessons import (
    DEFAULT_LANGUAGE,
    PLACE,
    LessonProgress,
    all_progress,
    builtin_lessons,
    config_of,
    keep_progress,
    languages,
    messages_in,
    numbered_lesson,
    progress_key,
)
from bpe_tui.session.models import MODELS, completed, kind_and_model, trainer_of, with_trainer
from bpe_tui.session.opening import config_for
from bpe_tui.session.samples import SAMPLES, directory, file_of, samples
from bpe_tui.session.saved_sessions import command_that_opens, config_of_session, shell_word
from bpe_tui.session.session import EXAMPLE, Session
from bpe_tui.session.state import preferences, recent, remember_opened, save_preferences
