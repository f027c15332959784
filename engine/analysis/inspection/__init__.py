"""What kind of tokenizer is this? What its vocabulary and its pattern say, for each model.

Uses the models, formats and what is below; the command `inspect` and the inspection screens use it.
"""

from __future__ import annotations

from engine.analysis.inspection.inspection import Inspection

__all__ = ["Inspection"]
