"""Texts are cut, padded and wrapped by their cells, not by their characters."""

from collections.abc import Callable, Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bpe_tui.explain.explanation import with_end
from bpe_tui.panels.corpus import flowed, within_rows
from bpe_tui.panels.training_panels import Labelled, over_labels, word_rows
from bpe_tui.shell.panel import SizedWord
from bpe_tui.widgets.rows import (
    CHIPS_MEET,
    Column,
    CutSpan,
    NameSpans,
    PairSpans,
    Row,
    RowsOnDemand,
    RowTable,
    Span,
    arranged,
    columns_of_spans,
    filled,
    first_rows,
    in_sight,
    left,
    paragraph,
    plain_text,
    right_aligned,
    skipped_before,
    spans_width,
    without_middle,
    wrapped,
    wrapped_text,
)
from bpe_tui.widgets.visible import shorten, signs, visible_bytes, width
from bpe_tui.words.narration import first_fitting, leading_parts, names_of_panels

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


def test_the_blanks_before_a_number_are_not_struck_through() -> None:
    columns = [
        Column("pair", 0, lambda value: [("x", "")]),
        Column("count", 9, lambda value: [(value, "stale")], is_number=True),
    ]
    table = RowTable(columns, 20, 4)
    row = [("x", ""), (" " * 10, ""), (" " * 6, ""), ("264", "stale")]
    assert table.row("264", "there") == Row(row, "there")
    assert said(table.header().spans) == "pair           count"
    assert spans_width(RowTable(columns, 5, 4).row("1").spans) == 4 + 9
    own = columns_of_spans(("a", 0), ("b", 1))
    assert [(each.title, each.is_number) for each in own] == [("a", False), ("b", True)]
    row = [*AB[:1], (" ", ""), ("", ""), ("1", "gain")]
    assert RowTable(own, 4, 1).row((AB[:1], row[-1:])).spans == row


def test_rows_on_demand_are_made_after_those_at_the_top() -> None:
    top = [Row([("top", "")])]
    rows = RowsOnDemand(2, lambda at: Row([(str(at), "")]), top)
    assert (len(rows), texts(rows)) == (3, ["top", "0", "1"])
    assert (texts(rows[1:]), texts([rows[-1]])) == (["0", "1"], ["1"])
    assert plain_text([("a", ""), CHIPS_MEET, ("b", "")], "┊") == "a┊b"


# -- the edge between what fits and what is cut

AB: list[Span] = [("ab", ""), ("cde", "")]
TOLD: list[Span] = [("ab", "gain"), ("cde", "loss")]
GONE, END = ("…", "dim"), ("", "")
TWICE = [(AB, AB), (AB[1:], AB[1:])]
CUT = CutSpan.of("今 ", "", [("▂▂▂", "mark-1")])
IN_PARTS: list[SizedWord] = [([("abcd", ""), ("efg", ""), ("h", "")], 8)]
OVER = [
    Labelled([("ab", "")], "1", ("│", "")),
    Labelled([("c", "")], "234", ("", "cut")),
    Labelled([("def", "")], "5", ("│", "")),
]
SIZED: list[SizedWord] = [([(text, "")], len(text)) for text in ("abc", "def", "g")]
CUTS: list[SizedWord] = [([CUT], 3)] * 3
PANELS, MARK = ("gains", "ties"), "▂▂▂"
NAMES, DEFG, LINES, FIVE = "gains ‹ties›", ["abc", "defg"], ["abc", "def", "g"], ["abcde", "cde"]
LETTERS: list[Span] = [span for each in "abcdef" for span in ((each * 2, ""), ("┊", "cut"))]

COLUMNS = Column("a", 4, str, importance=1, share=1), Column("b", 5, str, importance=2, share=2)


def texts(rows: Iterable[Row]) -> list[str]:
    return [said(list(row.spans)) for row in rows]


@pytest.mark.parametrize(
    ("draw", "drawn"),
    [
        (lambda c: said(left(AB, c)), {5: "abcde", 2: "a…", 1: "…"}),
        (lambda c: said(left([("漢字", "")], c)), {4: "漢字", 3: "漢…", 2: "… "}),
        (
            lambda c: said(left(PairSpans(AB, (" + ", ""), AB), c)),
            {13: "abcde + abcde", 11: "abcde+abcde", 4: "a…+…", 3: "…+…", 2: "……"},
        ),
        (
            lambda c: said(left(NameSpans([("«abcdefgh»", "fresh")]), c)),
            {10: "«abcdefgh»", 9: "abcdefgh ", 7: "abc…fgh"},
        ),
        (
            lambda c: said(without_middle([("«", "fresh"), ("lo", "fresh"), ("»", "fresh")], c)),
            {4: "«lo»", 3: "lo", 1: "…", 0: "…", -4: "…"},
        ),
        (lambda c: said(without_middle([("", "")], c)), {1: "", -1: ""}),
        (lambda c: said(left(NameSpans([("«abcdef»", "")]), c)), {8: "«abcdef»", 7: "«ab…ef»"}),
        (lambda c: said(left(NameSpans([("漢c漢b", "")]), c)), {6: "漢c漢b", 5: "漢c…b", 2: "…b"}),
        (lambda c: left(TOLD, c), {4: [TOLD[0], ("c…", "loss"), END], 3: [TOLD[0], GONE, END]}),
        (lambda c: said(filled(AB, c)), {6: "abcde ", 5: "abcde", 4: "abc…"}),
        (lambda c: filled(TOLD[:1], c), {3: [("ab ", "gain")], 2: [TOLD[0], END]}),
        (lambda c: skipped_before(LETTERS[:6], 4, 4, c), {9: 0, 8: 2, 7: 2, 6: 4, 3: 4}),
        (lambda c: skipped_before(LETTERS, 2, 4, c), {9: 0, 8: 2, 6: 2}),
        (lambda c: skipped_before(LETTERS[:5], 4, 4, c), {8: 0, 7: 2}),
        (lambda c: skipped_before(AB, 1, 1, c), {5: 0, 4: 0}),
        (lambda c: right_aligned(AB, c), {7: [("  ", ""), *AB], 4: [("", ""), *AB]}),
        (
            lambda c: [(p.column.title, p.start, p.cells) for p in arranged(COLUMNS, c)],
            {20: [("a", 0, 7), ("b", 9, 11)], 19: [("a", 0, 6), ("b", 8, 10)]}
            | {11: [("a", 0, 4), ("b", 6, 5)], 10: [("b", 0, 10)], 4: [("b", 0, 5)]},
        ),
        (lambda c: [p.cells for p in arranged([Column("a", 4, str)], c)], {9: [4], 3: [4]}),
        (lambda c: said(in_sight(LETTERS, 2, c)), {6: "aa┊bb…", 5: "…bb┊…"}),
        (lambda c: said(filled([CUT], c)), {4: "今  ", 3: "今 "}),
        (lambda c: said(in_sight(LETTERS, 8, c)), {18: "aa┊bb┊cc┊dd┊ee┊ff┊", 11: "…cc┊dd┊ee┊…"}),
        (lambda c: said(with_end(AB, "end", c)), {10: "abcde  end", 9: "abc…  end"}),
        (lambda c: names_of_panels(PANELS, "ties", c), {14: " gains  ‹ties›", 13: NAMES}),
        (lambda c: leading_parts(c, "one │ two"), {9: "one │ two", 8: "one", 2: "one"}),
        (lambda c: first_fitting(c, "abcd", "ab"), {4: "abcd", 3: "ab", 1: "ab"}),
        (lambda c: texts(flowed(SIZED, c)), {6: ["abcdef", "g"], 5: DEFG}),
        (lambda c: texts(flowed(IN_PARTS, c)), {8: ["abcdefgh"], 7: ["abcdefg", "h"]}),
        (lambda c: texts(flowed([([CUT], 3), ([("ab", "")], 2)], c)), {5: ["今 ab", "▂▂▂  "]}),
        (lambda n: texts(within_rows(SIZED, n, 3)), {3: LINES, 2: ["abc", "de…"]}),
        (lambda c: texts(within_rows(CUTS, 2, c)), {4: ["今 …", MARK], 3: ["今 ", MARK]}),
        (lambda c: texts(over_labels(OVER, c)), {7: ["ab│c   ", "1  234 ", "def│", "5   "]}),
        (lambda c: texts(over_labels(OVER, c))[:3], {6: ["ab│", "1  ", "c   "]}),
        (lambda n: len(first_rows(map(Row, ([CUT], AB, [CUT], AB)), n)), {4: 4, 3: 2, 2: 2, 1: 1}),
        (lambda n: len(first_rows(map(Row, (AB, [CUT])), n)), {3: 1, 2: 1}),
        (lambda c: texts(word_rows([12, 3], TWICE, c, False)), {17: ["12  abcde", " 3  cde"]}),
        (lambda c: wrapped([AB, AB[:1], AB[1:]], c), {5: [AB, AB]}),
        (lambda c: [said(each) for each in wrapped([AB, AB[1:]], c)], {8: ["abcdecde"], 7: FIVE}),
    ],
)
def test_what_fits_exactly_is_whole_and_with_a_cell_less_it_is_cut(
    draw: Callable[[int], object], drawn: dict[int, object]
) -> None:
    assert {room: draw(room) for room in drawn} == drawn
