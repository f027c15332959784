"""The table of all kinds of tokenizers: its numbers against a plain count."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rows_of_models import table_rows

from engine import Trainer, UnknownNameError
from engine.analysis.model_table import (
    KindRow,
    TextMeasures,
    Untrained,
    hold_out,
    measure,
    try_training,
)
from engine.analysis.tokenizer_kinds import KINDS, ComparableTokenizer, train_kind
from engine.text.patterns import PATTERNS

SAMPLE = Path(__file__).resolve().parents[3] / "samples" / "tinystories_valid.txt"
EOT = "<|endoftext|>"
CORPUS = SAMPLE.read_bytes()[:60_000]
STORY = b"the little cat sat. the little dog ran. the cat and the dog sat. "

every_kind = pytest.mark.parametrize("name", KINDS)


@pytest.fixture(scope="module")
def rows() -> dict[str, KindRow]:
    found = {row.name: row for row in table_rows(CORPUS, 600, [EOT])}
    assert list(found) == list(KINDS)
    return {name: row for name, row in found.items() if isinstance(row, KindRow)}


class TestTheTable:
    def test_has_a_row_for_each_kind(self, rows: dict[str, KindRow]) -> None:
        assert {name: row.granularity for name, row in rows.items()} == {
            "word": "words",
            "character": "characters",
            "seen-character": "characters",
            "byte": "bytes",
            "bpe": "subwords",
            "bpe-characters": "subwords",
            "bpe-end-of-word": "subwords",
            "bpe-whole-text": "strings",
            "wordpiece": "subwords",
            "unigram": "subwords",
        }

    def test_measures_the_same_text_for_all(self, rows: dict[str, KindRow]) -> None:
        sizes = {(r.unseen.words, r.unseen.bytes) for r in rows.values()}
        assert len(sizes) == 1

    def test_only_bytes_and_code_points_decode_all(self) -> None:
        exact = {name for name in KINDS if measure(trained(name), ["小猫喜欢"]).exact}
        assert exact == {"character", "byte", "bpe", "bpe-whole-text"}

    def test_words_are_the_fewest_tokens_and_bytes_the_most(self, rows: dict[str, KindRow]) -> None:
        tokens = {name: row.unseen.tokens for name, row in rows.items()}
        assert min(tokens, key=tokens.__getitem__) == "word"
        assert max(tokens.values()) == tokens["byte"]

    def test_can_be_of_a_typed_text(self) -> None:
        [row] = table_rows(STORY, 300, typed="the cot sat", kinds=["word"])
        assert isinstance(row, KindRow)
        assert (row.unseen.words, row.unseen.unknown_words) == (3, 1)

    def test_reports_kinds_that_need_a_larger_vocabulary(self) -> None:
        small = {row.name: row for row in table_rows(STORY, 30, kinds=["byte", "word"])}
        assert isinstance(small["word"], KindRow)
        assert isinstance(small["byte"], Untrained)
        assert "at least 256" in small["byte"].reason

    def test_knows_only_registered_kinds(self) -> None:
        with pytest.raises(UnknownNameError):
            list(table_rows(STORY, 300, kinds=["sentence"]))


@every_kind
@given(text=st.text("the cat.\n猫", max_size=20))
def test_a_row_counts_tokens_words_and_characters(name: str, text: str) -> None:
    tokenizer = trained(name)
    ids = tokenizer.encode(text)
    words = text.replace(".", " . ").split()
    unknown_words = [word for word in words if tokenizer.unknown_id in tokenizer.encode(word)]
    found = measure(tokenizer, [text])
    assert found == TextMeasures(
        tokens=len(ids),
        words=len(words),
        bytes=len(text.encode()),
        unknown_words=len(unknown_words),
        unknown_spellings=tuple(word for word, _ in Counter(unknown_words).most_common()),
        exact=tokenizer.decode(ids) == text,
    )


TRAINED: dict[str, ComparableTokenizer] = {}


def trained(name: str) -> ComparableTokenizer:
    """One tokenizer of each kind, trained once."""
    return TRAINED.setdefault(name, train_kind(name, STORY, 300))


@every_kind
def test_the_shares_of_an_empty_text_are_0(name: str) -> None:
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
    # A tokenizer that is opened over a corpus has its own, which a kind may have, too, or refuse.
    assert not isinstance(try_training(name, corpus, 400, ["<unk>", "[UNK]"]), Untrained)
    found = try_training(name, corpus, 400, ["##a"])
    assert isinstance(found, Untrained) == (name == "wordpiece")


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


class TestKindsOfBpe:
    """The differences between the kinds, on a text that shows them."""

    CORPUS = b"the lowest newest, the widest. " * 9

    def pieces(self, name: str, text: str) -> list[bytes]:
        tokenizer = train_kind(name, self.CORPUS, 400)
        return [tokenizer.piece(token_id) for token_id in tokenizer.encode(text)]

    def test_new_characters_are_unknown_and_bytes_never(self) -> None:
        assert self.pieces("bpe-characters", "t猫") == [b"t", b"<unk>"]
        assert self.pieces("bpe", "t猫") == [b"t", b"\xe7", b"\x8c", b"\xab"]

    def test_the_end_of_a_word_is_in_its_last_token(self) -> None:
        assert self.pieces("bpe-end-of-word", "the") == [b"the</w>"]
        assert self.pieces("bpe-end-of-word", "thel") == [b"the", b"l", b"</w>"]
        tokenizer = train_kind("bpe-end-of-word", self.CORPUS, 400)
        assert tokenizer.decode(tokenizer.encode("the\nthe")) == "the the "

    def test_without_pretokenization_a_token_spans_words(self) -> None:
        text = "the lowest newest, the widest. "
        assert any(b" " in piece.strip() for piece in self.pieces("bpe-whole-text", text))
        assert not any(b" " in piece.strip() for piece in self.pieces("bpe", text))

    def test_are_the_tokenizers_of_the_trainer_that_can_be_watched(self) -> None:
        for kind in KINDS.values():
            if kind.model == "bpe":
                counts = Counter(map(str.encode, PATTERNS[kind.pattern].split(STORY.decode())))
                trainer = Trainer(counts, 300, min_count=2, units=kind.units)
                list(trainer.steps())
                made = train_kind(kind.name, STORY, 300)
                vocab = [made.piece(token_id) for token_id in range(made.vocab_size)]
                assert vocab == list(trainer.vocab.values())
