"""The pipeline screen: a text on its way through all stages, which can be switched one by one.

The stages of a large vocabulary are built in a thread, for one step at a time. If the step changes
meanwhile, only the last one is built next. The old stages are shown until then.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input, Static

from bpe_tui.session.declarations import PIPELINE
from bpe_tui.shell.dialog import SaveFile
from bpe_tui.shell.panel import needs_marks
from bpe_tui.shell.session_screen import SessionScreen
from bpe_tui.studies.pipeline_stages import (
    PipelinePanel,
    PipelineView,
    ToStage,
    describe_token,
    stage_name,
)
from bpe_tui.styles import sheet
from bpe_tui.widgets.fields import TextLine
from bpe_tui.widgets.language import plural, tr, visible_message
from bpe_tui.widgets.lines import Lines
from bpe_tui.widgets.rows import Row, Span, left
from bpe_tui.widgets.visible import visible_text
from bpe_tui.widgets.window import Window
from engine.core.errors import BpeError
from engine.formats.own_pipelines import AnyFrame, pipeline_at
from engine.formats.tokenizer_json import save_pipeline
from engine.pipeline.draft import Draft, StageKind
from engine.pipeline.losses import losses
from engine.pipeline.pipeline import Pipeline

if TYPE_CHECKING:
    from bpe_tui.session.session import Session


MARK_CELLS, NAME_CELLS, NARROW_NAME_CELLS = 3, 22, 16
StageSwitch = Callable[[Draft], Draft]


class ChoiceRows(Lines):
    """The choices for a stage: none, the original, and others; those taken are numbered."""

    def __init__(self, kind: StageKind, draft: Draft) -> None:
        super().__init__(id="choice-rows")
        self._kind = kind
        self.show_draft(draft)

    def show_draft(self, draft: Draft) -> None:
        kind, stages = self._kind, draft.stages(self._kind)
        original = " │ ".join(map(stage_name, Draft(draft.original).stages(kind))) or "none"
        # Of each row the mark, name and summary, and the switch that Enter makes.
        none: StageSwitch = partial(Draft.with_stages, kind=kind, stages=())
        back: StageSwitch = partial(Draft.restored, kind=kind)
        self._listed: list[tuple[str, str, str, StageSwitch]] = [
            ("" if stages else "•", "none", "leave the stage out", none),
            ("" if draft.is_switched(kind) else "•", "as it was", original, back),
        ]
        listed = list(kind.choices(draft.original))
        offered = [(choice.stage, choice.name, choice.summary) for choice in listed]
        known = [choice.stage for choice in listed]
        offered += [(stage, stage_name(stage), "") for stage in stages if stage not in known]
        for stage, name, summary in offered:
            mark = str(stages.index(stage) + 1) if stage in stages else ""
            switch = partial(Draft.toggled, kind=kind, stage=stage)
            self._listed.append((mark, name, summary, switch))
        self.styles.height = len(self._listed)
        self.rebuild()

    def rebuild(self) -> None:
        room = self.scrollable_content_region.width
        names = NAME_CELLS if room >= 72 else NARROW_NAME_CELLS
        rows = []
        for mark, name, summary, switch in self._listed:
            described = (tr(visible_text(summary, spaces=False)), "dim")
            spans: list[Span] = [
                *left([(mark, "here")], MARK_CELLS),
                *left([(tr(name), "strong" if mark else "")], names),
                (" ", ""),
                *left([described], max(room - MARK_CELLS - names - 1, 1)),
            ]
            rows.append(Row(spans, switch))
        self._rows = rows
        super().rebuild()


class StageWindow(Window[None]):
    """The window that switches a stage; the screen behind it changes at once."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss", "back")]

    def __init__(self, kind: StageKind, draft: Draft, changed: Callable[[Draft], None]) -> None:
        super().__init__()
        self._kind, self._draft, self._changed = kind, draft, changed

    def compose(self) -> ComposeResult:
        with Vertical(classes="window", id="stage-window") as window:
            window.border_title = Content(tr("the {title}", title=tr(self._kind.title)))
            window.border_subtitle = Content(tr("Enter chooses or drops │ Esc back"))
            yield ChoiceRows(self._kind, self._draft)
            several = tr("Choose one or more: they run in the order of your choice.")
            rule = several if self._kind.joined else tr("One or none.")
            yield Static(Content(rule), id="dialog-hint")

    def on_lines_chosen(self, event: Lines.Chosen) -> None:
        switch: StageSwitch = event.target  # type: ignore[assignment]
        draft = self._draft = switch(self._draft)
        self.query_one(ChoiceRows).show_draft(draft)
        self._changed(draft)


LONGEST = 1_000
"""Characters of a text that are run; the heading says so if a text is longer."""
AT_ONCE = 2_000
"""Tokens of the largest vocabulary whose stages are built without a thread."""


class SavePipeline(SaveFile):
    """A dialog that asks for a path and saves all stages there."""

    def __init__(self, pipeline: Pipeline, suggestion: str) -> None:
        self._pipeline = pipeline
        super().__init__(
            "save the pipeline",
            "A tokenizer.json with all stages as they are now; Hugging Face's library reads it.",
            suggestion,
        )

    def write(self, path: Path, overwrite: bool) -> None:
        save_pipeline(self._pipeline, path, overwrite=overwrite)


class PipelineScreen(SessionScreen):
    """The output of each stage of the session's tokenizer for a text."""

    NAME = PIPELINE
    CSS_PATH = sheet("pipeline.tcss")
    PANEL_ORDER = ("stages", "texts")
    TYPED = "texts"

    def __init__(self) -> None:
        super().__init__()
        self._draft: Draft | None = None
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
        """Show the pipeline of the step; switched stages stay so while the run is the same."""
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
            self._draft = self._shown = None
        self._seen = session, self.frame.step
        self._wanted = self.frame
        if self.frame.vocab_size <= AT_ONCE:
            self.notifier.jobs.cancel(self)
            self._take(_build(self.frame, ""))
            return
        self._say_heading("being built …")
        if self._draft is None:
            self.query_one(PipelinePanel).say("The stages are being built …")
        build = partial(_build, self.frame, self._text)
        self.notifier.jobs.find(self, "pipeline", build, self._take)

    def _take(self, built: Pipeline | BpeError) -> None:
        """Show the stages of the step; switched stages stay so."""
        if isinstance(built, Pipeline):
            kept = {} if self._draft is None else self._draft.switched
            self._draft = Draft(built, kept)
            self._run()
            return
        self._draft = None
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
        if self._draft is None:
            return
        pipeline = self._draft.pipeline
        try:
            run = pipeline.run(self._text)
        except BpeError as error:
            self._refuse(error)
            return
        frame = self.session.frame
        self._shown = PipelineView(
            self._draft,
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

    # -- switching stages

    def follow(self, target: object) -> None:
        assert isinstance(target, ToStage)  # no other row of the screen leads anywhere
        self._switch(target.kind)

    def on_lines_nothing_to_choose(self, event: Lines.NothingToChoose) -> None:
        event.prevent_default()  # zooming would hide the text
        self.tell("The text is typed above (e); the model is what was learnt, so it stays.")

    def _switch(self, kind: StageKind) -> None:
        if self._draft is not None:
            self.app.push_screen(StageWindow(kind, self._draft, self._switched))

    def _switched(self, draft: Draft) -> None:
        self._draft = draft
        self._run()

    def action_again(self) -> None:
        if self._draft is not None:
            self._switched(Draft(self._draft.original))

    # -- saving

    def action_save(self) -> None:
        if self._draft is not None:
            window = SavePipeline(self._draft.pipeline, f"step-{self._seen[1]}-tokenizer.json")
            self.app.push_screen(window, self.host.tell_saved)


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
