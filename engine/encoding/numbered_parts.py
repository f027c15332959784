"""The parts of a tokenizer in ids, and the pipeline as a tokenizer sees it.

Ids are found by the bytes of a token. Two things make that harder than inverting a dict: special
tokens may have the bytes of an ordinary token, and merges never make them; and a vocabulary may
have two ids for the same bytes, where the smaller one counts.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import add
from typing import Any, NamedTuple, Protocol

from engine.core.errors import VocabularyError
from engine.core.events import Pair
from engine.core.gpt2_bytes import BYTE_TO_CHAR
from engine.encoding.alphabet import Alphabet, ByteAlphabet, CharacterAlphabet
from engine.encoding.encoders import MergeTable
from engine.encoding.merging import MergesInIds
from engine.text.pretokenize import SpecialSplitter, to_bytes

FirstIds = Mapping[bytes, int]
"""bytes → the smallest id of an ordinary token with these bytes."""
HIGHEST_ID = (1 << 32) - 1
"""The largest id; arrays hold each id in 32 bits, as libraries do."""


class NumberedParts(NamedTuple):
    """The parts of a tokenizer in ids.

    Attributes:
        vocab: id → bytes, special tokens included.
        special_ids: special token → id.
        alphabet: spells a pretoken before any merge.
        table: pair of ids → (rank of its merge, id of its result).
    """

    vocab: dict[int, bytes]
    special_ids: dict[str, int]
    alphabet: Alphabet
    table: MergeTable


def number_parts(
    vocab: Mapping[int, bytes],
    merges: Sequence[tuple[bytes, bytes]] | None,
    special_tokens: Sequence[str] | Mapping[str, int],
    alphabet: Alphabet | None,
    table: MergeTable | None,
) -> NumberedParts:
    """Find the ids of all parts. The arguments are those of `Tokenizer`.

    Raises:
        VocabularyError: a byte or the token of a merge is missing, or an id is out of range.

    >>> vocab = {byte: bytes([byte]) for byte in range(256)} | {256: b"ab"}
    >>> parts = number_parts(vocab, [(b"a", b"b")], ["<s>"], None, None)
    >>> parts.special_ids, parts.table
    ({'<s>': 257}, {(97, 98): (0, 256)})
    """
    vocab = dict(vocab)
    first: FirstIds = {}
    looked_up = vocab
    if isinstance(merges, MergesInIds):
        table, unmade = merges.table, merges.unmade
        looked_up = {i: token for i, token in vocab.items() if len(token) == 1 or i in unmade}
    if isinstance(special_tokens, Mapping):
        special_ids = dict(special_tokens)
        vocab.update({special_ids[token]: to_bytes(token) for token in special_ids})
        if alphabet is None or table is None:
            descending = sorted(looked_up.keys() - set(special_ids.values()), reverse=True)
            first = dict(zip(map(looked_up.__getitem__, descending), descending, strict=True))
    else:
        ids = _ids_by_bytes(looked_up)
        made: set[bytes] = set()
        if merges is None:
            made = {vocab[token_id] for _, token_id in (table or {}).values()}
        elif special_tokens and looked_up is vocab:  # else no merge makes what is looked up
            made = {left + right for left, right in merges}
        special_ids = _number_special_tokens(special_tokens, vocab, ids, made)
        first = {token: known[0] for token, known in ids.items() if known}
    if vocab and not 0 <= min(vocab) <= max(vocab) <= HIGHEST_ID:
        raise VocabularyError(f"an id is negative or larger than {HIGHEST_ID:,}, which none may be")
    if alphabet is None:
        alphabet = _alphabet_of(first)
    if table is None:
        table = _merge_table(first, merges or ())
    return NumberedParts(vocab, special_ids, alphabet, table)


MOST_OF_FEW = 128
"""Most bytes of an alphabet of few; one with more is taken to be all bytes, and lacks some."""


def _alphabet_of(first: FirstIds) -> Alphabet:
    """Return the alphabet of all single bytes; or of few, which leaves out other bytes."""
    every_byte = [bytes((byte,)) for byte in range(256)]
    there = {BYTE_TO_CHAR[token[0]]: first[token] for token in every_byte if token in first}
    if 0 < len(there) <= MOST_OF_FEW:
        return CharacterAlphabet(there, by_byte=True)
    for token in every_byte:
        if token not in first:
            what = f"no token {token!r}, but needs every single byte"
            raise VocabularyError(f"the vocabulary has {what}")
    return ByteAlphabet(list(there.values()))


def _ids_by_bytes(vocab: Mapping[int, bytes]) -> defaultdict[bytes, list[int]]:
    """Return bytes → the ids of the tokens with these bytes, ascending."""
    in_order = sorted(vocab)
    tokens = list(map(vocab.__getitem__, in_order))
    ids = defaultdict(list, zip(tokens, ([token_id] for token_id in in_order), strict=True))
    if len(ids) < len(tokens):
        ids.clear()
        for token_id, token in zip(in_order, tokens, strict=True):
            ids[token].append(token_id)
    return ids


def _number_special_tokens(
    special_tokens: Sequence[str],
    vocab: dict[int, bytes],
    ids: defaultdict[bytes, list[int]],
    made: set[bytes],
) -> dict[str, int]:
    """Find or make an id for each; an ordinary token with the same bytes keeps its own.

    Found ids are removed from `ids`; new ids are added to `vocab`. `made` are the tokens that
    merges make.
    """
    numbered: dict[str, int] = {}
    highest = max(vocab, default=-1)
    for token in special_tokens:
        spelled = to_bytes(token)
        known = ids[spelled]
        is_byte = len(spelled) == 1
        if len(known) > (is_byte or spelled in made):
            # Ids go to the bytes first, then to special tokens, then to merges.
            numbered[token] = known.pop(1 if is_byte else 0)
        else:
            highest += 1
            numbered[token] = highest
            vocab[highest] = spelled
    return numbered


def _merge_table(
    first: FirstIds, merges: Sequence[tuple[bytes, bytes]]
) -> dict[Pair, tuple[int, int]]:
    """Return the merges in ids: pair → (rank, id of the result)."""
    lefts, rights = zip(*merges, strict=True) if merges else ((), ())
    columns = lefts, rights, map(add, lefts, rights)
    try:  # to look for a missing token first would take as long again
        left, right, made = (list(map(first.__getitem__, column)) for column in columns)
    except KeyError as error:
        missing = error.args[0]
        needs = (missing in (*merge, add(*merge)) for merge in merges)
        rank = list(needs).index(True)
        what = f"which merge {rank + 1:,} ({merges[rank][0]!r} + {merges[rank][1]!r}) needs"
        raise VocabularyError(f"the vocabulary has no token {missing!r}, {what}") from None
    pairs = list(zip(left, right, strict=True))
    table = dict(zip(pairs, enumerate(made), strict=True))
    if len(table) != len(pairs):  # of a pair that is listed twice, the first rank counts
        table = {}
        for pair, merge in zip(pairs, enumerate(made), strict=True):
            table.setdefault(pair, merge)
    return table


class PipelineLike(Protocol):
    """The members of `engine.pipeline`'s `Pipeline` that a tokenizer uses."""

    @property
    def added_tokens(self) -> Sequence[Any]: ...

    @property
    def splitter(self) -> SpecialSplitter: ...

    @property
    def model(self) -> Any: ...

    @property
    def merges(self) -> bool: ...

    @property
    def takes_longest(self) -> bool: ...

    @property
    def template_tokens(self) -> tuple[str, ...]: ...

    @property
    def template_ids(self) -> tuple[Sequence[int] | None, ...]: ...

    def first(self, merges: int) -> PipelineLike: ...

    def extended(self, merges: Sequence[tuple[Pair, int]]) -> PipelineLike: ...

    def decode(self, ids: Iterable[int]) -> str: ...

    @property
    def fast_decode(self) -> Callable[[list[int]], str | None] | None: ...
