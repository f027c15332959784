"""Characters, bytes and tokens of a text are aligned, for any bytes."""

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest
from generated import examples, first_quick
from hypothesis import given
from hypothesis import strategies as st
from model_pipelines import MODEL_BUILDERS
from odd_texts import texts
from pipelines import BUILDERS, built
from tokenizers import Tokenizer as HuggingFace

from engine import Timeline, Tokenizer, Trainer
from engine.encoding.lanes import Lanes, TokenPlace, align, align_places, tokens_in
from engine.formats import open_tokenizer
from engine.pipeline.as_tokenizer import tokenizer_of
from engine.pipeline.models import Unigram, WordPiece
from engine.pipeline.normalizers import Lowercase
from engine.pipeline.pipeline import Pipeline
from engine.pipeline.pretokenizers import BertPreTokenizer, Metaspace
from engine.text.pretokenize import to_bytes

PARTS = st.one_of(
    st.text("a é漢🙂", min_size=1, max_size=3).map(str.encode),
    st.sampled_from([b"\xe6", b"\xbc", b"\xa2", b"\xf0\x9f", b"\xff", b"\x80", b"\xc0"]),
    st.binary(max_size=4),
)


@st.composite
def lanes_of_any_bytes(draw: st.DrawFn) -> Lanes:
    """Any bytes, cut anywhere."""
    data = b"".join(draw(st.lists(PARTS, max_size=8)))
    cuts = sorted(draw(st.sets(st.integers(0, len(data)), max_size=8)) | {0, len(data)})
    pieces = [data[start:end] for start, end in pairwise(cuts)]
    lanes = align(enumerate(pieces))
    assert lanes.data == data
    return lanes


def covers(spans: list[tuple[int, int]], start: int, end: int) -> bool:
    """Whether the spans follow each other from start to end and none is empty."""
    borders = [start, *(stop for _, stop in spans)]
    return (
        [begin for begin, _ in spans] == borders[:-1]
        and borders[-1] == end
        and all(begin < stop for begin, stop in spans)
    )


@given(lanes_of_any_bytes())
def test_each_lane_covers_all_bytes_and_characters_are_pythons(lanes: Lanes) -> None:
    size = len(lanes.data)
    assert covers([(c.start, c.end) for c in lanes.characters], 0, size)
    assert covers([(t.start, t.end) for t in lanes.tokens], 0, size)
    shown = "".join("\ufffd" if c.text is None else c.text for c in lanes.characters)
    assert shown == lanes.data.decode("utf-8", "replace")
    for character in lanes.characters:
        if character.text is not None:
            assert lanes.data[character.start : character.end] == character.text.encode()


def test_tokens_keep_their_ids_and_empty_ones_are_left_out() -> None:
    assert [t.token_id for t in align([(7, b"a"), (8, b""), (9, b"b")]).tokens] == [7, 9]
    assert align([]) == Lanes((), (), ())


def test_text_without_a_token_and_a_token_without_text_have_columns_of_their_own() -> None:
    lanes = align_places(" éb".encode(), [TokenPlace(7, 1, 1), TokenPlace(8, 1, 3)])
    assert lanes.columns == (0x20, None, 0xC3, 0xA9, 0x62)
    assert [(t.token_id, t.start, t.end) for t in lanes.tokens] == [(7, 1, 2), (8, 2, 4)]
    assert [(c.text, c.start, c.end) for c in lanes.characters] == [
        (" ", 0, 1), ("é", 2, 4), ("b", 4, 5)
    ]  # fmt: skip


def lanes_of(tokenizer: Tokenizer, text: str) -> Lanes:
    """Return the lanes of a text; their tokens are those of the encoding."""
    places = list(tokens_in(tokenizer.rules, text))
    assert [place.token_id for place in places] == tokenizer.encode(text)
    lanes = align_places(to_bytes(text), places)
    assert lanes.data == to_bytes(text)
    assert "".join(c.text or "" for c in lanes.characters) == text
    ends = [edge for place in places for edge in (place.start, place.end)]
    assert ends == sorted(ends)
    return lanes


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("lanes")


@pytest.mark.parametrize(
    "build", first_quick([*BUILDERS, *MODEL_BUILDERS], 6), ids=lambda build: str(build.__name__)
)
def test_the_lanes_of_any_pipeline_spell_the_typed_text(
    place: Path, build: Callable[[], HuggingFace]
) -> None:
    (place / "tokenizer.json").write_text(built(build).to_str())
    tokenizer = open_tokenizer(place / "tokenizer.json").tokenizer
    parts = ["The ", "  ", "unaffable", "caf\u00e9", "e\u0301", "漢字", "ﬁ½İ", "don't", "\n", "12"]
    added = sorted(tokenizer.cut_out)

    @examples(40)
    @given(st.lists(st.sampled_from([*parts, *added]) | texts(4), max_size=8))
    def is_the_same(parts: list[str]) -> None:
        lanes_of(tokenizer, "".join(parts))

    is_the_same()


def covered(tokenizer: Tokenizer, text: str) -> list[tuple[str, str]]:
    """Return each token of a text with the part of the text that it covers."""
    lanes = lanes_of(tokenizer, text)
    return [
        (
            tokenizer.vocab[token.token_id].decode(),
            lanes.between(token.start, token.end).decode("utf-8", "backslashreplace"),
        )
        for token in lanes.tokens
    ]


def test_a_piece_covers_its_text_without_the_signs_of_the_vocabulary() -> None:
    ids = {"[UNK]": 0, "un": 1, "##aff": 2, "##able": 3, "the": 4}
    bert = tokenizer_of(
        Pipeline(
            WordPiece(ids), normalizer=Lowercase(), pre_tokenizer=BertPreTokenizer()
        )
    )  # fmt: skip
    assert covered(bert, "The  unaffable é") == [
        ("the", "The"), ("un", "un"), ("##aff", "aff"), ("##able", "able"), ("[UNK]", "é")
    ]  # fmt: skip


def test_a_sign_in_front_covers_nothing_and_bytes_cover_a_byte_each() -> None:
    pieces = [("<unk>", 0.0), ("▁", -2.0), ("hug", -1.0), ("▁the", -1.0)]
    pieces += [(f"<0x{byte:02X}>", -9.0) for byte in range(256)]
    t5 = tokenizer_of(
        Pipeline(
            Unigram(pieces, 0, byte_fallback=True),
            pre_tokenizer=Metaspace(replacement="▁", prepend_scheme="always"),
        )
    )
    assert covered(t5, "hug the é") == [
        ("▁", ""), ("hug", "hug"), ("▁the", " the"), ("▁", " "),
        ("<0xC3>", r"\xc3"), ("<0xA9>", r"\xa9"),
    ]  # fmt: skip


def test_the_end_of_a_word_covers_nothing_until_it_has_merged() -> None:
    trainer = Trainer({b"low": 3, b"lo": 9}, 20, units="end-of-word")
    timeline = Timeline(trainer.counts, trainer.steps(), pattern="whitespace")
    for step, expected in ((0, ["l", "o", "w", ""]), (len(timeline), ["low"])):
        places = tokens_in(timeline.seek(step).rules, " low")
        assert [" low"[place.start : place.end] for place in places] == expected
