"""The commands that only WordPiece's screens have."""

from __future__ import annotations

from bpe_tui.session.commands.command import LOOK, WORDPIECE_TRAINING, Command

_SCORES = (WORDPIECE_TRAINING,)

COMMANDS: tuple[Command, ...] = (
    Command("screen.show('pairs')", "p", "p", "scores", "To the scores.", LOOK, _SCORES),
    Command("screen.show('merge')", "d", "d", "done", "To what the merge did.", LOOK, _SCORES),
)
