"""Vocabularies and merges as students save them: name → (files, a note about them)."""

import json
import pickle
from collections.abc import Callable, Iterable
from typing import Any

from tiny_tokenizers import handout, trained

from engine import Tokenizer
from engine.core.gpt2_bytes import spell

TOK = handout()
PLAIN = trained({b"lowest": 5, b" newer": 4, "né".encode(): 3})
"""A tokenizer without a special token."""
IDS = [(left, right, made) for (left, right), (_, made) in PLAIN.merge_table.items()]
"""Its merges in ids: left, right, and the new one."""
Files = dict[str, str | bytes]
Write = Callable[[bytes], Any]

# -- spellings of tokens


def by_id(write: Write, tok: Tokenizer = PLAIN) -> dict[str, Any]:
    return {str(token_id): write(token) for token_id, token in tok.vocab.items()}


def by_token(write: Write, number: Callable[[int], Any] = int) -> dict[Any, Any]:
    return {write(token): number(token_id) for token_id, token in PLAIN.vocab.items()}


def pairs(write: Write) -> list[list[Any]]:
    return [[write(left), write(right)] for left, right in PLAIN.merges]


def decoded(token: bytes) -> str:
    return token.decode("utf-8", "replace")


def latin(token: bytes) -> str:
    return token.decode("latin-1")


def spaced(token: bytes) -> str:
    return token.hex(" ")


# -- files


def lines(rows: Iterable[str]) -> str:
    return "".join(f"{row}\n" for row in rows)


def one(value: Any) -> Files:
    return {"tok.json": json.dumps(value)}


def pickled(value: Any) -> Files:
    return {"tok.pkl": pickle.dumps(value)}


def text(content: object) -> Files:
    return {"m.txt": str(content)}


def two(vocab: Any, merges: Any) -> Files:
    """Return both in JSON, or the merges in lines if they are a text."""
    spelled = {"vocab.json": json.dumps(vocab)}
    if isinstance(merges, str):
        return {**spelled, "merges.txt": merges}
    return {**spelled, "merges.json": json.dumps(merges)}


def spelled(write: Write) -> Files:
    return two(by_id(write), pairs(write))


HEX = by_id(bytes.hex)
HEX_LINES = lines(f"{left.hex()} {right.hex()}" for left, right in PLAIN.merges)
SETS = {"vocab": PLAIN.vocab, "merges": PLAIN.merges, "seen": {b"a", 5}, "done": frozenset(["b"])}
BY_NOTE: dict[str, dict[str, Files]] = {
    "its tokens are spelled in hex": {
        "hex by id, hex in lines": two(HEX, HEX_LINES),
        "hex tokens first, hex in lines": two(by_token(bytes.hex), HEX_LINES),
        "other names": one({"id_to_token": HEX, "bpe_merges": pairs(bytes.hex)}),
        "hex with spaces": spelled(spaced),
    },
    "its tokens are spelled in GPT-2's spelling": {
        "GPT-2's spelling by id": two(
            by_id(spell), lines(f"{left} {right}" for left, right in pairs(spell))
        ),
        "tokens before ids, which are text": two(
            by_token(spell, str), [f"{left} {right}" for left, right in pairs(spell)]
        ),
    },
    "its merges are spelled in ids": {
        "merges as lines of ids": two(HEX, lines(f"{a} {b}" for a, b, _ in IDS)),
        "lines of three ids beside a vocabulary": two(
            HEX, lines(f"{a} {b} {m}" for a, b, m in IDS)
        ),
    },
    "its merges are spelled in GPT-2's spelling": {
        "hex vocabulary, GPT-2's merges": two(HEX, pairs(spell)),
    },
    "its merges are spelled in bytes": {
        "lists by id, merges as bytes, pickled": pickled((by_id(list), PLAIN.merges)),
    },
    "its tokens are spelled in Python's b'…'": {
        "as str writes bytes": spelled(str),
        "pairs of bytes as keys, as str writes them": one(
            {"vocab": by_id(str), "merges": {str(pair): n for n, pair in enumerate(PLAIN.merges)}}
        ),
        "pairs of bytes in lines, as str writes them": two(
            by_token(str), lines(map(str, PLAIN.merges))
        ),
    },
    "its tokens are spelled in bytes": {
        "sets beside what is needed": pickled(SETS),
    },
    "it holds merges of ids only": {
        "pairs of ids as keys": one({f"{a},{b}": made for a, b, made in IDS}),
        "pairs of ids as keys of merges": one({"merges": {f"({a}, {b})": m for a, b, m in IDS}}),
        "a dict of pairs of ids, pickled": pickled({(a, b): made for a, b, made in IDS}),
        "merges with what they make": one({"merges": IDS}),
        "lines of two ids, with comments": text(
            lines(["# merges", "", *(f"{a} {b}  # {m}" for a, b, m in IDS)])
        ),
        "lines of three ids": text(lines(f"{a},{b},{m}" for a, b, m in IDS)),
        "pairs of ids alone": one([each[:2] for each in IDS]),
    },
    "it holds merges only": {
        "merges of bytes, pickled": pickled(PLAIN.merges),
        "merges alone in hex": one(pairs(bytes.hex)),
        "merges alone in GPT-2's spelling": one(pairs(spell)),
        "merges alone as texts": one([f"{left} {right}" for left, right in pairs(spell)]),
    },
    "spelled in latin-1": {"merges alone in latin-1": one(pairs(latin))},
    "spelled in lists of numbers": {
        "merges alone in numbers, by their name": one({"merges": pairs(list)}),
    },
}
"""Note → name → files."""
SAVES = {name: (files, note) for note, saves in BY_NOTE.items() for name, files in saves.items()}
