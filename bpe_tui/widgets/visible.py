"""The only way for foreign text to reach the screen.

Text from a corpus, a file, a file name, a tokenizer or the keyboard may contain anything: escape
sequences that write to the clipboard, marks that reverse the line, characters of no width. Nothing
between here and the terminal removes them. The results of these functions contain only characters
that a terminal draws. They may look like markup, so draw them as `Content` or `Segment`.

    input                                              output           example
    -------------------------------------------------  ---------------  -------------------
    space                                              `·`              'a b'     → 'a·b'
    tab, newline                                       `⇥`, `⏎`         'a\\tb\\n' → 'a⇥b⏎'
    any other C0 control, DEL                          its picture      '\\x1b'    → '␛'
    invisible or unassigned: Cc Cf Co Cs Cn Zl Zp      `‹HEX›`          U+200D    → '‹200D›'
    any other space (Zs)                               `‹HEX›`          U+00A0    → '‹00A0›'
    variation selector, filler, blank, skin tone,      `‹HEX›`          U+FE0F    → '‹FE0F›'
      half of a flag, vowel of a decomposed Hangul
      syllable: terminals disagree on the width
    the pictures above, if the text contains them      `‹HEX›`          '␛'       → '‹241B›'
    combining mark on a letter                         drawn, up to 2   'e' U+301 → 'é'
      (a spacing one, Mc, takes a cell of its own)
    third and later mark in a row                      `‹HEX›`
    combining mark on anything else, or on nothing     on `◌`           U+301     → '◌́'
    bytes that are not UTF-8                           `<HH HH>`        b'\\xe4'   → '<E4>'
    everything else                                    unchanged        '漢'      → '漢'

The text '<E4>' looks like the byte E4, and '‹200D›' like that joiner. Letters written from right to
left are unchanged, and some terminals reverse them.
"""

import re
import sys
from functools import lru_cache
from typing import Final
from unicodedata import category

import rich.cells
from rich.cells import cell_len

from engine.core.slow_modules import regex

_cells_of = rich.cells.get_character_cell_size

_CHARACTERS: Final = 1 << 14
_TOKENS: Final = 1 << 16
"""Most characters and tokens whose looks are remembered: a screen asks for the same ones again."""


@lru_cache(maxsize=_CHARACTERS)
def _cells_with_spacing_marks(char: str, *version: str) -> int:
    """Return the cells of a character: 1 for a spacing mark, such as the Devanagari vowel AA.

    Rich counts 0 for it, but terminals draw it in a cell of its own, beside its letter. The rest of
    the line would be moved by a cell.
    """
    return 1 if category(char) == "Mc" else _cells_of(char, *version)


# Rich and Textual use it too. Modules that are imported later find it in `rich.cells`.
for _module in ("rich.cells", "rich.segment", "textual._wrap", "textual.widgets._input"):
    if _module in sys.modules:
        setattr(sys.modules[_module], "get_character_cell_size", _cells_with_spacing_marks)  # noqa: B010

SPACE: Final = "·"
TAB: Final = "⇥"
NEWLINE: Final = "⏎"
MARK_CARRIER: Final = "◌"
ELLIPSIS: Final = "…"

MARKS_IN_A_ROW: Final = 2
"""Most combining marks drawn on one letter or `◌`; further marks are spelled out."""

_ASCII: Final[dict[int, str]] = {
    **{code: chr(0x2400 + code) for code in range(0x20)},
    ord("\t"): TAB,
    ord("\n"): NEWLINE,
    0x7F: "␡",
}
_ASCII_SPACED: Final[dict[int, str]] = {**_ASCII, ord(" "): SPACE}

# A picture in the text itself must not look like the control character that it depicts.
_PICTURES: Final = frozenset([*map(chr, range(0x2400, 0x2421)), *_ASCII_SPACED.values()])

_HEX_CATEGORIES: Final = frozenset({"Cc", "Cf", "Co", "Cs", "Cn", "Zl", "Zp", "Zs"})

# Characters of harmless categories which draw nothing, or whose width depends on the terminal.
_HEX_RANGES: Final[tuple[tuple[int, int], ...]] = (
    (0x034F, 0x034F),  # combining grapheme joiner
    (0x115F, 0x1160),  # Hangul fillers
    (0x17B4, 0x17B5),  # Khmer inherent vowels
    (0x180B, 0x180F),  # Mongolian variation selectors
    (0x2800, 0x2800),  # blank Braille pattern
    (0x3164, 0x3164),  # Hangul filler
    (0xFE00, 0xFE0F),  # variation selectors
    (0xFFA0, 0xFFA0),  # halfwidth Hangul filler
    (0x1D159, 0x1D159),  # null notehead
    (0x1F1E6, 0x1F1FF),  # regional indicators: two make a flag, in some terminals
    (0x1F3FB, 0x1F3FF),  # skin tones: merge with the emoji before them, in some terminals
    (0xE0100, 0xE01EF),  # variation selectors supplement
)
_HEX_CHARACTERS: Final = frozenset(
    chr(code) for first, last in _HEX_RANGES for code in range(first, last + 1)
)


def visible_text(text: str, *, spaces: bool = True) -> str:
    """Return `text` with everything spelled out that a terminal would obey, hide or reorder.

    'a b\\x1b[2J' → 'a·b␛[2J'; with spaces=False → 'a b␛[2J'; 'é漢\\u200b' → 'é漢‹200B›'. Not for
    text already visible.
    """
    if text.isascii():
        if text.isprintable():
            return text.replace(" ", SPACE) if spaces else text
        return text.translate(_ASCII_SPACED if spaces else _ASCII)
    parts: list[str] = []
    carried = False  # whether a combining mark may be drawn on what came just before
    marks = 0  # number of combining marks just before
    for before, char in zip(" " + text, text, strict=False):
        if not _is_mark(char):
            shown = _visible_char(char, spaces)
            carried, marks = char.isalpha() and shown == char, 0
            if _is_byte(before) and _is_byte(char):
                parts[-1], shown = parts[-1][:-1], f" {shown[1:]}"  # one `<E6 BC>` for both
        elif marks < MARKS_IN_A_ROW and char not in _HEX_CHARACTERS:
            shown = char if carried else MARK_CARRIER + char
            carried, marks = True, marks + 1
        else:
            shown = _hex(char)
            carried = False
        parts.append(shown)
    return "".join(parts)


def visible_prose(text: str) -> str:
    """Return a text about the screen, such as a lesson's, in which the screen's signs stay.

    Spaces stay, too: '`⏎` ends a line' is unchanged; '\\x1b' → '␛'.
    """
    between = f"[^{TAB}{NEWLINE}]+"
    return re.sub(between, lambda found: visible_text(found[0], spaces=False), text)


@lru_cache(maxsize=_TOKENS)
def visible_bytes(token: bytes) -> str:
    """Return the characters in `token` as `visible_text` shows them, stray bytes as `<HH HH>`.

    b' \\xe6\\xbc' → '·<E6 BC>'; b'\\xe6\\xbc\\xa2' → '漢'.
    """
    return visible_text(token.decode("utf-8", "surrogateescape"))


def quoted(token: bytes | str) -> str:
    """Return a token in quotation marks, for a sentence: b' be' → '“·be”'."""
    return f"“{visible_text(token) if isinstance(token, str) else visible_bytes(token)}”"


def still_visible(message: str) -> str:
    """Return a visible text, in which characters that a terminal obeys or hides are spelled out.

    It guards a place that texts reach by many ways. What is visible stays, and so do ends of lines.

    '␛ \\x9b2J' → '␛ ‹009B›2J'.
    """
    hidden = {
        char
        for char in set(message) - {"\n"}
        if category(char) in _HEX_CATEGORIES - {"Zs"} or char in _HEX_CHARACTERS
    }
    return "".join(_visible_char(char, False) if char in hidden else char for char in message)


_DOUBTFUL: Final = (
    r"[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Cn}\p{Zl}\p{Zp}\p{Variation_Selector}\p{Emoji_Modifier}"
    r"\p{Regional_Indicator}\u20E3\u034F\u115F\u1160\u17B4\u17B5]"
)
_CLUSTER: Final = r"\X"
_FLAG_LETTERS: Final = {0x1F1E6 + place: chr(ord("A") + place) for place in range(26)}


def typed_text(text: str) -> str:
    """Return a typed text without clusters on whose width terminals disagree.

    A field must keep to the cells that Textual counts, so nothing is spelled out here. A family or
    a waving hand is reduced to its first sign, a flag to its letters, a control to nothing.

    '🇩🇪' → 'DE'; '👍🏽' → '👍'; '\\x1b[2J' → '[2J'.
    """
    if not regex.search(_DOUBTFUL, text):
        return text
    settled: list[str] = []
    for cluster in regex.findall(_CLUSTER, text):
        drawn: str = cluster
        if regex.search(_DOUBTFUL, cluster):
            cells = cell_len(cluster)
            drawn = regex.sub(_DOUBTFUL, "", cluster.translate(_FLAG_LETTERS))
            if cell_len(drawn) > cells:
                drawn = drawn[:1] if cell_len(drawn[:1]) <= cells else ""
            drawn += " " * (cells - cell_len(drawn))
        settled.append(drawn)
    return "".join(settled)


def width(text: str) -> int:
    """Return the terminal cells of an already visible text.

    'a·b' → 3; '漢' → 2.
    """
    return len(text) if text.isascii() else cell_len(text)


# The byte or the code point at the end of a visible text that is cut inside its brackets.
_HALF_SIGN = re.compile(r"((?<=[0-9A-F]{2}) [0-9A-F]{0,2}|<[0-9A-F]{0,2}|‹[0-9A-F]{0,6})$")
_char_width = lru_cache(maxsize=_CHARACTERS)(cell_len)


def shorten(text: str, cells: int) -> str:
    """Return an already visible text cut to at most `cells` cells, with `…` where it was cut.

    ('token', 5) → 'token'; ('tokens', 5) → 'toke…'; ('漢字', 3) → '漢…'; ('漢字', 2) → '…';
    ('a<E4>', 4) → 'a…'.
    """
    if cells <= 0:
        return ""
    if text.isascii():
        return text if len(text) <= cells else _HALF_SIGN.sub("", text[: cells - 1]) + ELLIPSIS
    used = 0
    kept = 0  # number of characters that leave a cell for the ellipsis
    for index, char in enumerate(text):
        used += _char_width(char)
        if used > cells:
            return _HALF_SIGN.sub("", text[:kept]) + ELLIPSIS
        if used < cells:
            kept = index + 1
    return text


_BYTE = "[0-9A-F]{2}"
_SIGNS = re.compile(
    f"<{_BYTE}>?|{_BYTE}(?= {_BYTE})| {_BYTE}>?|‹[0-9A-F]+›|{MARK_CARRIER}?.", re.DOTALL
)


def signs(text: str) -> list[str]:
    """Split a visible text into parts that must not be cut: bytes, letters with their marks.

    'a<E4 BB>‹200D›' → ['a', '<E4', ' BB>', '‹200D›'].
    """
    parts: list[str] = []
    for part in _SIGNS.findall(text):
        if parts and _is_mark(part[-1]) and part[0] != MARK_CARRIER:
            parts[-1] += part
        else:
            parts.append(part)
    return parts


_SHOWN = re.compile(
    f"<({_BYTE}(?: {_BYTE})*)>|‹([0-9A-F]{{4,6}})›|{MARK_CARRIER}(?=(.))", re.DOTALL
)
_SIGN_TO_CHAR: Final = {ord(sign): chr(code) for code, sign in _ASCII_SPACED.items()}


def text_shown_as(visible: str) -> str:
    """Return the text that `visible_text` shows like this.

    '·a⏎' → ' a\\n'; '‹200D›' → '\\u200d'; '<E4>' → the byte E4.
    """

    def read(found: re.Match[str]) -> str:
        data, code, after_carrier = found.groups()
        if data is not None:
            return bytes.fromhex(data).decode("utf-8", "surrogateescape")
        if after_carrier is not None:
            return "" if _is_mark(after_carrier) else MARK_CARRIER
        number = int(code, 16)
        return found[0] if number > sys.maxunicode or category(chr(number)) == "Cs" else chr(number)

    return _SHOWN.sub(read, visible.translate(_SIGN_TO_CHAR))


@lru_cache(maxsize=_CHARACTERS)
def _visible_char(char: str, spaces: bool) -> str:
    """Make visible one character, not a combining mark: '\\u202e' → '‹202E›'."""
    code = ord(char)
    if char in (" ", SPACE) and not spaces:
        return char
    if code in _ASCII_SPACED:
        return _ASCII_SPACED[code]
    if _is_byte(char):
        return f"<{code - 0xDC00:02X}>"
    is_spelled_out = (
        category(char) in _HEX_CATEGORIES
        or char in _HEX_CHARACTERS
        or char in _PICTURES
        or cell_len(char) == 0  # Hangul vowels and finals, which merge with the letter before
    )
    return _hex(char) if is_spelled_out else char


def _is_byte(char: str) -> bool:
    """Whether a character is a byte 80..FF, decoded with "surrogateescape"."""
    return "\udc80" <= char <= "\udcff"


@lru_cache(maxsize=_CHARACTERS)
def _is_mark(char: str) -> bool:
    """Whether a character combines with the one before it: '\\u0301' → True."""
    return category(char)[0] == "M"


def _hex(char: str) -> str:
    """Return the code point of a character in angle quotes: '\\x85' → '‹0085›'."""
    return f"‹{ord(char):04X}›"
