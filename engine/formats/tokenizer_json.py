"""Hugging Face's `tokenizer.json`: a whole pipeline in one file, read and written.

Where a directory is opened, the files beside it count, too: see `beside`.

Each stage reads and writes itself: see `engine.pipeline`. What a stage or an option would need that
is not there is an error that names it; what changes no ids is told in a note. The stages are many
modules, which nobody should wait for who reads another format: they are imported when needed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from engine.core.errors import TokenizerFileError
from engine.core.files import write_files
from engine.core.gpt2_bytes import BYTE_TO_CHAR
from engine.encoding.tokenizer import Tokenizer
from engine.formats.beside import read_beside
from engine.formats.source import Source, read_json
from engine.formats.tokenizer_format import Opened, Overrides, TokenizerFormat
from engine.text.patterns import PatternLike, as_pattern

if TYPE_CHECKING:
    from engine.core.json_fields import Fields
    from engine.pipeline.pipeline import Pipeline

FILE = "tokenizer.json"

# A vocabulary may hold these words as tokens, but gives them numbers.
_HEAD = re.compile(
    rb'"(?:version|truncation|padding|added_tokens|normalizer|pre_tokenizer|post_processor|decoder'
    rb'|model)"\s*:\s*(?:[\[{]|null|"1\.0")'
)


def recognises(source: Source) -> bool:
    if source.in_folder(FILE) is not None:
        return True
    if source.only_file is None:
        return False
    [head] = source.heads
    return head.lstrip().startswith(b"{") and _HEAD.search(head) is not None


def load(source: Source, overrides: Overrides) -> Opened:
    """The tokenizer of a file.

    Raises:
        TokenizerFileError: says which key is wrong, or asks for what is not there.
    """
    from engine.core.json_fields import Fields
    from engine.pipeline.pipeline import Pipeline
    from engine.pipeline.to_tokenizer import tokenizer_of

    path = source.in_folder(FILE) or source.only_file
    assert path is not None  # it was recognised
    content = read_json(path)
    beside = None if source.folder is None else read_beside(source.folder)
    try:
        fields = Fields(content)
        in_file = Pipeline.from_json(fields)
        pipeline = overridden(in_file if beside is None else beside.applied(in_file), overrides)
        _check_added_tokens(fields, pipeline)
        notes = [*_notes(fields, pipeline)]
        if beside is not None and pipeline != in_file:
            notes += beside.notes
        return Opened(tokenizer_of(pipeline), FORMAT.name, tuple(notes))
    except TokenizerFileError as error:
        raise TokenizerFileError(f"{path}: {error}") from None


def overridden(pipeline: Pipeline, overrides: Overrides) -> Pipeline:
    """The pipeline with other special tokens, or another pattern, if somebody wants these."""
    from engine.pipeline.added_tokens import AddedToken

    if overrides.special_tokens is not None:
        pipeline = replace(pipeline, added_tokens=tuple(map(AddedToken, overrides.special_tokens)))
    if overrides.pattern is not None:
        from engine.pipeline.of_tokenizer import pre_tokenizer_of

        wanted = pre_tokenizer_of(as_pattern(overrides.pattern), pipeline.splitter.in_bytes)
        pipeline = replace(pipeline, pre_tokenizer=wanted)
    return pipeline


def _check_added_tokens(fields: Fields, pipeline: Pipeline) -> None:
    """An error if a token is looked for in normalized text, and normalized it is nothing."""
    normalizer = pipeline.normalizer
    for place, token in enumerate(pipeline.added_tokens):
        if normalizer and token.normalized and not normalizer.normalize(token.content):
            what = f"{token.content[:60]!r} is empty once it is normalized, so it stands everywhere"
            raise fields.error(f"added_tokens[{place}].content", what)


def _notes(fields: Fields, pipeline: Pipeline) -> Iterator[str]:
    """What changes no ids here, but would do so elsewhere."""
    from engine.pipeline.pipeline import KEYS

    yield from pipeline.model.notes
    if not pipeline.splitter.in_bytes and pipeline.model.vocab.keys() >= set(BYTE_TO_CHAR.values()):
        yield (
            "its tokens are spelled in GPT-2's stand-ins for bytes (Ġ for a space), and no stage "
            "of the file puts a text into these, so a space is unknown to it"
        )
    if pipeline.post_processor is not None and pipeline.post_processor.adds:
        added = " ".join(pipeline.post_processor.adds)
        yield f"the file's template adds {added} to a text; here only the pipeline does"
    for key in ("truncation", "padding"):
        if fields.has(key):
            yield f"the file asks for {key}; encoding here does none"
    if pipeline.decoder is None:
        yield "the file has no decoder; decoding puts a space between tokens, as its library does"
    ids = pipeline.added_ids
    added_tokens = fields.each_or_none("added_tokens")
    in_file = {each.text("content"): each.value.get("id") for each in added_tokens}
    moved = [token for token in ids if in_file.get(token, ids[token]) != ids[token]]
    if moved:
        yield (
            f"the file gives {moved[0]!r} another id than {ids[moved[0]]}, which Hugging Face's "
            f"library gives it (such tokens: {len(moved):,}); the library's are taken"
        )
    if unknown := [key for key in fields.value if key not in KEYS]:
        yield f"not understood and not kept: {', '.join(key[:60] for key in unknown)}"


def save(tokenizer: Tokenizer, path: Path, overwrite: bool) -> None:
    from engine.pipeline.of_tokenizer import pipeline_of

    save_pipeline(pipeline_of(tokenizer, path), path, overwrite)


def save_pipeline(pipeline: Pipeline, path: Path, overwrite: bool) -> None:
    """Write a pipeline into a file, or into a `tokenizer.json` in a directory.

    Raises:
        TokenizerFileError: a token is no UTF-8.
        OutputExistsError: something is there and `overwrite` is false.
    """
    target = path / FILE if path.is_dir() else path
    if not pipeline.model.in_tokenizer_json:
        raise TokenizerFileError(
            f"{target}: a tokenizer.json cannot say all that SentencePiece does to a text, so a "
            "SentencePiece model is only read; keep its .model"
        )
    text = json.dumps(pipeline.to_json(), ensure_ascii=False, indent=2)
    try:
        content = text.encode()
    except UnicodeEncodeError as error:
        near = text[max(error.start - 10, 0) : error.end + 10]
        raise TokenizerFileError(
            f"{target}: something that is no UTF-8 cannot be written: {near!r}; train without such "
            "text"
        ) from None
    write_files({target: content + b"\n"}, overwrite=overwrite)


def save_pieces(
    pieces: Sequence[tuple[str, float]],
    path: Path,
    *,
    pattern: PatternLike = "gpt2",
    special_tokens: Sequence[str] = (),
    overwrite: bool = False,
) -> int:
    """Write the pieces of a Unigram model, the unknown token first, with their scores.

    JSON is text, so a piece that holds a byte which is no UTF-8 is left out, and such bytes are
    unknown to the file.

    Returns:
        how many pieces are left out.

    Raises:
        TokenizerFileError: nobody knows how such a file says the pattern.
        OutputExistsError: the file is there already and `overwrite` is false.
        OutputError: the system refuses.
    """
    from engine.pipeline.of_tokenizer import unigram_pipeline

    pipeline = unigram_pipeline(pieces, special_tokens, pattern)
    save_pipeline(pipeline, path, overwrite)
    return len(pieces) - len(pipeline.model.vocab)


FORMAT = TokenizerFormat(
    *("huggingface", "Hugging Face's tokenizer.json", recognises, load, save),
    suffix=".json",
    keeps_stages=True,
)
