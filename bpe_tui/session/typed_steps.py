"""Steps as people type them: one, or a range."""

from __future__ import annotations


def parse_step(text: str, now: int, last: int) -> int | None:
    """The step that the text means; `None` if it means none that is there.

    >>> parse_step("50%", 0, 200), parse_step("-10", 30, 200), parse_step("201", 0, 200)
    (100, 20, None)
    """
    digits = text.replace(",", "").replace("_", "").removesuffix("%").lstrip("+-")
    if not (digits.isascii() and digits.isdigit()) or len(digits) > 12:
        return None
    value = int(digits)
    if text.endswith("%"):
        value = round(last * value / 100)
    elif text[0] in "+-":
        value = max(0, min(last, now + (value if text[0] == "+" else -value)))
    return value if value <= last else None


def parse_steps(text: str, last: int) -> tuple[int, int] | None:
    """The first and the last step that the text means; `None` if it means none that are there.

    >>> parse_steps("128", 200), parse_steps("1-200", 200), parse_steps("5-2", 200)
    ((128, 128), (1, 200), None)
    """
    start, _, end = text.replace(",", "").replace(" ", "").replace("–", "-").partition("-")
    numbers = [start, end or start]
    if not all(n.isascii() and n.isdigit() and len(n) <= 12 for n in numbers):
        return None
    low, high = map(int, numbers)
    return (low, high) if 1 <= low <= high <= last else None
