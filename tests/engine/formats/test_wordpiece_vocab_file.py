"""BERT's vocab.txt: `tokenizers` reads the written file with the same ids."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine import OutputExistsError, TokenizerFileError
from engine.wordpiece.tokenizer import save_vocab
from engine.wordpiece.trainer import WordPieceTrainer


def trained() -> WordPieceTrainer:
    trainer = WordPieceTrainer({b"hug": 10, b"pug": 5, b"pun": 12, b"bun": 4, b"hugs": 5}, 20)
    assert len(list(trainer.steps()))
    return trainer


def test_tokenizers_reads_it_with_the_same_ids(tmp_path: Path) -> None:
    models = pytest.importorskip("tokenizers.models")
    save_vocab(trained().vocab, tmp_path / "vocab.txt")
    read = models.WordPiece.read_file(str(tmp_path / "vocab.txt"))
    assert read == {piece.decode(): number for number, piece in trained().vocab.items()}


def test_an_existing_file_is_not_overwritten_unless_requested(tmp_path: Path) -> None:
    place = tmp_path / "vocab.txt"
    save_vocab(trained().vocab, place)
    with pytest.raises(OutputExistsError):
        save_vocab(trained().vocab, place)
    save_vocab(trained().vocab, place, overwrite=True)


@pytest.mark.parametrize("piece", [b"\xff", b"a\nb", "a\x85b".encode(), b""])
def test_a_piece_with_a_line_break_is_refused(tmp_path: Path, piece: bytes) -> None:
    with pytest.raises(TokenizerFileError, match="no line of UTF-8"):
        save_vocab({0: b"[UNK]", 1: piece}, tmp_path / "vocab.txt")
    assert not list(tmp_path.iterdir())
