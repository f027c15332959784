"""What a post-processor is: it puts special tokens around a text, and tells tokens' places."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence as SequenceOf
from typing import Any, NamedTuple, Self

from engine.core.gpt2_bytes import BYTE_TO_CHAR
from engine.pipeline.json_fields import Fields
from engine.pipeline.pretokenizers.byte_level import ByteLevel as ByteLevelPreTokenizer
from engine.pipeline.stage import Stage
from engine.text.scripts import WHITE_SPACE

Ids = SequenceOf[int]


class Piece(NamedTuple):
    """A place of a template: the text number `text`, or else the special token `token`."""

    text: int | None
    token: str
    type_id: int


Placed = tuple[str, tuple[int, int]]
"""A token as it is written, and which characters of the original it stands for."""


class PostProcessor(Stage):
    """Puts the ids of one text or two into a template."""

    @abstractmethod
    def template(self, texts: int) -> SequenceOf[Piece]:
        """The places in their order, for so many texts."""

    @abstractmethod
    def ids_of(self, token: str) -> Ids:
        """The ids of a special token of the template."""

    def texts_of(self, token: str) -> SequenceOf[str]:
        """What is written for each of these ids."""
        return [token]

    def placed(self, tokens: SequenceOf[Placed]) -> list[Placed]:
        """The tokens of a text with the places that the stage wants told; some leave spaces out."""
        return list(tokens)

    @property
    def adds(self) -> tuple[str, ...]:
        """The special tokens that a single text gets."""
        return tuple(piece.token for piece in self.template(1) if piece.text is None)

    def process(self, *texts: Ids) -> list[int]:
        """The ids of one text or two with the special tokens of the template."""
        ids: list[int] = []
        for piece in self.template(len(texts)):
            ids += self.ids_of(piece.token) if piece.text is None else texts[piece.text]
        return ids


_SPACE = BYTE_TO_CHAR[ord(" ")]


def without_spaces(tokens: SequenceOf[Placed], keeps_first: bool) -> list[Placed]:
    """The places without the spaces at either end of a token.

    Args:
        keeps_first: whether the first token begins with a space that the text does not have.
    """
    placed: list[Placed] = []
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


# `ByteLevel`: what byte-level BPE has after its model.


class ByteLevel(PostProcessor):
    """Leaves spaces out of offsets, and the ids as they are."""

    name = "ByteLevel"

    def __init__(self, settings: ByteLevelPreTokenizer | None = None) -> None:
        self._settings = settings or ByteLevelPreTokenizer()

    @classmethod
    def from_json(cls, fields: Fields) -> Self:
        return cls(ByteLevelPreTokenizer.from_json(fields))

    def settings(self) -> dict[str, object]:
        return self._settings.settings()

    def template(self, texts: int) -> SequenceOf[Piece]:
        return [Piece(text, "", text) for text in range(texts)]

    def ids_of(self, token: str) -> Ids:
        raise LookupError(token)  # its template has none

    def placed(self, tokens: SequenceOf[Placed]) -> list[Placed]:
        if not self._settings.trim_offsets:
            return list(tokens)
        return without_spaces(tokens, self._settings.add_prefix_space)


# Several post-processors.


class Sequence(PostProcessor):
    """Post-processors of which at most one adds something."""

    name = "Sequence"
    parts_key = "processors"

    def __init__(self, parts: SequenceOf[PostProcessor]) -> None:
        self.parts = tuple(parts)

    @classmethod
    def of_parts(cls, parts: SequenceOf[Any], fields: Fields) -> Self:
        if sum(not isinstance(part, ByteLevel) for part in parts) > 1:
            raise fields.error("processors", "more than one that adds tokens is not supported")
        return cls(parts)

    def settings(self) -> dict[str, object]:
        return {"processors": [part.to_json() for part in self.parts]}

    @property
    def _adding(self) -> PostProcessor:
        adding = (part for part in self.parts if not isinstance(part, ByteLevel))
        return next(adding, ByteLevel())

    def template(self, texts: int) -> SequenceOf[Piece]:
        return self._adding.template(texts)

    def ids_of(self, token: str) -> Ids:
        return self._adding.ids_of(token)

    def texts_of(self, token: str) -> SequenceOf[str]:
        return self._adding.texts_of(token)

    def placed(self, tokens: SequenceOf[Placed]) -> list[Placed]:
        for part in self.parts:
            tokens = part.placed(tokens)
        return list(tokens)
