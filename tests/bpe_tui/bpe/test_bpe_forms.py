"""The rows of BPE's panels, answers, forks and sentences where they take another form."""

from collections.abc import Callable

import pytest
from drawing import MOST, SHEETS, Drawing
from opening import SAMPLE, session_of
from sheets import check_sheet

from bpe_tui.bpe import heap_panel, walks, what_if, windows
from bpe_tui.bpe.heap_panel import PairsPanel, array_rows, tree_rows
from bpe_tui.bpe.inspection_rows import _runs
from bpe_tui.bpe.merge_panel import MergePanel
from bpe_tui.bpe.model import _longest_tokens, _readable_merges
from bpe_tui.bpe.narration import explain_merge, narrate, narrate_next
from bpe_tui.bpe.training_screen import MergesPanel, PseudocodePanel, _describe
from bpe_tui.bpe.walks import EncodeStepsPanel, PretokensPanel
from bpe_tui.bpe.what_if import describe_difference, diff_row, diff_rows, fork_plans
from bpe_tui.session.config import RunConfig
from bpe_tui.shell.panel import TokenPainter
from bpe_tui.widgets.rows import Row
from engine import Timeline, Trainer
from engine.bpe.trainers import TRAINERS
from engine.bpe.trainers.pseudocode import StepPart
from engine.bpe.what_if import ForkChange, compare, fork
from engine.text.excerpt import Excerpt

HANDOUT = str(SAMPLE.with_name("handout.txt"))
TEXT = "low lowest, newer 漢字 wide"
LOW = {b"low": 5, b"lower": 2, b"widest": 3, b"newest": 6, b"aaaa": 2}


def timeline_of(trainer: Trainer) -> Timeline:
    excerpt = Excerpt.of(b"low lower\nlow low low low widest widest\n")
    timeline = Timeline(trainer.counts, trainer.steps(), record=trainer.record, excerpt=excerpt)
    timeline.complete()
    return timeline


def draw_steps(drawing: Drawing, timeline: Timeline) -> None:
    """Draw the moves of the heap, merges at the sizes where they change, and a step in words."""
    timeline.seek(2)
    drawing.patch(heap_panel, "MOVES_SHOWN", 4)
    for at, _ in enumerate(timeline.frame.queue.moves()[:-1]):
        frame, width = timeline.sub_step(), (27, 55, 56)[at % 3]
        rows = array_rows(frame, TokenPainter(frame, marks=False), width)
        drawing.add("array", f"{frame.moves_done} moves, {width}", rows)
        code = PseudocodePanel()
        code.set_reactive(PseudocodePanel.algorithm, TRAINERS["heap"])
        drawing.add_panel(code if at % 2 else PairsPanel(), frame, 30 if at % 2 else 43 + at // 2)
    for at, (width, height) in enumerate([(41, 11), (42, 12), (42, 11), (43, 12)]):
        drawing.add_panel(MergePanel(), timeline.seek((0, 1, 3, 7)[at]), width, height)
        drawing.add_panel(MergesPanel(), timeline_of(Trainer(LOW, 259)).seek(2), 10 + at)
    many = timeline_of(Trainer({b"low": 1234}, 257)).seek(1)
    rows = [Row(MergesPanel().step_spans(many, 1, cells)) for cells in (11, 10)]
    drawing.add("a count beside its pair, or short", "", rows)
    drawing.resize(60, 12)
    pairs = {bytes((at, at + 1)): 1 for at in range(97, 109, 2)}
    for step, counts in (*((at, pairs) for at in range(6)), (1, {b"abc": 2, b"dbc": 2, b"abe": 2})):
        frame = timeline_of(Trainer(counts, 300)).seek(step)
        drawing.add("tied next", f"after step {step}", MergePanel()._next_rows(frame, 60)[:2])
    frame = timeline.seek(4)
    parts = [_describe(frame, frame.merge_at(4), part) for part in StepPart]
    sizes = (_readable_merges(timeline.record, most) for most in (1, 2, 10**9))
    parts += [_longest_tokens(timeline.record), *map(str, sizes)]
    parts += map(_runs, ([], [1], [1, 2, 3, 8], [4]))
    window = windows.LedgerWindow(frame, frame.merge_at(3).pair)
    parts.append(f"{len(window._parts)} pretokens changed the pair's count")
    drawing.add("parts of a step", "", [Row([(part, "")]) for part in parts[:MOST]])
    session = session_of(RunConfig(HANDOUT, pattern="whitespace", vocab_size=262))
    for text in ("len>=9", "count<9", "step 2"):
        session.breakpoints.add(text)
    assert session.merges is not None
    session.seek(2)
    session.breakpoints.examine(session.merges, 9)
    breakpoints = windows.BreakpointRows(session)
    widths = (65, "ends"), (64, "ends"), (53, None), (52, None)
    for width, session.stop_reason in widths:  # type: ignore[assignment]
        drawing.resize(width, 5)
        drawing.add("breakpoints", f"{width}", map(breakpoints.row, range(3)))
    drawing.patch(heap_panel, "ARRAY_SHOWN", 4)
    rows = tree_rows(frame, TokenPainter(frame, marks=False), 43)
    drawing.add("tree", "of four entries", rows)


def draw_encoding(drawing: Drawing, timeline: Timeline) -> None:
    """Draw pretokens, and walks through the encoding of one."""
    frame = timeline.seek(4)
    drawing.patch(walks, "LOST_SHOWN", 1)
    words = "newestlow", " lowest", " 漢字", " low", "x" * 501, "x" * 500
    places = zip((24, 38, 39, 60, 80, 24), words, (1, 3, 2, 1, 0, 0), strict=True)
    for width, word, place in places:
        typed, walk = PretokensPanel(), EncodeStepsPanel()
        typed.set_reactive(PretokensPanel.text, f"{TEXT} {'x' * width}" if width > 24 else "")
        drawing.add_panel(typed, frame, width)
        walk.set_reactive(EncodeStepsPanel.piece, frame.encode(word)[0])
        walk.set_reactive(EncodeStepsPanel.place, place)
        walk.step_count = 9  # so its place is not at the end
        drawing.add_panel(walk, frame, width)
        drawing.lines.append(f"{walk.step_count} steps")


def draw_forks(drawing: Drawing, timeline: Timeline) -> None:
    """Draw the changes to choose from, and what forks and other runs say and show."""
    frame = timeline.seek(4)
    drawing.patch(what_if, "EXAMPLES", 13)
    for chosen, step in ((None, 0), (frame.next_pair, 4), (frame.top_pairs(3)[2][0], 4)):
        plans = fork_plans(timeline.seek(step), RunConfig("low"), chosen)
        rows = [Row([(f"{each.title} / {each.otherwise} / {each.step}", "")]) for each in plans]
        drawing.add("plans", f"{len(rows)}", rows[:4])
    pair, before = (b"l", b"o"), timeline.seek(2)
    forbids, forces = ForkChange(forbid=frozenset({pair})), ForkChange(force=pair)
    changes = forbids, forces, ForkChange(tie_rule="first-seen")
    forks = [fork(before, change, 270) for change in changes]
    for trainer in (Trainer({b"ab": 1}, 257), Trainer(LOW, 258, tie_rule="first-seen"), *forks):
        other = timeline_of(trainer)
        for step in range(min(len(other), 4) + 1):
            frame = other.seek(step)
            said = *narrate(frame), *explain_merge(frame), *narrate_next(frame)
            rows = [Row([(each, "")]) for each in said]
            drawing.add("sentences", f"{trainer!r}, step {step}", rows)
        array = PairsPanel()
        array.set_reactive(PairsPanel.view, "array")
        drawing.add_panel(array, frame, 44)
        drawing.add_panel(MergePanel(), other.seek(min(3, len(other))), 60, 12)
        found = compare(*([(m.left, m.right) for m in each.record] for each in (timeline, other)))
        rows = [diff_row(before, other.frame, row) for row in diff_rows(found.aligned)]
        drawing.add("difference", describe_difference(found, before, other.frame), rows)


@pytest.mark.parametrize("draw", [draw_steps, draw_encoding, draw_forks])
def test_the_rows_of_bpe_are_those_kept_where_they_take_another_form(
    draw: Callable[[Drawing, Timeline], None], drawing: Drawing
) -> None:
    draw(drawing, timeline_of(Trainer(LOW, 270)))
    check_sheet(f"bpe-{draw.__name__.removeprefix('draw_')}", drawing.lines, SHEETS)
