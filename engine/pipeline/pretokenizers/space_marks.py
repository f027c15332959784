"""`ByteLevel` and `Metaspace`: a space becomes a mark that is seen, `Ġ` or `▁`, and begins a word.

GPT-2's `Ġ` is one of its printable stand-ins for bytes. SentencePiece's `▁` stands for a space and
nothing else. The decoders and post-processors of the same names have the same settings.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Self

import regex

from engine.core.gpt2_bytes import spell
from engine.core.json_fields import Fields
from engine.pipeline.normalizers.edits import ByteLevel as ByteLevelNormalizer
from engine.pipeline.normalizers.normalizer import Aligned, Edit
from engine.pipeline.pretokenizers.pretokenizer import (
    NOTHING_CUT,
    PreTokenizer,
    Span,
    cut_at,
    stretches,
)
from engine.pipeline.stage import Character, Stage, one_of, setting, stage
from engine.text.patterns import PATTERNS, Alternative, Pattern
from engine.text.pretokenize import to_bytes

_GPT2 = PATTERNS["gpt2"]


@stage
class ByteLevelSettings(Stage):
    """What stages of the name `ByteLevel` have.

    Attributes:
        add_prefix_space: whether a text that begins with no space gets one.
        trim_offsets: whether the offsets of tokens leave spaces out; only the post-processor asks.
        use_regex: whether it cuts at all; only the pre-tokenizer asks.
    """

    name = "ByteLevel"
    add_prefix_space: bool = True
    trim_offsets: bool = True
    use_regex: bool = setting(default=True, may_be_missing=True)


class ByteLevel(ByteLevelSettings, PreTokenizer):
    """Cuts as GPT-2 does, if it uses its regex, and spells bytes.

    {"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": true}
    """

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

    def pieces(self, text: str, first: bool) -> list[str]:
        return [spell(to_bytes(piece)) for piece in self.cut(text, first)]

    def as_pattern(self) -> Pattern | None:
        return _GPT2 if self.use_regex else NOTHING_CUT


@stage
class MetaspaceSettings(Stage):
    """What stages of the name `Metaspace` have.

    Attributes:
        replacement: the character, `▁` as a rule.
        prepend_scheme: when a text that begins with none gets one: always, never, or if it stands
            `first` in everything.
        split: whether the text is cut before each; only the pre-tokenizer asks.
    """

    name = "Metaspace"
    replacement: Character = "▁"
    prepend_scheme: str = setting(
        default="always", read=one_of(("always", "never", "first")), may_be_missing=True
    )
    split: bool = setting(default=True, may_be_missing=True)

    @classmethod
    def from_json(cls, fields: Fields) -> Self:
        found = super().from_json(fields)
        # Files of older versions say `never` in this way.
        if not fields.has("add_prefix_space") or fields.flag("add_prefix_space"):
            return found
        scheme = found.prepend_scheme
        if fields.has("prepend_scheme") and scheme != "never":
            raise fields.error("add_prefix_space", f"is false, but prepend_scheme is {scheme}")
        return replace(found, prepend_scheme="never")


class Metaspace(MetaspaceSettings, PreTokenizer):
    """Makes every space a mark, and cuts before each.

    {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": true}
    """

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
        if not self.split:
            return ((0, len(text)),)
        places = [place for place, character in enumerate(text) if character == self.replacement]
        matches = ((place, place + 1) for place in places)
        return cut_at(matches, len(text), "MergedWithNext")

    def as_pattern(self) -> Pattern | None:
        if not self.split:
            return NOTHING_CUT
        mark = regex.escape(self.replacement)
        word = Alternative("word", f"{mark}[^{mark}]*")
        rest = Alternative("beginning", f"[^{mark}]+")
        return Pattern("metaspace", f"words that begin with {self.replacement}", (word, rest), ())
