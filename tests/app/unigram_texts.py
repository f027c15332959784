"""What the tests of Unigram's screens share."""

from __future__ import annotations

from collections.abc import Sequence

from bpe_tui.widgets.lines import Lines

TEXT = "the hugs of the thugs and the bugs; a pun, puns, a shrug and the hugger of bugs\n" * 4


def text_of(panel: Lines, rows: Sequence[int] | None = None) -> list[str]:
    places = range(panel.row_count) if rows is None else rows
    return ["".join(text for text, _ in panel.row(place).spans) for place in places]
