"""The check screen: are a trainer's merges what the rule takes on this corpus? If not, why?

A job checks the merges in a thread; the panels show what it has found so far.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from time import monotonic, sleep

from textual.app import ComposeResult
from textual.containers import Container, Vertical
from textual.content import Content
from textual.widgets import Static

from bpe_tui.session.config import Claimed, RunConfig, why_not_checkable
from bpe_tui.session.declarations import CHECK, Command
from bpe_tui.session.session import Session
from bpe_tui.session.threads import Job, Post
from bpe_tui.shell.panel import BETWEEN_PAIR
from bpe_tui.shell.session_screen import SessionScreen
from bpe_tui.shell.targets import ToStep
from bpe_tui.styles import sheet
from bpe_tui.widgets.controls import FootLine
from bpe_tui.widgets.language import current_table, plural, tr, visible_message
from bpe_tui.widgets.lines import RowList
from bpe_tui.widgets.numbers import number
from bpe_tui.widgets.rows import PairSpans, Row, RowsOnDemand, Span, left, paragraph, right
from bpe_tui.widgets.visible import quoted, visible_bytes, visible_text, width
from bpe_tui.words.narration import first_fitting
from engine.analysis.check.checking import JudgedMerge, check_claim
from engine.analysis.check.claim import Assignment, read_claim
from engine.analysis.check.report import Report
from engine.core.errors import BpeError
from engine.core.events import BytesPair

# -- the job

NEWS_SECONDS = 1 / 5
SLICE_SECONDS, REST_SECONDS = 0.01, 0.003
"""Time slices of the job, and the time between two of them, in which the screen can paint."""


class CheckJob(Job):
    """A job that checks files against the rule of a run, in a thread.

    Attributes:
        merges: the number of merges to check; 0 until the files are read.
        judged: the judgement of each merge so far; other threads may read it as it grows.
        report: the outcome, once all are judged and a cause was looked for.
        refused: the error, if the files cannot be checked.
    """

    def __init__(
        self, config: RunConfig, claimed: Claimed, counts: Mapping[bytes, int], post: Post
    ) -> None:
        super().__init__("check", post)
        self._config, self._claimed, self._counts = config, claimed, counts
        self._rest_due = monotonic()
        self.merges = 0
        self.judged: list[JudgedMerge] = []
        self.report: Report | None = None
        self.refused: BpeError | None = None

    def work(self) -> None:
        config = self._config
        try:
            claimed = self._claimed
            claim, _ = read_claim(
                *claimed.paths, special_tokens=config.special_tokens, are_steps=claimed.are_steps
            )
            self.merges = len(claim.steps)
            assignment = Assignment.of_file(
                config.open_corpus(),
                config.special_tokens,
                config.pattern,
                config.tie_rule,
                self._claimed.vocab_size,
                self._counts,
            )
            self.report = check_claim(claim, assignment, self._take)
        except BpeError as error:
            self.refused = error
        self.post(self)

    def _take(self, judged: JudgedMerge) -> None:
        self.check_cancelled()
        self.judged.append(judged)
        if self.has_news(NEWS_SECONDS) or len(self.judged) == self.merges:
            self.post(self)
        if monotonic() >= self._rest_due:
            sleep(REST_SECONDS)
            self._rest_due = monotonic() + SLICE_SECONDS


MERGE_CELLS, COUNT_CELLS, LEAST_HALF = 9, 11, 19
"""Cells of a merge's number and of a count, and the least of a pair with its count."""
BY_RULE, DIFFERS = "✓", "✗"


class CheckedMerges(Vertical):
    """The trainer's merges, each with the rule's; the first difference stays above the list.

    Each merge is compared with the rule's choice after the trainer's own merges before it. So one
    slip makes one row that differs.
    """

    def __init__(self) -> None:
        super().__init__(id="checked")
        self._judged: Sequence[JudgedMerge] = ()
        self._first: int | None = None
        self._list = RowList("check-rows")
        self._rows: Sequence[Row] = ()
        self._half = LEAST_HALF  # cells of a pair with its count; a row has two

    def compose(self) -> ComposeResult:
        pinned = RowList("check-pinned")
        pinned.can_focus = False
        yield pinned
        yield self._list

    def show(self, judged: Sequence[JudgedMerge]) -> None:
        """Show these judgements, which may be more than before; none before a new check."""
        known = len(self._rows)
        self._judged, self._rows = judged, RowsOnDemand(len(judged), self._row)
        if not judged:
            self._first = None
            self._list.show(())
        elif self._first is None:
            self._first = next((at for at, each in enumerate(judged) if not each.fits), None)
            if self._first is not None:
                self._go_to(self._first)
        elif self._list.cursor == self._first and known < self._first + self._list.size.height:
            self._go_to(self._first)  # what follows it had not been judged
        self.on_resize()

    def go(self, by: int) -> None:
        """Go to the next merge that differs, or with −1 to the one before."""
        here, count = self._list.cursor, len(self._judged)
        places = range(here + 1, count) if by > 0 else range(here - 1, -1, -1)
        there = next((at for at in places if not self._judged[at].fits), None)
        if there is not None:
            self._go_to(there)

    def _go_to(self, place: int) -> None:
        """Put the cursor on a merge, with those before and after it in sight."""
        self._list.show(self._rows, place)
        self._show_around(place)
        self.call_after_refresh(self._show_around, place)  # once the list has its height

    def _show_around(self, place: int) -> None:
        if self._list.cursor == place:
            middle = place - self._list.size.height // 2
            self._list.scroll_to(y=middle, animate=False, immediate=True)

    def on_resize(self) -> None:
        """Paint the header, the first difference and the list, for the width that there is."""
        pinned = self.query_one("#check-pinned", RowList)
        self.border_title = Content(tr("your merges, and what the rule takes there"))
        self.border_subtitle = Content(tr("n next difference │ ↵ goes to the step"))
        room = self._list.scrollable_content_region.width
        self._half = max((room - MERGE_CELLS - 4) // 2, LEAST_HALF)
        spans = [right(tr("merge"), MERGE_CELLS, "dim"), ("    ", "")]
        for name in ("yours", "the rule"):
            spans += left([(tr(name), "dim")], self._half - COUNT_CELLS)
            spans.append(right(f"{tr('count')}   ", COUNT_CELLS, "dim"))
        top = [Row(spans)]
        if self._first is not None:
            top.append(self._row(self._first, tr("first")))
        pinned.styles.height = len(top)
        pinned.show(top)
        self._list.show(self._rows, self._list.cursor)

    def _row(self, place: int, name: str = "") -> Row:
        """Draw a merge beside the rule's; a `name` is written before its number, if it has room."""
        judged, merge = self._judged[place], number(place + 1)
        sign, role = (BY_RULE, "gain") if judged.fits else (DIFFERS, "loss")
        named = name if width(name) + 1 + len(merge) <= MERGE_CELLS else ""
        spans: list[Span] = [
            (named, "dim"),
            right(merge, MERGE_CELLS - width(named), "" if judged.fits else "strong"),
            (f"  {sign} ", role),
        ]
        claimed = judged.step.count
        yours = judged.count if claimed is None or judged.fits else claimed
        spans += self._pair(judged.step.pair, yours, "" if judged.fits else "strong")
        rule_role = "dim" if judged.fits else "strong"
        if judged.by_rule:  # the rule's pair is another if the trainer made this tied merge late
            spans += self._pair(judged.step.pair, judged.count, rule_role)
        elif judged.rule is None:
            spans += left([(tr("no pair is left"), rule_role)], self._half)
        else:
            spans += self._pair(judged.rule, judged.rule_count, rule_role)
        return Row(spans, ToStep(place + 1))

    def _pair(self, pair: BytesPair, count: int, role: str) -> list[Span]:
        one, other = ([(visible_bytes(token), role)] for token in pair)
        spans = left(PairSpans(one, BETWEEN_PAIR, other), self._half - COUNT_CELLS)
        return [*spans, right(f"{number(count)}   ", COUNT_CELLS, role)]


class WhyPanel(RowList):
    """The outcome in sentences, or before a check how to start one."""

    def __init__(self) -> None:
        super().__init__("why-differs")
        self._sentences: list[tuple[str, str]] = []

    def show_sentences(self, sentences: list[tuple[str, str]]) -> None:
        """Show these sentences, each with its role."""
        if sentences != self._sentences:
            self._sentences = sentences
            self.on_resize()

    def on_resize(self) -> None:
        room = self.scrollable_content_region
        blocks = [paragraph(text, room.width - 1, role) for text, role in self._sentences]
        has_room = sum(map(len, blocks)) + len(blocks) - 1 <= room.height
        between = [Row([])] if has_room else []
        rows = [row for block in blocks for row in (*between, *block)]
        self.show(rows[len(between) :])


NONE_CHOSEN = (
    "Nothing is chosen to be checked. Press c and choose what your trainer has written: vocabulary "
    "and merges, one file that holds both, or steps in lines of JSON (.jsonl)."
)
HOW = (
    "Each of your merges is made over this corpus, and compared with the pair that the rule takes "
    "there. For the first that differs the cause is looked for."
)


class CheckScreen(SessionScreen):
    """The screen that checks the session's files, once there is a corpus to check them on."""

    NAME = CHECK
    SHOWS_STEP = False
    CSS_PATH = sheet("check.tcss")
    PANEL_ORDER = ("checked", "why-differs")
    FOLLOWS_FIRST = True

    def __init__(self) -> None:
        super().__init__()
        self._job: CheckJob | None = None
        self._checks: tuple[object, Claimed] | None = None

    def compose_body(self) -> ComposeResult:
        with Container(id="panels"):
            yield CheckedMerges()
            yield WhyPanel()
        yield Static(id="narration")

    @property
    def tab_order(self) -> tuple[str, ...]:
        """The panels; before anything is checked only the one that explains how to start."""
        return self.PANEL_ORDER[1:] if self._job is None else self.PANEL_ORDER

    # -- state in

    def show_session(self, session: Session) -> None:
        if not self.is_current or session.frame is None:
            return
        super().show_session(session)
        self.show_heading()
        claimed, timeline = session.claimed, session.timeline
        if claimed is not None and timeline is not None and self._checks != (timeline, claimed):
            # Check the files against the rule of the session's run.
            self._checks = timeline, claimed
            self._job, config = None, session.config
            self.query_one(CheckedMerges).show(())
            if isinstance(config, RunConfig) and why_not_checkable(config) is None:
                check = partial(CheckJob, config, claimed, timeline.run.counts)
                self._job = self.notifier.jobs.start(self, check, self._show_progress)
                self.show_panel("checked")
        self._update()

    def _show_progress(self, job: CheckJob) -> None:
        if self.is_current:
            self._update()

    def _update(self) -> None:
        """Show the state of the check."""
        job = self._job
        self.set_class(job is None, "-unchecked")
        if self.panels.focused() not in self.tab_order:
            self.show_panel(self.tab_order[0])
        if job is not None:
            self.query_one(CheckedMerges).show(list(job.judged))
        why = self.query_one(WhyPanel)
        why.border_title = Content(tr("check" if job is None else "why?"))
        why.show_sentences(self._sentences(job))
        self.say("#narration", self._narration(job))

    # -- words

    def _sentences(self, job: CheckJob | None) -> list[tuple[str, str]]:
        if job is None:
            start = why_not_checkable(self.session.config) or NONE_CHOSEN
            return [(start, ""), (tr(HOW), "dim")]
        if job.refused is not None:
            refusal = visible_message(job.refused)
            return [(refusal, "loss"), (tr("Press c to choose other files."), "dim")]
        if job.report is not None:
            causes, agrees = job.report.explanations, job.report.agrees
            lines = list(job.report.describe(quoted, current_table()))
            cause = f"({causes[0].cause})" if causes else ""
            likeliest = next((line for line in lines if cause and cause in line), None)
            return [(line, "strong" if agrees or line is likeliest else "") for line in lines]
        return [(tr(HOW), "dim")]

    def _narration(self, job: CheckJob | None) -> str:
        claimed = self.session.claimed
        if job is None or claimed is None:
            return tr("A check compares your merges with the rule, one by one.")
        names = tr(" and ").join(Path(path).name or path for path in claimed.paths)
        name, room = visible_text(names, spaces=False), self.size.width - 2
        if job.refused is not None:
            return tr("{name} cannot be checked.", name=name)
        if job.report is None:
            done, of = number(len(job.judged)), number(job.merges)
            if job.merges and len(job.judged) == job.merges:
                judged = tr("{name}: all {of} merges are judged", name=name, of=of)
                trying = tr("known mistakes are tried …")
                return first_fitting(room, f"{judged}; {trying}", f"{name}: {trying}")
            compared = tr("{name}: merge {done} of {of}", name=name, done=done, of=of)
            template = "{compared} is compared with the rule …"
            return first_fitting(room, tr(template, compared=compared), f"{compared} …")
        wrong = sum(not judged.fits for judged in job.judged)
        merges = plural(job.merges, "merge")
        if not wrong:
            return f"{name}: {tr('all {merges} are by the rule.', merges=merges)}"
        differ = tr("{n} of {merges} differ from the rule's.", n=wrong, merges=merges)
        return first_fitting(room, f"{name}: {differ}", differ)

    # -- commands

    def offers(self, command: Command) -> bool:
        """Offer the next difference once there is a check."""
        is_next = command.action.startswith("screen.following(")
        return super().offers(command) and not (is_next and self._job is None)

    def show_keys(self) -> None:
        """Show the keys, and the signs once there are merges that have them."""
        super().show_keys()
        if self._job is None:
            self.query_one(FootLine).legend = ()

    def show_panel(self, panel: str) -> None:
        super().show_panel(panel)
        if panel == "checked":
            self.set_focus(self.query_one("#check-rows", RowList))

    def action_following(self, by: int) -> None:
        self.query_one(CheckedMerges).go(by)
