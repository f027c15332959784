"""Columns, rows and sentences on both sides of each bound of their room, in the sheet `parts`."""

from collections.abc import Iterable, Iterator
from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np
from drawing import SHEETS, Drawing
from opening import SAMPLE, session_of
from sheets import check_sheet
from tiny_tokenizers import LOW, timeline_of

from bpe_tui.bpe.encoding_screen import TypedLanesPanel
from bpe_tui.bpe.inspection_rows import SECTIONS
from bpe_tui.bpe.training_screen import CorpusPanel
from bpe_tui.explain.bpe import BpeExplainer
from bpe_tui.explain.explanation import (
    Bar,
    BarColumns,
    Beat,
    CountRoom,
    StepMoment,
    bar_row,
    with_end,
)
from bpe_tui.panels import token_detail, training_panels
from bpe_tui.panels.charts import ZIPF, _columns, frequent, lengths
from bpe_tui.panels.corpus import CorpusPlace, elsewhere_row, flowed, within_rows
from bpe_tui.panels.heap_table import EntryTable, TableRoom, highest_shown
from bpe_tui.panels.inspection_rows import _length_bins
from bpe_tui.panels.token_detail import (
    Label,
    Lane,
    LanesPanel,
    MergeTreePanel,
    bracketed,
    characters_and_bytes,
    lane_rows,
)
from bpe_tui.panels.token_table import _number_or_none
from bpe_tui.panels.training_panels import (
    CHANGES_SHOWN,
    before_after,
    before_after_cells,
    count_cells,
    in_lines,
    rows_of_changes,
)
from bpe_tui.panels.why_rows import explanation_rows, token_rows
from bpe_tui.session.config import RunConfig
from bpe_tui.shell.panel import FramePanel, SizedWord, TokenPainter
from bpe_tui.shell.targets import ToStep
from bpe_tui.widgets.rows import CutSpan, Row
from bpe_tui.widgets.visible import width
from bpe_tui.words.encoded_text import (
    LONGEST_EXPLAINED,
    describe_probes,
    explanation,
)
from bpe_tui.words.narration import (
    characters_with,
    first_fitting,
    fitting_facts,
    leading_parts,
    names_of_panels,
    part_of,
)
from bpe_tui.words.transcript import Transcript
from bpe_tui.words.typed import parse_step
from engine import Frame, Tokenizer
from engine.analysis.explanation import explain
from engine.analysis.inspection import Inspection
from engine.encoding.lanes import TokenPlace, align_places
from engine.text.excerpt import Excerpt
from engine.wordpiece.tokenizer import WordPieceEncoder

STALE = {b"xthe": 30, b"the": 9, b"tha": 20, b"xha": 15, b"hez": 40, b"hay": 40}
MANY = {f" {a}{b}".encode(): 100 * a + b for a in range(1, 8) for b in range(1, 8)}
LONG = bytes((*range(0x61, 0x7B), *range(0x41, 0x5B)))
Part = tuple[str, Iterable[object]]
"""A title, and rows or texts."""


def frame_of(counts: dict[bytes, int], merges: int, excerpt: Excerpt | None = None) -> Frame:
    return timeline_of(counts, 256 + merges, excerpt).frame


def heaps() -> Iterator[Part]:
    bounds = {True: (29, 40, 49, 50, 51, 58, 59, 61, 62, 107, 108), False: (43, 44, 45)}
    for has_heap, widths in bounds.items():
        rooms = (TableRoom.within(cells, 5, has_heap) for cells in widths)
        yield f"columns, {has_heap=}", map(tuple, rooms)
    frame = frame_of(MANY, 32)
    shown = [(step, highest_shown(frame.at(step))) for step in (0, 1, 15, 16, 31, 32)]
    yield (
        "highest counts, new at powers of two",
        [*shown, [each.count for each in frame.run.record]],
    )
    phases = RunConfig(str(SAMPLE.with_name("handout.txt")), phases="gpt2:266,none:272")
    frame = session_of(phases).frame  # type: ignore[assignment]
    yield "highest count of the second phase", [highest_shown(frame.at(9))]
    usual = (37, 45, 51, 52, 57, 63, 85, 118)
    for counts, step, widths in (
        (STALE, 2, usual),
        ({b" the": 2237, b"ash": 939, b"he": 2000, b"th": 300}, 1, usual),
        ({b"ab": 5, b"cd": 5}, 0, (28, 29)),
        ({"漢".encode(): 5, b"\xe6\xbc": 2}, 0, (38, 39)),
        ({b"abx": 1, b"aby": 100_000}, 1, (70,)),
    ):
        frame = frame_of(counts, 2).at(step)
        for cells in widths:
            table = EntryTable(frame, TokenPainter(frame, marks=False), cells)
            entries = frame.queue.entries(5)
            rows = (table.row(entries, line) for line in table.lines(entries))
            yield f"heap after {step}, {cells} cells", [table.header(), *rows]


def charts() -> Iterator[Part]:
    for cells in (23, 24, 35, 36):
        yield f"gains, {cells} cells", [[each.cells for each in _columns("tokens", 7, cells, 0)]]
    for series in ([], [0, 600, 399, 1], [0, 600, 399, 1, 1], [0, *[2] * 9]):
        statistics = SimpleNamespace(token_lengths=lambda step, of=series: np.array(of, np.int64))
        frame, kind = SimpleNamespace(statistics=statistics, step=0), lengths("?", "bytes", id)
        figure = kind.figure_of(frame)
        assert figure is not None
        axes = figure.xs.tolist(), figure.ys.tolist(), figure.bars_top
        yield f"lengths {series}", [*axes, kind.answer(frame)]
    histogram = [(1, 5), (12, 2), (13, 1), (24, 3), (25, 1), (48, 2), (49, 7), (97, 1)]
    inspection: Any = SimpleNamespace(length_histogram=histogram)
    yield "ranges of lengths", _length_bins(inspection).items()
    found = Inspection.of_frame(frame_of({LONG: 5}, 51).at(51))
    yield "the longest of long tokens", SECTIONS[-1].rows(found, 48)[:1]


def lessons() -> Iterator[Part]:
    rooms = {cells: CountRoom(5, cells, 10) for cells in (47, 56, 57, 62, 63, 80)}
    yield "beside fractions", [BarColumns.within(room, 18, 9) for room in rooms.values()]
    yield "without fractions", [BarColumns.within(rooms[80], 0, 9)]
    plain, marked = BpeExplainer(marks=False), BpeExplainer(marks=True)
    sizes = ((9, None, 60), (9, 9, 60), (5, 6, 47), (5, 6, 46), (6, 5, 46))
    yield "sizes", [plain.size_row(now, before, 9, cells) for now, before, cells in sizes]
    painter = TokenPainter(frame_of({LONG: 5}, 51).at(50), marks=False)
    bar = Bar(painter.frame.next_pair or (0, 0), 5, "5", fraction="5/25")
    rows = (bar_row(painter, bar, BarColumns(16, cells, 3), 50, 5, "") for cells in (0, 6))
    yield "a long pair, also beside a fraction", map(Row, rows)
    ways = [("four", "")], [("two", "")], [("a", "")]
    yield "first that fits", [plain.fitting(cells, *ways) for cells in (4, 3, 0)]
    yield "end", [Row(with_end([("low", "")], "end", 12))]
    text = b"low low\n" + b"low " * 5 + b"widest\nlower\n"
    frame = frame_of(LOW, 99, Excerpt.of(text, "whitespace"))
    for step, share in ((1, 0.4), (1, 0.94), (6, 0.4)):
        there = StepMoment(frame.at(step), frame.at(step + 1), Beat.JOIN, share)
        yield f"bars of step {step} at {share}", plain.count_rows(there, CountRoom(3, 40, 10))
    sizes_of_corpus = (1, 20), (3, 20), (4, 20), (3, 9), (4, 9)
    top = CorpusPlace(0, 0)
    places = (marked.place_to_show(frame, top, *size) for size in sizes_of_corpus)
    yield "places", [*places, marked.place_to_show(frame.at(frame.recorded_steps), top, 3, 20)]
    for step, widths in ((1, (19, 20, 32, 33, 45, 46, 59, 60)), (7, (60,))):
        made = StepMoment(frame.at(step - 1), frame.at(step), Beat.JOIN)
        rules = (plain.replace_rows(made, 0, cells)[0] for cells in widths)
        yield f"the rule of merge {step}", rules
    there = StepMoment(frame.at(1), frame.at(2))
    rooms_of_bars = (CountRoom(3, cells, 10) for cells in range(27, 32))
    yield "least bars", [plain.count_rows(there, room)[0] for room in rooms_of_bars]
    marks_above = frame_of({"漢".encode(): 9}, 1, Excerpt.of("low 漢".encode(), "whitespace"))
    yield "above marks", [marked.place_to_show(marks_above, top, 1, 9)]
    alone = frame_of(LOW, 1, Excerpt.of(b"low", "whitespace"))
    two = frame_of(LOW, 1, Excerpt.of(b"low ", "whitespace"))
    yield "is there a beat of cutting?", [plain.cuts(each) for each in (alone, two, frame)]
    cut = frame_of(LOW, 99, Excerpt.of(b"low low\nlower\n", "whitespace", complete=False))
    for step, beat in ((0, Beat.LIGHT), (0, Beat.REST), (3, Beat.REST), (4, Beat.LIGHT)):
        there = StepMoment(cut.at(step), cut.at(step + 1), beat)
        yield f"{beat.name} of a pick elsewhere, {step}", marked.corpus_rows(there, top, 2, 60)


def sentences() -> Iterator[Part]:
    def knows(characters: str) -> Any:
        known = SimpleNamespace(with_part=lambda token: list(characters))
        return SimpleNamespace(run=SimpleNamespace(characters=known))

    for known in ("我成戏人", "我成戏", "我成", "我", ""):
        yield (
            f"beside a part: {known}",
            [characters_with(knows(known), [b"\xe6"], cells) for cells in range(4, 14)],
        )
    whole = [b"\xe6\x88", b"\x91"]
    yield "whole", [characters_with(knows("我"), whole, cells) for cells in (3, 4)]
    parts = (b"\xe6\x88", b"\x88\x91", b"\x88", b"\x91", b"a\xe6")
    yield "parts", [str(part_of(knows("我"), token)) for token in parts]
    yield "leading parts", [leading_parts(room, "low │ lower") for room in (11, 10, 1)]
    yield "first fitting", [first_fitting(room, "four", "two", "a") for room in (4, 3, 0)]
    facts = [(2, "seven"), (1, "two"), (3, "nine")]
    yield "facts", [fitting_facts(facts, room) for room in (18, 17, 11, 10, 4)]
    typed: Any = ("10", "1,000", "9" * 9, "9" * 10, "ten", "²", "")
    yield "numbers typed", [Transcript.number_in(typed, each) for each in typed]
    numbers = (None, 9_999_999, 10_000_000)
    yield "numbers of a table", [_number_or_none(each) for each in numbers]
    panels = ("gains", "ties")
    yield "panels", [names_of_panels(panels, "ties", room) for room in (14, 13, 12, 11)]


def words(*texts: str) -> list[SizedWord]:
    """Return words, those of one Chinese character with marks below it."""
    cut = ([CutSpan.of(each, "", [("▂▄", "")])] for each in texts)
    both = (([(each, "")] if each.isascii() else next(cut), width(each)) for each in texts)
    return list(both)


def corpora() -> Iterator[Part]:
    english, chinese = words("one ", "two", "three", "four"), words("今", "天", "a", "b", "很")
    for given, rooms in (
        (english, ((3, 8), (2, 8), (1, 8))),
        (chinese, ((6, 3), (3, 3), (4, 2))),
        (words("今", "天", "很", "我"), ((4, 3),)),
        (words("今", "天"), ((1, 3),)),
        (words("今"), ((1, 3),)),
    ):
        for rows, cells in rooms:
            yield f"{len(given)} words in {rows} × {cells}", within_rows(given, rows, cells)
    broken = [([("one ", ""), ("ninety", ""), ("x", "")], 11), ([("two", "")], 3)]
    for cells in (7, 10, 11):
        yield f"a word too long for {cells}", flowed(broken, cells)
    yield "just full", flowed(words("one ", "two"), 7)
    frame = frame_of({b"lowest": 3}, 2).at(1)
    painter, [word] = TokenPainter(frame, marks=True), frame.affected(1)
    for is_made, widths in ((True, (58, 57, 32, 31)), (False, (63, 62, 36))):
        rows = (elsewhere_row(painter, word, is_made=is_made, width=cells) for cells in widths)
        yield f"elsewhere, {is_made=}", rows


def details() -> Iterator[Part]:
    text = "a the漢\u200d".encode() + b"\x9f" + b"xy" * 9 + b"!"
    tokens = (256, 1, 5), (257, 5, 8), (123456, 8, 9), (1234567, 12, 30)
    lanes, empty = align_places(text, [TokenPlace(*each) for each in tokens]), align_places(b"", [])
    ids = [Label(t.start, t.end, str(t.token_id), "dim", t.token_id) for t in lanes.tokens]
    names = [Label(t.start, t.end, "tok" * n, "") for n, t in enumerate(lanes.tokens, 1)]
    shown = [*characters_and_bytes(lanes), Lane("tokens", names, bracketed), Lane("ids", ids)]
    rows = lane_rows(lanes, shown, 36)
    yield "lanes", rows[:10]
    yield "lanes, then", rows[10:]
    yield "narrow lanes", lane_rows(lanes, shown, 0)[35:49]
    yield "no lanes", [len(lane_rows(empty, characters_and_bytes(empty), 36))]
    frame = frame_of({LONG: 5}, 51)
    painter = TokenPainter(frame.at(50), marks=True)
    answer, first = explanation_rows(painter, explain(painter.frame, (LONG,)), 40)
    yield f"a long way, first {first} of {len(answer)}", answer[-43:-38] + answer[-2:]
    tree = token_rows(TokenPainter(frame.at(51), marks=False), 306, 60)
    yield f"a deep tree of {len(tree)} rows", tree[13:17] + tree[-3:]
    yield "a byte", token_rows(TokenPainter(frame, marks=False), 97, 60)
    stories = session_of(RunConfig(str(SAMPLE), vocab_size=700)).frame
    assert stories is not None
    for at, asked, pair in ((26, (b"t", b"h"), (0x74, 0x68)), (50, (b"lowest",), None)):
        painter = TokenPainter(stories.at(at), marks=True)
        rows = explanation_rows(painter, explain(painter.frame, asked, pair=pair), 35)[0]
        yield f"{asked} at {at}", rows[-8:]


def limits(drawing: Drawing) -> Iterator[Part]:
    """Yield what is shown at each limit, and one above it."""
    for count in (CHANGES_SHOWN, CHANGES_SHOWN + 1):
        merge: Any = SimpleNamespace(changes=[((1, 2), 3, n) for n in range(count)])
        changed = rows_of_changes(merge, lambda *change: Row([(f"{change}", "")]), [])
        yield f"{count} changed counts", [len(changed), changed[-1]]
    typed = ["0", "200", "201", "50%", "100%", "101%", "+9", "-9", "+171", "-31", "0,1_0", "+x"]
    yield "steps typed at 30 of 200", [(each, parse_step(each, 30, 200)) for each in typed]
    yield "digits of a step", [parse_step("0" * digits, 0, 9) for digits in (0, 12, 13)]
    for size in (9, 10, 11):
        word = WordPieceEncoder({"[UNK]": 0, "a": 1}).explain("a" + "b" * size)
        yield f"{len(word.probes)} probes", describe_probes(word)
    letters = {byte: bytes([byte]) for byte in range(256)}
    joining = Tokenizer(letters | {256: b"ab", 257: b"cab"}, [(b"a", b"b"), (b"c", b"ab")])
    yield "explained", map(Row, explanation(joining, "cab a cab"))
    plain = Tokenizer(letters, [])
    for size in (LONGEST_EXPLAINED, LONGEST_EXPLAINED + 1):
        lines = [Row(line) for line in explanation(plain, "x" * size)]
        yield f"{size} bytes explained", [len(lines), lines[0].spans[0][0][-20:], *lines[1:-1]]
    frame = frame_of({LONG: 5, "漢字".encode(): 1}, 51)
    for count in (9, 10, 11):
        counts = np.array([12345, *[99] * (count - 1)])
        shown = [(b" the", 12345), *[(b"lower", 99)] * (count - 1)]
        of: Any = SimpleNamespace(pretoken_counts=counts, most_frequent=shown)
        of.commonest_pretoken, table = b" the", frequent().panel()
        yield f"{count} pretokens", [ZIPF.answer(SimpleNamespace(statistics=of))]
        for cells in (23, 24) if count == 10 else ():
            drawing.resize(cells, 5)
            table.set_reactive(FramePanel.frame, SimpleNamespace(statistics=of))
            table.rebuild()
            yield f"{table._shown_title} in {cells} cells", [Row(table.head), table.row(1)]
    drawing.patch(token_detail, "TOKENS_SHOWN", 2)
    drawing.patch(token_detail, "LINES_SHOWN", 3)
    for text, made, least in (("xq", 256, 11), ("xqx", 306, 4)):
        lanes = TypedLanesPanel()
        lanes.set_reactive(LanesPanel.text, text)
        drawing.add_panel(lanes, frame.at(51), 40)
        for cells in (40, token_detail.RANK_CELLS + least):
            tree = MergeTreePanel()
            tree.set_reactive(MergeTreePanel.token_id, made)
            drawing.add_panel(tree, frame.at(51), cells)
    painter = TokenPainter(frame, marks=True)
    text = [[97, 98], list("漢".encode()), [256, 99]]
    for most, rows, cells in (
        (3, 4, 24),
        (3, 3, 24),
        (3, 1, 24),
        (3, 1, 9),
        (2, 4, 24),
        (3, 2, 60),
    ):
        drawing.patch(training_panels, "MOST_CUT_WORDS", most)
        painter.in_bytes = False
        yield f"{most} words in {rows} × {cells}", in_lines(painter, text, rows, cells)
    painter.in_bytes = False
    for rows in (2, 3, 4, 5):
        yield f"a long text in {rows} × 9", in_lines(painter, text * 4, rows, 9)
    inside = frame_of({b"abcdefgwel": 5}, 1)
    for run, step, cells in ((frame, 1, 30), (frame, 6, 9), (frame, 30, 9), (inside, 1, 5)):
        was, now = (TokenPainter(run.at(at), marks=True) for at in (step - 1, step))
        [word] = run.at(step).affected(1)
        both = was.tokens(word.before), now.tokens(word.after)
        yield f"before and after merge {step}", [Row(before_after(5, 2, *both, cells, cells))]
    panel = MergeTreePanel()
    panel.set_reactive(MergeTreePanel.frame, frame)
    steps = [Row([("…", "")], ToStep(at)) for at in (0, 1, 2, 51, 52)]
    yield "steps in full", ["".join(text for text, _ in panel.whole(row)) for row in steps]
    widths = (21, 24, 35, 36)
    yield "columns of words", [(count_cells(12, w), before_after_cells(5, w)) for w in widths]


def scrolled(drawing: Drawing) -> Iterator[Part]:
    """Yield where the corpus panel scrolls to, for a merge in each of its lines."""
    text = b"low low\n" + b"low " * 40 + b"widest\nlower\nx\n" + "漢 漢字 lower\n".encode() * 2
    frame = frame_of(
        {b"low": 5, b"widest": 1, "漢字".encode(): 2}, 9, Excerpt.of(text, "whitespace")
    )
    panel = CorpusPanel()
    for step, height in ((1, 3), (1, 6), (3, 3), (3, 6), (8, 3), (8, 6)):
        drawing.resize(30, height)
        panel.set_reactive(CorpusPanel.frame, at := frame.at(step))
        tops = []
        for line in range(len(at.excerpt.lines)):
            panel._bring_to_sight(at, 30, line)
            tops.append(tuple(panel.top))
        yield f"step {step}: {at.merge and at.merge.token!r} in each line, {height} rows", [tops]
    few = Excerpt.of(b"low low\n" * 6, "whitespace", complete=False)
    there = frame_of({b"low": 5, b"zigzag": 9}, 3, few)
    for step in (0, 1):
        panel.set_reactive(CorpusPanel.frame, there.at(step))
        yield f"a merge elsewhere, at step {step}", panel.rows_of(there.at(step), 60)


def test_parts_on_both_sides_of_each_bound_are_those_kept(drawing: Drawing) -> None:
    of_panels = (partial(limits, drawing), partial(scrolled, drawing))
    for parts in (heaps, charts, lessons, sentences, corpora, details, *of_panels):
        for title, shown in parts():
            rows = [row if isinstance(row, Row) else Row([(str(row), "")]) for row in shown]
            drawing.add(title, "", rows)
    check_sheet("parts", drawing.lines, SHEETS)
