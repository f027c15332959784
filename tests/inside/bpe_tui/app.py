# ruff: noqa: F401
"""Names inside `bpe_tui/app` that tests need: they know the room, not its modules."""

from __future__ import annotations

from bpe_tui.app import terminal
from bpe_tui.app.app import BpeTuiApp
from bpe_tui.app.base import SingleScreenApp
from bpe_tui.app.lesson_author import SIZES, problems_of, recording_of, unseen_at
from bpe_tui.app.lesson_film import keys_of
from bpe_tui.app.navigation import JumpStart
from bpe_tui.app.palette import FoundCommand, all_commands, useful_first
from bpe_tui.app.session_app import SCREENS, mount_ahead
from bpe_tui.app.step_page import question_data
