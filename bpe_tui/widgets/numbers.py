"""Numbers for people: with separators, short, with a unit or a sign, and as bars.

Every function returns plain text that needs no escaping. A minus sign is always U+2212.
"""

from __future__ import annotations

import math
from time import monotonic
from typing import Final

from bpe_tui.widgets.language import tr
from engine.core.wording import with_power as with_power  # the engine's sentences use it too

MINUS: Final = "\u2212"

_UNITS: Final = ("", "k", "M", "G", "T", "P", "E")


def number(value: float) -> str:
    """Return a number rounded to a whole one, thousands separated.

    1234567 → '1,234,567'; 1234.6 → '1,235'; −5 → '−5' (with a true minus sign).
    """
    if isinstance(value, float) and not math.isfinite(value):
        return _scaled(value)[0]
    return f"{round(value):,}".replace("-", MINUS)


def short_number(value: float) -> str:
    """Return a number in a few characters: in full below 10,000, then with k, M, G, T.

    1234 → '1,234'; 12345 → '12.3k'; 999950 → '1M'; 0.127 → '0.13'; 0.001 → '10⁻³'.
    """
    if 0 < value < 0.005:  # two decimals would make it 0
        return with_power(value, 1) if value > 1e-9 else f"{value:.0e}"
    if 999.5 <= abs(value) < 9_999.5:  # the four digits are no longer than 1.23k
        return number(value)
    return "".join(_scaled(value))


def percent(share: float) -> str:
    """Return a share in percent: 0.0712 → '7.1%'; 1.0 → '100%'; 0.0 → '0%'; 0.0002 → '<0.1%'."""
    if 0 < share < 0.001:
        return "<0.1%"
    return f"{100 * share:.1f}%" if 0 < share < 0.9995 else f"{share:.0%}"


def size(bytes: int) -> str:
    """Return an amount of data in decimal units: 118_000 → '118 KB'; 22_531_000 → '22.5 MB'."""
    amount, unit = _scaled(bytes)
    return f"{amount} {unit.upper()}B"


def rate(bytes_per_second: float) -> str:
    """Return a speed in decimal units: 5_200_000.0 → '5.2 MB/s'."""
    amount, unit = _scaled(bytes_per_second)
    return f"{amount} {unit.upper()}B/s"


def progress_of(done: int, total: int | None, seconds: float) -> str:
    """Return the progress of a reading, its speed and the time left.

    >>> progress_of(5_200_000, 10_400_000, 2.0)
    '5.2 MB of 10.4 MB │ 2.6 MB/s │ 2 s left'
    """
    speed = done / max(seconds, 1e-6)
    amount = tr("{n} of {all}", n=size(done), all=size(total)) if total else size(done)
    left = (
        tr(" │ {time} left", time=duration((total - done) / speed))
        if total and speed and done < total
        else ""
    )
    return f"{amount} │ {rate(speed)}{left}"


TERABYTE, ENOUGH_TO_MEASURE = 10**12, 10**6


def throughput(done: int, started: float) -> str:
    """Return a speed, and the time for a terabyte at it; "" if too few bytes are done.

    50,000,000 bytes, 2 s ago → '50 MB in 2.00 s: 25 MB/s; at that speed 1 TB would take about
    11.1 h'.

    Args:
        started: the time of `monotonic` when the work began.
    """
    if done < ENOUGH_TO_MEASURE:
        return ""
    seconds = monotonic() - started
    speed = done / max(seconds, 1e-6)
    return tr(
        "{size} in {seconds} s: {speed}; at that speed 1 TB would take about {time}",
        size=size(done),
        seconds=f"{seconds:.2f}",
        speed=rate(speed),
        time=duration(TERABYTE / speed),
    )


def duration(seconds: float) -> str:
    """Return a length of time in one unit: 2.4 → '3 s'; 200 → '4 min'; 10_000 → '2.8 h'."""
    if seconds < 120:
        return f"{math.ceil(seconds)} s"
    if seconds < 7200:
        return tr("{seconds} min", seconds=math.ceil(seconds / 60))
    return f"{seconds / 3600:.1f} h"


def short_time(seconds: float) -> str:
    """Return a time in three digits: 0.0431 → '43.1 ms'; 2.5 → '2.50 s'."""
    if seconds >= 0.9995:
        return f"{seconds:.2f} s"
    digits = 0 if seconds >= 0.09995 else 1 if seconds >= 0.009995 else 2
    return f"{1000 * seconds:.{digits}f} ms"


def signed(n: int) -> str:
    """Return a change with its sign: 14 → '+14'; −96 → '−96' (with a true minus sign); 0 → '0'."""
    return f"+{n:,}" if n > 0 else number(n)


def _scaled(value: float) -> tuple[str, str]:
    """Return three significant digits and the unit they count: 12345 → ('12.3', 'k').

    Infinity is '∞', and not a number is '–'.
    """
    if not math.isfinite(value):
        return {math.inf: "∞", -math.inf: f"{MINUS}∞"}.get(value, "–"), ""
    amount, unit = float(value), 0
    while True:
        # Up to three digits, at most two after the point: 5.204 → '5.2'; 12.34 → '12.3'.
        before_point = len(str(int(abs(amount))))
        digits = f"{amount:.{max(0, 3 - before_point)}f}"
        digits = digits.rstrip("0").rstrip(".") if "." in digits else digits
        if abs(float(digits)) < 1000 or unit == len(_UNITS) - 1:
            break
        amount, unit = amount / 1000, unit + 1
    if abs(amount) >= 1000:
        return number(amount), _UNITS[unit]
    return "0" if digits == "-0" else digits.replace("-", MINUS), _UNITS[unit]


BODY, HALF, TRACE = "▄", "▖", "┄"
"""A whole cell, half a cell, and a cell of a part that is lost or not confirmed."""

SHORTEST_BAR, LONGEST_BAR = 5, 24
"""Limits of the longest bar, in cells: shorter shows too little, longer shows no more."""


def bar_room(spare: int) -> int:
    """Return the cells of the longest bar, about half of the spare cells; 0 without room.

    A gap of two cells is before the bar.

    >>> bar_room(6), bar_room(7), bar_room(20), bar_room(80)
    (0, 5, 10, 24)
    """
    return min(max(spare // 2, SHORTEST_BAR), LONGEST_BAR) if spare >= SHORTEST_BAR + 2 else 0


def bar(share: float, cells: int) -> str:
    """Draw a share of `cells` cells, to half a cell; values above 0 are always visible.

    >>> bar(0.5, 5), bar(0.001, 5), bar(0, 5)
    ('▄▄▖', '▖', '')
    """
    halves = min(max(round(share * cells * 2), 1 if share > 0 else 0), cells * 2)
    return BODY * (halves // 2) + HALF * (halves % 2)


EIGHTHS = " ▏▎▍▌▋▊▉"


def block_bar(share: float, cells: int) -> str:
    """Draw a share of `cells` cells, to an eighth of a cell; values above 0 are always visible.

    >>> block_bar(0.5, 3), block_bar(0.001, 3), block_bar(0, 3)
    ('█▌', '▏', '')
    """
    full, part = divmod(max(round(share * cells * 8), 1 if share > 0 else 0), 8)
    return "█" * full + EIGHTHS[part].strip()


def trace(share: float, cells: int, body: str) -> str:
    """Draw the part of a greater share that is behind a bar, in whole cells.

    >>> trace(0.8, 5, bar(0.5, 5))
    '┄'
    """
    return TRACE * (min(round(share * cells), cells) - len(body))


def scale_of(highest: float) -> float:
    """Return the value of a full bar, if the highest value is `highest`: the next power of two.

    So the longest bar takes between half and all of the room, and the scale changes only a dozen
    times while a count falls from thousands to a few. It depends on the value only, so going back
    and forth agrees.

    >>> scale_of(599), scale_of(512), scale_of(0.3), scale_of(0)
    (1024.0, 512.0, 0.5, 1.0)
    """
    mantissa, exponent = math.frexp(highest)
    return 2.0 ** (exponent - (mantissa == 0.5))
