# ruff: noqa: E501, a case is read best as one line
"""Blown-up files of courses, SentencePiece and llama.cpp, and of lines."""

import json
import pickle
import struct
from typing import Any

from blown import BYTES, SINGLE, add, distinct_pairs, filled, repeated, word_of
from gguf_files import gguf

# -- course solutions


def solution(size: int) -> tuple[dict[int, bytes], list[tuple[bytes, bytes]]]:
    tokens, merges = distinct_pairs(size)
    vocab = dict(enumerate([*SINGLE, *(token.encode() for token in tokens[26:])]))
    return vocab, [(left.encode(), right.encode()) for left, right in merges]


def as_json(vocab: Any, merges: Any, **more: Any) -> bytes:
    return json.dumps({"vocab": vocab, "merges": merges} | more).encode()


def hexed(size: int) -> tuple[dict[str, str], list[list[str]]]:
    vocab, merges = solution(size // 3)
    return {str(i): t.hex() for i, t in vocab.items()}, [[a.hex(), b.hex()] for a, b in merges]


HEX = {str(n): token.hex() for n, token in enumerate(SINGLE)}
add("course-json", "hex", lambda size: as_json(*hexed(size)))
add("course-json", "latin-1", lambda size: as_json(
    {str(i): t.decode("latin-1") for i, t in solution(size // 2)[0].items()},
    [[a.decode(), b.decode()] for a, b in solution(size // 2)[1]]))  # fmt: skip
add("course-json", "special tokens", lambda size: as_json(
    HEX, [], special_tokens=filled(size, lambda n: f"<s{n}>")))  # fmt: skip
add("course-json", "special tokens with ids", lambda size: as_json(
    HEX, [], special_tokens={f"<s{n}>": 256 + n for n in range(size // 18)}))  # fmt: skip
add("course-json", "texts that are not spelled so", lambda size: as_json(
    HEX | {str(256 + n): f"<s{n}>" for n in range(size // 22)}, []))  # fmt: skip
add("course-json", "merges of ids", lambda size: json.dumps(
    {"merges": {f"{97 + n // 500 % 100},{n % 500 % 256}": 256 + n for n in range(size // 16)}}).encode())  # fmt: skip
add("course-json", "a chain of merges of ids", lambda size: json.dumps(
    {"merges": [[97, 97], *([256 + n, 97] for n in range(size // 12))]}).encode())  # fmt: skip
add("course-json", "wrong merges", lambda size: as_json(HEX, [["zz", "61"]] * (size // 14)))
add("course-json", "a wrong merge at the end", lambda size: as_json(
    HEX | {"256": "6162"}, [*[["61", "62"]] * (size // 14), ["zz", "61"]]))  # fmt: skip
add(
    "course-json", "a long pattern", lambda size: as_json(HEX, [], pattern="a|" * (size // 2) + "b")
)
add("course-json", "long tokens", lambda size: as_json(HEX | {"256": "61" * (size // 2)}, []))
for _name, _spelled in {
    "hex": "61 " * 30, "literals": "b'" + "\\x61" * 30,
    "pairs": "b'" + "\\x61" * 9 + "' b'",
}.items():  # fmt: skip
    add("course-json", f"one merge nearly of {_name}", lambda size, spelled=_spelled: as_json(  # type: ignore[misc]
        HEX, [spelled * (size // len(spelled)) + "!"]))  # fmt: skip
    add("course-json", f"one token nearly of {_name}", lambda size, spelled=_spelled: as_json(  # type: ignore[misc]
        HEX | {"256": spelled * (size // len(spelled)) + "!"}, []))  # fmt: skip
PROTO = b"\x80\x03"
add("course-pickle", "a solution", lambda size: pickle.dumps(solution(size)))
add("course-pickle", "nested tuples", lambda size: PROTO + b"(" + b"N" + b"\x85" * size + b"t.")
add("course-pickle", "marks", lambda size: PROTO + b"](" + b"(" * size + b".")
add(
    "course-pickle",
    "marks that are closed",
    lambda size: PROTO + b"](" + b"(t" * (size // 2) + b"t.",
)
add(
    "course-pickle",
    "a long number",
    lambda size: PROTO + b"]\x8b" + size.to_bytes(4, "little") + b"\x01" * size + b"a.",
)
add("course-pickle", "numbers", lambda size: PROTO + b"](" + b"K\1" * (size // 2) + b"t.")
add("course-pickle", "texts", lambda size: PROTO + b"](" + b"\x8c\2aa" * (size // 4) + b"t.")
add(
    "course-pickle",
    "a long text",
    lambda size: PROTO + b"](X" + size.to_bytes(4, "little") + b"a" * size + b"t.",
)
add("course-pickle", "one token again and again", lambda size: PROTO + b"}(K\0C\xff" + b"a" * 255 + b"q\0u](" + b"h\0h\0\x86" * (size // 5) + b"e\x86.")  # fmt: skip
add("course-pickle", "appending", lambda size: PROTO + b"](" + b"]Na" * (size // 3) + b"t.")
add("course-pickle", "copies of a dict", lambda size: PROTO + b"](}(" + b"".join(b"K%cK%c" % (n, n) for n in range(200)) + b"uq\0"
    + b"ccollections\nOrderedDict\nq\1" + b"h\1h\0\x85R" * (size // 6) + b"t.")  # fmt: skip


# -- SentencePiece and GGUF


def varint(number: int) -> bytes:
    found = bytearray()
    while number >= 128:
        found.append(number & 127 | 128)
        number >>= 7
    return bytes((*found, number))


def field(number: int, content: bytes) -> bytes:
    return varint(number << 3 | 2) + varint(len(content)) + content


def piece(text: str, score: float, kind: int) -> bytes:
    content = field(1, text.encode()) + b"\x15" + struct.pack("<f", score)
    return field(1, content + b"\x18" + varint(kind))


def sentencepiece(kind: int, pieces: list[tuple[str, int]], charsmap: bytes = b"") -> bytes:
    made = [piece("<unk>", 0.0, 2)]
    made += [piece(text, -float(n), each) for n, (text, each) in enumerate(pieces)]
    return b"".join(made) + field(2, b"\x18" + varint(kind)) + field(3, field(2, charsmap))


def pairs_of_pieces(size: int) -> list[tuple[str, int]]:
    return [("▁", 1), *((token, 1) for token in distinct_pairs(size * 2)[0])]


def grown_alike(size: int) -> list[tuple[str, int]]:
    return [("▁", 1), *(("a" * n, 1) for n in range(1, int(size**0.5) * 4 // 3))]


for _number, _name in ((1, "unigram"), (2, "bpe"), (3, "word"), (4, "char")):
    _format = f"sentencepiece-{_name}"
    add(_format, "pieces", lambda size, n=_number: sentencepiece(n, pairs_of_pieces(size)))  # type: ignore[misc]
    add(
        _format,
        "pieces that begin alike",
        lambda size, n=_number: sentencepiece(n, grown_alike(size)),
    )  # type: ignore[misc]
    add(_format, "user-defined symbols", lambda size, n=_number: sentencepiece(  # type: ignore[misc]
        n, [("▁", 1), *((f"<s{k}>", 4) for k in range(size // 24))]))  # fmt: skip
    add(_format, "control symbols", lambda size, n=_number: sentencepiece(  # type: ignore[misc]
        n, [("▁", 1), *((f"<s{k}>", 3) for k in range(size // 24))]))  # fmt: skip
    add(
        _format,
        "a long piece",
        lambda size, n=_number: sentencepiece(n, [("a", 1), ("a" * size, 1)]),
    )  # type: ignore[misc]
    add(_format, "long pieces", lambda size, n=_number: sentencepiece(  # type: ignore[misc]
        n, [("a", 1), *(("a" * k, 1) for k in range(20_000, 20_000 + size // 20_000))]))  # fmt: skip
    add(_format, "pieces with spaces inside", lambda size, n=_number: sentencepiece(  # type: ignore[misc]
        n, [("▁", 1), *((f"{chr(0x4E00 + k % 20000)}▁{k}", 1) for k in range(size // 24)),
            *((each, 1) for each in dict.fromkeys(
                c for k in range(size // 24) for c in f"{chr(0x4E00 + k % 20000)}{k}"))]))  # fmt: skip
add("sentencepiece-bpe", "empty fields", repeated(sentencepiece(2, [("a", 1)]), b"\x20\x01"))
add("sentencepiece-bpe", "a map of characters", lambda size: sentencepiece(
    2, [("a", 1)], (size // 2 * 4 // 4 & ~3).to_bytes(4, "little") + b"\1\2\3\0" * (size // 4)))  # fmt: skip
add("sentencepiece-bpe", "split messages", repeated(sentencepiece(2, [("a", 1)]), field(2, b"")))

LLAMA_START = [*(f"<0x{byte:02X}>" for byte in range(256)), "▁"]


def gguf_llama(pieces: list[tuple[str, int]], model: str = "llama") -> bytes:
    tokens = [text for text, _ in pieces[1:]]
    texts = ["<unk>", *LLAMA_START, *tokens]
    kinds = [2, *[6] * 256, 1, *[1] * len(tokens)]
    scores = [-float(n) for n in range(len(texts))]
    pairs = {"model": model, "tokens": texts, "token_type": kinds, "scores": scores}
    return gguf(pairs | {"unknown_token_id": 0})


add("gguf-llama", "tokens", lambda size: gguf_llama(pairs_of_pieces(size)))
add("gguf-llama", "tokens that begin alike", lambda size: gguf_llama(grown_alike(size)))
add("gguf-t5", "tokens", lambda size: gguf_llama(pairs_of_pieces(size), "t5"))
add("gguf-t5", "tokens that begin alike", lambda size: gguf_llama(grown_alike(size), "t5"))
add("gguf-llama", "a far id", lambda size: gguf(
    {"model": "llama", "tokens": ["u", *[f"[PAD{n}]" for n in range(1, size // 20)], "a"],
     "token_type": [2, *[5] * (size // 20 - 1), 1]}))  # fmt: skip
add("gguf-gpt2", "tokens and merges", lambda size: gguf({
    "model": "gpt2", "pre": "llama-bpe", "tokens": [*BYTES, *distinct_pairs(size)[0][26:]],
    "merges": [" ".join(each) for each in distinct_pairs(size)[1]]}))  # fmt: skip
add("gguf-gpt2", "control tokens", lambda size: gguf({
    "model": "gpt2", "pre": "gpt-2", "tokens": [*BYTES, *(f"<s{n}>" for n in range(size // 18))],
    "token_type": [*[1] * 256, *[3] * (size // 18)], "merges": []}))  # fmt: skip
add("gguf-bert", "tokens", lambda size: gguf({
    "model": "bert", "tokens": ["[UNK]", *(f"▁{word_of(n)}" for n in range(size // 20))],
    "unknown_token_id": 0, "token_type": [3, *[1] * (size // 20)]}))  # fmt: skip
add(
    "gguf-gpt2",
    "empty tokens",
    lambda size: gguf({"model": "gpt2", "tokens": [""] * (size // 8), "merges": []}),
)
add("gguf-gpt2", "keys", lambda size: gguf({f"general.k{n}": 1 for n in range(size // 32)}))
add("gguf-gpt2", "nested lists", lambda size: gguf({"tags": [[[1] for _ in range(size // 20)]]}))


# -- lines


add(
    "bert-vocab",
    "pieces",
    lambda size: ("[UNK]\n" + "".join(f"##{word_of(n)}\n" for n in range(size // 7))).encode(),
)
add(
    "bert-vocab",
    "special tokens",
    lambda size: ("[UNK]\n" + "".join(f"[S{n}]\n" for n in range(size // 9))).encode(),
)
add("bert-vocab", "the same piece", lambda size: b"[UNK]\n" + b"a\n" * (size // 2))
add("bert-vocab", "empty lines", lambda size: b"[UNK]\na\n" + b"\n" * size)
add("bert-vocab", "a long piece", lambda size: b"[UNK]\n##a\n##" + b"a" * size)
add("bert-vocab", "nearly brackets", lambda size: b"[UNK]\n[" + b"a" * size + b"\n<" + b"a" * size)
add("subword-nmt", "merges", lambda size: ("#version: 0.2\ne s</w>\n" + "".join(
    f"{a} {b}\n" for a, b in distinct_pairs(size)[1])).encode())  # fmt: skip
add("subword-nmt", "a long merge", lambda size: b"#version: 0.2\ne s</w>\ne " + b"s" * size + b"\n")
add("subword-nmt", "empty lines", lambda size: b"#version: 0.2\ne s</w>\n" + b"\n" * size)
add("clip", "merges", lambda size: ('"bpe_simple_vocab_16e6.txt#version: 0.2\n' + "".join(
    f"{a} {b}\n" for a, b in distinct_pairs(size)[1])).encode())  # fmt: skip
add("clip", "a long merge", repeated(b'"bpe_simple_vocab_16e6.txt#version: 0.2\na ', b"b"))
