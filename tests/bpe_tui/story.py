"""What a screen says, panel by panel, and how a story tells what a key changes.

A block is a panel, a line or a field: its title, and its rows without borders, scroll bars and
blanks at the end. Tabs, keys, legend and lower borders are in no block: `sheets/around` has them.
Colours are left out, but for what only they say: `«st»` is the token just made, `‹s›` one that
joins next, `[s]` one that is pointed at, and `┊` is between two tokens.

A block is told whole at first, then what has changed since; of long lists the first rows. Rows are
matched by their words, not by their place or the width of columns and bars.

    ❯  the row of the cursor, if only that moves
       a row in the place of another
    +  a row that came
    -  a row that went
    ~  a row that moved
    …  rows between two of these, which are as they were
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

from rich.color import Color as RichColor
from rich.segment import Segment
from textual.color import Color
from textual.errors import NoWidget
from textual.geometry import Region
from textual.screen import Screen
from textual.strip import Strip
from textual.widget import Widget

from bpe_tui.widgets.controls import FootLine, KeyBar, TabLine
from bpe_tui.widgets.textual_private import painted_lines

TIME = re.compile(r" *(?:[\d.,]+ [µm]s|\d+\.\d+ s)\b")
"""A measured time, which is never the same."""
BORDER = "╭╮╰╯─━┏┓┗┛ "
CURSOR = "❯"
WIDTHS = re.compile(r"\s+|(?<=([▄█┄─━┈]))[▄█┄─━┈▖▌▎▏▍▋▊▉▁▂▃▅▆▇]+")
"""Runs that are as long as there is room."""
LEAST_KEPT = 0.3
"""Share of rows that are as before; if it is less, no rows that went are told."""
MOST_ROWS = 8
"""Most rows together that are told, unless a story names fewer."""
MOST_WENT = 2
"""Most rows in a row that went and are told; more are `- …`."""
SIGNS = {"fresh": "«»", "joining": "‹›", "chip": ""}
"""Kind of a token's background → the signs around the token."""
GROUNDS = {"role-cursor-back": "cursor"} | {
    f"role-{kind}-{place}": kind for kind in SIGNS for place in ("even", "odd")
}
"""Name of a background → what it says."""


class Block(NamedTuple):
    """What a block says, and its place on the screen."""

    place: tuple[int, int]
    is_focused: bool
    title: str
    rows: list[str]

    @property
    def cursor(self) -> str:
        """The row of the cursor, or ""."""
        return next((row for row in self.rows if row.lstrip().startswith(CURSOR)), "")


Blocks = dict[str, Block]


# --- what a screen says -----------------------------------------------------------------------


def blocks_of(screen: Screen[object]) -> Blocks:
    """Return the blocks in sight by their names, from the top."""
    lines, found = painted_lines(screen), Blocks()
    colours = screen.app.theme_variables
    grounds = {Color.parse(colours[role]).rich_color: kind for role, kind in GROUNDS.items()}
    for owner, leaf in sorted(leaves(screen, None), key=lambda pair: place_of(pair[1])):
        inside = leaf.scrollable_content_region.intersection(visible_region(leaf))
        name = owner.id or type(owner).__name__
        if name not in found:
            at = owner.region
            top = cut(lines, Region(at.x, at.y, at.width, 1)) if has_border(owner) else []
            title = "".join(line.text.strip(BORDER) for line in top)
            found[name] = Block(place_of(owner), owner.has_focus_within, title, [])
        rows = (row_of(line, grounds) for line in cut(lines, inside))
        found[name].rows.extend(row for row in rows if says(row))
    told = (item for item in found.items() if item[1].rows or item[1].title)
    return dict(sorted(told, key=lambda item: item[1].place))


def leaves(parent: Widget, owner: Widget | None) -> Iterator[tuple[Widget, Widget]]:
    """Yield the widgets in sight that say something, each after its panel or itself."""
    for child in parent.children:
        is_around = isinstance(child, TabLine | KeyBar)
        if is_around or (isinstance(child, FootLine) and not child.message):
            continue
        if not visible_region(child):
            continue
        panel = owner or (child if has_border(child) else None)
        if child.children and child.size.height > 1:
            yield from leaves(child, panel)
        else:
            yield panel or child, child


def visible_region(widget: Widget) -> Region:
    """Return the part of the screen on which a widget is seen."""
    try:
        region = widget.screen.find_widget(widget).visible_region
    except NoWidget:
        return Region()
    return region if widget.visible else Region()


def place_of(widget: Widget) -> tuple[int, int]:
    return widget.region.y, widget.region.x


def has_border(widget: Widget) -> bool:
    return widget.styles.border_top[0] not in ("", "none", "hidden", "blank")


def cut(lines: Sequence[Strip], region: Region) -> list[Strip]:
    return [line.crop(region.x, region.right) for line in lines[region.y : region.bottom]]


def row_of(line: Strip, grounds: Mapping[RichColor, str]) -> str:
    """Return the text of a row, with the signs for what only colours say."""
    text, before, sign = "", "", ""
    for part in line:
        colour = part.style and part.style.bgcolor
        ground = grounds.get(colour, "") if colour else ""
        if not text and ground == "cursor" and CURSOR not in line.text:
            sign = CURSOR
        text += with_signs(part, ground, before)
        before = ground
    text = TIME.sub(lambda found: "time".rjust(len(found[0])), text.rstrip())
    return f"{sign or ' '}{text}"


def with_signs(part: Segment, ground: str, before: str) -> str:
    """Return the text of a part of a row, with the signs for its style."""
    edge = "┊" if ground in SIGNS and before in SIGNS else ""
    is_pointed_at = bool(part.style and part.style.reverse)
    around = "[]" if is_pointed_at else SIGNS.get(ground, "")
    return f"{edge}{around[:1]}{part.text}{around[1:]}"


def says(row: str) -> bool:
    """Whether a row is more than lines, blanks and the scale of a chart."""
    return any(not (each.isspace() or "\u2500" <= each <= "\u257f") for each in row)


# --- what a story tells -----------------------------------------------------------------------


class Teller:
    """Tells what is other on a screen than when it was told before."""

    def __init__(self) -> None:
        self._told: dict[str, Blocks] = {}
        self._on = self._focused = ""
        self._latest = "", "", "", Blocks()

    def news(self, screen: Screen[object], about: Mapping[str, int]) -> list[str]:
        """Return the lines about some blocks, each with its most rows together, or about all.

        `keep` takes them as told.
        """
        now, name = blocks_of(screen), screen.id or type(screen).__name__
        told, on = self._told.get(name, {}), f"on {name}: {plan(now)}"
        focused = next((block for block in now if now[block].is_focused), "nothing")
        lines = [on] if on != self._on else []
        lines += [f"focus on {focused}"] if focused != self._focused else []
        now = {block: what for block, what in now.items() if not about or block in about}
        for block, what in now.items():
            lines += changes(block, told.get(block), what, about.get(block, MOST_ROWS))
        self._latest = on, focused, name, told | now
        return lines

    def keep(self) -> None:
        """Take the latest lines as told."""
        self._on, self._focused, name, blocks = self._latest
        self._told[name] = blocks


def plan(blocks: Blocks) -> str:
    """Return the names of blocks, those beside each other together."""
    text, row = "", -1
    for name, block in blocks.items():
        if name == FootLine.__name__:  # a message comes and goes
            continue
        sign = "" if row < 0 else " │ " if block.place[0] == row else " / "
        text, row = text + sign + name, block.place[0]
    return text


def changes(name: str, before: Block | None, now: Block, most: int) -> list[str]:
    """Return the lines about a block; none if it is as before."""
    title = now.title if before is None or before.title != now.title else ""
    if before is None:
        rows = first_rows([f"    {row}" for row in now.rows], most)
    else:
        rows = list(changed_rows(before.rows, now.rows, most))
        here, there = (each.cursor.strip(f"{CURSOR} ") for each in (now, before))
        if here not in ("", there) and not any(here in row for row in rows):
            rows.append(f"  {CURSOR} {here}")
    if not title and not rows:
        return []
    if len(now.rows) <= 1 and len(rows) <= 1:
        return [f"{name}: {' '.join(filter(None, (title, ''.join(rows).strip())))}"]
    return [f"{name}: {title}".rstrip(), *rows]


def words_of(row: str) -> str:
    """Return what a row is matched by."""
    return WIDTHS.sub(" ", row.replace(CURSOR, " ", 1)).strip()


def changed_rows(before: Sequence[str], now: Sequence[str], most: int) -> Iterator[str]:
    """Yield the lines about the rows that have changed."""
    old, new = [words_of(row) for row in before], [words_of(row) for row in now]
    steps = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    kept = {at for kind, *_, start, end in steps if kind == "equal" for at in range(start, end)}
    if len(kept) < len(new) * LEAST_KEPT:  # most of it is other, as of a new text
        yield from first_rows([f"    {row}" for at, row in enumerate(now) if at not in kept], most)
        return
    is_after = False
    for kind, first, last, start, end in steps:
        if kind == "equal":
            continue
        if is_after:
            yield "  …"
        is_after = True
        told = []
        for at in range(start, end):
            is_moved = new[at] in old and new[at] not in old[first:last]
            sign = "~" if is_moved else "+" if at - start >= last - first else " "
            told.append(f"  {sign} {now[at]}")
        yield from first_rows(told, most)
        went = before[first + end - start : last]
        yield from (f"  - {row}" for row in (went if len(went) <= MOST_WENT else "…"))


def first_rows(rows: list[str], most: int) -> list[str]:
    """Return the first rows, and `…` if there are more."""
    return rows if len(rows) <= most else [*rows[:most], "  …"]
