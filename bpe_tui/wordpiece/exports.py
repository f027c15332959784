"""What can be exported of a WordPiece training."""

from __future__ import annotations

from bpe_tui.exports import OF_SCREENS

EXPORTS = OF_SCREENS
