"""`WordLevel`: the model that looks whole pretokens up."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from engine.pipeline.json_fields import Fields
from engine.pipeline.models.model import Model, ModelToken, known_unknown, read_vocab


@dataclass(frozen=True, eq=False, repr=False)
class WordLevel(Model):
    """A pretoken is a token, or else the `unk_token`.

    >>> WordLevel({"<unk>": 0, "cat": 1}, "<unk>").tokenize("cats")
    [ModelToken(token_id=0, text='<unk>', start=0, end=4)]
    """

    vocab: Mapping[str, int]
    unk_token: str

    name = "WordLevel"

    @classmethod
    def from_json(cls, fields: Fields) -> Self:
        vocab = read_vocab(fields)
        return cls(vocab, known_unknown(fields, vocab))

    def settings(self) -> dict[str, Any]:
        return {"vocab": dict(self.vocab), "unk_token": self.unk_token}

    @property
    def unknown_id(self) -> int:
        return self.vocab[self.unk_token]

    def tokenize(self, pretoken: str) -> list[ModelToken]:
        text = pretoken if pretoken in self.vocab else self.unk_token
        return [ModelToken(self.vocab[text], text, 0, len(pretoken))]
