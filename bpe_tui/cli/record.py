"""`bpe-tui record`: steps of a run as a recording of the screen, without a terminal."""

from __future__ import annotations

import asyncio
import re
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from bpe_tui.cli import inputs, options, outputs
from bpe_tui.cli.open import opened_config
from bpe_tui.cli.program import GroupedHelp, app, examples
from bpe_tui.session.lessons import numbered_lesson
from bpe_tui.session.state import without_state
from bpe_tui.widgets.visible import visible_text
from engine.core.files import write_files
from engine.learning.lesson_file import is_lesson, read_lesson

LEAST, MOST = (60, 20), (400, 200)
"""Columns and rows of the smallest and the largest screen."""
MOST_STEPS = 10_000
SCENE_SECONDS, SCENES = 10.0, 2.0
"""Time for a scene of a lesson at speed 1, and the usual speed."""


@app.command(
    cls=GroupedHelp,
    epilog=examples(
        "bpe-tui record samples/handout.txt --pattern whitespace --steps 0-12 --out low.cast",
        "bpe-tui record session.json --steps 0-40 --view lesson --out merges.cast",
        "bpe-tui record 2 --out lesson.cast",
    ),
)
@options.with_training()
def record(
    context: typer.Context,
    out: Annotated[
        Path,
        typer.Option(
            "--out",
            metavar="FILE",
            help="Where the recording goes.",
            rich_help_panel=options.OUTPUT,
        ),
    ],
    steps: Annotated[
        str | None,
        typer.Option(
            "--steps",
            metavar="A-B",
            help="The first and the last; 0 is before any merge.",
            rich_help_panel=options.OUTPUT,
            show_default=False,
        ),
    ] = None,
    corpus: Annotated[
        str | None,
        typer.Argument(
            metavar="CORPUS",
            help="A text, a tokenizer, a saved session, or a lesson: its file or its number.",
            show_default=False,
        ),
    ] = None,
    size: Annotated[
        str,
        typer.Option(
            "--size", metavar="COLSxROWS", help="Of the screen.", rich_help_panel=options.OUTPUT
        ),
    ] = "100x30",
    speed: Annotated[
        float | None,
        typer.Option(
            "--speed",
            metavar="N",
            min=0.1,
            max=100,
            help="Steps a second: 2, or 1 in the lesson view, with beats; of a lesson, scenes in "
            "ten seconds.",
            rich_help_panel=options.OUTPUT,
            show_default=False,
        ),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Overwrite FILE.", rich_help_panel=options.OUTPUT)
    ] = False,
    tokenizer: options.OpenedTokenizerOption = None,
    view: options.ViewOption = None,
    text: options.TextOption = "",
    **of_training: Any,
) -> None:
    """Record steps of a run, or a lesson, as an asciicast.

    asciinema and agg play it, or make a GIF of it.
    """
    cells = _size(size)
    if not force:
        outputs.check_free(out)
    lines: list[str] = []
    path = None  # of a lesson, named by its file or number
    if corpus is not None:
        path = Path(corpus) if is_lesson(corpus) else numbered_lesson(corpus)
    if path is not None:
        if steps is not None:
            raise inputs.CommandLineError(
                "--steps is for a run; a lesson is recorded scene by scene"
            )
        from bpe_tui.app.lesson_author import record_scenes  # slow to import

        lesson, seconds = read_lesson(path), SCENE_SECONDS / (speed or SCENES)
        with without_state():
            asyncio.run(record_scenes(lesson, lines.append, size=cells, seconds=seconds))
        _write(out, lines, force)
        return
    config, wanted = opened_config(context), _steps(steps or "")
    inputs.check_config(config)
    from bpe_tui.app.app import BpeTuiApp  # slow to import
    from bpe_tui.app.recorder import record as record_steps

    unseen = BpeTuiApp(config)
    unseen.makes_ahead = False
    with without_state():
        asyncio.run(record_steps(unseen, wanted, lines.append, size=cells, steps_a_second=speed))
    _write(out, lines, force)


def _write(out: Path, lines: list[str], force: bool) -> None:
    write_files({out: "".join(lines).encode()}, overwrite=force)
    print(f"Written: {visible_text(str(out), spaces=False)}", file=sys.stderr)


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
