"""What a `Tokenizer` knows of the stages of a `tokenizer.json`, which stand above it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from engine.text.pretokenize import SpecialSplitter


class Added(Protocol):
    """A token that is cut out of a text before all else."""

    @property
    def content(self) -> str: ...

    @property
    def special(self) -> bool: ...


class Named(Protocol):
    """A model, as far as it is named."""

    @property
    def name(self) -> str: ...


class Stages(Protocol):
    """A pipeline: what it cuts out, what it is made of, and its way back to text."""

    @property
    def added_tokens(self) -> Sequence[Added]: ...

    @property
    def splitter(self) -> SpecialSplitter: ...

    @property
    def model(self) -> Named: ...

    @property
    def merges(self) -> bool: ...

    @property
    def decodes(self) -> bool: ...

    def decode(self, ids: Iterable[int]) -> str: ...
