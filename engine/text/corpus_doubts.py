"""Doubts about a corpus: files that may be no text. A byte order mark, left out, is named, too."""

from __future__ import annotations

import codecs
from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress

from engine.core.wording import counted
from engine.text.corpus import Reading, is_plain
from engine.text.sources import Source, sources_of

LOOKED_AT = 64
"""Most files of a name that are looked into."""
HEAD = 1 << 12
"""Bytes at the beginning of a file that are looked at."""


def doubts_about(name: str, reading: Reading) -> Iterator[str]:
    """Yield a sentence for each oddity of files, with the first file and the number of others.

    Args:
        name: a corpus, as `Corpus` takes it.
        reading: how it is read; records in a field are never in doubt.

    Raises:
        CorpusError: a file is not found, or may not be read.
    """
    odd: defaultdict[str, list[str]] = defaultdict(list)
    for each in (name, *reading.more) if reading.field is None else ():
        for source in sources_of(each)[:LOOKED_AT]:
            if oddity := _oddity(source):
                odd[oddity].append(source.name)
    for oddity, (first, *others) in odd.items():
        more = f" (and {counted(len(others), 'more file')} like it)" if others else ""
        yield f"{first}{more}: {oddity}"


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
