"""Places at which a file can be cut for parallel counting, as Stanford's CS336 finds them.

The library's own counting does not need them: it cuts while it reads, wherever no pretoken crosses
the cut (see `ChunkCutter`). So it needs no special token in the text, and the course does:

    one<s>two<s>three        2 chunks: the even cut is at byte 8, and moves by 1 to the <s> at 9
    one two three four       2 chunks: the even cut finds no <s>, moves to the end, and 1 is left
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import BinaryIO, NamedTuple

from engine.core.arguments import checked
from engine.core.errors import CorpusError
from engine.text.corpus import COUNTS, Corpus
from engine.text.pretokenize import to_bytes
from engine.text.sources import PARQUET, Stream, packing_of

BLOCK = 4096
MOST_CHUNKS = 1 << 20
MOST_SEARCHED = 1 << 26
"""Bytes that are searched after the even cuts of a corpus: a screen cannot wait for more."""


class EvenCut(NamedTuple):
    """A cut of a file into equal parts, and where the course's function moves it.

    Attributes:
        even: the offset of the even cut, in bytes.
        moved: the offset of the next special token, or the size of the file if none follows; `None`
            if the search was given up before.
    """

    even: int
    moved: int | None

    @property
    def by(self) -> int | None:
        """Number of bytes that it was moved; `None` if unknown."""
        return None if self.moved is None else self.moved - self.even


@checked
def find_chunk_boundaries(
    file: BinaryIO, desired_num_chunks: int, split_special_token: bytes
) -> list[int]:
    """Return the offsets of chunks that begin with the special token; the course's function.

    The file is cut evenly, and each cut moves on to the next special token. Without a special token
    after it, a cut moves to the end of the file, so there may be fewer chunks.

    Args:
        file: a file that can be read anywhere, opened in binary mode.
        desired_num_chunks: the most chunks, 1 to 2²⁰.
        split_special_token: the bytes that begin a chunk.

    Returns:
        offsets in bytes, ascending: 0, the cuts, the size of the file.

    Raises:
        CorpusError: the number of chunks or the token is of no use.

    >>> from io import BytesIO
    >>> find_chunk_boundaries(BytesIO(b"one<s>two<s>three<s>four"), 3, b"<s>")
    [0, 9, 17, 24]
    """
    cuts = find_even_cuts(file, desired_num_chunks, split_special_token)
    size = file.seek(0, os.SEEK_END)
    return sorted({0, size} | {cut.moved for cut in cuts if cut.moved is not None})


@checked
def find_even_cuts(
    file: BinaryIO, desired_num_chunks: int, split_special_token: bytes, most: int | None = None
) -> list[EvenCut]:
    """Return each even cut, and where `find_chunk_boundaries` moves it.

    Args:
        file, desired_num_chunks, split_special_token: as there.
        most: number of bytes to search after each cut; `None` to search to the end.

    Raises:
        CorpusError: the number of chunks or the token is of no use.

    >>> from io import BytesIO
    >>> [(cut.even, cut.by) for cut in find_even_cuts(BytesIO(b"one<s>two<s>three"), 3, b"<s>")]
    [(5, 4), (10, 7)]
    """
    if not isinstance(split_special_token, bytes) or not split_special_token:
        raise CorpusError(f"a special token is bytes, and this is {split_special_token!r}")
    if not 1 <= desired_num_chunks <= MOST_CHUNKS:
        raise CorpusError(f"a file has 1 to {MOST_CHUNKS:,} chunks, not {desired_num_chunks}")
    size = file.seek(0, os.SEEK_END)
    even = size // desired_num_chunks
    places = (even * number for number in range(1, desired_num_chunks))
    return [
        EvenCut(place, _next_token(file, place, size, split_special_token, most))
        for place in places
    ]


def _next_token(
    file: BinaryIO, start: int, size: int, token: bytes, most: int | None
) -> int | None:
    """Return the offset of the first token from `start` on, or the size of the file.

    As in the course, a token across two blocks is passed over; then the next one begins the chunk.
    """
    end = None if most is None else start + most
    file.seek(start)
    while block := file.read(BLOCK):
        if (found := block.find(token)) >= 0:
            return start + found
        start += BLOCK
        if end is not None and start >= end:
            return None
    return size


class CourseCuts(NamedTuple):
    """The chunks into which the course's function cuts a corpus.

    Attributes:
        token: the special token that it looks for.
        size: the size of the file, in bytes.
        cuts: the even cuts, and where they were moved.
    """

    token: str
    size: int
    cuts: Sequence[EvenCut]

    @property
    def boundaries(self) -> list[int]:
        """The offsets that the function returns, as far as they are known."""
        moved = {cut.moved for cut in self.cuts if cut.moved is not None}
        return sorted({0, self.size} | moved)

    @property
    def is_known(self) -> bool:
        """Whether no search was given up."""
        return all(cut.moved is not None for cut in self.cuts)


def course_cuts(corpus: Corpus, special_tokens: Sequence[str], chunks: int) -> CourseCuts:
    """Find the chunks into which the course's function cuts a corpus.

    The searches give up after `MOST_SEARCHED` bytes together.

    Args:
        special_tokens: the function looks for the first of them.
        chunks: the desired number.

    Raises:
        CorpusError: the function cannot cut it; the message says why.
    """
    if not special_tokens:
        raise CorpusError("it looks for a special token, and this run has none")
    source = corpus.sources[0]
    if len(corpus.sources) > 1:
        raise CorpusError(f"it cuts one file, and this corpus has {len(corpus.sources):,}")
    if source.size is None:
        raise CorpusError("it cuts a file of this machine, which can be read from any place on")
    if corpus.reading.field is not None:
        raise CorpusError("it cuts a plain text, and this corpus has its texts in records")
    try:
        with source.open() as raw:
            head = Stream(raw).head
        if head.startswith(COUNTS):
            raise CorpusError("it cuts a text, and this file holds counts")
        if head.startswith(PARQUET) or packing_of(source.name, head) is not None:
            raise CorpusError("it cuts a plain text, and this file is packed")
        with source.open() as file:
            most = MOST_SEARCHED // chunks
            cuts = find_even_cuts(file, chunks, to_bytes(special_tokens[0]), most)
            return CourseCuts(special_tokens[0], file.seek(0, os.SEEK_END), cuts)
    except OSError as error:
        raise CorpusError(f"the file cannot be read again: {error.strerror}") from error
