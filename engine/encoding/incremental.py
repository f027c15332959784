"""Pretokens of a text that changes in one place, as it does at each keystroke.

Only the text around the change is cut again. The pretokens of the last text are kept up to a border
before the change, and from a border after it. A border is safe

1. if the pattern allows a cut there (`Pattern.borders`): the pretokens on either side do not depend
on the other side, and the characters that prove it are the same in both texts; 2. if no special
token reaches across it in the new text. None does in the old text, since it is a border of its
pretokens; 3. for a border before the change: if no special token begins at it in either text. The
text before a special token ends there, which can decide which alternative matches.

The text between the two borders is cut by itself. If the pattern allows no cuts, or the splitter
needs the whole text, everything is cut again.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import chain
from threading import Lock
from typing import Generic, NamedTuple, TypeVar

from engine.encoding.pretoken_encoder import BoundedMemo
from engine.encoding.text_encoder import TextEncoder
from engine.text.patterns import Pattern
from engine.text.pretokenize import (
    Pretoken,
    SpecialSplitter,
    pretokens,
    to_bytes,
    without_stray_surrogates,
)

Item = TypeVar("Item")


@dataclass(eq=False)
class IncrementalPretokens(Generic[Item]):
    """Keeps one item for each pretoken of a text, and makes items for new pretokens only.

    Args:
        pattern, splitter: cut the text.
        make: makes the item of a pretoken.
        moved: changes the item of a pretoken that has moved right by a number of characters.

    Attributes:
        items: the items of the last text; a user may replace each by another.

    >>> from engine.text.patterns import PATTERNS
    >>> made = []
    >>> make = lambda pretoken: (made.append(pretoken.text), pretoken.text)[1]
    >>> moved = lambda item, by: item
    >>> typed = IncrementalPretokens(PATTERNS["gpt2"], SpecialSplitter([]), make, moved)
    >>> typed.update("to be or not to be"); made.clear()
    ['to', ' be', ' or', ' not', ' to', ' be']
    >>> typed.update("to be or knot to be"), made
    (['to', ' be', ' or', ' knot', ' to', ' be'], [' knot'])
    """

    pattern: Pattern
    splitter: SpecialSplitter
    make: Callable[[Pretoken], Item]
    moved: Callable[[Item, int], Item]
    _text: str = field(default="", init=False)
    _starts: list[int] = field(default_factory=list, init=False)
    items: list[Item] = field(default_factory=list, init=False)

    def update(self, text: str) -> list[Item]:
        """Return the items of a text; it is fast if the text resembles the last one."""
        if text != self._text and not self.splitter.by_pieces:
            fresh = pretokens(text, self.pattern, self.splitter)
            self._text, self.items = text, list(map(self.make, fresh))
        elif text != self._text:
            same_before = _common_prefix(self._text, text)
            rest = self._text[same_before:], text[same_before:]
            same_behind = _common_prefix(rest[0][::-1], rest[1][::-1])
            self._replace(text, same_before, same_behind)
        return self.items.copy()

    def _replace(self, text: str, same_before: int, same_behind: int) -> None:
        """Take the new text, which shares its beginning and end with the old one."""
        shift = len(text) - len(self._text)
        first = next(self._borders_before(text, same_before), 0)
        last = next(self._borders_behind(text, same_behind), len(self._starts))
        start = self._starts[first] if first else 0
        end = self._starts[last] + shift if last < len(self._starts) else len(text)

        # The text after the border does not change the pretokens, but it can change which
        # alternative matches: some match only at the end of a text. So the regex gets a little more
        # text, enough to recognize a special token.
        more = text[start : end + max(self.splitter.longest, 1)]
        fresh = [
            Pretoken(cut, start + left, start + right, alternative, special)
            for cut, left, right, alternative, special in pretokens(
                more, self.pattern, self.splitter
            )
            if start + left < end
        ]
        after = self.items[last:]
        if shift:
            after = [self.moved(item, shift) for item in after]
            self._starts[last:] = [place + shift for place in self._starts[last:]]
        self.items[first:] = [*map(self.make, fresh), *after]
        self._starts[first:last] = [pretoken.start for pretoken in fresh]
        self._text = text

    def _borders_before(self, text: str, same: int) -> Iterator[int]:
        """Yield old pretokens with a safe border before them, from the change left."""
        # The first character after the border has to be an old one.
        special_at = self.splitter.text_regex.match
        for index in range(bisect_left(self._starts, same) - 1, 0, -1):
            place = self._starts[index]
            if special_at(self._text, place) or special_at(text, place):
                continue
            if self._is_safe(text, place):
                yield index

    def _borders_behind(self, text: str, same: int) -> Iterator[int]:
        """Yield old pretokens with a safe border before them, from the change right."""
        shift = len(text) - len(self._text)
        leftmost = len(self._text) - same + 1
        for index in range(bisect_left(self._starts, leftmost), len(self._starts)):
            if self._is_safe(text, self._starts[index] + shift):
                yield index

    def _is_safe(self, text: str, place: int) -> bool:
        cut_regex = self.pattern.cut_regex
        if cut_regex is None:
            return False
        before = to_bytes(text[place - 1])
        if cut_regex.match(before + to_bytes(text[place]), len(before)) is None:
            return False
        return not self.splitter.special_crosses(text, place)


def _common_prefix(one: str, other: str) -> int:
    """Return the length of the common prefix, by bisection, since slices compare fast."""
    same, different = 0, min(len(one), len(other)) + 1
    while different - same > 1:
        middle = (same + different) // 2
        if one[same:middle] == other[same:middle]:
            same = middle
        else:
            different = middle
    return same


MEMORY = 1 << 22
"""Bytes of one generation of pretokens; enough for a long text that is pasted again."""


class LiveEncoding:
    """Encodes texts that each change the last one a little, with little work for each.

    >>> from engine import Tokenizer
    >>> live = Tokenizer({byte: bytes([byte]) for byte in range(256)}, []).live()
    >>> live.encode("a b"), live.encode("a bc")
    ([97, 32, 98], [97, 32, 98, 99])
    """

    def __init__(self, encoder: TextEncoder) -> None:
        self._special_ids = encoder.special_ids
        encode = encoder.encoder.encode
        self._remembered = BoundedMemo[bytes](lambda pretoken: tuple(encode(pretoken)), MEMORY)
        self._pretokens = IncrementalPretokens(
            encoder.pattern, encoder.splitter, self._ids_of, lambda ids, by: ids
        )

    def encode(self, text: str) -> list[int]:
        """Return the ids that `Tokenizer.encode` gives, faster."""
        return list(chain.from_iterable(self._pretokens.update(without_stray_surrogates(text))))

    def _ids_of(self, pretoken: Pretoken) -> tuple[int, ...]:
        if pretoken.special:
            return (self._special_ids[pretoken.text],)
        return self._remembered[pretoken.bytes]


class EncodedPretoken(NamedTuple):
    """A pretoken of a typed text with its token ids."""

    pretoken: Pretoken
    ids: tuple[int, ...]


LINE = 1_000
"""Characters of the longest text that counts as one line."""


class TypedText:
    """Encodes a text at a step, and keeps everything that has not changed since the last call.

    It keeps one line and one longer text, so that the line shown of a text does not replace the
    text. `ids_at(pretoken, step)` gives the ids of a pretoken after `step` merges.
    """

    def __init__(
        self,
        pattern: Pattern,
        splitter: SpecialSplitter,
        ids_at: Callable[[Pretoken, int], tuple[int, ...]],
    ) -> None:
        self._line = _TextAtStep(pattern, splitter, ids_at)
        self._longer = _TextAtStep(pattern, splitter, ids_at)
        self._lock = Lock()  # a long text is encoded in a thread of its own

    def encode(self, text: str, step: int) -> list[EncodedPretoken]:
        """Return the pretokens of the text, each with its ids."""
        with self._lock:
            return (self._line if len(text) <= LINE else self._longer).encode(text, step)


class _TextAtStep:
    """The text that was encoded last, and its step."""

    def __init__(
        self,
        pattern: Pattern,
        splitter: SpecialSplitter,
        ids_at: Callable[[Pretoken, int], tuple[int, ...]],
    ) -> None:
        self._ids_at = ids_at
        self._step = 0
        self._remembered = self._memo()  # a long text repeats its words
        self._pretokens = IncrementalPretokens(pattern, splitter, self._encoded, _moved)

    def encode(self, text: str, step: int) -> list[EncodedPretoken]:
        if step != self._step:
            self._step = step
            ids_of = self._remembered = self._memo()
            self._pretokens.items = [
                self._encoded(pretoken)
                if pretoken.special
                else EncodedPretoken(pretoken, ids_of[pretoken.text])
                for pretoken, _ in self._pretokens.items
            ]
        return self._pretokens.update(text)

    def _encoded(self, pretoken: Pretoken) -> EncodedPretoken:
        if pretoken.special:
            return EncodedPretoken(pretoken, self._ids_at(pretoken, self._step))
        return EncodedPretoken(pretoken, self._remembered[pretoken.text])

    def _memo(self) -> BoundedMemo[str]:
        """Return a memory of the ids at the step, by the texts of pretokens."""
        ids_at, step = self._ids_at, self._step
        return BoundedMemo(lambda text: ids_at(Pretoken(text, 0, len(text), None), step), MEMORY)


def _moved(piece: EncodedPretoken, by: int) -> EncodedPretoken:
    text, start, end, alternative, special = piece.pretoken
    return EncodedPretoken(Pretoken(text, start + by, end + by, alternative, special), piece.ids)
