"""Compare tokenizers: their tokens and merges, and where they cut one text differently.

All tokenizers cut at the edges that they share. Between two neighbouring shared edges either none
of them cuts, or they differ. So the differences follow from sets of edges alone, whatever the ids
are. Differences that touch are one, as lines of a `diff` make one hunk.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import chain, repeat, zip_longest
from operator import add, eq

import numpy as np

from engine.core.arguments import checked
from engine.core.arrays import Bools, Integers, Ints
from engine.core.errors import ComparisonError
from engine.core.events import BytesPair
from engine.core.systems import available_cores
from engine.encoding.alphabet import ByteAlphabet, WholeTokens
from engine.encoding.lanes import tokens_in
from engine.encoding.tokenizer import Tokenizer
from engine.text.pretokenize import to_bytes, to_text

# -- the edges of a text's tokens, by each tokenizer


def token_lengths(tokenizer: Tokenizer) -> Ints:
    """Return the number of bytes of each token, by id."""
    vocab = tokenizer.vocab
    ids = np.fromiter(vocab, dtype=np.int64, count=len(vocab))
    lengths = np.fromiter(map(len, vocab.values()), dtype=np.float64, count=len(vocab))
    return np.bincount(ids, lengths).astype(np.int64)


def cut_text(tokenizer: Tokenizer, data: bytes) -> Ints:
    """Return the edges of a text's tokens: token n is the bytes `edges[n]` to `edges[n + 1]`.

    If the joined tokens are the text, the edges follow from their lengths. If not, the length of an
    unknown token is not known: then each token's place in the original text is found.

    Raises:
        ComparisonError: the part of the text that a token covers cannot be found out.
    """
    text = to_text(data)
    found = tokenizer.encode_compactly(text)
    ids: Integers = np.asarray(found, dtype=np.int64 if isinstance(found, list) else np.int32)
    if _spells(tokenizer) or tokenizer.decode_bytes(ids.tolist()) == data:
        widths = token_lengths(tokenizer)[ids]
        return np.insert(widths.cumsum(), 0, 0)
    ends = [place.end for place in tokens_in(tokenizer.rules, text)]
    if len(ends) != len(ids):
        raise ComparisonError(
            "a tokenizer changes the text so that the part of it that a token covers cannot be "
            "found; compare without a text"
        )
    # Text that was removed at the end belongs to the last token, or is one piece by itself.
    return np.array([0, *ends[:-1], len(data)], dtype=np.int64)


def _spells(tokenizer: Tokenizer) -> bool:
    """Whether the joined tokens are always the text, for any text."""
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

    edges: Sequence[Ints]
    spans: Ints
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


def differences(edges: Sequence[Ints], length: int) -> Differences:
    """Find the longest parts of the text that are cut differently throughout.

    Args:
        edges: for each tokenizer the edges of its tokens, with 0 and `length`.
        length: the number of bytes of the text.

    >>> edges = [np.array([0, 2, 3, 5, 6]), np.array([0, 1, 3, 5, 6])]
    >>> list(differences(edges, 6))
    [Difference(start=0, end=3, edges=((0, 2, 3), (0, 1, 3)))]
    """
    marks: list[Bools] = []
    for each in edges:
        marks.append(np.zeros(length + 1, dtype=np.bool_))
        marks[-1][each] = True
    common = np.logical_and.reduce(marks)
    disputed = np.logical_or.reduce(marks) & ~common
    shared = np.flatnonzero(common)
    # The part between shared edges n and n + 1 differs if only some tokenizers cut inside it.
    differs = np.zeros(len(shared) + 1, dtype=np.bool_)
    differs[1:-1] = np.logical_or.reduceat(disputed, shared)[:-1]
    begins = np.flatnonzero(differs[1:] & ~differs[:-1])
    ends = np.flatnonzero(differs[:-1] & ~differs[1:])
    return Differences(edges, np.stack((shared[begins], shared[ends]), axis=1), shared)


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
        with ThreadPoolExecutor(available_cores()) as pool:
            self.edges = list(pool.map(partial(cut_text, data=data), tokenizers))
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
