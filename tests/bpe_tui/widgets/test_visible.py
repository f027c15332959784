"""Visible text is only drawn by a terminal, never obeyed, and differs for different inputs."""

import sys
import unicodedata
from collections.abc import Callable
from functools import cache, partial
from math import inf, nan
from typing import Any

import pytest
from generated import first_quick
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from bpe_tui.widgets.language import plural
from bpe_tui.widgets.numbers import (
    duration,
    number,
    percent,
    progress_of,
    rate,
    short_number,
    short_time,
    signed,
    size,
    throughput,
    with_power,
)
from bpe_tui.widgets.visible import (
    shorten,
    signs,
    still_visible,
    text_shown_as,
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


@pytest.mark.parametrize(
    "pictures",
    [
        {"": "", "plain": "plain", "a b": "a·b", "a\tb\n": "a⇥b⏎", "\r\n": "␍⏎", "é \t": "é·⇥"},
        {"\x00\x07\x1b\x1f\x7f": "␀␇␛␟␡", "\x85\x9b": "‹0085›‹009B›"},
        {"\xa0\u3000\u2009": "‹00A0›‹3000›‹2009›", "\u2028\u2029": "‹2028›‹2029›"},
        {"\u202eabc": "‹202E›abc", "\u3164\u2800": "‹3164›‹2800›", "a\xadb": "a‹00AD›b"},
        {"\ue000\U0010ffff": "‹E000›‹10FFFF›", "\ud800": "‹D800›", "\udcff\udc80": "<FF 80>"},
        {"漢字 кот": "漢字·кот", "\u1112\u1161\u11ab": "\u1112‹1161›‹11AB›"},
        {"👍": "👍", "\u2764\ufe0f": "\u2764‹FE0F›", "👍\U0001f3fd": "👍‹1F3FD›"},
        {"🇫🇷": "‹1F1EB›‹1F1F7›", "👩\u200d💻": "👩‹200D›💻"},
        {"\x1b]52;c;cm0gLXJm\x07": "␛]52;c;cm0gLXJm␇", "[@click=app.quit]": "[@click=app.quit]"},
        {"\x9d52;c;cm0=\x9c": "‹009D›52;c;cm0=‹009C›"},
    ],
)
def test_each_kind_of_character_has_its_picture(pictures: dict[str, str]) -> None:
    assert {text: visible_text(text) for text in pictures} == pictures


@pytest.mark.parametrize("text", ["a b", "é b"])
def test_spaces_stay_spaces_on_request(text: str) -> None:
    assert visible_text(text, spaces=False) == text


@pytest.mark.parametrize(
    "pictures",
    [
        {"e\u0301": "e\u0301", "か\u3099": "か\u3099", "\u0301": "◌\u0301", "\u0903": "◌\u0903"},
        {"\u20e3": "◌\u20e3", "1\u20e3": "1◌\u20e3", " \u0301": "·◌\u0301"},
        {"\udce4\u0301": "<E4>◌\u0301", "\u200d\u0301": "‹200D›◌\u0301"},
        {"e\ufe0f\u0301": "e‹FE0F›◌\u0301", "\u0301\u0302": "◌\u0301\u0302"},
        {"e" + "\u0301" * 4 + "e\u0301": "e\u0301\u0301‹0301›‹0301›e\u0301"},
    ],
)
def test_combining_mark_is_carried_by_a_letter_or_a_dotted_circle(pictures: dict[str, str]) -> None:
    assert {text: visible_text(text) for text in pictures} == pictures


@pytest.mark.parametrize(
    "pictures",
    [
        {b"": "", b" the": "·the", b" \xe6\xbc": "·<E6 BC>", b"\xa2 \xe6\xbc\xa2": "<A2>·漢"},
        {b"\xff\xc3\xa9\xc3": "<FF>é<C3>", b"\xcc\x81": "◌\u0301", b"\xa2\xcc\x81": "<A2>◌\u0301"},
        {b"\xed\xa0\x80": "<ED A0 80>"},  # a surrogate written as UTF-8
        {b"\xc0\xaf": "<C0 AF>", b">\xe4": "><E4>"},  # an overlong slash, a byte after text
        {b"\x00\x1b[2J": "␀␛[2J", b"\x9d52;c;cm0=\x9c": "<9D>52;c;cm0=<9C>"},
        {b"[@click=app.quit]": "[@click=app.quit]"},
    ],
)
def test_bytes_show_whole_characters_and_stray_bytes(pictures: dict[bytes, str]) -> None:
    assert {token: visible_bytes(token) for token in pictures} == pictures


@pytest.mark.parametrize("spaces", first_quick([True, False]))
def test_every_character_is_drawn_takes_room_and_looks_like_no_other(spaces: bool) -> None:
    shown = [visible_text(char, spaces=spaces) for char in every_character()]
    assert_only_drawn("".join(shown))
    assert [text for text in shown if cell_len(text) < 1] == []
    assert len(set(shown)) == len(shown)
    assert len({visible_bytes(bytes([value])) for value in range(256)}) == 256


@given(ANY_TEXT | st.binary(), st.booleans())
def test_shown_text_and_bytes_have_only_drawn_characters_with_the_room_of_each(
    text: str | bytes, spaces: bool
) -> None:
    shown = visible_bytes(text) if isinstance(text, bytes) else visible_text(text, spaces=spaces)
    assert_only_drawn(shown)
    assert bool(text) == (width(shown) > 0)
    assert width(shown) == sum(cell_len(char) for char in shown)


def test_each_character_is_read_again_as_it_is_shown() -> None:
    readable = [char for char in every_character() if unicodedata.category(char) != "Cs"]
    assert [char for char in readable if text_shown_as(visible_text(char)) != char] == []
    data = [bytes([value]) for value in range(256)]
    shown = [text_shown_as(visible_bytes(each)) for each in data]
    assert [text.encode("utf-8", "surrogateescape") for text in shown] == data
    assert [text_shown_as(each) for each in ("‹D800›", "‹FFFFFF›")] == ["‹D800›", "‹FFFFFF›"]


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


@pytest.mark.parametrize(
    ("text", "cuts"),
    [
        ("tokens", {6: "tokens", 5: "toke…"}),
        ("漢字", {4: "漢字", 3: "漢…", 2: "…"}),
        ("e\u0301te\u0301", {3: "e\u0301te\u0301", 2: "e\u0301…"}),
        ("ab", {1: "…", 0: ""}),
        ("", {3: ""}),
    ],
)
def test_shorten_never_cuts_through_a_character(text: str, cuts: dict[int, str]) -> None:
    assert {cells: shorten(text, cells) for cells in cuts} == cuts


@pytest.mark.parametrize(("text", "cells"), [("का", 2), ("◌ा", 2), ("कं", 1), ("é", 1)])
def test_a_spacing_mark_has_a_cell_of_its_own(text: str, cells: int) -> None:
    assert width(text) == cells == cell_len(text)


@pytest.mark.parametrize(
    ("write", "values"),
    [
        (number, {0: "0", 999: "999", 1234567: "1,234,567", -1234: "−1,234", 1234.6: "1,235"}),
        (number, {-0.2: "0", inf: "∞", -inf: "−∞", nan: "–"}),
        (size, {0: "0 B", 999: "999 B", 1000: "1 KB", 118_000: "118 KB", 999_999: "1 MB"}),
        (size, {22_531_000: "22.5 MB", 3_210_000_000: "3.21 GB"}),
        (rate, {0.0: "0 B/s", 5_200_000.0: "5.2 MB/s", 830_400.0: "830 KB/s", inf: "∞ B/s"}),
        (signed, {14: "+14", 1: "+1", -96: "−96", 0: "0", 1234: "+1,234", -1234: "−1,234"}),
        (percent, {0.0: "0%", 0.00099: "<0.1%", 0.001: "0.1%", 0.9994: "99.9%", 0.9995: "100%"}),
        (partial(plural, thing="token"), {0: "0 tokens", 1: "1 token", 2000: "2,000 tokens"}),
        (duration, {119.1: "120 s", 120: "2 min", 121: "3 min", 7199: "120 min", 7200: "2.0 h"}),
        (short_time, {0.0099949: "9.99 ms", 0.009995: "10.0 ms", 0.0999: "99.9 ms"}),
        (short_time, {0.09995: "100 ms", 0.9994: "999 ms", 0.9995: "1.00 s", 61: "61.00 s"}),
        (
            lambda done: progress_of(done, 10, 2),
            {0: "0 B of 10 B │ 0 B/s", 4: "4 B of 10 B │ 2 B/s │ 3 s left"}
            | {10: "10 B of 10 B │ 5 B/s", 11: "11 B of 10 B │ 5.5 B/s"},
        ),
        (lambda done: progress_of(done, None, 0.5), {4: "4 B │ 8 B/s"}),
        (partial(with_power, digits=3), {0.0000231: "2.31×10⁻⁵"}),
        (partial(with_power, digits=1), {0.001: "10⁻³"}),
        (short_number, {0: "0", 7: "7", 0.127: "0.13", 12.34: "12.3", -0.001: "0", 0.001: "10⁻³"}),
        (short_number, {0.00002: "2×10⁻⁵", 1e-9: "1e-09", 0.005: "0.01", inf: "∞", nan: "–"}),
        (short_number, {999.4: "999", 999.5: "1,000", 1234: "1,234", 9999: "9,999"}),
        (short_number, {9999.5: "10k", 12345: "12.3k", -12345: "−12.3k", 999_499: "999k"}),
        (short_number, {999_950: "1M", 1_234_567: "1.23M", 4_560_000_000: "4.56G"}),
        (short_number, {5_000_000_000_000: "5T", 1e21: "1,000E"}),
    ],
)
def test_numbers_have_separated_thousands_and_sizes_have_decimal_units(
    write: Callable[[Any], str], values: dict[float, str]
) -> None:
    assert {value: write(value) for value in values} == values


def test_a_speed_is_told_of_a_megabyte_or_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bpe_tui.widgets.numbers.monotonic", lambda: 12.0)
    assert throughput(999_999, 10.0) == ""
    told = "1 MB in 2.00 s: 500 KB/s; at that speed 1 TB would take about 555.6 h"
    assert throughput(1_000_000, 10.0) == told


@given(st.integers(-(10**18), 10**18) | st.floats(-1e18, 1e18))
def test_short_number_is_short(value: float) -> None:
    assert len(short_number(value)) <= 6
    assert sum(char.isdigit() for char in short_number(value)) <= 4


def test_a_second_look_keeps_what_is_visible_and_spells_out_what_the_first_has_missed() -> None:
    shown = "\n".join(visible_text(char, spaces=False) for char in every_character())
    assert still_visible(shown) == shown
    assert still_visible("␛⏎·‹009B›<E4> e\u0301") == "␛⏎·‹009B›<E4> e\u0301"
    assert_only_drawn(still_visible("".join(every_character()).replace("\n", "")))
