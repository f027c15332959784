"""Draw the moving picture of the README: fifteen seconds of the real program, as one SVG.

    python docs/moving_picture.py FILE

The program is filmed in both themes while keys are pressed. The picture has each distinct row of
the screen once, and a rule of CSS says when it is seen. It has no script and needs no network.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator, Sequence
from html import escape
from itertools import accumulate, pairwise
from pathlib import Path
from typing import TypeVar

from textual.theme import Theme

from bpe_tui.app.app import BpeTuiApp
from bpe_tui.app.recorder import Camera
from bpe_tui.app.step_page import PageFilm, RowParts, paired
from bpe_tui.session.config import RunConfig, Viewpoint
from bpe_tui.styles import DARK, LIGHT
from bpe_tui.widgets.visible import width

CORPUS, TEXT = "samples/tinystories_valid.txt", "the lowest newcomer"
COLUMNS, ROWS = 92, 26
CELL, LINE, EDGE = 8.4, 18, 10
"""Width of a cell, height of a row, and room around the screen, in pixels."""
PAGES = {DARK.background, LIGHT.background}
STILL = 4.0
"""Second that a reader sees who wants nothing to move."""
SCENES: tuple[tuple[str, str, int | None, float], ...] = (
    ("→", "a merge: count, pick, replace", 7, 4.5),
    ("←", "and back", 6, 1.0),
    ("1", "the heap, the counts that change, the words", 7, 2.2),
    *(("→", "the typed text changes as merges come", step, 0.6) for step in (12, 60, 240)),
    ("→", "the typed text changes as merges come", 1000, 1.6),
    ("2", "how each word encodes", None, 1.4),
    ("w", "why is newcomer not one token?", None, 3.1),
)
"""Key, caption, the step that is shown then, and seconds."""
BEFORE = {"w": ("down", "down")}
"""Keys that are pressed unseen before one."""
Row = tuple[RowParts, RowParts]
"""A row of the screen in the dark and in the light theme."""
Times = tuple[tuple[float, float], ...]
"""When something is seen: from and to, in seconds."""
Thing = TypeVar("Thing")


async def film(theme: Theme) -> tuple[PageFilm, list[str]]:
    """Play the scenes in a theme; return the film, and the caption of each shot."""
    taken, captions = PageFilm(theme), list[str]()
    taken.has_text = False  # it asks nothing
    app = BpeTuiApp(RunConfig(CORPUS, viewpoint=Viewpoint(view="explain", text=TEXT)))
    app.theme, app.makes_ahead = theme.name, False
    async with app.run_test(size=(COLUMNS, ROWS)) as pilot:
        while app.session.stop_reason is None:
            await asyncio.sleep(0.01)
        camera = Camera(app, pilot, taken)
        taken.begin((COLUMNS, ROWS), "")
        for key, caption, step, seconds in SCENES:
            if key not in "→←":
                await pilot.press(*BEFORE.get(key, ()), key)
            if step is not None:
                app.seek(step)
            app.clear_notices()
            await pilot.pause(1.5)  # panels read the corpus in slices
            await camera.take_step(seconds, is_new=not captions)
            captions += [f"{key}  {caption}"] * (len(taken.shots) - len(captions))
    return taken, captions


class MovingPicture:
    """An SVG of rows that are seen at different times, in the colours of both themes.

    Args:
        ends: when each shot ends, in seconds.
    """

    def __init__(self, ends: Sequence[float]) -> None:
        self._spans = list(pairwise((0.0, *ends)))
        self._looks: dict[tuple[str, str], str] = {}
        self._times: dict[Times, str] = {}

    def of(self, shots: Sequence[Sequence[Row]], captions: Sequence[str]) -> str:
        """Return the picture.

        Args:
            shots: the rows of each shot.
            captions: the line below each shot.
        """
        drawn = [
            self._shown(self._row(row, at), times)
            for at in range(ROWS)
            for row, times in self._when([rows[at] for rows in shots])
        ]
        y = EDGE + (ROWS + 1) * LINE + 6
        for caption, times in self._when(captions):
            text = f'<text class="say" x="{EDGE}" y="{y}">{escape(caption, quote=False)}</text>'
            drawn.append(self._shown(text, times))
        size = f"{2 * EDGE + COLUMNS * CELL:.0f}", f"{EDGE + y - 2}"
        view = f'viewBox="0 0 {" ".join(size)}" width="{size[0]}" height="{size[1]}"'
        return "\n".join(
            (
                f'<svg xmlns="http://www.w3.org/2000/svg" xml:space="preserve" {view}>',
                "<title>bpe-tui: a merge, the heap, a typed text, and why not</title>",
                f"<style>{''.join(self._rules())}</style>",
                '<rect class="page" width="100%" height="100%" rx="8"/>',
                *drawn,
                "</svg>\n",
            )
        )

    def _when(self, things: Sequence[Thing]) -> Iterator[tuple[Thing, Times]]:
        """Yield each distinct thing of the shots once, and when it is seen."""
        found: dict[Thing, list[tuple[float, float]]] = {}
        for thing, (start, end) in zip(things, self._spans, strict=True):
            times = found.setdefault(thing, [])
            if times and times[-1][1] == start:
                start = times.pop()[0]
            times.append((start, end))
        return ((thing, tuple(times)) for thing, times in found.items())

    def _shown(self, drawn: str, times: Times) -> str:
        if times == ((0.0, self._spans[-1][1]),) or not drawn:
            return drawn
        return f'<g class="{self._times.setdefault(times, f"t{len(self._times)}")}">{drawn}</g>'

    def _row(self, row: Row, at: int) -> str:
        """Return the grounds of a row, then its text; each part is as wide as its cells."""
        x, grounds, texts = float(EDGE), "", ""
        top = EDGE + at * LINE
        for text, (dark, light) in paired(*row):
            size, seen = width(text) * CELL, text.strip()
            if ground := self._look(_ground(dark), _ground(light)):
                place = f'x="{x:.1f}" y="{top}" width="{size:.1f}" height="{LINE}"'
                grounds += f"<rect {place}{ground}/>"
            if seen:
                start = x + (len(text) - len(text.lstrip())) * CELL
                place = f'x="{start:.1f}" textLength="{width(seen) * CELL:.1f}"'
                ink = self._look(_ink(dark), _ink(light))
                texts += f"<tspan {place}{ink}>{escape(seen, quote=False)}</tspan>"
            x += size
        return f'{grounds}<text y="{top + 13}">{texts}</text>' if texts else grounds

    def _look(self, dark: str, light: str) -> str:
        """Return the attribute of a class for declarations in both themes; "" for none."""
        if not dark and not light:
            return ""
        return f' class="{self._looks.setdefault((dark, light), f"l{len(self._looks)}")}"'

    def _rules(self) -> Iterator[str]:
        """Yield the style sheet."""
        last = self._spans[-1][1]
        yield "text{font:14px ui-monospace,Menlo,Consolas,monospace}"
        yield f"g{{animation:{last:.1f}s step-end infinite;visibility:hidden}}"
        for times, name in self._times.items():
            changes = {}
            for start, end in times:
                changes |= {start: "visible", end: "hidden"}
            changes = {0.0: "hidden"} | changes
            moments = "".join(
                f"{100 * at / last:.2f}%{{visibility:{state}}}"
                for at, state in sorted(changes.items())
                if at < last
            )
            yield f"@keyframes {name}{{{moments}}}.{name}{{animation-name:{name}}}"
        pause = f"animation-play-state:paused;animation-delay:-{STILL}s"
        yield f"@media(prefers-reduced-motion:reduce){{g{{{pause}}}}}"
        for index, theme, media in (
            (0, DARK, ""),
            (1, LIGHT, "@media(prefers-color-scheme:light){"),
        ):
            yield f"{media}text{{fill:{theme.foreground}}}.page{{fill:{theme.background}}}"
            yield f".say{{fill:{theme.primary};font-weight:bold}}"
            yield from (f".{name}{{{look[index]}}}" for look, name in self._looks.items())
            yield "}" if media else ""


def _ink(look: str) -> str:
    """Return what a look says of the text, as SVG has it."""
    kept = (each for each in look.split(";") if each and not each.startswith("background:"))
    return ";".join(each.replace("color:", "fill:") for each in kept)


def _ground(look: str) -> str:
    """Return what a look says of the ground, as SVG has it; "" for the page's own."""
    found = [each.partition(":")[2] for each in look.split(";") if each.startswith("background:")]
    return "".join(f"fill:{each}" for each in found if each not in PAGES)


async def draw(place: Path) -> None:
    """Film in both themes, and write the picture."""
    (dark, captions), (light, _) = await film(DARK), await film(LIGHT)
    ends = list(accumulate(shot.seconds for shot, _ in dark.shots))
    rows = list(dark.rows), list(light.rows)
    shots = [
        [(rows[0][a], rows[1][b]) for a, b in zip(in_dark, in_light, strict=True)]
        for (_, in_dark), (_, in_light) in zip(dark.shots, light.shots, strict=True)
    ]
    place.write_text(MovingPicture(ends).of(shots, captions), "utf-8")


if __name__ == "__main__":
    asyncio.run(draw(Path(sys.argv[1])))
