"""The tie rules: the choice among several pairs of equal count."""

from __future__ import annotations

import oracles
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import UnknownNameError
from engine.bpe.ties import TIE_RULES
from engine.core.events import Pair
from engine.core.gpt2_bytes import BYTE_TO_CHAR, spell, unspell

BYTES = [bytes([byte]) for byte in range(256)]


def winner(rule: str, tied: list[tuple[bytes, bytes]], tokens: list[bytes] | None = None) -> bytes:
    """Return the pair that the rule chooses, joined with a bar; `tokens` follow the 256 bytes."""
    vocab = BYTES + (tokens or [])
    pairs = [(vocab.index(left), vocab.index(right)) for left, right in tied]
    key = TIE_RULES[rule].make_key(vocab, lambda pair: (0, pairs.index(pair)))
    left, right = min(pairs, key=key)
    return vocab[left] + b"|" + vocab[right]


class TestLexicographic:
    def test_the_greater_left_bytes_win(self) -> None:
        assert winner("lexicographic", [(b"a", b"z"), (b"b", b"a")]) == b"b|a"

    def test_with_equal_left_bytes_the_greater_right_bytes_win(self) -> None:
        assert winner("lexicographic", [(b"a", b"a"), (b"a", b"b")]) == b"a|b"

    def test_a_prefix_loses_to_the_longer_token(self) -> None:
        assert winner("lexicographic", [(b"a", b"z"), (b"ab", b"a")], [b"ab"]) == b"ab|a"

    def test_a_prefix_loses_even_where_a_nul_follows_it(self) -> None:
        assert winner("lexicographic", [(b"a", b"z"), (b"a\0", b"a")], [b"a\0"]) == b"a\0|a"

    def test_bytes_compare_unsigned(self) -> None:
        assert winner("lexicographic", [(b"\x7f", b"a"), (b"\xff", b"a")]) == b"\xff|a"

    def test_bytes_are_compared_not_ids(self) -> None:
        assert winner("lexicographic", [(b"ab", b"x"), (b"c", b"x")], [b"ab"]) == b"c|x"

    def test_the_halves_are_compared_one_by_one_not_joined(self) -> None:
        # Joined, "azz" would beat "abz".
        assert winner("lexicographic", [(b"ab", b"z"), (b"a", b"zz")], [b"ab", b"zz"]) == b"ab|z"

    @given(
        st.lists(st.binary(min_size=2, max_size=4), min_size=1, max_size=5, unique=True),
        st.data(),
    )
    def test_it_is_the_maximum_of_left_and_right_bytes(
        self, learnt: list[bytes], data: st.DataObject
    ) -> None:
        vocab = BYTES + learnt
        token = st.sampled_from([*range(256, len(vocab)), 0, 1, 97, 98, 255])
        tied = data.draw(st.lists(st.tuples(token, token), min_size=1, unique=True))
        key = TIE_RULES["lexicographic"].make_key(vocab, lambda pair: pair)
        assert min(tied, key=key) == oracles.greatest_bytes(set(tied), [], vocab)


class TestFirstSeen:
    def test_the_pair_met_first_wins(self) -> None:
        assert winner("first-seen", [(b"b", b"z"), (b"a", b"a"), (b"z", b"z")]) == b"b|z"

    def test_an_earlier_pretoken_goes_before_an_earlier_position(self) -> None:
        places = {(1, 1): (0, 7), (2, 2): (3, 0)}
        key = TIE_RULES["first-seen"].make_key(BYTES, places.__getitem__)
        assert min(places, key=key) == (1, 1)

    def test_it_alone_depends_on_more_than_the_pair(self) -> None:
        assert [rule.name for rule in TIE_RULES.values() if not rule.static] == ["first-seen"]


class TestSmallestIds:
    def test_the_smaller_left_id_wins(self) -> None:
        assert winner("smallest-ids", [(b"b", b"a"), (b"a", b"b")]) == b"a|b"

    def test_with_equal_left_ids_the_smaller_right_id_wins(self) -> None:
        assert winner("smallest-ids", [(b"a", b"c"), (b"a", b"b")]) == b"a|b"

    def test_a_token_learnt_earlier_is_smaller_whatever_its_bytes(self) -> None:
        tied = [(b"ab", b"x"), (b"zz", b"x")]
        assert winner("smallest-ids", tied, [b"zz", b"ab"]) == b"zz|x"

    def test_a_space_is_smaller_than_a_letter(self) -> None:
        assert winner("smallest-ids", [(b"a", b"b"), (b" ", b"a")]) == b" |a"


class TestHuggingFace:
    def test_a_space_sorts_after_every_letter_because_its_spelling_does(self) -> None:
        assert winner("huggingface", [(b" ", b"a"), (b"z", b"a")]) == b"z|a"

    def test_a_space_sorts_after_latin_1_too(self) -> None:
        assert winner("huggingface", [(b" ", b"a"), (b"\xff", b"a")]) == b"\xff|a"

    def test_the_right_id_follows_the_same_order(self) -> None:
        assert winner("huggingface", [(b"a", b"\n"), (b"a", b"b")]) == b"a|b"

    def test_learnt_tokens_come_after_all_bytes(self) -> None:
        assert winner("huggingface", [(b"ab", b"c"), (b" ", b"c")], [b"ab"]) == b" |c"

    @given(st.lists(st.tuples(st.integers(0, 260), st.integers(0, 260)), min_size=1, unique=True))
    def test_it_is_the_minimum_of_ids_in_unicode_order(self, tied: list[Pair]) -> None:
        key = TIE_RULES["huggingface"].make_key(BYTES, lambda pair: pair)
        assert min(tied, key=key) == oracles.smallest_ids_in_unicode_order(set(tied), [], BYTES)


class TestSentencePiece:
    def test_the_shorter_joined_token_wins(self) -> None:
        assert winner("sentencepiece", [(b"ab", b"a"), (b"z", b"z")], [b"ab"]) == b"z|z"

    def test_of_the_same_length_the_smaller_joined_bytes_win(self) -> None:
        assert winner("sentencepiece", [(b"b", b"a"), (b"a", b"b")]) == b"a|b"

    def test_it_compares_the_joined_bytes_not_the_halves(self) -> None:
        tied = [(b"a", b"cc"), (b"ab", b"z")]
        assert winner("sentencepiece", tied, [b"cc", b"ab"]) == b"ab|z"


@pytest.mark.parametrize("rule", TIE_RULES)
@given(pairs=st.sets(st.tuples(st.integers(0, 261), st.integers(0, 261)), min_size=2, max_size=9))
def test_a_rule_never_calls_two_pairs_equal(rule: str, pairs: set[Pair]) -> None:
    vocab = [*BYTES, b"ab", b"abc", b"bc", b"aa", b"aaa", b"\0\0"]
    places = {pair: (0, place) for place, pair in enumerate(pairs)}
    key = TIE_RULES[rule].make_key(vocab, places.__getitem__)
    assert len({key(pair) for pair in pairs}) == len(pairs)


@pytest.mark.parametrize("rule", [name for name in TIE_RULES if TIE_RULES[name].left_first])
@given(pair=st.tuples(st.integers(0, 258), st.integers(0, 258)))
def test_a_rule_that_compares_left_tokens_first_has_a_key_for_each_token(
    rule: str, pair: Pair
) -> None:
    key = TIE_RULES[rule].make_key([*BYTES, b"ab", b"abc", b"a"], lambda pair: (0, 0))
    assert key(pair) == (key((pair[0], pair[0]))[0], key((pair[1], pair[1]))[1])


@pytest.mark.parametrize("rule", TIE_RULES)
def test_the_vocab_may_grow_while_a_key_is_in_use(rule: str) -> None:
    vocab = list(BYTES)
    key = TIE_RULES[rule].make_key(vocab, lambda pair: pair)
    early = key((97, 98))
    vocab.append(b"ab")
    assert key((256, 97)) != early == key((97, 98))


@pytest.mark.parametrize("rule", TIE_RULES)
def test_each_rule_has_an_oracle(rule: str) -> None:
    assert callable(oracles.TIE_ORACLES[rule])


def test_each_oracle_belongs_to_a_rule() -> None:
    assert set(oracles.TIE_ORACLES) <= set(TIE_RULES)


def test_an_unknown_rule_is_an_error_that_suggests_one() -> None:
    with pytest.raises(UnknownNameError, match=r"tie rule 'lexicografic'.*'lexicographic'"):
        TIE_RULES["lexicografic"]


def test_the_spelling_of_bytes_is_that_of_gpt2() -> None:
    assert oracles.gpt2_bytes_to_unicode() == BYTE_TO_CHAR


@given(st.binary())
def test_a_spelling_is_read_back_as_the_same_bytes(token: bytes) -> None:
    assert unspell(spell(token)) == token
