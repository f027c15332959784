"""A typed text is encoded as a new one would be, whatever was typed before."""

from __future__ import annotations

from chunk_texts import PIECES
from generated import examples
from hypothesis import given
from hypothesis import strategies as st

from engine import Timeline, Trainer

Edit = tuple[int, int, str]
"""The place of an edit, the number of removed characters, and the inserted text."""

PARTS = st.sampled_from([*PIECES, " the", "\ud83d", "\ude00", "\udcc3", "\udca9"])
EDITS = st.lists(st.tuples(st.integers(0, 60), st.integers(0, 5), PARTS), min_size=1, max_size=8)
START = st.lists(PARTS, max_size=20).map("".join)


def states(text: str, edits: list[Edit]) -> list[str]:
    found = [text]
    for place, gone, new in edits:
        place %= len(text) + 1
        text = text[:place] + new + text[place + gone :]
        found.append(text)
    return found


LEARNT = Trainer({b" low": 5, b" lower": 2, b"the": 9, b"er": 3}, 268, [])
STEPS = list(LEARNT.steps())


@examples(100)
@given(text=START, edits=EDITS, steps=st.lists(st.integers(0, len(STEPS)), min_size=9, max_size=9))
def test_a_frame_forgets_nothing_of_text_or_step(
    text: str, edits: list[Edit], steps: list[int]
) -> None:
    """One timeline keeps what it encoded; a new one for every text has nothing to keep."""
    counts = {b" low": 5, b" lower": 2, b"the": 9, b"er": 3}
    timeline = Timeline(counts, STEPS)
    for state, step in zip(states(text, edits), steps, strict=False):
        fresh = Timeline(counts, STEPS).seek(step)
        assert timeline.seek(step).encode(state) == fresh.encode(state)


def test_a_returned_list_may_be_changed() -> None:
    frame = Timeline({b"ab": 1}, []).frame
    frame.encode("a b").clear()
    assert [piece.pretoken.text for piece in frame.encode("a b")] == ["a", " b"]
