"""The trace of an encoding, and a typed text that is encoded as a new one would be."""

import odd_texts
import pytest
import tiny_tokenizers
from chunk_texts import PIECES
from generated import examples
from hypothesis import example, given
from hypothesis import strategies as st
from merge_lists import BYTES, MERGES, PRETOKENS, Merges, tokenizer

from engine import TextError, Timeline, Tokenizer, Trainer
from engine.encoding.rules import first_merge_across, trace
from engine.encoding.traced import MOST_IDS
from engine.text.pretokenize import to_text

LOW = [(b"l", b"o"), (b"lo", b"w"), (b"o", b"w")]


def test_a_repeated_pretoken_is_marked_as_cached_and_a_special_token_has_one_id() -> None:
    tok = Tokenizer(BYTES, [], special_tokens=["<s>"], pattern="gpt2")
    told = [(piece.pretoken.text, piece.seen_before, piece.ids) for piece in trace(tok, "a b b<s>")]
    repeated = [("a", False, (97,)), (" b", False, (32, 98)), (" b", True, (32, 98))]
    assert told == [*repeated, ("<s>", False, (256,))]
    for longest, merges in ((3, 0), (4, 2)):
        [slow] = trace(tokenizer(LOW), "slow", longest)
        assert (len(slow.merges), slow.ids) == (merges, (115, 257))


def test_a_frame_is_traced_with_the_merges_of_its_step() -> None:
    timeline = Timeline({b"low": 5, b"lower": 2}, Trainer({b"low": 5, b"lower": 2}, 300).steps())
    for step in range(len(timeline) + 1):
        frame = timeline.seek(step)
        [piece] = trace(frame, "lower")
        assert [merge.step for merge in piece.merges] == list(frame.rules.steps(b"lower"))
        assert piece.ids == frame.tokens_of(b"lower")


@examples(150)
@given(MERGES, PRETOKENS)
@example([(b"a", b"b"), (b"b", b"a")], b"abab")
def test_every_adjacent_pair_with_a_merge_is_a_candidate_and_the_best_wins(
    merges: Merges, pretoken: bytes
) -> None:
    tok = tokenizer(merges)
    for piece in trace(tok, to_text(pretoken)):
        for merge in piece.merges:
            tokens = [tok.vocab[token] for token in merge.step.before]
            pairs = [(tokens[i], tokens[i + 1], i) for i in range(len(tokens) - 1)]
            expected = sorted((merges.index((a, b)), i) for a, b, i in pairs if (a, b) in merges)
            assert all(merge.step.before[o.position :][:2] == o.pair for o in merge.lost)
            told = [(merge.step.rank, merge.step.position)]
            told += [(lost.rank, lost.position) for lost in merge.lost]
            assert told == expected


@examples(150)
@given(MERGES, PRETOKENS, st.integers(0, 30))
@example([(b"a", b"b"), (b"ab", b"c")], b"abc", 1)
@example([(b"a", b"b"), (b"ab", b"c")], b"abc", 2)
def test_a_border_is_kept_unless_a_merge_crosses_it(
    merges: Merges, pretoken: bytes, border: int
) -> None:
    tok = tokenizer(merges)
    across = first_merge_across(tok.rules, pretoken, [border])
    ends, length = {0}, 0
    for token in tok.rules.tokens_of(pretoken):
        length += len(tok.vocab[token])
        ends.add(length)
    assert (across is None) == (border in ends or border > length)
    if across is not None:
        step = list(tok.steps(pretoken))[across.number - 1]
        assert (across.rank, across.pair) == (step.rank, step.pair)
        assert across.start < border < across.end
        assert pretoken[across.start : across.end] == tok.vocab[step.token_id]


@examples(100)
@given(odd_texts.texts())
def test_a_traced_encoding_has_the_ids_of_the_encoding(text: str) -> None:
    tok = tiny_tokenizers.handout()
    traced = tok.encode_traced(text)
    assert list(traced.ids) == tok.encode(text)
    called: list[object] = []
    tok.encode(text, on_step=called.append)
    assert [merge.step for piece in traced.pretokens for merge in piece.merges] == called


def test_a_text_whose_steps_do_not_fit_into_memory_is_refused() -> None:
    tok = Tokenizer(BYTES, [], pattern="none")
    longest = int(MOST_IDS**0.5)
    assert len(tok.encode_traced("a" * longest).ids) == longest
    with pytest.raises(TextError, match="would not fit into memory"):
        tok.encode_traced("a" * (longest + 1))


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
