"""Files of counts: the pretokens of a corpus, and what a screen wants to show of it beside them.

`bpe-tui pretokens` writes them, whatever takes a corpus reads them, and the cache keeps them. They
are written and read block by block:

    line      `bpe-tui pretokens 2`: the version of the format
    section   JSON: what was counted, see `About`
    section   the beginning of the text
    section   example lines, see `engine.counting.examples`; not in version 1
    section   pretokens for which there is one, and their lines by number; not in version 1
    sections  the pretokens in order of first appearance, some thousands in each: their lengths,
              their counts, they themselves one after another; lengths and counts as 64-bit
              integers, the lowest byte first

A section is its packed size (8 bytes, the lowest first), a digest (16 bytes), and its content,
packed by zlib. The digest is BLAKE2b of the packed content, with the digest before as its key: so
none can be missing, and the last is that of the whole file. Nothing is unpickled.
"""

from __future__ import annotations

import json
import struct
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import cached_property
from hashlib import blake2b
from itertools import accumulate, chain, islice, pairwise
from pathlib import Path
from typing import BinaryIO, Self

from engine.core.arrays import Ints, np
from engine.core.errors import CorpusError, OutputError, TokenizerFileError
from engine.core.events import CountProgress
from engine.core.json_fields import Fields
from engine.text.corpus import COUNTS, Corpus
from engine.text.patterns import PATTERNS, PatternLike, as_pattern

VERSION, WITHOUT_EXAMPLES = b"2\n", b"1\n"
IN_A_BLOCK, BLOCK_BYTES = 1 << 14, 1 << 20
"""A block ends with the pretoken that reaches one of these."""
LARGEST_SECTION = 1 << 28
"""Bytes of an unpacked section: a few bytes of a file must not fill the memory."""
LARGEST_ABOUT = 1 << 20
"""Bytes of the first section: as values of JSON they take twenty times their room."""
LONGEST_EXAMPLE = 1 << 10
"""Bytes of an example line."""
MOST = 1 << 60
"""Bytes of a text at the most: sums of its counts fit into 64 bits."""

_SECTION = struct.Struct("<Q16s")
_DIGEST = 16
_LEVEL = 3
_WIDTH = 8


NO_EXAMPLES: Mapping[bytes, bytes] = {}


class CorpusCount:
    """The pretokens of a corpus, how often each occurs, and how many documents there are.

    Args:
        documents: how many there are.
        count: gives the counts of the first so many pretokens to appear; of all for `None`.
    """

    def __init__(self, documents: int, count: Callable[[int | None], Counter[bytes]]) -> None:
        self.documents = documents
        self._count = count

    @classmethod
    def of(cls, documents: int, counts: Counter[bytes]) -> Self:
        """Counts that are all there, in order of first appearance."""

        def first(limit: int | None) -> Counter[bytes]:
            if limit is None:
                return counts
            some: Counter[bytes] = Counter()
            dict.update(some, islice(counts.items(), limit))
            return some

        return cls(documents, first)

    @cached_property
    def counts(self) -> Counter[bytes]:
        """Pretoken → occurrences, in order of first appearance; computed when first asked for."""
        return self._count(None)

    def earliest(self, limit: int) -> Counter[bytes]:
        """The counts of the pretokens that appear first, which costs less than all of them."""
        return self._count(limit)


@dataclass(frozen=True)
class About:
    """What a file of counts says beside them.

    Attributes:
        corpus: what it is called.
        bytes: its size as it lies there.
        documents, distinct: how many documents and different pretokens it has.
        pattern: the regex that cut it.
        special_tokens: those that were cut out before.
        head_is_all: whether the beginning that is kept of its text is all of it.
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
    examples: Mapping[bytes, bytes] = NO_EXAMPLES,
) -> Iterator[bytes]:
    """The file for a corpus that has been counted."""
    about = About(
        *(corpus.name, bytes_read, count.documents, len(count.counts)),
        *(as_pattern(pattern).source, tuple(special_tokens), corpus.head_is_all),
    )
    return written(about, corpus.head, count.counts.items(), examples)


def written(
    about: About,
    head: bytes,
    counts: Iterable[tuple[bytes, int]],
    examples: Mapping[bytes, bytes] = NO_EXAMPLES,
) -> Iterator[bytes]:
    """A file of counts, part by part.

    Args:
        head: the beginning of the text.
        counts: (pretoken, occurrences) in order of first appearance, `about.distinct` of them.
        examples: pretoken → a line in which it stands, of some that are not in `head`.

    Raises:
        OutputError: a pretoken is too long for a file.
    """
    yield COUNTS + VERSION
    digest = b""
    meta = json.dumps(asdict(about), ensure_ascii=True, separators=(",", ":")).encode()
    for content in chain((meta, head), _packed_examples(examples), _blocks(counts)):
        if len(content) > LARGEST_SECTION:
            raise OutputError(
                f"a pretoken of {len(content):,} bytes is too long for a file of counts; choose a "
                "pattern that cuts the text"
            )
        packed = zlib.compress(content, _LEVEL)
        digest = _digest(packed, digest)
        yield _SECTION.pack(len(packed), digest) + packed


def _packed_examples(examples: Mapping[bytes, bytes]) -> Iterator[bytes]:
    numbers = {line: number for number, line in enumerate(dict.fromkeys(examples.values()))}
    yield packed_block([*numbers])
    yield packed_block([*examples], [numbers[line] for line in examples.values()])


def _blocks(counts: Iterable[tuple[bytes, int]]) -> Iterator[bytes]:
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


def packed_block(pretokens: Sequence[bytes], *columns: Sequence[int] | Ints) -> bytes:
    """Pretokens and columns of numbers about them, one number each."""
    numbers = [len(pretokens)], [*map(len, pretokens)], *columns
    parts = (np.asarray(column, "<i8").tobytes() for column in numbers)
    return b"".join((*parts, *pretokens))


def unpacked_block(content: bytes, columns: int) -> tuple[list[bytes], list[Ints]]:
    """The inverse of `packed_block`.

    Raises:
        ValueError: it did not write that.
    """
    number = int.from_bytes(content[:_WIDTH], "little")
    start = _WIDTH * (1 + number * (1 + columns))
    if number > len(content) or start > len(content):
        raise ValueError("too short")
    numbers = np.frombuffer(content, "<i8", number * (1 + columns), _WIDTH).astype(np.int64)
    lengths, *others = numbers.reshape(1 + columns, number)
    room = len(content) - start
    if (number and not 0 < lengths.min() <= lengths.max() <= room) or lengths.sum() != room:
        raise ValueError("lengths that do not fit")
    ends = accumulate(lengths.tolist(), initial=start)
    return [content[a:b] for a, b in pairwise(ends)], others


def _digest(packed: bytes, before: bytes) -> bytes:
    return blake2b(packed, digest_size=_DIGEST, key=before).digest()


class CountsReader:
    """Reads a file of counts block by block.

    Args:
        name: of the file, for the errors.
        file: at its beginning.

    Raises:
        CorpusError: it is damaged, or of another version.

    Attributes:
        about: what it says beside the counts.
        head: the beginning of the text.
        examples: pretoken → a line in which it stands, of frequent ones that are not in `head`.
    """

    def __init__(self, name: str, file: BinaryIO) -> None:
        self._name, self._file, self._last = name, file, b""
        version = file.read(len(COUNTS + VERSION))
        is_one = version.startswith(COUNTS) and len(version) == len(COUNTS + VERSION)
        if is_one and not version.endswith((VERSION, WITHOUT_EXAMPLES)):
            raise CorpusError(
                f"{name}: is a counts file of another version of bpe-tui; make it anew with "
                "bpe-tui pretokens"
            )
        with self._damage():
            _check(is_one)
            self.about = _about(self._section(LARGEST_ABOUT))
            self.head = self._section(LARGEST_SECTION)
            has_examples = version.endswith(VERSION)
            self.examples = self._examples() if has_examples else NO_EXAMPLES

    def _examples(self) -> Mapping[bytes, bytes]:
        lines, _ = unpacked_block(self._section(LARGEST_SECTION), 0)
        pretokens, (numbers,) = unpacked_block(self._section(LARGEST_SECTION), 1)
        _check(max(len(lines), len(pretokens)) <= IN_A_BLOCK)
        _check(max(map(len, lines), default=0) <= LONGEST_EXAMPLE)
        _check(all(0 <= number < len(lines) for number in numbers.tolist()))
        return {
            pretoken: lines[number]
            for pretoken, number in zip(pretokens, numbers.tolist(), strict=True)
        }

    def blocks(self) -> Iterator[dict[bytes, int]]:
        """pretoken → occurrences, in order of first appearance, some thousands at a time."""
        with self._damage():
            left, text = self.about.distinct, 0
            while left:
                content = self._section(LARGEST_SECTION)
                _check(int.from_bytes(content[:_WIDTH], "little") <= IN_A_BLOCK)
                pretokens, (numbers,) = unpacked_block(content, 1)
                block = dict(zip(pretokens, numbers.tolist(), strict=True))
                _check(0 < len(block) <= left and len(block) == len(pretokens))
                _check(min(block.values()) > 0)
                text += sum(len(pretoken) * number for pretoken, number in block.items())
                _check(text <= MOST)
                left -= len(block)
                yield block
            _check(not self._file.read(1))

    def counts(self, on_block: Callable[[Counter[bytes]], object] = len) -> Counter[bytes]:
        """All of them; `on_block` is told those so far, after each block."""
        counts: Counter[bytes] = Counter()
        for block in self.blocks():
            dict.update(counts, block)
            on_block(counts)
        with self._damage():
            _check(len(counts) == self.about.distinct)  # else one was there twice
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
                f"{self._name}: damaged counts file; make it anew with bpe-tui pretokens"
            ) from error


def _check(is_right: bool) -> None:
    if not is_right:
        raise ValueError("damaged")


def _about(content: bytes) -> About:
    fields = Fields(json.loads(content))
    specials = fields.items("special_tokens")
    _check(all(isinstance(token, str) for token in specials))
    about = About(
        corpus=fields.text("corpus"),
        bytes=fields.count("bytes"),
        documents=fields.count("documents"),
        distinct=fields.count("distinct"),
        pattern=fields.text("pattern"),
        special_tokens=tuple(specials),
        head_is_all=fields.flag("head_is_all"),
    )
    _check(max(about.bytes, about.documents, about.distinct) <= MOST)
    return about


def read_counts(
    corpus: Corpus,
    pattern: PatternLike,
    special_tokens: Sequence[str],
    on_progress: Callable[[CountProgress], None] | None = None,
) -> CorpusCount:
    """The counts in a file of counts that is opened in place of a corpus; its head is noted.

    Raises:
        CorpusError: it is damaged, of another version, or made with another pattern or other
            special tokens.
    """
    with opened_counts(corpus.sources[0].given) as reader:
        about = reader.about
        _check_made_with(corpus.name, about, pattern, special_tokens)
        occurrences, seen = 0, 0

        def on_block(counts: Counter[bytes]) -> None:
            nonlocal occurrences, seen
            if on_progress is None:
                return
            occurrences += sum(islice(counts.values(), seen, None))
            seen = len(counts)
            part = about.bytes * seen // about.distinct
            on_progress(CountProgress(part, about.bytes, about.documents, occurrences, seen))

        counts = reader.counts(on_block)
    corpus.head, corpus.head_is_all = reader.head, about.head_is_all
    corpus.examples = reader.examples
    return CorpusCount.of(about.documents, counts)


@contextmanager
def opened_counts(name: str) -> Iterator[CountsReader]:
    """A file of counts on this machine.

    Raises:
        CorpusError: it cannot be read, or see `CountsReader`.
    """
    try:
        with Path(name).open("rb") as file:
            yield CountsReader(name, file)
    except OSError as error:
        raise CorpusError(f"{name}: cannot be read: {error.strerror or error}") from error


def _check_made_with(
    name: str, about: About, pattern: PatternLike, special_tokens: Sequence[str]
) -> None:
    """An error if a corpus was counted otherwise than it is wanted now."""
    if about.pattern != as_pattern(pattern).source:  # a stranger's regex is not compiled
        named = (name for name, each in PATTERNS.items() if each.source == about.pattern)
        told = next(named, None) or f"the regex {about.pattern[:60]}"
        raise CorpusError(
            f"{name}: its pretokens were cut by another pattern, {told}; take that, or count the "
            "corpus anew with bpe-tui pretokens"
        )
    if set(about.special_tokens) != set(special_tokens):
        told = " ".join(about.special_tokens)[:60] or "none"
        raise CorpusError(
            f"{name}: was counted with other special tokens ({told}); take these, or count the "
            "corpus anew with bpe-tui pretokens"
        )
