"""What a tokenizer has to tell about itself to stand in the table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from engine.tokenizer import Tokenizer


class Contender(Protocol):
    """A tokenizer of any kind. `granularity` says what a token is: words, subwords, bytes, …

    `unknown_id` is the id that stands for what the vocabulary cannot spell; `None` if there is
    nothing of the sort.
    """

    @property
    def name(self) -> str: ...

    @property
    def granularity(self) -> str: ...

    @property
    def vocab_size(self) -> int: ...

    @property
    def unknown_id(self) -> int | None: ...

    def encode(self, text: str) -> Sequence[int]: ...

    def decode(self, ids: Iterable[int]) -> str: ...


@dataclass(frozen=True)
class BpeContender:
    """A `Tokenizer` as a contender."""

    tokenizer: Tokenizer
    name: str = "bpe"
    granularity: str = "subwords"
    unknown_id: int | None = None

    @property
    def vocab_size(self) -> int:
        return len(self.tokenizer.vocab)

    def encode(self, text: str) -> Sequence[int]:
        return self.tokenizer.encode(text)

    def decode(self, ids: Iterable[int]) -> str:
        return self.tokenizer.decode(ids)
