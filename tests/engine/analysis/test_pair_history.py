"""Histories of pairs, against a recount of all pretokens at every step."""

from __future__ import annotations

from itertools import pairwise, product

from generated import examples
from hypothesis import example, given
from hypothesis import strategies as st
from oracles import recount, replace
from sheets import check_samples, sentence

from engine import Frame, Timeline, Trainer
from engine.analysis.pair_history import pair_history
from engine.wordpiece.frame import WordPieceTimeline
from engine.wordpiece.trainer import WordPieceTrainer

CORPORA = st.dictionaries(
    st.binary(min_size=1, max_size=9).map(lambda data: bytes(97 + byte % 3 for byte in data)),
    st.integers(1, 9),
    min_size=1,
    max_size=10,
)


def frame_of(counts: dict[bytes, int], step: int = 0) -> Frame:
    return Timeline(counts, Trainer(counts, 300).steps()).seek(step)


def recounted(counts: dict[bytes, int], frame: Frame) -> list[dict[tuple[int, int], int]]:
    """Return the count of every pair, at every step."""
    words, often = [list(word) for word in counts], list(counts.values())
    states = [recount(words, often)]
    for index in range(frame.recorded_steps):
        merge = frame.merge_at(index)
        words = [replace(word, merge.pair, merge.new_id) for word in words]
        states.append(recount(words, often))
    return states


@examples(200)
@given(counts=CORPORA, at=st.integers(0, 8))
@example(counts={b"abcb": 3, b"ab": 2, b"cab": 4, b"aa": 1}, at=1)
def test_the_count_of_every_pair_at_every_step_is_that_of_a_recount(
    counts: dict[bytes, int], at: int
) -> None:
    last = frame_of(counts).recorded_steps
    frame = frame_of(counts, min(at, last))
    states = recounted(counts, frame)
    tokens = [*b"abc", *range(256, 256 + last)]
    for pair in product(tokens, repeat=2):
        history = pair_history(frame, pair)
        expected = [state.get(pair, 0) for state in states]
        assert [history.count_at(step) for step in range(last + 1)] == expected
        assert history.ever_occurs == any(expected)
        falls = {
            step: before - after
            for step, (before, after) in enumerate(pairwise(expected), 1)
            if after < before and step != history.merged
        }
        assert {taken.step: taken.count for taken in history.losses} == falls
        for taken in history.losses:
            merged = frame.merge_at(taken.step - 1).pair
            assert taken.merged == merged
            assert merged[1] == pair[0] or merged[0] == pair[1]
        here = states[frame.step]
        assert history.more_frequent == (
            sum(count > here.get(pair, 0) for count in here.values()) if any(expected) else 0
        )
        assert history.sentences(frame.any_token)


HANDOUT = {b"low": 5, b"lower": 2, b"widest": 3, b"newest": 6}


def test_the_history_of_each_pair_of_the_handout_is_what_the_sheet_says() -> None:
    whole = frame_of(HANDOUT)
    pairs = [whole.merge_at(index).pair for index in range(12)]
    pairs += [*pairwise(b"ewestlower"), (pairs[3][1], pairs[1][1])]
    trainer = Trainer(HANDOUT | {b"xyz": 1, b"yz": 1}, 262, min_count=2)
    few = Timeline(trainer.counts, trainer.steps()).seek(6)
    asked = [*product((whole.at(1), whole.at(4)), pairs)]
    asked += [*product((few.at(2), few), [*pairwise(b"widest"), (120, 121), (121, 122)])]
    samples = []
    for frame, pair in asked:
        said = pair_history(frame, pair).sentences(whole.any_token, named=1)
        samples.append((f"step {frame.step} of {frame.recorded_steps}", *map(str, said)))
    check_samples("pair_history", samples, sentence)


def test_a_pair_that_merges_or_is_taken_once_is_said_to_be_so_once() -> None:
    counts = {b"abc": 1, b"ab": 1}
    frame = frame_of(counts)
    merging = pair_history(frame, (256, ord("c")))
    assert str(merging.outcome) == "It merges at merge 2, once."
    taken, *_ = pair_history(frame.at(1), (ord("b"), ord("c"))).sentences(frame.any_token)
    assert " took its b once at merge 1" in str(taken)
    trainer = Trainer({b"abc": 4, b"xbc": 1, b"ab": 2}, 300, min_count=2)
    start = Timeline(trainer.counts, trainer.steps()).frame
    assert str(pair_history(start, (ord("b"), ord("c"))).outcome) == (
        "1 pair occurs more often here; it does not merge in the 2 steps recorded, and 1 is left "
        "at the last."
    )


def test_a_pair_of_wordpiece_has_a_history_too() -> None:
    trainer = WordPieceTrainer({b"low": 5, b"lower": 2}, 20)
    steps = list(trainer.steps())
    frame = WordPieceTimeline(trainer.record, steps).seek(1)
    merge = frame.merge
    assert merge is not None
    assert pair_history(frame, merge.pair).merged == 1
