"""The application opened for a test."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from textual.pilot import Pilot

from bpe_tui.app.app import BpeTuiApp
from bpe_tui.session.config import Config, RunConfig

SAMPLE = Path(__file__).parents[2] / "samples" / "tinystories_valid.txt"


@asynccontextmanager
async def opened(
    corpus: Path = SAMPLE,
    size: tuple[int, int] = (120, 40),
    vocab_size: int = 700,
    tie_rule: str = "lexicographic",
    trainer: str = "fast",
    model: str = "bpe",
) -> AsyncIterator[tuple[BpeTuiApp, Pilot[int]]]:
    """The application with its training finished."""
    config = RunConfig(
        str(corpus), vocab_size=vocab_size, tie_rule=tie_rule, trainer=trainer, model=model
    )
    async with opened_as(config, size) as there:
        yield there


@asynccontextmanager
async def opened_as(
    config: Config, size: tuple[int, int] = (120, 40)
) -> AsyncIterator[tuple[BpeTuiApp, Pilot[int]]]:
    """The application with all steps of what `config` names."""
    app = BpeTuiApp(config)
    async with app.run_test(size=size) as pilot:
        await ended(app, pilot)
        yield app, pilot


async def ended(app: BpeTuiApp, pilot: Pilot[int]) -> None:
    """Wait until all steps of the session are recorded."""
    for _ in range(400):
        await pilot.pause(0.02)
        if app.session.stop_reason is not None:
            break
    assert app.session.stop_reason is not None
    await pilot.pause()


def step(app: BpeTuiApp) -> int:
    assert app.session.recording is not None
    return app.session.recording.cursor
