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
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from engine.core.drafts import DRAFT, read_own, sweep
from engine.core.errors import CorpusError, OutputError
from engine.core.files import write_files
from engine.core.slow_modules import hashlib
from engine.counting.counts_file import CountsMetadata, CountsReader, packed_blocks, written
from engine.counting.plain import CorpusCount
from engine.text.corpus import Corpus
from engine.text.patterns import PatternLike, as_pattern

WORTH_KEEPING = 1 << 20
"""Smallest file whose count is kept, in bytes: a smaller one is counted as fast as looked up."""
LIMIT = 512 << 20
"""Largest number of bytes of all kept counts; the least recently used go first."""

SAMPLES, SAMPLE_BYTES = 16, 4096
"""Number and size of the samples. They reveal a changed file whose times were set back."""

_SUFFIX = ".counts"


class KeptCount(NamedTuple):
    """The place of one count in a cache.

    Attributes:
        place: the file; `None` for a corpus whose count is not kept.
        limit: largest number of bytes of all kept counts.
    """

    place: Path | None
    limit: int = LIMIT

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
        name = hashlib.blake2b(key.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
        return cls(directory / f"{name}{_SUFFIX}", limit)

    def find(self) -> CorpusCount | None:
        """Return the count if it is kept and undamaged, else `None`."""
        if self.place is None:
            return None
        try:
            sweep(self.place.parent)
            data = read_own(self.place, self.limit)
            reader = CountsReader("kept counts", io.BytesIO(data))
            count = CorpusCount(reader.metadata.documents, reader.counts())
        except OSError:
            return None
        except (ValueError, CorpusError):  # too large, or damaged
            with contextlib.suppress(OSError):
                self.place.unlink()
            return None
        with contextlib.suppress(OSError):
            os.utime(self.place)  # the time of last use
        return count

    def keep(self, count: CorpusCount) -> None:
        """Keep the count, unless it is there."""
        if self.place is None or self.place.exists():
            return
        with contextlib.suppress(OutputError, OSError):
            data = _packed(count)
            if len(data) > self.limit:
                return
            write_files({self.place: data}, overwrite=True, private=True)
            self.place.parent.chmod(0o700)  # it may be older than this rule
            # Remove the least recently used counts, until the rest is within the limit.
            kept = []
            folder = self.place.parent
            for path in (*folder.glob(f"*{_SUFFIX}"), *folder.glob(f".*{DRAFT}")):
                with contextlib.suppress(FileNotFoundError):
                    status = path.lstat()
                    kept.append((status.st_mtime, status.st_size, path))
            total = 0
            for _, size, path in sorted(kept, reverse=True):
                total += size
                if total > self.limit:
                    path.unlink(missing_ok=True)


def _identity(corpus: Corpus) -> tuple[object, ...] | None:
    """Return what identifies the files of a corpus and their content.

    `None` if its count is not worth keeping.
    """
    if corpus.holds_counts or corpus.paths is None or (corpus.reader.total or 0) < WORTH_KEEPING:
        return None
    if corpus.reading.skip_bad:
        return None  # the number of skipped records is known only after reading
    try:
        files = tuple(_identity_of_file(Path(path).resolve()) for path in corpus.paths)
    except OSError:
        return None
    return files, corpus.reading.field, corpus.separator


def _identity_of_file(path: Path) -> tuple[object, ...]:
    """Return the path, place, size and times of a file, and a digest of samples from all over."""
    status, digest = path.stat(), hashlib.blake2b(digest_size=16)
    with path.open("rb") as file:
        for place in range(SAMPLES):
            file.seek(max(status.st_size - SAMPLE_BYTES, 0) * place // (SAMPLES - 1))
            digest.update(file.read(SAMPLE_BYTES))
    times = status.st_mtime_ns, status.st_ctime_ns
    place_and_size = status.st_dev, status.st_ino, status.st_size
    return os.fspath(path), *place_and_size, *times, digest.digest()


def _packed(count: CorpusCount) -> bytes:
    """Return a counts file without text or metadata."""
    metadata = CountsMetadata("", 0, count.documents, len(count.counts), "", (), False)
    return b"".join(written(metadata, b"", packed_blocks(count.counts.items())))
