"""A vocabulary and merges found among plain values, as solutions of courses keep them.

Stanford CS336 asks for `vocab: dict[int, bytes]` and `merges: list[tuple[bytes, bytes]]`, and
everybody keeps them another way: together or apart, as a dict or a tuple, ids first or tokens
first, merges as a list or as a dict with ranks, bytes in several spellings. What is meant is told
by the values alone, in two steps: `find_parts` says which value is what, `read_parts` makes bytes
of them. All of these are the same:

    {"vocab": {"0": "a", "1": "b", "2": "ab"}, "merges": [["a", "b"]]}
    [["a", "b", "ab"], [[0, 1]]]
    [{"61": 0, "62": 1, "6162": 2}, ["61 62"]]
"""

from __future__ import annotations

from binascii import a2b_base64
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from reprlib import repr as short_repr
from typing import Any, NamedTuple

from engine.core.errors import PatternError, TokenizerFileError
from engine.core.gpt2_bytes import unspell
from engine.formats.guesses import pattern_of
from engine.formats.source import LARGEST
from engine.formats.vocab_and_merges import VocabAndMerges
from engine.text.patterns import PATTERNS, Pattern

# How files write the bytes of a token
#
# A spelling fits if the 256 bytes are all there in it. No two of those below fit the same
# vocabulary: in each the bytes look different. They are tried in their order all the same, so that
# the answer never depends on chance.


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


def _respell(place: str, vocab: Mapping[int, Any], merges: Sequence[Any]) -> VocabAndMerges:
    """The bytes of a vocabulary and its merges, in the first spelling that fits.

    Args:
        vocab: id → token, spelled.
        merges: two tokens each, spelled; or two ids.

    Raises:
        TokenizerFileError: none fits.
    """
    for name, bytes_of in SPELLINGS.items():
        read, texts = _read_vocab(vocab, bytes_of)
        if len({token for token in read.values() if len(token) == 1}) == 256:
            pairs = _read_merges(place, merges, read, bytes_of)
            notes = [f"its tokens are spelled in {name}"]
            return VocabAndMerges(place, read, pairs, texts, notes=notes)
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
    pairs = []
    for rank, (left, right) in enumerate(merges):
        try:
            by_id = type(left) is int and type(right) is int
            pair = (vocab[left], vocab[right]) if by_id else (bytes_of(left), bytes_of(right))
        except (ValueError, KeyError, TypeError, AttributeError):
            raise TokenizerFileError(
                f"{place}: merge {rank + 1:,} is unknown or not spelled as the vocabulary is: "
                f"{short_repr((left, right))}"
            ) from None
        pairs.append(pair)
    return pairs


HIGHEST_ID = 1 << 31


class Parts(NamedTuple):
    """What a solution is, as it was found; `special_tokens` and `pattern` if it tells them."""

    vocab: Any
    merges: Any
    special_tokens: Any = None
    pattern: Any = None


def find_parts(values: Sequence[Any]) -> Parts | None:
    """The vocabulary and the merges, in this order or the other; `None` if they are not there.

    >>> find_parts([[("a", "b")], {0: "a", 1: "b", 2: "ab"}]).merges
    [('a', 'b')]
    """
    match values:
        case [{"vocab": vocab, "merges": merges, **others}]:
            found = Parts(vocab, merges, others.get("special_tokens"), others.get("pattern"))
            return found if _weight(vocab) + _weight(merges) <= LARGEST else None
        case [[first, second]] | [first, second]:
            if _weight(first) + _weight(second) > LARGEST:
                return None
            for vocab, merges in ((first, second), (second, first)):
                if _could_be_vocab(vocab) and _could_be_merges(merges):
                    return Parts(vocab, merges)
    return None


def _weight(value: Any) -> int:
    """The lengths of all tokens, added up.

    A pickle can name one long token a million times: what is built from a value must be bounded by
    more than the size of the file.
    """
    tokens = [*value, *value.values()] if isinstance(value, Mapping) else value
    if not isinstance(tokens, list | tuple):
        return 0
    pairs = (each for each in tokens if isinstance(each, list | tuple) and len(each) == 2)
    return _length(tokens) + sum(map(_length, pairs))


def _length(parts: Sequence[Any]) -> int:
    return sum(len(part) for part in parts if isinstance(part, str | bytes | list | tuple))


def _could_be_vocab(value: Any) -> bool:
    """A dict with ids on one side, or a list of tokens that are not all pairs."""
    if isinstance(value, Mapping):
        return bool(value) and not any(isinstance(key, tuple) and len(key) == 2 for key in value)
    return isinstance(value, list | tuple) and bool(value) and not _could_be_merges(value)


def _could_be_merges(value: Any) -> bool:
    if isinstance(value, Mapping):
        return bool(value) and all(isinstance(key, tuple) and len(key) == 2 for key in value)
    return isinstance(value, list | tuple) and all(_is_pair(each) for each in value)


def _is_pair(value: Any) -> bool:
    if isinstance(value, str):
        return len(value.split(" ")) == 2
    return isinstance(value, list | tuple) and len(value) == 2


def read_parts(place: str, parts: Parts) -> VocabAndMerges:
    """The vocabulary and the merges of the parts, in bytes.

    Args:
        place: what an error names.

    Raises:
        TokenizerFileError: the parts are malformed.
    """
    return replace(
        _respell(place, _by_id(place, parts.vocab), _in_order(place, parts.merges)),
        special_tokens=_read_special_tokens(place, parts.special_tokens),
        pattern=_read_pattern(place, parts.pattern),
    )


def _read_special_tokens(place: str, found: Any) -> Sequence[str] | Mapping[str, int] | None:
    """A list of tokens, or tokens with their ids."""
    match found:
        case None:
            return None
        case dict() if all(isinstance(token, str) for token in found):
            return {token: _id(place, token_id) for token, token_id in found.items()}
        case list() | tuple() if all(isinstance(token, str) for token in found):
            return list(found)
    raise TokenizerFileError(f"{place}: its special tokens are no list of text")


def _read_pattern(place: str, found: Any) -> Pattern | None:
    """A pattern by its name, or a regex."""
    if found is None:
        return None
    if not isinstance(found, str):
        raise TokenizerFileError(f"{place}: its pattern is no text")
    try:
        return PATTERNS[found] if found in PATTERNS else pattern_of(found)
    except PatternError as error:
        raise TokenizerFileError(f"{place}: its pattern cannot be used: {error}") from None


def _by_id(place: str, value: Any) -> dict[int, Any]:
    """id → token, whichever way round they were kept."""
    if isinstance(value, list | tuple):
        return dict(enumerate(value))
    if not isinstance(value, Mapping) or not value:
        raise TokenizerFileError(f"{place}: the vocabulary is neither a dict nor a list of tokens")
    ids_last = all(type(token_id) is int for token_id in value.values())
    pairs = [(v, k) for k, v in value.items()] if ids_last else list(value.items())
    vocab: dict[int, Any] = {}
    for spelled_id, token in pairs:
        token_id = _id(place, spelled_id)
        if token_id in vocab:
            raise TokenizerFileError(f"{place}: the id {token_id} is given to two tokens")
        vocab[token_id] = token
    return vocab


def _id(place: str, spelled: Any) -> int:
    """An id; in JSON the keys of a dict are text."""
    digits = str(spelled)[:12] if isinstance(spelled, int | str) else ""
    if isinstance(spelled, bool) or not (digits.isascii() and digits.isdigit()):
        raise TokenizerFileError(f"{place}: {short_repr(spelled)} is no token id")
    if int(digits) >= HIGHEST_ID:
        raise TokenizerFileError(f"{place}: the id {digits} is too high for any vocabulary")
    return int(digits)


def _in_order(place: str, value: Any) -> list[tuple[Any, Any]]:
    """The merges in order of rank: of a dict pair → rank or new id, by these."""
    if isinstance(value, Mapping):
        if not all(type(rank) is int for rank in value.values()):
            raise TokenizerFileError(f"{place}: the merges have ranks that are no numbers")
        value = sorted(value, key=value.__getitem__)
    if not isinstance(value, list | tuple) or not all(map(_is_pair, value)):
        raise TokenizerFileError(f"{place}: the merges are no list of pairs")
    pairs = (each.split(" ") if isinstance(each, str) else each for each in value)
    return [(left, right) for left, right in pairs]
