"""HTML for notebooks: tokens in colours, sentences, tables.

Only `Html` is markup; any other text is escaped where it becomes HTML. There is no script, and
nothing is fetched. The colours let the page shine through, so they suit light and dark pages.
Tokens are chips that are strong and weak by turns, as on the screens. Borders between them are in
the text alone, so that a copy has them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain, islice
from unicodedata import category

from engine.core.characters import whole_characters
from engine.core.events import PAIR_SIGN
from engine.core.slow_modules import html
from engine.core.wording import Words

MOST_TOKENS = 300
"""Most tokens shown in a row."""
MOST_IN_CELL = 16
"""Most tokens shown in a cell of a table."""
MOST_ROWS = 30
"""Most rows shown of a table."""
LONGEST_TOKEN = 40
"""Most characters shown of a token."""
_MOST_BYTES = 4 * (LONGEST_TOKEN + 1)
"""Bytes that hold one character more than is shown."""

_SIGNS = {" ": "·", "\t": "⇥", "\n": "⏎"}
_CARRIER = "◌"
_COLOURS = tuple(
    f"background:rgba({colour},{strength})"
    for colour, strength in zip(
        ("59,130,246", "245,158,11", "16,185,129", "217,70,239", "239,68,68", "100,116,139"),
        (".2", ".45") * 3,
        strict=True,
    )
)
"""Translucent backgrounds; two neighbours differ in hue and in lightness."""
_TOKEN = "color:inherit;padding:1px 0;white-space:pre-wrap;overflow-wrap:anywhere"
_MARK = "▂"
_OVER_MARKS = "display:inline-block;text-align:center;line-height:1;vertical-align:text-top"
_TOKEN_EDGE = '<span style="font-size:0">┊</span>'
_PRETOKEN_EDGE = "│"


class Html(str):
    """A text that is markup: it is put into a page as it is."""

    __slots__ = ()


def visible(token: bytes) -> str:
    """Return a token as text in which every character can be seen, cut if it is long.

    >>> visible(b" the\\n"), visible("e\\u202e漢".encode()), visible(b"\\xe6\\xbc")
    ('·the⏎', 'e‹202E›漢', '<E6><BC>')
    >>> visible("\\u0301e".encode()) == "◌\\u0301e"
    True
    """
    text = token[:_MOST_BYTES].decode("utf-8", "surrogateescape")
    shown = "".join(map(_visible_character, text[:LONGEST_TOKEN]))
    if shown and category(shown[0]).startswith("M"):  # it would be drawn on what is before it
        shown = _CARRIER + shown
    return f"{shown}…" if len(text) > LONGEST_TOKEN else shown


def _visible_character(character: str) -> str:
    if sign := _SIGNS.get(character):
        return sign
    if "\udc80" <= character <= "\udcff":  # a byte that is not UTF-8
        return f"<{ord(character) - 0xDC00:02X}>"
    return character if character.isprintable() else f"‹{ord(character):04X}›"


def token(content: bytes, place: int = 0) -> Html:
    """Return a token in the colour of its place in a row."""
    return _chip(visible(content), place)


def _chip(text: str, place: int) -> Html:
    colour = _COLOURS[place % len(_COLOURS)]
    return Html(f'<code dir="auto" style="{colour};{_TOKEN}">{html.escape(text)}</code>')


def _cut(together: Sequence[bytes], place: int) -> Html:
    """Return characters that tokens cut, over a chip for each token with a mark for each byte."""
    marks = (_MARK * min(len(part), LONGEST_TOKEN) for part in together)
    chips = "".join(_chip(mark, at) for at, mark in enumerate(marks, place))
    text = html.escape(visible(b"".join(together)))
    return Html(
        f'<span style="{_OVER_MARKS}"><code style="{_TOKEN}">{text}</code><br>'
        f'<span style="font-size:66%">{chips}</span></span>'
    )


def tokens(contents: Iterable[bytes], most: int = MOST_TOKENS) -> Html:
    """Return the tokens of a pretoken, with `┊` between them; `…` if there are more than `most`."""
    return pretokens([contents], most)


def pretokens(contents: Iterable[Iterable[bytes]], most: int = MOST_TOKENS) -> Html:
    """Return pretokens in tokens: `│` between pretokens, `┊` between tokens within one."""
    rows = (enumerate(whole_characters(pretoken)) for pretoken in contents)
    shown: list[str] = []
    place = 0
    for inside, together in chain.from_iterable(rows):
        if shown:
            shown.append(_TOKEN_EDGE if inside else _PRETOKEN_EDGE)
        if place >= most:
            shown.append("…")
            break
        is_cut = len(together) > 1
        shown.append(_cut(together, place) if is_cut else token(together[0], place))
        place += len(together)
    return Html("".join(shown))


def sentence(words: Words) -> Html:
    """Return words and tokens as HTML.

    >>> sentence(("1 < 2", ))
    '1 &lt; 2'
    """
    return Html(
        "".join(html.escape(word) if isinstance(word, str) else token(word) for word in words)
    )


def pair(left: bytes, right: bytes) -> Html:
    """Return a pair of tokens: `a+b`."""
    return sentence((left, PAIR_SIGN, right))


def lines(contents: Iterable[Html]) -> Html:
    """Return these parts, each on a line of its own."""
    return Html("<br>".join(contents))


def paragraph(content: str) -> Html:
    """Return a paragraph; text that is not `Html` is escaped."""
    return Html(f'<p style="margin:.3em 0">{_as_html(content)}</p>')


def table(heads: Sequence[str], rows: Iterable[Sequence[str | int]], caption: str = "") -> Html:
    """Return a table, at most `MOST_ROWS` rows; numbers are aligned to the right.

    Args:
        heads: the head of each column.
        rows: text that is not `Html` is escaped.
        caption: a line above the table.
    """
    found = list(islice(rows, MOST_ROWS + 1))
    lines = [_row("th", heads), *(_row("td", row) for row in found[:MOST_ROWS])]
    if len(found) > MOST_ROWS:
        lines.append(f'<tr><td colspan="{len(heads)}" style="text-align:left">…</td></tr>')
    style = "text-align:left;white-space:nowrap"
    above = f'<caption style="{style}">{_as_html(caption)}</caption>' if caption else ""
    return Html(f'<table style="margin:.5em 0">{above}{"".join(lines)}</table>')


def _row(tag: str, cells: Iterable[str | int]) -> str:
    return f"<tr>{''.join(_cell(tag, cell) for cell in cells)}</tr>"


def _cell(tag: str, content: str | int) -> str:
    side = "right" if isinstance(content, int) else "left"
    shown = f"{content:,}" if isinstance(content, int) else _as_html(content)
    style = f"text-align:{side};vertical-align:top;padding:1px 12px 1px 0"
    return f'<{tag} style="{style}">{shown}</{tag}>'


def _as_html(content: str) -> str:
    return content if isinstance(content, Html) else html.escape(content)


def page(*parts: Html) -> str:
    """Return what a notebook shows of an object: these parts, one below the other."""
    return f'<div dir="ltr" style="overflow-x:auto">{"".join(parts)}</div>'
