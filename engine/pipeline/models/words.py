"""`WordLevel` and `WordPiece`: models that look words up, whole or piece by piece."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from engine.core.json_fields import Fields
from engine.pipeline.models.model import Model, ModelToken, read_vocab, tables_last
from engine.pipeline.stage import setting, stage
from engine.wordpiece.encoder import MAX_INPUT_CHARACTERS, WordPieceEncoder
from engine.wordpiece.words import CONTINUES


def _read_unknown(fields: Fields, key: str) -> str:
    """The token for what cannot be spelled, which has to be in the vocab."""
    token = fields.text(key)
    if token not in fields.inner("vocab").value:
        what = f"{token[:60]!r} is not in the vocab, so nothing stands for what cannot be spelled"
        raise fields.error(key, what)
    return token


class _ModelOfWords(Model):
    """A model that has a token for the words that it cannot spell."""

    unk_token: str

    @property
    def unknown_id(self) -> int:
        return self.vocab[self.unk_token]


@stage
class WordLevel(_ModelOfWords):
    """A pretoken is a token, or else the `unk_token`.

    >>> WordLevel({"<unk>": 0, "cat": 1}, "<unk>").tokenize("cats")
    [ModelToken(token_id=0, text='<unk>', start=0, end=4)]
    """

    name = "WordLevel"
    vocab: Mapping[str, int] = setting(read=read_vocab)
    unk_token: str = setting(read=_read_unknown)

    def tokenize(self, pretoken: str) -> list[ModelToken]:
        text = pretoken if pretoken in self.vocab else self.unk_token
        return [ModelToken(self.vocab[text], text, 0, len(pretoken))]


@stage
class WordPiece(_ModelOfWords):
    """Takes the longest piece of a word from the left, as BERT does.

        {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
         "max_input_chars_per_word": 100, "vocab": {"[UNK]": 0, "hug": 1, "##s": 2}}

    Attributes:
        vocab: piece as it is written → id.
        unk_token: what a word becomes that cannot be spelled; in the vocab.
        continuing_subword_prefix: stands before a piece that continues a word.
        max_input_chars_per_word: a longer word is unknown.

    >>> model = WordPiece({"[UNK]": 0, "hug": 1, "##s": 2})
    >>> [(token.text, token.start, token.end) for token in model.tokenize("hugs")]
    [('hug', 0, 3), ('##s', 3, 4)]
    """

    name = "WordPiece"
    vocab: Mapping[str, int] = setting(read=read_vocab)
    unk_token: str = setting(default="[UNK]", read=_read_unknown)
    continuing_subword_prefix: str = CONTINUES
    max_input_chars_per_word: int = MAX_INPUT_CHARACTERS

    def settings(self) -> dict[str, Any]:
        return tables_last(super().settings())

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
