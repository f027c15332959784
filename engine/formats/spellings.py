"""How files write the bytes of a token, and which way a vocabulary is written.

A spelling fits if the 256 bytes are all there in it and every merge joins two tokens to one that
is there. No two of those below fit the same vocabulary: in each the bytes look different. They are
tried in their order all the same, so that the answer never depends on chance.
"""

from __future__ import annotations

from binascii import a2b_base64
from collections.abc import Callable, Mapping, Sequence
from reprlib import repr as short_repr
from typing import Any, NamedTuple

from engine.core.errors import TokenizerFileError
from engine.core.gpt2_bytes import spell, unspell


def _of_bytes(token: Any) -> bytes:
    if not isinstance(token, bytes):
        raise TypeError("no bytes")
    return token


def _of_numbers(token: Any) -> bytes:
    """`[116, 104]`; `bytes` alone would take a number for a length."""
    if not isinstance(token, list | tuple):
        raise TypeError("no list of numbers")
    return bytes(token)


def _of_hex(token: str) -> bytes:
    if " " in token:  # which `fromhex` passes over
        raise ValueError("a space in it")
    return bytes.fromhex(token)


SPELLINGS: dict[str, Callable[[Any], bytes]] = {
    "bytes": _of_bytes,
    "lists of numbers": _of_numbers,
    "GPT-2's spelling": unspell,
    "latin-1": lambda token: token.encode("latin-1"),
    "hex": _of_hex,
    "base64": lambda token: a2b_base64(token, strict_mode=True),
}
"""Name → the bytes of a token; a `ValueError`, `KeyError`, `TypeError` or `AttributeError` for
what is not written so."""


class Spelled(NamedTuple):
    """A vocabulary and merges in bytes, and how they were spelled.

    `texts` are the tokens that are text and not in the spelling, by id: they can only be special.
    """

    spelling: str
    vocab: dict[int, bytes]
    merges: list[tuple[bytes, bytes]]
    texts: dict[int, str]


def respell(place: str, vocab: Mapping[int, Any], merges: Sequence[tuple[Any, Any]]) -> Spelled:
    """The bytes of a vocabulary and its merges, in the first spelling that fits.

    Args:
        place: what an error names.
        vocab: id → token, spelled.
        merges: two tokens each, spelled; or two ids.

    Raises:
        TokenizerFileError: none fits, or a merge needs a token that is not there.
    """
    for name, bytes_of in SPELLINGS.items():
        read, texts = _read_vocab(vocab, bytes_of)
        if len({token for token in read.values() if len(token) == 1}) == 256:
            pairs = _read_merges(place, merges, read, bytes_of)
            return Spelled(name, read, pairs, texts)
    raise TokenizerFileError(
        f"{place}: the 256 single bytes are not all there, spelled as any of: "
        f"{', '.join(SPELLINGS)}"
    )


def _read_vocab(
    vocab: Mapping[int, Any], bytes_of: Callable[[Any], bytes]
) -> tuple[dict[int, bytes], dict[int, str]]:
    read: dict[int, bytes] = {}
    texts: dict[int, str] = {}
    for token_id, spelled in vocab.items():
        try:
            read[token_id] = bytes_of(spelled)
        except (ValueError, KeyError, TypeError, AttributeError):
            if not isinstance(spelled, str):
                return {}, {}
            texts[token_id] = spelled
    return read, texts


def _read_merges(
    place: str,
    merges: Sequence[tuple[Any, Any]],
    vocab: Mapping[int, bytes],
    bytes_of: Callable[[Any], bytes],
) -> list[tuple[bytes, bytes]]:
    known = set(vocab.values())
    pairs = []
    for rank, (left, right) in enumerate(merges):
        try:
            by_id = type(left) is int and type(right) is int
            pair = (vocab[left], vocab[right]) if by_id else (bytes_of(left), bytes_of(right))
        except (ValueError, KeyError, TypeError, AttributeError):
            raise TokenizerFileError(
                f"{place}: merge {rank} is unknown or not spelled as the vocabulary is: "
                f"{short_repr((left, right))}"
            ) from None
        for token in (*pair, pair[0] + pair[1]):
            if token not in known:
                raise TokenizerFileError(
                    f"{place}: merge {rank} ({spell(pair[0])} {spell(pair[1])}) needs the token "
                    f"{spell(token)}, which the vocabulary does not have"
                )
        pairs.append(pair)
    return pairs
