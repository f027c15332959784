"""`TemplateProcessing`: a template that the file spells out, as in `[CLS] $A [SEP]`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from collections.abc import Sequence as SequenceOf
from typing import Any, Self

from engine.core.errors import TokenizerFileError
from engine.pipeline.json_fields import Fields
from engine.pipeline.post_processors.post_processor import Ids, Piece, PostProcessor

# Post-processor templates as people type them: `[CLS] $A [SEP] $B:1 [SEP]:1`.


_TYPED = re.compile(r"(?P<what>.+?)(?::(?P<type>[0-9]{1,4}))?")
_TEXTS = {"$A": 0, "$B": 1, "$": 0}


def template_of(single: str, pair: str, ids: Mapping[str, int]) -> TemplateProcessing:
    """The post-processor of two templates: for a text alone, and for two.

    Args:
        ids: token → id; special tokens of the templates have to be there.

    Raises:
        TokenizerFileError: a token is not there, or a text is missing or too much.

    >>> bert = template_of("[CLS] $A [SEP]", "$A [SEP] $B:1", {"[CLS]": 1, "[SEP]": 2})
    >>> bert.process([7, 8]), bert.process([7], [8])
    ([1, 7, 8, 2], [7, 2, 8])
    """
    templates = [_pieces(single), _pieces(pair)]
    for spelled, pieces, texts in zip((single, pair), templates, ({0}, {0, 1}), strict=True):
        if {piece.text for piece in pieces if piece.text is not None} != texts:
            wanted = " and ".join(["$A", "$B"][: len(texts)])
            raise TokenizerFileError(f"the template {spelled!r} should hold {wanted}, and no other")
    tokens = [piece.token for piece in (*templates[0], *templates[1]) if piece.text is None]
    if missing := [token for token in tokens if token not in ids]:
        raise TokenizerFileError(
            f"the vocabulary has no token {missing[0]!r}; a template can put only what is there"
        )
    return TemplateProcessing(
        templates[0], templates[1], {token: ([ids[token]], [token]) for token in tokens}
    )


def pair_template(single: str) -> str:
    """A template for two texts that goes with one for a text alone, as BERT's do.

    >>> pair_template("[CLS] $A [SEP]")
    '[CLS] $A [SEP] $B:1 [SEP]:1'
    """
    before, text, after = single.partition("$A")
    behind = "".join(f" {part.split(':')[0]}:1" for part in after.split())
    return f"{before}{text}{after} $B:1{behind}"


def spelled_template(processor: PostProcessor, texts: int) -> str:
    """What a post-processor puts around so many texts, as it is typed.

    >>> spelled_template(template_of("<s> $A", "<s> $A $B:1", {"<s>": 0}), 2)
    '<s> $A $B:1'
    """
    pieces = processor.template(texts)
    names = (piece.token if piece.text is None else "$" + "AB"[piece.text] for piece in pieces)
    types = (f":{piece.type_id}" if piece.type_id else "" for piece in pieces)
    return " ".join(map("".join, zip(names, types, strict=True)))


def _pieces(template: str) -> list[Piece]:
    pieces = []
    for typed in template.split():
        found = _TYPED.fullmatch(typed)
        assert found is not None  # it matches anything
        text = _TEXTS.get(found["what"])
        token = found["what"] if text is None else ""
        pieces.append(Piece(text, token, int(found["type"] or 0)))
    return pieces


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
