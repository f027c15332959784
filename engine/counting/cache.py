"""Pretoken counts kept on disk: to count a big file once is enough.

A kept count belongs to one file as it was (its path, place on the disk, size and time of change),
one pattern and one list of special tokens; their digest is its name. It carries a digest of its own
contents: what is damaged is not believed but removed, and counted anew. Nothing here is unpickled.

A cache is a convenience. Where it cannot be read or written, the work goes on without it.
"""

from __future__ import annotations

import contextlib
import os
import struct
from array import array
from collections import Counter
from collections.abc import Iterator, Sequence
from hashlib import blake2b
from itertools import accumulate, pairwise
from pathlib import Path

from engine.core.errors import OutputError
from engine.core.files import write_files
from engine.counting.count import CorpusCount
from engine.text.corpus import Corpus
from engine.text.patterns import PatternLike, as_pattern

WORTH_KEEPING = 1 << 20
"""A file of fewer bytes is counted before its cache would be found."""
LIMIT = 512 << 20
"""Bytes of all kept counts together; those that were not used for longest go first."""

_MAGIC = b"bpe-tui counts 1\n"
_HEADER = struct.Struct("<QQQ")  # documents, pretokens, bytes of all pretokens joined
_DIGEST = 32
_SUFFIX = ".counts"


class KeptCount:
    """The place of one count in a cache.

    Args:
        place: the file; `None` for a corpus whose count is not kept: nothing is found there then.
        limit: bytes that all kept counts may take together.
    """

    def __init__(self, place: Path | None, limit: int = LIMIT) -> None:
        self._place = place
        self._limit = limit

    @classmethod
    def of(
        cls,
        directory: Path,
        corpus: Corpus,
        pattern: PatternLike,
        special_tokens: Sequence[str],
        limit: int = LIMIT,
    ) -> KeptCount:
        """The place for the count of a corpus as it is now: ask *before* reading it.

        Args:
            directory: the cache; is made when the first count is kept.
            limit: bytes that all kept counts may take together.
        """
        identity = _identity(corpus)
        if identity is None:
            return cls(None)
        key = repr((*identity, as_pattern(pattern).source, tuple(special_tokens)))
        name = blake2b(key.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
        return cls(directory / f"{name}{_SUFFIX}", limit)

    def find(self) -> CorpusCount | None:
        """The count, if it is kept and whole."""
        if self._place is None:
            return None
        try:
            data = self._place.read_bytes()
        except OSError:
            return None
        try:
            count = _unpacked(data)
        except ValueError:
            with contextlib.suppress(OSError):
                self._place.unlink()
            return None
        with contextlib.suppress(OSError):
            os.utime(self._place)  # used now: the last to go
        return count

    def keep(self, count: CorpusCount) -> None:
        """Keep the count, unless it is there."""
        if self._place is None or self._place.exists():
            return
        data = _packed(count)
        if len(data) > self._limit:
            return
        with contextlib.suppress(OutputError, OSError):
            write_files({self._place: data}, overwrite=True)
            self._make_room(self._place.parent)

    def _make_room(self, directory: Path) -> None:
        """Remove the counts not used for longest, until the rest is within the limit."""
        total = 0
        for _, size, path in sorted(_kept_in(directory), reverse=True):
            total += size
            if total > self._limit:
                path.unlink(missing_ok=True)


def _identity(corpus: Corpus) -> tuple[object, ...] | None:
    """What no other file has, nor this one changed; `None` if its count is not worth keeping."""
    if corpus.path is None or (corpus.bytes_total or 0) < WORTH_KEEPING:
        return None
    try:
        path = corpus.path.resolve()
        status = path.stat()
    except OSError:
        return None
    return os.fspath(path), status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns


def _kept_in(directory: Path) -> Iterator[tuple[float, int, Path]]:
    """(when it was used, its bytes, where it is) of each kept count."""
    for path in directory.glob(f"*{_SUFFIX}"):
        with contextlib.suppress(FileNotFoundError):
            status = path.stat()
            yield status.st_mtime, status.st_size, path


def _packed(count: CorpusCount) -> bytes:
    """Digest, header, lengths of the pretokens, their counts, and they themselves."""
    counts = count.counts
    joined = b"".join(counts)
    body = b"".join(
        (
            _HEADER.pack(count.documents, len(counts), len(joined)),
            array("q", map(len, counts)).tobytes(),
            array("q", counts.values()).tobytes(),
            joined,
        )
    )
    return _MAGIC + blake2b(body, digest_size=_DIGEST).digest() + body


def _unpacked(data: bytes) -> CorpusCount:
    """The inverse of `_packed`. Raises `ValueError` for anything that it did not write."""
    start = len(_MAGIC) + _DIGEST
    body = memoryview(data)[start:]
    digest = blake2b(body, digest_size=_DIGEST).digest()
    if not data.startswith(_MAGIC) or data[len(_MAGIC) : start] != digest:
        raise ValueError("damaged")
    documents, distinct, size = _HEADER.unpack_from(body)
    numbers = 8 * distinct
    lengths, values = array("q"), array("q")
    lengths.frombytes(body[_HEADER.size : _HEADER.size + numbers])
    values.frombytes(body[_HEADER.size + numbers : _HEADER.size + 2 * numbers])
    joined = bytes(body[_HEADER.size + 2 * numbers :])
    if len(joined) != size:
        raise ValueError("damaged")

    def counts(limit: int | None = None) -> Counter[bytes]:
        pretokens = (joined[a:b] for a, b in pairwise(accumulate(lengths, initial=0)))
        kept: Counter[bytes] = Counter()
        dict.update(kept, zip(pretokens, values[:limit], strict=limit is None))
        return kept

    return CorpusCount(documents, counts)
