"""SentencePiece's models: byte-pair encoding by scores, Unigram with sums of 32 bits, words.

What its library does, to the last bit: see `bpe_model.cc`, `unigram_model.cc`, `word_model.cc`.
"""

from __future__ import annotations

import re
from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import groupby, islice
from typing import ClassVar, NamedTuple

from engine.core.events import Pair
from engine.encoding.alphabet import Alphabet, CharacterAlphabet
from engine.pipeline.models.model import MergingModel, Model, ModelToken
from engine.pipeline.pretokenizers.pretokenizer import PreTokenizer, Span
from engine.pipeline.stage import stage
from engine.text.patterns import Alternative, Pattern
from engine.text.pretokenize import to_bytes, to_text
from engine.unigram.pieces import SPACE

NORMAL, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE = range(1, 7)
"""What a piece is."""


class Piece(NamedTuple):
    """A piece of a model; its id is its place."""

    text: str
    score: float
    kind: int


@stage
class _Pieces(Model):
    """What all of its models have.

    Attributes:
        pieces: in order of their ids; no text twice.
        byte_fallback: whether the bytes of an unknown character are pieces.
    """

    in_tokenizer_json: ClassVar[bool] = False
    pieces: Sequence[Piece]
    byte_fallback: bool = False

    @cached_property
    def vocab(self) -> dict[str, int]:  # type: ignore[override]
        return {piece.text: token_id for token_id, piece in enumerate(self.pieces)}

    @cached_property
    def unknown_id(self) -> int | None:
        kinds = (place for place, piece in enumerate(self.pieces) if piece.kind == UNKNOWN)
        return next(kinds, None)

    def of_kind(self, *kinds: int) -> dict[str, int]:
        """The pieces of these kinds: text → id."""
        pieces = enumerate(self.pieces)
        return {piece.text: token_id for token_id, piece in pieces if piece.kind in kinds}

    @cached_property
    def byte_ids(self) -> list[int] | None:
        """The ids of the 256 bytes, if unknown characters fall back to them."""
        if not self.byte_fallback:
            return None
        return [self.vocab[f"<0x{byte:02X}>"] for byte in range(256)]


@stage
class SentencePieceBPE(_Pieces, MergingModel):
    """Any two neighbours that are a piece together may merge: the highest score first.

    A piece has many ways to be cut in two, and each is a merge here. Only one of them ever comes
    about (see `engine.formats.ranks`), so their order does not matter; but two pieces of one score
    share a rank, and of those the leftmost is merged.

    Attributes:
        merges_pieces: false in a model of characters, which merges nothing.
        most: how many merges there are at the most; `None`: all.
    """

    name = "BPE"
    merges_pieces: bool = True
    most: int | None = None

    def first(self, merges: int) -> SentencePieceBPE:
        return replace(self, most=merges)

    @cached_property
    def merges(self) -> list[tuple[str, str]]:  # type: ignore[override]
        texts = self.texts
        return [(texts[left], texts[right]) for left, right in self.table]

    @cached_property
    def table(self) -> dict[Pair, tuple[int, int]]:
        return dict(islice(self._whole_table.items(), self.most))

    @cached_property
    def _whole_table(self) -> dict[Pair, tuple[int, int]]:
        if not self.merges_pieces:
            return {}
        normal = self.of_kind(NORMAL)
        long = [(self.pieces[i].score, i, text) for text, i in normal.items() if len(text) > 1]
        long.sort(key=lambda row: -row[0])
        table: dict[Pair, tuple[int, int]] = {}
        for _, same_score in groupby(long, key=lambda row: row[0]):
            group = list(same_score)
            rank = len(table)
            for _, token_id, text in group:
                for cut in range(1, len(text)):
                    left, right = normal.get(text[:cut]), normal.get(text[cut:])
                    if left is not None and right is not None:
                        own = rank if len(group) > 1 else len(table)
                        table[left, right] = own, token_id
        return table

    def alphabet(self, in_bytes: bool) -> Alphabet:
        characters = {text: i for text, i in self.of_kind(NORMAL).items() if len(text) == 1}
        inner = CharacterAlphabet(characters, self.byte_ids, self.unknown_id, fuse_unknown=True)
        symbols = self.of_kind(USER_DEFINED)
        return SymbolAlphabet(inner, symbols) if symbols else inner

    def tokens(self, in_bytes: bool) -> dict[int, bytes]:
        found = {token_id: piece.text.encode() for token_id, piece in enumerate(self.pieces)}
        found.update((i, bytes((byte,))) for byte, i in enumerate(self.byte_ids or ()))
        return found


class SymbolAlphabet(Alphabet):
    """An alphabet with symbols that are one token wherever they stand, and never merge.

    >>> inner = CharacterAlphabet({"a": 5, "b": 6}, unknown=0)
    >>> SymbolAlphabet(inner, {"ab": 7}).spell(b"aabb")
    [5, 7, 6]
    """

    def __init__(self, inner: Alphabet, symbols: Mapping[str, int]) -> None:
        self._inner = inner
        self._symbols = dict(symbols)
        longest_first = sorted(symbols, key=lambda text: len(text.encode()), reverse=True)
        self._regex = re.compile(f"({'|'.join(map(re.escape, longest_first))})")

    @property
    def token_ids(self) -> Sequence[int]:
        return [*self._inner.token_ids, *self._symbols.values()]

    def spell(self, pretoken: bytes) -> list[int]:
        ids: list[int] = []
        for text, symbol in self._parts(pretoken):
            ids += self._inner.spell(to_bytes(text)) if symbol is None else [symbol]
        return ids

    def edges(self, pretoken: bytes) -> Sequence[int]:
        edges = [0]
        for text, symbol in self._parts(pretoken):
            start, data = edges[-1], to_bytes(text)
            if symbol is not None:
                edges.append(start + len(data))
            else:
                edges += [start + edge for edge in list(self._inner.edges(data))[1:]]
        return edges

    def _parts(self, pretoken: bytes) -> Iterator[tuple[str, int | None]]:
        for place, text in enumerate(self._regex.split(to_text(pretoken))):
            if text:
                yield text, self._symbols[text] if place % 2 else None


@stage
class _Choosing(_Pieces):
    """A model without merges; a subclass says which pieces a text is cut into."""

    def spans(self, text: str) -> Iterator[tuple[int | None, int, int]]:
        """Each piece with where it begins and ends; the unknown piece as often as it stands."""
        raise NotImplementedError

    def tokenize(self, pretoken: str) -> list[ModelToken]:
        tokens: list[ModelToken] = []
        byte_ids, unknown, texts = self.byte_ids, self.unknown_id, self.texts
        for token_id, start, end in self.spans(pretoken):
            if token_id is not None:
                tokens.append(ModelToken(token_id, texts[token_id], start, end))
            elif byte_ids is not None:
                spelled = [byte_ids[byte] for byte in pretoken[start:end].encode()]
                tokens += [ModelToken(each, texts[each], start, end) for each in spelled]
            elif tokens and tokens[-1].token_id == unknown:  # side by side they are one
                start = tokens.pop().start
                tokens.append(ModelToken(unknown, pretoken[start:end], start, end))
            elif unknown is not None:
                tokens.append(ModelToken(unknown, pretoken[start:end], start, end))
        return tokens


_SMALLEST = 2.0**-126
"""C's FLT_MIN, which SentencePiece begins with to find the greatest score."""
_PENALTY = 10.0


@stage
class SentencePieceUnigram(_Choosing):
    """Takes the segmentation with the highest sum of scores, the sum kept in 32 bits."""

    name = "Unigram"

    @cached_property
    def _scores(self) -> list[float]:
        """What each piece adds; a user-defined symbol nearly as much as its bytes ever could."""
        most = max((p.score for p in self.pieces if p.kind == NORMAL), default=_SMALLEST)
        most = max(most, _SMALLEST)
        return [
            _in_32_bits(len(piece.text.encode()) * most) - 0.1
            if piece.kind == USER_DEFINED
            else piece.score
            for piece in self.pieces
        ]

    @cached_property
    def _unknown_score(self) -> float:
        least = min((p.score for p in self.pieces if p.kind == NORMAL), default=0.0)
        return _in_32_bits(least - _PENALTY)

    @cached_property
    def _known(self) -> dict[str, int]:
        return self.of_kind(NORMAL, USER_DEFINED)

    @cached_property
    def _lengths(self) -> dict[str, list[int]]:
        """The first two characters of pieces → how long they are, ascending."""
        found: defaultdict[str, set[int]] = defaultdict(set)
        for text in self._known:
            if len(text) > 1:
                found[text[:2]].add(len(text))
        return {beginning: sorted(lengths) for beginning, lengths in found.items()}

    def spans(self, text: str) -> Iterator[tuple[int | None, int, int]]:
        best = array("f", bytes(4 * (len(text) + 1)))
        starts = [-1] * (len(text) + 1)
        chosen: list[int | None] = [None] * (len(text) + 1)
        find, scores, lengths_of = self._known.get, self._scores, self._lengths.get

        def arrive(start: int, end: int, token_id: int | None, score: float) -> None:
            score += best[start]
            if starts[end] == -1 or score > best[end]:
                best[end], starts[end], chosen[end] = score, start, token_id

        for start in range(len(text)):
            single = find(text[start])
            if single is not None:
                arrive(start, start + 1, single, scores[single])
            for length in lengths_of(text[start : start + 2], ()):
                token_id = find(text[start : start + length])
                if token_id is not None and start + length <= len(text):
                    arrive(start, start + length, token_id, scores[token_id])
            if single is None:
                score = _in_32_bits(self._unknown_score + best[start])
                if starts[start + 1] == -1 or score > best[start + 1]:
                    best[start + 1], starts[start + 1], chosen[start + 1] = score, start, None
        way, end = [], len(text)
        while end:
            way.append((chosen[end], starts[end], end))
            end = starts[end]
        return reversed(way)


def _in_32_bits(number: float) -> float:
    return array("f", (number,))[0]


_WORD = re.compile(f"{SPACE}[^{SPACE}]*|[^{SPACE}]+")


@stage
class SentencePieceWords(_Choosing):
    """A word is a piece, or else unknown; so is one that is spelled like a control symbol."""

    name = "WordLevel"

    def spans(self, text: str) -> Iterator[tuple[int | None, int, int]]:
        for match in _WORD.finditer(text):
            yield self._words.get(match.group()), *match.span()

    @cached_property
    def _words(self) -> dict[str, int]:
        return self.of_kind(NORMAL, USER_DEFINED, UNUSED, BYTE)


def words_of(tokens: Iterable[str]) -> Pattern | None:
    """A pattern that cuts where no merge of these tokens ever joins; `None`: none is known.

    The library cuts nothing. A merge makes a token, so it never joins a `▁` to a character behind
    which no token has a `▁`: words can be encoded one by one, and remembered.

    >>> words_of(["▁", "a", "▁a"]).split("▁a▁▁ab▁"), words_of(["▁", ">", ">▁"]).split("▁a>▁a▁a")
    (['▁a', '▁▁ab', '▁'], ['▁a>▁a', '▁a'])
    """
    known = set(tokens)
    if SPACE not in known:
        return None
    # All at once, with what no token holds between them: there are hundreds of thousands.
    parts = _BETWEEN.join(known).split(SPACE)
    joined = sorted({part[-1:] for part in parts[:-1]} - {"", _BETWEEN})
    inside = rf"|(?<=[{''.join(map(re.escape, joined))}]){SPACE}+" if joined else ""
    return Pattern(
        "sentencepiece",
        f"words, each with the {SPACE} before it",
        (
            Alternative("word", f"{SPACE}*(?:[^{SPACE}]{inside})+"),
            Alternative(f"{SPACE} at the end", f"{SPACE}+"),
        ),
        (),
    )


_BETWEEN = "\ud800"
"""No text: half of a pair of surrogates."""


@stage
class SentencePieceCuts(PreTokenizer):
    """Cuts into words as a pattern does, for byte-pair encoding; see `words_of`."""

    name = "SentencePiece"
    in_tokenizer_json: ClassVar[bool] = False
    pattern: Pattern

    def spans(self, text: str) -> Iterable[Span]:
        return (match.span() for match in self.pattern.compiled.finditer(text))

    def as_pattern(self) -> Pattern | None:
        return self.pattern
