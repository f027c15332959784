"""The colours of both themes are readable, and the most vivid one is only for this merge."""

from __future__ import annotations

import colorsys
import re

import pytest
from textual.theme import Theme

from bpe_tui.styles import LOOKS, THEMES, sheet

READABLE = 4.5
THIS_MERGE = {"role-pair", "role-fresh", "role-fresh-back"}
NOT_INK = {"role-cursor-back"}


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


def inks(theme: Theme) -> dict[str, str]:
    """Return the colours of text on the background, by name."""
    named = {
        name: colour
        for name, colour in theme.variables.items()
        if name.startswith("role-") and name not in {*NOT_INK, "role-fresh", "role-fresh-back"}
    }
    return {**named, "primary": theme.primary, "foreground": str(theme.foreground)}


@pytest.mark.parametrize("theme", THEMES, ids=lambda theme: theme.name)
def test_every_colour_can_be_read(theme: Theme) -> None:
    variables, background = theme.variables, str(theme.background)
    for name, colour in inks(theme).items():
        assert contrast(colour, background) >= READABLE, name
        if name not in ("role-border", "role-cut"):  # lines need less than letters
            assert contrast(colour, variables["role-cursor-back"]) >= READABLE, name
    assert contrast(variables["role-fresh"], variables["role-fresh-back"]) >= READABLE
    assert contrast(variables["role-fresh-back"], background) >= READABLE
    for name in ("primary", "foreground"):  # the keys below
        assert contrast(inks(theme)[name], str(theme.panel)) >= READABLE


@pytest.mark.parametrize("theme", THEMES, ids=lambda theme: theme.name)
def test_the_most_vivid_colour_is_for_this_merge(theme: Theme) -> None:
    this = theme.variables["role-pair"]
    assert theme.variables["role-fresh-back"] == this
    for name, colour in inks(theme).items():
        if name in THIS_MERGE:
            continue
        assert vividness(colour) < vividness(this), name
        apart = abs((hue(colour) - hue(this) + 180) % 360 - 180)
        assert apart >= 12 or vividness(colour) <= 0.5 * vividness(this), name
        if name.startswith("role-token"):
            assert vividness(colour) <= 0.75 * vividness(this), name


def test_only_merges_have_that_colour() -> None:
    """Only the roles of this merge: neither the keys below nor the head of a column."""
    vivid = {role for role, look in LOOKS.items() if {look.ink, look.back} & THIS_MERGE}
    assert vivid == {"pair", "fresh"}
    assert not re.search(r"\$role-(?:pair|fresh)", sheet("app.tcss").read_text(encoding="utf-8"))
