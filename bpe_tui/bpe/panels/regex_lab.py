"""How would another regex cut this text?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.timer import Timer
from textual.widgets import Input
from textual.worker import get_current_worker

from bpe_tui.views.narration import leading_parts
from bpe_tui.views.panel import BORDER_CELLS, Panel
from bpe_tui.widgets.fields import Field
from bpe_tui.widgets.numbers import number, plural
from bpe_tui.widgets.rows import Row, RowsOnDemand, left, paragraph
from bpe_tui.widgets.visible import visible_text
from engine.analysis.pattern_lab import Stretch, differences, try_pattern
from engine.analysis.why_not import cut_by
from engine.bpe.frame import Frame
from engine.core.errors import PatternError
from engine.text.patterns import PATTERNS, Pattern
from engine.text.pretokenize import Pretoken, pretokens

LONGEST_REGEX = 2000
PAUSE_SECONDS = 0.1
"""How long a typist has to pause before the regex is tried."""

Cut = tuple[Pretoken | None, Pretoken | None, bool]
"""A row: a pretoken of the typed regex, one of the named pattern, and whether they differ."""


class RegexRows(Panel):
    """The pretokens of the typed regex; beside them, where they differ, those of another."""

    WIDEST = 100

    def __init__(self) -> None:
        super().__init__("", id="regex-rows")
        self._cuts: Sequence[Cut] = ()
        self._source = self._other = ""
        self._problem: PatternError | None = None

    def show_cuts(self, stretches: Sequence[Stretch], other: str) -> None:
        """Show these, beside those of the pattern of that name."""
        self._problem, self._cuts = None, [cut for each in stretches for cut in _cuts(each)]
        self._other = other if any(stretch.differs for stretch in stretches) else ""
        self.rebuild()

    def show_problem(self, source: str, problem: PatternError) -> None:
        self._source, self._problem = source, problem
        self.rebuild()

    def rows_of(self, frame: Frame, width: int) -> Sequence[Row]:
        if self._problem is not None:
            return _problem_rows(self._source, self._problem, width)
        if not self._cuts:
            return paragraph("No text to cut: press e and type.", width, "dim")
        column = _column(width)
        names = (("  text", column + 2), ("matched by", column), (self._other, column))
        self.name_columns([span for name, cells in names for span in left([(name, "")], cells)])
        return RowsOnDemand(len(self._cuts), lambda index: _cut_row(self._cuts[index], width))


class RegexPanel(Vertical):
    """A line for a regex, and what it does to the text; ↑ ↓ choose what it is compared with."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "compare(-1)", "pattern before", show=False),
        Binding("down", "compare(1)", "next pattern", show=False),
    ]

    frame: reactive[Frame | None] = reactive(None)
    text: reactive[str] = reactive("")

    @dataclass
    class Tried(Message):
        """A regex has been tried: the stretches of the text, or what is wrong with it."""

        source: str
        found: list[Stretch] | PatternError

    def __init__(self) -> None:
        super().__init__(id="regex")
        self._choices: dict[str, Pattern] = {}
        self._compared = ""
        self._waiting: Timer | None = None

    def compose(self) -> ComposeResult:
        yield Field(
            placeholder="a regex",
            id="regex-input",
            compact=True,
            select_on_focus=False,
            max_length=LONGEST_REGEX,
        )
        yield RegexRows().data_bind(frame=RegexPanel.frame)

    def open(self) -> None:
        """Come into sight: the first time with the pattern of the run."""
        if self.frame is not None and not self._compared:
            pattern = self.frame.rules.pattern
            self._choices = {**PATTERNS, pattern.name: pattern}
            self._compared = pattern.name
            self.query_one(Input).value = pattern.source
        self._try_soon()

    def watch_text(self) -> None:
        self._try_soon()

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        self._try_soon()

    def action_compare(self, by: int) -> None:
        """Compare with the next pattern: the named ones, and the run's own."""
        if not self._compared:
            return
        names = list(self._choices)
        self._compared = names[(names.index(self._compared) + by) % len(names)]
        self._try_soon()

    def _try_soon(self) -> None:
        """Try the regex as soon as the typist pauses, if anybody sees it."""
        if self._waiting is not None:
            self._waiting.stop()
        self._waiting = self.set_timer(PAUSE_SECONDS, self._try)

    def _try(self) -> None:
        if self.frame is None or not self.display or not self._compared:
            return
        source, text, other = self.query_one(Input).value, self.text, self._choices[self._compared]
        splitter = self.frame.rules.splitter

        def work() -> None:
            found: list[Stretch] | PatternError
            try:
                mine = try_pattern(source, text, splitter)
                found = differences(mine, list(pretokens(text, other, splitter)))
            except PatternError as error:
                found = error
            if not get_current_worker().is_cancelled:
                self.post_message(self.Tried(source, found))

        # In a thread: a regex may take its time, and the screen does not wait for it.
        self.run_worker(work, thread=True, exclusive=True)

    def on_regex_panel_tried(self, event: Tried) -> None:
        event.stop()
        rows = self.query_one(RegexRows)
        if isinstance(event.found, PatternError):
            rows.show_problem(event.source, event.found)
            self._say("", "")
        else:
            rows.show_cuts(event.found, visible_text(self._compared))
            pieces = sum(len(stretch.mine) for stretch in event.found)
            differing = sum(stretch.differs for stretch in event.found)
            said = f"in {plural(differing, 'place')}" if differing else "nowhere"
            self._say(f"  {plural(pieces, 'pretoken')}", f", differs {said}")

    def _say(self, pieces: str, differing: str) -> None:
        self.border_title = Content(f"regex{pieces}")
        self.border_subtitle = Content(
            leading_parts(
                self.outer_size.width - BORDER_CELLS,
                f"↑ ↓ compared with {self._compared}{differing} · Esc back",
            )
        )


def _cuts(stretch: Stretch) -> Iterator[Cut]:
    for mine, other in zip_longest(stretch.mine, stretch.other):
        yield mine, other, stretch.differs


def _column(width: int) -> int:
    """Cells of a pretoken, of what matched it, and of another."""
    return max((width - 2) // 3, 6)


def _cut_row(cut: Cut, width: int) -> Row:
    mine, other, differs = cut
    column = _column(width)
    shown = visible_text(mine.text) if mine else ""
    other_shown = visible_text(other.text) if other and differs else ""
    return Row(
        [
            ("≠ " if differs else "  ", "pair"),
            *left([(shown, "gain" if differs else "")], column),
            *left([(visible_text(cut_by(mine), spaces=False) if mine else "", "dim")], column),
            *left([(other_shown, "loss")], column),
        ]
    )


def _problem_rows(source: str, problem: PatternError, width: int) -> list[Row]:
    """What is wrong with the regex, and its text up to there."""
    message = visible_text(str(problem), spaces=False)
    place = problem.position
    if place is None:
        return paragraph(f"{message}.", width, "loss")
    before, after = source[max(place - 24, 0) : place], source[place : place + 12]
    return [
        *paragraph(f"At character {number(place)}: {message}.", width, "loss"),
        Row(
            [
                (visible_text(before, spaces=False), "strong"),
                (" ◂ here ▸ ", "loss"),
                (visible_text(after, spaces=False), "dim"),
            ]
        ),
    ]
