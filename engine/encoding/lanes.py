"""Three lanes of one text: its characters, its bytes and its tokens, aligned byte by byte.

Tokens are bytes, not characters: one may end in the middle of a character, and a text may hold
bytes that belong to none. Everything here is a span of columns, so the lanes align. There is a
column for each byte, and one for each token that covers no byte, such as a `▁` put in front.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import NamedTuple

from engine.encoding.encoders import RankHeap
from engine.encoding.rules import EncodingRules
from engine.text.pretokenize import to_text, without_stray_surrogates


class TokenPlace(NamedTuple):
    """A token and the bytes of a text that it covers: from `start` to `end`, perhaps none."""

    token_id: int
    start: int
    end: int


def tokens_in(rules: EncodingRules, text: str) -> Iterator[TokenPlace]:
    """Yield the tokens of a text with their places in it, as it was typed.

    Places are in order and do not overlap. Text that no token covers is lost in encoding, such as
    the whitespace between the words of BERT. If several tokens come from one character whose bytes
    are not theirs, the first covers it.

    >>> from engine.encoding.tokenizer import Tokenizer
    >>> vocab = {byte: bytes([byte]) for byte in range(256)} | {256: b"ab"}
    >>> list(tokens_in(Tokenizer(vocab, [(b"a", b"b")]).rules, "abc"))
    [TokenPlace(token_id=256, start=0, end=2), TokenPlace(token_id=99, start=2, end=3)]
    """
    at = 0
    for pretoken in rules.splitter.aligned(without_stray_surrogates(text), rules.pattern):
        special_id = rules.special_ids.get(to_text(pretoken.data)) if pretoken.special else None
        found = [TokenPlace(special_id, 0, len(pretoken.data))] if special_id is not None else None
        for token_id, first, last in found or _tokens_of(rules, pretoken.data):
            start = max(at, pretoken.starts[first]) if first < last else at
            at = max(start, pretoken.ends[last - 1]) if first < last else at
            yield TokenPlace(token_id, start, at)


def _tokens_of(rules: EncodingRules, pretoken: bytes) -> Iterable[TokenPlace]:
    """Return the tokens of a pretoken with their places in it."""
    ids, edges = rules.alphabet.spell(pretoken), rules.alphabet.edges(pretoken)
    places = [TokenPlace(i, *span) for i, span in zip(ids, pairwise(edges), strict=True)]
    if not rules.table:
        return places
    tokens = {place.start: place for place in places}
    for start, end, pair in RankHeap(rules.alphabet, rules.table).merges_at(pretoken):
        if (merge := rules.merge_of(pair)) is None:
            break  # a merge of a later step, as are all that follow
        del tokens[tokens[start].end]
        tokens[start] = TokenPlace(merge[1], start, end)
    return tokens.values()


@dataclass(frozen=True)
class Character:
    """The character at bytes `start` to `end`; `text` is `None` for bytes that are not UTF-8.

    Such bytes are grouped as a decoder does: the bytes of an incomplete character form one.
    """

    start: int
    end: int
    text: str | None


@dataclass(frozen=True)
class Lanes:
    """A text as characters, bytes and tokens, each with the columns that it takes.

    Attributes:
        columns: the byte of each column; `None` for a token that covers no byte.
        characters: cover all bytes, in order.
        tokens: by columns, in order, without overlap; text that is lost in encoding has none.
    """

    columns: tuple[int | None, ...]
    characters: tuple[Character, ...]
    tokens: tuple[TokenPlace, ...]

    def between(self, start: int, end: int) -> bytes:
        """Return the bytes in some columns."""
        return bytes(byte for byte in self.columns[start:end] if byte is not None)


def align(tokens: Iterable[tuple[int, bytes]]) -> Lanes:
    r"""Return the lanes of the text that tokens (id, bytes) make, without those that have no bytes.

    >>> lanes = align([(300, b" \xe6\xbc"), (162, b"\xa2")])   # " 漢" in two tokens
    >>> [(c.start, c.end, c.text) for c in lanes.characters]
    [(0, 1, ' '), (1, 4, '漢')]
    >>> [(t.start, t.end) for t in lanes.tokens]
    [(0, 3), (3, 4)]
    """
    tokens = [(token_id, token) for token_id, token in tokens if token]
    edges = accumulate((len(token) for _, token in tokens), initial=0)
    spans = zip(tokens, pairwise(edges), strict=True)
    places = (TokenPlace(token_id, *span) for (token_id, _), span in spans)
    return align_places(b"".join(token for _, token in tokens), places)


def align_places(data: bytes, places: Iterable[TokenPlace]) -> Lanes:
    """Return the lanes of a text, given its tokens and their places, in order.

    >>> align_places(b"a b", [TokenPlace(7, 0, 0), TokenPlace(5, 0, 1)]).columns
    (None, 97, 32, 98)
    """
    columns: list[int | None] = []
    tokens: list[TokenPlace] = []
    at = 0
    for token_id, start, end in places:
        columns += data[at:start]
        first = len(columns)
        columns += data[start:end] or (None,)
        tokens.append(TokenPlace(token_id, first, len(columns)))
        at = end
    columns += data[at:]
    column_of = [column for column, byte in enumerate(columns) if byte is not None]
    characters = tuple(
        Character(column_of[each.start], column_of[each.end - 1] + 1, each.text)
        for each in _characters(data)
    )
    return Lanes(tuple(columns), characters, tuple(tokens))


def _characters(data: bytes) -> Iterator[Character]:
    place = 0
    while place < len(data):
        rest = data[place:]
        try:
            text, broken = rest.decode(), b""
        except UnicodeDecodeError as error:
            text, broken = rest[: error.start].decode(), rest[error.start : error.end]
        for character in text:
            end = place + len(character.encode())
            yield Character(place, end, character)
            place = end
        if broken:
            yield Character(place, place + len(broken), None)
            place += len(broken)
