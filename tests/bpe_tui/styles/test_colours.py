"""Colours can be read, and screens without them have marks."""

import colorsys
import re
from itertools import product
from types import SimpleNamespace
from typing import Any

import pytest
from generated import first_quick
from opening import opened, until
from textual.color import Color
from textual.theme import Theme
from textual.widget import Widget

from bpe_tui.app.app import BpeTuiApp
from bpe_tui.panels.corpus import ExcerptPanel
from bpe_tui.session.models import MODELS
from bpe_tui.shell.commands import legend_of
from bpe_tui.shell.exports import screen_text
from bpe_tui.shell.help_window import help_parts
from bpe_tui.shell.panel import needs_marks
from bpe_tui.shell.panel_screen import PanelScreen
from bpe_tui.styles import CHIPS, DARK, LOOKS, THEMES, sheet, shell_segments, text_with_edges
from bpe_tui.widgets.controls import FootLine
from bpe_tui.widgets.textual_private import painted_lines

READABLE, SEEN, APART = 4.5, 3, 2
"""Least contrasts: of letters with their ground, of an edge, of the grounds of two neighbours."""
FRESH = {"role-fresh-even", "role-fresh-odd", "role-mark-fresh"}
GROUNDS = {ground for look in CHIPS.values() for ground in look.backs}
LINES = {"role-border", "role-frame"}
"""Lines need less contrast than letters."""


def channels(colour: str) -> tuple[float, float, float]:
    red, green, blue = (int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5))
    return red, green, blue


def luminance(colour: str) -> float:
    """Return the relative luminance of a colour, as defined in WCAG 2."""
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels(colour)]
    return sum(share * c for share, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(one: str, other: str) -> float:
    dark, bright = sorted((luminance(one), luminance(other)))
    return (bright + 0.05) / (dark + 0.05)


def vividness(colour: str) -> float:
    return max(channels(colour)) - min(channels(colour))


def hue(colour: str) -> float:
    return 360 * colorsys.rgb_to_hsv(*channels(colour))[0]


def colours(theme: Theme) -> dict[str, str]:
    """Return all colours of a theme, by name."""
    named = {name: each for name, each in theme.variables.items() if name.startswith("role-")}
    return {**named, "primary": theme.primary, "foreground": str(theme.foreground)}


@pytest.mark.parametrize("theme", THEMES, ids=lambda theme: theme.name)
def test_every_colour_can_be_read(theme: Theme) -> None:
    named, background = colours(theme), str(theme.background)
    on_chips = {"role-fresh", "role-joining", "role-hashes"}
    for name in named.keys() - GROUNDS - LINES - on_chips - {"role-cursor-back"}:
        assert contrast(named[name], background) >= READABLE, name
        assert contrast(named[name], named["role-cursor-back"]) >= READABLE, name
    assert contrast(named["role-border"], background) >= READABLE
    for name in ("primary", "foreground"):  # the keys below
        assert contrast(named[name], str(theme.panel)) >= READABLE


@pytest.mark.parametrize("theme", THEMES, ids=lambda theme: theme.name)
def test_tokens_can_be_read_on_both_grounds(theme: Theme) -> None:
    named = colours(theme)
    for role, look in CHIPS.items():
        for ground in look.backs:
            assert contrast(named[look.ink], named[ground]) >= READABLE, (role, ground)


@pytest.mark.parametrize("theme", THEMES, ids=lambda theme: theme.name)
def test_the_edges_of_tokens_can_be_seen_from_the_last_row(theme: Theme) -> None:
    """Neighbours of any two roles have one even and one odd ground."""
    named = colours(theme)
    for one, other in product(CHIPS.values(), repeat=2):
        assert contrast(named[one.backs[0]], named[other.backs[1]]) >= APART, (one, other)
    for role, below in product(("edge", "cut", "border"), (theme.background, "role-cursor-back")):
        edge, ground = named[LOOKS[role].ink], str(named.get(str(below), below))
        assert contrast(edge, ground) >= SEEN, (role, below)


@pytest.mark.parametrize("theme", THEMES, ids=lambda theme: theme.name)
def test_yellow_is_only_for_the_token_just_made(theme: Theme) -> None:
    named = colours(theme)
    yellow = named["role-fresh-even"]
    for name in named.keys() - FRESH:
        apart = abs((hue(named[name]) - hue(yellow) + 180) % 360 - 180)
        assert apart >= 12 or vividness(named[name]) <= 0.6 * vividness(yellow), name


def test_only_the_token_just_made_is_yellow() -> None:
    """Only the roles of that token: neither the keys below nor the head of a column."""
    yellow = {role for role, look in LOOKS.items() if {look.ink, *look.backs} & FRESH}
    assert yellow == {"fresh", "fresh-joining", "mark-fresh"}
    assert not re.search(r"\$role-(?:mark-)?fresh", sheet("app.tcss").read_text(encoding="utf-8"))


MEETS = ("", "cut")


def grounds(*spans: tuple[str, str]) -> list[object]:
    return [style and style.bgcolor for _, style, _ in shell_segments(spans)]


def test_only_tokens_that_meet_take_two_grounds_in_turn() -> None:
    first, second, third = grounds(("a", "base"), MEETS, ("b", "base"), MEETS, ("c", "base"))
    assert first == third != second
    assert len({*grounds(("a", "cursor"), MEETS, ("b", "cursor"))}) == 1
    assert len({*grounds(("#", "hashes"), ("a", "base"), ("│", "edge"), ("b", "base"))}) == 2


def test_tokens_of_all_roles_that_meet_have_one_even_and_one_odd_ground() -> None:
    for roles in product(CHIPS, repeat=3):
        shown = grounds(*(span for role in roles for span in ((role, role), MEETS)))
        backs = [CHIPS[role].backs for role in roles]
        ways = [
            [parsed(back[(turn + start) % 2]) for turn, back in enumerate(backs)]
            for start in (0, 1)
        ]
        assert shown in ways, roles


def parsed(variable: str) -> object:
    return Color.parse(str(DARK.variables[variable])).rich_color


def test_a_new_token_has_one_colour_wherever_it_is_in_a_word() -> None:
    for before in range(4):
        *_, fresh = grounds(*(("a", "base"), MEETS) * before, ("b", "fresh"))
        assert fresh == parsed("role-fresh-even")


def frames(screen: PanelScreen) -> dict[str, tuple[str, bool]]:
    """Map the panels that have a border of their own to its kind, and whether the title is bold."""
    found = {}
    for name in screen.PANEL_ORDER:
        panel: Widget = screen.query_one(f"#{name}")
        if panel.display and (kind := panel.styles.border_top[0]):
            found[name] = str(kind), bool(panel.styles.border_title_style.bold)
    return found


@pytest.mark.slow
async def test_only_the_focused_panel_is_bold(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    looked_at = set()
    async with opened(vocab_size=300) as (app, pilot):
        for key in "12346789":
            await pilot.press(key)
            screen = app.screen
            assert isinstance(screen, PanelScreen)
            for _ in range(3):
                await pilot.press("tab")
                here = screen.panels.focused()
                for name, look in frames(screen).items():
                    assert look == (("heavy", True) if name == here else ("round", False)), name
                    looked_at.add((key, name, name == here))
    assert len([each for each in looked_at if each[2]]) >= 15


async def test_the_legend_marks_the_new_token_as_the_corpus_does(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    async with opened() as (app, pilot):
        await pilot.press("right")
        corpus = app.screen.query_one(ExcerptPanel)
        [fresh, *_] = (
            text
            for index in range(corpus.row_count)
            for text, role in corpus.row(index).spans
            if role == "fresh"
        )
        assert (fresh[0], fresh[-1]) == ("«", "»")
        assert "«ab» just merged" in app.screen.query_one(FootLine).render_line(0).text


def test_a_terminal_of_few_colours_needs_marks_but_no_picture_does() -> None:
    for colours, no_color, is_headless, needs in (
        ("truecolor", False, False, False),
        ("256", False, False, False),
        ("standard", False, False, True),
        (None, False, False, True),
        (None, False, True, False),
        ("truecolor", True, True, True),
    ):
        app: Any = SimpleNamespace(console=SimpleNamespace(color_system=colours))
        app.no_color, app.is_headless, app.shows_edges = no_color, is_headless, False
        assert needs_marks(app) == needs


def bare_edges(app: BpeTuiApp) -> list[str]:
    """Return the rows in which two chips meet without a sign between them."""
    lines = painted_lines(app.screen)
    return [line.text for line in lines if line.text != text_with_edges(app, line)]


@pytest.mark.parametrize("model", first_quick(list(MODELS)))
async def test_a_key_puts_edges_between_tokens_on_every_screen(model: str) -> None:
    async with opened(model=model) as (app, pilot):
        app.session.type("lowest newcomer")
        bare = 0
        for key in "01235":
            await pilot.press(key, *["right"] * (key < "2"))
            await pilot.pause()
            bare += len(bare_edges(app))
            await pilot.press("b")
            await until(pilot, lambda: not bare_edges(app))
            await pilot.press("b")
        assert bare
        await pilot.press("b", "0", "1")  # a screen that was hidden meanwhile
        await until(pilot, lambda: not bare_edges(app) and "┊" in screen_text(app.screen))


def test_with_colours_the_legend_has_no_marks_for_them() -> None:
    assert "«" not in str(legend_of("training"))
    assert "«ab»" in [line.name[0][0] for line in help_parts("training", marks=True)["signs"]]
