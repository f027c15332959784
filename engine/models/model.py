"""What the model of a `tokenizer.json` is: it turns pretokens into ids."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence

from engine.alphabet import Alphabet
from engine.events import Pair
from engine.stage import Stage


class Model(Stage):
    """A model that merges; its tokens are texts, of bytes' stand-ins or of characters."""

    vocab: Mapping[str, int]
    merges: Sequence[tuple[str, str]]

    @property
    @abstractmethod
    def table(self) -> Mapping[Pair, tuple[int, int]]:
        """pair of ids → (rank, id of what it makes), in order of rank."""

    @abstractmethod
    def alphabet(self, in_bytes: bool) -> Alphabet:
        """What a pretoken is made of, in bytes or in characters."""

    @abstractmethod
    def tokens(self, in_bytes: bool) -> dict[int, bytes]:
        """The text of each token, without what only the vocabulary adds to it."""

    @property
    @abstractmethod
    def notes(self) -> tuple[str, ...]:
        """What a reader should know about it."""
