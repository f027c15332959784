"""The greedy longest match, which may take other tokens than the merges make."""

from __future__ import annotations

from generated import examples
from hypothesis import example, given
from merge_lists import MERGES, PRETOKENS, Merges, tokenizer

from engine.analysis.greedy import Greedy, where_greedy_differs
from engine.encoding.alphabet import CharacterAlphabet, WordEndAlphabet


def test_a_character_without_a_token_is_unknown_as_a_whole() -> None:
    letters = CharacterAlphabet({"a": 5, "b": 6}, unknown=0)
    taken = Greedy({b"a": 5, b"b": 6, b"ab": 7}, letters).takes("ba漢éab".encode())
    assert [*taken] == [(6, 1), (5, 2), (0, 5), (0, 7), (7, 9)]
    ends = Greedy({b"a": 5, b"b": 6}, WordEndAlphabet(letters, marker=9), {b"ab": 8})
    assert [*ends.takes(b"aab")] == [(5, 1), (8, 3)]
    assert [*ends.takes(b"aba")] == [(5, 1), (6, 2), (5, 3), (9, 3)]


def test_greedy_takes_a_token_that_the_merges_cannot_reach() -> None:
    merges = [(b"b", b"c"), (b"a", b"b"), (b"ab", b"c")]
    greedy = where_greedy_differs(tokenizer(merges, "rank_heap"), b"abc")
    assert greedy is not None
    assert greedy.sentence.describe() == (
        "The greedy longest match takes abc here; the merges make a + bc (merge 1) of its bytes, "
        "and no merge goes on."
    )


@examples(200)
@given(MERGES, PRETOKENS)
@example([(b"a", b"b"), (b"b", b"a"), (b"ab", b"a")], b"abaab")
def test_it_differs_if_and_only_if_greedy_ends_with_other_ids(
    merges: Merges, pretoken: bytes
) -> None:
    tok = tokenizer(merges, "rank_heap")
    taken = [token_id for token_id, _ in Greedy(tok.rules.ids, tok.alphabet).takes(pretoken)]
    assert b"".join(tok.vocab[token] for token in taken) == pretoken
    differs = where_greedy_differs(tok, pretoken)
    assert (differs is None) == (taken == list(tok.rules.tokens_of(pretoken)))
    if differs is not None:
        assert differs.token in {tok.vocab[i] for i in taken}
