"""Texts are cut, padded and wrapped by their cells, not by their characters."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from bpe_tui.views.training_panels import before_after
from bpe_tui.widgets.rows import (
    NameSpans,
    PairSpans,
    Span,
    left,
    paragraph,
    spans_width,
    wrapped_text,
)
from bpe_tui.widgets.visible import shorten, signs, visible_bytes, width

UNKNOWN = "[UNK] stands for é  漢  字  — and 1 more: which text it was is lost"


def test_lines_of_wide_characters_fit_their_cells() -> None:
    for cells in range(10, 80):
        lines = wrapped_text(UNKNOWN, cells)
        assert max(map(width, lines)) <= cells
        assert " ".join(lines).split() == UNKNOWN.split()
        assert [row.spans[0][0] for row in paragraph(UNKNOWN, cells)] == lines


def test_blanks_within_a_line_are_kept_and_lines_break_in_long_words_and_chinese() -> None:
    assert wrapped_text("漢  字 is lost", 100) == ["漢  字 is lost"]
    assert wrapped_text("so lowestlow it is", 6) == ["so", "lowest", "low it", "is"]
    assert wrapped_text("so 漢字漢字。 it is", 5) == ["so 漢", "字漢", "字。", "it is"]


# -- pairs and tokens with too little room

TOKENS = st.binary(min_size=1, max_size=12).map(visible_bytes)


def said(spans: list[Span]) -> str:
    return "".join(text for text, _ in spans)


@given(TOKENS, TOKENS, st.integers(3, 60))
def test_a_shortened_pair_keeps_some_of_both_parts_and_cuts_no_byte(
    first: str, second: str, cells: int
) -> None:
    pair = PairSpans([(first, "")], (" + ", "border"), [(second, "")])
    fitted = left(pair, cells)
    assert spans_width(fitted) == cells
    if spans_width(pair) <= cells:
        assert said(fitted).rstrip() == said(pair)
        return
    edge = next(place for place, (_, role) in enumerate(fitted) if role == "border")
    for whole, shown in ((first, said(fitted[:edge])), (second, said(fitted[edge + 1 :]))):
        head, mark, tail = shown.strip().partition("…")
        assert signs(whole)[: len(signs(head))] == signs(head)
        assert signs(whole)[len(signs(whole)) - len(signs(tail)) :] == signs(tail)
        assert mark or head == whole


def test_a_pair_or_token_keeps_its_beginning_and_its_end_and_no_sign_is_cut_in_two() -> None:
    pair = PairSpans([("·international", "")], (" + ", "border"), [("s", "")])
    assert said(left(pair, 14)) == "·inter…ional+s"
    assert said(left(PairSpans(pair[2:], (" + ", "border"), pair[:1]), 14)) == "s+·inter…ional"
    assert said(left(NameSpans([("understanding", "")]), 8)) == "unde…ing"
    assert said(left(NameSpans([("<E0 B8 95>", "")]), 9)) == "<E0… 95> "
    assert (pair.is_shown_in("s │ ·international"), pair.is_shown_in("·international")) == (1, 0)
    assert shorten("ab<E4 B8>", 8) == "ab<E4…"
    assert shorten("漢‹200D›‹200D›", 8) == "漢…"
    assert shorten("a < b, c > d", 8) == "a < b, …"


@given(st.lists(TOKENS, min_size=2, max_size=12), st.data(), st.integers(12, 40))
def test_a_word_touched_shows_where_it_changed(
    tokens: list[str], data: st.DataObject, half: int
) -> None:
    place = data.draw(st.integers(0, len(tokens) - 2))
    joined = [*tokens[:place], tokens[place] + tokens[place + 1], *tokens[place + 2 :]]

    def strip(words: list[str]) -> list[Span]:
        return [span for word in words for span in (("┊", "cut"), (word, ""))][1:]

    was, now = strip(tokens), strip(joined)
    row = before_after(7, 1, was, now, half, half)
    assert spans_width(row) == 1 + 2 + half + 3 + half
    first = next(
        at for at, (old, new) in enumerate(zip(was, now, strict=False)) if old[0] != new[0]
    )
    arrow = row.index((" → ", "dim"))
    for spans, whole in ((row[2:arrow], was), (row[arrow + 1 :], now)):
        shown = said(spans)
        beginning = signs(whole[first][0])[0]
        assert beginning in shown
        assert shown.startswith("…") or shown[0] == whole[0][0][0]
