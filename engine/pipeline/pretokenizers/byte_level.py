"""`ByteLevel`: GPT-2's pre-tokenizer; pieces leave it in printable stand-ins for their bytes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Self

from engine.core.gpt2_bytes import spell
from engine.pipeline.json_fields import Fields
from engine.pipeline.normalizers.edits import ByteLevel as ByteLevelNormalizer
from engine.pipeline.normalizers.normalizer import Aligned, Edit
from engine.pipeline.pretokenizers.pretokenizer import NOTHING_CUT, PreTokenizer, Span, stretches
from engine.text.patterns import PATTERNS, Pattern
from engine.text.pretokenize import to_bytes

_GPT2 = PATTERNS["gpt2"]


class ByteLevel(PreTokenizer):
    """Cuts as GPT-2 does, if it uses its regex, and spells bytes.

    Args:
        add_prefix_space: whether a text that begins with no space gets one.
        trim_offsets: whether offsets leave spaces out; nothing that is done here depends on it.
        use_regex: whether it cuts at all.
    """

    name = "ByteLevel"

    def __init__(
        self, add_prefix_space: bool = True, trim_offsets: bool = True, use_regex: bool = True
    ) -> None:
        self.add_prefix_space = add_prefix_space
        self.trim_offsets = trim_offsets
        self.use_regex = use_regex

    @classmethod
    def from_json(cls, fields: Fields) -> Self:
        return cls(
            fields.flag("add_prefix_space"),
            fields.flag("trim_offsets"),
            fields.flag("use_regex", default=True),
        )

    def settings(self) -> dict[str, object]:
        return {
            "add_prefix_space": self.add_prefix_space,
            "trim_offsets": self.trim_offsets,
            "use_regex": self.use_regex,
        }

    def edits(self, text: str, first: bool) -> Iterable[Edit]:
        if self.add_prefix_space and text and not text.startswith(" "):
            yield Edit(0, 1, " " + text[0])

    def spans(self, text: str) -> Iterable[Span]:
        if not self.use_regex:
            return ((0, len(text)),)
        matches = (match.span() for match in _GPT2.compiled.finditer(text))
        return [(start, end) for start, end, _ in stretches(matches, len(text))]

    def respelled(self, piece: Aligned) -> Aligned:
        return ByteLevelNormalizer().align(piece)

    def split(self, text: str, first: bool) -> list[str]:
        return [spell(to_bytes(piece)) for piece in self.cut(text, first)]

    def as_pattern(self) -> Pattern | None:
        return _GPT2 if self.use_regex else NOTHING_CUT
