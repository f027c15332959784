"""The file of a Unigram model, read by Hugging Face's tokenizers."""

from __future__ import annotations

from pathlib import Path

from tokenizers import Tokenizer

from engine.formats import open_tokenizer
from engine.formats.piece_list import save_piece_list
from engine.formats.tokenizer_json import save_pieces


def test_tokenizers_reads_the_file_with_the_same_ids(tmp_path: Path) -> None:
    pieces = [("<unk>", 0.0), ("▁the", -2.0), ("▁hug", -2.5), ("ug", -3.0), ("s,", -3.5)]
    pieces += [(character, -4.0) for character in "▁abeghrstu!\n"]
    assert save_pieces(pieces, tmp_path / "a.json", special_tokens=["<|end|>"]) == 0
    theirs = Tokenizer.from_file(str(tmp_path / "a.json"))
    ours = open_tokenizer(tmp_path / "a.json").tokenizer
    for text in ("the hugs, the bugs\n", " a  hug!\n<|end|>bug", "unseen: Qü?", "the<|end|> the"):
        ids = theirs.encode(text).ids
        assert ours.encode(text) == ids
        assert ours.decode(ids) == theirs.decode(ids, skip_special_tokens=False)


def test_a_piece_that_is_not_utf8_is_left_out(tmp_path: Path) -> None:
    pieces = [("<unk>", 0.0), ("a", -1.0), ("\udcff", -2.0)]
    assert save_pieces(pieces, tmp_path / "a.json") == 1
    assert Tokenizer.from_file(str(tmp_path / "a.json")).get_vocab_size() == 2


def test_pieces_that_no_line_can_hold_are_left_out(tmp_path: Path) -> None:
    texts = ("▁a", "b\tc", "d\ne", "\n", "f\u2028", "", "\ud800", "\udfff", "\ud7ff", "\ue000")
    assert save_piece_list([(text, -1.23456789) for text in texts], tmp_path / "a.vocab") == 7
    kept = (tmp_path / "a.vocab").read_text("utf-8").splitlines()
    assert kept == ["▁a\t-1.23457", "\ud7ff\t-1.23457", "\ue000\t-1.23457"]
