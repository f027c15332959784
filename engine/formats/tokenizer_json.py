"""Hugging Face's `tokenizer.json`: a whole pipeline in one file, read and written.

Where a directory is opened, the files beside it count, too: see `beside`.

Each stage reads and writes itself: see `engine.pipeline`. What a stage or an option would need that
is not there is an error that names it; what changes no ids is told in a note. The stages are many
modules, which nobody should wait for who reads another format: they are imported when needed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.core.errors import TokenizerFileError
from engine.core.files import write_files
from engine.core.gpt2_bytes import BYTE_TO_CHAR
from engine.core.json_fields import Fields, well_formed
from engine.encoding.tokenizer import Tokenizer
from engine.formats.source import TokenizerSource, read_json
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


def recognises(source: TokenizerSource) -> bool:
    if source.in_folder(FILE) is not None:
        return True
    if source.only_file is None:
        return False
    [head] = source.heads
    return head.lstrip().startswith(b"{") and _HEAD.search(head) is not None


def load(source: TokenizerSource, overrides: Overrides) -> Opened:
    """The tokenizer of a file.

    Raises:
        TokenizerFileError: says which key is wrong, or asks for what is not there.
    """
    from engine.core.json_fields import Fields
    from engine.pipeline.conversion import tokenizer_of
    from engine.pipeline.pipeline import Pipeline

    path = source.in_folder(FILE) or source.only_file
    assert path is not None  # it was recognised
    content = read_json(path)
    beside = None if source.folder is None else read_folder_settings(source.folder)
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
        from engine.pipeline.conversion import pre_tokenizer_of

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
    from engine.pipeline.conversion import pipeline_of

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
    from engine.pipeline.conversion import unigram_pipeline

    pipeline = unigram_pipeline(pieces, special_tokens, pattern)
    save_pipeline(pipeline, path, overwrite)
    return len(pieces) - len(pipeline.model.vocab)


FORMAT = TokenizerFormat(
    *("huggingface", "Hugging Face's tokenizer.json", recognises, load, save),
    suffix=".json",
    keeps_stages=True,
)


ADDED, SPECIAL, CONFIG = "added_tokens.json", "special_tokens_map.json", "tokenizer_config.json"
_FLAGS = ("single_word", "lstrip", "rstrip", "normalized", "special")
_LARGEST_ID = (1 << 32) - 1


@dataclass(frozen=True)
class FolderSettings:
    """What the files say together.

    Attributes:
        files: the names of those that are there.
        flags: added token → how it is found, as far as that is said.
        ids: added token → id, as far as that is said.
        add_prefix_space: whether a text that begins with no space gets one; `None`: not said.
    """

    files: tuple[str, ...]
    flags: Mapping[str, Mapping[str, bool]] = field(default_factory=dict)
    ids: Mapping[str, int] = field(default_factory=dict)
    add_prefix_space: bool | None = None

    @property
    def notes(self) -> tuple[str, ...]:
        return (f"{', '.join(self.files)} beside it: what added tokens they name counts, too",)

    def numbered(self, vocab: Mapping[str, int]) -> dict[str, int]:
        """The ids of the tokens, those of the vocabulary first, then what the files say.

        Args:
            vocab: token → id.

        Raises:
            TokenizerFileError: an id is another token's.
        """
        token_of = {token_id: token for token, token_id in vocab.items()}
        numbered: dict[str, int] = {}
        for token in self.flags:
            token_id = vocab.get(token, self.ids.get(token, max(token_of, default=-1) + 1))
            if token_of.setdefault(token_id, token) != token:
                raise TokenizerFileError(
                    f"{self.files[0]} gives {token[:60]!r} the id {token_id} of "
                    f"{token_of[token_id][:60]!r}"
                )
            numbered[token] = token_id
        return numbered

    def applied(self, pipeline: Pipeline) -> Pipeline:
        """The pipeline with these tokens and this space."""
        from engine.pipeline.added_tokens import AddedToken
        from engine.pipeline.pretokenizers import ByteLevel

        told: dict[str, Mapping[str, Any]] = dict(self.flags)
        # What is not said here stays as the pipeline has it.
        kept = [replace(each, **told.pop(each.content, {})) for each in pipeline.added_tokens]
        more = (AddedToken(token, **{"special": False, **flags}) for token, flags in told.items())
        pipeline = replace(pipeline, added_tokens=(*kept, *more))
        cut = pipeline.pre_tokenizer
        if isinstance(cut, ByteLevel) and self.add_prefix_space is not None:
            spaced = replace(cut, add_prefix_space=self.add_prefix_space)
            pipeline = replace(pipeline, pre_tokenizer=spaced)
        return pipeline


def read_folder_settings(folder: Path) -> FolderSettings | None:
    """What the files of a directory say; `None` if there are none.

    Raises:
        TokenizerFileError: one of them is damaged.
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
                    _add(flags, well_formed(token, "a token"), {})
                    ids[token] = _id_of(fields, token)
                continue
            for token_id, each in _decoded(fields):
                _add(flags, each.text("content"), _flags_of(each))
                ids[each.text("content")] = token_id
            for each in _named(fields):
                _add(flags, each.text("content"), {**_flags_of(each), "special": True})
        config = Fields(contents.get(CONFIG, {}))
        name = CONFIG
        space = config.flag_or_null("add_prefix_space")
    except TokenizerFileError as error:
        raise TokenizerFileError(f"{folder / name}: {error}") from None
    if len(set(ids.values())) < len(ids):
        raise TokenizerFileError(f"{folder}: {' and '.join(contents)} give one id to two tokens")
    in_order = sorted(flags, key=lambda token: ids.get(token, _LARGEST_ID))
    return FolderSettings(tuple(contents), {token: flags[token] for token in in_order}, ids, space)


def _add(found: dict[str, dict[str, bool]], token: str, flags: Mapping[str, bool]) -> None:
    if token:
        found.setdefault(token, {}).update(flags)


def _id_of(fields: Fields, key: str) -> int:
    token_id = fields.count(key)
    if token_id > _LARGEST_ID:
        raise fields.error(key[:60], f"the id is larger than {_LARGEST_ID:,}")
    return token_id


def _decoded(fields: Fields) -> Iterator[tuple[int, Fields]]:
    """The tokens under `added_tokens_decoder`, with their ids."""
    decoder = fields.inner_or_null("added_tokens_decoder")
    for key in decoder.value if decoder is not None else ():
        if not (key.isascii() and key.isdecimal() and int(key[:11]) <= _LARGEST_ID):
            raise fields.error("added_tokens_decoder", f"{key[:60]!r} is no id")
        assert decoder is not None  # it has a key
        yield int(key), decoder.inner(key)


def _named(fields: Fields) -> Iterator[Fields]:
    """The special tokens that have a part to play: `eos_token` and the like, or a list of more."""
    for key, value in fields.value.items():
        if key.endswith("_token") and (isinstance(value, str) or _is_token(value)):
            yield _as_token(value, fields.path(key))
    for key in ("additional_special_tokens", "extra_special_tokens"):
        more = fields.value.get(key)
        for place, value in enumerate(more if isinstance(more, list) else ()):
            yield _as_token(value, f"{fields.path(key)}[{place}]")


def _is_token(value: Any) -> bool:
    return isinstance(value, dict) and "content" in value


def _as_token(value: Any, where: str) -> Fields:
    return Fields({"content": value} if isinstance(value, str) else value, where)


def _flags_of(fields: Fields) -> dict[str, bool]:
    return {flag: fields.flag(flag) for flag in _FLAGS if fields.has(flag)}
