"""What a post-processor is: it puts special tokens around a text, and tells tokens' places."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence as SequenceOf
from typing import NamedTuple

from engine.core.gpt2_bytes import BYTE_TO_CHAR
from engine.pipeline.stage import Stage
from engine.text.white_space import WHITE_SPACE

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
