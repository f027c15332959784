"""From text to pretokens: cut the special tokens out, then let the pattern cut the rest.

Text is handled as bytes at the borders and as `str` inside, since the patterns speak of letters
and spaces. Bytes that are no valid UTF-8 become the lone surrogates U+DC80–U+DCFF (Python's
`surrogateescape`) and turn back into the very same bytes: nothing is replaced or lost. A pattern
sees each as a symbol: no letter, no number, no space.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

import regex

from engine.core.errors import SpecialTokenError
from engine.text.patterns import Alternative, Pattern


def to_text(data: bytes) -> str:
    r"""Bytes as text, invalid ones as lone surrogates.

    >>> to_text(b"a\xff")
    'a\udcff'
    """
    return data.decode("utf-8", "surrogateescape")


_BETWEEN = "\x1d\x1e"
"""Stands between texts that go through something together: two signs that are no part of anything
around them, and that hardly any text holds."""


def to_texts(datas: Sequence[bytes]) -> list[str]:
    r"""`to_text` of each, all at once; half characters side by side stay apart.

    >>> to_texts([b"a\xe4", b"\xb8\xad"])
    ['a\udce4', '\udcb8\udcad']
    """
    texts = to_text(_BETWEEN.encode().join(datas)).split(_BETWEEN)
    return texts if len(texts) == len(datas) else list(map(to_text, datas))


def in_lower_case(texts: Sequence[str]) -> list[str]:
    """`str.lower` of each, all at once: no letter looks beyond a control character.

    >>> in_lower_case(["LOW", "ΟΣ", "Σ"])
    ['low', 'ος', 'σ']
    """
    lower = _BETWEEN.join(texts).lower().split(_BETWEEN)
    return lower if len(lower) == len(texts) else [text.lower() for text in texts]


# A pair of surrogates, or one that stands for no byte.
_NO_UTF_8 = re.compile("[\ud800-\udbff][\udc00-\udfff]|[\ud800-\udc7f\udd00-\udfff]")


_SURROGATE = re.compile("[\ud800-\udfff]")


def to_bytes(text: str) -> bytes:
    r"""The bytes of a text: the inverse of `to_text`.

    A pair of surrogates is the character it stands for. Of the lone ones, U+DC80–U+DCFF are bytes
    and the others, which have no UTF-8 form, become U+FFFD, as in tiktoken.

    >>> to_bytes("a\udcff"), to_bytes("\ud800")
    (b'a\xff', b'\xef\xbf\xbd')
    """
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return _NO_UTF_8.sub(_mended, text).encode("utf-8", "surrogateescape")


def _mended(surrogates: re.Match[str]) -> str:
    """A pair as one character, a lone surrogate as U+FFFD."""
    return surrogates.group().encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def without_stray_surrogates(text: str) -> str:
    r"""The text as it is after `to_bytes` and `to_text`: what the patterns should see.

    >>> without_stray_surrogates("\udcc3\udca9 \ud800")
    'é \ufffd'
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        return to_text(to_bytes(text))
    return text


def pretokens_of_piece(pattern: Pattern, piece: bytes) -> list[bytes]:
    """The pretokens of a text between two borders of the pattern; it is mostly a single one.

    >>> from engine.text.patterns import PATTERNS
    >>> pretokens_of_piece(PATTERNS["gpt2"], b" low"), pretokens_of_piece(PATTERNS["gpt2"], b"  ..")
    ([b' low'], [b' ', b' ..'])
    """
    text = to_text(piece)
    match = pattern.compiled.match(text)
    if match and match.end() == len(text):  # cheaper to ask than to cut
        return [piece]
    return list(map(to_bytes, pattern.split(text)))


WHITE_SPACE = (
    "\t\n\v\f\r \x85\xa0\u1680"
    + "".join(map(chr, range(0x2000, 0x200B)))
    + ("\u2028\u2029\u202f\u205f\u3000")
)
"""Unicode's White_Space, which `\\s` in a pattern and Rust's `char::is_whitespace` go by. Python's
`str.isspace`, `str.strip` and `str.split` take U+001C–U+001F for whitespace, too."""
_WHITE_SPACES = regex.compile(r"\s+")


def words_in(text: str) -> list[str]:
    """The words of a text or a pretoken: what stands between whitespace.

    >>> words_in(" low"), words_in(" ")
    (['low'], [])
    """
    return list(filter(None, _WHITE_SPACES.split(text)))


_VISIBLE = re.compile(rb"[\x21-\x7e]")


def is_blank(data: bytes) -> bool:
    r"""Whether it holds whitespace only, or nothing.

    >>> is_blank("\u3000\n".encode()), is_blank(b" a")
    (True, False)
    """
    if _VISIBLE.search(data):
        return False
    text = to_text(data)
    return not text or text.isspace()


def check_special_tokens(special_tokens: Collection[str]) -> tuple[str, ...]:
    """The special tokens as given, or an error if one is no text, empty or given twice.

    Raises:
        SpecialTokenError: says which.
    """
    if isinstance(special_tokens, str | bytes) or not isinstance(special_tokens, Iterable):
        raise SpecialTokenError(
            f"special tokens are a list of texts, such as ['<s>'], and this is {special_tokens!r}"
        )
    seen: set[str] = set()
    for token in special_tokens:
        if not isinstance(token, str):
            raise SpecialTokenError(f"a special token is a text, and this is {token!r}")
        if not token:
            raise SpecialTokenError("a special token is empty; give it some text or leave it out")
        if token in seen:
            raise SpecialTokenError(f"the special token {token!r} is given twice; give it once")
        seen.add(token)
    return tuple(special_tokens)


class SpecialSplitter:
    """Cuts special tokens out of text or bytes: leftmost first, and of those the longest.

    >>> list(SpecialSplitter(["<a>", "<a><b>"]).split_text("x<a><b>y"))
    [('x', False), ('<a><b>', True), ('y', False)]
    """

    def __init__(self, special_tokens: Sequence[str]) -> None:
        longest_first = sorted(check_special_tokens(special_tokens), key=len, reverse=True)
        self._texts = longest_first
        self.tokens = frozenset(map(to_bytes, longest_first))
        self.longest = max(map(len, self.tokens), default=0)
        choice = "|".join(re.escape(token) for token in longest_first)
        # An empty choice would match everywhere; `(?!)` matches nowhere.
        self.text_regex = re.compile(choice or "(?!)")
        self.bytes_regex = re.compile(to_bytes(choice) or b"(?!)")

    def only(self, tokens: Collection[str]) -> SpecialSplitter:
        """A splitter that cuts out no other tokens than these.

        >>> list(SpecialSplitter(["<a>", "<b>"]).only(["<b>"]).split_text("<a><b>"))
        [('<a>', False), ('<b>', True)]
        """
        return SpecialSplitter([token for token in self._texts if token in tokens])

    @property
    def is_plain(self) -> bool:
        """Whether special tokens are all that it looks at."""
        return True

    @cached_property
    def is_of_bytes(self) -> bool:
        """Whether `bytes_regex` finds in UTF-8 what `split_text` does in the text.

        A token that is no valid UTF-8 might be found inside of a character.
        """
        return self.is_plain and not any(_SURROGATE.search(token) for token in self._texts)

    @property
    def by_pieces(self) -> bool:
        """Whether a text may be split piece by piece, cut where the pattern allows it."""
        return True

    def split_text(self, text: str) -> Iterator[tuple[str, bool]]:
        """The pieces of `text` in order, each with whether it is a special token; none is empty."""
        position = 0
        for match in self.text_regex.finditer(text):
            if match.start() > position:
                yield text[position : match.start()], False
            yield match.group(), True
            position = match.end()
        if position < len(text):
            yield text[position:], False

    def begins_at(self, text: str, place: int) -> bool:
        """Whether the characters from a place on spell a special token."""
        return self.text_regex.match(text, place) is not None

    def stands_across(self, text: str, place: int) -> bool:
        """Whether special tokens stand so that they begin before `place` and end behind it.

        >>> SpecialSplitter(["<a>"]).stands_across("x<a>y", 1)
        False
        """
        return any(
            token in text[max(place - len(token) + 1, 0) : place + len(token) - 1]
            for token in self._texts
        )

    def documents(self, data: bytes) -> list[bytes]:
        """What stands between the special tokens, empty pieces included."""
        return self.bytes_regex.split(data)


class Pretoken(NamedTuple):
    """A pretoken where it stands: `text[start:end]`, in characters.

    `alternative` is the branch of the pattern that matched. It is `None` for a special token and
    for text that no branch matches; `special` tells these two apart.
    """

    text: str
    start: int
    end: int
    alternative: Alternative | None
    special: bool = False

    @property
    def bytes(self) -> bytes:
        """Its bytes, those that are no UTF-8 as they were."""
        return to_bytes(self.text)


def pretokens(text: str, pattern: Pattern, splitter: SpecialSplitter) -> Iterator[Pretoken]:
    """Cut `text` into special tokens and pretokens, losing nothing: joined they are the text.

    >>> from engine.text.patterns import PATTERNS
    >>> [(p.text, p.alternative.name) for p in
    ...  pretokens("don't stop", PATTERNS["gpt2"], SpecialSplitter([]))]
    [('don', 'letters'), ("'t", 'contraction'), (' stop', 'letters')]
    """
    offset = 0
    for piece, special in splitter.split_text(text):
        if special:
            yield Pretoken(piece, offset, offset + len(piece), None, special=True)
        else:
            yield from _matches(piece, offset, pattern)
        offset += len(piece)


def _matches(piece: str, offset: int, pattern: Pattern) -> Iterator[Pretoken]:
    found = pattern.labelled.finditer(piece)
    alternatives = pattern.alternatives
    yield from fill_gaps(
        piece, offset, ((*match.span(), alternatives[match.lastindex - 1]) for match in found)
    )


def fill_gaps(
    piece: str, offset: int, matches: Iterable[tuple[int, int, Alternative]]
) -> Iterator[Pretoken]:
    """The pretokens of a piece that begins at `offset`; what stands between matches is one, too.

    A match is (start, end, alternative); one that is empty makes no pretoken.
    """
    last = 0
    for start, end, alternative in matches:
        if start > last:
            yield Pretoken(piece[last:start], offset + last, offset + start, None)
        if end > start:
            yield Pretoken(piece[start:end], offset + start, offset + end, alternative)
        last = end
    if last < len(piece):
        yield Pretoken(piece[last:], offset + last, offset + len(piece), None)


class Chunk(NamedTuple):
    """A stretch of a stream that can be pretokenized by itself.

    Attributes:
        data: its bytes.
        continues: whether it begins inside a document that has begun before: of which earlier
            chunks hold more than whitespace.
        bytes_read: how far the file had been read when the chunk was cut; 0 where nobody says.
    """

    data: bytes
    continues: bool
    bytes_read: int = 0


class ChunkCutter:
    """Cuts bytes as they come into chunks of about `size` bytes.

    Where nothing allows a cut (one word of a gigabyte, pattern `none`, a splitter that has to see
    all of a text) a chunk grows as it must.

    >>> from engine.text.patterns import PATTERNS
    >>> cutter = ChunkCutter(PATTERNS["gpt2"], SpecialSplitter(["<s>"]), size=4)
    >>> [chunk.data for chunk in cutter.cut([b"one tw", b"o three"])]
    [b'one', b' two', b' three']
    """

    def __init__(self, pattern: Pattern, splitter: SpecialSplitter, size: int) -> None:
        self._cut_regex = pattern.cut_regex
        self._splitter = splitter
        self._size = self._wanted = size
        self._blocks: list[bytes] = []  # joined when there are enough of them
        self._length = 0
        self._continues = False

    def cut(self, blocks: Iterable[bytes]) -> Iterator[Chunk]:
        """The chunks of a stream that comes in blocks, each as soon as it is complete."""
        for block in blocks:
            yield from self.feed(block)
        yield from self.finish()

    def feed(self, block: bytes) -> Iterator[Chunk]:
        """Take more bytes in; the chunks that are complete now."""
        self._blocks.append(block)
        self._length += len(block)
        if self._length < self._wanted:
            return
        buffer = b"".join(self._blocks)
        end, document = self._last_cut(buffer)
        if end:
            yield self._take(buffer, end, document)
            self._wanted = self._size
        else:
            # Looking again at every block would make long uncuttable stretches quadratic.
            self._wanted = 2 * len(buffer)

    def finish(self) -> Iterator[Chunk]:
        """What is left, when the stream has ended."""
        if self._length:
            buffer = b"".join(self._blocks)
            yield self._take(buffer, len(buffer), len(buffer))

    def _take(self, buffer: bytes, end: int, document: int) -> Chunk:
        """The buffer up to `end`, where the document stands that began at `document`."""
        chunk = Chunk(buffer[:end], self._continues)
        begun_before = self._continues and document == 0
        self._continues = begun_before or not is_blank(buffer[document:end])
        self._blocks = [buffer[end:]]
        self._length = len(buffer) - end
        return chunk

    def _last_cut(self, buffer: bytes) -> tuple[int, int]:
        """The last safe place to cut (0: none), and where the document that stands there began."""
        if not self._splitter.by_pieces:
            return 0, 0
        # A special token that starts before `decided` is in the buffer whole, and so is any
        # longer one that might start at the same place.
        decided = len(buffer) - max(self._splitter.longest - 1, 0)
        after_special = 0
        for match in self._splitter.bytes_regex.finditer(buffer):
            if match.start() >= decided:
                break
            after_special = match.end()
        return max(after_special, self._last_border(buffer, decided)), after_special

    def _last_border(self, buffer: bytes, limit: int) -> int:
        """The last place up to `limit` where the pattern allows a cut; 0 if there is none."""
        if self._cut_regex is None:
            return 0
        # The newest border is near the end, as a rule: look there first.
        for reach in (64, 4096, limit):
            last, start = 0, max(limit - reach, 0)
            for match in self._cut_regex.finditer(buffer, start, max(limit, 0)):
                last = match.start()
            if last:
                return last
        return 0
