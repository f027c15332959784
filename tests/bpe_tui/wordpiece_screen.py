"""Helpers for tests of WordPiece's screens."""

from __future__ import annotations

from pathlib import Path

import pytest

from bpe_tui.app.app import BpeTuiApp
from engine.wordpiece.frame import WordPieceFrame

COURSE = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
"""The example of Hugging Face's course."""


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    place = tmp_path / "course.txt"
    place.write_text("\n".join(" ".join([word] * count) for word, count in COURSE.items()))
    return place


def frame_of(app: BpeTuiApp) -> WordPieceFrame:
    frame = app.session.shown
    assert isinstance(frame, WordPieceFrame)
    return frame
