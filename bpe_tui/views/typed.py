"""Steps and tokens as somebody types them: `50%` or `1-200`; `low`, or `low|est`.

What the screen shows can be typed: `·the` for a token that begins with a space, `<E6>` for a byte.
GPT-2's spelling, `Ġthe`, is read, too. What stands in the text itself comes first.

What runs without a screen reads such tokens, too, so nothing of textual is imported here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from bpe_tui.widgets.visible import NEWLINE, SPACE, TAB, visible_text
from engine.analysis.why_not import BARS, ways_to_part
from engine.core.gpt2_bytes import unspell
from engine.recording.playback import AnyMergeFrame
from engine.text.pretokenize import to_bytes

_SIGNS = str.maketrans({SPACE: " ", NEWLINE: "\n", TAB: "\t"})
_BYTE = re.compile(r"<([0-9A-F]{2})>")


def readings(typed: str) -> Iterator[bytes]:
    """The tokens that a text may mean, the plainest first.

    >>> list(readings("·a")), list(readings("<E6>")), list(readings("Ġa"))[1:]
    ([b'\\xc2\\xb7a', b' a'], [b'<E6>', b'\\xe6'], [b' a'])
    """
    yield to_bytes(typed)
    signs = typed.translate(_SIGNS)
    as_shown = to_bytes(_BYTE.sub(lambda byte: chr(0xDC00 + int(byte[1], 16)), signs))
    if as_shown != to_bytes(typed):
        yield as_shown
    elif not typed.isascii():
        try:
            yield unspell(typed)
        except KeyError:
            return


def token_typed(frame: AnyMergeFrame, typed: str) -> int | None:
    """The id of the token that a text means; `None` if no step of the run has such a token."""
    found = (frame.id_of(token) for token in readings(typed))
    return next((token_id for token_id in found if token_id is not None), None)


def parts_typed(frame: AnyMergeFrame, typed: str) -> tuple[str, ...]:
    """A text in two where a bar parts two tokens, or where a blank does; else as a whole."""
    for signs in (BARS, " "):
        cuts = ways_to_part(typed, signs)
        if cuts and (signs == BARS or token_typed(frame, typed) is None):
            both = (cut for cut in cuts if None not in [token_typed(frame, part) for part in cut])
            return next(both, cuts[0])
    return (typed,)


def tokens_typed(frame: AnyMergeFrame, typed: str) -> tuple[int, ...] | str:
    """The ids of one token or of two that are typed, or why there are none."""
    ids = []
    for part in parts_typed(frame, typed):
        token_id = token_typed(frame, part)
        if token_id is None:
            return _no_such_token(frame, part)
        ids.append(token_id)
    return tuple(ids)


def _no_such_token(frame: AnyMergeFrame, typed: str) -> str:
    """That there is none; if only a space in front makes it one, that too."""
    said = f"No {frame.TOKEN} of this run reads {visible_text(typed)}."
    spaced = f" {typed}"
    if frame.id_of(to_bytes(spaced)) is None:
        return said
    return f"{said} There is {visible_text(spaced)}: with a space it is another {frame.TOKEN}."


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
