"""`TemplateProcessing`: a template that the file spells out, as in `[CLS] $A [SEP]`."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Sequence as SequenceOf
from typing import Any, Self

from engine.pipeline.json_fields import Fields
from engine.pipeline.post_processors.post_processor import Ids, Piece, PostProcessor


class TemplateProcessing(PostProcessor):
    """A template that the file spells out."""

    name = "TemplateProcessing"

    def __init__(
        self,
        single: SequenceOf[Piece],
        pair: SequenceOf[Piece],
        special_tokens: Mapping[str, tuple[Ids, SequenceOf[str]]],
    ) -> None:
        self._templates = single, pair
        self._special_tokens = dict(special_tokens)

    @classmethod
    def from_json(cls, fields: Fields) -> Self:
        special = fields.inner("special_tokens")
        tokens = {}
        for name in special.value:
            one = special.inner(name)
            tokens[name] = one.counts("ids"), one.texts("tokens")
        templates = []
        for key in ("single", "pair"):
            templates.append([_piece(each) for each in fields.each(key)])
            for piece in templates[-1]:
                if piece.text is None and piece.token not in tokens:
                    raise fields.error(key, f"{piece.token[:60]!r} is not among special_tokens")
        if any(piece.text for piece in templates[0]):
            raise fields.error("single", "has a place for a second text")
        return cls(templates[0], templates[1], tokens)

    def settings(self) -> dict[str, object]:
        single, pair = ([_spelled(piece) for piece in each] for each in self._templates)
        tokens = {
            name: {"id": name, "ids": list(ids), "tokens": list(texts)}
            for name, (ids, texts) in self._special_tokens.items()
        }
        return {"single": single, "pair": pair, "special_tokens": tokens}

    def template(self, texts: int) -> SequenceOf[Piece]:
        return self._templates[texts - 1]

    def ids_of(self, token: str) -> Ids:
        return self._special_tokens[token][0]

    def texts_of(self, token: str) -> SequenceOf[str]:
        return self._special_tokens[token][1]


def _piece(fields: Fields) -> Piece:
    if token := fields.inner_or_null("SpecialToken"):
        return Piece(None, token.text("id"), token.count("type_id"))
    text = fields.inner("Sequence")
    return Piece("AB".index(text.choice("id", ("A", "B"))), "", text.count("type_id"))


def _spelled(piece: Piece) -> dict[str, Any]:
    if piece.text is None:
        return {"SpecialToken": {"id": piece.token, "type_id": piece.type_id}}
    return {"Sequence": {"id": "AB"[piece.text], "type_id": piece.type_id}}
