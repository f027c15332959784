"""`WordPiece`: the model that takes the longest piece of a word from the left, as BERT does."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

from engine.pipeline.json_fields import Fields
from engine.pipeline.models.model import Model, ModelToken, known_unknown, read_vocab
from engine.wordpiece.encoder import MAX_INPUT_CHARACTERS, WordPieceEncoder
from engine.wordpiece.words import CONTINUES

# `WordLevel`: the model that looks whole pretokens up.


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


@dataclass(frozen=True, eq=False, repr=False)
class WordPiece(Model):
    """Attributes as `tokenizer.json` has them.

    Attributes:
        vocab: piece as it is written → id.
        unk_token: what a word becomes that cannot be spelled; in the vocab.
        continuing_subword_prefix: stands before a piece that continues a word.
        max_input_chars_per_word: a longer word is unknown.

    >>> model = WordPiece({"[UNK]": 0, "hug": 1, "##s": 2})
    >>> [(token.text, token.start, token.end) for token in model.tokenize("hugs")]
    [('hug', 0, 3), ('##s', 3, 4)]
    """

    vocab: Mapping[str, int]
    unk_token: str = "[UNK]"
    continuing_subword_prefix: str = CONTINUES
    max_input_chars_per_word: int = MAX_INPUT_CHARACTERS

    name = "WordPiece"

    @classmethod
    def from_json(cls, fields: Fields) -> Self:
        vocab = read_vocab(fields)
        return cls(
            vocab,
            known_unknown(fields, vocab),
            fields.text("continuing_subword_prefix"),
            fields.count("max_input_chars_per_word"),
        )

    def settings(self) -> dict[str, Any]:
        return {
            "unk_token": self.unk_token,
            "continuing_subword_prefix": self.continuing_subword_prefix,
            "max_input_chars_per_word": self.max_input_chars_per_word,
            "vocab": dict(self.vocab),
        }

    @property
    def unknown_id(self) -> int:
        return self.vocab[self.unk_token]

    @cached_property
    def encoder(self) -> WordPieceEncoder:
        return WordPieceEncoder(
            self.vocab,
            self.unk_token,
            self.max_input_chars_per_word,
            self.continuing_subword_prefix,
        )

    def tokenize(self, pretoken: str) -> list[ModelToken]:
        spelled = self.encoder.spell(pretoken)
        if spelled is None:
            return [ModelToken(self.unknown_id, self.unk_token, 0, len(pretoken))]
        starts = [0, *(end for _, end in spelled)]
        return [
            ModelToken(token_id, self.texts[token_id], start, end)
            for start, (token_id, end) in zip(starts, spelled, strict=False)
        ]
