"""Files that students save in many ways, which `encode` and `check` read alike."""

from __future__ import annotations

import csv
import json
import pickle
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from io import StringIO
from pathlib import Path
from pprint import pformat
from typing import Any

import pytest
from generated import examples
from hypothesis import given
from hypothesis import strategies as st
from tiny_tokenizers import BYTES, TEXTS, handout, trained

from engine import Tokenizer
from engine.analysis.check.claim import read_claim
from engine.core.errors import BpeError, TokenizerFileError
from engine.core.gpt2_bytes import spell
from engine.formats import course_files, open_tokenizer
from engine.formats.source import TokenizerSource

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
    "ids first, merges as a list": (
        {
            "vocab.json": json.dumps(by_id(PLAIN, spell)),
            "merges.json": json.dumps(pairs(PLAIN, spell)),
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
    "pairs of lists, pickled": (
        {"tok.pkl": pickle.dumps({"vocab": by_id(PLAIN, list), "merges": pairs(PLAIN, list)})},
        "its tokens are spelled in lists of numbers",
    ),
    "two pickles": (
        {"vocab.pkl": pickle.dumps(PLAIN.vocab), "merges.pkl": pickle.dumps(PLAIN.merges)},
        "its tokens are spelled in bytes",
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
    "printed lists of numbers": (
        {"v.txt": repr(by_id(PLAIN, list)), "m.txt": repr(pairs(PLAIN, tuple))},
        "its tokens are spelled in lists of numbers",
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


@pytest.mark.parametrize("name", SAVES)
def test_a_saved_solution_is_read_and_notes_say_how(name: str, tmp_path: Path) -> None:
    files, note = SAVES[name]
    for file, content in files.items():
        data = content if isinstance(content, bytes) else content.encode()
        (tmp_path / file).write_bytes(data)
    paths = [tmp_path / file for file in files]
    for order in (paths, paths[::-1]):
        opened = open_tokenizer(*order)
        assert opened.format.startswith("course-")
        assert any(note in each for each in opened.notes), opened.notes
        assert opened.tokenizer.vocab == PLAIN.vocab
        assert opened.tokenizer.merges == PLAIN.merges
        for text in TEXTS:
            assert opened.tokenizer.encode(text) == PLAIN.encode(text)
        claim, notes = read_claim(*order)
        assert claim.vocab == PLAIN.vocab
        assert [(step.left, step.right) for step in claim.steps] == PLAIN.merges
        assert any(note in each for each in notes)


@pytest.mark.parametrize("name", [n for n, (files, _) in SAVES.items() if "vocab.json" in files])
def test_a_directory_of_a_solution_is_read(name: str, tmp_path: Path) -> None:
    for file, content in SAVES[name][0].items():
        (tmp_path / file).write_text(str(content))
    assert open_tokenizer(tmp_path).tokenizer.merges == PLAIN.merges
    assert open_tokenizer(tmp_path / "vocab.json").tokenizer.merges == PLAIN.merges


@examples(40)
@given(corpus=st.dictionaries(st.binary(max_size=8), st.integers(1, 3), max_size=6))
def test_hex_is_never_read_as_gpt2s_spelling(
    tmp_path_factory: pytest.TempPathFactory, corpus: dict[bytes, int]
) -> None:
    place = tmp_path_factory.getbasetemp()
    tok = trained(corpus)
    (place / "v.json").write_text(json.dumps({t.hex(): i for i, t in tok.vocab.items()}))
    (place / "m.txt").write_text(hex_lines(tok) or "\n")
    opened = open_tokenizer(place / "v.json", place / "m.txt")
    assert opened.tokenizer.vocab == tok.vocab
    assert opened.tokenizer.merges == tok.merges


@pytest.mark.parametrize("vocab", [by_id(PLAIN, bytes.hex), {"vocab": by_id(PLAIN, list)}])
def test_a_vocabulary_alone_can_be_opened(vocab: Any, tmp_path: Path) -> None:
    (tmp_path / "v.json").write_text(json.dumps(vocab))
    (tmp_path / "v.pkl").write_bytes(pickle.dumps(vocab))
    for name in ("v.json", "v.pkl"):
        opened = open_tokenizer(tmp_path / name)
        assert opened.tokenizer.vocab == PLAIN.vocab
        with pytest.raises(BpeError, match="its merges are missing"):
            opened.tokenizer.encode("low")


# -- ambiguous files


RAW = "".join(f"{decoded(left)} {decoded(right)}\n" for left, right in PLAIN.merges)


@pytest.mark.parametrize(
    ("files", "reason"),
    [
        (
            {"vocab.json": json.dumps(by_id(PLAIN, decoded)), "merges.txt": RAW},
            "tokens that hold spaces or newlines are ambiguous in lines",
        ),
        (
            {
                "vocab.json": json.dumps(by_id(PLAIN, decoded)),
                "merges.json": json.dumps(pairs(PLAIN, decoded)),
            },
            "in which bytes that are no character became U",
        ),
        (
            {
                "vocab.json": json.dumps(by_id(PLAIN, bytes.hex)),
                "merges.json": json.dumps([part.hex() for pair in PLAIN.merges for part in pair]),
            },
            "holds no vocabulary with merges",
        ),
        (
            {"tok.json": json.dumps({"vocab": by_id(PLAIN, list), "merges": [108, 111]})},
            "it is a flat list, with 108 in it",
        ),
        (
            {"v.tsv": lines(f"{i}\t{decoded(t)}" for i, t in PLAIN.vocab.items()), "m.txt": RAW},
            "line 3 is not two tokens|columns like the first",
        ),
    ],
)
def test_ambiguous_files_are_refused_with_advice(
    files: dict[str, str], reason: str, tmp_path: Path
) -> None:
    for file, content in files.items():
        (tmp_path / file).write_text(content)
    for read in (open_tokenizer, read_claim):
        with pytest.raises(TokenizerFileError, match=reason) as raised:
            read(*(tmp_path / file for file in files))  # type: ignore[operator]
        assert "json.dump({i: t.hex()" in str(raised.value)


@pytest.mark.parametrize(
    ("begins", "reason"),
    [
        (b"\x93NUMPY\x01\x00v\x00", "an array of NumPy, in which bytes lose their last zeros"),
        (b"PK\x03\x04" + bytes(26) + b"v.npy", "arrays of NumPy"),
        (b"PK\x03\x04" + bytes(26) + b"vocab/data.pkl", "what torch.save writes"),
    ],
)
def test_formats_that_cannot_hold_bytes_are_named(
    begins: bytes, reason: str, tmp_path: Path
) -> None:
    (tmp_path / "vocab").write_bytes(begins)
    with pytest.raises(TokenizerFileError, match=rf"{reason}.*json\.dump"):
        open_tokenizer(tmp_path / "vocab")


@pytest.mark.parametrize(
    "written",
    [
        "vocab = {0: b'a'}; import os",
        "{0: b'a', 1: print()}",
        "{0: b'a' + b'b'}",
        f"{{0: b'a', 1: {'(' * 9}{')' * 9}}}",
        f"{{0: b'a', 1: {'not ' * 100}0}}",
        "{0: b'a'",
        "{0: b'a', 0: {}}[0]",
    ],
)
def test_python_is_only_read_as_data(written: str, tmp_path: Path) -> None:
    (tmp_path / "vocab.txt").write_text(written)
    with pytest.raises(TokenizerFileError, match=r"more than data|no data|no vocabulary"):
        open_tokenizer(tmp_path / "vocab.txt")


@pytest.mark.parametrize(
    "text",
    [
        "0,In the beginning\n1,was the word, and the\n",
        "(a b)\n(c d)\n",
        '{"id": 0, "text": "Once upon a time there was a story."}\n',
        '["a story"]\n',
    ],
)
def test_a_text_is_neither_a_table_nor_python(text: str, tmp_path: Path) -> None:
    (tmp_path / "text.txt").write_text(text * 3)
    assert not course_files.recognises_text(TokenizerSource([tmp_path / "text.txt"]))


def test_the_advised_two_lines_save_a_readable_solution(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from engine.formats.source import HOW_TO_SAVE

    monkeypatch.chdir(tmp_path)
    lines = HOW_TO_SAVE.split(": ", 1)[1].split(" and json")
    for line in (lines[0], f"json{lines[1]}"):
        exec(line, {"json": json, "vocab": PLAIN.vocab, "merges": PLAIN.merges})
    assert open_tokenizer(tmp_path).tokenizer.merges == PLAIN.merges


@pytest.mark.parametrize(
    "merges", [{"97,98": 256, "256,300": 257}, {"97,98": 256, "98,98": 256}, {"97,98": 9**20}]
)
def test_inconsistent_merges_of_ids_are_refused(merges: dict[str, int], tmp_path: Path) -> None:
    (tmp_path / "m.json").write_text(json.dumps(merges))
    with pytest.raises(BpeError, match=r"names an id that is no byte|too high"):
        open_tokenizer(tmp_path / "m.json")


def test_merges_that_keep_doubling_a_token_are_refused(tmp_path: Path) -> None:
    merges = {f"{i},{i}": i + 1 for i in range(256, 330)} | {"97,97": 256}
    (tmp_path / "m.json").write_text(json.dumps(merges))
    with pytest.raises(TokenizerFileError, match="far too long"):
        open_tokenizer(tmp_path / "m.json")


def test_gpt2s_files_are_not_read_as_a_solution(tmp_path: Path) -> None:
    TOK.save(tmp_path / "tok", "gpt2")
    assert open_tokenizer(tmp_path / "tok").format == "gpt2"
    special = Tokenizer(BYTES | {256: b"ab"}, [(b"a", b"b")], ["漢", "a b", "<s>"])
    special.save(tmp_path / "special", "gpt2")
    assert open_tokenizer(tmp_path / "special").tokenizer.special_tokens == ("漢", "a b", "<s>")
