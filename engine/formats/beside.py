"""What Hugging Face's files beside a vocabulary say: added tokens, and a space before a text.

    added_tokens.json         {"<tool>": 50257}
    special_tokens_map.json   {"eos_token": "<|endoftext|>", "additional_special_tokens": ["<a>"]}
    tokenizer_config.json     {"add_prefix_space": true, "added_tokens_decoder":
                               {"50264": {"content": "<mask>", "lstrip": true, "special": true, …}}}

`transformers` reads them with the directory, so they count where a directory is opened. A special
token that has an id nowhere gets the next one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.core.errors import TokenizerFileError
from engine.core.json_fields import Fields, well_formed
from engine.formats.source import read_json

if TYPE_CHECKING:
    from engine.pipeline.pipeline import Pipeline

ADDED, SPECIAL, CONFIG = "added_tokens.json", "special_tokens_map.json", "tokenizer_config.json"
_FLAGS = ("single_word", "lstrip", "rstrip", "normalized", "special")
_LARGEST_ID = (1 << 32) - 1


@dataclass(frozen=True)
class Beside:
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
        from engine.pipeline.pretokenizers.cuts import ByteLevel

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


def read_beside(folder: Path) -> Beside | None:
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
    return Beside(tuple(contents), {token: flags[token] for token in in_order}, ids, space)


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
