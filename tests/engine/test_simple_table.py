"""The table of all kinds of tokenizers: its numbers against a plain count of the same."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import UnknownNameError
from engine.family.contender import Contender
from engine.family.kinds import KINDS, train_kind
from engine.family.measures import Measures, measure
from engine.family.misspelling import behaviour, dropped, misspellings, swapped
from engine.family.table import CHINESE, Row, Untrained, comparison, hold_out

SAMPLE = Path(__file__).resolve().parents[2] / "samples" / "tinystories_valid.txt"
EOT = "<|endoftext|>"
CORPUS = SAMPLE.read_bytes()[:60_000]
STORY = b"the little cat sat. the little dog ran. the cat and the dog sat. "

every_kind = pytest.mark.parametrize("name", KINDS)


@pytest.fixture(scope="module")
def rows() -> dict[str, Row]:
    found = {row.name: row for row in comparison(CORPUS, 600, [EOT])}
    assert list(found) == list(KINDS)
    return {name: row for name, row in found.items() if isinstance(row, Row)}


class TestTheTable:
    def test_has_a_row_for_each_kind(self, rows: dict[str, Row]) -> None:
        assert {name: row.granularity for name, row in rows.items()} == {
            "word": "words",
            "character": "characters",
            "byte": "bytes",
            "bpe": "subwords",
            "wordpiece": "subwords",
            "unigram": "subwords",
        }

    def test_measures_the_same_text_for_all(self, rows: dict[str, Row]) -> None:
        sizes = {(r.unseen.words, r.unseen.characters, r.unseen.bytes) for r in rows.values()}
        assert len(sizes) == 1

    def test_only_byte_level_tokenizers_are_exact_on_any_text(self, rows: dict[str, Row]) -> None:
        assert {name for name, row in rows.items() if row.chinese.exact} == {"byte", "bpe"}

    def test_words_are_the_fewest_tokens_and_bytes_the_most(self, rows: dict[str, Row]) -> None:
        tokens = {name: row.unseen.tokens for name, row in rows.items()}
        assert min(tokens, key=tokens.__getitem__) == "word"
        assert max(tokens.values()) == tokens["byte"]

    def test_a_word_tokenizer_knows_no_misspelling(self, rows: dict[str, Row]) -> None:
        assert rows["word"].misspelled.unknown_share == 1
        assert rows["word"].misspelled.extra_tokens_per_word == 0
        assert rows["word"].unseen.unknown_word_share > 0.1

    def test_subwords_spell_a_misspelling_with_more_tokens(self, rows: dict[str, Row]) -> None:
        for name in ("bpe", "wordpiece", "unigram"):
            assert rows[name].misspelled.unknown_share == 0
            assert rows[name].misspelled.extra_tokens_per_word > 0

    def test_chinese_is_three_bytes_a_character_or_unknown(self, rows: dict[str, Row]) -> None:
        assert rows["byte"].chinese.tokens_per_character == 3
        assert rows["bpe"].chinese.unknown_tokens == 0
        assert rows["character"].chinese.unknown_token_share == 1
        assert rows["wordpiece"].chinese.unknown_token_share == 1

    def test_can_be_of_a_text_that_somebody_typed(self) -> None:
        [row] = comparison(STORY, 300, typed="the cot sat", kinds=["word"])
        assert isinstance(row, Row)
        assert (row.unseen.words, row.unseen.unknown_words) == (3, 1)

    def test_says_which_kind_cannot_be_trained_so_small(self) -> None:
        small = {row.name: row for row in comparison(STORY, 30, kinds=["byte", "word"])}
        assert isinstance(small["word"], Row)
        assert isinstance(small["byte"], Untrained)
        assert "at least 256" in small["byte"].reason

    def test_knows_only_registered_kinds(self) -> None:
        with pytest.raises(UnknownNameError):
            list(comparison(STORY, 300, kinds=["sentence"]))


@every_kind
@given(text=st.text("the cat.\n猫", max_size=20))
def test_a_row_counts_what_stands_there(name: str, text: str) -> None:
    tokenizer = trained(name)
    ids = tokenizer.encode(text)
    words = text.replace(".", " . ").split()
    unknown_words = [word for word in words if tokenizer.unknown_id in tokenizer.encode(word)]
    assert measure(tokenizer, [text]) == Measures(
        tokens=len(ids),
        words=len(words),
        characters=len(text),
        bytes=len(text.encode()),
        unknown_tokens=0 if tokenizer.unknown_id is None else ids.count(tokenizer.unknown_id),
        unknown_words=len(unknown_words),
        exact=tokenizer.decode(ids) == text,
    )


TRAINED: dict[str, Contender] = {}


def trained(name: str) -> Contender:
    """One tokenizer of each kind, trained once."""
    return TRAINED.setdefault(name, train_kind(name, STORY, 300))


@every_kind
def test_a_row_of_no_text_has_no_shares(name: str) -> None:
    nothing = measure(trained(name), [])
    assert (nothing.tokens_per_word, nothing.bytes_per_token, nothing.unknown_word_share) == (
        0,
        0,
        0,
    )


@every_kind
def test_special_tokens_are_learnt_by_every_kind(name: str) -> None:
    corpus = STORY + EOT.encode() + STORY
    assert len(train_kind(name, corpus, 400, [EOT]).encode(f"{EOT}{EOT}")) == 2


class TestHoldingOut:
    @given(corpus=st.binary(max_size=60) | st.text("a é\n猫", max_size=40).map(str.encode))
    def test_loses_nothing_and_holds_out_no_more_than_the_share(self, corpus: bytes) -> None:
        learnt, rest = hold_out(corpus, ["é"], 0.25)
        assert learnt + rest == corpus
        assert len(rest) <= 0.25 * len(corpus)

    def test_cuts_behind_a_special_token_if_there_is_one(self) -> None:
        assert hold_out(b"aaaa aaaa<e>b b<e>c", ["<e>"], 0.55) == (b"aaaa aaaa<e>", b"b b<e>c")

    def test_cuts_at_whitespace_if_not(self) -> None:
        assert hold_out(b"aaaa bbbb cc dd", share=0.4) == (b"aaaa bbbb ", b"cc dd")

    def test_leaves_a_character_whole(self) -> None:
        learnt, rest = hold_out("猫猫猫猫猫".encode(), share=0.3)
        assert (learnt.decode(), rest.decode()) == ("猫猫猫猫", "猫")


class TestMisspellings:
    @given(word=st.text("abc", min_size=4, max_size=9))
    def test_swap_two_neighbours_or_drop_a_letter(self, word: str) -> None:
        assert sorted(swapped(word)) == sorted(word)
        assert sum(a != b for a, b in zip(word, swapped(word), strict=True)) in (0, 2)
        assert len(dropped(word)) == len(word) - 1

    def test_swap_letters_that_differ_if_there_are_any(self) -> None:
        assert swapped("aabb") == "abab"
        assert swapped("abbb") == "babb"
        assert swapped("aaaa") == "aaaa"

    def test_are_made_of_frequent_words_and_are_no_words_themselves(self) -> None:
        counts = {"form": 5, "from": 4, "tale": 3, "a1b2": 9, "the": 9}
        made = [(m.word, m.wrong) for m in misspellings(counts, 2)]
        # form ↔ from is a swap and left out; both lose a letter.
        assert made == [("form", "fom"), ("from", "frm")]

    def test_tell_what_became_of_each_word(self) -> None:
        counts = {"little": 1}
        [swap, drop] = behaviour(trained("byte"), misspellings(counts, 1)).words
        assert (swap.tokens, swap.wrong_tokens, swap.extra) == (7, 7, 0)
        assert (drop.wrong_tokens, drop.extra, drop.unknown) == (6, -1, False)

    def test_of_no_words_cost_nothing(self) -> None:
        nothing = behaviour(trained("word"), [])
        assert (nothing.extra_tokens_per_word, nothing.unknown_share) == (0, 0)


def test_the_chinese_text_is_chinese() -> None:
    assert sum("\u4e00" <= character <= "\u9fff" for character in CHINESE) > 30
