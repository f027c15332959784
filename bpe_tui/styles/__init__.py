"""The two themes, the looks of roles, and the style sheets of the screens.

A theme gives each role a colour, on a dark or a light background. The most vivid colour is only for
this merge: the pair that joins next, and the token just made. No other colour is similar, so the
eye finds it at once.

Uses no other room. Screens name their style sheet, and the application its themes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from rich.segment import Segment
from rich.style import Style
from textual.app import App
from textual.color import Color
from textual.theme import Theme
from textual.widget import Widget


def sheet(name: str) -> Path:
    """Return the path of a style sheet; Textual resolves relative paths beside each subclass."""
    return Path(__file__).with_name(name)


_DARK_TOKENS = (
    "#97ccff", "#a5d6a7", "#e7c09c", "#dcbaf5", "#80deea", "#f7b6c3", "#7ed8b8", "#bcc9cf",
)  # fmt: skip
_LIGHT_TOKENS = (
    "#1d3d5e", "#10451d", "#51351e", "#552375", "#004348", "#721637", "#3b3f00", "#333d43",
)  # fmt: skip


class RoleLook(NamedTuple):
    """The look of a role: names of theme variables for its colours, "" for no colour of its own.

    Attributes:
        backs: the background; a token has two, which neighbours take in turn.
    """

    ink: str = ""
    backs: tuple[str, ...] = ()
    bold: bool = False
    strike: bool = False
    underline: bool = False


def _chip(ink: str, kind: str = "chip", *, is_joining: bool = False) -> RoleLook:
    """Return the look of a token, which is filled with one of two grounds."""
    grounds = (f"role-{kind}-even", f"role-{kind}-odd")
    return RoleLook(ink, grounds, bold=kind != "chip", underline=is_joining)


_HUES = range(len(_DARK_TOKENS))
CHIPS = {
    "base": _chip("foreground"),
    "hashes": _chip("role-hashes"),
    "fresh": _chip("role-fresh", "fresh"),
    "joining": _chip("role-joining", "joining", is_joining=True),
    "current": _chip("role-joining", "joining"),
    "apart": _chip("foreground")._replace(underline=True),
    "fresh-joining": _chip("role-fresh", "fresh", is_joining=True),
    **{f"token-{hue}": _chip(f"role-token-{hue}") for hue in _HUES},
}
"""Role of a token → its look."""
VIVID = {"fresh", "joining", "current", "fresh-joining"}
"""Roles of the tokens of this merge."""
JOINT, TOKEN_EDGE = "+", "┊"

LOOKS = {
    **CHIPS,
    "border": RoleLook("role-border"),
    "cut": RoleLook("role-border"),
    "edge": RoleLook("role-border"),
    "cursor": RoleLook("foreground", ("role-cursor-back",)),
    "dim": RoleLook("role-dim"),
    "strong": RoleLook(bold=True),
    "pair": RoleLook("role-pair", bold=True),
    "here": RoleLook("primary", bold=True),
    "tab": RoleLook("background", ("primary",), bold=True),
    "gain": RoleLook("role-gain"),
    "loss": RoleLook("role-loss"),
    "stale": RoleLook("role-stale", strike=True),
    "stale-truth": RoleLook("role-stale"),
    "tie": RoleLook("role-tie"),
    "curve": RoleLook("primary"),
    "special": RoleLook("role-special"),
    "mark-base": RoleLook("role-dim"),
    "mark-fresh": RoleLook("role-mark-fresh", bold=True),
    "mark-joining": RoleLook("role-pair", bold=True),
    **{f"mark-{hue}": RoleLook(f"role-token-{hue}") for hue in _HUES},
}
"""Role of a span → its look.

Looks are not classes of the style sheet: Textual would compute all of them again whenever a class
of a screen or window changes.
"""


BRIGHT = "bold $primary"
"""The look of the step's number, which a class reads from far away."""


def role_style(widget: Widget, role: str) -> Style:
    """Return the style that a role of `LOOKS` adds to its text, in the widget's current theme."""
    return _style_in(widget.app.theme_variables, LOOKS[role], turn=0)


def _style_in(colours: Mapping[str, str], look: RoleLook, turn: int) -> Style:
    return _style(
        colours[look.ink] if look.ink else None,
        colours[look.backs[turn]] if look.backs else None,
        look.bold,
        look.strike,
        look.underline,
    )


@cache
def _style(ink: str | None, back: str | None, bold: bool, strike: bool, underline: bool) -> Style:
    return Style(
        color=None if ink is None else Color.parse(ink).rich_color,
        bgcolor=None if back is None else Color.parse(back).rich_color,
        bold=bold or None,
        strike=strike or None,
        underline=underline or None,
    )


def painted(
    widget: Widget, spans: Iterable[tuple[str, str]], base: Style | None = None
) -> list[Segment]:
    """Return spans as segments in the styles of their roles, over the widget's style or `base`."""
    base = widget.rich_style if base is None else base
    colours = widget.app.theme_variables
    return _segments(spans, base, lambda role, turn: _style_in(colours, LOOKS[role], turn))


def shell_segments(spans: Iterable[tuple[str, str]]) -> list[Segment]:
    """Return spans as segments for a shell of unknown background: only chips have colours."""
    colours = {**DARK.variables, "foreground": DARK.foreground or ""}

    def style(role: str, turn: int) -> Style:
        look = LOOKS[role]
        return _style_in(colours, look, turn) if look.backs else Style()

    return _segments(spans, Style(), style)


def _segments(
    spans: Iterable[tuple[str, str]], base: Style, style_of: Callable[[str, int], Style]
) -> list[Segment]:
    """Return spans as segments in styles over `base`."""
    by_turn: tuple[dict[str, Style], ...] = ({"": base}, {"": base})
    segments, spans = [], list(spans)
    for (text, role), turn in zip(spans, _turns(spans), strict=True):
        if not text:
            continue
        if (style := by_turn[turn].get(role)) is None:
            style = by_turn[turn][role] = base + style_of(role, turn)
        segments.append(Segment(text, style))
    return segments


def _turns(spans: Sequence[tuple[str, str]]) -> list[int]:
    """Return 1 for each span on the second ground of tokens, 0 for the others.

    Tokens with only an empty span between them get the two grounds in turn, whatever their roles.
    So each is a chip whose edges are visible, and takes no cell for them. The first vivid token of
    a word gets the first ground, so that a new token has one colour wherever it is.
    """
    turns: list[int] = []
    turn, meets, has_vivid = 0, False, False
    word: int | None = None  # the place at which the present word begins
    for place, (text, role) in enumerate(spans):
        if text and role not in CHIPS:
            word, turn = None, 0
        elif text:
            if word is None:
                word, has_vivid = place, False
            elif meets:
                turn = 1 - turn
            if role in VIVID and not has_vivid:
                has_vivid = True
                if turn:
                    turns[word:] = [1 - each for each in turns[word:]]
                    turn = 0
        meets = not text and (meets or role == "cut")
        turns.append(turn)
    return turns


def text_with_edges(app: App[Any], segments: Iterable[Segment]) -> str:
    """Return a painted text, with `┊` where two chips meet, and `+` where the two join next."""
    colours = app.theme_variables
    names = {ground for look in CHIPS.values() for ground in look.backs}
    grounds = {Color.parse(colours[name]).rich_color for name in names}
    text, before = "", Style()
    for part, style, _ in segments:
        style = style or Style()
        if {before.bgcolor, style.bgcolor} <= grounds and before.bgcolor != style.bgcolor:
            text += JOINT if before.underline and style.underline else TOKEN_EDGE
        text, before = text + part, style
    return text


_COLOURS = {
    "primary": ("#6cb6ff", "#0b5cad"),
    "secondary": ("#a5d6a7", "#1b6e28"),
    "accent": ("#ffb74d", "#8a4b00"),
    "warning": ("#ffb74d", "#8a4b00"),
    "error": ("#ff8a80", "#b3261e"),
    "success": ("#81c784", "#1b6e28"),
    "foreground": ("#e6e6e6", "#1c2024"),
    "background": ("#14171c", "#fbfbf8"),
    "surface": ("#1b1f26", "#f2f2ee"),
    "panel": ("#262b34", "#e4e5e1"),
}
"""Textual's names of colours → the colour in the dark and in the light theme."""
_ROLES = {
    "dim": ("#a3adb8", "#5b646d"),
    "border": ("#7f8b97", "#656e77"),
    "frame": ("#454f5b", "#b6bcc2"),
    "hashes": ("#c0c8d0", "#363c42"),
    "chip-even": ("#1e242b", "#ebecef"),
    "chip-odd": ("#4a5461", "#a2a7af"),
    "fresh": ("#14171c", "#1c2024"),
    "fresh-even": ("#ffd54f", "#ffef39"),
    "fresh-odd": ("#bf9318", "#d19e00"),
    "joining": ("#ffffff", "#0a2a52"),
    "joining-even": ("#0d233f", "#dcecff"),
    "joining-odd": ("#2d68ad", "#81a9d8"),
    "mark-fresh": ("#ffd54f", "#7a5900"),
    "pair": ("#6cb6ff", "#0b5cad"),
    "gain": ("#8fe396", "#17692a"),
    "loss": ("#ff9e94", "#9e1b32"),
    "stale": ("#a3adb8", "#5b646d"),
    "tie": ("#f3b0ff", "#7b1fa2"),
    "special": ("#ffab91", "#6d3b2f"),
    "cursor-back": ("#2f3d52", "#dae8f8"),
}
"""Our own names of colours, likewise."""


def _theme(name: str, tokens: tuple[str, ...], *, dark: bool) -> Theme:
    column = 0 if dark else 1
    colours: dict[str, Any] = {each: pair[column] for each, pair in _COLOURS.items()}
    roles = {f"role-{role}": pair[column] for role, pair in _ROLES.items()}
    roles |= {f"role-token-{hue}": colour for hue, colour in enumerate(tokens)}
    return Theme(name, **colours, dark=dark, variables=roles)


DARK = _theme("bpe-dark", _DARK_TOKENS, dark=True)
LIGHT = _theme("bpe-light", _LIGHT_TOKENS, dark=False)
THEMES = (DARK, LIGHT)


def frame_looks(theme: Theme, has_colours: bool) -> dict[str, str]:
    """Return variables of style sheets: how the border shows which panel has the focus.

    Only that panel has a bold title; without colours it has a heavier border, too.
    """
    if has_colours:
        return {"focus-frame": "round", "focus": theme.primary}
    return {"focus-frame": "heavy", "focus": theme.foreground or theme.primary}
