"""What kind of tokenizer is this? Everything that can be told from its vocabulary and pattern."""

from __future__ import annotations

from engine.analysis.inspection.inspection import Inspection

__all__ = ["Inspection"]
