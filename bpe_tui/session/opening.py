"""Configs from the files that are named: each is a corpus or a tokenizer.

Its contents decide, not its name.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path

from bpe_tui.session.config import Config, RunConfig, TokenizerConfig
from engine.core.errors import BpeError, TokenizerFileError
from engine.text.corpus import PLAIN
from engine.text.sources import STANDARD_INPUT

HEAD = 1 << 12
"""Bytes at the beginning of a file that decide."""


def config_for(run: RunConfig, asked: Collection[str] = ()) -> Config:
    """Return `run`, or the config of the tokenizer that its corpus names.

    A tokenizer that is named before a corpus opens on that corpus.

    Args:
        asked: fields of `run` that the user asked for.
    """
    if run.corpus == STANDARD_INPUT or run.reading.field is not None:
        return run
    if kind_of_file(run.corpus) == TOKENIZER:
        return _tokenizer_of(run, asked)
    if run.reading != PLAIN:
        return run
    return replace(run, min_count=1) if run.is_toy and "min_count" not in asked else run


def _tokenizer_of(run: RunConfig, asked: Collection[str]) -> TokenizerConfig:
    """Return the config of the tokenizer that a run names first, over the corpus after it."""
    paths: tuple[str, ...] = (run.corpus,)
    beside: tuple[str, ...] = ()
    corpora = run.reading.more
    if corpora and kind_of_file(corpora[0]) == TOKENIZER:
        both = split_tokenizers((run.corpus, corpora[0]))
        if not both[1] or opens(*both[1]):  # else a text that looks like merges: two words a line
            (paths, beside), corpora = both, corpora[1:]
    return TokenizerConfig(
        paths,
        corpora[0] if corpora else None,
        run.special_tokens if "special_tokens" in asked else None,
        run.pattern if "pattern" in asked else None,
        otherwise=run if os.path.isfile(run.corpus) and len(paths) == 1 else None,
        viewpoint=run.viewpoint,
        reading=run.reading._replace(more=corpora[1:]),
        beside=beside,
    )


def split_tokenizers(paths: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the paths of a tokenizer, and those of a second one if two are named.

    Two files may be the vocabulary and the merges of one.
    """
    if len(paths) != 2:
        return paths, ()
    from engine.formats import is_half  # slow to import, and few sessions have two

    # To open two files takes a second, so the endings of names decide first.
    may_be_one = all(os.path.isfile(path) and is_half(path) for path in paths)
    one, other = (os.path.splitext(path)[1] for path in paths)
    if may_be_one and (one != other or opens(*paths)):
        return paths, ()
    are_two = all(kind_of_file(path) == TOKENIZER for path in paths)
    return (paths[:1], paths[1:]) if are_two else (paths, ())


def opens(*paths: str) -> bool:
    """Whether files open as a tokenizer."""
    from engine.formats import open_tokenizer

    try:
        open_tokenizer(*paths)
    except BpeError:
        return False
    return True


TEXT, TOKENIZER = "text", "tokenizer"


def kind_of_file(name: str) -> str:
    """Return the kind of a file by its beginning; a file that cannot be read is a text."""
    head = b""
    with contextlib.suppress(OSError, ValueError):
        if os.path.isfile(name):  # the bytes of a pipe can be read only once
            with Path(name).open("rb") as file:
                head = file.read(HEAD)
    first_line = head.lstrip().partition(b"\n")[0]
    if first_line[:1].isalpha() and len(first_line.split()) > 2:
        return TEXT  # words: no format begins so, and to ask them all would delay the first frame
    from engine.formats import is_tokenizer  # slow to import, and rarely needed

    try:
        return TOKENIZER if is_tokenizer(name) else TEXT
    except (TokenizerFileError, OSError, ValueError):
        return TEXT  # reading the corpus reports the error
