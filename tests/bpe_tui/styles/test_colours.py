"""The colours of both themes are readable, and yellow is only for the token just made."""

from __future__ import annotations

import colorsys
import re
from itertools import product

import pytest
from textual.color import Color
from textual.theme import Theme

from bpe_tui.styles import CHIPS, DARK, LOOKS, THEMES, sheet, shell_segments

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
