"""Pretoken counts kept on disk: to count a big file once is enough.

A kept count belongs to files as they were (path, place on the disk, size, times of change and a
sample of the content), one way of reading them, one pattern and one list of special tokens; their
digest is its name. It is a counts file, which carries digests of its contents: what is damaged is
not believed but removed, and counted anew. It holds the words of a text that may be private, so
only its owner may read it.

A cache is a convenience. Where it cannot be read or written, the work goes on without it.
"""

from __future__ import annotations

import contextlib
import io
import os
from collections.abc import Iterator, Sequence
from hashlib import blake2b
from pathlib import Path

from engine.core.errors import CorpusError, OutputError
from engine.core.files import DRAFT, read_own, sweep, write_files
from engine.counting.counts_file import About, CorpusCount, CountsReader, written
from engine.text.corpus import Corpus
from engine.text.patterns import PatternLike, as_pattern

WORTH_KEEPING = 1 << 20
"""A file of fewer bytes is counted before its cache would be found."""
LIMIT = 512 << 20
"""Bytes of all kept counts together; those that were not used for longest go first."""

SAMPLES, SAMPLE_BYTES = 16, 4096
"""A file whose times somebody has set back still differs in what it holds, nearly always."""

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
            sweep(self._place.parent)
            data = read_own(self._place, self._limit)
        except OSError:
            return None
        except ValueError:
            self._remove()
            return None
        try:
            count = _unpacked(data)
        except CorpusError:
            self._remove()
            return None
        with contextlib.suppress(OSError):
            os.utime(self._place)  # used now: the last to go
        return count

    def _remove(self) -> None:
        with contextlib.suppress(OSError):
            assert self._place is not None
            self._place.unlink()

    def keep(self, count: CorpusCount) -> None:
        """Keep the count, unless it is there."""
        if self._place is None or self._place.exists():
            return
        with contextlib.suppress(OutputError, OSError):
            data = _packed(count)
            if len(data) > self._limit:
                return
            write_files({self._place: data}, overwrite=True, private=True)
            self._place.parent.chmod(0o700)  # it may be older than this rule
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
    if corpus.holds_counts or corpus.paths is None or (corpus.bytes_total or 0) < WORTH_KEEPING:
        return None
    if corpus.reading.skip_bad:
        return None  # how many records were left out is known only to who has read them
    try:
        files = tuple(_identity_of_file(path.resolve()) for path in corpus.paths)
    except OSError:
        return None
    return files, corpus.reading.field, corpus.separator


def _identity_of_file(path: Path) -> tuple[object, ...]:
    status = path.stat()
    times = status.st_mtime_ns, status.st_ctime_ns
    sample = _sample_of(path, status.st_size)
    return os.fspath(path), status.st_dev, status.st_ino, status.st_size, *times, sample


def _sample_of(path: Path, size: int) -> bytes:
    """A digest of a few places all over a file."""
    digest = blake2b(digest_size=16)
    with path.open("rb") as file:
        for place in range(SAMPLES):
            file.seek(max(size - SAMPLE_BYTES, 0) * place // (SAMPLES - 1))
            digest.update(file.read(SAMPLE_BYTES))
    return digest.digest()


def _kept_in(directory: Path) -> Iterator[tuple[float, int, Path]]:
    """(when it was used, its bytes, where it is) of each kept count."""
    for path in (*directory.glob(f"*{_SUFFIX}"), *directory.glob(f".*{DRAFT}")):
        with contextlib.suppress(FileNotFoundError):
            status = path.lstat()
            yield status.st_mtime, status.st_size, path


def _packed(count: CorpusCount) -> bytes:
    """A file of counts without anything beside them."""
    about = About("", 0, count.documents, len(count.counts), "", (), head_is_all=False)
    return b"".join(written(about, b"", count.counts.items()))


def _unpacked(data: bytes) -> CorpusCount:
    """The inverse of `_packed`. Raises `CorpusError` for what is damaged."""
    reader = CountsReader("kept counts", io.BytesIO(data))
    return CorpusCount.of(reader.about.documents, reader.counts())
