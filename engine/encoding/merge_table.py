"""From tokens, which are bytes, to their ids: what a tokenizer is made of from vocab and merges."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from engine.alphabets import ByteAlphabet
from engine.core.errors import VocabularyError
from engine.core.events import Pair


def ids_by_bytes(
    vocab: Mapping[int, bytes], special_ids: Iterable[int] = ()
) -> defaultdict[bytes, list[int]]:
    """The ids of each token, ascending; special tokens are never made of others, so not here."""
    ids: defaultdict[bytes, list[int]] = defaultdict(list)
    for token_id in sorted(vocab.keys() - set(special_ids)):
        ids[vocab[token_id]].append(token_id)
    return ids


def byte_alphabet(ids: Mapping[bytes, list[int]]) -> ByteAlphabet:
    return ByteAlphabet(
        [_id_of(ids, bytes((byte,)), "but needs every single byte") for byte in range(256)]
    )


def merge_table(
    ids: Mapping[bytes, list[int]], merges: Sequence[tuple[bytes, bytes]]
) -> dict[Pair, tuple[int, int]]:
    """The merges in ids: pair → (rank, id of what it makes)."""
    table: dict[Pair, tuple[int, int]] = {}
    for rank, (left, right) in enumerate(merges):
        try:
            pair = (ids[left][0], ids[right][0])
            made = ids[left + right][0]
        except LookupError:
            what = f"which merge {rank} ({left!r} + {right!r}) needs"
            pair = (_id_of(ids, left, what), _id_of(ids, right, what))
            made = _id_of(ids, left + right, what)
        table.setdefault(pair, (rank, made))
    return table


def _id_of(ids: Mapping[bytes, list[int]], token: bytes, what: str) -> int:
    if not ids.get(token):
        raise VocabularyError(f"the vocabulary has no token {token!r}, {what}")
    return ids[token][0]
