"""What the model of a `tokenizer.json` is: it turns pretokens into ids."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from engine.alphabets import Alphabet
from engine.core.events import Pair
from engine.pipeline.stage import Stage


class ModelToken(NamedTuple):
    """A token that a model made of a pretoken.

    Attributes:
        token_id: its id.
        text: as the vocabulary writes it; Unigram tells the text that an unknown token stands for.
        start, end: which characters of the pretoken it stands for.
    """

    token_id: int
    text: str
    start: int
    end: int


class Model(Stage):
    """Encodes pretokens; its tokens are texts, of bytes' stand-ins or of characters."""

    vocab: Mapping[str, int]

    @abstractmethod
    def tokenize(self, pretoken: str) -> list[ModelToken]:
        """The tokens of a pretoken as the pre-tokenizer gave it, from left to right."""

    @property
    @abstractmethod
    def unknown_id(self) -> int | None:
        """The id of what it cannot spell; `None` if there is none."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader should know about it."""
        return ()

    @cached_property
    def texts(self) -> dict[int, str]:
        """id → token, as the vocabulary writes it."""
        return {token_id: text for text, token_id in self.vocab.items()}


class MergingModel(Model):
    """A model that merges, so that everything that explains merges can explain it."""

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
