"""The rows of panels, lessons, charts and windows at three steps, without a screen.

A sheet has those of a run, as `drawing.py` tells them, but for the rows that are in the sheets
before it. Of other widths nothing is kept: their rows fit, and cut no word unseen.
"""

import re
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import takewhile
from pkgutil import resolve_name
from typing import Any

import numpy as np
import pytest
from drawing import SHEETS, Drawing
from opening import SAMPLE, session_of
from sheets import check_sheet

from bpe_tui.app.session_app import PLACES
from bpe_tui.bpe.heap_panel import VIEWS, PairsPanel
from bpe_tui.bpe.training_screen import PseudocodePanel
from bpe_tui.explain.explanation import AnyExplainer, Beat, CountRoom, StepMoment
from bpe_tui.explain.unigram import UnigramExplainer
from bpe_tui.panels.charts import ChartPanel
from bpe_tui.panels.corpus import CorpusPlace
from bpe_tui.panels.token_detail import MergeTreePanel
from bpe_tui.panels.training_panels import TypedTextPanel
from bpe_tui.panels.why_rows import explanation_rows, token_rows
from bpe_tui.session.config import Config, RunConfig, TokenizerConfig
from bpe_tui.session.declarations import CHARTS, INSPECTION, LESSON, TRAINING, VOCABULARY
from bpe_tui.shell.panel import FramePanel, TokenPainter
from bpe_tui.widgets.chart import Chart
from bpe_tui.widgets.controls import FooterKey, KeyBar, Tab, TabLine
from bpe_tui.widgets.figure import Figure
from bpe_tui.widgets.rows import Row, RowTable, plain_text
from bpe_tui.widgets.visible import width as cells
from engine.analysis.explanation import explain
from engine.bpe.trainers import TRAINERS
from engine.recording.playback import MergeFrame

CELLS = 78
LEAST_OF_LESSON = 40
"""Width below which lessons and tables of inspection are not drawn."""
WORD, TITLE, LAST_WORD, NUMBERS = map(
    re.compile, (r"\S+", r"\S+(?: \S+)*", "[a-z]+$", r"[\d ]*\d[\d ]*")
)
TEXT = "low lowest, newer 漢字 wide"
HANDOUT, UNICODE = str(SAMPLE.with_name("handout.txt")), str(SAMPLE.with_name("unicode.txt"))
OPENED: dict[str, Config] = {
    "bpe": RunConfig(HANDOUT, pattern="whitespace", vocab_size=1000),
    "characters": RunConfig(UNICODE, vocab_size=300),
    "wordpiece": RunConfig(HANDOUT, vocab_size=40, model="wordpiece"),
    "unigram": RunConfig(HANDOUT, vocab_size=16, model="unigram"),
    "textbook": RunConfig(
        HANDOUT, 4, pattern="lines", model="unigram", trainer="textbook", units="words"
    ),
    "tokenizer": TokenizerConfig((str(SAMPLE.with_name("swapped.json")),)),
    "tokenizer-over-a-corpus": TokenizerConfig((str(SAMPLE.with_name("swapped.json")),), HANDOUT),
}


@pytest.mark.parametrize("name", OPENED)
def test_the_rows_of_each_step_are_those_kept(name: str, drawing: Drawing) -> None:
    drawing.go_on_from(*takewhile(name.__ne__, OPENED))
    last = opened(name).shown.recorded_steps
    for step in (0, min(3, last), last)[name == "characters" :]:
        drawing.lines.append(f"== step {step}")
        draw_step(drawing, opened(name), step, CELLS)
    check_sheet(name, drawing.lines, SHEETS)


@pytest.mark.parametrize("name", OPENED)
def test_rows_of_other_widths_fit_below_their_titles_with_whole_words_and_true_ids(
    name: str, drawing: Drawing
) -> None:
    kept = "".join((SHEETS / f"{sheet}.txt").read_text("utf-8") for sheet in OPENED)
    words, drawn = {None, *re.findall("[a-z]+", kept)}, list[tuple[str, list[str]]]()

    def note(panel: str, title: str, rows: Iterable[Row]) -> None:
        drawn.append((panel, [plain_text(row.spans, "") for row in rows]))

    drawing.patch(drawing, "add", note)
    frame = opened(name).shown
    for width, step in ((120, frame.recorded_steps), (58, 0), (38, frame.recorded_steps)):
        drawn.clear()
        draw_step(drawing, opened(name), step, width)
        for panel, texts in drawn:
            is_panel = panel[0].isupper()
            if is_panel or (width > LEAST_OF_LESSON and panel not in ("sentences", "token")):
                assert max(map(cells, texts), default=0) <= width
                full = (text for text in texts if cells(text) >= width - 1)
                assert words >= {cut and cut[0] for cut in map(LAST_WORD.search, full)}
            if is_panel and texts[1:]:
                spans = (word.span() for text in texts[1:] for word in WORD.finditer(text))
                edges = {edge for span in spans for edge in span}
                for title in TITLE.finditer(texts[0]):
                    assert title[0] == "pair" or edges & {*title.span()}
            if panel.startswith("EncodedText") and "…" not in "".join(texts):
                numbers = " ".join(filter(NUMBERS.fullmatch, texts)).split()
                tokens = [frame.any_token(int(each)) for each in numbers]
                assert b"".join(tokens).decode() == TEXT, (panel, texts)


@cache
def opened(name: str) -> Any:
    return session_of(OPENED[name])


def draw_step(drawing: Drawing, session: Any, step: int, width: int) -> None:
    """Add all that the screens show at a step."""
    at, last = session.shown.at(step), session.shown.recorded_steps
    screens: dict[str, Any] = {
        kind: resolve_name(PLACES[session.model.screen(kind)])
        for kind in (LESSON, TRAINING, INSPECTION, CHARTS, VOCABULARY)
    }
    drawing.app.no_color = step == last
    view = screens[TRAINING].VIEW
    said = (*view.narrate(at), *(view.narrate_back(at) if step < last else ()))
    drawing.add("sentences", "", [Row([(each, "")]) for each in said])
    for panel in panels_of(screens[TRAINING]):
        drawing.add_panel(panel, at, width)
    draw_lesson(drawing, screens[LESSON].EXPLAINER(marks=step == last), at, width)
    for tile in screens[CHARTS].TILES:
        panel = tile.panel()
        add = drawing.add_chart if isinstance(panel, ChartPanel) else drawing.add_panel
        add(panel, at, width - 8)
    found = screens[INSPECTION].inspection_of(None, at, session.opened)
    for section in screens[INSPECTION].TILES:
        drawing.add(section.id, "", section.rows(found, width, 3 if step == last else 1))
    if isinstance(at, MergeFrame):
        draw_tokens(drawing, screens[VOCABULARY], at, width)


def panels_of(screen: Any) -> Iterator[FramePanel[Any]]:
    """Yield the panels of a training screen, those with several forms once in each."""
    for kind in screen.PANELS:
        if issubclass(kind, PairsPanel):
            for view in VIEWS:
                panel = kind()
                panel.set_reactive(PairsPanel.view, view)
                yield panel
        elif issubclass(kind, PseudocodePanel):
            for trainer in TRAINERS.values():
                code = kind()
                code.set_reactive(PseudocodePanel.algorithm, trainer)
                yield code
        elif issubclass(kind, FramePanel):
            yield kind()
    for in_line in (False, True):
        typed = screen.TYPED_TEXT()
        typed.set_reactive(TypedTextPanel.text, TEXT)
        typed.is_in_line = in_line
        yield typed


def draw_lesson(drawing: Drawing, explainer: AnyExplainer, frame: Any, width: int) -> None:
    """Add the parts of each beat that leads to a frame."""
    before = frame.at(frame.step - 1) if frame.step else None
    if isinstance(explainer, UnigramExplainer) and before is not None:
        before.run.known_removals.clear()  # other tests share the run
        for cells in range(49, 45, -1):  # at 48 a name less, at 46 no bars
            moment, room = StepMoment.at_rest(before), CountRoom(4, cells, 13)
            drawing.add("before weighing", f"{cells}", explainer.count_rows(moment, room))
            after = StepMoment(before, frame, Beat.JOIN, 0.5)
            drawing.add("replace", f"{cells}", explainer.replace_rows(after, 3, cells - 13))
        for _ in explainer.weigh(before) or ():
            pass
    for beat in Beat:
        for share in (0.2, 0.5, 0.9) if beat is Beat.JOIN else (1.0,):
            moment = StepMoment(before, frame, beat, share)
            for part, rows in {
                "count": explainer.count_rows(moment, CountRoom(5, width, 15)),
                "pick": explainer.pick_rows(moment, width),
                "replace": explainer.replace_rows(moment, 3, width),
                "corpus": explainer.corpus_rows(moment, CorpusPlace(0, 0), 3, width),
                "text": explainer.text_rows(moment, TEXT, 2, width),
            }.items():
                drawing.add(part, f"{beat.name} {share}", rows)


def draw_tokens(drawing: Drawing, screen: Any, frame: Any, width: int) -> None:
    """Add rows of the vocabulary, and what is said about a few tokens and pairs."""
    table = screen.TABLE.ROWS(id="rows")
    table.set_reactive(FramePanel.frame, frame)
    drawn = RowTable(table.COLUMNS, width)
    entries = frame.vocabulary.rows(reverse=True)[:6].tolist()
    rows = [drawn.row(*table.value_of(frame, each)) for each in entries]
    drawing.add("vocabulary", "", rows)
    newest = frame.vocabulary.id_of(entries[0])
    tree = MergeTreePanel()
    tree.set_reactive(MergeTreePanel.token_id, newest)
    drawing.add_panel(tree, frame, width)
    painter = TokenPainter(frame, marks=True)
    drawing.add("token", "", token_rows(painter, newest, width))
    for step in (1, frame.recorded_steps):
        pair = frame.merge_at(step - 1).pair
        about = explain(frame, tuple(map(frame.any_token, pair)), pair=pair)
        rows, _ = explanation_rows(painter, about, width)
        drawing.add(f"pair {pair}", str(about.title("pair")), rows)


XS, COUNTS = np.arange(1, 41), np.array([5, 30, 17, 8, 3, 1, 0, 1])
KEYS = [
    FooterKey("q", "quit", "quit", is_lasting=True),
    FooterKey("→", "next", "step"),
    FooterKey("Esc", "back", "back", is_lasting=True),
    FooterKey("?", "help", "help", is_lasting=True),
    FooterKey("漢", "wide", "wide"),
]
TABS = [
    Tab("0", "lesson", "les", "lesson"),
    Tab("1", "train", "tr", "train"),
    Tab("2", "vocab", "voc", "vocab", is_open=False),
]
CHARTS_DRAWN: list[tuple[Figure | None, int | None]] = [
    (Figure(XS, XS * XS, "step"), 20),
    (Figure(XS, 1000 // XS, "place", log_x=True, log_y=True), None),
    (Figure(XS[:8], COUNTS, "bytes", bars=True, bars_top=40), None),
    (None, None),
]


def test_the_lines_of_charts_keys_and_tabs_are_those_kept(drawing: Drawing) -> None:
    for figure, at in CHARTS_DRAWN:
        for size in ((31, 9), (12, 4), (9, 3), (9, 2), (8, 3), (7, 3)):
            drawing.resize(*size)
            chart = Chart("drawn")
            chart.why_empty = "nothing to draw"
            chart.set_reactive(Chart.figure, figure)
            chart.set_reactive(Chart.at, at)
            lines = [Row(list(chart.line(y))) for y in range(size[1])]
            drawing.add(f"Chart {figure and figure.x_label} {size}", "", lines)
    for room in range(45, 5, -1):
        drawing.resize(room, 1)
        bar, line = KeyBar(), TabLine()
        bar.set_reactive(KeyBar.keys, KEYS)
        for name, value in {"tabs": TABS, "here": "train", "note": "note"}.items():
            line.set_reactive(getattr(TabLine, name), value)
        for parts in (bar, line):
            spans = [span for _, texts in parts.parts() for span in texts]
            drawing.add(type(parts).__name__, f"{room}", [Row(spans)])
    check_sheet("widgets", drawing.lines, SHEETS)
