"""Reading and writing what is in a `tokenizer.json`: the stages of a pipeline.

Each stage reads and writes itself. What a stage or an option would need that is not there is an
error that names it; what changes no ids is told in a note.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from engine.core.errors import TokenizerFileError
from engine.encoding.tokenizer import Tokenizer
from engine.formats.source import read_json
from engine.formats.tokenizer_format import Opened, Wishes
from engine.pipeline.added_tokens import AddedToken
from engine.pipeline.decoders import decoder_from_json
from engine.pipeline.json_fields import Fields
from engine.pipeline.models import model_from_json
from engine.pipeline.models.model import MergingModel
from engine.pipeline.normalizers import normalizer_from_json
from engine.pipeline.of_tokenizer import pre_tokenizer_of
from engine.pipeline.pipeline import Pipeline
from engine.pipeline.post_processors import post_processor_from_json
from engine.pipeline.pretokenizers import pretokenizer_from_json
from engine.pipeline.to_tokenizer import ModelAlphabet
from engine.text.patterns import as_pattern

STAGES = ("normalizer", "pre_tokenizer", "post_processor", "decoder", "model")
KEYS = ("version", "truncation", "padding", "added_tokens", *STAGES)


def load(path: Path, wishes: Wishes, format: str) -> Opened:
    """The tokenizer of a file.

    Raises:
        TokenizerFileError: says which key is wrong, or asks for what is not there.
    """
    try:
        fields = Fields(read_json(path))
        pipeline = _wished(_read(fields), wishes)
        _check_added(fields, pipeline)
        notes = tuple(_notes(fields, pipeline))
        return Opened(tokenizer_of(pipeline), format, notes)
    except TokenizerFileError as error:
        message = str(error)
        known = message if message.startswith(f"{path}: ") else f"{path}: {message}"
        raise TokenizerFileError(known) from None


def pipeline_from_json(content: object) -> Pipeline:
    """The pipeline that the content of a file describes; the inverse of `spelled`.

    Raises:
        TokenizerFileError: says which key is wrong, or asks for what is not there.
    """
    return _read(Fields(content))


def _read(fields: Fields) -> Pipeline:
    def stage(key: str) -> Fields | None:
        return fields.inner_or_null(key)

    return Pipeline(
        model_from_json(fields.inner("model")),
        tuple(map(AddedToken.from_json, _added(fields))),
        normalizer_from_json(found) if (found := stage("normalizer")) else None,
        pretokenizer_from_json(found) if (found := stage("pre_tokenizer")) else None,
        post_processor_from_json(found) if (found := stage("post_processor")) else None,
        decoder_from_json(found) if (found := stage("decoder")) else None,
    )


def _check_added(fields: Fields, pipeline: Pipeline) -> None:
    """An error if a token is looked for in normalized text, and normalized it is nothing."""
    normalizer = pipeline.normalizer
    for place, token in enumerate(pipeline.added_tokens):
        if normalizer and token.normalized and not normalizer.normalize(token.content):
            what = f"{token.content[:60]!r} is empty once it is normalized, so it stands everywhere"
            raise fields.error(f"added_tokens[{place}].content", what)


def _added(fields: Fields) -> list[Fields]:
    return fields.each("added_tokens") if fields.has("added_tokens") else []


def _wished(pipeline: Pipeline, wishes: Wishes) -> Pipeline:
    """The pipeline with other special tokens, or another pattern, if somebody wants these."""
    if wishes.special_tokens is not None:
        pipeline = replace(pipeline, added_tokens=tuple(map(AddedToken, wishes.special_tokens)))
    if wishes.pattern is not None:
        wanted = pre_tokenizer_of(as_pattern(wishes.pattern), pipeline.splitter.in_bytes)
        pipeline = replace(pipeline, pre_tokenizer=wanted)
    return pipeline


def tokenizer_of(pipeline: Pipeline) -> Tokenizer:
    """The tokenizer that encodes as a pipeline does, but for its post-processor."""
    model, splitter = pipeline.model, pipeline.splitter
    if not isinstance(model, MergingModel):
        return Tokenizer(
            {token_id: text.encode() for text, token_id in model.vocab.items()},
            [],
            pipeline.added_ids,
            splitter.pattern,
            alphabet=ModelAlphabet(model, splitter.in_bytes),
            table={},
            pipeline=pipeline,
        )
    vocab = model.tokens(splitter.in_bytes)
    return Tokenizer(
        vocab,
        [(vocab[left], vocab[right]) for left, right in model.table],
        pipeline.added_ids,
        splitter.pattern,
        alphabet=model.alphabet(splitter.in_bytes),
        table=model.table,
        pipeline=pipeline,
    )


def _notes(fields: Fields, pipeline: Pipeline) -> Iterator[str]:
    """What changes no ids here, but would do so elsewhere."""
    yield from pipeline.model.notes
    if pipeline.post_processor is not None and pipeline.post_processor.adds:
        added = " ".join(pipeline.post_processor.adds)
        yield f"the file's template adds {added} to a text; encoding here does not"
    for key in ("truncation", "padding"):
        if fields.has(key):
            yield f"the file asks for {key}; encoding here does none"
    ids = pipeline.added_ids
    in_file = {each.text("content"): each.value.get("id") for each in _added(fields)}
    moved = [token for token in ids if in_file.get(token, ids[token]) != ids[token]]
    if moved:
        yield (
            f"the file gives {moved[0]!r} another id than {ids[moved[0]]}, which Hugging Face's "
            f"library gives it (such tokens: {len(moved):,}); the library's are taken"
        )
    unknown = [key for key in fields.value if key not in KEYS]
    if unknown:
        yield f"not understood and not kept: {', '.join(key[:60] for key in unknown)}"


def spelled(pipeline: Pipeline) -> dict[str, Any]:
    """The content of the file that says what a pipeline is."""
    ids = pipeline.added_ids
    stages = {
        key: stage and stage.to_json() for key in STAGES for stage in (getattr(pipeline, key),)
    }
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [token.to_json(ids[token.content]) for token in pipeline.added_tokens],
        **stages,
    }
