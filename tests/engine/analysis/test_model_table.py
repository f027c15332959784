"""The table of all kinds of tokenizers, and words, characters and bytes as tokens."""

from collections import Counter
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rows_of_models import table_rows
from sheets import check_sheet

from engine import (
    Trainer,
    UnknownNameError,
)
from engine.analysis.measures import premiums_over_english
from engine.analysis.model_table import TextMeasures, Untrained, hold_out, measure, try_training
from engine.analysis.tokenizer_kinds import KINDS, ComparableTokenizer, train_kind
from engine.text.patterns import PATTERNS

SAMPLE = Path(__file__).resolve().parents[3] / "samples" / "tinystories_valid.txt"
EOT = "<|endoftext|>"
STORY = b"the little cat sat. the little dog ran. the cat and the dog sat. "

every_kind = pytest.mark.parametrize("name", KINDS)


def test_each_kind_has_the_row_and_the_pieces_that_the_sheet_says() -> None:
    lines = [str(row) for size in (30, 300) for row in table_rows(STORY * 3, size, [EOT])]
    lines += map(str, table_rows(STORY, 300, [EOT], typed=f"the cot sat. 小猫\udc80{EOT}the"))
    for name in KINDS:
        tokenizer = train_kind(name, b"the lowest newest, the widest. " * 9, 400, [EOT])
        for text in ("thel the\nthe", "t猫 the lowest", ""):
            ids = tokenizer.encode(text)
            pieces = [tokenizer.piece(token_id) for token_id in ids]
            lines.append(f"{name}: {text!r} {pieces} {tokenizer.decode(ids)!r}")
    check_sheet("kinds", lines)
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


@cache
def trained(name: str) -> ComparableTokenizer:
    return train_kind(name, STORY, 300)


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

    def test_cuts_behind_a_special_token_or_at_whitespace_or_behind_a_character(self) -> None:
        assert hold_out(b"aaaa aaaa<e>b b<e>c", ["<e>"], 0.55) == (b"aaaa aaaa<e>", b"b b<e>c")
        assert hold_out(b"aaaa bbbb cc dd", share=0.4) == (b"aaaa bbbb ", b"cc dd")
        assert hold_out(b"aaaa b<e>", ["<e>"], 0.6) == (b"aaaa ", b"b<e>")
        learnt, rest = hold_out("猫猫猫猫猫".encode(), share=0.3)
        assert (learnt.decode(), rest.decode()) == ("猫猫猫猫", "猫")


def test_kinds_of_bpe_are_the_tokenizers_of_the_trainer_that_can_be_watched() -> None:
    for kind in KINDS.values():
        if kind.model == "bpe":
            counts = Counter(map(str.encode, PATTERNS[kind.pattern].split(STORY.decode())))
            trainer = Trainer(counts, 300, min_count=2, units=kind.units)
            list(trainer.steps())
            made = train_kind(kind.name, STORY, 300)
            vocab = [made.piece(token_id) for token_id in range(made.vocab_size)]
            assert vocab == list(trainer.vocab.values())


SAMPLES = Path(__file__).resolve().parents[3] / "samples"


def test_a_premium_is_of_the_english_tokens_and_none_is_told_of_unknown_ones() -> None:
    texts = {path.stem: path.read_text() for path in (SAMPLES / "parallel").glob("*.txt")}
    in_bytes = premiums_over_english(lambda text: list(text.encode()), texts)
    assert len(in_bytes) == 11
    assert {text.count("\n") for text in texts.values()} == {10}
    assert in_bytes["hindi"] == len(texts["hindi"].encode()) / len(texts["english"].encode())
    assert list(in_bytes.values()) == sorted(in_bytes.values())
    latin = premiums_over_english(lambda text: [min(ord(c), 400) for c in text], texts, 400)
    assert latin.keys() == {"french", "german", "spanish", "swahili", "turkish"}
    assert premiums_over_english(lambda text: [text is not texts["english"]], texts, 0) == {}
