"""Post-processors: they put special tokens around a text or a pair, and trim the spans of tokens.

`POST_PROCESSORS` has each under its name in `tokenizer.json`. `Tokenizer.encode` adds their tokens
only if it is asked for the template; `Pipeline.run` and `process` always do.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from collections.abc import Sequence as SequenceOf
from typing import ClassVar, NamedTuple, Self

from engine.core.errors import TokenizerFileError
from engine.core.gpt2_bytes import BYTE_TO_CHAR
from engine.core.json_fields import Fields
from engine.pipeline.pretokenizers import ByteLevelSettings
from engine.pipeline.stage import Composite, Stage, StageRegistry, setting, stage
from engine.text.pretokenize import WHITE_SPACE


class TemplatePart(NamedTuple):
    """One part of a template: a text, or a special token.

    Attributes:
        text: 0 for the first text, 1 for the second; None for a special token.
        token: the special token as the template names it; empty for a text.
        type_id: the type id of its tokens; it tells a model which text they belong to.
        ids, texts: the ids of the special token, and the text of each.
    """

    text: int | None
    token: str
    type_id: int
    ids: SequenceOf[int] = ()
    texts: SequenceOf[str] = ()


MOST_ADDED = 1 << 12
"""Largest number of tokens that a template adds to a text."""

PlacedToken = tuple[str, tuple[int, int]]
"""A token's text, and its span in the original."""

_SPACE = BYTE_TO_CHAR[ord(" ")]


class PostProcessor(Stage):
    """Puts the ids of one text or two into a template.

    Attributes:
        trim_offsets: whether spans of tokens leave spaces out.
        add_prefix_space: whether the first token may begin with an added space.
    """

    trim_offsets = False
    add_prefix_space = False

    def template(self, texts: int) -> SequenceOf[TemplatePart]:
        """Return the parts of the template for one text or for two, in order."""
        return [TemplatePart(text, "", text) for text in range(texts)]

    def placed(self, tokens: SequenceOf[PlacedToken]) -> list[PlacedToken]:
        """Return the tokens of a text with the spans of this stage."""
        if not self.trim_offsets:
            return [*tokens]
        placed: list[PlacedToken] = []
        for number, (text, (start, end)) in enumerate(tokens):
            is_first = number == 0 or start == 0
            leading = len(text) - len(text.lstrip(_SPACE + WHITE_SPACE))
            trailing = len(text) - len(text.rstrip(_SPACE + WHITE_SPACE))
            # A single space was added; if there are several, the text had them already.
            if not (is_first and self.add_prefix_space and leading == 1):
                start = min(start + leading, end)
            if end >= trailing:
                end = max(end - trailing, start)
            placed.append((text, (start, end)))
        return placed

    def process(self, *texts: SequenceOf[int]) -> list[int]:
        """Return the ids of one text or two with the special tokens of the template."""
        ids: list[int] = []
        for part in self.template(len(texts)):
            ids += part.ids if part.text is None else texts[part.text]
        return ids


class ByteLevel(ByteLevelSettings, PostProcessor):
    """Leaves spaces out of spans and adds no ids; byte-level BPE uses it."""


@stage
class Sequence(Composite[PostProcessor], PostProcessor):
    """Several post-processors; at most one of them adds tokens."""

    name = "Sequence"
    parts_key = "processors"

    def check(self, fields: Fields) -> None:
        if sum(not isinstance(part, ByteLevel) for part in self.parts) > 1:
            raise fields.error(self.parts_key, "more than one that adds tokens is not supported")

    def template(self, texts: int) -> SequenceOf[TemplatePart]:
        adding = (part for part in self.parts if not isinstance(part, ByteLevel))
        return next(adding, ByteLevel()).template(texts)

    def placed(self, tokens: SequenceOf[PlacedToken]) -> list[PlacedToken]:
        for part in self.parts:
            tokens = part.placed(tokens)
        return list(tokens)


# Templates as people type them: `[CLS] $A [SEP] $B:1 [SEP]:1`

_TYPED = re.compile(r"(?P<what>.+?)(?::(?P<type>[0-9]{1,4}))?")
_TEXTS = {"$A": 0, "$B": 1, "$": 0}


def _parse(template: str) -> list[TemplatePart]:
    parts = []
    for typed in template.split():
        found = _TYPED.fullmatch(typed)
        assert found is not None  # it matches anything
        text = _TEXTS.get(found["what"])
        token = found["what"] if text is None else ""
        parts.append(TemplatePart(text, token, int(found["type"] or 0)))
    return parts


def template_of(single: str, pair: str, ids: Mapping[str, int]) -> TemplateProcessing:
    """Return the post-processor of two typed templates: for one text, and for two.

    Args:
        ids: token → id; must hold the special tokens of the templates.

    Raises:
        TokenizerFileError: a special token has no id, or a template lacks a text or has another.

    >>> bert = template_of("[CLS] $A [SEP]", "$A [SEP] $B:1", {"[CLS]": 1, "[SEP]": 2})
    >>> bert.process([7, 8]), bert.process([7], [8])
    ([1, 7, 8, 2], [7, 2, 8])
    """
    of_one, of_two = _parse(single), _parse(pair)
    for spelled, parts, texts in ((single, of_one, {0}), (pair, of_two, {0, 1})):
        if {part.text for part in parts if part.text is not None} != texts:
            wanted = " and ".join(["$A", "$B"][: len(texts)])
            raise TokenizerFileError(f"the template {spelled!r} should hold {wanted}, and no other")
    tokens = [part.token for part in (*of_one, *of_two) if part.text is None]
    if missing := [token for token in tokens if token not in ids]:
        raise TokenizerFileError(
            f"the vocabulary has no token {missing[0]!r}; a template can put only what is there"
        )
    return TemplateProcessing(of_one, of_two, {token: ([ids[token]], [token]) for token in tokens})


def spelled_template(processor: PostProcessor) -> str:
    """Return the template of a post-processor for one text, as it is typed.

    >>> spelled_template(template_of("<s> $A", "<s> $A $B:1", {"<s>": 0}))
    '<s> $A'
    """
    return " ".join(
        (part.token if part.text is None else "$A") + (f":{part.type_id}" if part.type_id else "")
        for part in processor.template(1)
    )


# The post-processors that add tokens


@stage
class TemplateProcessing(PostProcessor):
    """Templates written out in the file.

    Attributes:
        single, pair: the templates for one text and for two.
        special_tokens: token of a template → its ids, and the text of each.
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
        templates: dict[str, list[TemplatePart]] = {"single": [], "pair": []}
        for key, parts in templates.items():
            for each in fields.each(key):
                if token := each.inner_or_null("SpecialToken"):
                    part = TemplatePart(None, token.text("id"), token.count("type_id"))
                    if part.token not in tokens:
                        raise fields.error(key, f"{part.token[:60]!r} is not among special_tokens")
                else:
                    text = each.inner("Sequence")
                    place = "AB".index(text.choice("id", ("A", "B")))
                    part = TemplatePart(place, "", text.count("type_id"))
                parts.append(part)
            added = (tokens[part.token] for part in parts if part.text is None)
            if sum(len(ids) for ids, _ in added) > MOST_ADDED:
                raise fields.error(key, f"adds more than {MOST_ADDED:,} tokens to a text")
        if any(part.text for part in templates["single"]):
            raise fields.error("single", "has a place for a second text")
        return cls(templates["single"], templates["pair"], tokens)

    def settings(self) -> dict[str, object]:
        single, pair = (
            [
                {"SpecialToken": {"id": part.token, "type_id": part.type_id}}
                if part.text is None
                else {"Sequence": {"id": "AB"[part.text], "type_id": part.type_id}}
                for part in parts
            ]
            for parts in (self.single, self.pair)
        )
        tokens = {
            name: {"id": name, "ids": list(ids), "tokens": list(texts)}
            for name, (ids, texts) in self.special_tokens.items()
        }
        return {"single": single, "pair": pair, "special_tokens": tokens}

    def template(self, texts: int) -> SequenceOf[TemplatePart]:
        parts = []
        for part in self.single if texts == 1 else self.pair:
            ids, written = self.special_tokens[part.token] if part.text is None else ((), ())
            parts.append(part._replace(ids=ids, texts=written))
        return parts


def _token_with_id(fields: Fields, key: str) -> tuple[str, int]:
    """Read `["[SEP]", 102]`."""
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
        parts = []
        for part in _parse(self.templates[texts - 1]):
            if part.text is None:
                token, token_id = self.sep if part.token == "sep" else self.cls
                part = part._replace(token=token, ids=[token_id], texts=[token])
            parts.append(part)
        return parts


@stage
class RobertaProcessing(BertProcessing):
    """`<s> A </s>`, and `<s> A </s></s> B </s>`, with type id 0 for both texts."""

    name = "RobertaProcessing"
    templates = "cls $A sep", "cls $A sep sep $B sep"
    trim_offsets: bool = True
    add_prefix_space: bool = True


POST_PROCESSORS: StageRegistry[PostProcessor] = StageRegistry(
    "post-processor", (TemplateProcessing, BertProcessing, RobertaProcessing, ByteLevel, Sequence)
)
