"""The file of a Unigram model, read by Hugging Face's tokenizers."""

from __future__ import annotations

from pathlib import Path

import pytest
from tokenizers import Tokenizer

from engine import count_pretokens
from engine.formats.piece_list import save_piece_list
from engine.formats.tokenizer_json import save_pieces
from engine.unigram.frame import UnigramTimeline
from engine.unigram.lattice import UnigramEncoder
from engine.unigram.pieces import spelled, spelled_counts
from engine.unigram.trainer import UnigramTrainer

TEXT = "the hug of the thug\n\nhugs and bugs, the shrug; it's the hugger's hug.<|end|>the end\n" * 3


@pytest.fixture(scope="module")
def timeline(tmp_path_factory: pytest.TempPathFactory) -> UnigramTimeline:
    corpus = tmp_path_factory.mktemp("corpus") / "hugs.txt"
    corpus.write_text(TEXT)
    words = spelled_counts(count_pretokens(corpus, "gpt2", ["<|end|>"], 1))
    trainer = UnigramTrainer(words, 45, ["<|end|>"])
    events = list(trainer.steps())
    return UnigramTimeline(trainer.record, events, words=words)


def test_the_file_encodes_and_decodes_like_the_frame(
    timeline: UnigramTimeline, tmp_path: Path
) -> None:
    for step in range(len(timeline) + 1):
        frame, path = timeline.seek(step), tmp_path / f"{step}.json"
        assert not save_pieces(frame.vocabulary, path, special_tokens=["<|end|>"])
        theirs = Tokenizer.from_file(str(path))
        for text in (TEXT, " a  hug!\n<|end|>bug", "unseen: Qü?"):
            assert theirs.encode(text).tokens == _encoded(timeline, text)
        ids = theirs.encode(TEXT).ids
        assert theirs.decode(ids, skip_special_tokens=False) == TEXT


def _encoded(timeline: UnigramTimeline, text: str) -> list[str]:
    """Return the frame's tokens as `tokenizers` gives them: unknown characters as in the text."""
    frame = timeline.frame
    encoder = UnigramEncoder(frame.vocabulary, special=[1])
    tokens = []
    for pretoken in frame.cut(text):
        word = spelled(pretoken.text)
        if pretoken.special:
            tokens.append(word)
            continue
        joined_unknown = False
        for edge in encoder.lattice(word).best.edges:
            piece, is_unknown = word[edge.start : edge.end], edge.piece == 0
            if is_unknown and joined_unknown:
                tokens[-1] += piece
            else:
                tokens.append(piece)
            joined_unknown = is_unknown
    return tokens


def test_a_piece_that_is_not_utf8_is_left_out(tmp_path: Path) -> None:
    pieces = [("<unk>", 0.0), ("a", -1.0), ("\udcff", -2.0)]
    assert save_pieces(pieces, tmp_path / "a.json") == 1
    assert Tokenizer.from_file(str(tmp_path / "a.json")).get_vocab_size() == 2


def test_pieces_that_no_line_can_hold_are_left_out(tmp_path: Path) -> None:
    texts = ("▁a", "b\tc", "d\ne", "\n", "f\u2028", "", "\ud800", "\udfff", "\ud7ff", "\ue000")
    assert save_piece_list([(text, -1.23456789) for text in texts], tmp_path / "a.vocab") == 7
    kept = (tmp_path / "a.vocab").read_text("utf-8").splitlines()
    assert kept == ["▁a\t-1.23457", "\ud7ff\t-1.23457", "\ue000\t-1.23457"]
