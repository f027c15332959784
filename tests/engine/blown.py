"""Files whose lists are blown up, for `blown_files`: their registry, and vocabularies of a size.

A case has a name, `format: what is blown up`, and a function that returns the files, which have
about a number of bytes together, or the bytes of the only one. The format is a name of
`fuzz_formats`.
"""

import json
from collections.abc import Callable, Mapping
from itertools import count
from typing import Any

from engine.core.gpt2_bytes import spell

Files = Mapping[str, bytes]
Grow = Callable[[int], Files | bytes]
NAMES = {"answers": "a.json", "lesson": "a.md"}
NAMES |= dict.fromkeys(("steps", "corpus.jsonl"), "a.jsonl")
"""Format → name of the only file, for formats that need an ending."""
BLOWN: dict[str, Callable[[int], Files]] = {}
"""Name → function that returns the files of a size."""

BYTES = {spell(bytes([byte])): byte for byte in range(256)}
LETTERS = "abcdefghijklmnopqrstuvwxyz"
SINGLE = [bytes([byte]) for byte in range(256)]


def add(format: str, what: str, grow: Grow) -> None:
    """Add a case."""

    def files(size: int) -> Files:
        grown = grow(size)
        return {NAMES.get(format, "a"): grown} if isinstance(grown, bytes) else grown

    BLOWN[f"{format}: {what}"] = files


def repeated(head: bytes, part: bytes, tail: bytes = b"") -> Grow:
    """Return what grows a file by as many equal parts as fit into it."""
    return lambda size: head + part * (size // len(part)) + tail


def filled(size: int, entry: Callable[[int], Any]) -> list[Any]:
    """Return entries, which take about `size` bytes as JSON."""
    found: list[Any] = []
    for number in count():
        if size <= 0:
            return found
        found.append(entry(number))
        size -= len(json.dumps(found[-1], ensure_ascii=False).encode()) + 2
    return found


def words(size: int, prefix: str = "") -> dict[str, int]:
    """Return a vocabulary of words of letters."""
    return {
        prefix + word: 1000 + number
        for number, word in enumerate(filled(size, lambda n: word_of(n) + "~~~~~~~"))
    }


def word_of(number: int) -> str:
    text = ""
    while number or not text:
        text += LETTERS[number % 26]
        number //= 26
    return text


def letters_and_pairs(size: int) -> tuple[list[str], list[tuple[str, str]]]:
    """Return tokens that are made of two others each, and the merges."""
    tokens, merges = list(LETTERS), []
    for left in count():
        for right in range(left + 1):
            if size <= 0:
                return tokens, merges
            merges.append((tokens[left], tokens[right]))
            tokens.append(tokens[left] + tokens[right])
            size -= 2 * len(tokens[-1]) + 16
    return tokens, merges


def distinct_pairs(size: int) -> tuple[list[str], list[tuple[str, str]]]:
    tokens, merges = letters_and_pairs(size)
    kept = dict.fromkeys(zip(tokens[26:], merges, strict=True))
    known: dict[str, tuple[str, str]] = {}
    for token, merge in kept:
        known.setdefault(token, merge)
    return [*LETTERS, *known], list(known.values())


def rank_tokens(size: int) -> list[bytes]:
    return [*SINGLE, *(token.encode() for token in distinct_pairs(size * 2)[0][26:])]
