"""Tokenizers from the Hugging Face hub: `hf:OWNER/NAME` or `hf:OWNER/NAME@REVISION`.

What is fetched is `tokenizer.json` or, where there is none, GPT-2's two files; huggingface_hub
keeps them, and they are opened like any file. It is imported when such a name is given, not before.
"""

from __future__ import annotations

import re
import socket
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from threading import Event, Thread
from urllib.parse import urlsplit

from engine.core.errors import TokenizerFileError
from engine.formats.source import Source
from engine.formats.tokenizer_format import Opened, Overrides, TokenizerFormat

PREFIX = "hf:"
_NAME = re.compile(r"([\w.-]+(?:/[\w.-]+)?)(?:@([\w./-]+))?", re.ASCII)
FILES = (("tokenizer.json",), ("vocab.json", "merges.txt"))
"""The files to look for, in this order."""


def recognises(source: Source) -> bool:
    return len(source.given) == 1 and source.given[0].startswith(PREFIX)


def load(source: Source, overrides: Overrides, open_files: Callable[..., Opened]) -> Opened:
    """What `open_files` makes of the files that are fetched."""
    name = source.given[0].removeprefix(PREFIX)
    if (found := _NAME.fullmatch(name)) is None:
        raise TokenizerFileError(
            f"{source}: is no name on the hub; write {PREFIX}OWNER/NAME[@REVISION]"
        )
    paths = _fetch(found[1], found[2])
    return open_files(*paths, special_tokens=overrides.special_tokens, pattern=overrides.pattern)


def _fetch(repository: str, revision: str | None) -> list[Path]:
    """The files on this machine, fetched if they are not here.

    Raises:
        TokenizerFileError: the library is missing, the hub cannot be reached, or has no such thing.
    """
    try:
        from huggingface_hub import constants, errors, hf_hub_download
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
    for names in FILES:
        try:
            return [Path(fetch(name)) for name in names]
        except (OSError, ValueError, errors.EntryNotFoundError) as error:
            kinds = {kind.__name__ for kind in type(error).__mro__}
            refusal = next((told for kind, told in _REFUSALS.items() if kind in kinds), None)
            if refusal is not None:
                raise TokenizerFileError(f"{repository}: {refusal}") from error
            if "EntryNotFoundError" not in kinds:
                raise TokenizerFileError(f"{repository}: cannot be fetched: {error}") from error
    wanted = ", nor ".join(" with ".join(names) for names in FILES)
    raise TokenizerFileError(f"{repository}: has no {wanted}")


REACHED_SECONDS = 4.0


def _is_reachable(address: str) -> bool:
    """Whether somebody answers there, or at the proxy in between, within some seconds.

    Without a network the library itself would try for half a minute.
    """
    from urllib.request import getproxies  # slow to import, and seldom needed

    place = urlsplit(getproxies().get("https") or address)
    answered = Event()

    def ask() -> None:
        default = 443 if place.scheme == "https" else 80
        with suppress(OSError, ValueError):
            socket.create_connection(
                (place.hostname or "", place.port or default), REACHED_SECONDS
            ).close()
            answered.set()
        asked.set()

    asked = Event()
    # A thread of its own, since looking up a name knows no time limit.
    Thread(target=ask, name="hub", daemon=True).start()
    asked.wait(REACHED_SECONDS)
    return answered.is_set()


_REFUSALS = {
    "LocalEntryNotFoundError": (
        "is not on this machine, and the hub cannot be reached; set HF_HOME to a directory in "
        "which huggingface_hub has kept it where there was a network, or open its tokenizer.json"
    ),
    "GatedRepoError": "is given out on request; ask on huggingface.co and `hf auth login`",
    "RevisionNotFoundError": "has no such revision",
    "RepositoryNotFoundError": "the hub has no such model, or does not show it to you",
}
"""The library's error → what it means; the first that fits, as some are kinds of others."""


def format_with(open_files: Callable[..., Opened]) -> TokenizerFormat:
    """The format; `open_files` is the registry's, which stands above the formats in it."""
    return TokenizerFormat(
        "hf-name",
        "the name of a model on the Hugging Face hub, hf:OWNER/NAME",
        recognises,
        partial(load, open_files=open_files),
    )
