"""Which two files are GPT-2's: a directory has them, both are given, or one with the other beside.

Names do not count where both are given. One alone is known by what is in it; the other one is
beside it under the name that belongs to its own: `x-vocab.json` to `x-merges.txt`.
"""

from __future__ import annotations

import re
from pathlib import Path

from engine.core.errors import TokenizerFileError
from engine.formats.source import Source

VOCAB, MERGES = "vocab.json", "merges.txt"
VERSION = b"#version:"
"""How files of merges begin, if anything says so."""
_TWO_TOKENS = re.compile(rb'\s*\{(\s*"(?:[^"\\]|\\.)*"\s*:\s*\d+\s*[,}]){2}', re.DOTALL)
"""How a vocabulary begins: as an object of tokens and ids, and nothing else."""


def recognises(source: Source) -> bool:
    if len(source.given) == 2:
        return source.exists and _sorted_pair(source) is not None
    return source.in_folder(VOCAB, MERGES) is not None or _is_one_of_two(source)


def files_of(source: Source) -> tuple[Path, Path]:
    """The vocabulary and the merges of a source that was recognised.

    Raises:
        TokenizerFileError: one was given, and the other is not beside it.
    """
    if source.folder is not None:
        return source.folder / VOCAB, source.folder / MERGES
    if source.only_file is not None:
        return _with_its_other(source.only_file, source.heads[0])
    pair = _sorted_pair(source)
    assert pair is not None  # it was recognised
    return pair


def folder_of(source: Source) -> Path | None:
    """Where more is said of the two files; `None` if they go by other names."""
    if source.folder is not None:
        return source.folder
    one = source.only_file
    return one.parent if one is not None and one.name in (VOCAB, MERGES) else None


def _sorted_pair(source: Source) -> tuple[Path, Path] | None:
    """Of two files the vocabulary, which is a JSON object, and the merges, which are lines."""
    is_object = [head.lstrip().startswith(b"{") for head in source.heads]
    if is_object == [True, False]:
        return source.paths[0], source.paths[1]
    if is_object == [False, True]:
        return source.paths[1], source.paths[0]
    return None


def _is_one_of_two(source: Source) -> bool:
    if source.only_file is None:
        return False
    head = source.heads[0]
    return head.startswith(VERSION) or _TWO_TOKENS.match(head) is not None


def _with_its_other(one: Path, head: bytes) -> tuple[Path, Path]:
    is_merges = head.startswith(VERSION)
    mine, others = (MERGES, VOCAB) if is_merges else (VOCAB, MERGES)
    prefix = one.name.removesuffix(mine) if one.name.endswith(mine) else ""
    other = one.with_name(prefix + others)
    if not other.is_file():
        what = "merges like GPT-2's" if is_merges else "a vocabulary like GPT-2's"
        raise TokenizerFileError(
            f"{one}: holds {what}, and there is no {other.name} beside it; give both files"
        )
    return (other, one) if is_merges else (one, other)
