"""The encoder gives the ids of Hugging Face and SentencePiece, and shows its steps."""

from __future__ import annotations

import io
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from generated import examples
from hypothesis import given
from hypothesis import strategies as st

from engine.unigram.lattice import Reached, TracedBack, UnigramEncoder, viterbi_steps
from engine.unigram.trainer import UnigramTrainer

SAMPLES = Path(__file__).resolve().parents[3] / "samples"
STORIES = (SAMPLES / "tinystories_valid.txt").read_text(encoding="utf-8")[:60_000]
OTHER_TEXTS = [
    (SAMPLES / name).read_text(encoding="utf-8")[:5000] for name in ("code.txt", "unicode.txt")
]
SAMPLE_LINES = [
    line.replace(" ", "▁") for text in (STORIES[:20_000], *OTHER_TEXTS) for line in text.split("\n")
]
ODD_TEXTS = st.text("aehnt▁.é日🙂", max_size=30)

Pieces = list[tuple[str, float]]


@cache
def learnt() -> Pieces:
    trainer = UnigramTrainer(Counter("▁" + word for word in STORIES.split()), 600)
    list(trainer.steps())
    return trainer.pieces


@cache
def ours() -> UnigramEncoder:
    return UnigramEncoder(learnt())


@cache
def hugging_face() -> Any:
    models = pytest.importorskip("tokenizers.models")
    return models.Unigram(learnt(), unk_id=0, byte_fallback=False)


@cache
def sentencepiece() -> Any:
    """A model that SentencePiece trained without normalising the text."""
    library = pytest.importorskip("sentencepiece")
    model = io.BytesIO()
    library.SentencePieceTrainer.train(
        sentence_iterator=iter(STORIES.split("\n")),
        model_writer=model,
        vocab_size=500,
        normalization_rule_name="identity",
        add_dummy_prefix=False,
        remove_extra_whitespaces=False,
        minloglevel=2,
    )
    return library.SentencePieceProcessor(model_proto=model.getvalue())


@cache
def like_sentencepiece() -> UnigramEncoder:
    model = sentencepiece()
    ids = range(model.get_piece_size())
    pieces = [(model.id_to_piece(id_), model.get_score(id_)) for id_ in ids]
    control = [id_ for id_ in ids if model.is_control(id_)]
    return UnigramEncoder(pieces, unknown=model.unk_id(), special=control)


def assert_like_hugging_face(text: str) -> None:
    theirs = tuple(token.id for token in hugging_face().tokenize(text))
    assert ours().encode(text) == theirs


def n_best(encoder: UnigramEncoder, text: str, wanted: int) -> list[tuple[tuple[int, ...], float]]:
    paths = encoder.lattice(text).n_best(wanted)
    return [(encoder.ids_of(path), path.score) for path in paths]


def assert_like_sentencepiece(text: str) -> None:
    encoder = like_sentencepiece()
    theirs = tuple(sentencepiece().encode(text))
    best = n_best(encoder, text, 1)[0]
    if best[0] != theirs:
        # SentencePiece adds 32-bit floats, which cannot distinguish very close paths.
        near = dict(n_best(encoder, text, 8))
        assert near[theirs] == pytest.approx(best[1], abs=1e-4 * len(text))


@given(ODD_TEXTS)
@examples(200)
def test_random_texts_get_the_ids_of_both_libraries(text: str) -> None:
    assert_like_hugging_face(text)
    assert_like_sentencepiece(text)


def test_the_samples_get_the_ids_of_both_libraries() -> None:
    for line in SAMPLE_LINES:
        assert_like_hugging_face(line)
        assert_like_sentencepiece(line)


def test_the_n_best_are_those_of_sentencepiece() -> None:
    model, encoder = sentencepiece(), like_sentencepiece()
    for text in ["▁there", "▁happily", "▁the▁cat", "▁what?"]:
        theirs = model.nbest_encode_as_ids(text, 10)
        assert [list(ids) for ids, _ in n_best(encoder, text, 10)] == theirs


def test_viterbi_steps_reach_every_node_and_go_back_along_the_best_path() -> None:
    encoder = UnigramEncoder([("<unk>", 0.0), ("a", -1.0), ("b", -2.0), ("ab", -2.5)])
    *sweep, first, second = viterbi_steps(encoder.lattice("abb"))
    assert [
        (step.node, [(a.edge.piece, a.score) for a in step.arrivals], step.best.edge.piece)
        for step in sweep
        if isinstance(step, Reached)
    ] == [(1, [(1, -1.0)], 1), (2, [(3, -2.5), (2, -3.0)], 3), (3, [(2, -4.5)], 2)]
    assert isinstance(first, TracedBack)
    assert isinstance(second, TracedBack)
    assert (first.taken.piece, second.taken.piece) == (2, 3)


@given(st.text("ehtn▁.", min_size=1, max_size=12))
def test_viterbi_steps_end_with_the_ids_of_the_encoding(text: str) -> None:
    steps = list(viterbi_steps(ours().lattice(text)))
    back = [step.taken for step in steps if isinstance(step, TracedBack)]
    assert tuple(edge.piece for edge in reversed(back)) == ours().encode(text)
    assert sum(isinstance(step, Reached) for step in steps) == len(text)


def test_adjacent_unknown_characters_are_one_unknown_token() -> None:
    encoder = UnigramEncoder([("<unk>", 0.0), ("a", -1.0)])
    assert encoder.encode("é日a日") == (0, 1, 0)
    assert encoder.lattice("é日").best.pieces == (0, 0)
