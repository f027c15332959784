"""A vocabulary and merges found among plain values, as solutions of courses keep them.

Stanford CS336 asks for `vocab: dict[int, bytes]` and `merges: list[tuple[bytes, bytes]]`. Solutions
save them in many ways: together or apart, as a dict or a tuple, ids first or tokens first, merges
as a list or as a dict with ranks, bytes in several spellings. The values alone decide, in two
steps: `find_parts` finds out which value is which, `read_parts` makes bytes of them. All of these
are the same:

    {"vocab": {"0": "a", "1": "b", "2": "ab"}, "merges": [["a", "b"]]}
    {"merges": {"97,98": 256}}
    [["a", "b", "ab"], [[0, 1]]]
    [{"61": 0, "62": 1, "6162": 2}, ["61 62"]]
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain
from reprlib import repr as short_repr
from typing import Any, NamedTuple

from engine.core.errors import PatternError, TokenizerFileError
from engine.formats.course_merges import (
    HIGHEST_ID,
    are_merges_of_ids,
    is_pair,
    need_no_vocab,
    pair_of_ids,
    parts_of,
    read_merges_alone,
)
from engine.formats.course_spellings import respell
from engine.formats.guesses import pattern_of
from engine.formats.not_tokenizers import OF_COUNTS, are_counts
from engine.formats.source import HOW_TO_SAVE, LARGEST, TokenizerSource
from engine.formats.tokenizer_format import VocabAndMerges
from engine.text.patterns import PATTERNS, Pattern


class SolutionParts(NamedTuple):
    """The values of a solution, as they were found.

    Attributes:
        vocab: `None` if it follows from the merges.
        merges: `None` if they are missing.
        special_tokens, pattern: `None` if the solution does not give them.
    """

    vocab: Any
    merges: Any
    special_tokens: Any = None
    pattern: Any = None


def read_values(
    source: TokenizerSource, values: Sequence[Any], special_tokens: Sequence[str] | None
) -> VocabAndMerges:
    """Read the values of files.

    Raises:
        TokenizerFileError: there is no vocabulary with merges, or the values are ambiguous.
    """
    parts = find_parts(values)
    if parts is None and _has_counts(values):
        raise TokenizerFileError(f"{source}: is {OF_COUNTS}")
    if parts is None:
        raise TokenizerFileError(
            f"{source}: holds no vocabulary with merges; a dict of ids and tokens and a list of "
            f"pairs are looked for, in one file or two; {HOW_TO_SAVE}"
        )
    found = read_parts(str(source), parts)
    return found if special_tokens is None else replace(found, special_tokens=special_tokens)


def _has_counts(values: Sequence[Any]) -> bool:
    """Whether the only value is a table of texts and their counts."""
    numbers = values[0].values() if len(values) == 1 and isinstance(values[0], Mapping) else ()
    return all(type(each) is int for each in numbers) and are_counts([*numbers])


def find_parts(values: Sequence[Any]) -> SolutionParts | None:
    """Find the vocabulary and the merges, in either order; `None` if they are missing.

    >>> find_parts([[("a", "b")], {0: "a", 1: "b", 2: "ab"}]).merges
    [('a', 'b')]
    """
    match values:
        case [first, second]:
            return _sorted_parts(tidied(first), tidied(second))
        case [[first, second]] if not (_is_merge(first) and _is_merge(second)):
            return _sorted_parts(tidied(first), tidied(second))
        # Only tables count: a number under such a name is the id of a token.
        case [Mapping() as one] if any(
            isinstance(one.get(name), Mapping | list | tuple)
            for name in (*VOCAB_NAMES, *MERGES_NAMES)
        ):
            return _named_parts(one)
        case [one]:
            return _single_part(tidied(one))
    return None


def _is_merge(value: Any) -> bool:
    """Whether it may be a row of merges: a pair, or three ids."""
    return is_pair(value) or _is_three_ids(value)


# Objects that name their tables

VOCAB_NAMES = ("vocab", "id_to_token", "token_to_id", "id_to_bytes", "itos")
MERGES_NAMES = ("merges", "bpe_merges", "bpe_ranks")
"""Usual names of the two tables, the most common first."""


def _table(one: Mapping[Any, Any], names: Sequence[str]) -> Any:
    return tidied(next((one[name] for name in names if name in one), None))


def _named_parts(one: Mapping[Any, Any]) -> SolutionParts | None:
    """Return the parts of an object that names them."""
    vocab, merges = _table(one, VOCAB_NAMES), _table(one, MERGES_NAMES)
    if _weight(vocab) + _weight(merges) > LARGEST:
        return None
    given = one.get("special_tokens"), one.get("pattern")
    if vocab is None:
        return SolutionParts(None, merges, *given) if need_no_vocab(merges) else None
    return SolutionParts(vocab, merges, *given) if merges is not None or _is_vocab(vocab) else None


def _sorted_parts(first: Any, second: Any) -> SolutionParts | None:
    """Return the vocabulary and the merges of two values."""
    if _weight(first) + _weight(second) > LARGEST:
        return None
    for vocab, merges in ((first, second), (second, first)):
        # A vocabulary is a dict, or a list of tokens that are not all pairs.
        is_some = isinstance(vocab, Mapping | list | tuple) and bool(vocab)
        if is_some and not _could_be_merges(vocab) and _could_be_merges(merges):
            return SolutionParts(vocab, merges)
        if _is_vocab(vocab) and isinstance(merges, list | set) and merges:
            return SolutionParts(vocab, merges)  # which are refused by name
    return None


def _single_part(one: Any) -> SolutionParts | None:
    """Return a single value as vocabulary or merges, whichever it is."""
    if _weight(one) > LARGEST:
        return None
    if need_no_vocab(one):
        return SolutionParts(None, one)
    is_vocab = _is_vocab(one) and not _could_be_merges(one)
    return SolutionParts(one, None) if is_vocab else None


# Tables and their rows


def tidied(rows: Any) -> Any:
    """Return rows of three ids, merges with their new ids, as a dict; other values unchanged.

    >>> tidied([[97, 98, 256]]), tidied([["a", "b"]])
    ({(97, 98): 256}, [['a', 'b']])
    """
    if not isinstance(rows, list | tuple) or not rows or not all(map(_is_three_ids, rows)):
        return rows
    found = {(left, right): made for left, right, made in rows}
    return found if len(found) == len(rows) else rows


def _is_three_ids(row: Any) -> bool:
    return isinstance(row, list | tuple) and [*map(type, row)] == [int, int, int]


def _is_vocab(value: Any) -> bool:
    """Whether it is certainly a vocabulary: a dict of at least 256 with ids on one side."""
    if not isinstance(value, Mapping) or len(value) < 256:
        return False
    return any(all(map(_is_id, side)) for side in (value.keys(), value.values()))


def _is_id(value: Any) -> bool:
    return type(value) is int or (isinstance(value, str) and value.isascii() and value.isdigit())


def _weight(value: Any) -> int:
    """Return the sum of the lengths of all tokens.

    A pickle can repeat one long token a million times, so the size of the file is no limit for
    what is built from its values.
    """
    tokens = [*value, *value.values()] if isinstance(value, Mapping) else value
    if not isinstance(tokens, list | tuple):
        return 0
    pairs = (each for each in tokens if isinstance(each, list | tuple) and len(each) == 2)
    parts = chain(tokens, *pairs)
    return sum(len(part) for part in parts if isinstance(part, str | bytes | list | tuple))


def _could_be_merges(value: Any) -> bool:
    if isinstance(value, Mapping):
        are_pairs = all(is_pair(key) and "" not in parts_of(key) for key in value)
        return bool(value) and (are_pairs or are_merges_of_ids(value))
    return isinstance(value, list | tuple) and all(is_pair(each) for each in value)


def read_parts(place: str, parts: SolutionParts) -> VocabAndMerges:
    """Return the vocabulary and the merges of the parts, in bytes.

    Args:
        place: the files, as an error names them.

    Raises:
        TokenizerFileError: the parts are malformed.
    """
    if parts.vocab is not None:
        vocab, merges = _by_id(place, parts.vocab), _in_order(place, parts.merges or [])
        found = respell(place, vocab, merges)
    else:
        found = read_merges_alone(place, parts.merges)
    return replace(
        found,
        has_merges=parts.merges is not None,
        special_tokens=_read_special_tokens(place, parts.special_tokens),
        pattern=_read_pattern(place, parts.pattern),
    )


def _read_special_tokens(place: str, found: Any) -> Sequence[str] | Mapping[str, int] | None:
    """Return the special tokens, as a list or with their ids."""
    match found:
        case None:
            return None
        case dict() if all(isinstance(token, str) for token in found):
            return {token: _id(place, token_id) for token, token_id in found.items()}
        case list() | tuple() | set() if all(isinstance(token, str) for token in found):
            return sorted(found) if isinstance(found, set) else list(found)
    raise TokenizerFileError(f"{place}: its special tokens are no list of text")


def _read_pattern(place: str, found: Any) -> Pattern | None:
    """Return the pattern of a name or a regex."""
    if found is None:
        return None
    if not isinstance(found, str):
        raise TokenizerFileError(f"{place}: its pattern is no text")
    try:
        return PATTERNS[found] if found in PATTERNS else pattern_of(found)
    except PatternError as error:
        raise TokenizerFileError(f"{place}: its pattern cannot be used: {error}") from None


def _by_id(place: str, value: Any) -> dict[int, Any]:
    """Return id → token for a dict in either direction, or a list."""
    if isinstance(value, list | tuple):
        return dict(enumerate(value))
    if not isinstance(value, Mapping) or not value:
        raise TokenizerFileError(f"{place}: the vocabulary is neither a dict nor a list of tokens")
    ids_last = all(type(token_id) is int for token_id in value.values()) or (
        all(map(_is_id, value.values())) and not all(map(_is_id, value))
    )
    pairs = [(v, k) for k, v in value.items()] if ids_last else list(value.items())
    vocab: dict[int, Any] = {}
    for spelled_id, token in pairs:
        token_id = _id(place, spelled_id)
        if token_id in vocab:
            raise TokenizerFileError(f"{place}: the id {token_id} is given to two tokens")
        vocab[token_id] = token
    return vocab


def _id(place: str, spelled: Any) -> int:
    """Return an id, which may be text, as in the keys of a JSON object."""
    digits = str(spelled)[:12] if isinstance(spelled, int | str) else ""
    if isinstance(spelled, bool) or not (digits.isascii() and digits.isdigit()):
        raise TokenizerFileError(f"{place}: {short_repr(spelled)} is no token id")
    if int(digits) >= HIGHEST_ID:
        raise TokenizerFileError(f"{place}: the id {digits} is too high for any vocabulary")
    return int(digits)


def _in_order(place: str, value: Any) -> list[tuple[Any, Any]]:
    """Return the merges in order of rank; a dict is sorted by its ranks or new ids."""
    if isinstance(value, Mapping):
        if not all(type(rank) is int for rank in value.values()):
            raise TokenizerFileError(f"{place}: the merges have ranks that are no numbers")
        ranked = sorted(value, key=value.__getitem__)
        value = [pair_of_ids(key) or key for key in ranked]
    if not isinstance(value, list | tuple) or not all(map(is_pair, value)):
        raise TokenizerFileError(
            f"{place}: the merges are no list of pairs{_odd_merge(value)}; {HOW_TO_SAVE}"
        )
    return [(left, right) for left, right in map(parts_of, value)]


def _odd_merge(value: Any) -> str:
    """Describe the first merge that is not a pair."""
    if isinstance(value, set):
        return ": they are a set, which has no order"
    if not isinstance(value, list | tuple):
        return ""
    odd = next(each for each in value if not is_pair(each))
    if isinstance(odd, str) and odd.count(" ") > 1:
        return f": in {odd[:40]!r} it is not clear which space separates the two tokens"
    if isinstance(odd, str | bytes):
        return (
            f": it is a flat list, with {short_repr(odd)} in it; if it has the tokens that merges "
            "make, the two parts of each are missing"
        )
    if isinstance(odd, int):
        return f": it is a flat list, with {short_repr(odd)} in it"
    return f": {short_repr(odd)} is one of them"
