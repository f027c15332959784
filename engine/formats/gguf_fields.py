r"""The tokenizer of a GGUF file as JSON: the fields under `tokenizer.ggml.`, without the tensors.

    {"tokenizer.ggml.model": "gpt2", "tokenizer.ggml.pre": "llama-bpe",
     "tokenizer.ggml.tokens": ["!", "\"", …], "tokenizer.ggml.token_type": [1, 1, …],
     "tokenizer.ggml.merges": ["Ġ t", …], "tokenizer.ggml.bos_token_id": 128000, …}

It is read as `gguf` reads a header. To write one, the tokenizer has to be one that llama.cpp knows:
merges of bytes that are cut as one of its names cuts, SentencePiece's models, or WordPiece.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.core.errors import TokenizerFileError, errors_at
from engine.core.files import write_files
from engine.core.json_fields import Fields
from engine.encoding.tokenizer import Tokenizer
from engine.formats.gguf import CONTROL, NORMAL, UNUSED, USER_DEFINED, opened_from
from engine.formats.gguf_cuts import LOOKS_UP_WORDS, NAMES, pre_tokenizer_named
from engine.formats.gguf_header import PREFIX
from engine.formats.source import TokenizerSource, read_head, read_json
from engine.formats.tokenizer_format import Opened, Overrides, TokenizerFormat

if TYPE_CHECKING:
    from engine.pipeline.models import BPE
    from engine.pipeline.pipeline import Pipeline

_HEAD = re.compile(rb'\s*\{\s*"tokenizer\.ggml\.')


def recognises(source: TokenizerSource) -> bool:
    path = source.only_file
    return path is not None and _HEAD.match(read_head(path)) is not None


def load(source: TokenizerSource, overrides: Overrides) -> Opened:
    """Open the fields of a GGUF file.

    Raises:
        TokenizerFileError: a field is missing or wrong, or the kind of tokenizer is not known.
    """
    path = source.only_file
    assert path is not None  # the source was recognised
    with errors_at(path):
        fields = Fields(read_json(path)).value.items()
    return opened_from(path, {key.removeprefix(PREFIX): _value(each) for key, each in fields},
                       overrides, FORMAT.name)  # fmt: skip


def _value(value: Any) -> Any:
    """Return a value as the reader of a header returns it: numbers are in tuples."""
    if isinstance(value, list) and all(type(each) in (int, float) for each in value):
        return tuple(value)
    return value


def save(tokenizer: Tokenizer, path: Path, overwrite: bool) -> None:
    """Write the fields that describe a tokenizer.

    Raises:
        TokenizerFileError: llama.cpp has no such tokenizer.
        OutputExistsError: the file exists and `overwrite` is false.
    """
    from engine.formats.own_pipelines import pipeline_of
    from engine.formats.sentencepiece_stages import sentencepiece_stages
    from engine.pipeline.models import BPE, WordPiece

    with errors_at(path):
        pipeline = pipeline_of(tokenizer, path)
        model = pipeline.model
        if isinstance(model, BPE) and pipeline.splitter.in_bytes:
            found = _of_bytes(pipeline, model)
        elif isinstance(model, WordPiece):
            found = _of_words(pipeline, model)
        else:
            found = _of_pieces(sentencepiece_stages(pipeline))
    fields = {f"{PREFIX}{key}": value for key, value in (found | _around(pipeline)).items()}
    content = json.dumps(fields, ensure_ascii=False).encode()
    write_files({path: content + b"\n"}, overwrite=overwrite)


def _of_bytes(pipeline: Pipeline, model: BPE) -> dict[str, Any]:
    if pipeline.normalizer is not None or model._prefix or model._suffix:
        raise TokenizerFileError(
            "it normalizes a text or marks words before it merges bytes, and GGUF has no field for "
            "that; write a tokenizer.json"
        )
    looks_up = [name for name in NAMES if (name in LOOKS_UP_WORDS) == model.ignore_merges]
    cut = _cut(pipeline.pre_tokenizer)
    named = next((name for name in looks_up if _cut(pre_tokenizer_named(name)) == cut), None)
    if named is None:
        raise TokenizerFileError(
            "llama.cpp has no name for the regexes that it cuts with, and a GGUF file can only "
            "name them; write a tokenizer.json"
        )
    merges = [f"{left} {right}" for left, right in model.merges]
    return {"model": "gpt2", "pre": named, **_tokens(pipeline, model.vocab), "merges": merges}


def _cut(stage: Any) -> Any:
    """Return the settings of a pre-tokenizer that decide where it cuts."""
    content = None if stage is None else stage.to_json()
    return json.loads(json.dumps(content), object_hook=_without_offsets)


def _without_offsets(content: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in content.items() if key != "trim_offsets"}


def _of_words(pipeline: Pipeline, model: Any) -> dict[str, Any]:
    from engine.pipeline.normalizers import BertNormalizer

    normalizer = pipeline.normalizer
    added, mark = pipeline.added_ids, model.continuing_subword_prefix
    spelled = {
        text if text in added else text.removeprefix(mark) if text.startswith(mark) else f"▁{text}"
        : token_id for text, token_id in model.vocab.items()
    }  # fmt: skip
    found = {"model": "bert", **_tokens(pipeline, spelled), "unknown_token_id": model.unknown_id}
    if isinstance(normalizer, BertNormalizer):
        accents = normalizer.strip_accents
        lowers = found["normalizer.lowercase"] = normalizer.lowercase
        found["normalizer.strip_accents"] = lowers if accents is None else accents
    return found


def _of_pieces(pipeline: Pipeline) -> dict[str, Any]:
    from engine.pipeline import sentencepiece

    model, rules = pipeline.model, pipeline.normalizer
    assert isinstance(model, sentencepiece.SentencePieceBPE | sentencepiece.SentencePieceUnigram)
    assert isinstance(rules, sentencepiece.SentencePieceNormalizer)
    if rules.space_behind or not rules.escape_whitespaces:
        raise TokenizerFileError("it puts ▁ after a word or nowhere, and GGUF has no field for it")
    return {
        "model": "llama" if isinstance(model, sentencepiece.SentencePieceBPE) else "t5",
        "pre": "default",
        "tokens": [piece.text for piece in model.pieces],
        "scores": [piece.score for piece in model.pieces],
        "token_type": [piece.kind for piece in model.pieces],
        "unknown_token_id": model.unknown_id,
        "add_space_prefix": rules.add_dummy_prefix,
        "remove_extra_whitespaces": rules.remove_extra_whitespaces,
        **({"precompiled_charsmap": [*rules.charsmap]} if rules.charsmap else {}),
    }


def _tokens(pipeline: Pipeline, vocab: Mapping[str, int]) -> dict[str, Any]:
    """Return the tokens by their ids, and their types; an id without a token is unused."""
    of_id = {token_id: text for text, token_id in (*vocab.items(), *pipeline.added_ids.items())}
    special = {token.content: token.special for token in pipeline.added_tokens}
    ids = range(max(of_id) + 1)
    if len(ids) > 2 * len(of_id) + 10_000:
        raise TokenizerFileError("its ids are too far apart for a list of tokens")

    def kind_of(token_id: int) -> int:
        if token_id not in of_id:
            return UNUSED
        found = special.get(of_id[token_id])
        return NORMAL if found is None else CONTROL if found else USER_DEFINED

    return {
        "tokens": [of_id.get(token_id, f"[PAD{token_id}]") for token_id in ids],
        "token_type": [kind_of(token_id) for token_id in ids],
    }


def _around(pipeline: Pipeline) -> dict[str, Any]:
    """Return the fields about the tokens that a template puts around a text."""
    parts = pipeline.template_ids
    place = parts.index(None)
    before, after = _only(parts[:place]), _only(parts[place + 1 :])
    names = ("cls", "seperator") if pipeline.model.name == "WordPiece" else ("bos", "eos")
    found = {f"{name}_token_id": i for name, i in zip(names, (before, after), strict=True)}
    adds = {"add_bos_token": before is not None, "add_eos_token": after is not None}
    return {key: i for key, i in found.items() if i is not None} | adds


def _only(parts: Iterable[Any]) -> int | None:
    """Return the only id of a part of a template; `None` if there is none.

    Raises:
        TokenizerFileError: there are several.
    """
    match [token_id for part in parts for token_id in part]:
        case []:
            return None
        case [token_id]:
            return int(token_id)
    raise TokenizerFileError("its template adds several tokens at one end, and GGUF knows one")


FORMAT = TokenizerFormat(
    "gguf-fields",
    "the fields of a GGUF file's tokenizer, as JSON",
    recognises,
    load,
    save,
    suffix=".json",
    keeps_stages=True,
)
