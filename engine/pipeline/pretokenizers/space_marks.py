"""`Metaspace`: SentencePiece's way, where `▁` stands for a space and begins a word."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Self

import regex

from engine.core.gpt2_bytes import spell
from engine.pipeline.json_fields import Fields
from engine.pipeline.normalizers.edits import ByteLevel as ByteLevelNormalizer
from engine.pipeline.normalizers.normalizer import Aligned, Edit
from engine.pipeline.pretokenizers.pretokenizer import (
    BEHAVIORS,
    NOTHING_CUT,
    PreTokenizer,
    Span,
    stretches,
)
from engine.text.patterns import PATTERNS, Alternative, Pattern
from engine.text.pretokenize import to_bytes

# `ByteLevel`: GPT-2's pre-tokenizer; pieces leave it in printable stand-ins for their bytes.

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


PREPEND_SCHEMES = ("always", "never", "first")


class Metaspace(PreTokenizer):
    """Makes every space a `replacement`, and cuts before each.

    Args:
        replacement: the character, `▁` as a rule.
        prepend_scheme: when a text that begins with none gets one: always, never, or if it stands
            `first` in everything.
        split: whether it cuts at all.
    """

    name = "Metaspace"

    def __init__(
        self, replacement: str = "▁", prepend_scheme: str = "always", split: bool = True
    ) -> None:
        self.replacement = replacement
        self.prepend_scheme = prepend_scheme
        self.splits = split

    @classmethod
    def from_json(cls, fields: Fields) -> Self:
        scheme = fields.choice("prepend_scheme", PREPEND_SCHEMES, default="always")
        # Files of older versions say it in this way.
        if not fields.flag("add_prefix_space", default=True):
            if fields.has("prepend_scheme") and scheme != "never":
                raise fields.error("add_prefix_space", f"is false, but prepend_scheme is {scheme}")
            scheme = "never"
        return cls(fields.character("replacement"), scheme, fields.flag("split", default=True))

    def settings(self) -> dict[str, object]:
        return {
            "replacement": self.replacement,
            "prepend_scheme": self.prepend_scheme,
            "split": self.splits,
        }

    @property
    def asks_where(self) -> bool:  # type: ignore[override]
        return self.prepend_scheme == "first"

    def edits(self, text: str, first: bool) -> Iterable[Edit]:
        prepends = self.prepend_scheme == "always" or (self.asks_where and first)
        if prepends and text and text[0] not in (" ", self.replacement):
            yield Edit(0, 1, self.replacement + text[0])
        place = text.find(" ")
        while place >= 0:
            yield Edit(place, place + 1, self.replacement)
            place = text.find(" ", place + 1)

    def prepared(self, text: str, first: bool) -> str:
        changed = text.replace(" ", self.replacement)
        prepends = self.prepend_scheme == "always" or (self.asks_where and first)
        if prepends and changed and not changed.startswith(self.replacement):
            return self.replacement + changed
        return changed

    def spans(self, text: str) -> Iterable[Span]:
        if not self.splits:
            return ((0, len(text)),)
        places = [place for place, character in enumerate(text) if character == self.replacement]
        matches = ((place, place + 1) for place in places)
        return BEHAVIORS["MergedWithNext"](list(stretches(matches, len(text))))

    def as_pattern(self) -> Pattern | None:
        if not self.splits:
            return NOTHING_CUT
        mark = regex.escape(self.replacement)
        word = Alternative("word", f"{mark}[^{mark}]*")
        rest = Alternative("beginning", f"[^{mark}]+")
        return Pattern("metaspace", f"words that begin with {self.replacement}", (word, rest), ())
