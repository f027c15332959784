"""The colours of both themes are readable, and yellow is only for the token just made."""

from __future__ import annotations

import colorsys
import re

import pytest
from textual.theme import Theme

from bpe_tui.styles import CHIPS, LOOKS, THEMES, sheet, shell_segments

READABLE = 4.5
LEAST_APART = 8
"""Least difference of lightness, in L*, between the two grounds of neighbouring tokens."""
FRESH = {"role-fresh-even", "role-fresh-odd", "role-mark-fresh"}
GROUNDS = {ground for look in CHIPS.values() for ground in look.backs}
LINES = {"role-border", "role-cut", "role-edge", "role-frame"}
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


def lightness(colour: str) -> float:
    """Return L* of CIELAB."""
    share = luminance(colour)
    return 116 * share ** (1 / 3) - 16 if share > 0.008856 else 903.3 * share


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
    for name in ("role-border", "role-cut"):
        assert contrast(named[name], background) >= READABLE, name
    for name in ("primary", "foreground"):  # the keys below
        assert contrast(named[name], str(theme.panel)) >= READABLE


@pytest.mark.parametrize("theme", THEMES, ids=lambda theme: theme.name)
def test_tokens_can_be_read_on_both_grounds_which_differ_in_lightness(theme: Theme) -> None:
    named = colours(theme)
    for role, look in CHIPS.items():
        for ground in look.backs:
            assert contrast(named[look.ink], named[ground]) >= READABLE, (role, ground)
        even, odd = (lightness(named[ground]) for ground in look.backs)
        assert abs(even - odd) >= LEAST_APART, role


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


def test_only_tokens_that_meet_take_two_grounds_in_turn() -> None:
    meets = ("", "cut")
    tokens = shell_segments([("a", "base"), meets, ("b", "base"), meets, ("c", "base")])
    first, second, third = (style and style.bgcolor for _, style, _ in tokens)
    assert first == third != second
    rows = shell_segments([("a", "cursor"), meets, ("b", "cursor")])
    assert len({style and style.bgcolor for _, style, _ in rows}) == 1
