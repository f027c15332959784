"""A text as it is typed, with the ids it has at one step of a run after the other."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from engine.encoding.incremental import Retyping
from engine.text.patterns import Pattern
from engine.text.pretokenize import Pretoken, SpecialSplitter


class EncodedPretoken(NamedTuple):
    """A pretoken of a typed text with its token ids."""

    pretoken: Pretoken
    ids: tuple[int, ...]


class TypedText:
    """Encodes at a step, and keeps what neither a keystroke nor a step has changed.

    `ids_at(pretoken, step)` are the ids of a pretoken after that many merges.
    """

    def __init__(
        self,
        pattern: Pattern,
        splitter: SpecialSplitter,
        ids_at: Callable[[Pretoken, int], tuple[int, ...]],
    ) -> None:
        self._ids_at = ids_at
        self._step = 0
        self._retyping = Retyping(pattern, splitter, self._encoded, _moved)

    def encode(self, text: str, step: int) -> list[EncodedPretoken]:
        """The pretokens of the text, each with its ids."""
        if step != self._step:
            self._step = step
            self._retyping.renew(lambda piece: self._encoded(piece.pretoken))
        return self._retyping.update(text)

    def _encoded(self, pretoken: Pretoken) -> EncodedPretoken:
        return EncodedPretoken(pretoken, self._ids_at(pretoken, self._step))


def _moved(piece: EncodedPretoken, by: int) -> EncodedPretoken:
    text, start, end, alternative, special = piece.pretoken
    return EncodedPretoken(Pretoken(text, start + by, end + by, alternative, special), piece.ids)
