"""Visible text is only drawn by a terminal, never obeyed, and differs for different inputs."""

import subprocess
import sys
import unicodedata
from functools import cache

import pytest
from generated import first_quick
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from bpe_tui.widgets.numbers import (
    short_number,
)
from bpe_tui.widgets.visible import (
    shorten,
    signs,
    still_visible,
    visible_bytes,
    visible_text,
    width,
)

FORBIDDEN = {"Cc", "Cf", "Co", "Cs", "Cn", "Zl", "Zp"}
ZERO_WIDTH = set("\u200b\u200c\u200d\u200e\u200f\u2060\ufeff\u034f\u115f\u1160\u3164\uffa0")
BIDI = set("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")

# Any code point, also lone surrogates; troublesome ones occur often.
TROUBLE = (
    "\x1b\x07\x9b\x7f \t\n\r·␛⏎e\u0301\u0302\u200d\ufe0f\u202e\xa0\u3000\ud800\udcff漢👍\u3099"
)
ANY_TEXT = st.text(st.one_of(st.sampled_from(TROUBLE), st.characters(exclude_categories=[])))


def is_one_of_many(char: str) -> bool:
    """Whether a character is one of thousands like it: an ideograph, a syllable, unassigned."""
    name = unicodedata.name(char, "")
    return unicodedata.category(char) in {"Cn", "Co"} or name.startswith(("CJK UNI", "HANGUL SYL"))


@cache
def every_character() -> list[str]:
    """Return all of Unicode, but only a few of the characters with thousands like them."""
    rare = [char for char in map(chr, range(sys.maxunicode + 1)) if not is_one_of_many(char)]
    return [*rare, "一", "가", "\u0378", "\ufdd0", "\ufffe", "\ue000", "\U0010ffff"]


def assert_only_drawn(shown: str) -> None:
    assert not {unicodedata.category(char) for char in shown} & FORBIDDEN
    assert not any(ord(char) < 0x20 or 0x7F <= ord(char) < 0xA0 for char in shown)
    assert not set(shown) & (ZERO_WIDTH | BIDI)
    assert not any(0xFE00 <= ord(char) <= 0xFE0F for char in shown)


@pytest.mark.parametrize("spaces", first_quick([True, False]))
def test_every_character_is_drawn_takes_room_and_looks_like_no_other(spaces: bool) -> None:
    shown = [visible_text(char, spaces=spaces) for char in every_character()]
    assert_only_drawn("".join(shown))
    assert [text for text in shown if cell_len(text) < 1] == []
    assert len(set(shown)) == len(shown)
    assert len({visible_bytes(bytes([value])) for value in range(256)}) == 256


@given(ANY_TEXT, st.booleans())
def test_shown_text_has_only_drawn_characters_with_the_room_of_each(
    text: str, spaces: bool
) -> None:
    shown = visible_text(text, spaces=spaces)
    assert_only_drawn(shown)
    assert bool(text) == (width(shown) > 0)
    assert width(shown) == sum(cell_len(char) for char in shown)


@given(st.binary(), st.booleans())
def test_shown_bytes_hold_only_drawn_characters(token: bytes, spaces: bool) -> None:
    shown = visible_bytes(token, spaces=spaces)
    assert_only_drawn(shown)
    assert bool(token) == (width(shown) > 0)


@given(ANY_TEXT)
def test_every_mark_has_a_letter_or_a_dotted_circle_under_it(text: str) -> None:
    base, marks = "", 0
    for char in visible_text(text):
        if unicodedata.category(char)[0] == "M":
            marks += 1
            assert base == "◌" or base.isalpha()
            assert marks <= 2
        else:
            base, marks = char, 0


@given(ANY_TEXT, st.integers(-2, 30))
def test_shortened_text_fits_and_is_a_beginning(text: str, cells: int) -> None:
    shown = visible_text(text)
    cut = shorten(shown, cells)
    assert width(cut) <= max(0, cells)
    if width(shown) <= cells:
        assert cut == shown
    elif cells > 0:
        assert cut.endswith("…")
        assert shown.startswith(cut[:-1])
        # The free cells are fewer than the widest sign: half a wide character, or part of a sign.
        assert width(cut) >= cells - max(map(width, signs(shown)))


@given(st.integers(-(10**18), 10**18) | st.floats(-1e18, 1e18))
def test_short_number_is_short(value: float) -> None:
    assert len(short_number(value)) <= 6
    assert sum(char.isdigit() for char in short_number(value)) <= 4


def test_module_does_not_load_textual() -> None:
    code = "import sys, bpe_tui.widgets.visible; sys.exit('textual' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_second_look_changes_nothing_that_is_visible() -> None:
    shown = "\n".join(visible_text(char, spaces=False) for char in every_character())
    assert still_visible(shown) == shown
    assert still_visible("␛⏎·‹009B›<E4> e\u0301") == "␛⏎·‹009B›<E4> e\u0301"


def test_a_second_look_spells_out_what_the_first_has_missed() -> None:
    assert_only_drawn(still_visible("".join(every_character()).replace("\n", "")))
