# ruff: noqa: F401
"""Names inside `bpe_tui/styles` that tests need: they know the room, not its modules."""

from __future__ import annotations

from bpe_tui.styles import LOOKS, THEMES, sheet
