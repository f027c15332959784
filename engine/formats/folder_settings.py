"""The files of settings in a model's folder, which are used beside every kind of vocabulary.

    added_tokens.json         {"<tool>": 50257}
    special_tokens_map.json   {"eos_token": "<|endoftext|>", "additional_special_tokens": ["<a>"]}
    tokenizer_config.json     {"tokenizer_class": "Qwen2Tokenizer", "added_tokens_decoder":
                               {"50264": {"content": "<mask>", "lstrip": true, "special": true, …}}}
    generation_config.json    {"eos_token_id": [50256, 50257]}
    config.json               {"model_type": "qwen2"}

They are read as in `transformers` 5, which leaves the first two out if the third has an
`added_tokens_decoder`. A special token without an id gets the next one. The class of the tokenizer
decides how a text is normalized and cut: see `tokenizer_classes`. The last two files decide nothing
more, except that the type of a model has a class.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from engine.core.errors import TokenizerFileError, errors_at
from engine.core.json_fields import Fields, well_formed
from engine.formats.source import read_json

if TYPE_CHECKING:
    from engine.pipeline.pipeline import Pipeline

ADDED, SPECIAL, CONFIG = "added_tokens.json", "special_tokens_map.json", "tokenizer_config.json"
GENERATION, MODEL = "generation_config.json", "config.json"
SETTINGS_FILES = ADDED, SPECIAL, CONFIG
_FLAGS = ("single_word", "lstrip", "rstrip", "normalized", "special")
_LARGEST_ID = (1 << 32) - 1
_IGNORED = {
    "split_special_tokens": "special tokens are found here, where it asks for their pieces",
    "clean_up_tokenization_spaces": "decoding here leaves spaces before marks",
    "sp_model_kwargs": "its options for SentencePiece are left out",
    "never_split": "its words that are never split are left out",
}
"""Keys of the configuration that are not used → how encoding or decoding differs."""

Flags = Mapping[str, bool]


class FolderSettings(NamedTuple):
    """The settings that the files in a folder specify.

    Attributes:
        files: the names of the files that list tokens or options.
        flags: added token → those of its options that are given.
        ids: added token → id, for those with an id.
        roles: role, such as `eos_token` → token; `None` if there is none in this role.
        config: the content of `tokenizer_config.json`.
        class_name: the tokenizer's class without `Fast`; empty if none is named.
        model_type: the type of the model; empty if it is not named.
        ends: ids that begin, end or pad a generated text, with their roles.
        left_out: the tokens that only the files which are left out know.
    """

    files: tuple[str, ...]
    flags: Mapping[str, Flags]
    ids: Mapping[str, int]
    roles: Mapping[str, str | None]
    config: Fields
    class_name: str = ""
    model_type: str = ""
    ends: Mapping[str, tuple[int, ...]] | None = None
    left_out: tuple[str, ...] = ()

    @property
    def add_prefix_space(self) -> bool | None:
        """Whether to put a space before a text; `None` if not given."""
        return self.config.flag_or_null("add_prefix_space")

    def notes(self, vocab: Collection[int]) -> list[str]:
        """Return the notes about used and ignored settings.

        Args:
            vocab: the ids of the tokenizer.
        """
        notes = [f"the added tokens in {', '.join(self.files)} are used too"] * bool(self.flags)
        if self.left_out:
            shown = " ".join(token[:60] for token in self.left_out[:4])
            more = " …" if len(self.left_out) > 4 else ""
            notes.append(
                f"{CONFIG} lists the added tokens, so those of other files are left out, as in "
                f"transformers 5: {shown}{more}"
            )
        ignored = {key: why for key, why in _IGNORED.items() if self.config.value.get(key)}
        notes += [f"{CONFIG} has {key}: {why}" for key, why in ignored.items()]
        for role, ids in (self.ends or {}).items():
            named = [str(i) if i in vocab else f"{i} (no token has it)" for i in ids]
            notes.append(f"{GENERATION} gives {role} as {', '.join(named)}; encoding adds none")
        return notes

    def with_defaults(
        self, roles: Mapping[str, str], extra: Iterable[str], flags: Mapping[str, Flags]
    ) -> FolderSettings:
        """Return the settings completed by the special tokens of a class.

        Args:
            roles: role → token, unless the files give another one, or null.
            extra: more special tokens.
            flags: role → options of its token, unless the files give some.
        """
        chosen = {**roles, **self.roles}
        found = {token: dict(each) for token, each in self.flags.items()}
        for role in sorted(chosen, key=_ROLES.index):
            token = chosen[role]
            if token:
                given = found.setdefault(token, {})
                if role in roles and not given.keys() - {"special"}:
                    given.update(flags.get(role, {}))
                given["special"] = True
        for token in extra:
            found.setdefault(token, {"special": True})
        first = [token for token in self.flags if token in self.ids]
        in_roles = (chosen[role] for role in _ROLES if chosen.get(role))
        in_order = dict.fromkeys(chain(first, in_roles, found))
        flags_of = {token: found[token] for token in in_order if token}
        return self._replace(roles=chosen, flags=flags_of)

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


_ROLES = [f"{role}_token" for role in ("bos", "eos", "unk", "sep", "pad", "cls", "mask")]
"""The roles that every class knows, in the order in which their tokens get ids."""


def read_folder_settings(folder: Path | None) -> FolderSettings | None:
    """Return the settings in a model's folder; `None` without a folder or a file of settings.

    Raises:
        TokenizerFileError: a file is damaged.
    """
    if folder is None:
        return None
    contents = {
        name: read_json(folder / name)
        for name in (*SETTINGS_FILES, GENERATION, MODEL)
        if (folder / name).is_file()
    }
    if not contents:
        return None
    fields = {name: Fields(content) for name, content in contents.items()}
    config, model = fields.get(CONFIG, Fields({})), fields.get(MODEL, Fields({}))
    files = tuple(name for name in SETTINGS_FILES if name in contents)
    flags, ids, roles = _tokens_in(folder, fields, files)
    left_out: tuple[str, ...] = ()
    if config.has("added_tokens_decoder") and len(files) > 1:
        everything, files = flags, (CONFIG,)
        flags, ids, roles = _tokens_in(folder, fields, files)
        left_out = tuple(token for token in everything if token not in flags)
    with errors_at(folder / CONFIG):
        config.flag_or_null("add_prefix_space")
        named = config.text_or_null("tokenizer_class") or model.value.get("tokenizer_class")
    if len(set(ids.values())) < len(ids):
        raise TokenizerFileError(f"{folder}: {' and '.join(files)} give one id to two tokens")
    place = {token: at for at, token in enumerate(chain(filter(None, roles.values()), flags))}
    in_order = sorted(filter(None, flags), key=lambda t: (ids.get(t, _LARGEST_ID), place[t]))
    return FolderSettings(
        files,
        {token: flags[token] for token in in_order},
        ids,
        roles,
        config,
        str(named or "").removesuffix("Fast"),
        str(model.value.get("model_type") or ""),
        dict(_generated_ends(fields.get(GENERATION, Fields({})))),
        left_out,
    )


def _tokens_in(
    folder: Path, fields: Mapping[str, Fields], files: Collection[str]
) -> tuple[dict[str, dict[str, bool]], dict[str, int], dict[str, str | None]]:
    """Return added token → options, token → id, and role → token, as these files list them."""
    flags: dict[str, dict[str, bool]] = {}
    ids: dict[str, int] = {}
    roles: dict[str, str | None] = {}
    for name in (SPECIAL, CONFIG):
        if name in files:
            with errors_at(folder / name):
                _read_tokens(fields[name], flags, ids, roles)
    if ADDED in files:
        with errors_at(folder / ADDED):
            _read_added(fields[ADDED], flags, ids)
    return flags, ids, roles


def _read_added(fields: Fields, flags: dict[str, dict[str, bool]], ids: dict[str, int]) -> None:
    for token in fields.value:
        token_id = fields.count(token)
        if token_id > _LARGEST_ID:
            raise fields.error(token[:60], f"the id is larger than {_LARGEST_ID:,}")
        # One that no other file knows is searched for in the normalized text.
        flags.setdefault(well_formed(token, "a token"), {"normalized": True})
        ids[token] = token_id


def _read_tokens(
    fields: Fields,
    flags: dict[str, dict[str, bool]],
    ids: dict[str, int],
    roles: dict[str, str | None],
) -> None:
    for token_id, each in _decoder_tokens(fields):
        token = each.text("content")
        flags.setdefault(token, {}).update(_flags_of(each))
        ids[token] = token_id
    for role in _ROLES:
        if role in fields.value and fields.value[role] is None:
            roles[role] = None
    for role, each in _tokens_with_roles(fields):
        token = each.text("content")
        flags.setdefault(token, {}).update(_flags_of(each), special=True)
        if role in _ROLES:
            roles[role] = token


def _decoder_tokens(fields: Fields) -> Iterator[tuple[int, Fields]]:
    """Yield the tokens under `added_tokens_decoder`, with their ids."""
    decoder = fields.inner_or_null("added_tokens_decoder")
    for key in decoder.value if decoder is not None else ():
        if not (key.isascii() and key.isdecimal() and int(key[:11]) <= _LARGEST_ID):
            raise fields.error("added_tokens_decoder", f"{key[:60]!r} is no id")
        assert decoder is not None  # it has a key
        yield int(key), decoder.inner(key)


def _tokens_with_roles(fields: Fields) -> Iterator[tuple[str, Fields]]:
    """Yield the special tokens under `eos_token` and the like, and those in the lists of more."""
    for key, value in fields.value.items():
        is_token = isinstance(value, str) or (isinstance(value, dict) and "content" in value)
        if key.endswith("_token") and is_token:
            yield key, _as_token(value, fields.path(key))
    for key in ("additional_special_tokens", "extra_special_tokens"):
        more = fields.value.get(key)
        for place, value in enumerate(more if isinstance(more, list) else ()):
            yield "", _as_token(value, f"{fields.path(key)}[{place}]")


def _as_token(value: Any, where: str) -> Fields:
    return Fields({"content": value} if isinstance(value, str) else value, where)


def _flags_of(fields: Fields) -> dict[str, bool]:
    return {flag: fields.flag(flag) for flag in _FLAGS if fields.has(flag)}


def _generated_ends(fields: Fields) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Yield the roles that have an id in the settings of generation, with these ids."""
    for key, value in fields.value.items():
        ids = value if isinstance(value, list) else [value]
        if key.endswith("_token_id") and ids and all(type(each) is int for each in ids):
            yield key.removesuffix("_id"), tuple(ids)
