"""Pickles of course solutions: one file or two, or a directory with them; read, never executed.

Written they are not: a pickle is a program, and there is no need to hand those around.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from engine.core.errors import TokenizerFileError
from engine.formats.course_values import read_values
from engine.formats.guesses import open_vocab_and_merges
from engine.formats.safe_pickle import PickleError, load_pickles
from engine.formats.source import Source, read_bytes
from engine.formats.tokenizer_format import Opened, Overrides, TokenizerFormat
from engine.formats.vocab_and_merges import VocabAndMerges

_HEAD = re.compile(
    rb"\x80[\x02-\x05]"  # protocol 2 and later begin with their number,
    rb"|\(*[(\]}][dlpqt(\]}]"  # protocols 0 and 1 with a dict, a list or a tuple of these,
    rb"|c[\w.]+\n[\w.]+\n"  # or with the name of a function
)
ENDINGS = (".pkl", ".pickle")


def recognises(source: Source) -> bool:
    paths = _paths(source)
    if not paths:
        return False
    return all(_HEAD.match(head) for head in Source(paths).heads)


def _paths(source: Source) -> list[Path]:
    """The one file or two; of a directory those that are named like pickles."""
    if source.folder is None:
        return list(source.paths) if source.exists else []
    found = source.with_endings(*ENDINGS)
    return found if len(found) <= 2 else []


def read(source: Source, special_tokens: Sequence[str] | None = None) -> VocabAndMerges:
    """What the files of a source that was recognised say.

    Raises:
        TokenizerFileError: a file is damaged, or it cannot be told what is meant.
    """
    values: list[Any] = []
    for path in _paths(source):
        try:
            values += load_pickles(read_bytes(path))
        except PickleError as error:
            raise TokenizerFileError(f"{path}: {error}") from None
    looked_for = "a dict of ids and tokens and a list of pairs are looked for, in one or two files"
    return read_values(source, values, looked_for, special_tokens)


def load(source: Source, overrides: Overrides) -> Opened:
    return open_vocab_and_merges(read(source), overrides, FORMAT.name)


FORMAT = TokenizerFormat(
    "course-pickle", "a course solution's pickled vocab and merges", recognises, load, read=read
)
