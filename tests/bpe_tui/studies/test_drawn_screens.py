"""The rows of screens that compare, walk or list pieces, without a screen."""

from array import array
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import pytest
from drawing import SHEETS, Drawing
from opening import SAMPLE, session_of
from sheets import check_sheet
from test_compare_screen import BYTES, ONE, OTHER

from bpe_tui.session.config import RunConfig
from bpe_tui.session.models import model_of
from bpe_tui.shell.panel import FramePanel
from bpe_tui.studies import comparison, model_table_panels
from bpe_tui.studies.check import CheckedMerges, WhyPanel
from bpe_tui.studies.comparison import NumbersPanel, StripsPanel
from bpe_tui.studies.model_table_panels import (
    FamilyDetails,
    FamilyStrips,
    FamilyTable,
    KindEntry,
    describe_sizes,
)
from bpe_tui.studies.pipeline_stages import (
    PipelinePanel,
    PipelineView,
    describe_token,
)
from bpe_tui.studies.race import RacePanel, StandingsPanel, WorkPanel, describe_race
from bpe_tui.unigram import piece_table
from bpe_tui.unigram.encoding_screen import (
    LONGEST,
    ArrivalsPanel,
    LatticePanel,
    PathsPanel,
    Walkthrough,
)
from bpe_tui.unigram.piece_table import PieceDetailPanel
from bpe_tui.widgets.lines import Lines
from bpe_tui.widgets.rows import Row, RowTable
from bpe_tui.wordpiece.encoding_screen import (
    ProbesPanel,
    WordLanesPanel,
    WordPieceTextPretokens,
)
from engine import Tokenizer
from engine.analysis.check.checking import JudgedMerge
from engine.analysis.check.steps_file import ClaimedStep
from engine.analysis.model_table import Untrained, row_of, try_training
from engine.analysis.text_comparison import TextComparison
from engine.analysis.tokenizer_kinds import KINDS
from engine.bpe.race import Race, RaceSettings, Runner, RunnerState
from engine.bpe.trainers import TRAINERS
from engine.formats.own_pipelines import pipeline_at
from engine.pipeline.losses import losses
from engine.pipeline.normalizers import NFC
from engine.pipeline.post_processors import template_of

COUNTS = {b"low": 5, b"lower": 2, b"widest": 3, b"newest": 6}
HANDOUT = str(SAMPLE.with_name("handout.txt"))

BPE = RunConfig(HANDOUT, pattern="whitespace", vocab_size=268)
WORDPIECE = RunConfig(HANDOUT, vocab_size=40, model="wordpiece")
UNIGRAM = RunConfig(HANDOUT, vocab_size=30, model="unigram")


def rows_of(panel: Lines) -> list[Row]:
    return [panel.row(place) for place in range(panel.row_count)]


def add(drawing: Drawing, panel: Lines, title: str = "") -> None:
    """Add the rows of a panel under its titles."""
    assert panel in drawing.painted
    titles = f"{panel.border_title or ''} ── {panel.border_subtitle or ''}"
    drawing.add_changes(type(panel).__name__, f"{title} {titles}", rows_of(panel))


def finished_race(counts: Mapping[bytes, int] = COUNTS, size: int = 268, **settings: Any) -> Race:
    """Return a race in which each merge takes a trainer a millisecond more than the one before."""
    race = Race(counts, RaceSettings(size, **settings), ("naive", "fast"))
    for _ in race.slices():
        pass
    for place, runner in enumerate(race.runners, 1):
        runner._seconds = array("d", (place * step / 1000 for step in range(1, len(runner) + 1)))
    return race


def draw_race(drawing: Drawing) -> None:
    frame = session_of(BPE).frame
    assert frame is not None
    stopped, runs = finished_race(tie_rule="first-seen", budget=0.0), finished_race()
    runs.runners[0].state, runs.runners[1] = RunnerState.RUNNING, Runner(TRAINERS["fast"])
    characters = finished_race(units="characters")
    sizes = ((0, 90), (1, 90), (11, 44), (11, 12))
    races = ((finished_race(), sizes), (stopped, ((1, 44), (3, 90))), (runs, ((3, 89), (11, 90))))
    without, short = finished_race({b"a": 1}), finished_race(size=260)
    few = ((without, ((0, 44), (1, 90))), (short, sizes[2:3]))
    for race, shown in (*races, (characters, sizes[2:3]), *few):
        drawing.lines.append(f"== {describe_race(race)}")
        for step, width in shown:
            for kind in (StandingsPanel, WorkPanel):
                panel = kind()
                panel.set_reactive(RacePanel.race, race)
                drawing.add_panel(panel, frame.at(step), width)
    drawing.patch(WorkPanel, "has_focus", True)
    for place in (0, 1, 2, panel.row_count):
        panel.cursor = place
        drawing.lines.append(panel._shown_foot)


def draw_strips(drawing: Drawing) -> None:
    longer = [b"abcdefgh"[:end] for end in range(1, 9)]
    merges = [(token, bytes([token[0] + len(token)])) for token in longer]
    several = Tokenizer(BYTES | dict(enumerate((b"".join(pair) for pair in merges), 256)), merges)
    tokenizers, names = [ONE, OTHER, several], ["tokenizer of a long name", "other", "several"]
    numbers, strips = NumbersPanel(), StripsPanel()
    numbers.names = strips.names = names
    drawing.resize(60, 20)
    strips.go(1)  # nothing, as there is no text yet
    numbers.rebuild()
    add(drawing, numbers)
    for text, width in (
        ("abc abd\né abc", 60),
        ("abc abd\né abc", 26),
        ("\u202e", 20),
        ("x", 60),
        ("", 60),
    ):
        drawing.resize(width, 20)
        drawing.patch(comparison, "needs_marks", lambda app, width=width: width == 26)
        compared = TextComparison(tokenizers, text.encode())
        for current in range(min(len(compared.differences), 2) or 1):
            strips.set_reactive(StripsPanel.comparison, compared)
            strips.set_reactive(StripsPanel.current, current)
            strips.rebuild()
            add(drawing, strips)
        numbers.set_reactive(NumbersPanel.comparison, compared)
        numbers.rebuild()
        add(drawing, numbers)


def draw_stages(drawing: Drawing) -> None:
    panel, cut = PipelinePanel(), "Low, 漢 e\u0301 hi"
    for config, width, place, marks, text in (
        (BPE, 74, 7, False, cut),
        (BPE, 73, -1, True, cut),
        (replace(BPE, units="characters"), 78, 0, False, "low漢"),
        (WORDPIECE, 78, 1, False, "low A B C D F G H"),
        (UNIGRAM, 78, -1, False, ""),
        (UNIGRAM, 24, 1, False, "Low lowest newest 漢 hi"),
    ):
        drawing.resize(width, 40)
        pipeline = pipeline_at(session_of(config).shown)
        if config is BPE:
            ends = template_of("$A <|endoftext|>", "$A $B", pipeline.model.vocab)
            pipeline = replace(pipeline, normalizer=NFC(), post_processor=ends)
        run = pipeline.run(text)
        chosen = run.tokens[place] if run.tokens else None
        lost = losses(pipeline, run)
        view = PipelineView(pipeline, run, lost, chosen, marks, in_letters=marks, fresh=101)
        panel.show(view, describe_token(view))
        add(drawing, panel)
    for height in (panel.row_count, panel.row_count - 1):  # with and without blank rows
        drawing.resize(width, height)
        panel.rebuild()
        add(drawing, panel)
    panel.say("The stages are being built …")
    add(drawing, panel)
    panel.show(replace(view, losses=replace(lost, unspelled=("漢", "字"))), "")
    add(drawing, panel)


def draw_kinds(drawing: Drawing) -> None:
    learnt, unseen = (b"low low lower, newest newest widest. " * 9, ("low new wider. ", "le café"))
    drawing.patch(model_table_panels, "parallel_samples", lambda: {"english": "low", "zh": "漢字"})
    entries, details, rows = [], FamilyDetails(), FamilyTable()
    for name in KINDS:
        found = try_training(name, learnt, 262 if KINDS[name].model else 30)
        if isinstance(found, Untrained):
            entry = KindEntry(name, found.reason)
        else:
            row, stopped = row_of(found, unseen), name == "word"
            entry = KindEntry(name, tokenizer=found, row=row, stopped=stopped)
        entries.append(entry)
        drawing.lines.append(describe_sizes(entries, 300))
        if name in ("word", "bpe", "unigram"):
            drawing.resize(70, 9)
            details.show(entry, unseen[0], "" if name == "word" else "↵ trains this")
            add(drawing, details, name)
    rows.entries = [*entries, KindEntry("bpe")]
    for width in (100, 60):
        drawing.resize(width, 20)
        rows.rebuild()
        add(drawing, rows)
    drawing.lines.append(describe_sizes(rows.entries, 300))
    word = entries[0]
    for words in ("abcdefgh", "abcdefghij"):
        assert word.tokenizer is not None
        word = replace(word, row=row_of(word.tokenizer, [" ".join(words)]))
        details.show(word, "low", "")
        add(drawing, details)
    drawing.resize(70, 26)
    details.show(word, "low lowest 漢 " * 20, "")
    add(drawing, details)
    strips = FamilyStrips()
    strips.show(rows.entries[:-1], "low le café<|end|> new", ["<|end|>"])
    add(drawing, strips)


def framed(panel: FramePanel[Any], frame: Any) -> Any:
    """Return a panel that has a frame, and looks through its words at once."""
    panel.set_reactive(FramePanel.frame, frame)
    return panel


def draw_lattice(drawing: Drawing) -> None:
    last: Any = session_of(UNIGRAM).shown
    drawing.patch(FramePanel, "watch_frame", lambda *frames: None)
    panels = [framed(kind(), last) for kind in (LatticePanel, ArrivalsPanel, PathsPanel)]
    for step, word, width, places in (
        (last.recorded_steps, "▁lowest", 70, (0, 2, 5, 7, 8, 9)),
        (0, "▁newer漢x", 40, (1, 6, 8, 11)),
        (last.recorded_steps, "", 40, (0,)),
        (last.recorded_steps, "", 41, (0,)),
        (last.recorded_steps, "x" * LONGEST, 40, (0,)),
        (last.recorded_steps, "x" * (LONGEST + 1), 40, (0,)),
    ):
        drawing.resize(width, 20)
        walk = Walkthrough(last.at(step), word, is_special=width == 41)
        for place in places:
            drawing.lines.append(f"== {word[:9]} {place} of {len(walk.steps)}")
            for panel in panels:
                panel.show(walk, place)
                drawing.add_changes(
                    panel.ID, f"{panel._shown_title} ── {panel._shown_foot}", rows_of(panel)
                )


def draw_pieces(drawing: Drawing) -> None:
    last: Any = session_of(UNIGRAM).shown
    before = last.at(0)
    for each in (last, before):
        for _ in each.removals():
            pass
    drawing.patch(FramePanel, "watch_frame", lambda *frames: None)
    drawing.patch(piece_table.PieceRows, "is_seen", True)
    drawing.patch(piece_table.PieceRows, "show_order", lambda *found: None)
    grams = session_of(TEXTBOOK).shown
    for frame, width in ((before, 90), (before, 44), (last, 60), (grams, 70)):
        drawing.resize(width, 9)
        rows = framed(piece_table.PieceRows("rows"), frame)
        score, loss = ("−log P", "increase") if frame is grams else ("score", "costs")
        for sorting, descending, filters in (
            (score, frame is not grams, ()),
            (loss, False, ("characters",)),
            (loss, False, ("leaving",)),
        ):
            rows.sorting, rows.descending, rows.filters = sorting, descending, filters
            rows.rebuild()
            table = RowTable(piece_table.columns_of(frame), rows.room)
            drawn = [table.row(rows.value_of(frame, each)[0]) for each in rows._order[:8].tolist()]
            drawing.add_changes("PieceRows", f"{sorting} {filters}", drawn)
        for text in ("l", "low", "▁lowest", "w"):
            detail = framed(PieceDetailPanel(), frame)
            number = frame.record.texts.index(text) if text in frame.record.texts else None
            detail.set_reactive(PieceDetailPanel.number, number)
            detail._uses.look = lambda *given: None
            detail.rebuild()
            drawing.add_changes("piece", f"{text} {detail._shown_title}", rows_of(detail))


def draw_probes(drawing: Drawing) -> None:
    frame: Any = session_of(WORDPIECE).shown
    drawing.resize(60, 9)
    text = f"lowest  newér <|endoftext|> 漢字 {'l' * 101}"
    words = tuple(frame.tokenizer.explain(text))
    lanes = framed(WordLanesPanel(), frame)
    lanes.words = words
    lanes.show(frame, text)
    drawing.add_changes("lanes", "", rows_of(lanes))
    for width in (14, 60, 24):
        drawing.resize(width, 9)
        pretokens = framed(WordPieceTextPretokens(), frame)
        pretokens.set_reactive(type(pretokens).pretokens, words)
        pretokens.rebuild()
        drawing.add_changes("words", "", rows_of(pretokens))
    probes = framed(ProbesPanel(), frame)
    for word in (None, *words):
        probes.word = word
        for place in (0, 1, 4, probes.step_count):
            probes.place = place
            probes.rebuild()
            said = f"{probes.place}: {probes._shown_title} ── {probes._foot}"
            drawing.add_changes("probes", said, rows_of(probes))
    probes.word = frame.tokenizer.encoder.explain("lowestwidest")
    for width in (11, 24, 46):
        drawing.resize(width, 9)
        probes.rebuild()
        drawing.add_changes("probes", probes._shown_title, [Row(probes.head), *rows_of(probes)[:9]])


TEXTBOOK = replace(UNIGRAM, vocab_size=4, trainer="textbook", units="words", pattern="lines")
PRUNED = replace(UNIGRAM, vocab_size=16)
SAID = {
    PRUNED: "step, next, step, back, prune, step, prune, prune back, prune, step, pieces 3, "
    "piece, piece low, piece ▁newest, piece e, piece est, piece xq, encode lowest 漢, encode, "
    "prune, back, piece newest, go 3, prune back, encode 漢l字l猫, encode 漢l字l猫l很",
    WORDPIECE: "pairs 3, next, changes, why, why l, tie, pairs, encode lowest 漢, encode  , "
    "explain low 漢字 <|endoftext|>",
}
"""Training → the commands without a screen, one after the other."""


def draw_plain(drawing: Drawing) -> None:
    for config, commands in SAID.items():
        session = session_of(config)
        transcript = model_of(config).part("transcript")(session.recording, session.stop_reason)
        for command in commands.split(", "):
            drawing.lines += [f"> {command}", *transcript.answer(command)]


def draw_check(drawing: Drawing) -> None:
    pair, other = (b"l", b"ow"), (b"widest of all", b" newest")
    merges = [
        JudgedMerge(ClaimedStep(*pair), 1234, pair, 1234, True),
        JudgedMerge(ClaimedStep(*pair, 7), 1234, pair, 1234, True),
        JudgedMerge(ClaimedStep(*other), 3, pair, 1234, False),
        JudgedMerge(ClaimedStep(*other), 3, None, 0, False),
    ]
    panel = CheckedMerges()
    panel._judged = [merges[0]] * 1232 + merges
    for panel._half in (30, 19):
        places = (0, 99, 1232, 1233, 1234, 1235)
        rows = [panel._row(place, name) for place in places for name in ("", "first")]
        drawing.add_changes("merges", str(panel._half), rows)
    why = WhyPanel()
    why.show_sentences([("Why it differs.", "strong"), ("How it was found.", "dim")])
    for height in (5, 4):  # with and without blank rows
        drawing.resize(11, height)
        why.on_resize()
        add(drawing, why)


STUDIES = (draw_race, draw_check, draw_strips, draw_stages, draw_kinds)


@pytest.mark.parametrize("draw", [*STUDIES, draw_lattice, draw_pieces, draw_probes, draw_plain])
def test_the_rows_of_screens_are_those_kept(
    drawing: Drawing, draw: Callable[[Drawing], None]
) -> None:
    draw(drawing)
    check_sheet(f"screens/{draw.__name__[5:]}", drawing.lines, SHEETS)
