# ruff: noqa: E501, a case is read best as one line
"""Blown-up files of Hugging Face, GPT-2, tiktoken, Mistral and minbpe."""

import json
import pickle
from base64 import b64encode
from collections.abc import Mapping
from functools import cache
from typing import Any

from blown import BYTES, SINGLE, Files, add, distinct_pairs, filled, rank_tokens, word_of, words
from fuzz_formats import hugging_faces

from engine.text.patterns import PATTERNS

# -- tokenizer.json

FLAGS = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)


@cache
def faces() -> dict[str, Any]:
    return dict(hugging_faces())


def huggingface(format: str, **changes: Any) -> bytes:
    content = json.loads(json.dumps(faces()[format]))
    model = changes.pop("model", {})
    content |= changes
    content["model"] |= model
    return json.dumps(content, ensure_ascii=False).encode()


def added(number: int, **flags: Any) -> dict[str, Any]:
    token = {"id": 9000 + number, "content": f"<t{number}>", "special": True}
    return token | FLAGS | flags


LLAMA, BERT, T5, LLAMA3 = "hf-like-llama", "hf-like-bert", "hf-like-t5", "hf-like-llama-3"


def merges_of_characters(size: int) -> bytes:
    tokens, merges = distinct_pairs(size)
    vocab = {"<unk>": 0} | {token: n + 1 for n, token in enumerate(tokens)}
    return huggingface(LLAMA, model={"vocab": vocab, "merges": [" ".join(m) for m in merges]})


add(LLAMA, "merges", merges_of_characters)


for _name, _flags in {
    "special tokens": {},
    "normalized tokens": {"normalized": True, "special": False},
    "tokens with spaces": {"lstrip": True, "rstrip": True, "single_word": True},
}.items():
    for _format in (LLAMA, BERT, T5, LLAMA3):
        add(
            _format,
            _name,
            lambda size, flags=_flags, format=_format: huggingface(  # type: ignore[misc]
                format, added_tokens=filled(size, lambda n: added(n, **flags))
            ),
        )


def stages(format: str, key: str, parts: str, one: Mapping[str, Any], what: str) -> None:
    def grow(size: int) -> bytes:
        made = filled(size, lambda n: json.loads(json.dumps(one).replace("NUMBER", f"{n:06}")))
        return huggingface(format, **{key: {"type": "Sequence", parts: made}})

    add(format, what, grow)


_replace = {"type": "Replace", "pattern": {"Regex": "aNUMBER|b+"}, "content": "b"}
_split = {
    "type": "Split", "pattern": {"Regex": "aNUMBER|b+"}, "behavior": "Isolated", "invert": False
}  # fmt: skip
_long = "".join(f"(?:aNUMBER{n}|b+)" for n in range(90))
stages(BERT, "normalizer", "normalizers", {"type": "NFC"}, "normalizers")
stages(
    LLAMA3,
    "pre_tokenizer",
    "pretokenizers",
    _split | {"pattern": {"Regex": _long}},
    "pre-tokenizers with long regexes",
)
stages(BERT, "normalizer", "normalizers", _replace, "normalizers with regexes")
stages(
    BERT, "normalizer", "normalizers", {"type": "Sequence", "normalizers": []}, "empty normalizers"
)
stages(LLAMA3, "pre_tokenizer", "pretokenizers", _split, "pre-tokenizers with regexes")
stages(BERT, "pre_tokenizer", "pretokenizers", {"type": "WhitespaceSplit"}, "pre-tokenizers")
stages(LLAMA, "decoder", "decoders", _replace, "decoders with regexes")
stages(LLAMA, "decoder", "decoders", {"type": "Fuse"}, "decoders")
stages(
    LLAMA3, "post_processor", "processors",
    {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True}, "post-processors",
)  # fmt: skip


def nested(format: str, key: str, parts: str) -> None:
    def grow(size: int) -> bytes:
        start, end = f'{{"type": "Sequence", "{parts}": [', "]}"
        depth = size // len(start + end)
        plain = json.dumps(faces()[format] | {key: "HERE"})
        return plain.replace('"HERE"', start * depth + end * depth).encode()

    add(format, f"nested {parts}", grow)


nested(BERT, "normalizer", "normalizers")
nested(BERT, "pre_tokenizer", "pretokenizers")
nested(LLAMA, "decoder", "decoders")


def template(size: int, **changes: Any) -> dict[str, Any]:
    made = json.loads(json.dumps(faces()[LLAMA]["post_processor"]))
    return made | changes


add(
    LLAMA, "ids of a template's token",
    lambda size: huggingface(LLAMA, post_processor=template(size, special_tokens={"<unk>": {
        "id": "<unk>", "ids": [0] * (size // 6), "tokens": ["u"] * (size // 10)}})),
)  # fmt: skip
add(
    LLAMA, "parts of a template",
    lambda size: huggingface(LLAMA, post_processor=template(size, single=[
        *filled(size, lambda n: {"SpecialToken": {"id": "<unk>", "type_id": 0}}),
        {"Sequence": {"id": "A", "type_id": 0}}])),
)  # fmt: skip
add(
    LLAMA, "parts of a template with many ids",
    lambda size: huggingface(LLAMA, post_processor=template(size, special_tokens={"<unk>": {
        "id": "<unk>", "ids": [0] * (size // 12), "tokens": ["u"]}}, single=[
        *filled(size // 2, lambda n: {"SpecialToken": {"id": "<unk>", "type_id": 0}}),
        {"Sequence": {"id": "A", "type_id": 0}}])),
)  # fmt: skip
add(
    LLAMA, "tokens of a template",
    lambda size: huggingface(LLAMA, post_processor=template(size, special_tokens={
        "<unk>": {"id": "<unk>", "ids": [0], "tokens": ["<unk>"]},
        **{f"<{n}>": {"id": f"<{n}>", "ids": [0], "tokens": ["u"]} for n in range(size // 55)}})),
)  # fmt: skip
add(BERT, "pieces", lambda size: huggingface(BERT, model={
    "vocab": {"[UNK]": 0, "[CLS]": 1, "[SEP]": 2} | words(size, "##")}))  # fmt: skip
add(BERT, "a long piece", lambda size: huggingface(BERT, model={
    "vocab": {"[UNK]": 0, "[CLS]": 1, "[SEP]": 2, "##" + "a" * size: 3}}))  # fmt: skip
add(T5, "pieces", lambda size: huggingface(T5, model={
    "vocab": [["<unk>", 0.0], *filled(size, lambda n: [word_of(n) + "▁", -float(n)])]}))  # fmt: skip
add(T5, "a long piece", lambda size: huggingface(T5, model={
    "vocab": [["<unk>", 0.0], ["a", -1.0], ["a" * size, -1.0]]}))  # fmt: skip
add(T5, "pieces that begin alike", lambda size: huggingface(T5, model={
    "vocab": [["<unk>", 0.0], *(["a" * n, -1.0] for n in range(1, int(size**0.5) * 4 // 3))]}))  # fmt: skip
add(LLAMA, "tokens", lambda size: huggingface(LLAMA, model={
    "vocab": {"<unk>": 0} | words(size), "merges": []}))  # fmt: skip
add(LLAMA, "a long token", lambda size: huggingface(LLAMA, model={
    "vocab": {"<unk>": 0, "a": 1, "a" * size: 2}, "merges": []}))  # fmt: skip
add(
    LLAMA3,
    "tokens",
    lambda size: huggingface(LLAMA3, model={"vocab": BYTES | words(size), "merges": []}),
)
for _name, _merge in {"the same merge": "l o", "merges of three": "l o w"}.items():
    add(LLAMA, _name, lambda size, merge=_merge: huggingface(  # type: ignore[misc]
        LLAMA, model={"merges": [merge] * (size // (len(merge) + 4))}))  # fmt: skip
add(LLAMA, "keys", lambda size: huggingface(LLAMA, **{f"k{n}": n for n in range(size // 16)}))
for _name, _digits in {"a large number": b"", "digits in a float": b"0."}.items():
    add(LLAMA, _name, lambda size, digits=_digits: huggingface(LLAMA).replace(  # type: ignore[misc]
        b'"id": 0', b'"id": ' + digits + b"9" * size))  # fmt: skip
add(LLAMA, "spaces", lambda size: huggingface(LLAMA) + b" " * size)
for _what, _regex in {
    "letters": "ab", "branches": "a|", "classes": "[a-z]", "groups": "(?:a)", "stars": "a*", "sets": "[ab",
    "brackets": "(", "backslashes": "\\\\", "repeats": "a{1,2}", "properties": "\\\\p{L}", "look-aheads": "(?=a)",
}.items():  # fmt: skip
    add(
        LLAMA3, f"a regex of {_what}",
        lambda size, regex=_regex: json.dumps(faces()[LLAMA3]).replace(  # type: ignore[misc]
            json.dumps(PATTERNS["gpt2"].source), '"' + regex * (size // len(regex)) + 'b"').encode(),
    )  # fmt: skip
add(T5, "a map of characters", lambda size: huggingface(T5, normalizer={
    "type": "Precompiled",
    "precompiled_charsmap": b64encode(
        (size // 2).to_bytes(4, "little") + b"\1\2\3\0" * (size // 8) + b"\0" * 100).decode()}))  # fmt: skip


# -- GPT-2's files


def gpt2(vocab: Mapping[str, int], merges: list[str], **more: Any) -> Files:
    return {
        "vocab.json": json.dumps(vocab).encode(),
        "merges.txt": "".join(f"{line}\n" for line in ["#version: 0.2", *merges]).encode(),
        **{
            f"{name.replace('__', '-')}.json": json.dumps(each).encode()
            for name, each in more.items()
        },
    }


def merges_of_bytes(size: int) -> Files:
    tokens, merges = distinct_pairs(size)
    numbered = BYTES | {token: 300 + n for n, token in enumerate(tokens) if token not in BYTES}
    return gpt2(numbered, [" ".join(merge) for merge in merges])


add("gpt2", "merges", merges_of_bytes)


def merges_and_settings(size: int) -> Files:
    tokens, merges = distinct_pairs(size // 2)
    numbered = BYTES | {token: 300 + n for n, token in enumerate(tokens) if token not in BYTES}
    more = filled(size // 2, lambda n: f"<s{n}>")
    return gpt2(
        numbered,
        [" ".join(merge) for merge in merges],
        added_tokens={token: 900_000 + n for n, token in enumerate(more)},
    )


add("gpt2", "merges and settings", merges_and_settings)


add("gpt2", "special tokens", lambda size: gpt2(
    BYTES, [], bpe__tui={"pattern": "gpt2", "special_tokens": filled(size, lambda n: f"<s{n}>")}))  # fmt: skip
add("gpt2", "special tokens in the vocabulary", lambda size: gpt2(
    BYTES | {f"<s{n}>": 256 + n for n in range(size // 40)}, [],
    bpe__tui={"pattern": "gpt2", "special_tokens": [f"<s{n}>" for n in range(size // 40)]}))  # fmt: skip
add("gpt2", "special tokens guessed", lambda size: gpt2(
    BYTES | {f"<s{n}>": 256 + n for n in range(size // 20)}, []))  # fmt: skip
add("gpt2", "unmade tokens", lambda size: gpt2(BYTES | words(size), []))
add("gpt2", "added tokens", lambda size: gpt2(
    BYTES, [], added_tokens={f"<s{n}>": 256 + n for n in range(size // 20)}))  # fmt: skip
add("gpt2", "additional special tokens", lambda size: gpt2(
    BYTES, [], special_tokens_map={"additional_special_tokens": filled(size, lambda n: f"<s{n}>")}))  # fmt: skip
add("gpt2", "tokens with roles", lambda size: gpt2(
    BYTES, [], special_tokens_map={f"r{n}_token": f"<s{n}>" for n in range(size // 25)}))  # fmt: skip
add("gpt2", "decoder tokens", lambda size: gpt2(BYTES, [], tokenizer_config={
    "added_tokens_decoder": {str(256 + n): {"content": f"<s{n}>"} for n in range(size // 40)}}))  # fmt: skip
add("gpt2", "a long token", lambda size: gpt2(BYTES | {"a" * size: 256}, [f"a {'a' * (size - 1)}"]))
add("gpt2", "the same merge", lambda size: gpt2(BYTES | {"ab": 256}, ["a b"] * (size // 4)))
add("gpt2", "a long pattern", lambda size: gpt2(
    BYTES, [], bpe__tui={"pattern": "a|" * (size // 2) + "b", "special_tokens": []}))  # fmt: skip
add(
    "gpt2",
    "vocabulary alone",
    lambda size: {
        "vocab.json": json.dumps(BYTES | words(size)).encode(),
        "notes.txt": b"",
        "x": b"",
    },
)


# -- ranks


def ranks(tokens: list[bytes]) -> bytes:
    return b"".join(b64encode(token) + b" %d\n" % n for n, token in enumerate(tokens))


add("tiktoken", "ranks", lambda size: ranks(rank_tokens(size)))
add("tiktoken", "ranks without merges", lambda size: ranks(
    [*SINGLE, *(b"%07d" % n for n in range(size // 22))]))  # fmt: skip
add("tiktoken", "tokens of one letter", lambda size: ranks(
    [*SINGLE, *(b"a" * n for n in range(2, int(size**0.5)))]))  # fmt: skip
add("tiktoken", "tokens of one letter, the longest first", lambda size: ranks(
    [*SINGLE, *(b"a" * n for n in range(int(size**0.5), 1, -1))]))  # fmt: skip
add("tiktoken", "a long token", lambda size: ranks([*SINGLE, b"a" * (size * 3 // 4)]))
add("tiktoken", "long tokens", lambda size: ranks(
    [*SINGLE, *(b"%06d" % n + b"ab" * 8000 for n in range(size // 22_000))]))  # fmt: skip
add("tiktoken", "empty tokens", lambda size: ranks(SINGLE) + b"= 5\n" * (size // 4))
add("tiktoken", "a broken line", lambda size: ranks(rank_tokens(size)) + b"= x\n")
add("tiktoken", "equals signs", lambda size: ranks(SINGLE) + b"=" * size)
add("tiktoken", "digits", lambda size: ranks(SINGLE) + b"YWI= " + b"9" * size)


def pickled(**changes: Any) -> bytes:
    state = {
        "name": "x",
        "pat_str": PATTERNS["gpt2"].source,
        "mergeable_ranks": {token: n for n, token in enumerate(SINGLE)},
        "special_tokens": {},
    } | changes
    body = pickle.dumps(state, 3)[2:-1]
    return b"\x80\x03ctiktoken.core\nEncoding\n)\x81" + body + b"b."


add("tiktoken-pickle", "ranks", lambda size: pickled(
    mergeable_ranks={token: n for n, token in enumerate(rank_tokens(size))}))  # fmt: skip
add("tiktoken-pickle", "special tokens", lambda size: pickled(
    special_tokens={f"<s{n}>": 256 + n for n in range(size // 22)}))  # fmt: skip
add("tiktoken-pickle", "a long pattern", lambda size: pickled(pat_str="a|" * (size // 2) + "b"))


def tekken(**changes: Any) -> bytes:
    config = {
        "pattern": PATTERNS["gpt2"].source, "default_vocab_size": 1 << 20,
        "default_num_special_tokens": 20,
    }  # fmt: skip
    vocab = [{"rank": n, "token_bytes": b64encode(t).decode()} for n, t in enumerate(SINGLE)]
    config |= changes.pop("config", {})
    return json.dumps({"config": config, "vocab": vocab} | changes).encode()


add("tekken", "tokens", lambda size: tekken(vocab=[
    {"rank": n, "token_bytes": b64encode(t).decode()} for n, t in enumerate(rank_tokens(size // 4))]))  # fmt: skip
add("tekken", "special tokens", lambda size: tekken(
    config={"default_num_special_tokens": 1 << 19},
    special_tokens=[{"rank": n, "token_str": f"<s{n}>"} for n in range(size // 40)]))  # fmt: skip
add("tekken", "special tokens without a name", lambda size: tekken(
    config={"default_num_special_tokens": 1 << 19, "default_vocab_size": (1 << 19) + 256}))  # fmt: skip
add("tekken", "a long pattern", lambda size: tekken(config={"pattern": "a|" * (size // 2) + "b"}))


# -- minbpe


def minbpe(merges: list[tuple[int, int]], specials: list[str], pattern: str = "") -> bytes:
    lines = ["minbpe v1", pattern, str(len(specials))]
    lines += [f"{token} {900_000 + n}" for n, token in enumerate(specials)]
    lines += [f"{left} {right}" for left, right in merges]
    return "\n".join([*lines, ""]).encode()


add("minbpe", "merges", lambda size: minbpe(
    [(97 + n // 26 % 26, 97 + n % 26) if n < 676 else (256 + n // 676, 97 + n % 26) for n in range(size // 10)], []))  # fmt: skip
add("minbpe", "merges of the last token", lambda size: minbpe(
    [(97, 97), *((256 + n, 97) for n in range(size // 10))], []))  # fmt: skip
add(
    "minbpe",
    "doubling merges",
    lambda size: minbpe([(97, 97), *((256 + n, 256 + n) for n in range(size // 14))], []),
)
add("minbpe", "special tokens", lambda size: minbpe([], [f"<s{n}>" for n in range(size // 16)]))
add("minbpe", "the same special token", lambda size: minbpe([], ["<s>"] * (size // 11)))
add("minbpe", "a long pattern", lambda size: minbpe([], [], "a|" * (size // 2) + "b"))
add("minbpe", "a large number", lambda size: b"minbpe v1\n\n" + b"9" * size)
