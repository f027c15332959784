"""What the model of a `tokenizer.json` is: it turns pretokens into ids."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

from engine.core.events import Pair
from engine.core.json_fields import Fields, well_formed
from engine.encoding.alphabet import Alphabet
from engine.encoding.encoders.fast import RankHeap
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
    def spells_apart(self) -> bool:
        """Whether each part of a pretoken is spelled as it would be alone."""
        return True

    @abstractmethod
    def first(self, merges: int) -> MergingModel:
        """The model with its first so many merges, and no pretoken looked up whole.

        All of its tokens are there, since ids depend on how many there are.
        """

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

    @cached_property
    def _encoder(self) -> RankHeap:
        """Bytes' stand-ins are characters like any others to it."""
        return RankHeap(self.alphabet(in_bytes=False), self.table)

    def tokenize(self, pretoken: str) -> list[ModelToken]:
        data = pretoken.encode()
        edges = self._encoder.alphabet.edges(data)
        ids = self._encoder.alphabet.spell(data)
        tokens = {start: (i, end) for i, start, end in zip(ids, edges, edges[1:], strict=False)}
        for start, end, pair in self._encoder.merges_at(data):
            del tokens[tokens[start][1]]
            tokens[start] = self.table[pair][1], end
        place = [n for n, character in enumerate(pretoken) for _ in character.encode()]
        return [
            ModelToken(token_id, self.texts[token_id], place[start], place[end - 1] + 1)
            for start, (token_id, end) in tokens.items()
        ]


# Reading the `vocab` of a model: an object of tokens with their ids.

LARGEST_ID = (1 << 32) - 1
"""Hugging Face's library keeps an id in 32 bits."""


def read_vocab(fields: Fields, key: str) -> dict[str, int]:
    """The token → id under a key.

    Raises:
        TokenizerFileError: an id is no whole number, too large, or given twice.
    """
    vocab = dict(fields.inner(key).value)
    well_formed("".join(vocab), fields.path(key))
    ids = vocab.values()
    are_ids = set(map(type, ids)) == {int} and min(ids) >= 0 and max(ids) <= LARGEST_ID
    if are_ids and len(set(ids)) == len(ids):
        return vocab  # as it is nearly always, and quicker than one by one
    of_id: dict[int, str] = {}
    for token, token_id in vocab.items():
        if type(token_id) is not int or token_id < 0:
            raise fields.error(key, f"the id of {token[:60]!r} is no whole number")
        if token_id > LARGEST_ID:
            raise fields.error(key, f"the id of {token[:60]!r} is larger than {LARGEST_ID:,}")
        if token_id in of_id:
            both = f"{of_id[token_id][:60]!r} and {token[:60]!r}"
            raise fields.error(key, f"the id {token_id} is given to {both}")
        of_id[token_id] = token
    return vocab


def tables_last(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of a model with its large tables at the end, where people expect them."""
    tables = {key: settings[key] for key in ("vocab", "merges") if key in settings}
    return {key: value for key, value in settings.items() if key not in tables} | tables
