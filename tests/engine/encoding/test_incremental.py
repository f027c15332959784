"""Encoding only around each change gives what encoding all of the text gives."""

from __future__ import annotations

import pytest
from chunk_texts import PIECES, SPECIALS
from generated import examples
from hypothesis import example, given
from hypothesis import strategies as st

from engine import Timeline, Tokenizer, Trainer
from engine.encoding.incremental import IncrementalPretokens
from engine.text.patterns import PATTERNS
from engine.text.pretokenize import Pretoken, SpecialSplitter, pretokens

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


def moved(pretoken: Pretoken, by: int) -> Pretoken:
    return pretoken._replace(start=pretoken.start + by, end=pretoken.end + by)


def keep(pretoken: Pretoken) -> Pretoken:
    return pretoken


@pytest.mark.parametrize("name", PATTERNS)
@examples(250)
@given(text=START, edits=EDITS, specials=SPECIALS)
@example(text="a <s t>", edits=[(3, 1, "x"), (3, 1, "s")], specials=["<s t>"])
@example(text="a  b", edits=[(4, 0, " "), (5, 0, "c"), (1, 0, "'s")], specials=[])
@example(text="a!\n\nb", edits=[(4, 0, "/"), (3, 1, "")], specials=[])
@example(text="\n<s t>", edits=[(2, 0, " "), (2, 1, "")], specials=["<s t>"])
def test_a_changed_text_has_the_pretokens_of_a_new_one(
    name: str, text: str, edits: list[Edit], specials: list[str]
) -> None:
    pattern, splitter = PATTERNS[name], SpecialSplitter(specials)
    typed = IncrementalPretokens(pattern, splitter, keep, moved)
    for state in states(text, edits):
        assert typed.update(state) == list(pretokens(state, pattern, splitter))


LEARNT = Trainer({b" low": 5, b" lower": 2, b"the": 9, b"er": 3}, 268, [])
STEPS = list(LEARNT.steps())


@pytest.mark.parametrize("name", PATTERNS)
@examples(100)
@given(text=START, edits=EDITS, specials=SPECIALS)
def test_a_live_encoding_has_the_ids_of_the_tokenizer(
    name: str, text: str, edits: list[Edit], specials: list[str]
) -> None:
    tok = Tokenizer(LEARNT.vocab, LEARNT.merges, specials, name)
    live = tok.live()
    for state in states(text, edits):
        assert live.encode(state) == tok.encode(state)


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


def test_only_text_around_the_change_is_cut_again() -> None:
    made: list[str] = []

    def make(pretoken: Pretoken) -> str:
        made.append(pretoken.text)
        return pretoken.text

    typed = IncrementalPretokens(PATTERNS["gpt2"], SpecialSplitter([]), make, lambda item, by: item)
    text = "one two three " * 100
    typed.update(text)
    made.clear()
    typed.update(text[:700] + "x" + text[700:])
    assert 1 <= len(made) <= 3


def test_a_returned_list_may_be_changed() -> None:
    typed = IncrementalPretokens(PATTERNS["gpt2"], SpecialSplitter([]), keep, moved)
    typed.update("a b").clear()
    assert [pretoken.text for pretoken in typed.update("a b")] == ["a", " b"]
