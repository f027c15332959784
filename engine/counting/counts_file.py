"""Counts files: the pretoken counts of a corpus, and a sample of its text.

`bpe-tui train --format counts` writes them, every command that takes a corpus reads them, and the
cache keeps them. They are written and read block by block:

    line      `bpe-tui pretokens 1`: the version of the format
    section   JSON: see `CountsMetadata`
    section   the beginning of the text
    sections  the pretokens in order of first appearance, some thousands in each: their lengths,
              their counts, their bytes, joined; lengths and counts as 64-bit little-endian integers

A section is its packed size (8 bytes, little-endian), a digest (16 bytes), and its content, packed
by zlib. The digest is BLAKE2b of the packed content, keyed by the digest before: so no section can
be missing, and the last digest identifies the whole file. Nothing is unpickled.

A file of version 2 has two more sections behind the beginning of the text, which are skipped.
"""

from __future__ import annotations

import struct
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from itertools import accumulate, chain, islice, pairwise
from pathlib import Path
from typing import BinaryIO

from engine.core.arrays import Ints
from engine.core.errors import CorpusError, OutputError, TokenizerFileError
from engine.core.events import CountProgress
from engine.core.json_fields import Fields
from engine.core.slow_modules import hashlib, json, np
from engine.counting.plain import CorpusCount
from engine.text.corpus import COUNTS, Corpus
from engine.text.patterns import PATTERNS, PatternLike, as_pattern

VERSION, WITH_LINES = b"1\n", b"2\n"
IN_A_BLOCK, BLOCK_BYTES = 1 << 14, 1 << 20
"""Pretokens and bytes of a block; it ends with the pretoken that reaches either."""
LARGEST_SECTION = 1 << 28
"""Largest number of bytes of an unpacked section: a small file must not fill the memory."""
LARGEST_METADATA = 1 << 20
"""Largest number of bytes of the first section: JSON takes twenty times as much memory."""
MOST = 1 << 60
"""Largest number of bytes of a text: sums of its counts fit into 64 bits."""

_SECTION = struct.Struct("<Q16s")
_DIGEST = 16
_LEVEL = 3
_WIDTH = 8


@dataclass(frozen=True)
class CountsMetadata:
    """Metadata of a counts file.

    Attributes:
        corpus: name of the corpus.
        bytes: size of its files.
        documents, distinct: number of documents, and of different pretokens.
        pattern: the regex of the pattern.
        special_tokens: the special tokens, which were not counted.
        head_is_all: whether the beginning of the text in the file is the whole text.
    """

    corpus: str
    bytes: int
    documents: int
    distinct: int
    pattern: str
    special_tokens: tuple[str, ...]
    head_is_all: bool


def counts_of(
    corpus: Corpus,
    count: CorpusCount,
    pattern: PatternLike,
    special_tokens: Sequence[str],
    bytes_read: int,
) -> Iterator[bytes]:
    """Yield the parts of a counts file for a corpus that has been counted."""
    metadata = CountsMetadata(
        corpus=corpus.name,
        bytes=bytes_read,
        documents=count.documents,
        distinct=len(count.counts),
        pattern=as_pattern(pattern).source,
        special_tokens=tuple(special_tokens),
        head_is_all=corpus.head_is_all,
    )
    return written(metadata, corpus.head, packed_blocks(count.counts.items()))


def written(metadata: CountsMetadata, head: bytes, blocks: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the parts of a counts file.

    Args:
        head: the beginning of the text.
        blocks: the pretokens in order of first appearance, with their counts, packed; with
            `metadata.distinct` pretokens in all.

    Raises:
        OutputError: a pretoken or the metadata is too long for a file.
    """
    yield COUNTS + VERSION
    digest = b""
    meta = json.dumps(asdict(metadata), ensure_ascii=True, separators=(",", ":")).encode()
    if len(meta) > LARGEST_METADATA:
        raise OutputError(
            f"special tokens and pattern of {len(meta):,} bytes are too long for a file of counts; "
            "count with fewer special tokens or a shorter pattern"
        )
    for content in chain((meta, head), blocks):
        packed = zlib.compress(content, _LEVEL)
        if max(len(content), len(packed)) > LARGEST_SECTION:
            raise OutputError(
                f"a pretoken of {len(content):,} bytes is too long for a file of counts; choose a "
                "pattern that cuts the text"
            )
        digest = _digest(packed, digest)
        yield _SECTION.pack(len(packed), digest) + packed


def packed_blocks(counts: Iterable[tuple[bytes, int]]) -> Iterator[bytes]:
    """Pack pretokens and their counts, each block as soon as it has as many as it may."""
    pretokens: list[bytes] = []
    numbers: list[int] = []
    size = 0
    for pretoken, number in counts:
        pretokens.append(pretoken)
        numbers.append(number)
        size += len(pretoken)
        if len(pretokens) == IN_A_BLOCK or size >= BLOCK_BYTES:
            yield packed_block(pretokens, numbers)
            pretokens, numbers, size = [], [], 0
    if pretokens:
        yield packed_block(pretokens, numbers)


def packed_block(pretokens: Sequence[bytes], counts: Sequence[int]) -> bytes:
    """Pack pretokens and their counts."""
    numbers = [len(pretokens)], [*map(len, pretokens)], counts
    columns = (np.asarray(column, "<i8").tobytes() for column in numbers)
    return b"".join((*columns, *pretokens))


def unpacked_block(content: bytes) -> tuple[list[bytes], Ints]:
    """Unpack a block of `packed_block`.

    Raises:
        ValueError: the content is no such block.
    """
    number = int.from_bytes(content[:_WIDTH], "little")
    start = _WIDTH * (1 + 2 * number)
    if not number or start > len(content):  # NumPy takes no number as large as a hostile one
        raise ValueError("too short")
    numbers = np.frombuffer(content, "<i8", 2 * number, _WIDTH).astype(np.int64)
    lengths, counts = numbers.reshape(2, number)
    room = len(content) - start
    if not 0 < lengths.min() <= lengths.max() <= room or lengths.sum() != room:
        raise ValueError("lengths that do not fit")
    ends = accumulate(lengths.tolist(), initial=start)
    return [content[a:b] for a, b in pairwise(ends)], counts


def _digest(packed: bytes, before: bytes) -> bytes:
    return hashlib.blake2b(packed, digest_size=_DIGEST, key=before).digest()


class CountsReader:
    """A reader of a counts file, block by block.

    Args:
        name: name of the file, for error messages.
        file: the file, at its beginning.

    Raises:
        CorpusError: the file is damaged, or of another version.

    Attributes:
        metadata: the metadata of the file.
        head: the beginning of the text.
    """

    def __init__(self, name: str, file: BinaryIO) -> None:
        self._name, self._file, self._last = name, file, b""
        version = file.read(len(COUNTS + VERSION))
        is_one = version.startswith(COUNTS) and len(version) == len(COUNTS + VERSION)
        if is_one and not version.endswith((VERSION, WITH_LINES)):
            raise CorpusError(
                f"{name}: is a counts file of another version of bpe-tui; make it again with "
                "bpe-tui train --format counts"
            )
        with self._damage():
            _check(is_one)
            self.metadata = _metadata(self._section(LARGEST_METADATA))
            self.head = self._section(LARGEST_SECTION)
            for _ in range(2 if version.endswith(WITH_LINES) else 0):
                self._section(LARGEST_SECTION)

    def blocks(self) -> Iterator[dict[bytes, int]]:
        """Yield pretoken → count, in order of first appearance, some thousands at a time."""
        with self._damage():
            left, text = self.metadata.distinct, 0
            while left:
                content = self._section(LARGEST_SECTION)
                _check(int.from_bytes(content[:_WIDTH], "little") <= IN_A_BLOCK)
                pretokens, numbers = unpacked_block(content)
                block = dict(zip(pretokens, numbers.tolist(), strict=True))
                _check(len(pretokens) == len(block) <= left)
                _check(min(block.values()) > 0)
                text += sum(len(pretoken) * number for pretoken, number in block.items())
                _check(text <= MOST)
                left -= len(block)
                yield block
            _check(not self._file.read(1))

    def counts(self, on_block: Callable[[Counter[bytes]], object] = len) -> Counter[bytes]:
        """Return all counts. `on_block` gets the counts so far, after each block."""
        counts: Counter[bytes] = Counter()
        for block in self.blocks():
            dict.update(counts, block)
            on_block(counts)
        with self._damage():
            _check(len(counts) == self.metadata.distinct)  # else a pretoken was listed twice
        return counts

    def _section(self, largest: int) -> bytes:
        start = self._file.read(_SECTION.size)
        _check(len(start) == _SECTION.size)
        size, digest = _SECTION.unpack(start)
        _check(size <= LARGEST_SECTION)
        packed = self._file.read(size)
        self._last = _digest(packed, self._last)
        _check(self._last == digest)
        unpacker = zlib.decompressobj()
        content = unpacker.decompress(packed, largest)
        _check(unpacker.eof)
        return content

    @contextmanager
    def _damage(self) -> Iterator[None]:
        try:
            yield
        except (ValueError, RecursionError, zlib.error, TokenizerFileError) as error:
            raise CorpusError(
                f"{self._name}: damaged counts file; make it again with "
                "bpe-tui train --format counts"
            ) from error


def _check(is_right: bool) -> None:
    if not is_right:
        raise ValueError("damaged")


def _metadata(content: bytes) -> CountsMetadata:
    fields = Fields(json.loads(content))
    specials = fields.items("special_tokens")
    _check(all(isinstance(token, str) for token in specials))
    metadata = CountsMetadata(
        corpus=fields.text("corpus"),
        bytes=fields.count("bytes"),
        documents=fields.count("documents"),
        distinct=fields.count("distinct"),
        pattern=fields.text("pattern"),
        special_tokens=tuple(specials),
        head_is_all=fields.flag("head_is_all"),
    )
    _check(max(metadata.bytes, metadata.documents, metadata.distinct) <= MOST)
    return metadata


def read_counts(
    corpus: Corpus,
    pattern: PatternLike,
    special_tokens: Sequence[str],
    on_progress: Callable[[CountProgress], None] | None = None,
) -> CorpusCount:
    """Read the counts file that was opened as a corpus, and set the head of the corpus.

    Raises:
        CorpusError: the file is damaged, of another version, or made with another pattern or other
            special tokens.
    """
    with opened_counts(corpus.sources[0].given) as reader:
        metadata = reader.metadata
        _check_made_with(corpus.name, metadata, pattern, special_tokens)
        occurrences, seen = 0, 0

        def on_block(counts: Counter[bytes]) -> None:
            nonlocal occurrences, seen
            if on_progress is None:
                return
            occurrences += sum(islice(counts.values(), seen, None))
            seen = len(counts)
            part = metadata.bytes * seen // metadata.distinct
            on_progress(CountProgress(part, metadata.bytes, metadata.documents, occurrences, seen))

        counts = reader.counts(on_block)
    corpus.head, corpus.head_is_all = reader.head, metadata.head_is_all
    return CorpusCount(metadata.documents, counts)


@contextmanager
def opened_counts(name: str) -> Iterator[CountsReader]:
    """Open a counts file on this machine.

    Raises:
        CorpusError: the file cannot be read, is damaged, or of another version.
    """
    try:
        with Path(name).open("rb") as file:
            yield CountsReader(name, file)
    except OSError as error:
        raise CorpusError(f"{name}: cannot be read: {error.strerror or error}") from error


def _check_made_with(
    name: str, metadata: CountsMetadata, pattern: PatternLike, special_tokens: Sequence[str]
) -> None:
    """Raise an error if the pattern or the special tokens of the file are not the given ones."""
    if metadata.pattern != as_pattern(pattern).source:  # compared, never compiled: it may be slow
        named = (name for name, each in PATTERNS.items() if each.source == metadata.pattern)
        used = next(named, None) or f"the regex {metadata.pattern[:60]}"
        raise CorpusError(
            f"{name}: its pretokens were cut by another pattern, {used}; use that one, or count "
            "the corpus again with bpe-tui train --format counts"
        )
    if set(metadata.special_tokens) != set(special_tokens):
        used = " ".join(metadata.special_tokens)[:60] or "none"
        raise CorpusError(
            f"{name}: was counted with other special tokens ({used}); use these, or count the "
            "corpus again with bpe-tui train --format counts"
        )
