"""The trace of an encoding, its lanes, and a typed text that is encoded as a new one would be."""

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import odd_texts
import pytest
import tiny_tokenizers
from chunk_texts import PIECES
from generated import examples, first_quick
from hypothesis import example, given
from hypothesis import strategies as st
from merge_lists import BYTES, MERGES, PRETOKENS, Merges, tokenizer
from model_pipelines import MODEL_BUILDERS
from odd_texts import texts
from pipelines import BUILDERS, built
from tokenizers import Tokenizer as HuggingFace

from engine import TextError, Timeline, Tokenizer, Trainer
from engine.encoding.lanes import Lanes, TokenPlace, align, align_places, tokens_in
from engine.encoding.rules import first_merge_across, trace
from engine.encoding.traced import MOST_IDS
from engine.formats import open_tokenizer
from engine.pipeline.as_tokenizer import tokenizer_of
from engine.pipeline.models import Unigram, WordPiece
from engine.pipeline.normalizers import Lowercase
from engine.pipeline.pipeline import Pipeline
from engine.pipeline.pretokenizers import BertPreTokenizer, Metaspace
from engine.text.pretokenize import to_bytes, to_text

LOW = [(b"l", b"o"), (b"lo", b"w"), (b"o", b"w")]


def test_a_repeated_pretoken_is_marked_as_cached_and_a_special_token_has_one_id() -> None:
    tok = Tokenizer(BYTES, [], special_tokens=["<s>"], pattern="gpt2")
    told = [(piece.pretoken.text, piece.seen_before, piece.ids) for piece in trace(tok, "a b b<s>")]
    repeated = [("a", False, (97,)), (" b", False, (32, 98)), (" b", True, (32, 98))]
    assert told == [*repeated, ("<s>", False, (256,))]
    for longest, merges in ((3, 0), (4, 2)):
        [slow] = trace(tokenizer(LOW), "slow", longest)
        assert (len(slow.merges), slow.ids) == (merges, (115, 257))


def test_a_frame_is_traced_with_the_merges_of_its_step() -> None:
    timeline = Timeline({b"low": 5, b"lower": 2}, Trainer({b"low": 5, b"lower": 2}, 300).steps())
    for step in range(len(timeline) + 1):
        frame = timeline.seek(step)
        [piece] = trace(frame, "lower")
        assert [merge.step for merge in piece.merges] == list(frame.rules.steps(b"lower"))
        assert piece.ids == frame.tokens_of(b"lower")


@examples(150)
@given(MERGES, PRETOKENS)
@example([(b"a", b"b"), (b"b", b"a")], b"abab")
def test_every_adjacent_pair_with_a_merge_is_a_candidate_and_the_best_wins(
    merges: Merges, pretoken: bytes
) -> None:
    tok = tokenizer(merges)
    for piece in trace(tok, to_text(pretoken)):
        for merge in piece.merges:
            tokens = [tok.vocab[token] for token in merge.step.before]
            pairs = [(tokens[i], tokens[i + 1], i) for i in range(len(tokens) - 1)]
            expected = sorted((merges.index((a, b)), i) for a, b, i in pairs if (a, b) in merges)
            assert all(merge.step.before[o.position :][:2] == o.pair for o in merge.lost)
            told = [(merge.step.rank, merge.step.position)]
            told += [(lost.rank, lost.position) for lost in merge.lost]
            assert told == expected


@examples(150)
@given(MERGES, PRETOKENS, st.integers(0, 30))
@example([(b"a", b"b"), (b"ab", b"c")], b"abc", 1)
@example([(b"a", b"b"), (b"ab", b"c")], b"abc", 2)
def test_a_border_is_kept_unless_a_merge_crosses_it(
    merges: Merges, pretoken: bytes, border: int
) -> None:
    tok = tokenizer(merges)
    across = first_merge_across(tok.rules, pretoken, [border])
    ends, length = {0}, 0
    for token in tok.rules.tokens_of(pretoken):
        length += len(tok.vocab[token])
        ends.add(length)
    assert (across is None) == (border in ends or border > length)
    if across is not None:
        step = list(tok.steps(pretoken))[across.number - 1]
        assert (across.rank, across.pair) == (step.rank, step.pair)
        assert across.start < border < across.end
        assert pretoken[across.start : across.end] == tok.vocab[step.token_id]


@examples(100)
@given(odd_texts.texts())
def test_a_traced_encoding_has_the_ids_of_the_encoding(text: str) -> None:
    tok = tiny_tokenizers.handout()
    traced = tok.encode_traced(text)
    assert list(traced.ids) == tok.encode(text)
    called: list[object] = []
    tok.encode(text, on_step=called.append)
    assert [merge.step for piece in traced.pretokens for merge in piece.merges] == called


def test_a_text_whose_steps_do_not_fit_into_memory_is_refused() -> None:
    tok = Tokenizer(BYTES, [], pattern="none")
    longest = int(MOST_IDS**0.5)
    assert len(tok.encode_traced("a" * longest).ids) == longest
    with pytest.raises(TextError, match="would not fit into memory"):
        tok.encode_traced("a" * (longest + 1))


Edit = tuple[int, int, str]
"""The place of an edit, the number of removed characters, and the inserted text."""

PARTS = st.sampled_from([*PIECES, " the", "\ud83d", "\ude00", "\udcc3", "\udca9"])
EDITS = st.lists(st.tuples(st.integers(0, 60), st.integers(0, 5), PARTS), min_size=1, max_size=8)
START = st.lists(PARTS, max_size=20).map("".join)


def states(text: str, edits: list[Edit]) -> list[str]:
    found = [text]
    for place, gone, new in edits:
        place %= len(text) + 1
        text = text[:place] + new + text[place + gone :]
        found.append(text)
    return found


LEARNT = Trainer({b" low": 5, b" lower": 2, b"the": 9, b"er": 3}, 268, [])
STEPS = list(LEARNT.steps())


@examples(100)
@given(text=START, edits=EDITS, steps=st.lists(st.integers(0, len(STEPS)), min_size=9, max_size=9))
def test_a_frame_forgets_nothing_of_text_or_step(
    text: str, edits: list[Edit], steps: list[int]
) -> None:
    """One timeline keeps what it encoded; a new one for every text has nothing to keep."""
    counts = {b" low": 5, b" lower": 2, b"the": 9, b"er": 3}
    timeline = Timeline(counts, STEPS)
    for state, step in zip(states(text, edits), steps, strict=False):
        fresh = Timeline(counts, STEPS).seek(step)
        assert timeline.seek(step).encode(state) == fresh.encode(state)


def test_a_returned_list_may_be_changed() -> None:
    frame = Timeline({b"ab": 1}, []).frame
    frame.encode("a b").clear()
    assert [piece.pretoken.text for piece in frame.encode("a b")] == ["a", " b"]


LANE_PARTS = st.one_of(
    st.text("a é漢🙂", min_size=1, max_size=3).map(str.encode),
    st.sampled_from([b"\xe6", b"\xbc", b"\xa2", b"\xf0\x9f", b"\xff", b"\x80", b"\xc0"]),
    st.binary(max_size=4),
)


@st.composite
def lanes_of_any_bytes(draw: st.DrawFn) -> Lanes:
    """Any bytes, cut anywhere."""
    data = b"".join(draw(st.lists(LANE_PARTS, max_size=8)))
    cuts = sorted(draw(st.sets(st.integers(0, len(data)), max_size=8)) | {0, len(data)})
    pieces = [data[start:end] for start, end in pairwise(cuts)]
    lanes = align(enumerate(pieces))
    assert lanes.between(0, len(lanes.columns)) == data
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
    size = len(lanes.between(0, len(lanes.columns)))
    assert covers([(c.start, c.end) for c in lanes.characters], 0, size)
    assert covers([(t.start, t.end) for t in lanes.tokens], 0, size)
    shown = "".join("\ufffd" if c.text is None else c.text for c in lanes.characters)
    assert shown == lanes.between(0, len(lanes.columns)).decode("utf-8", "replace")
    for character in lanes.characters:
        if character.text is not None:
            assert lanes.between(character.start, character.end) == character.text.encode()


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
    assert lanes.between(0, len(lanes.columns)) == to_bytes(text)
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
