"""Encoding a text by its pieces, each of which is encoded in full only once.

A pattern's regex looks at every character, which takes longer than all the rest of encoding. But
nearly every pretoken border stands before a single space, and text repeats what stands between two
spaces. So the text is cut there by `bytes.split`, with no look at the characters (`Cutting`), and
the regex is left with the pieces that were never seen before.

Two memories stand one behind the other. A piece that is met again costs one look into the first.
A new piece is cut by the pattern's regex, and its pretokens are looked up in the second: `dog!`
is new where `dog` and `!` are not. Each holds what it has for as long as it has room, which is
bounded: see `BoundedMemo`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TypeVar

from engine.text.patterns import PATTERNS, Pattern
from engine.text.pretokenize import to_bytes, to_text

# A bounded memory that costs nothing where it knows the answer.
#
# A dict with `__missing__` is read at C speed, inside `map` too; Python code runs only for a key
# that is not there. Such a dict cannot note which entries are in use, so it keeps two generations:
# when the young one is full it becomes the old one, and what is asked for again comes back from
# there. What nobody asked for during a whole generation is forgotten, all at once: evicting costs
# nothing for each entry. A text of few words never fills a generation.


Key = TypeVar("Key", bound=str | bytes)

LONGEST = 1 << 12
"""Longer keys are not kept: one of them takes the room of hundreds of words."""

# CPython's own: headers of key and tuple, a slot in the dict; then a reference for each id.
ENTRY_BYTES = 192
ID_BYTES = 8


class BoundedMemo(dict[Key, tuple[int, ...]]):
    """Text → token ids: `compute` is asked once, as long as the answer is remembered.

    `generation` is what one generation may take, in bytes; there are two.

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


# Marks; texts that hold them are not marked. Bytes serve better than characters here: a `str` with
# one emoji takes four times the room. Both marks are ASCII, never a part of another character.
KEPT_SPACE, KEPT_NEWLINE = b"\0", b"\1"
_TO_TEXT = bytes.maketrans(KEPT_SPACE + KEPT_NEWLINE, b" \n")

# Whitespace other than the space and the newline, which the marking treats apart.
_ASCII_SPACES = (b"\t", b"\v", b"\f", b"\r")

# Unicode's other whitespace, a regex for each lead byte: one literal byte at the head is looked
# for at the speed of memchr, a choice of them is not.
_UNICODE_SPACES = [
    re.compile(spaces)
    for spaces in (
        rb"\xc2[\x85\xa0]",
        rb"\xe1\x9a\x80",
        rb"\xe2(?:\x80[\x80-\x8a\xa8\xa9\xaf]|\x81\x9f)",
        rb"\xe3\x80\x80",
    )
]

# Between visible ASCII a single space or newline is cut at by all rules.
_BLOCK_BORDER = re.compile(rb"(?<=[!-~]) (?=[!-~])")


@dataclass(frozen=True)
class Cutting:
    """How the text of a pattern is cut into pieces that can be encoded one by one.

    **Where a cut is safe.** The pieces must give the pretokens that the whole text gives:

    1. Before a space that follows a character which is not whitespace: the patterns' borders in
       `engine.text.patterns` say why. With gpt2 the same holds before a newline.
    2. With gpt2, also before the last character of a run of whitespace that something follows:
       its branch `whitespace before more` takes such a run but for its last character.

    **How the unsafe places are passed over.** `split` cuts at every space, so before it the text is
    marked, by a few `replace`s: a space where no cut is safe becomes `KEPT_SPACE`, and a newline
    where one is safe gets a space in front; other newlines become `KEPT_NEWLINE`. Then every piece
    but the first stands behind one space that the cut has taken; with gpt2, where a piece begins
    with a newline, that is the space that was put in. `restored` undoes it.

    Attributes:
        marked: the function that marks a text.
        at_newlines: whether newlines are cut at.
    """

    marked: Callable[[bytes], bytes]
    at_newlines: bool

    def pieces(self, block: bytes) -> list[bytes]:
        r"""The pieces of a block; the first stands behind no space.

        >>> GPT2_CUTTING.pieces(b"to be,\n    or not")
        [b'to', b'be,', b'\n\x00\x00\x00\x00or', b'not']
        """
        return self.marked(block).split(b" ")

    def restored(self, piece: bytes) -> bytes:
        r"""The text of a piece that is not the first.

        >>> GPT2_CUTTING.restored(b"\n\0\0or"), GPT2_CUTTING.restored(b"not")
        (b'\n  or', b' not')
        """
        text = piece.translate(_TO_TEXT)
        return text if self.at_newlines and piece.startswith(b"\n") else b" " + text


def restored_first(piece: bytes) -> bytes:
    """The text of the first piece of a block."""
    return piece.translate(_TO_TEXT)


def can_be_marked(block: bytes) -> bool:
    """Whether the text does not hold the marks itself."""
    return KEPT_SPACE not in block and KEPT_NEWLINE not in block


def blocks(data: bytes, size: int) -> Iterator[bytes]:
    """The data in blocks of at least `size` bytes, cut where every rule allows it."""
    start = 0
    while start < len(data):
        border = _BLOCK_BORDER.search(data, start + size)
        end = len(data) if border is None else border.start()
        yield data[start:end]
        start = end


def _marked_for_gpt2(block: bytes) -> bytes:
    """Both rules.

    Of k spaces in a row the first k − 1 are kept, or all of them: so the last is a cut by the
    second rule, or there is none. A space next to other whitespace is kept, but for one after
    newlines: that is such a last one again. A newline is cut at behind what is no whitespace.
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
    # Nothing follows the run at the very end, so the second rule is not for it.
    return marked[:-1] + b"\0" if marked.endswith((b"\0 ", b"\n ", b"\1 ")) else marked


def _marked_by_first_rule(block: bytes) -> bytes:
    """The first rule only: a space behind any whitespace is kept."""
    marked = _replaced(block, b"  ", b"\0\0")
    for space in (KEPT_SPACE, b"\n", *_other_spaces(block)):
        marked = _replaced(marked, space + b" ", space + b"\0")
    return marked


def _replaced(text: bytes, old: bytes, new: bytes) -> bytes:
    """`replace` for what hardly ever occurs: `in` finds that out several times faster."""
    return text.replace(old, new) if old in text else text


def _other_spaces(block: bytes) -> set[bytes]:
    """The kinds of whitespace in it, but for space and newline."""
    found = {space for space in _ASCII_SPACES if space in block}
    if not block.isascii():
        for spaces in _UNICODE_SPACES:
            found.update(spaces.findall(block))
    return found


GPT2_CUTTING = Cutting(_marked_for_gpt2, at_newlines=True)
_FIRST_RULE = Cutting(_marked_by_first_rule, at_newlines=False)

_CUTTINGS: dict[str, Cutting] = {
    PATTERNS[name].source: _FIRST_RULE
    for name in ("cl100k", "o200k", "llama3", "qwen2", "whitespace", "bert")
}
_CUTTINGS[PATTERNS["gpt2"].source] = GPT2_CUTTING


def cutting_for(pattern: Pattern) -> Cutting | None:
    """The rules that hold for a pattern; `None` if none is known to hold."""
    return _CUTTINGS.get(pattern.source)


PIECES = 1 << 27
PRETOKENS = 1 << 25
"""Bytes for one generation of each memory. 20 MB of stories take 4 MB, of code in many languages
and prose in many scripts 130 MB."""

# What is made for one block should stay in the processor's cache while the next one is made.
BLOCK = 1 << 14


def memoized_encoder(
    pattern: Pattern, encode: Callable[[bytes], Sequence[int]]
) -> Callable[[str], list[int]]:
    """A function that encodes texts and keeps its memory from one to the next.

    Args:
        pattern: what cuts text into pretokens.
        encode: the ids of one pretoken.
    """
    cutting = cutting_for(pattern)
    if cutting is None:
        return PretokenEncoder(pattern, encode).encode
    return PieceEncoder(pattern, encode, cutting).encode


class PretokenEncoder:
    """Encodes text pretoken by pretoken, and remembers these.

    Args:
        pattern: what cuts text into pretokens.
        encode: the ids of one pretoken.
    """

    def __init__(self, pattern: Pattern, encode: Callable[[bytes], Sequence[int]]) -> None:
        self._split = pattern.split
        self.ids_of = BoundedMemo[str](lambda text: tuple(encode(to_bytes(text))), PRETOKENS)

    def encode(self, text: str) -> list[int]:
        """The ids of a text without special tokens."""
        return list(chain.from_iterable(map(self.ids_of.__getitem__, self._split(text))))


class PieceEncoder:
    """Gives the ids that a `PretokenEncoder` gives, sooner.

    Args:
        pattern, encode: as there.
        cutting: the rules by which the pattern's text can be cut into pieces.
    """

    def __init__(
        self, pattern: Pattern, encode: Callable[[bytes], Sequence[int]], cutting: Cutting
    ) -> None:
        self._pattern = pattern
        self._cutting = cutting
        self._pretokens = PretokenEncoder(pattern, encode)
        self._ids_of = BoundedMemo[bytes](self._ids_of_piece, PIECES)

    def encode(self, text: str) -> list[int]:
        """The ids of a text without special tokens."""
        ids: list[int] = []
        for block in blocks(to_bytes(text), BLOCK):
            if not can_be_marked(block):
                ids += self._pretokens.encode(to_text(block))
                continue
            pieces = iter(self._cutting.pieces(block))
            # Only the first block has anything before its first space.
            if first := next(pieces):
                ids += self._pretokens.encode(to_text(restored_first(first)))
            ids.extend(chain.from_iterable(map(self._ids_of.__getitem__, pieces)))
        return ids

    def _ids_of_piece(self, piece: bytes) -> tuple[int, ...]:
        text = to_text(self._cutting.restored(piece))
        ids_of_pretoken = self._pretokens.ids_of
        # A pattern for which cuts are known covers any text: what is found is everything.
        pretokens = self._pattern.compiled.findall(text)
        if len(pretokens) == 1:
            return ids_of_pretoken[text]
        return tuple(chain.from_iterable(map(ids_of_pretoken.__getitem__, pretokens)))
