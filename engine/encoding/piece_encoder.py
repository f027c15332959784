"""Encoding a text piece by piece, where each distinct piece is encoded only once.

A pattern's regex looks at every character, which takes longer than the rest of encoding. But nearly
every pretoken begins with a single space, and the text between two spaces repeats. So the text is
cut at spaces by `bytes.split` (`Cutting`), and the regex only sees pieces that are new.

There are two memories. A known piece costs one look-up in the first. A new piece is cut by the
pattern's regex, and its pretokens are looked up in the second: `dog!` is new when `dog` and `!` are
not. Both memories are bounded: see `BoundedMemo`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TypeVar

from engine.text.patterns import PATTERNS, Pattern
from engine.text.pretokenize import to_bytes, to_text

# A bounded memory that is as fast as a dict for known keys
#
# A dict with `__missing__` is read at C speed, inside `map` too; Python code runs only for a key
# that is missing. Such a dict cannot record which entries are in use, so it has two generations.
# When the young one is full it becomes the old one, and entries that are used again come back from
# there. Entries unused for a whole generation are dropped all at once, so evicting costs nothing
# per entry. A text of few words never fills a generation.


Key = TypeVar("Key", bound=str | bytes)

LONGEST = 1 << 12
"""Bytes of the longest key that is kept; a longer one takes the room of hundreds of words."""

# CPython's overhead: headers of key and tuple, a slot in the dict; then a reference for each id.
ENTRY_BYTES = 192
ID_BYTES = 8


class BoundedMemo(dict[Key, tuple[int, ...]]):
    """Text → token ids: `compute` is called once, as long as the answer is remembered.

    `generation` is the size of one of its two generations, in bytes.

    >>> lengths = BoundedMemo(lambda key: (len(key),), generation=1 << 20)
    >>> lengths["abc"], lengths
    ((3,), {'abc': (3,)})
    """

    def __init__(self, compute: Callable[[Key], tuple[int, ...]], generation: int) -> None:
        super().__init__()
        self._compute = compute
        self._generation = self._room = generation
        self._old: dict[Key, tuple[int, ...]] = {}

    def __missing__(self, key: Key) -> tuple[int, ...]:
        ids = self._old.get(key)
        if ids is None:
            ids = self._compute(key)
            if len(key) > LONGEST:
                return ids
        self._room -= ENTRY_BYTES + len(key) + ID_BYTES * len(ids)
        if self._room < 0:
            self._old = self.copy()
            self.clear()
            self._room = self._generation
        self[key] = ids
        return ids


# Marks; texts that hold them are not marked. Bytes are better than characters here: a `str` with
# one emoji takes four times the memory. Both marks are ASCII, so never a part of another character.
KEPT_SPACE, KEPT_NEWLINE = b"\0", b"\1"
_TO_TEXT = bytes.maketrans(KEPT_SPACE + KEPT_NEWLINE, b" \n")

# Whitespace other than space and newline, which are marked in ways of their own.
_ASCII_SPACES = (b"\t", b"\v", b"\f", b"\r")

# Unicode's other whitespace, a regex for each lead byte: a regex that begins with one literal byte
# searches at the speed of memchr, one that begins with a choice does not.
_UNICODE_SPACES = [
    re.compile(spaces)
    for spaces in (
        rb"\xc2[\x85\xa0]",
        rb"\xe1\x9a\x80",
        rb"\xe2(?:\x80[\x80-\x8a\xa8\xa9\xaf]|\x81\x9f)",
        rb"\xe3\x80\x80",
    )
]

# All rules cut at a single space or newline between visible ASCII.
_BLOCK_BORDER = re.compile(rb"(?<=[!-~]) (?=[!-~])")


@dataclass(frozen=True)
class Cutting:
    """The rules for cutting the text of a pattern into pieces that can be encoded one by one.

    **Safe cuts.** The pieces must give the pretokens that the whole text gives:

    1. Before a space that follows a character which is not whitespace: the patterns' borders in
       `engine.text.patterns` prove it. With gpt2 the same holds before a newline.
    2. With gpt2, also before the last character of a run of whitespace with text behind it: the
       branch `whitespace before more` takes such a run except for its last character.

    **Unsafe places.** `split` cuts at every space, so the text is marked before, by a few
    `replace`s: a space without a safe cut becomes `KEPT_SPACE`; a newline with a safe cut gets a
    space in front; other newlines become `KEPT_NEWLINE`. Then the cut has taken one space before
    every piece but the first. If a piece begins with a newline (gpt2), that is the added space.
    `restored` undoes all this.

    Attributes:
        marked: marks a text.
        at_newlines: whether to cut at newlines.
    """

    marked: Callable[[bytes], bytes]
    at_newlines: bool

    def pieces(self, block: bytes) -> list[bytes]:
        r"""Return the pieces of a block; all but the first follow a space.

        >>> GPT2_CUTTING.pieces(b"to be,\n    or not")
        [b'to', b'be,', b'\n\x00\x00\x00\x00or', b'not']
        """
        return self.marked(block).split(b" ")

    def restored(self, piece: bytes, is_first: bool = False) -> bytes:
        r"""Return the text of a piece; no space was cut off before the first of a block.

        >>> GPT2_CUTTING.restored(b"\n\0\0or"), GPT2_CUTTING.restored(b"not")
        (b'\n  or', b' not')
        """
        text = piece.translate(_TO_TEXT)
        is_whole = is_first or (self.at_newlines and piece.startswith(b"\n"))
        return text if is_whole else b" " + text


def blocks(data: bytes, size: int) -> Iterator[bytes]:
    """Yield the data in blocks of at least `size` bytes, cut where every rule allows it."""
    start = 0
    while start < len(data):
        border = _BLOCK_BORDER.search(data, start + size)
        end = len(data) if border is None else border.start()
        yield data[start:end]
        start = end


def _marked_for_gpt2(block: bytes) -> bytes:
    """Mark a block by both rules.

    Of k spaces in a row the first k − 1 are kept, and the last is a cut by the second rule; or all
    are kept. A space next to other whitespace is kept, except after newlines, where it is the last
    of its run again. A newline is a cut if the character before it is not whitespace.
    """
    marked = _replaced(block, b"\n\n", b"\n\1")
    marked = _replaced(marked, b"  ", b"\0\0")
    marked = _replaced(marked, b" \n", b"\0\1")
    for space in _other_spaces(block):
        marked = marked.replace(space + b" ", space + b"\0").replace(b" " + space, b"\0" + space)
        marked = marked.replace(space + b"\n", space + b"\1")
    for kept in (KEPT_SPACE, KEPT_NEWLINE):
        if kept in marked:
            marked = _replaced(marked, kept + b"\n", kept + b"\1")
    marked = marked.replace(b"\n", b" \n")
    # The second rule does not apply to a run at the very end, with no text behind it.
    return marked[:-1] + b"\0" if marked.endswith((b"\0 ", b"\n ", b"\1 ")) else marked


def _marked_by_first_rule(block: bytes) -> bytes:
    """Mark a block by the first rule: a space behind any whitespace is kept."""
    marked = _replaced(block, b"  ", b"\0\0")
    for space in (KEPT_SPACE, b"\n", *_other_spaces(block)):
        marked = _replaced(marked, space + b" ", space + b"\0")
    return marked


def _replaced(text: bytes, old: bytes, new: bytes) -> bytes:
    """Replace text that hardly ever occurs; `in` finds that out several times faster."""
    return text.replace(old, new) if old in text else text


def _other_spaces(block: bytes) -> set[bytes]:
    """Return the kinds of whitespace in a block other than space and newline."""
    found = {space for space in _ASCII_SPACES if space in block}
    if not block.isascii():
        for spaces in _UNICODE_SPACES:
            found.update(spaces.findall(block))
    return found


GPT2_CUTTING = Cutting(_marked_for_gpt2, at_newlines=True)
_FIRST_RULE = Cutting(_marked_by_first_rule, at_newlines=False)

_CUTTINGS: dict[str, Cutting] = {
    PATTERNS[name].source: _FIRST_RULE
    for name in ("cl100k", "o200k", "llama3", "qwen2", "qwen35", "whitespace", "bert")
}
_CUTTINGS[PATTERNS["gpt2"].source] = GPT2_CUTTING


def cutting_for(pattern: Pattern) -> Cutting | None:
    """Return the rules that hold for a pattern; `None` if none is known to hold."""
    return _CUTTINGS.get(pattern.source)


PIECES = 1 << 27
PRETOKENS = 1 << 25
"""Bytes of one generation of each memory. 20 MB of stories take 4 MB; 20 MB of code in many
languages and prose in many scripts take 130 MB."""

BLOCK = 1 << 14
"""Bytes of a block: few enough that its data stays in the processor's cache."""


def memoized_encoder(
    pattern: Pattern, encode: Callable[[bytes], Sequence[int]]
) -> Callable[[str], list[int]]:
    """Return a function that encodes texts and keeps its memory between them.

    Args:
        pattern: cuts text into pretokens.
        encode: gives the ids of one pretoken.
    """
    cutting = cutting_for(pattern)
    if cutting is None:
        return PretokenEncoder(pattern, encode).encode
    return PieceEncoder(pattern, encode, cutting).encode


class PretokenEncoder:
    """Encodes text pretoken by pretoken, and remembers these.

    Args:
        pattern: cuts text into pretokens.
        encode: gives the ids of one pretoken.
    """

    def __init__(self, pattern: Pattern, encode: Callable[[bytes], Sequence[int]]) -> None:
        self._split = pattern.split
        self.ids_of = BoundedMemo[str](lambda text: tuple(encode(to_bytes(text))), PRETOKENS)

    def encode(self, text: str) -> list[int]:
        """Return the ids of a text without special tokens."""
        return list(chain.from_iterable(map(self.ids_of.__getitem__, self._split(text))))


class PieceEncoder:
    """Gives the ids that a `PretokenEncoder` gives, faster.

    Args:
        pattern, encode: as for `PretokenEncoder`.
        cutting: the rules for cutting the pattern's text into pieces.
    """

    def __init__(
        self, pattern: Pattern, encode: Callable[[bytes], Sequence[int]], cutting: Cutting
    ) -> None:
        self._pattern = pattern
        self._cutting = cutting
        self._pretokens = PretokenEncoder(pattern, encode)
        self._ids_of = BoundedMemo[bytes](self._ids_of_piece, PIECES)

    def encode(self, text: str) -> list[int]:
        """Return the ids of a text without special tokens."""
        ids: list[int] = []
        for block in blocks(to_bytes(text), BLOCK):
            if KEPT_SPACE in block or KEPT_NEWLINE in block:  # the block cannot be marked
                ids += self._pretokens.encode(to_text(block))
                continue
            pieces = iter(self._cutting.pieces(block))
            # Only the first block has anything before its first space.
            if first := next(pieces):
                restored = self._cutting.restored(first, is_first=True)
                ids += self._pretokens.encode(to_text(restored))
            ids.extend(chain.from_iterable(map(self._ids_of.__getitem__, pieces)))
        return ids

    def _ids_of_piece(self, piece: bytes) -> tuple[int, ...]:
        text = to_text(self._cutting.restored(piece))
        ids_of_pretoken = self._pretokens.ids_of
        # A pattern with known cuts covers any text, so the matches are all of it.
        pretokens = self._pattern.compiled.findall(text)
        if len(pretokens) == 1:
            return ids_of_pretoken[text]
        return tuple(chain.from_iterable(map(ids_of_pretoken.__getitem__, pretokens)))
