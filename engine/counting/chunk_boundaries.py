"""Places at which a file can be cut for parallel counting, as Stanford's CS336 finds them.

The library's own counting does not need them: it cuts while it reads, wherever no pretoken crosses
the cut (see `ChunkCutter`). So it needs no special token in the text, and the course does:

    one<s>two<s>three        2 chunks: the even cut is at byte 8, and moves by 1 to the <s> at 9
    one two three four       2 chunks: the even cut finds no <s>, moves to the end, and 1 is left
"""

from __future__ import annotations

import os
from typing import BinaryIO

from engine.core.arguments import checked
from engine.core.errors import CorpusError

BLOCK = 4096
MOST_CHUNKS = 1 << 20


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
    if not isinstance(split_special_token, bytes) or not split_special_token:
        raise CorpusError(f"a special token is bytes, and this is {split_special_token!r}")
    if not 1 <= desired_num_chunks <= MOST_CHUNKS:
        raise CorpusError(f"a file has 1 to {MOST_CHUNKS:,} chunks, not {desired_num_chunks}")
    size = file.seek(0, os.SEEK_END)
    part = size // desired_num_chunks
    even_cuts = (part * number for number in range(1, desired_num_chunks))
    return sorted({0, size, *(_next_token(file, cut, split_special_token) for cut in even_cuts)})


def _next_token(file: BinaryIO, start: int, token: bytes) -> int:
    """Return the offset of the first token from `start` on, or the size of the file.

    As in the course, a token across two blocks is passed over; then the next one begins the chunk.
    """
    file.seek(start)
    while block := file.read(BLOCK):
        if (found := block.find(token)) >= 0:
            return start + found
        start += BLOCK
    return file.tell()
