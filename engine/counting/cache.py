"""A cache of pretoken counts on disk, so that a big file is counted only once.

A kept count belongs to the files as they were (path, place on the disk, size, times of change and a
sample of the content), to one way of reading them, one pattern and one list of special tokens. Its
name is the digest of all these. It is a counts file, with digests of its contents: a damaged one is
removed, and the corpus is counted again. It holds words of a text that may be private, so only its
owner may read it.

The cache is optional: if it cannot be read or written, the work goes on without it.
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
from engine.counting.counts_file import CorpusCount, CountsMetadata, CountsReader, written
from engine.text.corpus import Corpus
from engine.text.patterns import PatternLike, as_pattern

WORTH_KEEPING = 1 << 20
"""Smallest file whose count is kept, in bytes: a smaller one is counted as fast as looked up."""
LIMIT = 512 << 20
"""Largest number of bytes of all kept counts; the least recently used go first."""

SAMPLES, SAMPLE_BYTES = 16, 4096
"""Number and size of the samples. They reveal a changed file whose times were set back."""

_SUFFIX = ".counts"


class KeptCount:
    """The place of one count in a cache.

    Args:
        place: the file; `None` for a corpus whose count is not kept.
        limit: largest number of bytes of all kept counts.
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
        """Return the place for the count of a corpus as it is now. Call it *before* reading.

        Args:
            directory: the cache; made when the first count is kept.
            limit: largest number of bytes of all kept counts.
        """
        identity = _identity(corpus)
        if identity is None:
            return cls(None)
        key = repr((*identity, as_pattern(pattern).source, tuple(special_tokens)))
        name = blake2b(key.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
        return cls(directory / f"{name}{_SUFFIX}", limit)

    def find(self) -> CorpusCount | None:
        """Return the count if it is kept and undamaged, else `None`."""
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
            os.utime(self._place)  # the time of last use
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
        """Remove the least recently used counts, until the rest is within the limit."""
        total = 0
        for _, size, path in sorted(_kept_in(directory), reverse=True):
            total += size
            if total > self._limit:
                path.unlink(missing_ok=True)


def _identity(corpus: Corpus) -> tuple[object, ...] | None:
    """Return what identifies the files of a corpus and their content.

    `None` if its count is not worth keeping.
    """
    if corpus.holds_counts or corpus.paths is None or (corpus.bytes_total or 0) < WORTH_KEEPING:
        return None
    if corpus.reading.skip_bad:
        return None  # the number of skipped records is known only after reading
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
    """Return a digest of samples from all over a file."""
    digest = blake2b(digest_size=16)
    with path.open("rb") as file:
        for place in range(SAMPLES):
            file.seek(max(size - SAMPLE_BYTES, 0) * place // (SAMPLES - 1))
            digest.update(file.read(SAMPLE_BYTES))
    return digest.digest()


def _kept_in(directory: Path) -> Iterator[tuple[float, int, Path]]:
    """Yield (time of last use, bytes, path) of each kept count."""
    for path in (*directory.glob(f"*{_SUFFIX}"), *directory.glob(f".*{DRAFT}")):
        with contextlib.suppress(FileNotFoundError):
            status = path.lstat()
            yield status.st_mtime, status.st_size, path


def _packed(count: CorpusCount) -> bytes:
    """Return a counts file without text or metadata."""
    metadata = CountsMetadata("", 0, count.documents, len(count.counts), "", (), False)
    return b"".join(written(metadata, b"", count.counts.items()))


def _unpacked(data: bytes) -> CorpusCount:
    """Read the counts file of `_packed`. Raises `CorpusError` if it is damaged."""
    reader = CountsReader("kept counts", io.BytesIO(data))
    return CorpusCount.of(reader.metadata.documents, reader.counts())
