#!/usr/bin/env bash
# Draw the pictures of README and docs again, after a change that shows: bash docs/pictures.sh [FOLDER]
set -euo pipefail
out=$(cd "${1:-$(dirname "${BASH_SOURCE[0]}")}" && pwd)
cd "$(dirname "${BASH_SOURCE[0]}")/.."
stories=samples/tinystories_valid.txt

bpe-tui record samples/handout.txt --pattern whitespace --view lesson --text "the lowest" \
    --steps 0-5 --size 90x26 --out "$out/lesson.svg" --force
bpe-tui record $stories --vocab-size 700 --view training --steps 12 --size 120x40 --out "$out/training.svg" --force
bpe-tui record $stories --vocab-size 1000 --view encoding --text "the lowest newcomer" \
    --steps 743 --size 100x28 --out "$out/encoding.svg" --force
bpe-tui record $stories --view charts --steps 500 --size 120x32 --out "$out/charts.svg" --force

# Pictures of panels that a key opens, of which `record` knows nothing.
"${PYTHON:-python3}" - "$out" <<'PYTHON'
import asyncio
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from textual.strip import Strip

from bpe_tui.app.app import BpeTuiApp
from bpe_tui.app.moving_picture import moving_picture
from bpe_tui.app.recorder import Camera
from bpe_tui.app.step_page import PageFilm
from bpe_tui.session.config import RunConfig, TokenizerConfig, Viewpoint, in_phases
from bpe_tui.styles import DARK
from bpe_tui.widgets.textual_private import painted_lines
from engine import Tokenizer, train_bpe

STORIES, CODE = "samples/tinystories_valid.txt", "samples/code.txt"


async def picture(name: str, config: RunConfig, step: int, size: tuple[int, int], *keys: str) -> None:
    film, app = PageFilm(DARK), BpeTuiApp(config)
    app.makes_ahead = False
    async with app.run_test(size=size) as pilot:
        while app.session.stop_reason is None:
            await asyncio.sleep(0.01)
        film.begin(size, config.name)
        app.seek(step)
        app.clear_notices()
        await pilot.press(*keys)
        shown: list[Strip] = []
        while shown != (now := painted_lines(app.screen)):  # panels read the corpus in slices
            shown = now
            await pilot.pause(1.5)
        await Camera(app, pilot, film).take(2.0)
    Path(sys.argv[1], name).write_bytes(moving_picture(film, DARK).encode())


async def draw() -> None:
    encoding = Viewpoint(view="encoding", text="the cat sat ")
    await picture("tail.svg", RunConfig(STORIES, 1000, viewpoint=encoding), 743, (100, 28), "t")
    phases = RunConfig(STORIES, phases="gpt2:700,none:1000", viewpoint=Viewpoint(view="training"))
    await picture("superbpe.svg", in_phases(phases), 446, (120, 40))
    with TemporaryDirectory() as place:
        own = Path(place, "stories.json")
        vocab, merges = train_bpe(STORIES, 700, ["<|endoftext|>"], min_count=2)
        Tokenizer(vocab, merges, ["<|endoftext|>"]).save(own, "huggingface")
        training = Viewpoint(view="training")
        longer = TokenizerConfig((str(own),), CODE, continued=100, viewpoint=training)
        await picture("continue.svg", longer, len(merges) + 3, (120, 40))


asyncio.run(draw())
PYTHON
