"""One text under a Unigram model: all its segmentations, and the ids of the libraries."""

import io
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import unigram_by_hand as by_hand
from generated import examples
from hypothesis import example, given
from hypothesis import strategies as st

from engine import UnigramError
from engine.unigram.lattice import Lattice, Reached, TracedBack, log_total, viterbi_steps
from engine.unigram.pieces import PieceTable
from engine.unigram.trainer import UnigramTrainer

SCORES = st.floats(min_value=-20, max_value=-0.01)
TEXTS = st.text("abc", min_size=1, max_size=8)


@st.composite
def models(draw: st.DrawFn) -> dict[str, float]:
    """Draw scores for a, b, c and some longer pieces."""
    longer = draw(st.sets(st.text("abc", min_size=2, max_size=4), max_size=12))
    return {text: draw(SCORES) for text in ["a", "b", "c", *sorted(longer)]}


def lattice_of(text: str, model: dict[str, float]) -> Lattice:
    return Lattice(text, PieceTable(list(model), list(model.values())))


@given(TEXTS, models(), st.integers(1, 40))
@example("abcab", {"a": -1.0, "b": -2.0, "c": -3.0, "ab": -2.5, "bc": -4.0, "cab": -5.0}, 5)
def test_the_best_paths_are_the_first_of_all_segmentations_and_the_total_is_their_sum(
    text: str, model: dict[str, float], wanted: int
) -> None:
    lattice = lattice_of(text, model)
    every = sorted(by_hand.score(w, model) for w in by_hand.segmentations(text, model))[::-1]
    paths = lattice.n_best(wanted)
    assert [path.score for path in paths] == pytest.approx(every[:wanted])
    assert len({path.edges for path in paths}) == len(paths)
    assert paths[0] == lattice.best
    assert sum(edge.score for edge in lattice.best.edges) == pytest.approx(every[0])
    assert log_total(lattice) == pytest.approx(by_hand.log_total(text, model))


def test_of_equal_paths_the_last_piece_that_starts_furthest_left_wins() -> None:
    lattice = lattice_of("abc", {"a": -1.0, "b": -1.0, "c": -1.0, "ab": -2.0, "bc": -2.0})
    assert lattice.spelled(lattice.best) == ["a", "bc"]


def test_without_an_unknown_token_an_unknown_character_is_an_error() -> None:
    with pytest.raises(UnigramError, match="the character 'é' is no piece"):
        lattice_of("aé", {"a": -1.0})


def test_the_unknown_token_matches_no_text() -> None:
    table = PieceTable(["<u>", "<", "u", ">"], [0.0] * 4, unknown=0)
    assert Lattice("<u>", table).best.pieces == (1, 2, 3)


@pytest.mark.parametrize(
    ("texts", "unknown", "message"),
    [
        (["a", "a"], None, "piece 'a' is empty or occurs twice"),
        (["a", ""], None, "piece '' is empty"),
        (["a"], 1, "there is no piece 1; the ids go from 0 to 0"),
    ],
)
def test_unusable_pieces_are_an_error(texts: list[str], unknown: int | None, message: str) -> None:
    with pytest.raises(UnigramError, match=message):
        PieceTable(texts, [-1.0] * len(texts), unknown)


def test_memory_for_many_equal_paths_grows_only_with_the_text() -> None:
    lattice = lattice_of("a" * 5000, {"a": -1.0, "aa": -2.0, "aaa": -3.0})
    assert [path.score for path in lattice.n_best(3)] == pytest.approx([-5000.0] * 3)
    assert lattice.best.edges[-1].end == 5000


def test_the_empty_text_has_one_segmentation_of_no_pieces() -> None:
    lattice = lattice_of("", {"a": -1.0})
    assert lattice.best == lattice.n_best(2)[0]
    assert lattice.best.edges == ()
    assert log_total(lattice) == 0.0
    assert lattice.n_best(0) == []


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
def ours() -> PieceTable:
    return table_of(learnt())


def table_of(pieces: Pieces, unknown: int = 0) -> PieceTable:
    texts, scores = [text for text, _ in pieces], [score for _, score in pieces]
    return PieceTable(texts, scores, unknown)


def encoded(table: PieceTable, text: str) -> tuple[int, ...]:
    return by_hand.ids_of(Lattice(text, table).best, table.unknown)


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
def like_sentencepiece() -> PieceTable:
    model = sentencepiece()
    ids = range(model.get_piece_size())
    pieces = [(model.id_to_piece(id_), model.get_score(id_)) for id_ in ids]
    return table_of(pieces, model.unk_id())


def assert_like_hugging_face(text: str) -> None:
    theirs = tuple(token.id for token in hugging_face().tokenize(text))
    assert encoded(ours(), text) == theirs


def n_best(table: PieceTable, text: str, wanted: int) -> list[tuple[tuple[int, ...], float]]:
    paths = Lattice(text, table).n_best(wanted)
    return [(by_hand.ids_of(path, table.unknown), path.score) for path in paths]


def assert_like_sentencepiece(text: str) -> None:
    table = like_sentencepiece()
    theirs = tuple(sentencepiece().encode(text))
    best = n_best(table, text, 1)[0]
    if best[0] != theirs:
        # SentencePiece adds 32-bit floats, which cannot distinguish very close paths.
        near = dict(n_best(table, text, 8))
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
    model, table = sentencepiece(), like_sentencepiece()
    for text in ["▁there", "▁happily", "▁the▁cat", "▁what?"]:
        theirs = model.nbest_encode_as_ids(text, 10)
        assert [list(ids) for ids, _ in n_best(table, text, 10)] == theirs


def test_viterbi_steps_reach_every_node_and_go_back_along_the_best_path() -> None:
    table = table_of([("<unk>", 0.0), ("a", -1.0), ("b", -2.0), ("ab", -2.5)])
    *sweep, first, second = viterbi_steps(Lattice("abb", table))
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
    steps = list(viterbi_steps(Lattice(text, ours())))
    back = [step.taken for step in steps if isinstance(step, TracedBack)]
    assert tuple(edge.piece for edge in reversed(back)) == encoded(ours(), text)
    assert sum(isinstance(step, Reached) for step in steps) == len(text)


def test_adjacent_unknown_characters_are_one_unknown_token() -> None:
    table = table_of([("<unk>", 0.0), ("a", -1.0)])
    assert encoded(table, "é日a日") == (0, 1, 0)
    assert Lattice("é日", table).best.pieces == (0, 0)
