"""Compare tokenizers: their tokens and merges, and where they cut one text differently.

All tokenizers cut at the edges that they share. Between two neighbouring shared edges either none
of them cuts, or they differ. So the differences follow from sets of edges alone, whatever the ids
are. Differences that touch are one, as lines of a `diff` make one hunk.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, repeat, zip_longest
from operator import add, eq

import numpy as np

from engine.core.arguments import checked
from engine.core.arrays import Integers, Ints, SmallInts
from engine.core.errors import ComparisonError
from engine.core.events import BytesPair
from engine.encoding.alphabet import ByteAlphabet, WholeTokens
from engine.encoding.lanes import tokens_in
from engine.encoding.merging import columns_of
from engine.encoding.tokenizer import Tokenizer
from engine.text.pretokenize import ChunkCutter, to_bytes, to_text

# -- the edges of a text's tokens, by each tokenizer


def token_lengths(tokenizer: Tokenizer) -> Ints:
    """Return the number of bytes of each token, by id."""
    vocab = tokenizer.vocab
    ids = np.fromiter(vocab, dtype=np.int64, count=len(vocab))
    lengths = np.fromiter(map(len, vocab.values()), dtype=np.float64, count=len(vocab))
    return np.bincount(ids, lengths).astype(np.int64)


def cut_text(tokenizer: Tokenizer, data: bytes) -> Integers:
    """Return the edges of a text's tokens: token n is the bytes `edges[n]` to `edges[n + 1]`.

    If the joined tokens are the text, the edges follow from their lengths. If not, the length of an
    unknown token is not known. Then the text is parted where the parts have the tokens of the
    whole, again and again. In the small parts that are changed each token's place is found.

    Raises:
        ComparisonError: the part of the text that a token covers cannot be found out.
    """
    lengths, kind = token_lengths(tokenizer), np.int32 if len(data) < 2**31 else np.int64
    if _spells(tokenizer):
        chunks = tokenizer.encode_stream_compactly(_blocks(data))
        short = lengths.astype(np.uint16 if lengths.max() < 1 << 16 else kind)
        widths = [np.zeros(1, dtype=short.dtype), *(short[ids] for ids in chunks)]
        return np.concatenate(widths).cumsum(dtype=kind)
    parts, begin = [np.zeros(1, dtype=kind)], 0
    for chunk in ChunkCutter(tokenizer.pattern, tokenizer.rules.splitter, CHUNK).cut(_blocks(data)):
        text = to_text(chunk.data)
        ends = _ends(tokenizer, lengths, text, _encoded(tokenizer, text), begin)
        parts += (each.astype(kind) for each in ends)
        begin += len(chunk.data)
    edges = np.concatenate(parts)
    if len(edges) == 1:
        return np.array([0, len(data)], dtype=kind)
    # Text that was removed at the end belongs to the last token, or is one piece by itself.
    edges[-1] = len(data)
    return edges


CHUNK = 1 << 20
"""Bytes of a text that are encoded together, if it can be cut."""


def _blocks(data: bytes) -> Iterator[bytes]:
    return (data[begin : begin + CHUNK] for begin in range(0, len(data), CHUNK))


SMALL, PARTS = 64, 16
"""Characters of a text that is not parted; into how many parts another one is."""
_SEAM = re.compile(r"[a-z](?= [a-z])|[^\s]\n(?=[A-Za-z0-9])")
"""The end of a part: such places are common, and few tokens reach across."""


def _parts(text: str) -> Iterator[str]:
    """Cut a text into some parts of about the same size."""
    end, size = 0, len(text) // PARTS + 1
    while (seam := _SEAM.search(text, end + size - 1)) is not None:
        yield text[end : seam.end()]
        end = seam.end()
    yield text[end:]


def _encoded(tokenizer: Tokenizer, text: str) -> SmallInts:
    return np.asarray(tokenizer.encode_compactly(text), dtype=np.int32)


def _ends(
    tokenizer: Tokenizer, lengths: Ints, text: str, ids: SmallInts, begin: int
) -> Iterator[Ints]:
    """Yield the ends of the tokens of a text that begins at a byte of another one."""
    if tokenizer.decode_bytes(ids) == to_bytes(text):
        yield lengths[ids].cumsum() + begin
        return
    parts = list(_parts(text)) if len(text) > SMALL else []
    if len(parts) > 1:
        of_parts = [_encoded(tokenizer, part) for part in parts]
        if np.array_equal(np.concatenate(of_parts), ids):
            for part, found in zip(parts, of_parts, strict=True):
                yield from _ends(tokenizer, lengths, part, found, begin)
                begin += len(to_bytes(part))
            return
    ends = np.array([place.end for place in tokens_in(tokenizer.rules, text)], dtype=np.int64)
    if len(ends) != len(ids):
        raise ComparisonError(
            "a tokenizer changes the text so that the part of it that a token covers cannot be "
            "found; compare without a text"
        )
    yield ends + begin


def _spells(tokenizer: Tokenizer) -> bool:
    """Whether the joined tokens are always the text, for any text."""
    vocab, alphabet = tokenizer.vocab.get, tokenizer.alphabet
    whole: Mapping[bytes, int] = {}
    if isinstance(alphabet, WholeTokens):
        whole, alphabet = alphabet.whole, alphabet.inner
    if tokenizer.pipeline is not None or not isinstance(alphabet, ByteAlphabet):
        return False
    single = zip((bytes((byte,)) for byte in range(256)), alphabet.token_ids, strict=True)
    special = ((to_bytes(token), number) for token, number in tokenizer.rules.special_ids.items())
    given = chain(single, whole.items(), special)
    if not all(vocab(number) == text for text, number in given):
        return False
    columns = columns_of(tokenizer.merge_table)
    ids = columns.made, columns.left, columns.right
    tokens, left, right = (map(vocab, column, repeat(b"")) for column in ids)
    return all(map(eq, tokens, map(add, left, right)))


# -- vocabularies and merges


@dataclass(frozen=True)
class Overlap:
    """The tokens that vocabularies share, as bytes without ids and special tokens.

    Attributes:
        sizes: the number of different tokens of each vocabulary.
        shared: the number of tokens that are in all of them.
        only: for each vocabulary the tokens that no other has, in order of its ids.
    """

    sizes: tuple[int, ...]
    shared: int
    only: tuple[tuple[bytes, ...], ...]


def overlap(tokenizers: Sequence[Tokenizer]) -> Overlap:
    """Compare the vocabularies.

    >>> vocab = {byte: bytes([byte]) for byte in range(256)}
    >>> ours, theirs = Tokenizer(vocab | {256: b"ab"}, []), Tokenizer(vocab | {256: b"cd"}, [])
    >>> found = overlap([ours, theirs])
    >>> found.shared, found.only
    (256, ((b'ab',), (b'cd',)))
    """
    ordered = []
    for tokenizer in tokenizers:
        vocab, special = tokenizer.vocab, tokenizer.special_ids
        ordered.append([vocab[number] for number in sorted(vocab) if number not in special])
    sets = [frozenset(tokens) for tokens in ordered]
    only = []
    for place, tokens in enumerate(ordered):
        others: frozenset[bytes] = frozenset().union(*sets[:place], *sets[place + 1 :])
        only.append(tuple(dict.fromkeys(token for token in tokens if token not in others)))
    return Overlap(tuple(map(len, sets)), len(frozenset.intersection(*sets)), tuple(only))


@dataclass(frozen=True)
class MergeListDifference:
    """The first rank at which two lists of merges differ; `None` where a list has ended."""

    rank: int
    merges: tuple[BytesPair | None, BytesPair | None]


def first_merge_difference(one: Tokenizer, other: Tokenizer) -> MergeListDifference | None:
    """Find the first rank at which two lists of merges differ; `None` if they are the same.

    >>> vocab = {byte: bytes([byte]) for byte in range(256)} | {256: b"ab", 257: b"cd"}
    >>> ours = Tokenizer(vocab, [(b"a", b"b"), (b"c", b"d")])
    >>> first_merge_difference(ours, Tokenizer(vocab, [(b"a", b"b")]))
    MergeListDifference(rank=1, merges=((b'c', b'd'), None))
    """
    for rank, merges in enumerate(zip_longest(one.merges, other.merges)):
        if merges[0] != merges[1]:
            return MergeListDifference(rank, merges)
    return None


# -- differences in one text


@dataclass(frozen=True)
class Difference:
    """The bytes `start`…`end` of the text, which are cut differently; all cut at both ends.

    `edges` are the cuts of each tokenizer in between, both ends included.
    """

    start: int
    end: int
    edges: tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Differences:
    """All differences in order, each made when it is asked for.

    Attributes:
        edges: for each tokenizer the edges of its tokens.
        spans: a row (start, end) for each difference.
        agreed: the places where all cut.
    """

    edges: Sequence[Integers]
    spans: Integers
    agreed: Ints

    def __len__(self) -> int:
        return len(self.spans)

    def __iter__(self) -> Iterator[Difference]:
        for start, end in self.spans:
            between = []
            for edges in self.edges:
                first, last = edges.searchsorted(start), edges.searchsorted(end, side="right")
                between.append(tuple(edges[first:last].tolist()))
            yield Difference(int(start), int(end), tuple(between))


def differences(edges: Sequence[Integers], length: int) -> Differences:
    """Find the longest parts of the text that are cut differently throughout.

    Args:
        edges: for each tokenizer the edges of its tokens, with 0 and `length`.
        length: the number of bytes of the text.

    >>> edges = [np.array([0, 2, 3, 5, 6]), np.array([0, 1, 3, 5, 6])]
    >>> list(differences(edges, 6))
    [Difference(start=0, end=3, edges=((0, 2, 3), (0, 1, 3)))]
    """
    cuts = np.zeros(length + 1, dtype=np.uint16)  # the number of tokenizers that cut at each place
    for each in edges:
        cuts[each] += 1  # once, even if several edges are there
    shared = np.flatnonzero(cuts == len(edges))
    disputed = (cuts > 0) & (cuts < len(edges))
    # The part between shared edges n and n + 1 differs if only some tokenizers cut inside it.
    differs = np.zeros(len(shared) + 1, dtype=np.bool_)
    differs[1:-1] = np.logical_or.reduceat(disputed, shared)[:-1]
    begins = np.flatnonzero(differs[1:] & ~differs[:-1])
    ends = np.flatnonzero(differs[:-1] & ~differs[1:])
    spans = np.stack((shared[begins], shared[ends]), axis=1)
    # To be looked up fast they have to be of the type of the edges.
    return Differences(edges, spans.astype(edges[0].dtype), shared)


class TextComparison:
    """A text cut by each of several tokenizers.

    Args:
        tokenizers: two or more; the first is the one that others are measured by.
        data: the text.

    Attributes:
        data: the text.
        edges: for each tokenizer the edges of its tokens, in bytes.
        token_counts: the number of tokens by each.
        bytes_per_token: the compression by each; 0 for an empty text.
        times_first: its number of tokens as a multiple of the first tokenizer's.

    Raises:
        ComparisonError: the part of the text that a token covers cannot be found out.

    >>> vocab = {byte: bytes([byte]) for byte in range(256)} | {256: b"ab"}
    >>> pairs, single = Tokenizer(vocab, [(b"a", b"b")]), Tokenizer(vocab, [])
    >>> comparison = TextComparison([pairs, single], b"abc")
    >>> comparison.token_counts, [(d.start, d.end) for d in comparison.differences]
    ((2, 3), [(0, 2)])
    """

    @checked
    def __init__(self, tokenizers: Sequence[Tokenizer], data: bytes) -> None:
        if not tokenizers:
            raise ComparisonError("a comparison is of at least one tokenizer, and none is given")
        self.data = data
        # One by one: together they would need twice the memory.
        self.edges = [cut_text(each, data) for each in tokenizers]
        self.token_counts = tuple(len(edges) - 1 for edges in self.edges)
        self.bytes_per_token = tuple(
            len(data) / count if count else 0.0 for count in self.token_counts
        )
        first = self.token_counts[0]
        self.times_first = tuple(count / first if first else 0.0 for count in self.token_counts)

    @cached_property
    def differences(self) -> Differences:
        """The parts of the text that are cut differently."""
        return differences(self.edges, len(self.data))

    @cached_property
    def differing_bytes(self) -> int:
        """Number of bytes of the text in all differences."""
        spans = self.differences.spans
        return int((spans[:, 1] - spans[:, 0]).sum())

    @checked
    def agreed_around(self, start: int, end: int) -> tuple[int, int]:
        """Return the smallest part of the text around another at whose ends all cut.

        Args:
            start, end: the other part, in bytes.

        Raises:
            ComparisonError: the text has no such part.
        """
        if not 0 <= start <= end <= len(self.data):
            raise ComparisonError(f"{start} to {end} is no part of {len(self.data):,} bytes")
        agreed = self.differences.agreed
        first = np.searchsorted(agreed, start, side="right") - 1
        return int(agreed[first]), int(agreed[np.searchsorted(agreed, end)])
