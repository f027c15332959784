r"""Merges without a vocabulary, which they determine: the 256 bytes and a token for each merge.

    [["l", "o"], ["lo", "w"]]      [[108, 111], [256, 119]]      {"108,111": 256, "256,119": 257}

Merges may also be lines of two ids, or of three with that of the new token:

    108 111                        108,111,256
    256 119                        256,119,257
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import Any

from engine.core.errors import TokenizerFileError
from engine.formats.course_spellings import SPELLINGS, are_in_order, pair_of_literals, try_merges
from engine.formats.source import HEAD, LARGEST, read_lines
from engine.formats.tokenizer_format import TokenPairs, VocabAndMerges

HIGHEST_ID = 1 << 31


# Lines of ids

_LINE_OF_IDS = re.compile(r"\d{1,9}(?:[,\s]\s*\d{1,9}){1,2}")


def _ids_of(line: str) -> list[int] | None:
    """Return the ids of a line; none for a comment or a blank line; `None` for another line."""
    content = line.partition("#")[0].strip()
    if content and not _LINE_OF_IDS.fullmatch(content):
        return None
    return [*map(int, re.findall(r"\d+", content))]


def begins_with_ids(head: str) -> bool:
    """Whether a text begins with merges in lines of ids, which exist by then.

    >>> begins_with_ids("108 111\\n256 119"), begins_with_ids("59 51 101\\n101 3 102")
    (True, True)
    >>> begins_with_ids("1984 7\\n2001 9")
    False
    """
    lines = head.split("\n")
    if len(head.encode()) >= HEAD - 3:
        del lines[-1]  # it may be incomplete
    rows = [ids for line in lines if (ids := _ids_of(line)) != []]
    if len(rows) < 2 or rows[0] is None:
        return False
    first = rows[0][2] if len(rows[0]) == 3 else 256
    return all(
        row is not None
        and len(row) == len(rows[0])
        and max(row[:2]) < first + place
        and row[2:] in ([], [first + place])
        for place, row in enumerate(rows)
    )


def read_id_lines(path: Path) -> list[list[int]]:
    """Read merges from lines of ids.

    Raises:
        TokenizerFileError: a line is something else, or has not as many ids as the first one.
    """
    rows: list[list[int]] = []
    for number, line in enumerate(read_lines(path), start=1):
        ids = _ids_of(line)
        if ids is None or (ids and rows and len(ids) != len(rows[0])):
            raise TokenizerFileError(
                f"{path}: its lines are merges of ids, and line {number} is {line[:60]!r}"
            )
        rows += [ids] if ids else []
    return rows


# Recognition


_IDS = re.compile(r"[\[(]?(\d{1,9})[, ] ?(\d{1,9})[\])]?")
"""A pair of ids as text, as in the keys of a JSON object: `32,116`, `(32, 116)`."""


def pair_of_ids(key: Any) -> tuple[int, int] | None:
    """Return two ids that are a pair or a text of them; `None` for anything else."""
    if isinstance(key, str):
        match = _IDS.fullmatch(key)
        return (int(match[1]), int(match[2])) if match else None
    is_two = isinstance(key, list | tuple) and [*map(type, key)] == [int, int]
    return (key[0], key[1]) if is_two else None


def parts_of(merge: Any) -> Any:
    """Return the two tokens of a merge, which may be a text; or more, if it is not clear which."""
    return pair_of_literals(merge) or merge.split(" ") if isinstance(merge, str) else merge


def is_pair(value: Any) -> bool:
    """Whether a value is a pair, or a text with one space in it."""
    parts = parts_of(value)
    return isinstance(parts, list | tuple) and len(parts) == 2


def need_no_vocab(merges: Any) -> bool:
    """Whether these are merges that determine the vocabulary."""
    if are_merges_of_ids(merges):
        return True
    is_list = isinstance(merges, list | tuple) and bool(merges)
    return is_list and all(map(is_pair, merges)) and _reading(merges) is not None


def are_merges_of_ids(value: Any) -> bool:
    """Whether these are pairs of ids, with or without ranks or new ids."""
    if isinstance(value, Mapping) and not all(type(made) is int for made in value.values()):
        return False
    is_some = isinstance(value, Mapping | list | tuple) and bool(value)
    return is_some and all(pair_of_ids(key) is not None for key in value)


def _reading(merges: Sequence[Any]) -> tuple[str, TokenPairs] | None:
    """Return the spelling in which each merges tokens that exist by then, and the merges in it.

    Bytes need no spelling. No merges have two: in hex and in Python's literals a byte is longer
    than a character, and GPT-2's spelling and latin-1 agree where both have a character.
    """
    pairs = [*map(parts_of, merges)]
    for name, bytes_of in SPELLINGS.items():
        read = try_merges(pairs, {}, bytes_of)
        if read is not None and (name == "bytes" or are_in_order(read)):
            return name, read
    return None


# Reading


def read_merges_alone(place: str, merges: Any) -> VocabAndMerges:
    """Return merges with the vocabulary that they determine.

    Raises:
        TokenizerFileError: they merge a token that does not exist yet.
    """
    if are_merges_of_ids(merges):
        return _read_merges_of_ids(place, merges)
    found = _reading(merges)
    assert found is not None  # `need_no_vocab` has looked
    name, pairs = found
    tokens = dict.fromkeys(bytes((byte,)) for byte in range(256))
    tokens |= dict.fromkeys(left + right for left, right in pairs)
    note = "it holds merges only; its ids are taken to be the bytes, then one for each merge"
    notes = [note] if name == "bytes" else [note, f"its merges are spelled in {name}"]
    return VocabAndMerges(place, dict(enumerate(tokens)), pairs, notes=notes)


def _read_merges_of_ids(place: str, merges: Any) -> VocabAndMerges:
    """Make the vocabulary of merges of ids, in which each of the 256 bytes is its own id."""
    numbered = merges.items() if isinstance(merges, Mapping) else zip(merges, count())
    ranked = sorted(numbered, key=lambda item: item[1])
    made = [new_id for _, new_id in ranked]
    pairs = [pair for key, _ in ranked if (pair := pair_of_ids(key))]
    if made[0] in (0, 1):  # ranks
        made = [256 + rank for rank in made]
    if made[0] < 256:
        raise TokenizerFileError(
            f"{place}: its first merge makes the id {made[0]}; so the ids below it are no bytes, "
            "and what they are is not in the file; save the vocabulary beside the merges"
        )
    vocab = {byte: bytes((byte,)) for byte in range(256)}
    room = LARGEST
    read: TokenPairs = []
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
