"""The two themes, the looks of roles, and the style sheets of the screens.

A theme gives each role a colour, on a dark or a light background. The most vivid colour is only for
this merge: the pair that joins next, and the token just made. No other colour is similar, so the
eye finds it at once.

Uses no other room. Screens name their style sheet, and the application its themes.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import NamedTuple

from rich.segment import Segment
from rich.style import Style
from textual.color import Color
from textual.theme import Theme
from textual.widget import Widget


def sheet(name: str) -> Path:
    """Return the path of a style sheet; Textual resolves relative paths beside each subclass."""
    return Path(__file__).with_name(name)


_DARK_TOKENS = (
    "#8ec7ff", "#a5d6a7", "#e0b894", "#ce9df0", "#80deea", "#f4a6b7", "#d4d88a", "#b0bec5",
)  # fmt: skip
_LIGHT_TOKENS = (
    "#2f6090", "#1b6e28", "#7a5230", "#6a2c91", "#00666e", "#a3204e", "#5c6100", "#44525a",
)  # fmt: skip


class RoleLook(NamedTuple):
    """The look of a role: names of theme variables for its colours, "" for no colour of its own."""

    ink: str = ""
    back: str = ""
    bold: bool = False
    strike: bool = False


LOOKS = {
    "border": RoleLook("role-border"),
    "cut": RoleLook("role-cut"),
    "cursor": RoleLook("foreground", "role-cursor-back"),
    "dim": RoleLook("role-dim"),
    "strong": RoleLook(bold=True),
    "fresh": RoleLook("role-fresh", "role-fresh-back", bold=True),
    "pair": RoleLook("role-pair", bold=True),
    "here": RoleLook("primary", bold=True),
    "tab": RoleLook("background", "primary", bold=True),
    "gain": RoleLook("role-gain"),
    "loss": RoleLook("role-loss"),
    "stale": RoleLook("role-stale", strike=True),
    "stale-truth": RoleLook("role-stale"),
    "best": RoleLook("role-best", bold=True),
    "active": RoleLook("role-active"),
    "inactive": RoleLook("role-dim"),
    "tie": RoleLook("role-tie"),
    "curve": RoleLook("primary"),
    "special": RoleLook("role-special"),
    **{f"token-{hue}": RoleLook(f"role-token-{hue}") for hue in range(len(_DARK_TOKENS))},
}
"""Role of a span → its look.

Looks are not classes of the style sheet: Textual would compute all of them again whenever a class
of a screen or window changes.
"""


BRIGHT = "bold $primary"
"""The look of the step's number, which a class reads from far away."""


def role_style(widget: Widget, role: str) -> Style:
    """Return the style that a role of `LOOKS` adds to its text, in the widget's current theme."""
    look, colours = LOOKS[role], widget.app.theme_variables
    return _style(
        colours[look.ink] if look.ink else None,
        colours[look.back] if look.back else None,
        look.bold,
        look.strike,
    )


@cache
def _style(ink: str | None, back: str | None, bold: bool, strike: bool) -> Style:
    return Style(
        color=None if ink is None else Color.parse(ink).rich_color,
        bgcolor=None if back is None else Color.parse(back).rich_color,
        bold=bold or None,
        strike=strike or None,
    )


def painted(
    widget: Widget, spans: Iterable[tuple[str, str]], base: Style | None = None
) -> list[Segment]:
    """Return spans as segments in the styles of their roles, over the widget's style or `base`."""
    base = widget.rich_style if base is None else base
    styles, segments = {"": base}, []
    for text, role in spans:
        if (style := styles.get(role)) is None:
            style = styles[role] = base + role_style(widget, role)
        segments.append(Segment(text, style))
    return segments


def _tokens(colours: tuple[str, ...]) -> dict[str, str]:
    return {f"role-token-{hue}": colour for hue, colour in enumerate(colours)}


DARK = Theme(
    name="bpe-dark",
    primary="#6cb6ff",
    secondary="#a5d6a7",
    accent="#ffb74d",
    warning="#ffb74d",
    error="#ff8a80",
    success="#81c784",
    foreground="#e6e6e6",
    background="#14171c",
    surface="#1b1f26",
    panel="#262b34",
    dark=True,
    variables={
        **_tokens(_DARK_TOKENS),
        "role-dim": "#a3adb8",
        "role-border": "#7f8b97",
        "role-cut": "#76818d",
        "role-fresh": "#14171c",
        "role-fresh-back": "#ffd54f",
        "role-pair": "#ffd54f",
        "role-gain": "#8fe396",
        "role-loss": "#ff9e94",
        "role-stale": "#a3adb8",
        "role-best": "#ff857a",
        "role-active": "#ffb26b",
        "role-tie": "#f3b0ff",
        "role-special": "#ffab91",
        "role-cursor-back": "#2f3d52",
    },
)
LIGHT = Theme(
    name="bpe-light",
    primary="#0b5cad",
    secondary="#1b6e28",
    accent="#8a4b00",
    warning="#8a4b00",
    error="#b3261e",
    success="#1b6e28",
    foreground="#1c2024",
    background="#fbfbf8",
    surface="#f2f2ee",
    panel="#e4e5e1",
    dark=False,
    variables={
        **_tokens(_LIGHT_TOKENS),
        "role-dim": "#5b646d",
        "role-border": "#656e77",
        "role-cut": "#6c757e",
        "role-fresh": "#ffffff",
        "role-fresh-back": "#b83a00",
        "role-pair": "#b83a00",
        "role-gain": "#17692a",
        "role-loss": "#9e1b32",
        "role-stale": "#5b646d",
        "role-best": "#a8102f",
        "role-active": "#8a4b00",
        "role-tie": "#7b1fa2",
        "role-special": "#6d3b2f",
        "role-cursor-back": "#dae8f8",
    },
)
THEMES = (DARK, LIGHT)


def frame_looks(theme: Theme, has_colours: bool) -> dict[str, str]:
    """Return variables of style sheets: how the border shows which panel has the focus.

    Without colours only that panel has a bold title, and a heavier border.
    """
    if has_colours:
        looks = {"panel-title": "bold", "focus-frame": "round", "focus": theme.primary}
    else:
        ink = theme.foreground or theme.primary
        looks = {"panel-title": "none", "focus-frame": "heavy", "focus": ink}
    return looks
