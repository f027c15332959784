#!/usr/bin/env bash
# Draw the pictures of README and docs again, after a change that shows: bash docs/pictures.sh [FOLDER]
set -euo pipefail
out=$(cd "${1:-$(dirname "${BASH_SOURCE[0]}")}" && pwd)
cd "$(dirname "${BASH_SOURCE[0]}")/.."

"${PYTHON:-python3}" - "$out" <<'PYTHON'
import asyncio
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from textual.strip import Strip

from bpe_tui.app.app import BpeTuiApp
from bpe_tui.session.config import RunConfig, TokenizerConfig, Viewpoint
from bpe_tui.shell.exports import screen_svg
from bpe_tui.widgets.textual_private import painted_lines
from engine import Tokenizer, train_bpe

HANDOUT, STORIES, CODE = (f"samples/{name}.txt" for name in ("handout", "tinystories_valid", "code"))


async def picture(name: str, config: RunConfig, step: int, size: tuple[int, int], *keys: str) -> None:
    app = BpeTuiApp(config)
    app.makes_ahead = False
    async with app.run_test(size=size) as pilot:
        while app.session.stop_reason is None:
            await asyncio.sleep(0.01)
        app.seek(step)
        app.clear_notices()
        await pilot.press(*keys)
        shown: list[Strip] = []
        while shown != (now := painted_lines(app.screen)):  # panels read the corpus in slices
            shown = now
            await pilot.pause(1.5)
        drawn = screen_svg(app.screen, f"bpe-tui, step {step:,}")
    Path(sys.argv[1], name).write_text(drawn, "utf-8")


async def draw() -> None:
    lesson = Viewpoint(view="explain", text="the lowest")
    await picture("lesson.svg", RunConfig(HANDOUT, pattern="whitespace", viewpoint=lesson), 4, (90, 26))
    training = Viewpoint(view="training")
    await picture("training.svg", RunConfig(STORIES, 700, viewpoint=training), 12, (120, 40))
    encoding = Viewpoint(view="encoding", text="the lowest newcomer")
    await picture("encoding.svg", RunConfig(STORIES, 1000, viewpoint=encoding), 743, (100, 28))
    charts = Viewpoint(view="charts")
    await picture("charts.svg", RunConfig(STORIES, viewpoint=charts), 500, (120, 32))
    phases = RunConfig(STORIES, phases="gpt2:700,none:1000", viewpoint=training)
    await picture("superbpe.svg", phases, 446, (120, 40))
    with TemporaryDirectory() as place:
        own = Path(place, "stories.json")
        vocab, merges = train_bpe(STORIES, 700, ["<|endoftext|>"], min_count=2)
        Tokenizer(vocab, merges, ["<|endoftext|>"]).save(own, "huggingface")
        longer = TokenizerConfig((str(own),), CODE, continued=100, viewpoint=training)
        await picture("continue.svg", longer, len(merges) + 3, (120, 40))


asyncio.run(draw())
PYTHON
"${PYTHON:-python3}" docs/moving_picture.py "$out/moving.svg"
