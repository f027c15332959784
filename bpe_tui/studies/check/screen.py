"""The check screen: are a trainer's merges what the rule takes on this corpus? If not, why?"""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Container
from textual.content import Content
from textual.widgets import Static

from bpe_tui.session import messages
from bpe_tui.session.commands.command import CHECK
from bpe_tui.session.config import Claimed, RunConfig, why_unchecked
from bpe_tui.session.session import Session
from bpe_tui.studies.check.job import CheckJob
from bpe_tui.studies.check.panels import (
    CheckedMerges,
    WhyPanel,
    describe_refusal,
    describe_report,
)
from bpe_tui.styles import sheet
from bpe_tui.views.narration import heading
from bpe_tui.views.panel_screen import SessionScreen
from bpe_tui.widgets.lines import RowList
from bpe_tui.widgets.numbers import number, plural
from bpe_tui.widgets.visible import visible_text

NONE_CHOSEN = (
    "Nothing is chosen to be checked. Press c and choose what your trainer has written: vocabulary "
    "and merges, one file that holds both, or steps in lines of JSON (.jsonl)."
)
HOW = (
    "Each of your merges is made over this corpus, and held against the pair that the rule takes "
    "there. For the first that differs the cause is looked for."
)


class CheckScreen(SessionScreen):
    """Checks what the session names, as soon as there is a corpus to check it on."""

    NAME = CHECK
    CSS_PATH = sheet("check.tcss")
    PANEL_ORDER = ("checked", "why-differs")

    def __init__(self) -> None:
        super().__init__()
        self._job: CheckJob | None = None
        self._checks: tuple[object, Claimed] | None = None

    def compose_body(self) -> ComposeResult:
        with Container(id="panels"):
            yield CheckedMerges()
            yield WhyPanel()
        yield Static(id="narration")

    def on_mount(self) -> None:
        self.show_panel(self.tab_order[0])

    @property
    def tab_order(self) -> tuple[str, ...]:
        """Before anything is checked there is no table of merges, but what to do about it."""
        return self.PANEL_ORDER[1:] if self._job is None else self.PANEL_ORDER

    def on_unmount(self) -> None:
        self._stop()

    def _stop(self) -> None:
        if self._job is not None:
            self._job.cancel()

    # -- state in

    def show_session(self, session: Session) -> None:
        if not self.is_current or session.frame is None:
            return
        super().show_session(session)
        self.say("#heading", heading(session, self.size.width - 2))
        claimed, timeline = session.claimed, session.timeline
        if claimed is None or timeline is None:
            self._update()
        elif self._checks != (timeline, claimed):
            self._checks = timeline, claimed
            self._start(session.config, claimed)

    def _start(self, config: object, claimed: Claimed) -> None:
        """Check the files against the rule of the session's run."""
        self._stop()
        self._job = None
        self.query_one(CheckedMerges).forget()
        timeline = self.session.timeline
        if isinstance(config, RunConfig) and timeline is not None and why_unchecked(config) is None:
            self._job = CheckJob(config, claimed, timeline.run.counts, self.post_message)
            self._job.start()
            self.show_panel("checked")
        self._update()

    def on_check_ran(self, news: messages.CheckRan) -> None:
        news.stop()
        if self.is_current:
            self._update()

    def on_screen_resume(self) -> None:
        super().on_screen_resume()
        self._update()

    def _update(self) -> None:
        """Bring the screen up to date with the check."""
        job = self._job
        self.set_class(job is None, "-unchecked")
        if self.focused_panel() not in self.tab_order:
            self.show_panel(self.tab_order[0])
        if job is not None:
            self.query_one(CheckedMerges).show(list(job.judged))
        why = self.query_one(WhyPanel)
        why.border_title = Content("check" if job is None else "why?")
        why.tell(list(self._told(job)))
        self.say("#narration", self._narrated(job))

    # -- words

    def _told(self, job: CheckJob | None) -> list[tuple[str, str]]:
        if job is None:
            return [(self._why_none, ""), (HOW, "dim")]
        if job.refused is not None:
            return [describe_refusal(job.refused), ("Press c to choose other files.", "dim")]
        if job.report is not None:
            return list(describe_report(job.report))
        return [(HOW, "dim")]

    @property
    def _why_none(self) -> str:
        return why_unchecked(self.session.config) or NONE_CHOSEN

    def _narrated(self, job: CheckJob | None) -> str:
        claimed = self.session.claimed
        if job is None or claimed is None:
            return "A check holds your merges against the rule, one by one."
        name = visible_text(claimed.name, spaces=False)
        if job.refused is not None:
            return f"{name} cannot be checked."
        if job.report is None:
            done, of = number(len(job.judged)), number(job.merges)
            if job.merges and len(job.judged) == job.merges:
                return f"{name}: all {of} merges are judged; known mistakes are tried …"
            return f"{name}: merge {done} of {of} is held against the rule …"
        wrong = sum(not judged.fits for judged in job.judged)
        if not wrong:
            return f"{name}: all {plural(job.merges, 'merge')} are by the rule."
        return f"{name}: {number(wrong)} of {plural(job.merges, 'merge')} differ from the rule's."

    # -- commands

    @property
    def can_leave(self) -> bool:
        return True

    def action_leave(self) -> None:
        """Esc: out of a zoom, or back to the screen that it was chosen on."""
        if self.zoomed is None:
            self.host.look_back()
        else:
            super().action_leave()

    def show_panel(self, panel: str) -> None:
        super().show_panel(panel)
        if panel == "checked":
            self.set_focus(self.query_one("#check-rows", RowList))

    def action_choose(self) -> None:
        self.host.choose_to_check()

    def action_difference(self, by: int) -> None:
        self.query_one(CheckedMerges).go(by)
