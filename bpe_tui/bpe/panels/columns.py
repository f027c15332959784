"""How wide columns of counts are: the same from step to step, and no wider than a run needs."""

from __future__ import annotations

from bpe_tui.views.corpus import layout_step
from engine.bpe.frame import Frame


def highest_shown(frame: Frame) -> int:
    """The highest count that columns have room for.

    Counts only fall. The room for them follows at powers of two, where the rows of the corpus break
    anew, too: from step to step numbers stand still.
    """
    step = layout_step(frame.step)
    if not step or not frame.run.record.by_rule or frame.given:
        return frame.highest_count
    return frame.merge_at(step - 1).count
