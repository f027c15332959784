"""A vocabulary and merges found among plain values, as solutions of courses keep them.

Stanford CS336 asks for `vocab: dict[int, bytes]` and `merges: list[tuple[bytes, bytes]]`, and
everybody keeps them another way: together or apart, as a dict or a tuple, ids first or tokens
first, merges as a list or as a dict with ranks, bytes in several spellings. What is meant is told
by the values alone, in two steps: `find_parts` says which value is what, `read_parts` makes bytes
of them. All of these are the same:

    {"vocab": {"0": "a", "1": "b", "2": "ab"}, "merges": [["a", "b"]]}
    {"merges": {"97,98": 256}}
    [["a", "b", "ab"], [[0, 1]]]
    [{"61": 0, "62": 1, "6162": 2}, ["61 62"]]
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from reprlib import repr as short_repr
from typing import Any, NamedTuple

from engine.core.errors import PatternError, TokenizerFileError
from engine.formats.course_spellings import HOW_TO_SAVE, pair_of_literals, respell
from engine.formats.guesses import pattern_of
from engine.formats.source import LARGEST, Source
from engine.formats.vocab_and_merges import VocabAndMerges
from engine.text.patterns import PATTERNS, Pattern

HIGHEST_ID = 1 << 31


class Parts(NamedTuple):
    """What a solution is, as it was found; `special_tokens` and `pattern` if it tells them."""

    vocab: Any  # None: it follows from merges of ids
    merges: Any  # None: they are missing
    special_tokens: Any = None
    pattern: Any = None


def read_values(
    source: Source, values: Sequence[Any], looked_for: str, special_tokens: Sequence[str] | None
) -> VocabAndMerges:
    """What the values of some files say; `looked_for` tells what there should have been.

    Raises:
        TokenizerFileError: there is no vocabulary with merges, or it cannot be told what is meant.
    """
    parts = find_parts(values)
    if parts is None:
        raise TokenizerFileError(
            f"{source}: holds no vocabulary with merges; {looked_for}; {HOW_TO_SAVE}"
        )
    found = read_parts(str(source), parts)
    return found if special_tokens is None else replace(found, special_tokens=special_tokens)


def find_parts(values: Sequence[Any]) -> Parts | None:
    """The vocabulary and the merges, in this order or the other; `None` if they are not there.

    >>> find_parts([[("a", "b")], {0: "a", 1: "b", 2: "ab"}]).merges
    [('a', 'b')]
    """
    match values:
        case [{"vocab": vocab, "merges": merges, **others}]:
            found = Parts(vocab, merges, others.get("special_tokens"), others.get("pattern"))
            return found if _weight(vocab) + _weight(merges) <= LARGEST else None
        case [{"merges": merges, **others}] if _are_merges_of_ids(merges):
            return Parts(None, merges, others.get("special_tokens"), others.get("pattern"))
        case [merges] if isinstance(merges, Mapping) and _are_merges_of_ids(merges):
            return Parts(None, merges)
        case [{"vocab": vocab, **others}] if _is_vocab(vocab):
            return Parts(vocab, None, others.get("special_tokens"), others.get("pattern"))
        case [vocab] if _is_vocab(vocab):
            return Parts(vocab, None)
        case [[first, second]] | [first, second]:
            if _weight(first) + _weight(second) > LARGEST:
                return None
            for vocab, merges in ((first, second), (second, first)):
                if _could_be_vocab(vocab) and _could_be_merges(merges):
                    return Parts(vocab, merges)
    return None


_IDS = re.compile(r"[\[(]?(\d{1,9}) ?[,_| -] ?(\d{1,9})[\])]?")
"""A pair of ids as text, which the keys of a JSON object are: `32,116`, `(32, 116)`."""


def _pair_of_ids(key: Any) -> tuple[int, int] | None:
    if isinstance(key, str):
        match = _IDS.fullmatch(key)
        return (int(match[1]), int(match[2])) if match else None
    is_pair = isinstance(key, list | tuple) and [*map(type, key)] == [int, int]
    return (key[0], key[1]) if is_pair else None


def _are_merges_of_ids(value: Any) -> bool:
    """Merges that need no vocabulary: pairs of ids, with their ranks or the ids that they make."""
    if isinstance(value, Mapping) and not all(type(made) is int for made in value.values()):
        return False
    is_some = isinstance(value, Mapping | list | tuple) and bool(value)
    return is_some and all(_pair_of_ids(key) is not None for key in value)


def _is_vocab(value: Any) -> bool:
    """Whether it can be nothing but a vocabulary: ids on one side, as many as there are bytes."""
    if not isinstance(value, Mapping) or len(value) < 256 or _weight(value) > LARGEST:
        return False
    return any(all(map(_is_id, side)) for side in (value.keys(), value.values()))


def _is_id(value: Any) -> bool:
    return type(value) is int or (isinstance(value, str) and value.isascii() and value.isdigit())


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
        return bool(value) and not _could_be_merges(value)
    return isinstance(value, list | tuple) and bool(value) and not _could_be_merges(value)


def _could_be_merges(value: Any) -> bool:
    if isinstance(value, Mapping):
        are_pairs = all(_is_key_of_two(key) for key in value)
        return bool(value) and (are_pairs or _are_merges_of_ids(value))
    return isinstance(value, list | tuple) and all(_is_pair(each) for each in value)


def _is_key_of_two(key: Any) -> bool:
    if isinstance(key, str):
        return pair_of_literals(key) is not None
    return isinstance(key, tuple) and len(key) == 2


def _tokens_of(merge: str) -> list[str]:
    return pair_of_literals(merge) or merge.split(" ")


def _is_pair(value: Any) -> bool:
    if isinstance(value, str):
        return len(_tokens_of(value)) == 2
    return isinstance(value, list | tuple) and len(value) == 2


def read_parts(place: str, parts: Parts) -> VocabAndMerges:
    """The vocabulary and the merges of the parts, in bytes.

    Args:
        place: what an error names.

    Raises:
        TokenizerFileError: the parts are malformed.
    """
    return replace(
        _read_merges_of_ids(place, parts.merges)
        if parts.vocab is None
        else respell(place, _by_id(place, parts.vocab), _in_order(place, parts.merges or [])),
        has_merges=parts.merges is not None,
        special_tokens=_read_special_tokens(place, parts.special_tokens),
        pattern=_read_pattern(place, parts.pattern),
    )


def _read_merges_of_ids(place: str, merges: Any) -> VocabAndMerges:
    """The vocabulary that merges of ids make of the 256 bytes, each of which is its own id."""
    pairs = _in_order(place, merges)
    made = sorted(merges.values()) if isinstance(merges, Mapping) else list(range(len(pairs)))
    if made and made[0] < 256:  # ranks
        made = [256 + rank for rank in made]
    vocab = {byte: bytes((byte,)) for byte in range(256)}
    room = LARGEST
    read: list[tuple[bytes, bytes]] = []
    for rank, (new_id, (left, right)) in enumerate(zip(made, pairs, strict=True)):
        if left not in vocab or right not in vocab or new_id in vocab or new_id >= HIGHEST_ID:
            raise TokenizerFileError(
                f"{place}: merge {rank + 1}, of {left} and {right} to {new_id}, names an id that "
                "is no byte and that no merge before makes, or makes one again"
            )
        read.append((vocab[left], vocab[right]))
        vocab[new_id] = vocab[left] + vocab[right]
        room -= len(vocab[new_id])
        if room < 0:
            raise TokenizerFileError(f"{place}: its merges make tokens that are far too long")
    note = "it holds merges of ids only; the ids 0 to 255 are taken for the bytes"
    return VocabAndMerges(place, vocab, read, notes=[note])


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
        ranked = sorted(value, key=value.__getitem__)
        value = [_pair_of_ids(key) or key for key in ranked]
    if not isinstance(value, list | tuple) or not all(map(_is_pair, value)):
        raise TokenizerFileError(
            f"{place}: the merges are no list of pairs{_odd_merge(value)}; {HOW_TO_SAVE}"
        )
    pairs = (_tokens_of(each) if isinstance(each, str) else each for each in value)
    return [(left, right) for left, right in pairs]


def _odd_merge(value: Any) -> str:
    """What the first that is no pair seems to be."""
    if not isinstance(value, list | tuple):
        return ""
    odd = next(each for each in value if not _is_pair(each))
    if isinstance(odd, str) and odd.count(" ") > 1:
        return f": in {odd[:40]!r} it cannot be seen which space stands between two tokens"
    if isinstance(odd, str | bytes | int):
        return f": it is a flat list, with {short_repr(odd)} in it"
    return f": {short_repr(odd)} is one of them"
