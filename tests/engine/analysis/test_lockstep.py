"""Encoders in lockstep: those that merge agree, the greedy longest match may differ."""

from __future__ import annotations

import pytest
from generated import examples
from hypothesis import given
from merge_lists import MERGES, PRETOKENS, Merges, tokenizer

from engine.analysis.encoder_comparison import GoesBack, Greedy, TooGreedy, lockstep
from engine.encoding.encoders import ENCODERS

UN = [(b"u", b"n"), (b"b", b"e"), (b"n", b"b")]


def test_the_ids_of_greedy_differ_from_those_of_the_encoders() -> None:
    tok = tokenizer([(b"b", b"c"), (b"a", b"b")], "rank_loop")
    assert "greedy" not in ENCODERS
    assert [tok.vocab[i] for i, _ in Greedy(tok.rules.ids, tok.alphabet).takes(b"abc")] == [
        b"ab",
        b"c",
    ]
    assert [tok.vocab[i] for i in tok.encode("abc")] == [b"a", b"bc"]


def test_they_stop_where_a_merge_crosses_the_end_of_greedys_token() -> None:
    both = lockstep(tokenizer([(b"b", b"c"), (b"a", b"b")], "rank_loop"), b"xabcd")
    assert both.steps == 2  # greedy takes x, then ab
    assert both.disagreement is not None
    assert both.disagreement.describe() == (
        "greedy took ab, the longest token that fits; the merges join b + c (merge 1) across its "
        "end, so ab never forms."
    )


def test_greedy_takes_a_token_that_the_merges_cannot_reach() -> None:
    merges = [(b"b", b"c"), (b"a", b"b"), (b"ab", b"c")]
    both = lockstep(tokenizer(merges, "rank_loop"), b"abc")
    assert both.disagreement is not None
    assert both.disagreement.describe() == (
        "greedy took abc, the longest token that fits; the merges make a + bc (merge 1) of its "
        "bytes, and no merge goes on."
    )


def test_they_go_to_the_end_if_all_agree() -> None:
    both = lockstep(tokenizer(UN, "rank_loop"), b"unun")
    assert both.disagreement is None
    assert both.steps == 2
    assert {lane.at(2).tokens for lane in both.runs} == {(256, 256)}
    assert [lane.at(1).note for lane in both.runs] == [
        "tries merges 1 to 1",
        "earliest here: merge 1",
        "not cached: rank loop",
        "takes the longest",
    ]
    assert both.runs[0].at(2).note == "the same merge, further right"


def test_the_cache_needs_one_step_for_a_pretoken_seen_before() -> None:
    lanes = lockstep(tokenizer(UN, "rank_loop"), b"unun", seen_before=True).runs
    [cached] = [lane for lane in lanes if lane.name == "cached"]
    assert [move.note for move in cached.states] == ["single bytes", "found in the cache"]
    assert cached.at(1).tokens == (256, 256)


def test_merge_order_and_rank_loop_disagree_on_unordered_merges() -> None:
    merges = [(b"ab", b"c"), (b"a", b"b")]
    both = lockstep(tokenizer(merges, "rank_loop"), b"abc")
    assert isinstance(both.disagreement, GoesBack)
    assert both.disagreement.step == 2
    assert both.disagreement.describe().startswith("The rank loop goes back to ab + c (merge 1)")


@pytest.mark.parametrize("pretoken", [b"", b"a"])
def test_there_is_no_disagreement_without_merges(pretoken: bytes) -> None:
    assert lockstep(tokenizer(UN, "rank_loop"), pretoken).disagreement is None


@examples(200)
@given(MERGES, PRETOKENS)
def test_they_disagree_if_and_only_if_greedy_ends_with_other_ids(
    merges: Merges, pretoken: bytes
) -> None:
    tok = tokenizer(merges, "rank_loop")
    both = lockstep(tok, pretoken)
    ends = {lane.name: lane.states[-1].tokens for lane in both.runs}
    assert ends["merge_order"] == ends["rank_loop"] == ends["cached"]
    assert (both.disagreement is None) == (ends["greedy"] == ends["rank_loop"])
    for lane in both.runs:
        for move in lane.states:
            assert b"".join(tok.vocab[token] for token in move.tokens) == pretoken
    if isinstance(both.disagreement, TooGreedy):
        assert both.disagreement.token in {tok.vocab[i] for i in ends["greedy"]}
        assert both.disagreement.step <= max(len(lane.states) for lane in both.runs) - 1
