"""Characters, bytes and tokens of a text are aligned, for any bytes."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st
from inside.engine.encoding import Lanes, align

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
def test_each_lane_covers_all_bytes(lanes: Lanes) -> None:
    size = len(lanes.data)
    assert covers([(c.start, c.end) for c in lanes.characters], 0, size)
    assert covers([(t.start, t.end) for t in lanes.tokens], 0, size)
    for token in lanes.tokens:
        assert covers([(p.start, p.end) for p in token.pieces], token.start, token.end)


@given(lanes_of_any_bytes())
def test_characters_are_those_that_python_decodes(lanes: Lanes) -> None:
    shown = "".join("\ufffd" if c.text is None else c.text for c in lanes.characters)
    assert shown == lanes.data.decode("utf-8", "replace")
    for character in lanes.characters:
        if character.text is not None:
            assert lanes.data[character.start : character.end] == character.text.encode()


@given(lanes_of_any_bytes())
def test_a_piece_is_whole_just_if_no_character_of_it_is_broken_or_cut(lanes: Lanes) -> None:
    for token in lanes.tokens:
        for piece in token.pieces:
            inside = [c for c in lanes.characters if c.start < piece.end and piece.start < c.end]
            unbroken = all(
                c.text is not None and token.start <= c.start and c.end <= token.end for c in inside
            )
            assert piece.whole == unbroken
            assert piece.whole or len(inside) == 1


def test_tokens_keep_their_ids_and_empty_ones_are_left_out() -> None:
    assert [t.token_id for t in align([(7, b"a"), (8, b""), (9, b"b")]).tokens] == [7, 9]


def test_no_tokens_make_no_lanes() -> None:
    assert align([]) == Lanes(b"", (), ())
