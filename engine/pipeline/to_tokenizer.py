"""From a pipeline to a `Tokenizer`, so that everything that works with one works on pipelines.

A model that merges gives it its merges. A model without merges becomes the alphabet of a tokenizer
that merges nothing: what asks it for ids, places and tokens works on, what asks for merges finds
none.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from engine.core.gpt2_bytes import spell
from engine.encoding.alphabet import Alphabet
from engine.encoding.tokenizer import Tokenizer
from engine.pipeline.models.model import MergingModel, Model, ModelToken
from engine.pipeline.pipeline import Pipeline
from engine.pipeline.pretokenizers.pretokenizer import NOTHING_CUT
from engine.pipeline.sentencepiece.models import words_of
from engine.text.pretokenize import to_bytes, to_text


def tokenizer_of(pipeline: Pipeline) -> Tokenizer:
    """The tokenizer that encodes as a pipeline does, but for its post-processor."""
    model, splitter = pipeline.model, pipeline.splitter
    pattern = splitter.pattern
    if isinstance(model, MergingModel):
        vocab = model.tokens(splitter.in_bytes)
        alphabet, table = model.alphabet(splitter.in_bytes), model.table
        if pattern.source == NOTHING_CUT.source and model.spells_apart and not splitter.in_bytes:
            pattern = words_of(model.vocab) or pattern
    else:
        vocab = {token_id: text.encode() for text, token_id in model.vocab.items()}
        alphabet, table = ModelAlphabet(model, splitter.in_bytes), {}
    return Tokenizer(
        vocab,
        None,
        pipeline.added_ids,
        pattern,
        alphabet=alphabet,
        table=table,
        pipeline=pipeline,
    )


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
