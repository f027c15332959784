"""The chunks screen: where the corpus was cut for counting, and who counted what.

It also shows where the course's function would cut the file, which is read again in a thread.
"""

from __future__ import annotations

from functools import partial

from textual.app import ComposeResult
from textual.containers import Container
from textual.content import Content

from bpe_tui.session.config import Config
from bpe_tui.session.declarations import CHUNKS
from bpe_tui.session.session import Session
from bpe_tui.session.training import course_cuts_of
from bpe_tui.shell.session_screen import SessionScreen
from bpe_tui.styles import sheet
from bpe_tui.widgets.language import plural, tr
from bpe_tui.widgets.lines import RowList
from bpe_tui.widgets.numbers import number, short_time, size
from bpe_tui.widgets.rows import Column, Row, RowsOnDemand, RowTable, Span, paragraph
from bpe_tui.words.chunks import (
    DIFFERENCE,
    MOST_PARTS,
    chunk_numbers,
    describe_counting,
    describe_course,
    hue_of,
    parts_for,
    strip_rows,
)
from engine.core.errors import CorpusError
from engine.counting.chunk_boundaries import CourseCuts, EvenCut
from engine.counting.chunk_log import ChunkReport, LoggedChunks

WIDEST = 72
"""Most cells of a row of the table: the eye loses a row whose columns are further apart."""
LEAST_BESIDE = 47
"""Least cells beside the numbers of the chunks for all other columns."""


class StripPanel(RowList):
    """The file as a strip, with a lane for each worker."""

    def __init__(self) -> None:
        super().__init__("chunk-strip")
        self.border_title = Content(tr("the file as a strip"))
        self._report = ChunkReport()
        self._course: CourseCuts | CorpusError | None = None
        self._note = ""

    def show_strip(
        self, report: ChunkReport, course: CourseCuts | CorpusError | None, note: str
    ) -> None:
        """Show these chunks and cuts; without chunks, the note."""
        self._report, self._course, self._note = report, course, note
        self.on_resize()

    def on_resize(self) -> None:
        report, course = self._report, self._course
        whole = course.size if isinstance(course, CourseCuts) else 0
        total, width = max(whole, report.bytes), self.scrollable_content_region.width
        rows = list(strip_rows(report, total, width, course))
        if not report.chunks:
            rows += [*([Row([])] if rows else []), *paragraph(self._note, width - 1)]
        self.border_subtitle = Content(size(total) if total else "")
        self.show(rows, self.cursor)


class CutsPanel(RowList):
    """The even cuts of the file, and where the course's function moves each."""

    def __init__(self) -> None:
        super().__init__("chunk-cuts")
        self._course: CourseCuts | CorpusError | None = None

    def show_course(self, course: CourseCuts | CorpusError | None) -> None:
        """Show these cuts, an error instead of them, or that they are being searched."""
        self._course = course
        self.on_resize()

    def on_resize(self) -> None:
        width, course = self.scrollable_content_region.width, self._course
        self.border_title = Content(tr("the course's chunks"))
        self.border_subtitle = Content(tr("+ - other parts"))
        if course is None:
            self.show([Row([(tr("Looking for special tokens after the even cuts …"), "dim")])])
            return
        told = describe_course(course)
        rows = [row for text in told for row in paragraph(text, width - 1)]
        if isinstance(course, CourseCuts):
            wide = min(width - 1, WIDEST)
            cells = (wide - 3) // 3
            table = RowTable(
                [
                    Column("#", 3, lambda at: [(number(at + 1), "")], is_number=True),
                    Column("even", cells, lambda at: [(number(course.cuts[at].even), "")], True),
                    Column("moves to", cells, lambda at: _moved(course.cuts[at], course), True),
                    Column("moved", 0, lambda at: _by(course.cuts[at]), True),
                ],
                wide,
                cells,
            )
            rows += [Row([]), table.header()]
            rows += [table.row(at) for at in range(len(course.cuts))]
        rows += [Row([]), *paragraph(tr(DIFFERENCE), width - 1, "dim")]
        self.show(rows, self.cursor)


def _moved(cut: EvenCut, course: CourseCuts) -> list[Span]:
    if cut.moved is None:
        return [("?", "dim")]
    return [(tr("the end") if cut.moved == course.size else number(cut.moved), "strong")]


def _by(cut: EvenCut) -> list[Span]:
    return [(tr("not searched"), "dim")] if cut.by is None else [(f"+{number(cut.by)}", "")]


class CountedPanel(RowList):
    """The chunks as they were counted: place, worker, time, pretokens."""

    def __init__(self) -> None:
        super().__init__("chunk-table")
        self.border_title = Content(tr("counted by"))
        self._report = ChunkReport()
        self._sentences: list[str] = []

    def show_report(self, report: ChunkReport, sentences: list[str]) -> None:
        """Show the chunks below these sentences."""
        self._report, self._sentences = report, sentences
        self.border_subtitle = Content(plural(report.chunks, "chunk") if report.chunks else "")
        self.on_resize()

    def on_resize(self) -> None:
        width, report = self.scrollable_content_region.width - 1, self._report
        top = [row for text in self._sentences for row in paragraph(text, width)]
        if not report.logged:
            self.show(top)
            return
        width = min(width, WIDEST)
        cells = max(6 if report.chunks_an_entry == 1 else 14, width - 60)
        place = Column("from byte", 0, lambda at: [(number(_at(at).start), "")], True)
        table = RowTable(
            [
                Column("chunk", cells, lambda at: [(chunk_numbers(report, at), "")], True),
                *([place] if width >= cells + LEAST_BESIDE else []),
                Column("size", 8, lambda at: [(size(_at(at).size), "")], True),
                Column("thread", 8, lambda at: _workers(_at(at)), True),
                Column("time", 9, lambda at: [(short_time(_at(at).seconds), "")], True),
                Column("pretokens", 11, lambda at: [(number(_at(at).pretokens), "")], True),
            ],
            width,
            11,
        )

        def _at(place: int) -> LoggedChunks:
            return report.logged[place]

        top += [Row([]), table.header()]
        self.show(RowsOnDemand(len(report.logged), table.row, top), self.cursor)


def _workers(logged: LoggedChunks) -> list[Span]:
    shown = "+".join(map(str, logged.workers))
    return [(shown, hue_of(logged.workers[0]) if len(logged.workers) == 1 else "")]


class ChunksScreen(SessionScreen):
    """The chunks of the session's corpus, as they were counted and as the course cuts them."""

    NAME = CHUNKS
    SHOWS_STEP = False
    CSS_PATH = sheet("chunks.tcss")
    PANEL_ORDER = ("chunk-strip", "chunk-cuts", "chunk-table")
    ZOOMS_IN_LESSONS = True

    def __init__(self) -> None:
        super().__init__()
        self._of: Config | None = None
        self._parts = 0
        self._course: CourseCuts | CorpusError | None = None
        self._shown: object = None

    def compose_body(self) -> ComposeResult:
        with Container(id="panels"):
            yield StripPanel()
            yield CutsPanel()
            yield CountedPanel()

    # -- state in

    def forget_run(self) -> None:
        super().forget_run()
        self._of = None

    def show_session(self, session: Session) -> None:
        if not self.is_current or session.shown is None:
            return
        super().show_session(session)
        self.show_heading()
        if self._of is not session.config:
            self._of, self._parts = session.config, parts_for(session.chunks)
            self._search()
        self._update()

    def _search(self) -> None:
        """Look for the course's cuts in a thread, which may read some of the file."""
        self._course, opened = None, self.session.opened
        tokens = tuple(opened.tokenizer.special_tokens) if opened is not None else None
        search = partial(course_cuts_of, self.session.config, tokens, self._parts)
        self.notifier.jobs.find(self, "chunks", search, self._take)

    def _take(self, course: CourseCuts | CorpusError) -> None:
        self._course = course
        self._update()

    def _update(self) -> None:
        """Show the chunks and the cuts, if they are others than before: rows keep their place."""
        session = self.session
        now = session.chunks, session.origin, self._course
        if session.shown is None or self._shown == now:
            return
        self._shown = now
        report, course = session.chunks, self._course
        sentences = list(describe_counting(report, session.origin))
        self.query_one(StripPanel).show_strip(report, course, sentences[0])
        self.query_one(CutsPanel).show_course(course)
        self.query_one(CountedPanel).show_report(report, sentences)

    # -- commands

    def action_more(self, by: int) -> None:
        """Ask for another number of parts."""
        self._parts = max(1, min(self._parts + by, MOST_PARTS))
        self._search()
        self._update()
