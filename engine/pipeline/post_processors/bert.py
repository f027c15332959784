"""The templates of BERT and RoBERTa."""

from __future__ import annotations

from collections.abc import Sequence as SequenceOf
from typing import Self

from engine.pipeline.json_fields import Fields
from engine.pipeline.post_processors.post_processor import (
    Ids,
    Piece,
    Placed,
    PostProcessor,
    without_spaces,
)


class BertProcessing(PostProcessor):
    """`[CLS] A [SEP]`, and `[CLS] A [SEP] B [SEP]`."""

    name = "BertProcessing"
    pattern = "cAsBs"

    def __init__(self, sep: tuple[str, int], cls: tuple[str, int]) -> None:
        self._tokens = {"s": sep, "c": cls}

    @classmethod
    def from_json(cls, fields: Fields) -> Self:
        return cls(_token(fields, "sep"), _token(fields, "cls"))

    def settings(self) -> dict[str, object]:
        return {"sep": list(self._tokens["s"]), "cls": list(self._tokens["c"])}

    def template(self, texts: int) -> SequenceOf[Piece]:
        single = "cAs"
        return [
            Piece("AB".index(place), "", "AB".index(place))
            if place in "AB"
            else Piece(None, self._tokens[place][0], int(number > single.index("s")))
            for number, place in enumerate(single if texts == 1 else self.pattern)
        ]

    def ids_of(self, token: str) -> Ids:
        return [next(number for text, number in self._tokens.values() if text == token)]


def _token(fields: Fields, key: str) -> tuple[str, int]:
    items = fields.items(key)
    if len(items) != 2:
        raise fields.error(key, "should be a token and its id")
    both = Fields({"token": items[0], "id": items[1]}, fields.path(key))
    return both.text("token"), both.count("id")


class RobertaProcessing(BertProcessing):
    """`<s> A </s>`, and `<s> A </s></s> B </s>`."""

    name = "RobertaProcessing"
    pattern = "cAssBs"

    def __init__(
        self,
        sep: tuple[str, int],
        cls: tuple[str, int],
        trim_offsets: bool = True,
        add_prefix_space: bool = True,
    ) -> None:
        super().__init__(sep, cls)
        self._flags = {"trim_offsets": trim_offsets, "add_prefix_space": add_prefix_space}

    @classmethod
    def from_json(cls, fields: Fields) -> Self:
        flags = fields.flag("trim_offsets"), fields.flag("add_prefix_space")
        return cls(_token(fields, "sep"), _token(fields, "cls"), *flags)

    def settings(self) -> dict[str, object]:
        return {**super().settings(), **self._flags}

    def template(self, texts: int) -> SequenceOf[Piece]:
        """RoBERTa tells its texts apart by the tokens alone."""
        return [piece._replace(type_id=0) for piece in super().template(texts)]

    def placed(self, tokens: SequenceOf[Placed]) -> list[Placed]:
        if not self._flags["trim_offsets"]:
            return list(tokens)
        return without_spaces(tokens, self._flags["add_prefix_space"])
