"""A film as an SVG picture that moves by itself: for a README, slides, or any page.

All shots stand below each other, and an animation in CSS moves them past a window of one shot. The
picture has no script, names no font file and no address. Each distinct row of cells is there once.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from itertools import accumulate

from textual.theme import Theme

from bpe_tui.app.step_page import PageFilm, RowParts, aligned
from bpe_tui.widgets.visible import still_visible, width

CELL, ROW = 8.4, 18
"""Width and height of a cell in pixels, for letters of 14 pixels."""
BASELINE, MARGIN = 13.5, 12
FONTS = "'Cascadia Mono','DejaVu Sans Mono',Menlo,Consolas,'Liberation Mono',monospace"


def moving_picture(film: PageFilm, theme: Theme) -> str:
    """Return the picture of a film; a film of one shot does not move.

    Args:
        film: taken in the colours of `theme`.
        theme: gives the colours of cells that have none of their own.
    """
    columns, lines = film.size
    wide, high = columns * CELL, lines * ROW
    distinct = dict.fromkeys(look for row in film.rows for _, look in row)
    looks = {look: f"l{n}" for n, look in enumerate(distinct)}
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" role="img" '
            f'viewBox="0 0 {wide + 2 * MARGIN:.1f} {high + 2 * MARGIN}">',
            f"<title>{escape(still_visible(film.title))}</title>",
            "<style>",
            f"text{{font:14px {FONTS};white-space:pre;fill:{theme.foreground}}}",
            *_rules(looks),
            *_motion([shot.seconds for shot, _ in film.shots], high),
            "</style>",
            "<defs>",
            *(
                f'<g id="r{number}">{"".join(_row(row, looks))}</g>'
                for row, number in film.rows.items()
            ),
            "</defs>",
            f'<rect width="100%" height="100%" rx="8" fill="{theme.background}"/>',
            f'<svg x="{MARGIN}" y="{MARGIN}" width="{wide:.1f}" height="{high}"><g class="film">',
            *(
                "".join(
                    f'<use href="#r{number}" y="{at * high + line * ROW}"/>'
                    for line, number in enumerate(rows)
                )
                for at, (_, rows) in enumerate(film.shots)
            ),
            "</g></svg>",
            "</svg>\n",
        ]
    )


def _rules(looks: dict[str, str]) -> Iterator[str]:
    """Yield rules for looks: color and background are the fill of a text and of what is behind."""
    for look, name in looks.items():
        declared = dict(each.split(":", 1) for each in look.split(";") if each)
        back = declared.pop("background", "")
        if "color" in declared:
            declared["fill"] = declared.pop("color")
        if declared:
            yield f".{name}{{{';'.join(f'{key}:{value}' for key, value in declared.items())}}}"
        if back:
            yield f"rect.{name}{{fill:{back};opacity:1}}"


def _motion(seconds: list[float], high: int) -> Iterator[str]:
    """Yield the rules that show each shot for its time, again and again.

    Who has asked the system for less motion sees the first shot.
    """
    if len(seconds) < 2:
        return
    whole = sum(seconds)
    begins = [0.0, *accumulate(seconds[:-1])]
    places = (
        f"{100 * begin / whole:.3f}%{{transform:translateY({-at * high}px)}}"
        for at, begin in enumerate(begins)
    )
    yield f"@keyframes film{{{''.join(places)}}}"
    yield f".film{{animation:film {whole:.2f}s step-end infinite}}"
    yield "@media (prefers-reduced-motion:reduce){.film{animation:none}}"


def _row(row: RowParts, looks: dict[str, str]) -> Iterator[str]:
    """Yield what is behind the texts of a row, and the texts, each in the cells that it takes."""
    at = 0
    for text, look in row:
        cells = width(text)
        if "background:" in look:
            yield f'<rect class="{looks[look]}" {_place(at, cells)} height="{ROW}"/>'
        at += cells
    at = 0
    for text, look in row:
        chosen = f' class="{looks[look]}"' if look else ""
        for part, fixed in aligned(text):
            cells = fixed or width(part)
            shown = part.strip(" ")
            if shown:
                before = len(part) - len(part.lstrip(" "))
                place = _place(at + before, cells - len(part) + len(shown), "textLength")
                yield f'<text{chosen} {place} y="{BASELINE}">{escape(shown, quote=False)}</text>'
            at += cells


def _place(at: int, cells: int, length: str = "width") -> str:
    return f'x="{at * CELL:.1f}" {length}="{cells * CELL:.1f}"'
