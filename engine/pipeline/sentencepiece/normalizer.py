"""SentencePiece's normalizer, which replaces by rules and makes spaces `▁`; and its decoder.

At each place of a text the longest rule that fits is applied; user-defined symbols are left as
they are. See `Normalizer::Normalize` in SentencePiece's `normalizer.cc`.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import cached_property, lru_cache
from itertools import groupby
from typing import ClassVar

from engine.core.errors import TokenizerFileError
from engine.pipeline.decoders import Decoder
from engine.pipeline.normalizers.normalizer import Edit, EditingNormalizer
from engine.pipeline.stage import LONGEST_CONTENT, stage
from engine.unigram.pieces import SPACE, unspelled

REMEMBERED = 1 << 16
_LABEL = 0x800000FF
_HAS_LEAF = 0x100


class CharacterMap:
    """The rules of a normalizer: a double array of what is replaced, then what comes in its place.

    Args:
        data: as a model holds it: the size of the array, the array, texts that end in NUL.

    Raises:
        TokenizerFileError: it is no such map.
    """

    def __init__(self, data: bytes) -> None:
        size = int.from_bytes(data[:4], "little")
        if len(data) <= 4 or size % 4 or not 0 < size < len(data):
            raise TokenizerFileError("its map of characters is damaged")
        self._units = struct.unpack_from(f"<{size // 4}I", data, 4)
        self._texts = data[4 + size :]
        if _TOO_LONG.search(self._texts):
            raise TokenizerFileError(
                f"its map of characters makes more than {LONGEST_CONTENT} bytes of one"
            )
        self._at_two = lru_cache(REMEMBERED)(self._look_up)

    def longest(self, text: str, start: int) -> tuple[int, str] | None:
        """Where the longest rule ends that fits at a place, and what comes; `None`: none fits."""
        two = text[start : start + 2]
        length, new, is_open = self._at_two(two)
        if is_open and start + 2 < len(text):
            # No rule is longer than this in any model known; more would be read in vain.
            length, new, _ = self._look_up(text[start : start + LONGEST_RULE])
        return (start + length, new) if length else None

    def _look_up(self, text: str) -> tuple[int, str, bool]:
        """Characters of the longest rule, its replacement, whether a longer text might fit more."""
        data = text.encode("utf-8", "replace")
        end, place, is_open = self._walk(data)
        if end == 0:
            return 0, "", is_open
        stop = self._texts.find(b"\0", place)
        new = self._texts[place : stop if stop >= 0 else len(self._texts)]
        characters = len(data[:end].decode("utf-8", "ignore"))
        return characters, new.decode("utf-8", "replace"), is_open

    def _walk(self, data: bytes) -> tuple[int, int, bool]:
        """Where the longest key ends, its value, and whether the data ended before the array."""
        units, end, value = self._units, 0, 0
        node = _offset(units[0])
        for place, byte in enumerate(data, start=1):
            node ^= byte
            if byte == 0 or node >= len(units):
                return end, value, False
            unit = units[node]
            if unit & _LABEL != byte:
                return end, value, False
            node ^= _offset(unit)
            if unit & _HAS_LEAF and node < len(units):
                end, value = place, units[node] & 0x7FFFFFFF
        return end, value, True


_TOO_LONG = re.compile(rb"[^\0]{%d}" % (LONGEST_CONTENT + 1))
LONGEST_RULE = 64
"""Characters: SentencePiece's builder allows 32 rules that begin alike."""


def _offset(unit: int) -> int:
    return (unit >> 10) << ((unit & 0x200) >> 6)


@stage
class SentencePieceNormalizer(EditingNormalizer):
    """What a model says of spaces and characters.

    Attributes:
        charsmap: the rules; empty if there are none.
        kept: user-defined symbols.
        add_dummy_prefix: whether a text gets a space in front, or behind with `space_behind`.
        remove_extra_whitespaces: whether of several spaces one is kept, and none at the ends.
        escape_whitespaces: whether a space becomes `▁`.
    """

    name = "SentencePiece"
    in_tokenizer_json: ClassVar[bool] = False
    charsmap: bytes = b""
    kept: Sequence[str] = ()
    add_dummy_prefix: bool = True
    remove_extra_whitespaces: bool = True
    escape_whitespaces: bool = True
    space_behind: bool = False

    @cached_property
    def _map(self) -> CharacterMap | None:
        return CharacterMap(self.charsmap) if self.charsmap else None

    @cached_property
    def _kept_at(self) -> Callable[[str, int], re.Match[str] | None]:
        longest_first = sorted(self.kept, key=lambda text: len(text.encode()), reverse=True)
        return re.compile("|".join(map(re.escape, longest_first)) or "(?!)").match

    @property
    def _space(self) -> str:
        return SPACE if self.escape_whitespaces else " "

    def normalize(self, text: str) -> str:
        if not self.charsmap and not self.kept and not self.remove_extra_whitespaces and text:
            return self._of_spaces_only(text)
        return super().normalize(text)

    def _of_spaces_only(self, text: str) -> str:
        """The text where nothing but its spaces change."""
        marked = _SURROGATE.sub("\ufffd", text).replace(" ", self._space)
        added = self._space if self.add_dummy_prefix else ""
        return marked + added if self.space_behind else added + marked

    def edits(self, text: str) -> Iterator[Edit]:
        rows = self._trimmed(list(self._replaced(text)))
        if rows is None:
            yield from [Edit(0, len(text), "")] if text else []
            return
        # Where nothing is left, the space in front is one of the last.
        is_left = not self.remove_extra_whitespaces or any(edit.new for edit in rows)
        if self.add_dummy_prefix and not self.space_behind and is_left:
            yield Edit(0, 0, self._space)
        for edit in rows:
            if edit.new != text[edit.start : edit.end]:
                yield edit
        if self.add_dummy_prefix and self.space_behind:
            yield Edit(len(text), len(text), self._space)

    def _replaced(self, text: str) -> Iterator[Edit]:
        """What comes for each stretch of the text, before anything is done to spaces."""
        find = self._map.longest if self._map is not None else None
        kept_at = self._kept_at if self.kept else None
        start = 0
        while start < len(text):
            kept = kept_at(text, start) if kept_at is not None else None
            if kept is not None:
                yield Edit(start, kept.end(), kept.group())
                start = kept.end()
                continue
            found = find(text, start) if find is not None else None
            if found is None:
                character = text[start]
                new = "\ufffd" if _SURROGATE.match(character) else character
                found = start + 1, new
            yield Edit(start, *found)
            start = found[0]

    def _trimmed(self, rows: list[Edit]) -> list[Edit] | None:
        """The edits with spaces removed or marked as asked; `None` if the text is only spaces."""
        removes, mark = self.remove_extra_whitespaces, self._space
        if not rows or (removes and all(edit.new == " " for edit in rows)):
            return None
        after_space, made = removes, []
        for start, end, new in rows:
            if after_space:
                new = new.lstrip(" ")
            if new:
                after_space = removes and new.endswith(" ")
            made.append(Edit(start, end, new.replace(" ", mark)))
        return self._without_last_spaces(made) if removes else made

    def _without_last_spaces(self, rows: list[Edit]) -> list[Edit]:
        place = len(rows) - 1
        while place >= 0:
            start, end, new = rows[place]
            rows[place] = Edit(start, end, new.rstrip(self._space))
            if rows[place].new:
                break
            place -= 1
        return rows


_SURROGATE = re.compile("[\ud800-\udfff]")


_BYTE = re.compile("<0x([0-9A-F]{2})>")


@stage
class SentencePieceDecoder(Decoder):
    """What stands for no text goes; the space that was put in front goes, too.

    Attributes:
        silent: control symbols.
        unknown, unknown_text: the unknown piece, and what it becomes.
        takes_first_space: whether the first space is one that encoding has put there.
        takes_first_spaces: whether all spaces in front are taken away.
        has_bytes: whether `<0x41>` is a byte.
        afterwards: what is done to the text in the end, if anything.
    """

    name = "SentencePiece"
    in_tokenizer_json: ClassVar[bool] = False
    silent: Collection[str] = ()
    unknown: str = "<unk>"
    unknown_text: str = " ⁇ "
    takes_first_space: bool = True
    takes_first_spaces: bool = True
    has_bytes: bool = False
    afterwards: SentencePieceNormalizer | None = None

    def decode_tokens(self, tokens: list[str]) -> list[str]:
        text = "".join(self._texts(tokens))
        return [text if self.afterwards is None else self.afterwards.normalize(text)]

    def _texts(self, tokens: list[str]) -> Iterator[str]:
        at_start = took_space = False
        is_first, has_text = True, False
        for is_byte, run in groupby(tokens, key=self._is_byte):
            if is_byte:
                text = _characters(bytes(int(token[3:5], 16) for token in run))
                has_text = has_text or bool(text)
                yield text
                continue
            for token in run:
                is_first = is_first and not (took_space or has_text)
                at_start = is_first and (self.takes_first_space or self.takes_first_spaces)
                took_space, text = self._text_of(token, at_start)
                has_text = has_text or bool(text)
                yield text

    def _is_byte(self, token: str) -> bool:
        return self.has_bytes and _BYTE.fullmatch(token) is not None

    def _text_of(self, token: str, at_start: bool) -> tuple[bool, str]:
        """Whether the one space in front was taken, and the text."""
        if token in self.silent:
            return False, ""
        if token == self.unknown:
            return False, self.unknown_text
        takes = at_start and token.startswith(SPACE)
        text = unspelled(token[1:] if takes else token)
        return takes and not self.takes_first_spaces, text


def _characters(data: bytes) -> str:
    """The text of bytes; each that belongs to no character becomes U+FFFD."""
    text, place = "", 0
    while place < len(data):
        character, width = _first_character(data[place : place + 4])
        text += character
        place += width
    return text


def _first_character(data: bytes) -> tuple[str, int]:
    for width in range(1, len(data) + 1):
        try:
            return data[:width].decode(), width
        except UnicodeDecodeError:
            continue
    return "\ufffd", 1
