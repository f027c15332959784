"""From text to pretokens: special tokens are cut out, then a pattern cuts the rest.

Input and output are bytes; inside, text is `str`, since patterns match letters and spaces. Bytes
that are not valid UTF-8 become the lone surrogates U+DC80–U+DCFF (Python's `surrogateescape`) and
turn back into the same bytes, so nothing is lost. To a pattern each of them is a symbol.

A `ChunkCutter` cuts a stream of bytes into chunks that can be pretokenized one by one.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

from engine.core.errors import SpecialTokenError
from engine.core.slow_modules import regex
from engine.text.patterns import Alternative, Pattern


def to_text(data: bytes) -> str:
    r"""Decode UTF-8; invalid bytes become lone surrogates.

    >>> to_text(b"a\xff")
    'a\udcff'
    """
    return data.decode("utf-8", "surrogateescape")


_BETWEEN = "\x1d\x1e"
"""Separator of texts that are processed together: two control characters that are rare in texts and
never belong to a neighbouring character."""


def to_texts(datas: Sequence[bytes]) -> list[str]:
    r"""Apply `to_text` to each, all at once; halves of a character are not joined.

    >>> to_texts([b"a\xe4", b"\xb8\xad"])
    ['a\udce4', '\udcb8\udcad']
    """
    texts = to_text(_BETWEEN.encode().join(datas)).split(_BETWEEN)
    return texts if len(texts) == len(datas) else list(map(to_text, datas))


def in_lower_case(texts: Sequence[str]) -> list[str]:
    """Apply `str.lower` to each, all at once.

    The result is the same, since no letter's lower case depends on text beyond a control character.

    >>> in_lower_case(["LOW", "ΟΣ", "Σ"])
    ['low', 'ος', 'σ']
    """
    lower = _BETWEEN.join(texts).lower().split(_BETWEEN)
    return lower if len(lower) == len(texts) else [text.lower() for text in texts]


_NO_UTF_8 = "[\ud800-\udbff][\udc00-\udfff]|[\ud800-\udc7f\udd00-\udfff]"
"""Regex of a pair of surrogates, or of a lone one that is not an escaped byte.

Python compiles it at its first use: a text rarely needs it, and that takes a while."""


def to_bytes(text: str) -> bytes:
    r"""Encode a text as bytes: the inverse of `to_text`.

    A pair of surrogates becomes its character. Of lone surrogates, U+DC80–U+DCFF become bytes, and
    the others, which have no UTF-8 form, become U+FFFD, as in tiktoken.

    >>> to_bytes("a\udcff"), to_bytes("\ud800")
    (b'a\xff', b'\xef\xbf\xbd')
    """
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        mended = re.sub(
            _NO_UTF_8,
            lambda found: found[0].encode("utf-16", "surrogatepass").decode("utf-16", "replace"),
            text,
        )
        return mended.encode("utf-8", "surrogateescape")


def without_stray_surrogates(text: str) -> str:
    r"""Return `to_text(to_bytes(text))`, the form in which patterns match a text.

    >>> without_stray_surrogates("\udcc3\udca9 \ud800")
    'é \ufffd'
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        return to_text(to_bytes(text))
    return text


def pretokens_of_piece(pattern: Pattern, piece: bytes) -> list[bytes]:
    """Return the pretokens of the text between two borders of the pattern, usually only one.

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
"""Unicode's White_Space, as `\\s` in a pattern and Rust's `char::is_whitespace` define it.

Python's `str.isspace`, `str.strip` and `str.split` also count U+001C–U+001F as whitespace."""


def words_in(text: str) -> list[str]:
    """Split a text or a pretoken at whitespace into its words.

    >>> words_in(" low"), words_in(" ")
    (['low'], [])
    """
    return list(filter(None, regex.split(r"\s+", text)))


VISIBLE = re.compile(rb"[\x21-\x7e]")
"""Matches a byte of visible ASCII, which is no part of whitespace."""


def is_blank(data: bytes) -> bool:
    r"""Whether the bytes are empty or only whitespace.

    >>> is_blank("\u3000\n".encode()), is_blank(b" a")
    (True, False)
    """
    if VISIBLE.search(data):
        return False
    text = to_text(data)
    return not text or text.isspace()


_SURROGATE = re.compile("[\ud800-\udfff]")


def check_special_tokens(special_tokens: Collection[str]) -> tuple[str, ...]:
    """Return the special tokens as a tuple.

    Raises:
        SpecialTokenError: one is not text, empty, given twice or no Unicode; the message names it.
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
        if _SURROGATE.search(token):
            raise SpecialTokenError(
                f"the special token {token!r} is no valid UTF-8: it has a lone surrogate, which is "
                "no character"
            )
        if token in seen:
            raise SpecialTokenError(f"the special token {token!r} is given twice; give it once")
        seen.add(token)
    return tuple(special_tokens)


class AlignedPretoken(NamedTuple):
    """A pretoken as the model gets it, with the places of its bytes in the text.

    Attributes:
        data: its bytes, which may be normalized; of a special token its name.
        starts, ends: for each byte, the start and end of the text's bytes that it comes from.
        special: whether it is a special token.
    """

    data: bytes
    starts: Sequence[int]
    ends: Sequence[int]
    special: bool


class SpecialSplitter:
    """A splitter that cuts special tokens out of text or bytes: the leftmost, then the longest.

    >>> list(SpecialSplitter(["<a>", "<a><b>"]).split_text("x<a><b>y"))
    [('x', False), ('<a><b>', True), ('y', False)]
    """

    is_plain: bool = True
    """Whether it only cuts out special tokens, and does not change the text.

    Then `bytes_regex` finds the same tokens in UTF-8 as `split_text` in the text."""
    by_pieces: bool = True
    """Whether the pieces between two borders of the pattern may be split one by one."""
    uncut_pattern: Pattern | None = None
    """Cuts the texts of `split_uncut` into pretokens, and spaces between them; `None` if the pieces
    of `split_text` need no cut before the pattern's."""

    def __init__(self, special_tokens: Sequence[str]) -> None:
        longest_first = sorted(check_special_tokens(special_tokens), key=len, reverse=True)
        self._texts = longest_first
        self.tokens = frozenset(map(to_bytes, longest_first))
        self.longest = max(map(len, self.tokens), default=0)

    # Compiled when needed: a file can name a hundred thousand tokens.

    @cached_property
    def text_regex(self) -> re.Pattern[str]:
        """A regex of the tokens, for text."""
        return re.compile(self._choice)

    @cached_property
    def bytes_regex(self) -> re.Pattern[bytes]:
        """A regex of the tokens, for bytes."""
        return re.compile(to_bytes(self._choice))

    @property
    def _choice(self) -> str:
        if not self._texts:
            return "(?!)"  # an empty regex would match everywhere; this matches nowhere
        # Python's compiler takes the common beginning out of the tokens in quadratic time.
        begin = os.path.commonprefix(self._texts)  # noqa: RUF071  # they are no paths
        ends = (re.escape(text.removeprefix(begin)) for text in self._texts)
        return f"{re.escape(begin)}(?:{'|'.join(ends)})"

    def only(self, tokens: Collection[str]) -> SpecialSplitter:
        """Return a splitter that cuts out only those of its tokens that are given.

        >>> list(SpecialSplitter(["<a>", "<b>"]).only(["<b>"]).split_text("<a><b>"))
        [('<a>', False), ('<b>', True)]
        """
        return SpecialSplitter([token for token in self._texts if token in tokens])

    def split_text(self, text: str) -> Iterator[tuple[str, bool]]:
        """Yield the pieces of `text` in order, each with whether it is a special token.

        No piece is empty.
        """
        position = 0
        for match in self.text_regex.finditer(text):
            if match.start() > position:
                yield text[position : match.start()], False
            yield match.group(), True
            position = match.end()
        if position < len(text):
            yield text[position:], False

    def split_uncut(self, text: str) -> Iterator[tuple[str, bool]]:
        """Yield the pieces as `split_text`, uncut if there is a pattern for that."""
        return self.split_text(text)

    def aligned(self, text: str, pattern: Pattern) -> Iterator[AlignedPretoken]:
        """Cut a text into special tokens and pretokens, each aligned with the text's bytes.

        >>> from engine.text.patterns import PATTERNS
        >>> found = SpecialSplitter([]).aligned("é to", PATTERNS["gpt2"])
        >>> [(pretoken.data, list(pretoken.starts)) for pretoken in found]
        [(b'\\xc3\\xa9', [0, 1]), (b' to', [2, 3, 4])]
        """
        start = 0
        for pretoken in pretokens(text, pattern, self):
            end = start + len(pretoken.bytes)
            places = range(start, end), range(start + 1, end + 1)
            yield AlignedPretoken(pretoken.bytes, *places, pretoken.special)
            start = end

    def documents(self, data: bytes) -> list[bytes]:
        """Split the bytes at the special tokens; empty documents are included."""
        if len(self.tokens) == 1:  # ten times faster than by a regex
            [token] = self.tokens
            return data.split(token)
        return self.bytes_regex.split(data)


class Pretoken(NamedTuple):
    """A pretoken with its place in the text.

    Attributes:
        text: the characters `text[start:end]` of the text; the first of them if it is cut off.
        start, end: its place in the text, in characters.
        alternative: the branch of the pattern that matched; `None` for a special token, for
            text that no branch matches, and in the lines of an excerpt, which show no branch.
        special: whether it is a special token.
    """

    text: str
    start: int
    end: int
    alternative: Alternative | None
    special: bool = False

    @property
    def bytes(self) -> bytes:
        """The bytes that it was decoded from."""
        return to_bytes(self.text)

    @property
    def is_cut_off(self) -> bool:
        """Whether only the beginning of a long pretoken is kept, to be shown."""
        return len(self.text) < self.end - self.start


def pretokens(text: str, pattern: Pattern, splitter: SpecialSplitter) -> Iterator[Pretoken]:
    """Cut `text` into special tokens and pretokens, which joined are the text again.

    >>> from engine.text.patterns import PATTERNS
    >>> [(p.text, p.alternative.name) for p in
    ...  pretokens("don't stop", PATTERNS["gpt2"], SpecialSplitter([]))]
    [('don', 'letters'), ("'t", 'contraction'), (' stop', 'letters')]
    """
    offset, alternatives = 0, pattern.alternatives
    for piece, special in splitter.split_text(text):
        if special:
            yield Pretoken(piece, offset, offset + len(piece), None, special=True)
        else:
            found = pattern.labelled.finditer(piece)
            matches = ((*match.span(), alternatives[match.lastindex - 1]) for match in found)
            yield from fill_gaps(piece, offset, matches)
        offset += len(piece)


def fill_gaps(
    piece: str, offset: int, matches: Iterable[tuple[int, int, Alternative]]
) -> Iterator[Pretoken]:
    """Yield the pretokens of a piece: its matches, and each stretch of text between two matches.

    Args:
        offset: start of the piece in the text, in characters.
        matches: (start, end, alternative) of each match; empty matches are dropped.
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


# Chunks of a stream


class Chunk(NamedTuple):
    """A part of a stream that can be pretokenized by itself.

    Attributes:
        data: its bytes.
        continues: whether it begins inside a document that has more than whitespace in earlier
            chunks.
        bytes_read: number of bytes of the file read when the chunk was cut; 0 if unknown.
    """

    data: bytes
    continues: bool
    bytes_read: int = 0


NEAR_END = 1 << 14
"""Bytes at the end of a chunk that are searched for its last special token before all of it is."""


NEAR_BORDER = (64, 4096)
"""Bytes at the end of a chunk that are searched for its last border, which is usually there."""


class ChunkCutter:
    """A cutter of a stream of bytes into chunks of about `size` bytes.

    A chunk ends after a special token or at a border of the pattern. It never ends inside a special
    token, or before it is certain which special token begins there. Where no cut is possible (one
    word of a gigabyte, the pattern `none`, a splitter that needs the whole text) the chunk grows.

    >>> from engine.text.patterns import PATTERNS
    >>> cutter = ChunkCutter(PATTERNS["gpt2"], SpecialSplitter(["<s>"]), size=4)
    >>> [chunk.data for chunk in cutter.cut([b"one tw", b"o three"])]
    [b'one', b' two', b' three']

    Attributes:
        continues: whether the last document of the chunks so far has more than whitespace.
    """

    def __init__(self, pattern: Pattern, splitter: SpecialSplitter, size: int) -> None:
        self._cut_regex = pattern.cut_regex
        self._splitter = splitter
        self._size = self._wanted = size
        self._blocks: list[bytes] = []  # joined when there are enough of them
        self._length = 0
        self.continues = False

    def cut(self, blocks: Iterable[bytes]) -> Iterator[Chunk]:
        """Yield the chunks of a stream of blocks, each as soon as it is complete."""
        for block in blocks:
            yield from self.feed(block)
        yield from self.finish()

    def feed(self, block: bytes) -> Iterator[Chunk]:
        """Add a block; yield the chunk that it completes, if any."""
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
            # Searching again after every block would take quadratic time where no cut is possible.
            self._wanted = 2 * len(buffer)

    def finish(self) -> Iterator[Chunk]:
        """Yield the rest as the last chunk, at the end of the stream."""
        if self._length:
            buffer = b"".join(self._blocks)
            yield self._take(buffer, len(buffer), len(buffer))

    def _take(self, buffer: bytes, end: int, document: int) -> Chunk:
        """Take `buffer[:end]` as a chunk; its last document began at `document`."""
        chunk = Chunk(buffer[:end], self.continues)
        begun_before = self.continues and document == 0
        self.continues = begun_before or not is_blank(buffer[document:end])
        self._blocks = [buffer[end:]]
        self._length = len(buffer) - end
        return chunk

    def _last_cut(self, buffer: bytes) -> tuple[int, int]:
        """Return the last safe place to cut (0: none), and the start of the document there."""
        if not self._splitter.by_pieces:
            return 0, 0
        # A special token that begins before `decided` is completely in the buffer, and so is any
        # longer one that could begin at the same place.
        decided = len(buffer) - max(self._splitter.longest - 1, 0)
        after_special = self._end_of_last_special(buffer, decided)
        border = 0
        for reach in (*NEAR_BORDER, decided) if self._cut_regex is not None else ():
            for match in self._cut_regex.finditer(buffer, max(decided - reach, 0), max(decided, 0)):
                border = match.start()
            if border:
                break
        return max(after_special, border), after_special

    def _end_of_last_special(self, buffer: bytes, decided: int) -> int:
        """Return the end of the last special token that begins before `decided`; 0 for none.

        Special tokens are found from the left, and one may begin inside of another. So a search
        from the middle finds the same ones only if it begins at a place that no token is around.
        """
        longest = self._splitter.longest
        if not longest:
            return 0
        regex, end = self._splitter.bytes_regex, 0
        for reach in (NEAR_END, decided):
            start = max(decided - reach, 0)
            if start and regex.search(buffer, max(start - longest + 1, 0), start + longest - 1):
                continue
            for match in regex.finditer(buffer, start):
                if match.start() >= decided:
                    break
                end = match.end()
            if end or not start:
                break
        return end
