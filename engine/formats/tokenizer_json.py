"""Hugging Face's `tokenizer.json`, and the files of settings in a model's folder.

A `tokenizer.json` is a whole pipeline in one file. Each stage reads and writes itself: see
`engine.pipeline`. An unsupported stage or option is an error that names it; a note names what
changes no ids. The many modules of the stages are imported only when they are needed.

These files beside a vocabulary are used if its directory is opened, as in `transformers`:

    added_tokens.json         {"<tool>": 50257}
    special_tokens_map.json   {"eos_token": "<|endoftext|>", "additional_special_tokens": ["<a>"]}
    tokenizer_config.json     {"add_prefix_space": true, "added_tokens_decoder":
                               {"50264": {"content": "<mask>", "lstrip": true, "special": true, …}}}

A special token without an id gets the next one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.core.errors import TokenizerFileError, errors_at
from engine.core.files import write_files
from engine.core.gpt2_bytes import BYTE_TO_CHAR
from engine.core.json_fields import Fields, well_formed
from engine.encoding.tokenizer import Tokenizer
from engine.formats.guesses import note_template
from engine.formats.source import TokenizerSource, read_json
from engine.formats.tokenizer_format import Opened, Overrides, TokenizerFormat
from engine.text.patterns import PatternLike, as_pattern

if TYPE_CHECKING:
    from engine.pipeline.pipeline import Pipeline

# The settings in a model's folder

ADDED, SPECIAL, CONFIG = "added_tokens.json", "special_tokens_map.json", "tokenizer_config.json"
_FLAGS = ("single_word", "lstrip", "rstrip", "normalized", "special")
_LARGEST_ID = (1 << 32) - 1


@dataclass(frozen=True)
class FolderSettings:
    """The added tokens, and the space before a text, that the files in a folder specify.

    Attributes:
        files: the names of the files that exist.
        flags: added token → those of its options that are given.
        ids: added token → id, for those with an id.
        add_prefix_space: whether to put a space before a text; `None` if not given.
    """

    files: tuple[str, ...]
    flags: Mapping[str, Mapping[str, bool]] = field(default_factory=dict)
    ids: Mapping[str, int] = field(default_factory=dict)
    add_prefix_space: bool | None = None

    @property
    def notes(self) -> tuple[str, ...]:
        return (f"the added tokens in {', '.join(self.files)} are used too",)

    def token_ids(self, vocab: Mapping[str, int]) -> dict[str, int]:
        """Return added token → id, taken from the vocabulary, else from the files, else the next.

        Args:
            vocab: token → id.

        Raises:
            TokenizerFileError: an id belongs to another token.
        """
        token_of = {token_id: token for token, token_id in vocab.items()}
        highest = max(token_of, default=-1)
        numbered: dict[str, int] = {}
        for token in self.flags:
            token_id = vocab.get(token, self.ids.get(token, highest + 1))
            highest = max(highest, token_id)
            if token_of.setdefault(token_id, token) != token:
                raise TokenizerFileError(
                    f"{self.files[0]} gives {token[:60]!r} the id {token_id} of "
                    f"{token_of[token_id][:60]!r}"
                )
            numbered[token] = token_id
        return numbered

    def applied_to(self, pipeline: Pipeline) -> Pipeline:
        """Return the pipeline with these added tokens and this space."""
        from engine.pipeline.added_tokens import AddedToken
        from engine.pipeline.pretokenizers import ByteLevel

        left: dict[str, Mapping[str, Any]] = dict(self.flags)
        # Options that are not given here stay as in the pipeline.
        kept = [replace(each, **left.pop(each.content, {})) for each in pipeline.added_tokens]
        more = (AddedToken(token, **{"special": False, **flags}) for token, flags in left.items())
        pipeline = replace(pipeline, added_tokens=(*kept, *more))
        cut = pipeline.pre_tokenizer
        if isinstance(cut, ByteLevel) and self.add_prefix_space is not None:
            spaced = replace(cut, add_prefix_space=self.add_prefix_space)
            pipeline = replace(pipeline, pre_tokenizer=spaced)
        return pipeline


def read_folder_settings(folder: Path) -> FolderSettings | None:
    """Return the settings in a model's folder; `None` if it has no file of settings.

    Raises:
        TokenizerFileError: a file is damaged.
    """
    contents = {
        name: read_json(folder / name)
        for name in (ADDED, SPECIAL, CONFIG)
        if (folder / name).is_file()
    }
    if not contents:
        return None
    flags: dict[str, dict[str, bool]] = {}
    ids: dict[str, int] = {}
    name = ""
    try:
        for name, content in contents.items():
            fields = Fields(content)
            if name == ADDED:
                for token in fields.value:
                    flags.setdefault(well_formed(token, "a token"), {})
                    ids[token] = fields.count(token)
                    if ids[token] > _LARGEST_ID:
                        raise fields.error(token[:60], f"the id is larger than {_LARGEST_ID:,}")
                continue
            for token_id, each in _decoder_tokens(fields):
                token = each.text("content")
                flags.setdefault(token, {}).update(_flags_of(each))
                ids[token] = token_id
            for each in _tokens_with_roles(fields):
                flags.setdefault(each.text("content"), {}).update(_flags_of(each), special=True)
        name = CONFIG
        space = Fields(contents.get(CONFIG, {})).flag_or_null("add_prefix_space")
    except TokenizerFileError as error:
        raise TokenizerFileError(f"{folder / name}: {error}") from None
    if len(set(ids.values())) < len(ids):
        raise TokenizerFileError(f"{folder}: {' and '.join(contents)} give one id to two tokens")
    in_order = sorted(filter(None, flags), key=lambda token: ids.get(token, _LARGEST_ID))
    return FolderSettings(tuple(contents), {token: flags[token] for token in in_order}, ids, space)


def _decoder_tokens(fields: Fields) -> Iterator[tuple[int, Fields]]:
    """Yield the tokens under `added_tokens_decoder`, with their ids."""
    decoder = fields.inner_or_null("added_tokens_decoder")
    for key in decoder.value if decoder is not None else ():
        if not (key.isascii() and key.isdecimal() and int(key[:11]) <= _LARGEST_ID):
            raise fields.error("added_tokens_decoder", f"{key[:60]!r} is no id")
        assert decoder is not None  # it has a key
        yield int(key), decoder.inner(key)


def _tokens_with_roles(fields: Fields) -> Iterator[Fields]:
    """Yield the special tokens under `eos_token` and the like, and those in the lists of more."""
    for key, value in fields.value.items():
        is_token = isinstance(value, str) or (isinstance(value, dict) and "content" in value)
        if key.endswith("_token") and is_token:
            yield _as_token(value, fields.path(key))
    for key in ("additional_special_tokens", "extra_special_tokens"):
        more = fields.value.get(key)
        for place, value in enumerate(more if isinstance(more, list) else ()):
            yield _as_token(value, f"{fields.path(key)}[{place}]")


def _as_token(value: Any, where: str) -> Fields:
    return Fields({"content": value} if isinstance(value, str) else value, where)


def _flags_of(fields: Fields) -> dict[str, bool]:
    return {flag: fields.flag(flag) for flag in _FLAGS if fields.has(flag)}


# tokenizer.json

FILE = "tokenizer.json"

# In a vocabulary, too, these words can be keys, but their values are numbers.
_HEAD = re.compile(
    rb'"(?:version|truncation|padding|added_tokens|normalizer|pre_tokenizer|post_processor|decoder'
    rb'|model)"\s*:\s*(?:[\[{]|null|"1\.0")'
)


def recognises(source: TokenizerSource) -> bool:
    if source.in_folder(FILE) is not None:
        return True
    if source.only_file is None:
        return False
    [head] = source.heads
    return head.lstrip().startswith(b"{") and _HEAD.search(head) is not None


def load(source: TokenizerSource, overrides: Overrides) -> Opened:
    """Open a `tokenizer.json`.

    Raises:
        TokenizerFileError: a key is wrong or not supported; the message names it.
    """
    from engine.pipeline.conversion import tokenizer_of
    from engine.pipeline.pipeline import Pipeline

    path = source.file_named(FILE)
    assert path is not None  # the source was recognised
    content = read_json(path)
    settings = None if source.folder is None else read_folder_settings(source.folder)
    with errors_at(path):
        fields = Fields(content)
        in_file = Pipeline.from_json(fields)
        completed = in_file if settings is None else settings.applied_to(in_file)
        pipeline = overridden(completed, overrides)
        _check_added_tokens(fields, pipeline)
        notes = [*_notes(fields, pipeline)]
        if settings is not None and pipeline != in_file:
            notes += settings.notes
        return Opened(tokenizer_of(pipeline), FORMAT.name, tuple(notes))


def overridden(pipeline: Pipeline, overrides: Overrides) -> Pipeline:
    """Return the pipeline with the special tokens and the pattern of the caller, if given."""
    from engine.pipeline.added_tokens import AddedToken

    if overrides.special_tokens is not None:
        pipeline = replace(pipeline, added_tokens=tuple(map(AddedToken, overrides.special_tokens)))
    if overrides.pattern is not None:
        from engine.pipeline.conversion import pre_tokenizer_of

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
    added_tokens = fields.each("added_tokens") if fields.has("added_tokens") else []
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
    from engine.pipeline.conversion import pipeline_of

    save_pipeline(pipeline_of(tokenizer, path), path, overwrite)


def save_pipeline(pipeline: Pipeline, path: Path, overwrite: bool) -> None:
    """Write a pipeline into a file, or into a `tokenizer.json` in a directory.

    Raises:
        TokenizerFileError: a token is not UTF-8, or it is a SentencePiece model.
        OutputExistsError: the file exists and `overwrite` is false.
    """
    target = path / FILE if path.is_dir() else path
    if not pipeline.model.in_tokenizer_json:
        raise TokenizerFileError(
            f"{target}: a tokenizer.json cannot hold all of SentencePiece's normalization, so a "
            "SentencePiece model is only read; keep its own file"
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

    JSON is text, so pieces that are not valid UTF-8 are left out, and the file does not know such
    bytes.

    Returns:
        the number of pieces left out.

    Raises:
        TokenizerFileError: the format cannot hold the pattern.
        OutputExistsError: the file exists and `overwrite` is false.
        OutputError: the system does not allow writing.
    """
    from engine.pipeline.conversion import unigram_pipeline

    pipeline = unigram_pipeline(pieces, special_tokens, pattern)
    save_pipeline(pipeline, path, overwrite)
    return len(pieces) - len(pipeline.model.vocab)


FORMAT = TokenizerFormat(
    "huggingface",
    "Hugging Face's tokenizer.json",
    recognises,
    load,
    save,
    suffix=".json",
    keeps_stages=True,
)
