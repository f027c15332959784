"""What tokenizers have in common: tokens and merges, and one text, with where its cuts differ.

All tokenizers cut at the edges that they have in common. Between two such edges that are neighbours
either nobody cuts, or they differ. So the differences follow from sets of edges alone, whatever the
ids are. Differences that touch are one, as lines of a `diff` make one hunk.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import accumulate, chain, pairwise, repeat, zip_longest
from operator import add, eq
from typing import overload

import numpy as np
import numpy.typing as npt

from engine.core.arrays import Bools, Integers, Ints
from engine.core.errors import ComparisonError
from engine.core.events import BytesPair
from engine.core.gpt2_bytes import unspell
from engine.core.helper_pool import available_cores
from engine.encoding.alphabet import ByteAlphabet, WholeTokens
from engine.encoding.tokenizer import Tokenizer
from engine.native import KERNEL
from engine.pipeline.normalizers import Aligned
from engine.pipeline.pipeline import Pipeline
from engine.text.pretokenize import to_bytes, to_text
from engine.text.scripts import (
    KIND_NAMES,
    OTHER,
    SHARED,
    WRITTEN_WITHOUT_SPACES,
    Kinds,
    ScriptTable,
)


def token_lengths(tokenizer: Tokenizer) -> Ints:
    """The bytes of each token, by id."""
    vocab = tokenizer.vocab
    lengths = np.zeros(max(vocab, default=-1) + 1, dtype=np.int64)
    ids = np.fromiter(vocab, dtype=np.int64, count=len(vocab))
    lengths[ids] = np.fromiter(map(len, vocab.values()), dtype=np.int64, count=len(vocab))
    return lengths


BLOCK = 1 << 16
"""Tokens whose widths are added up together."""


WORTH_THREADS = 1 << 18
"""Bytes that take longer to encode than threads to start."""


def edges_of_all(tokenizers: Sequence[Tokenizer], data: bytes) -> list[Ints]:
    """The edges by each tokenizer, as `token_spans` tells them.

    Raises:
        ComparisonError: nothing says which part of the text a token stands for.
    """
    # Python's own encoders would only wait for each other.
    threads = available_cores() if KERNEL is not None and len(data) >= WORTH_THREADS else 1
    if threads == 1:
        return [token_spans(tokenizer, data) for tokenizer in tokenizers]
    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(partial(token_spans, data=data), tokenizers))


def token_spans(tokenizer: Tokenizer, data: bytes) -> Ints:
    """The edges of the tokens of a text: token n is `data[edges[n]:edges[n + 1]]`.

    A token that stands for nothing in the text, such as a `▁` put in front, has no width.

    Where the tokens' bytes joined are the text, the edges follow from their lengths. Where not, an
    unknown token does not say how long its character was: then each merge is followed from the
    edges of the alphabet's tokens on. And where a pipeline changes the text before it is cut, its
    alignment leads back to the original.

    Raises:
        ComparisonError: nothing says which part of the text each token stands for.

    >>> vocab = {byte: bytes([byte]) for byte in range(256)} | {256: b"ab"}
    >>> token_spans(Tokenizer(vocab, [(b"a", b"b")]), b"abc").tolist()
    [0, 2, 3]
    """
    text = to_text(data)
    found = tokenizer.encode_compactly(text)
    ids: Integers = np.asarray(found, dtype=np.int64 if isinstance(found, list) else np.int32)
    if _spells(tokenizer) or tokenizer.decode_bytes(ids.tolist()) == data:
        return _ends(token_lengths(tokenizer), ids)
    if isinstance(tokenizer.pipeline, Pipeline):
        ends = list(_aligned(tokenizer, tokenizer.pipeline, text))
    else:
        ends = list(accumulate(_followed(tokenizer, text)))
    if len(ends) != len(ids):
        raise ComparisonError(
            "a tokenizer changes the text so that nothing tells which part of it a token stands "
            "for; compare without a text"
        )
    if not len(ids):
        return np.array([0, len(data)], dtype=np.int64)  # nothing is left of it: one piece
    edges = np.maximum.accumulate(np.array([0, *ends], dtype=np.int64))
    edges[-1] = len(data)  # what is left out at the end belongs to the last token
    return edges


def _ends(lengths: Ints, ids: Integers) -> Ints:
    """0, and where each token ends. Block by block: large arrays are new memory each time."""
    edges = np.zeros(len(ids) + 1, dtype=np.int64)
    for start in range(0, len(ids), BLOCK):
        widths = lengths[ids[start : start + BLOCK]]
        widths[0] += edges[start]
        widths.cumsum(out=edges[start + 1 : start + 1 + len(widths)])
    return edges


def _spells(tokenizer: Tokenizer) -> bool:
    """Whether the tokens of any text joined are the text, so that nobody has to look."""
    vocab, alphabet = tokenizer.vocab.get, tokenizer.alphabet
    whole: Mapping[bytes, int] = {}
    if isinstance(alphabet, WholeTokens):
        whole, alphabet = alphabet.whole, alphabet.inner
    if tokenizer.pipeline is not None or not isinstance(alphabet, ByteAlphabet):
        return False
    rules = tokenizer.rules
    single = zip((bytes((byte,)) for byte in range(256)), alphabet.token_ids, strict=True)
    special = ((to_bytes(token), number) for token, number in rules.special_ids.items())
    given = chain(single, whole.items(), special)
    if not all(vocab(number) == text for text, number in given):
        return False
    lefts, rights = zip(*rules.table, strict=True) if rules.table else ((), ())
    _, made = zip(*rules.table.values(), strict=True) if rules.table else ((), ())
    tokens, left, right = (map(vocab, ids, repeat(b"")) for ids in (made, lefts, rights))
    return all(map(eq, tokens, map(add, left, right)))


def _followed(tokenizer: Tokenizer, text: str) -> Iterator[int]:
    """The bytes of the text that each of its tokens stands for."""
    rules = tokenizer.rules
    for pretoken in rules.pretokens(text):
        if rules.is_special(pretoken):
            yield len(pretoken.bytes)
        else:
            yield from (end - start for start, end in pairwise(_edges(tokenizer, pretoken.bytes)))


def _edges(tokenizer: Tokenizer, pretoken: bytes) -> list[int]:
    """The edges of the tokens of a pretoken, in its own bytes."""
    edges = list(tokenizer.alphabet.edges(pretoken))
    for step in tokenizer.rules.steps(pretoken):
        del edges[step.position + 1]
    return edges


def _aligned(tokenizer: Tokenizer, pipeline: Pipeline, text: str) -> Iterator[int]:
    """Where the tokens end in the original, in bytes; within a character they end behind it."""
    places = [0, *accumulate(len(to_bytes(character)) for character in text)]
    splitter = pipeline.splitter
    for section, added in splitter.aligned_sections(text):
        if added is not None:
            yield places[section.span(0, len(section.text))[1]]
            continue
        cut = pipeline.pre_tokenizer
        for piece in [section] if cut is None else cut.aligned_pieces(section):
            yield from (places[end] for end in _ends_of_piece(tokenizer, piece, splitter.in_bytes))


def _ends_of_piece(tokenizer: Tokenizer, piece: Aligned, in_bytes: bool) -> Iterator[int]:
    """Where the tokens of a piece end, in characters of the original."""
    # In bytes each stand-in is a byte; else a character is as many as it has in UTF-8.
    pretoken = unspell(piece.text) if in_bytes else to_bytes(piece.text)
    widths = [1] * len(pretoken) if in_bytes else [len(to_bytes(c)) for c in piece.text]
    character_at = [place for place, width in enumerate(widths) for _ in range(width)]
    for edge in _edges(tokenizer, pretoken)[1:]:
        yield piece.span(0, character_at[edge - 1] + 1)[1]


@dataclass(frozen=True)
class Overlap:
    """Vocabularies as sets of bytes, special tokens left out; ids do not matter.

    Attributes:
        sizes: how many different tokens each has.
        shared: how many all have.
        only: for each the tokens that no other has, in order of its ids.
        pairwise: `pairwise[a][b]` tokens are in both a and b.
    """

    sizes: tuple[int, ...]
    shared: int
    only: tuple[tuple[bytes, ...], ...]
    pairwise: tuple[tuple[int, ...], ...]


def overlap(tokenizers: Sequence[Tokenizer]) -> Overlap:
    """Compare the vocabularies.

    >>> vocab = {byte: bytes([byte]) for byte in range(256)}
    >>> ours, theirs = Tokenizer(vocab | {256: b"ab"}, []), Tokenizer(vocab | {256: b"cd"}, [])
    >>> found = overlap([ours, theirs])
    >>> found.shared, found.only
    (256, ((b'ab',), (b'cd',)))
    """
    ordered = [_ordinary(tokenizer) for tokenizer in tokenizers]
    sets = [frozenset(tokens) for tokens in ordered]
    only = []
    for place, tokens in enumerate(ordered):
        others: frozenset[bytes] = frozenset().union(*sets[:place], *sets[place + 1 :])
        only.append(tuple(dict.fromkeys(token for token in tokens if token not in others)))
    return Overlap(
        tuple(map(len, sets)),
        len(frozenset.intersection(*sets)),
        tuple(only),
        tuple(tuple(len(one & other) for other in sets) for one in sets),
    )


def _ordinary(tokenizer: Tokenizer) -> list[bytes]:
    """The tokens but for the special ones, in order of ids."""
    vocab, special = tokenizer.vocab, tokenizer.special_ids
    return [vocab[token_id] for token_id in sorted(vocab) if token_id not in special]


@dataclass(frozen=True)
class MergeListDifference:
    """The first rank at which two lists of merges differ; `None` where a list has ended."""

    rank: int
    merges: tuple[BytesPair | None, BytesPair | None]


def first_merge_difference(one: Tokenizer, other: Tokenizer) -> MergeListDifference | None:
    """Where the merges of two tokenizers part; `None` if they are the same.

    >>> vocab = {byte: bytes([byte]) for byte in range(256)} | {256: b"ab", 257: b"cd"}
    >>> ours = Tokenizer(vocab, [(b"a", b"b"), (b"c", b"d")])
    >>> first_merge_difference(ours, Tokenizer(vocab, [(b"a", b"b")]))
    MergeListDifference(rank=1, merges=((b'c', b'd'), None))
    """
    for rank, merges in enumerate(zip_longest(one.merges, other.merges)):
        if merges[0] != merges[1]:
            return MergeListDifference(rank, merges)
    return None


SLICE = 1 << 17
"""Bytes that are looked at together: what is made of them takes thirty times the room, and should
stay near the processor."""


_SPACELESS = np.isin(np.arange(len(KIND_NAMES)), sorted(WRITTEN_WITHOUT_SPACES))


@dataclass(frozen=True)
class ScriptFertility:
    """The words of one script, and the tokens that each tokenizer takes for them."""

    script: str
    words: int
    tokens: tuple[int, ...]

    @property
    def tokens_per_word(self) -> tuple[float, ...]:
        """The fertility of each tokenizer."""
        return tuple(tokens / self.words for tokens in self.tokens)


@dataclass
class _Sums:
    words: Ints
    tokens: Ints = field(repr=False)


def fertility(data: bytes, edges: Sequence[Ints]) -> list[ScriptFertility]:
    """Script by script how many tokens a word takes, the script with the most words first.

    A word is a run of letters and marks of one script; in scripts that are written without spaces
    between words each character is one. Marks and letters that several scripts share go with the
    character before them. A token that reaches into two words counts in both.

    Args:
        data: the text.
        edges: for each tokenizer the edges of its tokens, in bytes.

    >>> [each] = fertility(b"to be", [np.array([0, 1, 2, 5]), np.array([0, 5])])
    >>> each.script, each.words, each.tokens
    ('Latin', 2, (3, 2))
    """
    table = ScriptTable()
    kinds = len(KIND_NAMES)
    sums = _Sums(np.zeros(kinds, np.int64), np.zeros((len(edges), kinds), np.int64))
    for start, end in _slices(data):
        _add(sums, table, data, edges, start, end)
    found = [
        ScriptFertility(name, int(words), tuple(tokens.tolist()))
        for name, words, tokens in zip(KIND_NAMES, sums.words, sums.tokens.T, strict=True)
        if words
    ]
    return sorted(found, key=lambda each: -each.words)


def _slices(data: bytes) -> Iterator[tuple[int, int]]:
    """Stretches that end before a newline or a space, so that no word is cut."""
    start = 0
    while start < len(data):
        wanted = start + SLICE
        places = [place for sign in (b"\n", b" ") if (place := data.find(sign, wanted)) >= 0]
        end = min(places, default=len(data))
        yield start, end
        start = end


def _add(
    sums: _Sums, table: ScriptTable, data: bytes, edges: Sequence[Ints], start: int, end: int
) -> None:
    text = to_text(data[start:end])
    kinds = _shared_as_before(table.kinds(text))
    begins, ends = _words(kinds)
    of_words = kinds[begins]
    places = _byte_places(text)
    first_bytes, last_bytes = places.take(begins), places.take(ends) - 1
    sums.words += np.bincount(of_words, minlength=len(sums.words))
    for row, each in enumerate(edges):
        # Tokens that a word touches: one more than the cuts strictly inside it.
        first, last = np.searchsorted(each, (start, end + 1))
        cuts = np.bincount(each[first:last] - start, minlength=end - start + 1)
        cuts_up_to = cuts.cumsum(dtype=np.int32)
        weights = cuts_up_to.take(last_bytes) - cuts_up_to.take(first_bytes) + 1
        counted = np.bincount(of_words, weights=weights, minlength=len(sums.words))
        sums.tokens[row] += counted.astype(np.int64)


def _shared_as_before(kinds: Kinds) -> Kinds:
    """Shared letters and marks get the kind of the character before; at the start they stay."""
    if not np.any(kinds == SHARED):
        return kinds
    sources = np.where(kinds == SHARED, 0, np.arange(len(kinds)))
    return kinds[np.maximum.accumulate(sources)]


def _words(kinds: Kinds) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Where words begin and end, in characters."""
    is_word: Bools = kinds >= OTHER
    before = np.concatenate((np.zeros(1, np.uint8), kinds[:-1]))
    begins = is_word & ((before != kinds) | _SPACELESS[kinds])
    after = np.append(begins[1:] | ~is_word[1:], True)[: len(kinds)]
    return np.flatnonzero(begins), np.flatnonzero(is_word & after) + 1


def _byte_places(text: str) -> Ints:
    """Where each character begins in UTF-8, and last where the text ends."""
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    # A surrogate stands for one byte that is no UTF-8.
    widths = np.ones(len(codes) + 1, dtype=np.uint8)
    for least in (0x80, 0x800, 0x10000):
        widths[1:] += codes >= least
    widths[1:][(codes >= 0xD800) & (codes < 0xE000)] = 1
    widths[0] = 0
    return widths.cumsum(dtype=np.int64)


@dataclass(frozen=True)
class Difference:
    """The bytes `start`…`end` of the text are cut differently; all cut at both ends.

    `edges` are each tokenizer's cuts in between, both ends included.
    """

    start: int
    end: int
    edges: tuple[tuple[int, ...], ...]

    @property
    def token_counts(self) -> tuple[int, ...]:
        """How many tokens each tokenizer makes of it."""
        return tuple(len(edges) - 1 for edges in self.edges)


class Differences(Sequence[Difference]):
    """All of them in order; each is made when somebody looks at it."""

    def __init__(self, edges: Sequence[Ints], spans: Ints) -> None:
        self._edges = edges
        self.spans = spans  # a row (start, end) for each

    def __len__(self) -> int:
        return len(self.spans)

    @overload
    def __getitem__(self, place: int) -> Difference: ...
    @overload
    def __getitem__(self, place: slice) -> list[Difference]: ...
    def __getitem__(self, place: int | slice) -> Difference | list[Difference]:
        if isinstance(place, slice):
            return [self._at(n) for n in range(len(self))[place]]
        return self._at(range(len(self))[place])

    def _at(self, place: int) -> Difference:
        start, end = self.spans[place].tolist()
        return Difference(
            start, end, tuple(edges_within(edges, start, end) for edges in self._edges)
        )


def edges_within(edges: Ints, start: int, end: int) -> tuple[int, ...]:
    """The edges from `start` to `end`, both included."""
    first, last = np.searchsorted(edges, start), np.searchsorted(edges, end, side="right")
    return tuple(edges[first:last].tolist())


def differences(edges: Sequence[Ints], length: int) -> Differences:
    """The maximal stretches that are not cut alike.

    Args:
        edges: for each tokenizer the edges of its tokens, 0 and `length` among them.
        length: bytes of the text.

    >>> edges = [np.array([0, 2, 3, 5, 6]), np.array([0, 1, 3, 5, 6])]
    >>> differences(edges, 6)[:]
    [Difference(start=0, end=3, edges=((0, 2, 3), (0, 1, 3)))]
    """
    marks = [_marked(each, length) for each in edges]
    common = np.logical_and.reduce(marks)
    disputed = np.logical_or.reduce(marks) & ~common
    shared = np.flatnonzero(common)
    # The stretch between shared edges n and n + 1 differs if something in it is disputed.
    differs = np.zeros(len(shared) + 1, dtype=np.bool_)
    differs[1:-1] = np.logical_or.reduceat(disputed, shared)[:-1]
    begins = np.flatnonzero(differs[1:] & ~differs[:-1])
    ends = np.flatnonzero(differs[:-1] & ~differs[1:])
    return Differences(edges, np.stack((shared[begins], shared[ends]), axis=1))


def _marked(edges: Ints, length: int) -> Bools:
    marks = np.zeros(length + 1, dtype=np.bool_)
    marks[edges] = True
    return marks


class TextComparison:
    """A text cut by each of some tokenizers.

    Attributes:
        data: the text.
        edges: for each tokenizer the edges of its tokens, in bytes.

    >>> vocab = {byte: bytes([byte]) for byte in range(256)} | {256: b"ab"}
    >>> pairs, single = Tokenizer(vocab, [(b"a", b"b")]), Tokenizer(vocab, [])
    >>> comparison = TextComparison([pairs, single], b"abc")
    >>> comparison.token_counts, [(d.start, d.end) for d in comparison.differences]
    ((2, 3), [(0, 2)])
    """

    def __init__(self, tokenizers: Sequence[Tokenizer], data: bytes) -> None:
        self.data = data
        self.edges = edges_of_all(tokenizers, data)

    @property
    def token_counts(self) -> tuple[int, ...]:
        return tuple(len(edges) - 1 for edges in self.edges)

    @property
    def bytes_per_token(self) -> tuple[float, ...]:
        """The compression by each; 0 for an empty text."""
        return tuple(len(self.data) / count if count else 0.0 for count in self.token_counts)

    @cached_property
    def differences(self) -> Differences:
        """The stretches that are not cut alike by all."""
        return differences(self.edges, len(self.data))

    @cached_property
    def differing_bytes(self) -> int:
        """Bytes of the text that stand in a difference."""
        spans = self.differences.spans
        return int((spans[:, 1] - spans[:, 0]).sum())

    @cached_property
    def _agreed(self) -> Ints:
        """Where all cut."""
        marks = np.zeros(len(self.data) + 1, dtype=np.int64)
        for edges in self.edges:
            marks[edges] += 1
        return np.flatnonzero(marks == len(self.edges))

    def agreed_before(self, place: int) -> int:
        """The last place up to this one, in bytes, where all cut."""
        return int(self._agreed[np.searchsorted(self._agreed, place, side="right") - 1])

    def agreed_after(self, place: int) -> int:
        """The first place from this one on where all cut."""
        return int(self._agreed[np.searchsorted(self._agreed, place)])

    @cached_property
    def fertility(self) -> list[ScriptFertility]:
        """Tokens a word, script by script."""
        return fertility(self.data, self.edges)
