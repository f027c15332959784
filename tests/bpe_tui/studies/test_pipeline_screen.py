"""The pipeline screen: stages on a text, tokens followed back to it."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from bert_file import BERT
from edges import edged
from opening import opened, opened_as, until
from textual.pilot import Pilot
from textual.widgets import Input, Static

from bpe_tui.app.app import BpeTuiApp
from bpe_tui.session.config import TokenizerConfig, Viewpoint
from bpe_tui.session.lessons import builtin_lessons
from bpe_tui.studies.pipeline_stages import PipelinePanel
from engine.core.errors import BpeError

There = AsyncIterator[tuple[BpeTuiApp, Pilot[int]]]


@asynccontextmanager
async def pipeline(size: tuple[int, int] = (120, 40)) -> There:
    """Open the pipeline screen of a BPE run at its last step."""
    async with opened(size=size, vocab_size=400) as (app, pilot):
        await pilot.press("end", "8")
        yield app, pilot


@asynccontextmanager
async def bert(tmp_path: Path) -> There:
    """Open a tokenizer without merges from a file, which shows the pipeline screen."""
    (tmp_path / "tokenizer.json").write_text(json.dumps(BERT))
    config = TokenizerConfig((str(tmp_path / "tokenizer.json"),))
    async with opened_as(config) as (app, pilot):
        yield app, pilot


def rows(app: BpeTuiApp) -> list[str]:
    panel = app.screen_stack[1].query_one(PipelinePanel)
    made = (panel.row(index).spans for index in range(panel.row_count))
    return [edged(spans[1:]).rstrip() for spans in made]


def stage(app: BpeTuiApp, title: str) -> list[str]:
    """Return the rows of a stage."""
    every = [row for row in rows(app) if row]
    first = next(place for place, row in enumerate(every) if row.startswith(title))
    following = (n for n, row in enumerate(every) if n > first and row[:1].strip())
    return every[first : next(following, len(every))]


def marked(app: BpeTuiApp) -> list[str]:
    """Return the texts marked for the token under the cursor, from top to bottom."""
    panel = app.screen_stack[1].query_one(PipelinePanel)
    spans = [span for index in range(panel.row_count) for span in panel.row(index).spans]
    return [text for text, role in spans if role == "tab"]


async def typed(app: BpeTuiApp, pilot: Pilot[int], text: str) -> None:
    app.screen.query_one("#pipeline-text", Input).value = text
    await pilot.pause()


async def test_a_file_is_shown_with_all_its_merges_though_they_come_one_by_one() -> None:
    path = builtin_lessons()[0].path.with_name("uncased.json")
    viewpoint = Viewpoint(view="pipeline")
    async with opened_as(TokenizerConfig((str(path),), viewpoint=viewpoint)) as (app, pilot):
        await until(pilot, lambda: bool(rows(app)))
        assert "NFKD │ StripAccents │ Lowercase" in stage(app, "normalizer")[0]


async def test_a_file_without_merges_opens_here_with_its_unknown_token_and_keys_say_so(
    tmp_path: Path,
) -> None:
    async with bert(tmp_path) as (app, pilot):
        assert app.screen.id == "pipeline"
        await typed(app, pilot, "The hugs 漢")
        assert "hug┊##s│" in stage(app, "model")[1]
        assert "[UNK] stands for 漢" in stage(app, "model")[-1]
        await pilot.press("1", "right", "2", "escape", "3", "4", "5", "8")
        assert app.screen.id == "pipeline"
        await pilot.press("2", "escape", "w")
        assert app.screen.id == "encoding"
        assert "model WordPiece has none" in app.notices.now


async def test_a_long_text_is_cut_and_what_a_file_cannot_say_has_a_reason() -> None:
    async with pipeline() as (app, pilot):
        heading = app.screen.query_one("#heading", Static)
        for length, is_cut in ((1000, False), (1001, True)):
            await typed(app, pilot, "x" * length)
            assert ("only the first 1,000 characters" in str(heading.render())) == is_cut
        app.screen._take(BpeError("The reason."))  # type: ignore[attr-defined]
        assert rows(app) == ["The reason."]
        assert "tokenizer.json cannot say it" in str(heading.render())


async def test_stages_of_many_tokens_are_built_in_a_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bpe_tui.studies.pipeline.AT_ONCE", 258)
    async with opened(vocab_size=400) as (app, pilot):
        app.seek(1)
        await pilot.press("8")
        heading = app.screen.query_one("#heading", Static)
        assert "of step 1 │ BPE with 258 tokens" in str(heading.content)  # as many as at once
        assert "upon·a·time" in stage(app, "normalizer")[1]
        for step in (2, 3, 30):  # the stages of those that are passed in haste are never seen
            app.seek(step)
        assert "of step 30 │ being built" in str(heading.content)
        assert rows(app)[0].startswith("text"), "what was shown stays until then"
        building = app.screen.notifier.jobs._of(app.screen)["pipeline"]
        app.seek(1)
        assert building.is_cancelled
        assert "of step 1 │ BPE with 258 tokens" in str(heading.content)
        app.seek(30)
        await until(pilot, lambda: "of step 30 │ BPE with 287 tokens" in str(heading.content))
