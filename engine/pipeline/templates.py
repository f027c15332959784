"""Post-processor templates as people type them: `[CLS] $A [SEP] $B:1 [SEP]:1`."""

from __future__ import annotations

import re
from collections.abc import Mapping

from engine.core.errors import TokenizerFileError
from engine.pipeline.post_processors.post_processor import Piece, PostProcessor
from engine.pipeline.post_processors.template import TemplateProcessing

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
