"""Normalizers: each replaces parts of a text, and records which.

A normalizer is described by its *edits*: stretches of the text and their replacements. They give
the new text, and for each of its characters the stretch of the original that it comes from.

The results are those of Hugging Face's library, whose Unicode tables are of other versions than
Python's: see `engine.pipeline.unicode_ages`.
Pre-tokenizers build on normalizers, since they may change a text, too, before they cut it.
"""

from __future__ import annotations

import base64
import binascii
import re
import struct
import unicodedata
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import chain, groupby
from typing import ClassVar, Literal, NamedTuple, Self

import regex

from engine.core.gpt2_bytes import spell
from engine.core.json_fields import Fields
from engine.pipeline.double_array import parts_of_map, text_at, walk_trie
from engine.pipeline.oniguruma import TextOrRegex
from engine.pipeline.stage import (
    LONGEST_CONTENT,
    Composite,
    Stage,
    StageRegistry,
    check_growth,
    stage,
)
from engine.pipeline.unicode_ages import (
    FORMER_MARKS,
    FORMER_NONSPACING_MARKS,
    LOWER_CASES,
    NEWER_FORMATS,
    NEWER_THAN_8,
    NEWER_THAN_9,
)
from engine.text.pretokenize import WHITE_SPACE, to_bytes


class Edit(NamedTuple):
    """`text[start:end]` becomes `new`."""

    start: int
    end: int
    new: str


@dataclass(frozen=True)
class Aligned:
    """A text made of another one by edits.

    Attributes:
        text: the text now.
        spans: for each of its characters, the span of the original that it comes from.
    """

    text: str
    spans: tuple[tuple[int, int], ...]

    @classmethod
    def of(cls, text: str, start: int = 0) -> Self:
        """Align an unchanged text that begins at `start` of the original."""
        return cls(text, tuple((start + at, start + at + 1) for at in range(len(text))))

    def part(self, start: int, end: int) -> Aligned:
        """Return the characters from `start` to `end`."""
        return Aligned(self.text[start:end], self.spans[start:end])

    def edited(self, edits: Iterable[Edit]) -> Aligned:
        """Return the text after edits, which come in order and do not overlap.

        An insertion has an empty span.

        >>> Aligned.of("ABC").edited([Edit(1, 2, "be")]).spans
        ((0, 1), (1, 2), (1, 2), (2, 3))
        """
        texts: list[str] = []
        spans: list[tuple[int, int]] = []
        last = 0
        for start, end, new in edits:
            texts += (self.text[last:start], new)
            spans += self.spans[last:start]
            spans += [self.span(start, end)] * len(new)
            last = end
        return Aligned("".join((*texts, self.text[last:])), (*spans, *self.spans[last:]))

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the span of the original that the characters from `start` to `end` come from."""
        if start < end:
            return self.spans[start][0], self.spans[end - 1][1]
        end_of_all = self.spans[-1][1] if self.spans else 0
        place = self.spans[start][0] if start < len(self.spans) else end_of_all
        return place, place

    @property
    def is_first(self) -> bool:
        """Whether it begins where the original does."""
        return self.span(0, 0) == (0, 0)


class Normalizer(Stage):
    """Makes a text easier to encode, and often loses something."""

    @abstractmethod
    def align(self, aligned: Aligned) -> Aligned:
        """Return the normalized text, aligned with the original."""

    @abstractmethod
    def normalize(self, text: str) -> str:
        """Return the normalized text."""


class EditingNormalizer(Normalizer):
    """A normalizer described by its edits."""

    @abstractmethod
    def edits(self, text: str) -> Iterator[Edit]:
        """Yield the edits of a text, from left to right."""

    def align(self, aligned: Aligned) -> Aligned:
        return aligned.edited(self.edits(aligned.text))

    def normalize(self, text: str) -> str:
        parts: list[str] = []
        last = 0
        for start, end, new in self.edits(text):
            parts += (text[last:start], new)
            last = end
        return "".join((*parts, text[last:]))


class _Replacements(dict[str, str]):
    """Character → its replacement, computed once."""

    def __init__(self, compute: Callable[[str], str]) -> None:
        self._compute = compute

    def __missing__(self, character: str) -> str:
        new = self[character] = self._compute(character)
        return new

    def replace_in(self, text: str) -> str:
        """Return the text with all of its characters replaced."""
        if len(text) > SHORT:
            changed = {each: new for each in set(text) if (new := self[each]) != each}
            if len(changed) <= FEW and changed.keys().isdisjoint("".join(changed.values())):
                for each, new in changed.items():
                    text = text.replace(each, new)
                return text
        return "".join(map(self.__getitem__, text))


SHORT, FEW = 50, 8
"""Characters of a text that is replaced one by one; of those that are replaced one after the other.
"""


class CharacterNormalizer(EditingNormalizer):
    """A normalizer that looks at each character by itself."""

    @cached_property
    def _replacements(self) -> _Replacements:
        return _Replacements(self.replaced)

    @abstractmethod
    def replaced(self, character: str) -> str:
        """Return the replacement of a character: any text, or itself."""

    def edits(self, text: str) -> Iterator[Edit]:
        for at, character in enumerate(text):
            new = self.replaced(character)
            if new != character:
                yield Edit(at, at + 1, new)

    def normalize(self, text: str) -> str:
        return self._replacements.replace_in(text)


@stage
class Sequence(Composite[Normalizer], Normalizer):
    """Several normalizers, one after the other."""

    name = "Sequence"
    parts_key = "normalizers"

    def align(self, aligned: Aligned) -> Aligned:
        before = len(aligned.text)
        for part in self.parts:
            aligned = part.align(aligned)
            check_growth(part, before, len(aligned.text))
        return aligned

    def normalize(self, text: str) -> str:
        before = len(text)
        for part in self.parts:
            text = part.normalize(text)
            check_growth(part, before, len(text))
        return text


# The four normalization forms of Unicode
#
# Characters are traced as in Hugging Face's library: all parts of one character come from it; a
# character composed of several comes from the first.

NewCharacter = tuple[str, int]
"""A new character, and 0: replaces one old one; +1: inserted; −n: replaces n + 1 old ones."""


class _UnicodeForm(EditingNormalizer):
    name: ClassVar[Literal["NFC", "NFD", "NFKC", "NFKD"]]

    def normalize(self, text: str) -> str:
        if text.isascii() or unicodedata.is_normalized(self.name, text):
            return text
        if NEWER_THAN_9.isdisjoint(text):
            return unicodedata.normalize(self.name, text)
        return "".join(
            part if part in NEWER_THAN_9 else unicodedata.normalize(self.name, part)
            for part in _apart(text)
        )

    def edits(self, text: str) -> Iterator[Edit]:
        place = 0
        for part in chain.from_iterable(map(_BASES.findall, _apart(text))):
            if self.normalize(part) != part:
                yield from self._edits_within(part, place)
            place += len(part)

    def _edits_within(self, part: str, at: int) -> Iterator[Edit]:
        """Yield the edits of a part that begins at `at`."""
        edits: list[Edit] = []
        for character, change in self._traced(part):
            if change > 0:
                edits[-1] = edits[-1]._replace(new=edits[-1].new + character)
                continue
            edits.append(Edit(at, at + 1, character))
            at += 1 - change
            if change < 0:
                edits.append(Edit(at + change, at, ""))
        yield from edits

    def _traced(self, text: str) -> list[NewCharacter]:
        """Return the new characters of a stretch, each with its change."""
        form: Literal["NFD", "NFKD"] = "NFKD" if self.name in ("NFKC", "NFKD") else "NFD"
        parts = [
            (part, int(number > 0))
            for character in text
            for number, part in enumerate(unicodedata.normalize(form, character))
        ]
        ordered: list[NewCharacter] = []
        for _, marks in groupby(parts, key=lambda part: unicodedata.combining(part[0]) > 0):
            ordered += sorted(marks, key=lambda part: unicodedata.combining(part[0]))
        if self.name in ("NFD", "NFKD"):
            return ordered

        # Compose the parts wherever Unicode has one character for two.
        joined: list[NewCharacter] = []
        starter: int | None = None
        last_class = 0
        for character, change in ordered:
            mark_class = unicodedata.combining(character)
            if starter is not None and (len(joined) == starter + 1 or last_class < mark_class):
                both = unicodedata.normalize("NFC", joined[starter][0] + character)
                if len(both) == 1:
                    joined[starter] = both, joined[starter][1] + change - 1
                    continue
            if mark_class == 0:
                starter = len(joined)
            last_class = mark_class
            joined.append((character, change))
        return joined


_BASES = regex.compile(r"(?s:.)[\p{M}\u1160-\u11ff\u3130-\u318f\uff9e-\uffdf]*")
"""A character with all that can be composed with it: marks, vowels and finals of Hangul, in any
width."""


def _apart(text: str) -> Iterator[str]:
    """Yield characters newer than Unicode 9, and the stretches between them."""
    for is_newer, run in groupby(text, key=NEWER_THAN_9.__contains__):
        if is_newer:
            yield from run
        else:
            yield "".join(run)


class NFC(_UnicodeForm):
    name = "NFC"


class NFD(_UnicodeForm):
    name = "NFD"


class NFKC(_UnicodeForm):
    name = "NFKC"


class NFKD(_UnicodeForm):
    name = "NFKD"


# `Precompiled`: SentencePiece's normalization rules, in a trie that comes with the model
#
# The map is a double array of the keys, followed by all replacements, each ended by a NUL. It is
# applied in Hugging Face's way, which differs from SentencePiece's: a grapheme of less than 6 bytes
# is looked up as a whole first, then character by character; of the keys that begin a text the
# *shortest* counts, and its replacement replaces the whole text.


LONGEST_GRAPHEME = 5
"""Bytes of the longest grapheme that is looked up as a whole."""
REMEMBERED = 1 << 16
"""Number of texts whose replacements are remembered."""

_GRAPHEMES = regex.compile(r"\X")
_NOT_ONLY_ASCII = re.compile("(\r\n|(?:\r\n|[\0-\x7f])?(?:[^\0-\x7f]+(?:\r\n|[\0-\x7f])?)+)")
"""Stretches that hold all graphemes of several characters."""


@stage
class Precompiled(EditingNormalizer):
    """Replaces texts by the entries of a map, which is in base64.

    {"type": "Precompiled", "precompiled_charsmap": "ALQCAACEAAAA…"}
    """

    name = "Precompiled"
    precompiled_charsmap: str

    def check(self, fields: Fields) -> None:
        try:
            _ = self._map
        except (ValueError, binascii.Error, struct.error) as error:
            message = f"is no map of characters: {error}"
            raise fields.error("precompiled_charsmap", message) from None

    @cached_property
    def _map(self) -> tuple[tuple[int, ...], bytes]:
        """The units of the trie, and the replacements.

        Raises:
            ValueError: it is not a map.
        """
        return parts_of_map(base64.b64decode(self.precompiled_charsmap, validate=True))

    @cached_property
    def _looked_up(self) -> Callable[[str], str | None]:
        return lru_cache(REMEMBERED)(self._look_up)

    @cached_property
    def _of_ascii(self) -> _Replacements:
        return _Replacements(lambda character: self._replaced(character, character))

    def _replaced(self, text: str, default: str) -> str:
        new = self._looked_up(text)
        return default if new is None else new

    @cached_property
    def _of_stretch(self) -> Callable[[str], str]:
        return lru_cache(REMEMBERED)(super().normalize)

    def normalize(self, text: str) -> str:
        parts = _NOT_ONLY_ASCII.split(text)
        parts[::2] = map(self._of_ascii.replace_in, parts[::2])
        parts[1::2] = map(self._of_stretch, parts[1::2])
        return "".join(parts)

    def edits(self, text: str) -> Iterator[Edit]:
        for match in _GRAPHEMES.finditer(text):
            start, end = match.span()
            whole = match.group()
            if len(whole.encode("utf-8", "surrogatepass")) <= LONGEST_GRAPHEME:
                new = self._looked_up(whole)
                if new is not None:
                    yield Edit(start, end, new)
                    continue
            for at, character in enumerate(whole, start):
                new = self._looked_up(character)
                if new is not None:
                    yield Edit(at, at + 1, new)

    def _look_up(self, text: str) -> str | None:
        """Return the replacement of the shortest key that begins a text; `None` if none does."""
        units, replacements = self._map
        walk = walk_trie(units, text.encode("utf-8", "surrogatepass")) if units else ()
        place = next((place for _, place in walk if place is not None), len(replacements))
        return text_at(replacements, place) if place < len(replacements) else None


# Normalizers of single characters


class Lowercase(CharacterNormalizer):
    """Lowers each character by itself, so a `Σ` at the end of a word becomes `σ`, not `ς`."""

    name = "Lowercase"

    def replaced(self, character: str) -> str:
        return LOWER_CASES.get(ord(character)) or character.lower()

    def normalize(self, text: str) -> str:
        if "Σ" in text or not _OWN_LOWER_CASES.isdisjoint(text):
            return super().normalize(text)  # `str.lower` looks at the neighbours of `Σ`
        return text.lower()


_OWN_LOWER_CASES = frozenset(map(chr, LOWER_CASES))


class StripAccents(CharacterNormalizer):
    """Removes combining marks. NFD has to split `é` into `e` and its accent before."""

    name = "StripAccents"
    categories: ClassVar[tuple[str, ...]] = "Mn", "Mc", "Me"
    newer: ClassVar[frozenset[str]] = NEWER_THAN_9
    former: ClassVar[str] = FORMER_MARKS

    def replaced(self, character: str) -> str:
        if character in self.former:
            return ""
        is_mark = unicodedata.category(character) in self.categories
        return "" if is_mark and character not in self.newer else character


_REMOVED = [*range(0x01, 0x09), 0x0B, *range(0x0E, 0x20), 0x7F, 0x8F, 0x9F]
_SPACES = [0x09, 0x0A, 0x0C, 0x0D, 0x1680, *range(0x200B, 0x2010)]
_SPACES += [0x2028, 0x2029, 0x2581, 0xFEFF, 0xFFFD]
_NMT = dict.fromkeys(_REMOVED, "") | dict.fromkeys(_SPACES, " ")


class Nmt(CharacterNormalizer):
    """Removes control characters and makes odd spaces plain, as SentencePiece's `nmt` rules do."""

    name = "Nmt"

    def replaced(self, character: str) -> str:
        return _NMT.get(ord(character), character)


class ByteLevel(CharacterNormalizer):
    """Spells each byte as GPT-2's printable character for it."""

    name = "ByteLevel"

    def replaced(self, character: str) -> str:
        return spell(to_bytes(character))


# Normalizers of whitespace at the ends, of the beginning, of matches


@stage
class Strip(EditingNormalizer):
    """Removes whitespace at the left, at the right, or at both ends."""

    name = "Strip"
    strip_left: bool = True
    strip_right: bool = True

    def edits(self, text: str) -> Iterator[Edit]:
        kept = text.lstrip(WHITE_SPACE) if self.strip_left else text
        start = len(text) - len(kept)
        yield Edit(0, start, "")
        end = start + len(kept.rstrip(WHITE_SPACE) if self.strip_right else kept)
        yield Edit(end, len(text), "")


@stage
class Prepend(EditingNormalizer):
    """Puts a text in front of any text that is not empty, such as SentencePiece's `▁`."""

    name = "Prepend"
    prepend: str

    def edits(self, text: str) -> Iterator[Edit]:
        if text:
            # An edit of the first character, so that no span is empty.
            yield Edit(0, 1, self.prepend + text[0])

    def normalize(self, text: str) -> str:
        return self.prepend + text if text else text


@stage
class ReplaceSettings(Stage):
    """The settings of stages named `Replace`: the text or regex to look for, and its replacement.

    {"type": "Replace", "pattern": {"String": " "}, "content": "▁"}
    """

    name = "Replace"
    pattern: TextOrRegex
    content: str

    def check(self, fields: Fields) -> None:
        if len(self.content) > LONGEST_CONTENT:
            raise fields.error("content", f"is longer than {LONGEST_CONTENT} characters")


class Replace(ReplaceSettings, EditingNormalizer):
    """Replaces each match by `content`, literally; its characters come from the last one."""

    def edits(self, text: str) -> Iterator[Edit]:
        for start, end in self.pattern.matches(text):
            last = max(start, end - 1)
            yield Edit(start, last, "")
            yield Edit(last, end, self.content)

    def normalize(self, text: str) -> str:
        if self.pattern.text:
            return text.replace(self.pattern.text, self.content)
        return super().normalize(text)


# BERT's normalizer


class _CleanText(CharacterNormalizer):
    """Removes control and format characters, and makes any whitespace a plain space."""

    def replaced(self, character: str) -> str:
        if character in WHITE_SPACE and character not in "\v\f\x85":
            return " "
        category = unicodedata.category(character)
        is_removed = category in ("Cc", "Cf", "Co") and character not in NEWER_FORMATS
        return "" if is_removed or character == "\ufffd" else character


class _ChineseCharactersApart(CharacterNormalizer):
    """Puts a space on either side of each Chinese character."""

    def replaced(self, character: str) -> str:
        is_chinese = any(first <= character <= last for first, last in _CHINESE)
        return f" {character} " if is_chinese else character


_CHINESE = (
    *(("\u4e00", "\u9fff"), ("\u3400", "\u4dbf"), ("\uf900", "\ufaff")),
    *(("\U00020000", "\U0002a6df"), ("\U0002a700", "\U0002b81f")),
    *(("\U0002b920", "\U0002ceaf"), ("\U0002f800", "\U0002fa1f")),
)


class _NonspacingMarksAway(StripAccents):
    categories = ("Mn",)
    newer = NEWER_THAN_8
    former = FORMER_NONSPACING_MARKS


@stage
class BertNormalizer(Normalizer):
    """Four normalizers in a row; each can be switched off.

        {"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true,
         "strip_accents": null, "lowercase": true}

    With `strip_accents=None`, accents are removed if `lowercase` is true.
    """

    name = "BertNormalizer"
    clean_text: bool = True
    handle_chinese_chars: bool = True
    strip_accents: bool | None = None
    lowercase: bool = True

    @cached_property
    def _chain(self) -> Sequence:
        strips_accents = self.lowercase if self.strip_accents is None else self.strip_accents
        return Sequence(
            [
                *([_CleanText()] if self.clean_text else []),
                *([_ChineseCharactersApart()] if self.handle_chinese_chars else []),
                *([NFD(), _NonspacingMarksAway()] if strips_accents else []),
                *([Lowercase()] if self.lowercase else []),
            ]
        )

    def align(self, aligned: Aligned) -> Aligned:
        return self._chain.align(aligned)

    def normalize(self, text: str) -> str:
        return self._chain.normalize(text)


NORMALIZERS: StageRegistry[Normalizer] = StageRegistry(
    "normalizer",
    (
        *(NFC, NFD, NFKC, NFKD, Lowercase, StripAccents, Strip, Prepend, Replace, Nmt),
        *(BertNormalizer, ByteLevel, Precompiled, Sequence),
    ),
)
