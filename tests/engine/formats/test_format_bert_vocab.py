"""BERT's vocab.txt: its ids equal those of the `tokenizers` library and of the training run."""

from __future__ import annotations

from pathlib import Path

import pytest
from format_files import BERT_PIECES, write_lines
from generated import examples
from hypothesis import given
from odd_texts import texts
from tiny_tokenizers import REPO

from engine import TokenizerFileError, VocabularyError
from engine.counting.count import count_corpus
from engine.formats import is_tokenizer, open_tokenizer
from engine.text.corpus import Corpus
from engine.wordpiece.tokenizer import WordPieceTokenizer, save_vocab
from engine.wordpiece.trainer import WordPieceTrainer

SAMPLES = REPO / "samples"
TEXTS = ["", "The lowest!", "the\tlow 漢é [SEP] [unused1] [MASK]", "a" * 101, "b" * 100, "##b#"]


@pytest.fixture(scope="module")
def vocab(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_lines(tmp_path_factory.mktemp("bert") / "vocab.txt", BERT_PIECES)


@examples(100)
@given(texts())
def test_the_ids_are_those_of_hugging_face(vocab: Path, odd: str) -> None:
    tokenizers = pytest.importorskip("tokenizers")
    theirs = tokenizers.Tokenizer(
        tokenizers.models.WordPiece.from_file(str(vocab), unk_token="[UNK]")
    )
    theirs.pre_tokenizer = tokenizers.pre_tokenizers.BertPreTokenizer()
    theirs.add_special_tokens([BERT_PIECES[0], *BERT_PIECES[2:6]])
    ours = open_tokenizer(vocab).tokenizer
    for text in (*TEXTS, odd):
        assert ours.encode(text) == theirs.encode(text).ids


def test_the_vocabulary_of_a_run_encodes_like_the_run(tmp_path: Path) -> None:
    corpus, specials = SAMPLES / "unicode.txt", ["<|endoftext|>", "[CLS]"]
    counts = count_corpus(Corpus(corpus), "bert", specials).counts
    run = WordPieceTrainer(counts, 900, specials)
    assert len(list(run.steps()))
    save_vocab(run.vocab, tmp_path / "saved")
    library = pytest.importorskip("tokenizers.models")
    read = library.WordPiece.read_file(str(tmp_path / "saved"))
    assert read == {piece.decode(): number for number, piece in run.vocab.items()}
    before = WordPieceTokenizer(run.vocab, specials, pattern="bert")
    opened = open_tokenizer(tmp_path / "saved")
    assert opened.tokenizer.vocab == run.vocab
    for text in (corpus.read_text(encoding="utf-8"), "a<|endoftext|>b [CLS] zebra <|end"):
        assert opened.tokenizer.encode(text) == before.encode(text)


@pytest.mark.parametrize("piece", [b"\xff", b"a\nb", "a\x85b".encode(), b""])
def test_a_piece_with_a_line_break_is_not_written(tmp_path: Path, piece: bytes) -> None:
    with pytest.raises(TokenizerFileError, match="no line of UTF-8"):
        save_vocab({0: b"[UNK]", 1: piece}, tmp_path / "vocab.txt")
    assert not list(tmp_path.iterdir())


def test_a_special_token_that_the_vocabulary_lacks_is_refused(vocab: Path) -> None:
    with pytest.raises(VocabularyError, match="no special token '<s>'"):
        open_tokenizer(vocab, special_tokens=["<s>"])


def test_a_piece_that_occurs_twice_has_its_later_id(tmp_path: Path) -> None:
    opened = open_tokenizer(write_lines(tmp_path / "v", ["a", "[UNK]", "a"]))
    assert opened.tokenizer.encode("a b") == [2, 1]
    assert "1 id below the highest has no token (0)" in opened.notes


def test_a_directory_and_windows_line_ends_are_accepted(tmp_path: Path, vocab: Path) -> None:
    (tmp_path / "vocab.txt").write_bytes(vocab.read_bytes().replace(b"\n", b"\r\n") + b"\n")
    expected, opened = open_tokenizer(vocab), open_tokenizer(tmp_path)
    assert opened.tokenizer.encode(TEXTS[1]) == expected.tokenizer.encode(TEXTS[1])
    assert opened.notes == expected.notes


def test_a_vocabulary_with_a_thousand_free_places_is_recognised(tmp_path: Path) -> None:
    free = [f"[unused{number}]" for number in range(1000)]
    path = write_lines(
        tmp_path / "v", ["[PAD]", *free[:99], "[UNK]", "[CLS]", *free[99:], "a", "##b"]
    )
    assert open_tokenizer(path).tokenizer.encode("ab") == [1003, 1004]


@pytest.mark.parametrize(
    "text",
    [
        "[UNK] is what BERT says\n",
        "[UNK]\nthe cat\n",
        "[CLS]\nlow\n##est\n",
        "[UNK]\n\nlow\n",
        "low\n",
    ],
)
def test_a_text_is_no_vocabulary(tmp_path: Path, text: str) -> None:
    (tmp_path / "text").write_text(text)
    assert not is_tokenizer(tmp_path / "text")


def test_no_sample_is_recognised_as_a_tokenizer() -> None:
    assert not any(map(is_tokenizer, SAMPLES.glob("*.txt")))
