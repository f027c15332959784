"""A model without merges, as the alphabet of a tokenizer that merges nothing.

So `Tokenizer` encodes with any model, and everything that asks it for ids, places and tokens works
on. What asks for merges finds none.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import accumulate
from typing import Any, Self

from engine.alphabets import Alphabet
from engine.core.gpt2_bytes import spell
from engine.pipeline.json_fields import Fields
from engine.pipeline.models.model import Model, ModelToken
from engine.text.pretokenize import to_bytes, to_text


class ModelAlphabet(Alphabet):
    """Spells a pretoken in the tokens of a model.

    Args:
        model: what does it.
        in_bytes: whether it is given GPT-2's stand-ins for the bytes.

    >>> from engine.pipeline.models import WordPiece
    >>> alphabet = ModelAlphabet(WordPiece({"[UNK]": 0, "hug": 1, "##s": 2}), in_bytes=False)
    >>> alphabet.spell(b"hugs"), alphabet.edges(b"hugs")
    ([1, 2], [0, 3, 4])
    """

    def __init__(self, model: Model, in_bytes: bool) -> None:
        self.model = model
        self._in_bytes = in_bytes

    @property
    def token_ids(self) -> Sequence[int]:
        return list(self.model.vocab.values())

    def spell(self, pretoken: bytes) -> list[int]:
        return [token.token_id for token in self._tokens(pretoken)]

    def edges(self, pretoken: bytes) -> Sequence[int]:
        widths = (len(to_bytes(character)) for character in to_text(pretoken))
        place = range(len(pretoken) + 1) if self._in_bytes else [*accumulate(widths, initial=0)]
        return [0, *(place[token.end] for token in self._tokens(pretoken))]

    def _tokens(self, pretoken: bytes) -> list[ModelToken]:
        return self.model.tokenize(spell(pretoken) if self._in_bytes else to_text(pretoken))

    def as_message(self) -> tuple[str, tuple[Any, ...]]:
        return "model", (json.dumps(self.model.to_json()), self._in_bytes)

    @classmethod
    def of_message(cls, *arguments: Any) -> Self:
        from engine.pipeline.models import model_from_json  # which stands above what it is made of

        model, in_bytes = arguments
        return cls(model_from_json(Fields(json.loads(model))), in_bytes)
