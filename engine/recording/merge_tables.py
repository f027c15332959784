"""What reports of all trainings by merges tell alike: counts changed, pretokens touched, pairs.

`code` writes a token as a Markdown code span, in the model's own spelling.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from engine.core.events import Pair
from engine.recording.merge_frame import AnyMergeFrame
from engine.recording.merge_record import PairStep
from engine.text.markdown import ROWS, table

Code = Callable[[bytes], str]


def changes_table(frame: AnyMergeFrame, merge: PairStep, code: Code) -> str:
    """The counts of pairs that a merge changed."""
    rows = [
        (told_pair(frame, change.pair, code), f"{change.before:,}", f"{change.after:,}")
        for change in merge.changes[:ROWS]
    ]
    return table(("pair", "count before", "after"), rows, len(merge.changes))


def touched_table(frame: AnyMergeFrame, merge: PairStep, code: Code, what: str) -> str:
    """The pretokens that a merge changed; `what` they are called."""
    rows = [
        (
            code(touched.pretoken),
            f"{touched.count:,}",
            _told(frame, touched.before, code),
            _told(frame, touched.after, code),
        )
        for touched in frame.touched(ROWS)
    ]
    return table((what, "count", "before", "after"), rows, merge.pretokens)


def told_pair(frame: AnyMergeFrame, pair: Pair, code: Code) -> str:
    """A pair: `` `a` + `b` ``."""
    return " + ".join(code(frame.any_token(token_id)) for token_id in pair)


def _told(frame: AnyMergeFrame, ids: Sequence[int], code: Code) -> str:
    return " ".join(code(frame.any_token(token_id)) for token_id in ids)
