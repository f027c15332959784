"""SentencePiece's own stages: they do what its library does with a `.model` file.

Hugging Face's stages of the same purpose differ in small things: the choice among several rules of
a normalizer, the rounding of a sum of scores, the treatment of the first space in decoding. So
these are stages of their own, which a `tokenizer.json` cannot hold. See `normalizer.cc`,
`bpe_model.cc`, `unigram_model.cc` and `word_model.cc` in SentencePiece's source.
"""

from __future__ import annotations

import re
import struct
from array import array
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache
from itertools import groupby, islice
from math import inf
from typing import ClassVar, NamedTuple

from engine.core.errors import TokenizerFileError
from engine.core.events import Pair
from engine.encoding.alphabet import Alphabet, CharacterAlphabet
from engine.native import KERNEL
from engine.native.encoding import Spelling, Way
from engine.native.normalizing import KernelNormalizer
from engine.pipeline.decoders import Decoder, Joining
from engine.pipeline.double_array import parts_of_map, text_at, walk_trie
from engine.pipeline.models import MergingModel, Model, ModelToken
from engine.pipeline.normalizers import REMEMBERED, Edit, EditingNormalizer
from engine.pipeline.pretokenizers import PreTokenizer, Span
from engine.pipeline.stage import LONGEST_CONTENT, stage
from engine.text.patterns import Alternative, Mark, Pattern
from engine.text.pretokenize import to_bytes, to_text
from engine.unigram.pieces import unspelled
from engine.unigram.units import SPACE

REMEMBERED_LENGTH = 2
"""Characters of a text whose rule is remembered: few rules are longer."""


class CharacterMap:
    """The rules of a normalizer: a double array of keys, and their replacements.

    Args:
        data: the map in a model: the size of the array, the array, texts that end in NUL.

    Raises:
        TokenizerFileError: it is not such a map.
    """

    def __init__(self, data: bytes) -> None:
        try:
            self.units, self.texts = parts_of_map(data)
            if not self.units:
                raise ValueError("it has no rules")
        except (ValueError, struct.error):
            raise TokenizerFileError("its map of characters is damaged") from None
        if _TOO_LONG.search(self.texts):
            raise TokenizerFileError(
                f"its map of characters makes more than {LONGEST_CONTENT} bytes of one"
            )
        self._at_two = lru_cache(REMEMBERED)(self._look_up)

    def longest(self, text: str, start: int) -> tuple[int, str] | None:
        """Return the end and replacement of the longest rule at a place; `None` if none fits."""
        length, new, is_open = self._at_two(text[start : start + REMEMBERED_LENGTH])
        if is_open:
            # No known model has longer rules.
            length, new, _ = self._look_up(text[start : start + LONGEST_RULE])
        return (start + length, new) if length else None

    def _look_up(self, text: str) -> tuple[int, str, bool]:
        """Return the length and replacement of the longest rule, and if more text may match."""
        data = text.encode("utf-8", "surrogatepass")
        key = value = reached = 0
        for reached, found in walk_trie(self.units, data):
            if found is not None:
                key, value = reached, found
        is_open = reached == len(data)
        if key == 0:
            return 0, "", is_open
        characters = len(data[:key].decode("utf-8", "ignore"))
        return characters, text_at(self.texts, value), is_open


character_map = lru_cache(2)(CharacterMap)
"""Returns the map of a model, made once to be checked and to be used."""
_TOO_LONG = re.compile(rb"[^\0]{%d}" % (LONGEST_CONTENT + 1))
LONGEST_RULE = 64
"""Characters of the longest rule; SentencePiece's builder allows 32 rules that begin alike."""


@stage
class SentencePieceNormalizer(EditingNormalizer):
    """Replaces by the rules of a model and marks spaces.

    Attributes:
        charsmap: the rules; empty if there are none.
        kept: user-defined symbols, which stay as they are.
        add_dummy_prefix: whether a text gets a space in front, or behind with `space_behind`.
        remove_extra_whitespaces: whether runs of spaces become one, and none at the ends.
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
        return character_map(self.charsmap) if self.charsmap else None

    @cached_property
    def _kept_at(self) -> Callable[[str, int], re.Match[str] | None]:
        longest_first = sorted(self.kept, key=lambda text: len(text.encode()), reverse=True)
        return re.compile("|".join(map(re.escape, longest_first))).match

    @cached_property
    def _kernel(self) -> KernelNormalizer | None:
        if KERNEL is None:
            return None
        units, texts = (self._map.units, self._map.texts) if self._map else ((), b"")
        kept = filter(None, set(self.kept))
        settings = self.remove_extra_whitespaces, self.escape_whitespaces
        return KernelNormalizer(units, texts, kept, *settings)

    def normalize(self, text: str) -> str:
        if self._kernel is None:
            return super().normalize(text)
        try:
            data = text.encode()
        except UnicodeEncodeError:
            data = SURROGATE.sub(_NO_UTF_8, text).encode("utf-8", "surrogateescape")
        found = self._kernel.run(data)
        if found is None and (self.remove_extra_whitespaces or not text):
            return ""
        mark = SPACE if self.escape_whitespaces else " "
        normal = mark * len(text) if found is None else found.decode("utf-8", "replace")
        if self.remove_extra_whitespaces:
            normal = normal.rstrip(mark)
        if not self.add_dummy_prefix:
            return normal
        if self.space_behind:
            return normal + mark
        return mark + normal if normal or not self.remove_extra_whitespaces else ""

    def edits(self, text: str) -> Iterator[Edit]:
        removes, mark = self.remove_extra_whitespaces, SPACE if self.escape_whitespaces else " "
        found = list(self._replaced(text))
        if not found or (removes and all(edit.new == " " for edit in found)):
            if text:
                yield Edit(0, len(text), "")
            return
        # Remove spaces after spaces and mark the others; then remove those at the end.
        after_space, rows = removes, []
        for start, end, new in found:
            if after_space:
                new = new.lstrip(" ")
            if new:
                after_space = removes and new.endswith(" ")
            rows.append(Edit(start, end, new.replace(" ", mark)))
        place = len(rows) - 1 if removes else -1
        while place >= 0:
            rows[place] = rows[place]._replace(new=rows[place].new.rstrip(mark))
            if rows[place].new:
                break
            place -= 1
        # If no text is left, the space in front is removed with the last spaces.
        is_left = not removes or any(edit.new for edit in rows)
        if self.add_dummy_prefix and not self.space_behind and is_left:
            yield Edit(0, 0, mark)
        for edit in rows:
            if edit.new != text[edit.start : edit.end]:
                yield edit
        if self.add_dummy_prefix and self.space_behind:
            yield Edit(len(text), len(text), mark)

    def _replaced(self, text: str) -> Iterator[Edit]:
        """Yield an edit for each stretch, before spaces are treated."""
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
                found = start + 1, "\ufffd" if SURROGATE.match(character) else character
            yield Edit(start, *found)
            start = found[0]


SURROGATE = re.compile("[\ud800-\udfff]")
_NO_UTF_8 = "\udcff"
"""Becomes the byte FF, which no rule has."""
_BYTE = re.compile("<0x([0-9A-F]{2})>")


@stage
class SentencePieceDecoder(Decoder):
    """Drops tokens without text, and the space that encoding put in front.

    Attributes:
        silent: control symbols.
        unknown, unknown_text: the unknown piece, and its text.
        takes_first_space: whether encoding has added the first space, which is dropped then.
        takes_first_spaces: whether all spaces in front are dropped.
        has_bytes: whether `<0x41>` is a byte.
        afterwards: normalizes the decoded text; `None` to leave it.
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

    def joining(self) -> Joining:
        def of_token(token: str) -> bytes | None:
            # A token without text parts the bytes on either side.
            return self._bytes_of(token) or (None if self.has_bytes else b"")

        return Joining(of_token, lambda data: self._finished(_text_of(data)), self._begin)

    def _bytes_of(self, token: str) -> bytes:
        if self.has_bytes and _BYTE.fullmatch(token):
            return bytes((int(token[3:5], 16),))
        if token in self.silent:
            return b""
        return (self.unknown_text if token == self.unknown else unspelled(token)).encode()

    def _begin(self, tokens: Iterable[str]) -> tuple[int, str]:
        """Return the number of first tokens until a space may stay, and their text."""
        drops, count = self.takes_first_space or self.takes_first_spaces, 0
        for count, token in enumerate(tokens, start=1):
            if drops and token not in (self.unknown, *self.silent) and token.startswith(SPACE):
                text = unspelled(token[1:])
                if text or not self.takes_first_spaces:
                    return count, text
            elif self._bytes_of(token):
                return count - 1, ""
        return count, ""

    def _finished(self, text: str) -> str:
        return text if self.afterwards is None else self.afterwards.normalize(text)

    def decode_tokens(self, tokens: list[str]) -> list[str]:
        count, text = self._begin(tokens)
        for _, run in groupby(map(self._bytes_of, tokens[count:]), key=bool):
            text += _text_of(b"".join(run))
        return [self._finished(text)]


def _text_of(data: bytes) -> str:
    return SURROGATE.sub("\ufffd", to_text(data))


NORMAL, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE = range(1, 7)
"""Kinds of pieces."""


class ScoredPiece(NamedTuple):
    """A piece of a model; its place is its id."""

    text: str
    score: float
    kind: int


@stage
class _SentencePieceModel(Model):
    """The base of SentencePiece's models.

    Attributes:
        pieces: in order of their ids; no text twice.
        byte_fallback: whether the bytes of an unknown character are pieces.
    """

    in_tokenizer_json: ClassVar[bool] = False
    pieces: Sequence[ScoredPiece]
    byte_fallback: bool = False

    @cached_property
    def vocab(self) -> dict[str, int]:  # type: ignore[override]
        return {piece.text: token_id for token_id, piece in enumerate(self.pieces)}

    @cached_property
    def unknown_id(self) -> int | None:
        kinds = (place for place, piece in enumerate(self.pieces) if piece.kind == UNKNOWN)
        return next(kinds, None)

    def of_kind(self, *kinds: int) -> dict[str, int]:
        """Return the pieces of these kinds: text → id."""
        pieces = enumerate(self.pieces)
        return {piece.text: token_id for token_id, piece in pieces if piece.kind in kinds}

    @cached_property
    def byte_ids(self) -> list[int] | None:
        """Ids of the 256 bytes if unknown characters fall back to them; else `None`."""
        if not self.byte_fallback:
            return None
        return [self.vocab[f"<0x{byte:02X}>"] for byte in range(256)]


@stage
class SentencePieceBPE(_SentencePieceModel, MergingModel):
    """Merges any two neighbours that form a piece, the highest score first.

    A piece can be cut in two in several ways, and each is a merge here. Only one of them ever
    occurs (see `engine.formats.merges_of_ranks`), so their order does not matter: the one with the
    longest left part is first, as in files that are converted to `tokenizer.json`. But pieces of
    equal score share a rank, and then the leftmost is merged.

    Attributes:
        merges_pieces: false in a model of characters, which merges nothing.
        most: the greatest number of merges; `None` for all.
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
    def table(self) -> dict[Pair, tuple[int, int]]:  # type: ignore[override]
        if not self.merges_pieces:
            return {}
        normal = self.of_kind(NORMAL)
        by_score: dict[float, list[str]] = {}
        for text, token_id in normal.items():
            if len(text) > 1:
                by_score.setdefault(self.pieces[token_id].score, []).append(text)
        table: dict[Pair, tuple[int, int]] = {}
        for score in sorted(by_score, reverse=True):
            group, rank = by_score[score], len(table)
            for text in group:
                for cut in reversed(range(1, len(text))):
                    left, right = normal.get(text[:cut]), normal.get(text[cut:])
                    if left is not None and right is not None:
                        own = rank if len(group) > 1 else len(table)
                        table[left, right] = own, normal[text]
        return dict(islice(table.items(), self.most))

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
    """An alphabet with symbols that are always one token and never merge.

    >>> inner = CharacterAlphabet({"a": 5, "b": 6}, unknown=0)
    >>> alphabet = SymbolAlphabet(inner, {"ab": 7})
    >>> alphabet.spell(b"aabb"), alphabet.edges(b"aabb")
    ([5, 7, 6], [0, 1, 3, 4])
    """

    def __init__(self, inner: Alphabet, symbols: Mapping[str, int]) -> None:
        self._inner = inner
        self.unit = inner.unit
        self._symbols = dict(symbols)
        longest_first = sorted(symbols, key=lambda text: len(text.encode()), reverse=True)
        self._regex = re.compile(f"({'|'.join(map(re.escape, longest_first))})")
        self.token_ids = [*inner.token_ids, *symbols.values()]

    @property
    def spelling(self) -> Spelling | None:
        inner = self._inner.spelling
        return inner and inner._replace(ids={**inner.ids, **self._symbols})

    @property
    def beginning(self) -> str:
        return self._inner.beginning

    @property
    def exceptions(self) -> str:
        own = "a user-defined symbol is one token, too"
        return "; ".join(filter(None, (own, self._inner.exceptions)))

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
class _SegmentingModel(_SentencePieceModel):
    """A model without merges; a subclass chooses the pieces of a text."""

    def spans(self, text: str) -> Iterator[tuple[int | None, int, int]]:
        """Yield the id (`None`: unknown), start and end of each piece."""
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
            elif tokens and tokens[-1].token_id == unknown:  # adjacent unknown texts are one token
                start = tokens.pop().start
                tokens.append(ModelToken(unknown, pretoken[start:end], start, end))
            elif unknown is not None:
                tokens.append(ModelToken(unknown, pretoken[start:end], start, end))
        return tokens


_PENALTY = 10.0
_GREATEST = (2 - 2.0**-23) * 2.0**127
"""C's FLT_MAX, SentencePiece's initial value of the least score."""
_BONUS = 0.1
"""Score of each byte but the first of a user-defined symbol, so that the longest one wins."""
_FARTHEST = 100_000.0
"""Sum of scores beyond which all sums are counted from there, so that 32 bits keep their digits."""


@stage
class SentencePieceUnigram(_SegmentingModel):
    """Takes the segmentation with the highest sum of scores, which has 32 bits.

    Each sum is rounded before it is compared, as by SentencePiece since version 0.2.2. Older
    versions compared it in 64 bits, never counted anew, and gave symbols a larger score.

    Attributes:
        in_64_bits: whether sums have 64 bits, symbols score 0, and nothing is counted anew, as in
            llama.cpp.
    """

    name = "Unigram"
    in_64_bits: bool = False

    @cached_property
    def _known(self) -> dict[str, int]:
        return self.of_kind(NORMAL, USER_DEFINED)

    @cached_property
    def _scores(self) -> list[float]:
        """The score of each piece, and last that of unknown text."""
        normal = [piece.score for piece in self.pieces if piece.kind == NORMAL]
        bonus = 0.0 if self.in_64_bits else _BONUS
        scores = [
            _in_32_bits(bonus * (len(piece.text.encode()) - 1))
            if piece.kind == USER_DEFINED
            else piece.score
            for piece in self.pieces
        ]
        worst = min(normal, default=_GREATEST)
        return [*scores, _in_32_bits(worst - _PENALTY)]

    @cached_property
    def _lengths(self) -> dict[str, list[int]]:
        """First two characters of pieces → the lengths of these pieces, the shortest first."""
        found: defaultdict[str, set[int]] = defaultdict(set)
        for text in self._known:
            found[text[:2]].add(len(text))
        return {beginning: sorted(each) for beginning, each in found.items()}

    @property
    def spelling(self) -> Spelling:
        return Spelling(
            Way.BEST_SUM,
            self._known,
            self.byte_ids,
            self.unknown_id,
            in_32_bits=not self.in_64_bits,
            scores=self._scores,
        )

    def spans(self, text: str) -> Iterator[tuple[int | None, int, int]]:
        width, farthest = ("d", inf) if self.in_64_bits else ("f", _FARTHEST)
        places = len(text) + 1
        best = array(width, [0.0]) * places
        starts = [-1] * places
        chosen: list[int | None] = [None] * places
        find, lengths_of, scores = self._known.get, self._lengths.get, self._scores
        rounded = array(width, [0.0])
        reached = 0

        def arrive(start: int, end: int, token_id: int | None, score: float) -> None:
            nonlocal reached
            rounded[0] = score + best[start]
            if starts[end] == -1 or rounded[0] > best[end]:
                best[end], starts[end], chosen[end] = rounded[0], start, token_id
                reached = max(reached, end)

        for start in range(len(text)):
            if abs(best[start]) > farthest:
                origin = best[start]
                for place in range(start, reached + 1):
                    best[place] -= origin
            single = find(text[start])
            if single is not None:
                arrive(start, start + 1, single, scores[single])
            for length in lengths_of(text[start : start + 2], ()):
                token_id = find(text[start : start + length])
                if token_id is not None and start + length <= len(text):
                    arrive(start, start + length, token_id, scores[token_id])
            if single is None:
                arrive(start, start + 1, None, scores[-1])
        way, end = [], len(text)
        while end:
            way.append((chosen[end], starts[end], end))
            end = starts[end]
        return reversed(way)


def _in_32_bits(number: float) -> float:
    return array("f", (number,))[0]


_WORD = re.compile(f"{SPACE}[^{SPACE}]*|[^{SPACE}]+")


@stage
class SentencePieceWords(_SegmentingModel):
    """Takes a word as one piece; any other word, or a symbol that no text spells, is unknown.

    Until version 0.2.1 of SentencePiece, unused pieces and those of bytes counted as words.
    """

    name = "WordLevel"

    def spans(self, text: str) -> Iterator[tuple[int | None, int, int]]:
        for match in _WORD.finditer(text):
            yield self._words.get(match.group()), *match.span()

    @cached_property
    def _words(self) -> dict[str, int]:
        return self.of_kind(NORMAL, USER_DEFINED)


def word_pattern(tokens: Iterable[str]) -> Pattern | None:
    """Return a pattern that cuts only where no merge of these tokens joins; `None` if none is
    known.

    SentencePiece's library cuts nothing. But a merge makes a token. So if no token has a `▁` after
    a certain character, no merge joins the two, and the text can be cut there. Words can then be
    encoded one by one, and remembered.

    >>> word_pattern(["▁", "a", "▁a"]).split("▁a▁▁ab▁")
    ['▁a', '▁▁ab', '▁']
    >>> word_pattern(["▁", ">", "b>▁"]).split("▁a>▁a▁b▁a")
    ['▁a>▁a', '▁b', '▁a']
    """
    known = set(tokens)
    if SPACE not in known:
        return None
    # There are hundreds of thousands, so they are split all at once, joined by `_BETWEEN`.
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
        Mark("" if joined else SPACE, in_runs=True),
    )


_BETWEEN = "\ud800"
"""Half of a surrogate pair, which no token holds."""


@stage
class SentencePieceCuts(PreTokenizer):
    """Cuts into words as a pattern does, for byte-pair encoding; see `word_pattern`."""

    name = "SentencePiece"
    in_tokenizer_json: ClassVar[bool] = False
    pattern: Pattern

    def spans(self, text: str) -> Iterable[Span]:
        return (match.span() for match in self.pattern.compiled.finditer(text))

    def as_pattern(self) -> Pattern | None:
        return self.pattern
