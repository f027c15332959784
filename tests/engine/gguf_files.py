"""GGUF files for tests: a small writer, and the pairs that llama.cpp's converter would write."""

import json
import struct
from collections.abc import Iterable
from functools import cache
from typing import Any

import sentencepiece_models
import tokenizers
from pipelines import use_marks_for_spaces
from tokenizers import models

from engine.formats.sentencepiece_model import fields_in

NORMAL, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE = range(1, 7)

# Types of values: u8, i8, u16, i16, u32, i32, f32, bool, text, list, u64, i64, f64
U8, I32, U32, F32, BOOL, TEXT, LIST = 0, 5, 4, 6, 7, 8, 9


def gguf(pairs: dict[str, Any], order: str = "<", version: int = 3, tensors: int = 0) -> bytes:
    """Return a GGUF file; keys without a dot get the prefix of the tokenizer."""
    parts = [b"GGUF", struct.pack(f"{order}IQQ", version, tensors, len(pairs))]
    for key, value in pairs.items():
        name = key if key.startswith("general.") else f"tokenizer.ggml.{key}"
        kind, content = _value(value, order)
        parts += [_text(name, order), struct.pack(f"{order}I", kind), content]
    return b"".join(parts)


def _text(text: str, order: str) -> bytes:
    data = text.encode()
    return struct.pack(f"{order}Q", len(data)) + data


def _value(value: Any, order: str) -> tuple[int, bytes]:
    match value:
        case bool():
            return BOOL, bytes((value,))
        case int():
            return U32, struct.pack(f"{order}I", value)
        case float():
            return F32, struct.pack(f"{order}f", value)
        case str():
            return TEXT, _text(value, order)
        case bytes():
            return LIST, struct.pack(f"{order}IQ", U8, len(value)) + value
    start = (TEXT if not value or isinstance(value[0], str) else I32), len(value)
    if value and isinstance(value[0], float):
        return LIST, struct.pack(f"{order}IQ{len(value)}f", F32, len(value), *value)
    if value and isinstance(value[0], list):
        inner = b"".join(_value(each, order)[1] for each in value)
        return LIST, struct.pack(f"{order}IQ", LIST, len(value)) + inner
    if start[0] == I32:
        return LIST, struct.pack(f"{order}IQ{len(value)}i", *start, *value)
    return LIST, struct.pack(f"{order}IQ", *start) + b"".join(_text(t, order) for t in value)


# The pairs of tokenizers


def of_bytes(tokenizer: tokenizers.Tokenizer, pre: str, **more: Any) -> dict[str, Any]:
    """Return the pairs of a byte-level BPE of Hugging Face's library."""
    content = json.loads(tokenizer.to_str())
    texts, kinds = _columns(tokenizer, content["added_tokens"])
    merges = [" ".join(merge) for merge in content["model"]["merges"]]
    return {
        "model": "gpt2", "pre": pre, "tokens": texts, "token_type": kinds, "merges": merges, **more
    }  # fmt: skip


def of_pieces(tokenizer: tokenizers.Tokenizer) -> dict[str, Any]:
    """Return the pairs of a WordPiece tokenizer: `▁` begins a word, `##` is left out."""
    texts, kinds = _columns(tokenizer, json.loads(tokenizer.to_str())["added_tokens"])
    spelled = [
        text if kind == CONTROL else text[2:] if text.startswith("##") else f"▁{text}"
        for text, kind in zip(texts, kinds, strict=True)
    ]
    roles = {"unknown": "[UNK]", "bos": "[CLS]", "seperator": "[SEP]"}
    ids = {f"{role}_token_id": texts.index(text) for role, text in roles.items()}
    return {"model": "bert", "tokens": spelled, "token_type": kinds, **ids}


def _columns(
    tokenizer: tokenizers.Tokenizer, added: Iterable[dict[str, Any]]
) -> tuple[list[str], list[int]]:
    of_id = {token_id: text for text, token_id in tokenizer.get_vocab().items()}
    kind_of = {each["id"]: CONTROL if each["special"] else USER_DEFINED for each in added}
    ids = range(max(of_id) + 1)
    texts = [of_id.get(i, f"[PAD{i}]") for i in ids]
    return texts, [kind_of.get(i, NORMAL if i in of_id else UNUSED) for i in ids]


@cache
def processor(kind: str, variant: str) -> Any:
    """Return a small model of SentencePiece's library."""
    import sentencepiece

    made = sentencepiece_models.trained(kind, variant)
    return sentencepiece.SentencePieceProcessor(model_proto=made)


def of_sentencepiece(kind: str, variant: str, **more: Any) -> dict[str, Any]:
    """Return the pairs of a SentencePiece model: `llama` for BPE, `t5` for Unigram."""
    library = processor(kind, variant)
    ids = range(library.get_piece_size())
    kinds = [
        UNKNOWN if library.is_unknown(i)
        else CONTROL if library.is_control(i)
        else BYTE if library.is_byte(i)
        else NORMAL
        for i in ids
    ]  # fmt: skip
    parts = {number: value for number, _, value in _fields(kind, variant)}
    rules = {number: value for number, _, value in fields_in(parts[3])}
    return {
        "model": "llama" if kind == "bpe" else "t5",
        "tokens": [library.id_to_piece(i) for i in ids],
        "scores": [float(library.get_score(i)) for i in ids],
        "token_type": kinds,
        "unknown_token_id": library.unk_id(),
        "bos_token_id": library.bos_id(),
        "eos_token_id": library.eos_id(),
        "precompiled_charsmap": rules.get(2, b""),
        "add_space_prefix": bool(rules.get(3, True)),
        "remove_extra_whitespaces": bool(rules.get(4, True)),
        **more,
    }


def _fields(kind: str, variant: str) -> Iterable[tuple[int, int, Any]]:
    return fields_in(sentencepiece_models.trained(kind, variant))


def llama_json(variant: str) -> tokenizers.Tokenizer:
    """Return the tokenizer that `transformers` would make of Llama's model."""
    pairs = of_sentencepiece("bpe", variant)
    vocab = {text: i for i, text in enumerate(pairs["tokens"])}
    merges: list[tuple[str, str, float]] = []
    for text, score in zip(pairs["tokens"], pairs["scores"], strict=True):
        cuts = [(text[:at], text[at:]) for at in range(1, len(text))]
        known = [pair for pair in cuts if pair[0] in vocab and pair[1] in vocab]
        known.sort(key=lambda pair: (vocab[pair[0]], vocab[pair[1]]))
        merges += [(left, right, score) for left, right in known]
    merges.sort(key=lambda row: (row[2], len(row[0]), len(row[1])), reverse=True)
    in_order = [(left, right) for left, right, _ in merges]
    made = tokenizers.Tokenizer(
        models.BPE(vocab, in_order, unk_token="<unk>", fuse_unk=True, byte_fallback=True)
    )
    use_marks_for_spaces(made)
    made.add_special_tokens(["<unk>", "<s>", "</s>"])
    return made
