"""Doubts about a corpus: files that may be no text, tables, folders with files of several kinds.

A byte order mark, which is left out, is named, too.
"""

from __future__ import annotations

import codecs
import os
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from engine.core.wording import counted
from engine.text.corpus import Reading, is_plain
from engine.text.sources import PACKINGS, Source, sources_of

LOOKED_AT = 64
"""Most files of a name that are looked into."""
HEAD = 1 << 12
"""Bytes at the beginning of a file that are looked at."""
KINDS_NAMED = 4
NO_ENDING = "without an ending"
LINES = ".jsonl"
TABLES = (".csv", ".tsv", LINES)
"""Endings of files with records."""


def doubts_about(name: str, reading: Reading) -> Iterator[str]:
    """Yield sentences about files that are read, but may be no text or not meant.

    Args:
        name: a corpus, as `Corpus` takes it.
        reading: how it is read; records in a field are never in doubt.

    Raises:
        CorpusError: a file is not found, or may not be read.
    """
    if reading.field is not None:
        return
    for each in (name, *reading.more):
        sources = sources_of(each)
        if os.path.isdir(each):
            yield from _doubt_kinds(each, sources)
        elif (ending := _ending(each.lower())) in TABLES:
            way = "; --field NAME reads a field of each line" if ending == LINES else ""
            yield f"{Path(each).name} is read as text{way}"
        yield from _doubt_bytes(sources[:LOOKED_AT])


def _doubt_kinds(folder: str, sources: Sequence[Source]) -> Iterator[str]:
    """Yield a sentence if the files of a folder have several endings."""
    kinds = Counter(_ending(source.name) for source in sources)
    if len(kinds) < 2:
        return
    common = kinds.most_common()
    listed = [f"{number:,} {kind}" for kind, number in common[:KINDS_NAMED]]
    if others := sum(number for _, number in common[KINDS_NAMED:]):
        listed.append(f"{others:,} others")
    ending = next((kind for kind, _ in common if kind != NO_ENDING), "")
    yield (
        f"{folder}: all {len(sources):,} files are read, of several kinds ({', '.join(listed)}); "
        f"a glob reads one kind: '{folder.rstrip('/')}/**/*{ending}'"
    )


def _ending(name: str) -> str:
    """Return the ending of a file's name, without that of its packing.

    >>> _ending("texts/a.jsonl.gz")
    '.jsonl'
    """
    for packing in PACKINGS:
        name = name.removesuffix(packing.suffix)
    return Path(name).suffix or NO_ENDING


def _doubt_bytes(sources: Sequence[Source]) -> Iterator[str]:
    """Yield a sentence for each oddity of files, with the first file and the number of others."""
    odd: defaultdict[str, list[str]] = defaultdict(list)
    for source in sources:
        if oddity := _oddity(source):
            odd[oddity].append(source.name)
    for oddity, (name, *others) in odd.items():
        more = f" (and {counted(len(others), 'more file')} like it)" if others else ""
        yield f"{name}{more}: {oddity}"


def _oddity(source: Source) -> str:
    """Return what is odd about the first bytes of a file; empty if it may be plain text."""
    if source.size is None:
        return ""  # a pipe can be read only once
    head = b""
    with suppress(OSError), source.open() as file:
        head = file.read(HEAD)
    if not is_plain(source.name, head):
        return ""
    if b"\0" in head:
        return f"has NUL bytes, as binary files and UTF-16 have, {_NO_TEXT}"
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head)
    except UnicodeDecodeError:
        return f"is not UTF-8, {_NO_TEXT}"
    is_marked = head.startswith(codecs.BOM_UTF8)
    return "begins with a byte order mark, which is left out of the text" if is_marked else ""


_NO_TEXT = "so it may be no text; its bytes are read as they are"
