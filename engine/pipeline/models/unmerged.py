"""Models that merge nothing: `WordLevel`, `WordPiece` and `Unigram`.

The first two look words up, whole or piece by piece. The third takes the most probable
segmentation, as SentencePiece and T5 do. Unlike in SentencePiece, a text that looks like the
unknown token, or like any other piece, is that piece: so it is in Hugging Face's library.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import groupby
from reprlib import repr as short_repr
from typing import Any, Self

from engine.core.errors import UnigramError
from engine.core.json_fields import Fields, well_formed
from engine.pipeline.models.model import Model, ModelToken, read_vocab, tables_last
from engine.pipeline.stage import setting, stage
from engine.unigram.lattice import Lattice
from engine.unigram.pieces import PieceTable
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


LARGEST_SCORE = 1e300
"""What is larger is no logarithm of a probability, and no number that sums stay finite with."""


@stage
class Unigram(Model):
    """Takes the segmentation whose pieces have the highest sum of scores.

    Attributes:
        pieces: text and score of each id.
        unk_id: the id of what no piece spells; `None` if there is none.
        byte_fallback: whether `<0x00>` … stand for the bytes of it, if all are there.

    >>> model = Unigram([("<unk>", 0.0), ("h", -2.0), ("ug", -2.3), ("hug", -5.0)], 0)
    >>> [token.text for token in model.tokenize("hug漢字")]
    ['h', 'ug', '漢字']
    """

    name = "Unigram"
    pieces: Sequence[tuple[str, float]]
    unk_id: int | None = None
    byte_fallback: bool = False

    @classmethod
    def from_json(cls, fields: Fields) -> Self:
        """`{"unk_id": 0, "vocab": [["<unk>", 0.0], ["▁the", -3.5]], "byte_fallback": false}`"""
        unknown = fields.count("unk_id") if fields.has("unk_id") else None
        model = cls(list(_pieces(fields)), unknown, bool(fields.flag_or_null("byte_fallback")))
        model.check(fields)
        return model

    def check(self, fields: Fields) -> None:
        try:
            _ = self.table
        except UnigramError as error:
            raise fields.error("vocab", str(error)) from None

    def settings(self) -> dict[str, Any]:
        return {
            "unk_id": self.unk_id,
            "vocab": [list(piece) for piece in self.pieces],
            "byte_fallback": self.byte_fallback,
        }

    @cached_property
    def vocab(self) -> dict[str, int]:  # type: ignore[override]
        return {text: token_id for token_id, (text, _) in enumerate(self.pieces)}

    @property
    def unknown_id(self) -> int | None:
        return self.unk_id

    @cached_property
    def table(self) -> PieceTable:
        texts, scores = zip(*self.pieces, strict=True) if self.pieces else ((), ())
        return PieceTable(texts, scores, self.unk_id, unknown_is_text=True)

    def tokenize(self, pretoken: str) -> list[ModelToken]:
        edges = Lattice(pretoken, self.table).best.edges
        tokens: list[ModelToken] = []
        for is_unknown, run in groupby(edges, key=lambda edge: edge.piece == self.unk_id):
            spans = [(edge.start, edge.end) for edge in run]
            if is_unknown:  # side by side they are one
                spans = [(spans[0][0], spans[-1][1])]
            for start, end in spans:
                tokens += self._tokens_of(pretoken[start:end], start, end)
        return tokens

    def _tokens_of(self, text: str, start: int, end: int) -> list[ModelToken]:
        known = self.vocab.get(text)
        if known is None and self.byte_fallback:
            spelled = [f"<0x{byte:02X}>" for byte in text.encode()]
            if all(byte in self.vocab for byte in spelled):
                return [ModelToken(self.vocab[byte], byte, start, end) for byte in spelled]
        token_id = self.unk_id if known is None else known
        assert token_id is not None  # without an unknown token, the lattice has pieces only
        return [ModelToken(token_id, text, start, end)]


def _pieces(fields: Fields) -> Iterator[tuple[str, float]]:
    for place, item in enumerate(fields.items("vocab")):
        piece = item if isinstance(item, list) else []
        kinds = [type(part) for part in piece]
        if kinds not in ([str, float], [str, int]) or not abs(piece[1]) <= LARGEST_SCORE:
            raise fields.error("vocab", f"[{place}] is no piece with its score: {short_repr(item)}")
        yield well_formed(piece[0], f"{fields.path('vocab')}[{place}]"), float(piece[1])
