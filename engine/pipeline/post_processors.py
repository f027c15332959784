"""Post-processors: they put special tokens around a text or a pair, and tell where tokens stand.

Each stands in `POST_PROCESSORS` under the name that `tokenizer.json` gives it. `Tokenizer.encode`
adds none of their tokens; `Pipeline.run` and `process` do.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Mapping
from collections.abc import Sequence as SequenceOf
from typing import Any, ClassVar, NamedTuple, Self

from engine.core.errors import TokenizerFileError
from engine.core.gpt2_bytes import BYTE_TO_CHAR
from engine.core.json_fields import Fields
from engine.pipeline.pretokenizers import ByteLevelSettings
from engine.pipeline.stage import Composite, Stage, StageRegistry, setting, stage
from engine.text.pretokenize import WHITE_SPACE


class TemplatePart(NamedTuple):
    """A place of a template: the text number `text`, or else the special token `token`."""

    text: int | None
    token: str
    type_id: int


PlacedToken = tuple[str, tuple[int, int]]
"""A token as it is written, and which characters of the original it stands for."""


class PostProcessor(Stage):
    """Puts the ids of one text or two into a template."""

    @abstractmethod
    def template(self, texts: int) -> SequenceOf[TemplatePart]:
        """The places in their order, for so many texts."""

    @abstractmethod
    def ids_of(self, token: str) -> SequenceOf[int]:
        """The ids of a special token of the template."""

    def texts_of(self, token: str) -> SequenceOf[str]:
        """What is written for each of these ids."""
        return [token]

    def placed(self, tokens: SequenceOf[PlacedToken]) -> list[PlacedToken]:
        """The tokens of a text with the places that the stage wants told; some leave spaces out."""
        return list(tokens)

    @property
    def adds(self) -> tuple[str, ...]:
        """The special tokens that a single text gets."""
        return tuple(piece.token for piece in self.template(1) if piece.text is None)

    def process(self, *texts: SequenceOf[int]) -> list[int]:
        """The ids of one text or two with the special tokens of the template."""
        ids: list[int] = []
        for piece in self.template(len(texts)):
            ids += self.ids_of(piece.token) if piece.text is None else texts[piece.text]
        return ids


# Places of tokens without the spaces around them

_SPACE = BYTE_TO_CHAR[ord(" ")]


def _without_spaces(tokens: SequenceOf[PlacedToken], keeps_first: bool) -> list[PlacedToken]:
    """The places without the spaces at either end of a token.

    Args:
        keeps_first: whether the first token begins with a space that the text does not have.
    """
    placed: list[PlacedToken] = []
    for number, (text, (start, end)) in enumerate(tokens):
        is_first = number == 0 or start == 0
        leading = len(text) - len(text.lstrip(_SPACE + WHITE_SPACE))
        trailing = len(text) - len(text.rstrip(_SPACE + WHITE_SPACE))
        # A single one was put there; where there are more, the text had them already.
        if not (is_first and keeps_first and leading == 1):
            start = min(start + leading, end)
        if end >= trailing:
            end = max(end - trailing, start)
        placed.append((text, (start, end)))
    return placed


class ByteLevel(ByteLevelSettings, PostProcessor):
    """Leaves spaces out of offsets, and the ids as they are: byte-level BPE has it."""

    def template(self, texts: int) -> SequenceOf[TemplatePart]:
        return [TemplatePart(text, "", text) for text in range(texts)]

    def ids_of(self, token: str) -> SequenceOf[int]:
        raise LookupError(token)  # its template has none

    def placed(self, tokens: SequenceOf[PlacedToken]) -> list[PlacedToken]:
        return _without_spaces(tokens, self.add_prefix_space) if self.trim_offsets else [*tokens]


@stage
class Sequence(Composite[PostProcessor], PostProcessor):
    """Post-processors of which at most one adds something."""

    name = "Sequence"
    parts_key = "processors"

    @classmethod
    def of_parts(cls, parts: SequenceOf[PostProcessor], fields: Fields) -> Self:
        if sum(not isinstance(part, ByteLevel) for part in parts) > 1:
            raise fields.error("processors", "more than one that adds tokens is not supported")
        return cls(parts)

    @property
    def _adding(self) -> PostProcessor:
        adding = (part for part in self.parts if not isinstance(part, ByteLevel))
        return next(adding, ByteLevel())

    def template(self, texts: int) -> SequenceOf[TemplatePart]:
        return self._adding.template(texts)

    def ids_of(self, token: str) -> SequenceOf[int]:
        return self._adding.ids_of(token)

    def texts_of(self, token: str) -> SequenceOf[str]:
        return self._adding.texts_of(token)

    def placed(self, tokens: SequenceOf[PlacedToken]) -> list[PlacedToken]:
        for part in self.parts:
            tokens = part.placed(tokens)
        return list(tokens)


# Templates as people type them: `[CLS] $A [SEP] $B:1 [SEP]:1`

_TYPED = re.compile(r"(?P<what>.+?)(?::(?P<type>[0-9]{1,4}))?")
_TEXTS = {"$A": 0, "$B": 1, "$": 0}


def _pieces(template: str) -> list[TemplatePart]:
    pieces = []
    for typed in template.split():
        found = _TYPED.fullmatch(typed)
        assert found is not None  # it matches anything
        text = _TEXTS.get(found["what"])
        token = found["what"] if text is None else ""
        pieces.append(TemplatePart(text, token, int(found["type"] or 0)))
    return pieces


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


# The post-processors that add tokens


@stage
class TemplateProcessing(PostProcessor):
    """Templates that the file spells out.

    Attributes:
        single, pair: the templates for one text and for two.
        special_tokens: token of a template → its ids and what is written for them.
    """

    name = "TemplateProcessing"
    single: SequenceOf[TemplatePart]
    pair: SequenceOf[TemplatePart]
    special_tokens: Mapping[str, tuple[SequenceOf[int], SequenceOf[str]]]

    @classmethod
    def from_json(cls, fields: Fields) -> Self:
        """`{"single": [{"SpecialToken": {"id": "<s>", "type_id": 0}}, {"Sequence": …}], …}`"""
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
        tokens = {
            name: {"id": name, "ids": list(ids), "tokens": list(texts)}
            for name, (ids, texts) in self.special_tokens.items()
        }
        single, pair = ([*map(_piece_as_json, each)] for each in (self.single, self.pair))
        return {"single": single, "pair": pair, "special_tokens": tokens}

    def template(self, texts: int) -> SequenceOf[TemplatePart]:
        return self.single if texts == 1 else self.pair

    def ids_of(self, token: str) -> SequenceOf[int]:
        return self.special_tokens[token][0]

    def texts_of(self, token: str) -> SequenceOf[str]:
        return self.special_tokens[token][1]


def _piece(fields: Fields) -> TemplatePart:
    if token := fields.inner_or_null("SpecialToken"):
        return TemplatePart(None, token.text("id"), token.count("type_id"))
    text = fields.inner("Sequence")
    return TemplatePart("AB".index(text.choice("id", ("A", "B"))), "", text.count("type_id"))


def _piece_as_json(piece: TemplatePart) -> dict[str, Any]:
    if piece.text is None:
        return {"SpecialToken": {"id": piece.token, "type_id": piece.type_id}}
    return {"Sequence": {"id": "AB"[piece.text], "type_id": piece.type_id}}


def _token_with_id(fields: Fields, key: str) -> tuple[str, int]:
    """`["[SEP]", 102]`"""
    items = fields.items(key)
    if len(items) != 2:
        raise fields.error(key, "should be a token and its id")
    both = Fields({"token": items[0], "id": items[1]}, fields.path(key))
    return both.text("token"), both.count("id")


@stage
class BertProcessing(PostProcessor):
    """`[CLS] A [SEP]`, and `[CLS] A [SEP] B [SEP]`.

    {"type": "BertProcessing", "sep": ["[SEP]", 102], "cls": ["[CLS]", 101]}
    """

    name = "BertProcessing"
    templates: ClassVar[tuple[str, str]] = "cls $A sep", "cls $A sep $B:1 sep:1"
    sep: tuple[str, int] = setting(read=_token_with_id)
    cls: tuple[str, int] = setting(read=_token_with_id)

    def template(self, texts: int) -> SequenceOf[TemplatePart]:
        tokens = {"sep": self.sep[0], "cls": self.cls[0]}
        pieces = _pieces(self.templates[texts - 1])
        return [piece._replace(token=tokens.get(piece.token, "")) for piece in pieces]

    def ids_of(self, token: str) -> SequenceOf[int]:
        return [next(token_id for text, token_id in (self.sep, self.cls) if text == token)]


@stage
class RobertaProcessing(BertProcessing):
    """`<s> A </s>`, and `<s> A </s></s> B </s>`; the types do not tell the two texts apart."""

    name = "RobertaProcessing"
    templates = "cls $A sep", "cls $A sep sep $B sep"
    trim_offsets: bool = True
    add_prefix_space: bool = True

    def placed(self, tokens: SequenceOf[PlacedToken]) -> list[PlacedToken]:
        return _without_spaces(tokens, self.add_prefix_space) if self.trim_offsets else [*tokens]


POST_PROCESSORS: StageRegistry[PostProcessor] = StageRegistry(
    "post-processor",
    (TemplateProcessing, BertProcessing, RobertaProcessing, ByteLevel, Sequence),
)
