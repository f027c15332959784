"""Hugging Face's `tokenizer.json`, a whole pipeline in one file.

Each stage reads and writes itself: see `engine.pipeline`. An unsupported stage or option is an
error that names it; a note names what changes no ids. The many modules of the stages are imported
only when they are needed.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.core.errors import TokenizerFileError, errors_at
from engine.core.files import write_files
from engine.core.gpt2_bytes import BYTE_OF, BYTE_TO_CHAR
from engine.core.json_fields import Fields
from engine.core.json_text import indented_json
from engine.encoding.merging import MergeArrays
from engine.encoding.tokenizer import Tokenizer
from engine.formats.folder_settings import read_folder_settings
from engine.formats.guesses import note_template
from engine.formats.source import (
    TokenizerSource,
    check_values,
    parse_json,
    read_bytes,
    read_head,
)
from engine.formats.tokenizer_format import Library, Opened, Overrides, TokenizerFormat
from engine.native.vocabularies import read_gpt2
from engine.text.patterns import PATTERNS, PatternLike, as_pattern

if TYPE_CHECKING:
    from engine.pipeline.pipeline import Pipeline

FILE = "tokenizer.json"

# In a vocabulary, too, these words can be keys, but their values are numbers.
_HEAD = re.compile(
    rb'"(?:version|truncation|padding|added_tokens|normalizer|pre_tokenizer|post_processor|decoder'
    rb'|model)"\s*:\s*(?:[\[{]|null|"1\.0")'
)


def recognises(source: TokenizerSource) -> bool:
    path = source.file_named(FILE)
    head = b"" if path is None else read_head(path)
    return head.lstrip().startswith(b"{") and _HEAD.search(head) is not None


def load(source: TokenizerSource, overrides: Overrides) -> Opened:
    """Open a `tokenizer.json`.

    Raises:
        TokenizerFileError: a key is wrong or not supported; the message names it.
    """
    from engine.pipeline.as_tokenizer import tokenizer_of
    from engine.pipeline.pipeline import Pipeline

    path = source.file_named(FILE)
    assert path is not None  # the source was recognised
    content = _read_content(path)
    settings = read_folder_settings(source.settings_folder)
    with errors_at(path):
        fields = Fields(content)
        in_file = Pipeline.from_json(fields)
        completed = in_file if settings is None else settings.applied_to(in_file)
        pipeline = overridden(completed, overrides)
        _check_added_tokens(fields, pipeline)
        notes, tokenizer = [*_notes(fields, pipeline)], tokenizer_of(pipeline)
        if settings is not None and pipeline != in_file:
            notes += settings.notes(tokenizer.vocab)
        if settings is not None and settings.model_type in _MISTRALS:
            notes += [_WRONG_PATTERN] * (tokenizer.pattern == PATTERNS["llama3"])
        return Opened(tokenizer, FORMAT.name, tuple(notes))


_VOCAB = re.compile(rb'"vocab"\s*:\s*(?=\{)')
_CUT_OUT = b'"\\u0000", "merges": "\\u0000"'


def _read_content(path: Path) -> Any:
    """Return the value of the file; the kernel reads its vocabulary and merges if it can.

    Raises:
        TokenizerFileError: as for `read_json`.
    """
    data = check_values(path, read_bytes(path))
    start = _VOCAB.search(data)
    found = None if start is None else read_gpt2(data[start.end() :], None, BYTE_OF)
    if start is not None and found is not None:
        rest = _CUT_OUT.join((data[: start.end()], data[start.end() + found.size :]))
        with suppress(TokenizerFileError):
            match content := parse_json(path, rest):
                case {"model": {"type": "BPE", "vocab": "\0", "merges": "\0"} as model} if (
                    rest.count(b"\\u0000") == 2
                ):
                    from engine.pipeline.models import SpelledMerges

                    table = MergeArrays(found.pairs, found.made)
                    model["merges"] = SpelledMerges(found.tokens, table)
                    return content
    return parse_json(path, data)


_MISTRALS = ("mistral", "mistral3", "ministral", "ministral3", "pixtral", "voxtral")
_WRONG_PATTERN = (
    "a known mistake of Mistral's files: they cut by Llama 3's pattern, and the model was trained "
    "with Tekken's, which transformers takes with fix_mistral_regex=True; here the file decides"
)


def overridden(pipeline: Pipeline, overrides: Overrides) -> Pipeline:
    """Return the pipeline with the special tokens and the pattern of the caller, if given."""
    from engine.pipeline.added_tokens import AddedToken

    if overrides.special_tokens is not None:
        pipeline = replace(pipeline, added_tokens=tuple(map(AddedToken, overrides.special_tokens)))
    if overrides.pattern is not None:
        from engine.formats.own_pipelines import pre_tokenizer_of

        wanted = pre_tokenizer_of(as_pattern(overrides.pattern), pipeline.splitter.in_bytes)
        pipeline = replace(pipeline, pre_tokenizer=wanted)
    return pipeline


def _check_added_tokens(fields: Fields, pipeline: Pipeline) -> None:
    """Raise `TokenizerFileError` if a normalized added token is empty."""
    normalizer = pipeline.normalizer
    for place, token in enumerate(pipeline.added_tokens):
        if normalizer and token.normalized and not normalizer.normalize(token.content):
            what = f"{token.content[:60]!r} is empty after normalization, so it occurs everywhere"
            raise fields.error(f"added_tokens[{place}].content", what)


def _notes(fields: Fields, pipeline: Pipeline) -> Iterator[str]:
    """Yield notes about settings that are ignored here but matter elsewhere."""
    from engine.pipeline.pipeline import KEYS

    yield from pipeline.model.notes
    if not pipeline.splitter.in_bytes and pipeline.model.vocab.keys() >= set(BYTE_TO_CHAR.values()):
        yield (
            "its tokens are spelled in GPT-2's stand-ins for bytes (Ġ for a space), and no stage "
            "of the file puts a text into these, so a space is unknown to it"
        )
    yield from note_template(pipeline.template_tokens)
    for key in ("truncation", "padding"):
        if fields.has(key):
            yield f"the file asks for {key}; encoding here does none"
    if pipeline.decoder is None:
        yield "the file has no decoder; decoding puts a space between tokens, as its library does"
    ids = pipeline.added_ids
    in_file = {each["content"]: each.get("id") for each in fields.value.get("added_tokens") or ()}
    moved = [token for token in ids if in_file.get(token, ids[token]) != ids[token]]
    if moved:
        yield (
            f"the file gives {moved[0]!r} another id than {ids[moved[0]]}, which Hugging Face's "
            f"library gives it (such tokens: {len(moved):,}); the library's are taken"
        )
    if unknown := [key for key in fields.value if key not in KEYS]:
        yield f"not understood and not kept: {', '.join(key[:60] for key in unknown)}"


def save(tokenizer: Tokenizer, path: Path, overwrite: bool) -> None:
    from engine.formats.own_pipelines import pipeline_of

    save_pipeline(pipeline_of(tokenizer, path), path, overwrite)


def save_pipeline(pipeline: Pipeline, path: Path, overwrite: bool) -> None:
    """Write a pipeline into a file, or into a `tokenizer.json` in a directory.

    Raises:
        TokenizerFileError: a token is not UTF-8, or no stage does what a SentencePiece model does.
        OutputExistsError: the file exists and `overwrite` is false.
    """
    (target,) = FORMAT.written(path)
    if not pipeline.model.in_tokenizer_json:
        from engine.formats.sentencepiece_stages import hugging_face_stages

        with errors_at(target):
            pipeline = hugging_face_stages(pipeline)
    try:
        content = [part.encode() for part in indented_json(pipeline.to_json())]
    except UnicodeEncodeError as error:
        near = error.object[max(error.start - 10, 0) : error.end + 10]
        raise TokenizerFileError(
            f"{target}: something that is no UTF-8 cannot be written: {near!r}; train without such "
            "text"
        ) from None
    write_files({target: [*content, b"\n"]}, overwrite=overwrite)


def save_pieces(
    pieces: Sequence[tuple[str, float]],
    path: Path,
    *,
    pattern: PatternLike = "gpt2",
    special_tokens: Sequence[str] = (),
    overwrite: bool = False,
) -> int:
    """Write the pieces of a Unigram model, the unknown token first, with their scores.

    JSON is text, so pieces that are not valid UTF-8 are left out, and the file does not know such
    bytes.

    Returns:
        the number of pieces left out.

    Raises:
        TokenizerFileError: the format cannot hold the pattern.
        OutputExistsError: the file exists and `overwrite` is false.
        OutputError: the system does not allow writing.
    """
    from engine.formats.own_pipelines import unigram_pipeline

    pipeline = unigram_pipeline(pieces, special_tokens, pattern)
    save_pipeline(pipeline, path, overwrite)
    return len(pieces) - len(pipeline.model.vocab)


def library_for(path: Path, tokenizer: Tokenizer) -> tuple[Library, ...]:
    """Return Hugging Face's library with the file open, if it is installed."""
    try:
        import tokenizers
    except ImportError:
        return ()
    encode = tokenizers.Tokenizer.from_file(os.fspath(path)).encode
    return (Library("tokenizers", lambda text: encode(text, add_special_tokens=False).ids),)


FORMAT = TokenizerFormat(
    "huggingface",
    "Hugging Face's tokenizer.json",
    recognises,
    load,
    save,
    suffix=".json",
    name_in_folder=FILE,
    keeps_stages=True,
    library=library_for,
)
