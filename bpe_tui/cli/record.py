"""`bpe-tui record`: steps of a run as a film or a page, without a terminal."""

from __future__ import annotations

import asyncio
import re
import sys
from collections.abc import Callable, Coroutine
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bpe_tui.cli import inputs, options, outputs
from bpe_tui.cli.declared import Given, command, examples
from bpe_tui.cli.open import opened_config
from bpe_tui.session.declarations import LESSON
from bpe_tui.session.state import without_state
from bpe_tui.styles import DARK, LIGHT
from bpe_tui.widgets.language import tr
from bpe_tui.widgets.visible import visible_text
from engine.core.files import write_files

if TYPE_CHECKING:
    from bpe_tui.app.recorder import Film

LEAST, MOST = (60, 20), (400, 200)
"""Columns and rows of the smallest and the largest screen."""
MOST_STEPS = 10_000
CAST_SIZE, PAGE_SIZE = "100x30", "60x30"


@command(
    epilog=examples(
        "bpe-tui record samples/handout.txt --pattern whitespace --steps 0-12 --out low.cast",
        "bpe-tui record session.json --steps 0-40 --view explain --out merges.cast",
        "bpe-tui record samples/handout.txt --pattern whitespace --steps 0-9 --html low.html",
    ),
    training=options.OF_TRAINING,
)
def record(
    context: Given,
    out: Path | None = options.option("--out FILE", "Where the asciicast goes.", options.OUTPUT),
    html: Path | None = options.option(
        "--html FILE",
        "Where a page goes that steps in any browser, without a network.",
        options.OUTPUT,
    ),
    steps: str | None = options.option(
        "--steps A-B", "The first and the last; 0 is before any merge.", options.OUTPUT
    ),
    corpus: str | None = options.names_file("CORPUS", "A text or a tokenizer.", default=None),
    size: str | None = options.option(
        "--size COLSxROWS",
        f"Of the screen: {CAST_SIZE}; of a page {PAGE_SIZE}, for phones.",
        options.OUTPUT,
    ),
    speed: float | None = options.option(
        "--speed N",
        "Steps a second: 2, or 0.2 on the explain screen, with beats.",
        options.OUTPUT,
        min=0.1,
        max=100,
    ),
    force: bool = options.FORCE,
    tokenizer: list[str] | None = options.OPENED_TOKENIZER,
    view: str | None = options.VIEW,
    text: str = options.TYPED_TEXT,
    **of_training: Any,
) -> None:
    """Record steps of a run as an asciicast or a page.

    asciinema and agg play an asciicast, or make a GIF of it. A page opens in any browser.
    """
    places = [place for place in (out, html) if place is not None]
    if not places or out == html:
        raise inputs.CommandLineError("give --out FILE, --html FILE, or both with different files")
    # Each kind of file has its own size, also if both are written.
    cells, page_cells = (_size(size or usual) for usual in (CAST_SIZE, PAGE_SIZE))
    outputs.check_free(*places, force=force)
    if steps is None:
        raise inputs.CommandLineError(
            "give --steps, the first and the last, like 0-40; 0 is before any merge"
        )
    config, wanted = opened_config(context), _steps(steps)
    if html is not None:
        _check_page(wanted, page_cells)
    inputs.check_single(config)
    inputs.check_config(config)
    from bpe_tui.app.app import BpeTuiApp  # slow to import
    from bpe_tui.app.recorder import record as record_steps

    async def film(taken: Film) -> None:
        viewpoint = config.viewpoint
        if taken.has_text and viewpoint.view is None:
            viewpoint = viewpoint._replace(view=LESSON)  # a page asks there
        unseen = BpeTuiApp(replace(config, viewpoint=viewpoint))
        unseen.theme, unseen.makes_ahead = taken.theme, False
        room = page_cells if taken.has_text else cells
        await record_steps(unseen, wanted, taken, size=room, steps_a_second=speed)

    contents: dict[Path, bytes] = {}
    with without_state():
        if out is not None:
            contents[out] = _cast(film)
        if html is not None:
            contents[html] = _page(film)
    write_files(contents, overwrite=force)
    for place in contents:
        print(tr("Written: {place}", place=visible_text(str(place), spaces=False)), file=sys.stderr)


def _cast(film: Callable[[Film], Coroutine[Any, Any, None]]) -> bytes:
    from bpe_tui.app.recorder import CastFilm

    lines: list[str] = []
    asyncio.run(film(CastFilm(lines.append)))
    return "".join(lines).encode()


def _page(film: Callable[[Film], Coroutine[Any, Any, None]]) -> bytes:
    """Film twice, once in each theme, since the page has the colours of both."""
    from bpe_tui.app.step_page import PageFilm, step_page

    dark, light = PageFilm(DARK), PageFilm(LIGHT)
    for taken in (dark, light):
        asyncio.run(film(taken))
    return step_page(dark, light).encode()


def _check_page(steps: tuple[int, int], cells: tuple[int, int]) -> None:
    """Raise an error if a page would have too many steps of this size."""
    from bpe_tui.app.step_page import MOST_CELLS

    most = MOST_CELLS // (cells[0] * cells[1])
    if steps[1] - steps[0] >= most:
        raise inputs.CommandLineError(
            f"--html holds {most:,} steps of {cells[0]}x{cells[1]} at the most: "
            "take fewer --steps, or a smaller --size"
        )


def _steps(typed: str) -> tuple[int, int]:
    """Parse the first and the last step: `0-40`, or one, `12`."""
    found = re.fullmatch(r"(\d{1,9})(?:-(\d{1,9}))?", typed, re.ASCII)
    first, last = (int(found[1]), int(found[2] or found[1])) if found else (1, 0)
    if first > last or last - first >= MOST_STEPS:
        raise inputs.CommandLineError(
            f"--steps takes a first and a last step, like 0-40, {MOST_STEPS:,} at the most"
        )
    return first, last


def _size(typed: str) -> tuple[int, int]:
    """Parse columns and rows: `100x30`."""
    found = re.fullmatch(r"(\d{1,3})[x×](\d{1,3})", typed, re.ASCII)
    cells = (int(found[1]), int(found[2])) if found else (0, 0)
    if not all(low <= n <= high for low, n, high in zip(LEAST, cells, MOST, strict=True)):
        least, most = ("x".join(map(str, each)) for each in (LEAST, MOST))
        raise inputs.CommandLineError(f"--size takes columns and rows, from {least} to {most}")
    return cells
