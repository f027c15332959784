"""A forecast of the memory that a training takes, from a sample of its corpus.

Nearly all of it is for distinct pretokens. Their number grows as a power of the text's length
(Heaps' law), so a half and the whole of a sample, spread over the file, give the number in all. The
kernel's needs were measured on stories and on mixed texts of up to 100 MB: within 30 %.
"""

from __future__ import annotations

from math import log2
from pathlib import Path
from typing import TYPE_CHECKING

from engine.counting.count import count_text
from engine.text.corpus import is_plain

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.text.corpus import Corpus
    from engine.text.patterns import PatternLike

WORTH_A_SAMPLE = 64 << 20
"""Size of the smallest file whose memory is forecast, in bytes. The sample is a tenth of it."""
BLOCKS, BLOCK = 64, 1 << 16
"""Number of the blocks of a sample, and their size."""
SLOWS = 0.93
"""Factor of the power beyond the sample: the longer the text, the fewer of its words are new."""
AT_LEAST, A_PRETOKEN = 62 << 20, 390
"""Bytes that each training takes, and for each distinct pretoken."""


def forecast_memory(
    corpus: Corpus, pattern: PatternLike, special_tokens: Sequence[str] = ()
) -> int | None:
    """Return about how many bytes the kernel will need; `None` if the corpus is no large text."""
    if corpus.paths is None or len(corpus.paths) > 1 or corpus.reading.field is not None:
        return None
    path, size = Path(corpus.paths[0]), corpus.sources[0].size
    if size is None or size < WORTH_A_SAMPLE:
        return None
    blocks = _sample(path, size)
    if not is_plain(path.name, blocks[0]):
        return None
    half, whole = (
        len(count_text(b"".join(some), pattern, special_tokens)) for some in (blocks[::2], blocks)
    )
    return AT_LEAST + A_PRETOKEN * distinct_in(size / (BLOCKS * BLOCK), half, whole)


def distinct_in(times: float, half: int, whole: int) -> int:
    """Return the number of distinct pretokens in a text that is longer than a sample.

    Args:
        times: the length of the text, in samples.
        half, whole: the numbers in a half of the sample, and in all of it.

    >>> distinct_in(4, half=100, whole=150)
    319
    """
    growth: float = times ** (SLOWS * log2(max(whole, 1) / max(half, 1)))
    return round(whole * growth)


def _sample(path: Path, size: int) -> list[bytes]:
    """Return blocks of a file, the first at its beginning, the others at equal distances."""
    with path.open("rb") as file:
        blocks = []
        for number in range(BLOCKS):
            file.seek((size - BLOCK) * number // (BLOCKS - 1))
            blocks.append(file.read(BLOCK))
    return blocks
