"""Typed steps and tokens: `50%` or `1-200`; `low`, or `low|est`.

Tokens can be typed as the screen shows them: `·the` for a token that begins with a space,
`<E6 BC>` for bytes, `‹200D›` for a character that draws nothing. GPT-2's spelling, `Ġthe`, works
too. The literal text takes precedence.

The command line reads such tokens too, so this module imports nothing of Textual.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from bpe_tui.widgets.language import in_a_row, tr
from bpe_tui.widgets.visible import text_shown_as, visible_bytes, visible_text
from engine.analysis.why_not import BARS, WEAK_SIGNS, ways_to_part
from engine.core.events import PAIR_SIGN
from engine.core.gpt2_bytes import unspell
from engine.recording.playback import AnyMergeFrame
from engine.text.pretokenize import to_bytes


def readings(typed: str) -> Iterator[bytes]:
    """Yield the tokens that a text may mean, the literal text first.

    >>> list(readings("·a")), list(readings("<E6 BC>")), list(readings("Ġa"))[1:]
    ([b'\\xc2\\xb7a', b' a'], [b'<E6 BC>', b'\\xe6\\xbc'], [b' a'])
    """
    yield to_bytes(typed)
    as_shown = to_bytes(text_shown_as(typed))
    if as_shown != to_bytes(typed):
        yield as_shown
    elif not typed.isascii():
        try:
            yield unspell(typed)
        except KeyError:
            return


def token_typed(frame: AnyMergeFrame, typed: str) -> int | None:
    """Return the id of the token that a text means; `None` if the run has no such token."""
    found = (frame.id_of(token) for token in readings(typed))
    return next((token_id for token_id in found if token_id is not None), None)


def parts_typed(frame: AnyMergeFrame, typed: str) -> tuple[str, ...]:
    """Split a text in two at a sign or a blank between two tokens; else return it as a whole."""
    for signs in (BARS, *WEAK_SIGNS):
        cuts = ways_to_part(typed, signs)
        if cuts and (signs == BARS or token_typed(frame, typed) is None):
            both = (cut for cut in cuts if None not in [token_typed(frame, part) for part in cut])
            if (cut := next(both, None if signs == PAIR_SIGN else cuts[0])) is not None:
                return cut
    return (typed,)


@dataclass(frozen=True)
class TypedTokens:
    """The one or two tokens that a text names.

    Attributes:
        tokens: their bytes.
        ids: their ids; `None` for a piece that no merge of the run makes.
        hint: a sentence on what was perhaps meant instead; mostly "".
    """

    tokens: tuple[bytes, ...]
    ids: tuple[int | None, ...]
    hint: str = ""

    @property
    def known(self) -> tuple[int, ...]:
        """The ids if the run has all these tokens, otherwise none."""
        return tuple(i for i in self.ids if i is not None) if None not in self.ids else ()


def tokens_typed(frame: AnyMergeFrame, typed: str) -> TypedTokens:
    """Read one or two tokens. A piece of another kind is read as the screen would show it."""
    tokens, ids, hint = [], [], ""
    for part in parts_typed(frame, typed):
        token_id = token_typed(frame, part)
        *_, as_shown = readings(part)
        tokens.append(as_shown if token_id is None else frame.any_token(token_id))
        ids.append(token_id)
        spaced = f" {part}"
        if token_id is None and frame.id_of(to_bytes(spaced)) is not None:
            template = "There is {spaced}: with a space it is another {token}."
            hint = tr(template, spaced=visible_text(spaced), token=tr(frame.TOKEN))
    return TypedTokens(tuple(tokens), tuple(ids), hint)


def describe_unknown(frame: AnyMergeFrame, typed: TypedTokens) -> str:
    """Say which of the typed tokens the run lacks."""
    lacking = (token for token, known in zip(typed.tokens, typed.ids, strict=True) if known is None)
    template = "No {token} of this run reads {lacking}."
    unknown = tr(template, token=tr(frame.TOKEN), lacking=visible_bytes(next(lacking)))
    return in_a_row(unknown, typed.hint)


def parse_step(text: str, now: int, last: int) -> int | None:
    """Read a typed step; return `None` if the text means no existing step.

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
