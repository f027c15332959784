"""Whole pretokens that are one token before anything else is looked at."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from engine.alphabets.alphabet import Alphabet
from engine.alphabets.messages import from_message


class WholeTokens(Alphabet):
    """An alphabet with some pretokens that are one token from the start.

    Llama 3 and tiktoken look a whole pretoken up before they merge anything, which matters where
    merging its bytes would not lead to it. Hugging Face calls this `ignore_merges`.

    >>> from engine.alphabets import ByteAlphabet
    >>> WholeTokens(ByteAlphabet(range(256)), {b"abc": 300}).spell(b"abc")
    [300]
    """

    def __init__(self, inner: Alphabet, whole: Mapping[bytes, int]) -> None:
        self.inner = inner
        self.whole = whole

    @property
    def unit(self) -> str:
        return self.inner.unit

    @property
    def token_ids(self) -> Sequence[int]:
        return [*self.inner.token_ids, *self.whole.values()]

    def spell(self, pretoken: bytes) -> list[int]:
        whole = self.whole.get(pretoken)
        return self.inner.spell(pretoken) if whole is None else [whole]

    def edges(self, pretoken: bytes) -> Sequence[int]:
        return (0, len(pretoken)) if pretoken in self.whole else self.inner.edges(pretoken)

    def as_message(self) -> tuple[str, tuple[Any, ...]]:
        return "whole", (self.inner.as_message(), dict(self.whole))

    @classmethod
    def of_message(cls, *arguments: Any) -> Alphabet:
        inner, whole = arguments
        return cls(from_message(inner), whole)
