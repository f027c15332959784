# ruff: noqa: F401
"""Names inside `bpe_tui/cli` that tests need: they know the room, not its modules."""

from __future__ import annotations

from bpe_tui.cli import main
from bpe_tui.cli.console import BAD_INPUT, DIFFERS, has_screen, print_json
from bpe_tui.cli.convert import facts
from bpe_tui.cli.explain import explanation
from bpe_tui.cli.inputs import check_config, noting_newer
from bpe_tui.cli.open import opened_config
from bpe_tui.cli.options import OF_TRAINING
from bpe_tui.cli.plain import transcript_of
from bpe_tui.cli.program import app
