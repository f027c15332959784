"""Tokenizers opened by name: tiktoken's encodings, and models on the Hugging Face hub.

    gpt2    tiktoken:o200k_base    hf:OWNER/NAME    hf:OWNER/NAME@REVISION

The library of each kind fetches and caches the files. It is imported when such a name is given.
From the hub come `tokenizer.json` or, if there is none, GPT-2's two files, and the settings beside
them. They are opened like a folder.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from engine.core.errors import TokenizerFileError
from engine.core.slow_modules import difflib, hashlib, socket, tempfile
from engine.formats.folder_settings import ADDED, CONFIG, GENERATION, MODEL, SPECIAL
from engine.formats.source import TokenizerSource
from engine.formats.tiktoken_pickle import EncodingParts
from engine.formats.tokenizer_format import Opened, Overrides, TokenizerFormat

if TYPE_CHECKING:
    import tiktoken

# Encodings of tiktoken

ENCODING_PREFIX = "tiktoken:"
ENCODING_NAMES = (
    *("gpt2", "r50k_base", "p50k_base", "p50k_edit"),
    *("cl100k_base", "o200k_base", "o200k_harmony"),
)
"""tiktoken's own encodings; those of its plugins need the prefix."""

_LOOKS_LIKE_A_NAME = re.compile(r"[\w.-]+")


def recognises_encoding(source: TokenizerSource) -> bool:
    """Whether it is an encoding's name; only used if no such file exists."""
    name = source.given[0]
    return len(source.given) == 1 and (name.startswith(ENCODING_PREFIX) or name in ENCODING_NAMES)


def load_encoding(source: TokenizerSource, overrides: Overrides) -> Opened:
    encoding = _encoding(source.given[0].removeprefix(ENCODING_PREFIX))
    parts = EncodingParts(encoding._pat_str, encoding._mergeable_ranks, encoding._special_tokens)
    return parts.opened(overrides, TIKTOKEN_NAME.name)


def _encoding(name: str) -> tiktoken.Encoding:
    try:
        import tiktoken
    except ImportError:
        raise TokenizerFileError(
            f"{name}: encodings by name need tiktoken, which is not installed; install it "
            f"(pip install 'bpe-tui[tiktoken]'), or open a file such as {name}.tiktoken"
        ) from None
    known = tiktoken.list_encoding_names()
    if name not in known:
        near = difflib.get_close_matches(name, known)
        hint = f"; did you mean {near[0]}?" if near else f"; it has {', '.join(sorted(known))}"
        raise TokenizerFileError(f"{name}: tiktoken has no encoding of this name{hint}")
    try:
        return tiktoken.get_encoding(name)
    except OSError as error:  # also raised by the library that downloads
        raise TokenizerFileError(
            f"{name}: its ranks are not on this machine and cannot be fetched "
            f"({type(error).__name__}); set TIKTOKEN_CACHE_DIR to a directory in which tiktoken "
            "has kept them where there was a network, or open a .tiktoken file"
        ) from error
    except ValueError as error:  # the ranks have a wrong digest
        raise TokenizerFileError(f"{name}: tiktoken refuses the ranks it has: {error}") from error


_STORE = "https://openaipublic.blob.core.windows.net/"
_FETCHED_FROM = {
    "gpt2": ("gpt-2/encodings/main/encoder.json", "gpt-2/encodings/main/vocab.bpe"),
    "cl100k_base": ("encodings/cl100k_base.tiktoken",),
}


def kept_files(name: str) -> list[Path]:
    """Return the files of an encoding that tiktoken has kept; none if it has not fetched them.

    tiktoken itself would fetch what it lacks. So its folder is searched without it.
    """
    usual = os.path.join(tempfile.gettempdir(), "data-gym-cache")
    folder = os.environ.get("TIKTOKEN_CACHE_DIR", os.environ.get("DATA_GYM_CACHE_DIR", usual))
    addresses = (f"{_STORE}{path}".encode() for path in _FETCHED_FROM[name])
    files = [Path(folder, hashlib.sha1(address).hexdigest()) for address in addresses]
    return files if all(map(Path.is_file, files)) else []


def describe_near_name(name: str) -> str:
    """Return a hint for a path that does not exist but may be a misspelt encoding.

    >>> describe_near_name("cl100k")
    '; did you mean the encoding cl100k_base?'
    """
    is_name, lower = _LOOKS_LIKE_A_NAME.fullmatch(name), name.lower()
    near = difflib.get_close_matches(lower, ENCODING_NAMES) if is_name else []
    return f"; did you mean the encoding {near[0]}?" if near else ""


TIKTOKEN_NAME = TokenizerFormat(
    "tiktoken-name",
    "the name of an encoding that tiktoken has, such as cl100k_base",
    recognises_encoding,
    load_encoding,
)


# Models on the hub

HUB_PREFIX = "hf:"
_HUB_NAME = re.compile(r"([\w.-]+(?:/[\w.-]+)?)(?:@([\w./-]+))?", re.ASCII)
HUB_FILES = (("tokenizer.json",), ("vocab.json", "merges.txt"))
"""Names of the files of a tokenizer, the preferred ones first."""
HUB_SETTINGS = (ADDED, SPECIAL, CONFIG, GENERATION, MODEL)
"""Names of the files beside them that decide the ids, too; a model may lack any of them."""


def recognises_hub_name(source: TokenizerSource) -> bool:
    return len(source.given) == 1 and source.given[0].startswith(HUB_PREFIX)


def load_from_hub(
    source: TokenizerSource, overrides: Overrides, open_files: Callable[..., Opened]
) -> Opened:
    """Fetch the files of a model and open them with `open_files`."""
    name = source.given[0].removeprefix(HUB_PREFIX)
    if (found := _HUB_NAME.fullmatch(name)) is None:
        raise TokenizerFileError(
            f"{source}: is no name on the hub; write {HUB_PREFIX}OWNER/NAME[@REVISION]"
        )
    folder, missing = _fetch(found[1], found[2])
    opened = open_files(folder, special_tokens=overrides.special_tokens, pattern=overrides.pattern)
    if not missing:
        return opened
    note = f"could not be fetched, and may change the ids: {', '.join(missing)}"
    return replace(opened, notes=(*opened.notes, note))


def _fetch(repository: str, revision: str | None) -> tuple[Path, list[str]]:
    """Return the folder of the files, fetched unless they are there, and the settings not fetched.

    Raises:
        TokenizerFileError: the library is missing, the hub cannot be reached, or it has no such
            model.
    """
    try:
        from huggingface_hub import constants, errors, hf_hub_download, try_to_load_from_cache
    except ImportError:
        raise TokenizerFileError(
            f"{repository}: names on the hub need huggingface_hub, which is not installed; install "
            "it (pip install 'bpe-tui[hf]'), or open a tokenizer.json that you have"
        ) from None
    fetch = partial(
        hf_hub_download,
        repository,
        revision=revision,
        local_files_only=not _is_reachable(constants.ENDPOINT),
    )

    def has_looked_for(name: str) -> bool:
        """Fetch a file that a model may lack; return whether it is known to be there or not."""
        try:
            return bool(fetch(name))
        except (OSError, ValueError, errors.EntryNotFoundError) as error:
            if isinstance(error, errors.LocalEntryNotFoundError):
                return try_to_load_from_cache(repository, name, revision=revision) is not None
            return isinstance(error, errors.EntryNotFoundError)

    for names in HUB_FILES:
        try:
            paths = [Path(fetch(name)) for name in names]
            return paths[0].parent, [name for name in HUB_SETTINGS if not has_looked_for(name)]
        except (OSError, ValueError, errors.EntryNotFoundError) as error:
            kinds = {kind.__name__ for kind in type(error).__mro__}
            refusal = next((text for kind, text in _REFUSALS.items() if kind in kinds), None)
            if refusal is not None:
                raise TokenizerFileError(f"{repository}: {refusal}") from error
            if "EntryNotFoundError" not in kinds:
                raise TokenizerFileError(f"{repository}: cannot be fetched: {error}") from error
    wanted = ", nor ".join(" with ".join(names) for names in HUB_FILES)
    raise TokenizerFileError(f"{repository}: has no {wanted}")


REACHED_SECONDS = 4.0


def _is_reachable(address: str) -> bool:
    """Whether the server or its proxy accepts a connection within `REACHED_SECONDS`.

    Without a network the library itself would try for half a minute.
    """
    from urllib.request import getproxies  # slow to import, and seldom needed

    place = urlsplit(getproxies().get("https") or address)
    answers: list[str] = []

    def ask() -> None:
        default = 443 if place.scheme == "https" else 80
        with suppress(OSError, ValueError):
            server = place.hostname or "", place.port or default
            socket.create_connection(server, REACHED_SECONDS).close()
            answers.append(address)

    # In a thread, since looking up a name has no time limit.
    asking = Thread(target=ask, name="hub", daemon=True)
    asking.start()
    asking.join(REACHED_SECONDS)
    return bool(answers)


_REFUSALS = {
    "LocalEntryNotFoundError": (
        "is not on this machine, and the hub cannot be reached; set HF_HOME to a directory in "
        "which huggingface_hub has kept it where there was a network, or open its tokenizer.json"
    ),
    "GatedRepoError": "is given out on request; ask on huggingface.co and `hf auth login`",
    "RevisionNotFoundError": "has no such revision",
    "RepositoryNotFoundError": "the hub has no such model, or does not show it to you",
}
"""Error class of the library → message; the first match is used, since some are subclasses."""


def hub_format(open_files: Callable[..., Opened]) -> TokenizerFormat:
    """Return the format; `open_files` opens what has been fetched."""
    return TokenizerFormat(
        "hf-name",
        "the name of a model on the Hugging Face hub, hf:OWNER/NAME",
        recognises_hub_name,
        partial(load_from_hub, open_files=open_files),
    )
