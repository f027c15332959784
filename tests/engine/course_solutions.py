"""Vocabularies and merges as students save them: name → (files, a note about them)."""

from __future__ import annotations

import csv
import json
import pickle
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from io import StringIO
from pprint import pformat
from typing import Any

from tiny_tokenizers import handout, trained

from engine import Tokenizer
from engine.core.gpt2_bytes import spell

TOK = handout()
PLAIN = trained({b"lowest": 5, b" newer": 4, "né".encode(): 3})
"""A tokenizer without a special token."""


def ids(tok: Tokenizer) -> list[tuple[int, int, int]]:
    """Return the merges in ids: left, right, and the new one."""
    return [(left, right, made) for (left, right), (_, made) in tok.merge_table.items()]


def hex_lines(tok: Tokenizer) -> str:
    return "".join(f"{left.hex()} {right.hex()}\n" for left, right in tok.merges)


def by_id(tok: Tokenizer, write: Callable[[bytes], Any]) -> dict[str, Any]:
    return {str(token_id): write(token) for token_id, token in tok.vocab.items()}


def decoded(token: bytes) -> str:
    return token.decode("utf-8", "replace")


def pairs(tok: Tokenizer, write: Callable[[bytes], Any]) -> list[list[Any]]:
    return [[write(left), write(right)] for left, right in tok.merges]


SAVES: dict[str, tuple[dict[str, str | bytes], str]] = {
    "hex by id, hex in lines": (
        {"vocab.json": json.dumps(by_id(PLAIN, bytes.hex)), "merges.txt": hex_lines(PLAIN)},
        "its tokens are spelled in hex",
    ),
    "hex tokens first, hex in lines": (
        {
            "vocab.json": json.dumps({t.hex(): i for i, t in PLAIN.vocab.items()}),
            "merges.txt": hex_lines(PLAIN),
        },
        "its tokens are spelled in hex",
    ),
    "GPT-2's spelling by id": (
        {
            "vocab.json": json.dumps(by_id(PLAIN, spell)),
            "merges.txt": "".join(f"{spell(a)} {spell(b)}\n" for a, b in PLAIN.merges),
        },
        "its tokens are spelled in GPT-2's spelling",
    ),
    "merges as lines of ids": (
        {
            "vocab.json": json.dumps(by_id(PLAIN, bytes.hex)),
            "merges.txt": "".join(f"{left} {right}\n" for left, right, _ in ids(PLAIN)),
        },
        "its merges are spelled in ids",
    ),
    "hex vocabulary, GPT-2's merges": (
        {
            "vocab.json": json.dumps(by_id(PLAIN, bytes.hex)),
            "merges.json": json.dumps(pairs(PLAIN, spell)),
        },
        "its merges are spelled in GPT-2's spelling",
    ),
    "as str writes bytes": (
        {"vocab.json": json.dumps(by_id(PLAIN, str)), "merges.json": json.dumps(pairs(PLAIN, str))},
        "its tokens are spelled in Python's b'…'",
    ),
    "pairs of bytes as keys, as str writes them": (
        {
            "tok.json": json.dumps(
                {
                    "vocab": by_id(PLAIN, str),
                    "merges": {str(pair): rank for rank, pair in enumerate(PLAIN.merges)},
                }
            )
        },
        "its tokens are spelled in Python's b'…'",
    ),
    "pairs of bytes in lines, as str writes them": (
        {
            "vocab.json": json.dumps({str(t): i for i, t in PLAIN.vocab.items()}),
            "merges.txt": "".join(f"{pair}\n" for pair in PLAIN.merges),
        },
        "its tokens are spelled in Python's b'…'",
    ),
    "lists by id, merges as bytes, pickled": (
        {"tok.pkl": pickle.dumps((by_id(PLAIN, list), PLAIN.merges))},
        "its merges are spelled in bytes",
    ),
    "pairs of ids as keys": (
        {"merges.json": json.dumps({f"{a},{b}": made for a, b, made in ids(PLAIN)})},
        "it holds merges of ids only",
    ),
    "pairs of ids as keys of merges": (
        {"tok.json": json.dumps({"merges": {f"({a}, {b})": m for a, b, m in ids(PLAIN)}})},
        "it holds merges of ids only",
    ),
    "a dict of pairs of ids, pickled": (
        {"tok.pkl": pickle.dumps({(a, b): made for a, b, made in ids(PLAIN)})},
        "it holds merges of ids only",
    ),
    "decoded text with merges in bytes, pickled": (
        {"tok.pkl": pickle.dumps(({i: decoded(t) for i, t in PLAIN.vocab.items()}, PLAIN.merges))},
        "its tokens are decoded text",
    ),
    "decoded text with merges as lists": (
        {
            "vocab.json": json.dumps(by_id(PLAIN, decoded)),
            "merges.json": json.dumps(pairs(PLAIN, list)),
        },
        "its tokens are decoded text",
    ),
}


def lines(rows: Iterable[str]) -> str:
    return "".join(f"{row}\n" for row in rows)


def table(rows: Iterable[Sequence[Any]], *heading: str) -> str:
    written = StringIO()
    csv.writer(written).writerows([heading, *rows] if heading else rows)
    return written.getvalue()


HEX = {"vocab": by_id(PLAIN, bytes.hex), "merges": pairs(PLAIN, bytes.hex)}
NUMBERS = {i: " ".join(map(str, token)) for i, token in PLAIN.vocab.items()}
SAVES |= {
    "as Python prints them": (
        {"vocab.txt": repr(PLAIN.vocab), "merges.txt": repr(PLAIN.merges)},
        "its tokens are spelled in bytes",
    ),
    "as Python prints them in one file": (
        {"tok.txt": f"{OrderedDict(PLAIN.vocab)!r}\n{pformat(PLAIN.merges)}\n"},
        "its tokens are spelled in bytes",
    ),
    "a module of Python": (
        {"tok.py": f"# mine\nvocab = {PLAIN.vocab!r}\nmerges = {PLAIN.merges!r}\n"},
        "its tokens are spelled in bytes",
    ),
    "printed merges with a vocabulary in JSON": (
        {"vocab.json": json.dumps(by_id(PLAIN, bytes.hex)), "merges.txt": repr(PLAIN.merges)},
        "its merges are spelled in bytes",
    ),
    "tables with commas": (
        {
            "vocab.csv": table(PLAIN.vocab.items(), "id", "token"),
            "merges.csv": table(PLAIN.merges, "left", "right"),
        },
        "its tokens are spelled in Python's b'…'",
    ),
    "a table of three columns": (
        {
            "v.csv": table(
                [(i, decoded(t), t.hex()) for i, t in PLAIN.vocab.items()], "", "t", "hex"
            ),
            "m.csv": table(pairs(PLAIN, bytes.hex)),
        },
        "its tokens are spelled in hex",
    ),
    "tokens before ids, raw, with commas": (
        {
            "v.csv": table([(t.decode("latin-1"), i) for i, t in PLAIN.vocab.items()]),
            "m.json": json.dumps(pairs(PLAIN, lambda token: token.decode("latin-1"))),
        },
        "its tokens are spelled in latin-1",
    ),
    "numbers of NumPy, merges with their numbers": (
        {
            "vocab.txt": f"{{{', '.join(f'np.int64({i}): {t}' for i, t in PLAIN.vocab.items())}}}",
            "merges.tsv": lines(f"{n}\t{a}\t{b}" for n, (a, b) in enumerate(PLAIN.merges)),
        },
        "its tokens are spelled in bytes",
    ),
    "tables with tabs": (
        {
            "vocab.tsv": lines(f"{i}\t{t.hex()}" for i, t in PLAIN.vocab.items()),
            "merges.tsv": lines(f"{a.hex()}\t{b.hex()}" for a, b in PLAIN.merges),
        },
        "its tokens are spelled in hex",
    ),
    "hex before ids, with spaces": (
        {
            "vocab.txt": lines(f"{t.hex()} {i}" for i, t in PLAIN.vocab.items()),
            "merges.txt": hex_lines(PLAIN),
        },
        "its tokens are spelled in hex",
    ),
    "arrows": (
        {
            "vocab.txt": lines(f"{i} -> {t}" for i, t in PLAIN.vocab.items()),
            "merges.txt": lines(f"{a}, {b}" for a, b in PLAIN.merges),
        },
        "its tokens are spelled in Python's b'…'",
    ),
    "JSON a line": (
        {
            "v.jsonl": lines(
                json.dumps({"id": i, "t": t.hex(), "hex": t.hex()}) for i, t in PLAIN.vocab.items()
            ),
            "m.jsonl": lines(
                json.dumps({"left": a.hex(), "right": b.hex()}) for a, b in PLAIN.merges
            ),
        },
        "its tokens are spelled in hex",
    ),
    "other names": (
        {"t.json": json.dumps({"id_to_token": HEX["vocab"], "bpe_merges": HEX["merges"]})},
        "its tokens are spelled in hex",
    ),
    "lists of objects": (
        {
            "tok.json": json.dumps(
                {
                    "vocab": [{"id": i, "bytes": [*t]} for i, t in PLAIN.vocab.items()],
                    "merges": [{"pair": [a, b], "new_id": made} for a, b, made in ids(PLAIN)],
                }
            )
        },
        "its tokens are spelled in lists of numbers",
    ),
    "merges with what they make": (
        {"tok.json": json.dumps({"merges": ids(PLAIN)})},
        "it holds merges of ids only",
    ),
    "merges with their counts": (
        {
            "vocab.json": json.dumps(HEX["vocab"]),
            "merges.json": json.dumps([[*merge, 9] for merge in HEX["merges"]]),
        },
        "its tokens are spelled in hex",
    ),
    "merges of bytes, pickled": ({"m.pkl": pickle.dumps(PLAIN.merges)}, "it holds merges only"),
    "written numbers": (
        {
            "vocab.json": json.dumps(NUMBERS),
            "merges.json": json.dumps([[NUMBERS[a], NUMBERS[b]] for a, b, _ in ids(PLAIN)]),
        },
        "its tokens are spelled in written numbers",
    ),
    "hex with spaces": (
        {
            "vocab.json": json.dumps(by_id(PLAIN, lambda token: token.hex(" "))),
            "merges.json": json.dumps(pairs(PLAIN, lambda token: token.hex(" "))),
        },
        "its tokens are spelled in hex",
    ),
    "hex with a sign in front, tokens first": (
        {
            "vocab.json": json.dumps({f"0x{t.hex()}": i for i, t in PLAIN.vocab.items()}),
            "merges.json": json.dumps(pairs(PLAIN, lambda token: "0x" + token.hex())),
        },
        "its tokens are spelled in hex",
    ),
    "escapes": (
        {
            "vocab.json": json.dumps(by_id(PLAIN, lambda token: str(token)[2:-1])),
            "merges.json": json.dumps(pairs(PLAIN, lambda token: str(token)[2:-1])),
        },
        "its tokens are spelled in Python's escapes",
    ),
    "surrogates": (
        {
            "vocab.json": json.dumps(by_id(PLAIN, lambda t: t.decode("utf-8", "surrogateescape"))),
            "merges.json": json.dumps(pairs(PLAIN, lambda t: t.decode("utf-8", "surrogateescape"))),
        },
        "its tokens are spelled in text with surrogates",
    ),
    "tokens before ids, which are text": (
        {
            "vocab.json": json.dumps({spell(t): str(i) for i, t in PLAIN.vocab.items()}),
            "merges.json": json.dumps([f"{spell(a)} {spell(b)}" for a, b in PLAIN.merges]),
        },
        "its tokens are spelled in GPT-2's spelling",
    ),
}


# -- merges alone, and what lies beside


def latin(token: bytes) -> str:
    return token.decode("latin-1")


def joined(tok: Tokenizer, write: Callable[[bytes], Any]) -> list[tuple[tuple[Any, Any], Any]]:
    """Return each merge with the token that it makes."""
    return [((write(left), write(right)), write(left + right)) for left, right in tok.merges]


def bytes_and_text(errors: str, encoding: str = "utf-8") -> dict[int, bytes | str]:
    """Return the vocabulary of a trainer that keeps bytes, and text for what it merges."""
    decode = PLAIN.vocab.items()
    return {i: token if i < 256 else token.decode(encoding, errors) for i, token in decode}


class Printed(str):
    """A text whose `repr` is the text itself, as that of a dataclass."""

    __repr__ = str.__str__


ALONE = "it holds merges only"
OF_IDS = "it holds merges of ids only"
PARAMS = f"Params(merges={PLAIN.merges!r}, vocab={PLAIN.vocab!r}, special_tokens=[])"
SETS = {"vocab": PLAIN.vocab, "merges": PLAIN.merges, "seen": {b"a", 5}, "done": frozenset(["b"])}
SAVES |= {
    "lines of two ids, with comments": (
        {"m.txt": lines(["# merges", "", *(f"{a} {b}  # {m}" for a, b, m in ids(PLAIN))])},
        OF_IDS,
    ),
    "lines of three ids": ({"m.txt": lines(f"{a},{b},{m}" for a, b, m in ids(PLAIN))}, OF_IDS),
    "lines of three ids, with names of columns": (
        {"m.csv": table(ids(PLAIN), "left", "right", "new_id")},
        OF_IDS,
    ),
    "lines of ids in brackets": (
        {"m.txt": lines(f"[{a}][{b}] -> [{m}]" for a, b, m in ids(PLAIN))},
        OF_IDS,
    ),
    "lines of pairs of ids": (
        {"m.txt": lines(f"({a}, {b}): {m}" for a, b, m in ids(PLAIN))},
        OF_IDS,
    ),
    "lines of three ids beside a vocabulary": (
        {
            "vocab.json": json.dumps(by_id(PLAIN, bytes.hex)),
            "merges.txt": lines(f"{a} {b} {m}" for a, b, m in ids(PLAIN)),
        },
        "its merges are spelled in ids",
    ),
    "pairs of ids alone": ({"m.json": json.dumps([each[:2] for each in ids(PLAIN)])}, OF_IDS),
    "items of a dict of ids": (
        {"m.json": json.dumps([((a, b), m) for a, b, m in ids(PLAIN)])},
        OF_IDS,
    ),
    "merges alone in hex": ({"m.json": json.dumps(pairs(PLAIN, bytes.hex))}, ALONE),
    "merges alone in latin-1": ({"m.json": json.dumps(pairs(PLAIN, latin))}, "spelled in latin-1"),
    "merges alone in GPT-2's spelling": ({"m.json": json.dumps(pairs(PLAIN, spell))}, ALONE),
    "merges alone in numbers, by their name": (
        {"m.json": json.dumps({"merges": pairs(PLAIN, list)})},
        "spelled in lists of numbers",
    ),
    "merges alone as texts": (
        {"m.json": json.dumps([f"{spell(a)} {spell(b)}" for a, b in PLAIN.merges])},
        ALONE,
    ),
    "merges with their tokens, printed": ({"m.txt": repr(joined(PLAIN, bytes))}, ALONE),
    "merges with their tokens in hex": ({"m.json": json.dumps(joined(PLAIN, bytes.hex))}, ALONE),
    "merges with their tokens beside a vocabulary": (
        {"tok.pkl": pickle.dumps((PLAIN.vocab, joined(PLAIN, bytes)))},
        "its tokens are spelled in bytes",
    ),
    "triples of tokens": ({"m.pkl": pickle.dumps([(a, b, a + b) for a, b in PLAIN.merges])}, ALONE),
    "a printed dataclass": ({"tok.txt": PARAMS}, "its tokens are spelled in bytes"),
    "a printed list of dataclasses": (
        {"m.txt": str([Printed(f"Merge(left={a!r}, right={b!r})") for a, b in PLAIN.merges])},
        ALONE,
    ),
    "printed dataclasses of ids": (
        {"m.txt": lines(f"Merge(left={a}, right={b}, new_id={m})" for a, b, m in ids(PLAIN))},
        OF_IDS,
    ),
    "printed dataclasses beside a vocabulary": (
        {"t.txt": f"{PLAIN.vocab}\n{[Printed(f'Merge{pair!r}') for pair in PLAIN.merges]}\n"},
        "its tokens are spelled in bytes",
    ),
    "sets beside what is needed": (
        {"tok.pkl": pickle.dumps(SETS)},
        "its tokens are spelled in bytes",
    ),
    "bytes, and text above 255": (
        {"tok.pkl": pickle.dumps((bytes_and_text("surrogateescape"), PLAIN.merges))},
        "its tokens are bytes, and text spelled in text with surrogates",
    ),
    "bytes, and text above 255 in latin-1, in the merges too": (
        {"tok.pkl": pickle.dumps((bytes_and_text("", "latin-1"), pairs(PLAIN, latin)))},
        "its tokens are bytes, and text spelled in latin-1",
    ),
}
