"""The pipeline screen: a text on its way through all stages.

The stages of a large vocabulary are built in a thread, for one step at a time. If the step changes
meanwhile, only the last one is built next. The old stages are shown until then.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input, Static

from bpe_tui.session.declarations import PIPELINE
from bpe_tui.shell.panel import needs_marks
from bpe_tui.shell.session_screen import SessionScreen
from bpe_tui.studies.pipeline_stages import PipelinePanel, PipelineView, describe_token
from bpe_tui.styles import sheet
from bpe_tui.widgets.fields import TextLine
from bpe_tui.widgets.language import plural, tr, visible_message
from bpe_tui.widgets.lines import Lines
from bpe_tui.widgets.visible import visible_text
from engine.core.errors import BpeError
from engine.formats.own_pipelines import AnyFrame, pipeline_at
from engine.pipeline.losses import losses
from engine.pipeline.pipeline import Pipeline

if TYPE_CHECKING:
    from bpe_tui.session.session import Session


LONGEST = 1_000
"""Characters of a text that are run; the heading says so if a text is longer."""
AT_ONCE = 2_000
"""Tokens of the largest vocabulary whose stages are built without a thread."""


class PipelineScreen(SessionScreen):
    """The output of each stage of the session's tokenizer for a text."""

    NAME = PIPELINE
    CSS_PATH = sheet("pipeline.tcss")
    PANEL_ORDER = ("stages", "texts")
    TYPED = "texts"

    def __init__(self) -> None:
        super().__init__()
        self._pipeline: Pipeline | None = None
        self._shown: PipelineView | None = None
        self._seen: tuple[Session | None, int] = (None, -1)
        self._wanted: AnyFrame | None = None
        self._token = 0
        self._in_letters = False

    def compose_body(self) -> ComposeResult:
        with Vertical(id="texts") as texts:
            texts.border_title = Content(tr("text"))
            yield TextLine(placeholder=tr("a text (e)"), id="pipeline-text")
        yield PipelinePanel()
        yield Static(id="narration")

    def show_session(self, session: Session) -> None:
        """Show the pipeline of the step."""
        super().show_session(session)
        if not self.is_current or self.frame is None:
            return
        self.query_one(TextLine).show_text(session.text)
        if self._wanted is not None and self.frame.looks_like(self._wanted):
            return
        if session.counts_nothing and session.following and session.stop_reason is None:
            return  # the merges of the file are still being read
        if session.due is not None and session.stop_reason is None:
            return  # the step to open at is not recorded yet
        session.hold()
        if session is not self._seen[0]:
            self._pipeline = self._shown = None
        self._seen = session, self.frame.step
        self._wanted = self.frame
        if self.frame.vocab_size <= AT_ONCE:
            self.notifier.jobs.cancel(self)
            self._take(_build(self.frame, ""))
            return
        self._say_heading("being built …")
        if self._pipeline is None:
            self.query_one(PipelinePanel).say("The stages are being built …")
        build = partial(_build, self.frame, self._text)
        self.notifier.jobs.find(self, "pipeline", build, self._take)

    def _take(self, built: Pipeline | BpeError) -> None:
        """Show the stages of the step."""
        if isinstance(built, Pipeline):
            self._pipeline = built
            self._run()
            return
        self._pipeline = None
        self._say_heading("tokenizer.json cannot say it")
        self._refuse(built)

    def _refuse(self, error: BpeError) -> None:
        self._shown = None
        self.query_one(PipelinePanel).say(visible_message(error))

    # -- running it

    def on_input_changed(self) -> None:
        if self.is_current:
            self.session.type(self.query_one(TextLine).text)
            self._run()

    def enter(self, field: Input) -> None:
        self.show_panel("stages")

    def _run(self) -> None:
        """Run the text through the stages as they are now."""
        pipeline = self._pipeline
        if pipeline is None:
            return
        try:
            run = pipeline.run(self._text)
        except BpeError as error:
            self._refuse(error)
            return
        frame = self.session.frame
        self._shown = PipelineView(
            pipeline,
            run,
            losses(pipeline, run),
            None,
            marks=needs_marks(self.app),
            in_letters=self._in_letters,
            fresh=frame.merge.new_id if frame and frame.merge else None,
        )
        self._point_at(self._token)
        model = pipeline.model
        is_cut = len(self.query_one(TextLine).text) > LONGEST
        cut = tr(" │ only the first {longest} characters", longest=LONGEST) if is_cut else ""
        tokens = plural(len(model.vocab), "token")
        built = tr("{model} with {tokens}", model=model.name, tokens=tokens)
        self._say_heading(f"{built}{cut}")

    @property
    def _text(self) -> str:
        """The part of the text that is run."""
        return self.query_one(TextLine).text[:LONGEST]

    def _say_heading(self, fact: str) -> None:
        session, step = self._seen
        is_file = session is not None and session.opened is not None and not step
        owner = tr("step {n}", n=step)
        owner = session.config.name if session is not None and is_file else owner
        shown = visible_text(owner, spaces=False)
        self.say("#heading", f"{tr('The pipeline of {owner}', owner=shown)} │ {fact}")

    # -- the token under the cursor

    def _point_at(self, token: int) -> None:
        if self._shown is None:
            return
        tokens = self._shown.run.tokens
        self._token = max(0, min(token, len(tokens) - 1))
        chosen = tokens[self._token] if tokens else None
        self._shown = replace(self._shown, chosen=chosen)
        title = f"{tr('stages')}  {plural(len(tokens), 'token')}"
        self.query_one(PipelinePanel).show(self._shown, title)
        self.say("#narration", describe_token(self._shown))

    async def action_forward(self, by: int) -> None:
        self._point_at(self._token + by)

    def action_characters(self) -> None:
        """Show characters, or GPT-2's letters for their bytes."""
        self._in_letters = not self._in_letters
        self._run()

    def on_lines_nothing_to_choose(self, event: Lines.NothingToChoose) -> None:
        event.prevent_default()  # zooming would hide the text
        self.tell("The text is typed above (e).")


def _build(frame: AnyFrame, text: str) -> Pipeline | BpeError:
    """Return the pipeline of a frame, whose stages have run once: that fills their caches.

    If it has none, return the error.
    """
    try:
        built = pipeline_at(frame)
    except BpeError as error:
        return error
    with suppress(BpeError):  # the screen's own run will show the error
        built.run(text)
    return built
