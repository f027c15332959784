"""What a panel says where it has nothing to show: why, and what to do about it."""

from __future__ import annotations

from typing import Any

from bpe_tui.widgets.columns import paragraph
from bpe_tui.widgets.lines import Row
from engine.recording.merge_frame import MergeFrame

NO_CORPUS = "No corpus is open, so nothing is counted. Press o and choose a text to count in."
GIVEN = "These merges are a tokenizer's. None was chosen here, so no heap and no trainer tells it."


def why_uncounted(frame: MergeFrame[Any]) -> str:
    """Why nothing is counted at a frame without a corpus."""
    return NO_CORPUS if frame.uncountable is None else f"Nothing is counted: {frame.uncountable}."


def sentence(text: str, width: int) -> list[Row]:
    """A sentence in as many rows as it needs."""
    return paragraph(text, width, "dim")
