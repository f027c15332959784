# ruff: noqa: F401
"""Names inside `engine/counting` that tests need: they know the room, not its modules."""

from __future__ import annotations

from engine.counting import (
    by_pieces,
    cache,
    cluster,
    cluster_connection,
    cluster_sums,
    cluster_tasks,
    counts_file,
    examples,
)
from engine.counting.by_pieces import (
    PADDING,
    PieceCache,
    PieceCounter,
    PieceCutter,
    documents_between,
    special_tokens_in,
    words_of,
)
from engine.counting.cache import KeptCount
from engine.counting.chunk_boundaries import CourseCuts, EvenCut, course_cuts
from engine.counting.chunk_log import ChunkReport
from engine.counting.cluster import counted_on
from engine.counting.cluster_sums import PlacedCounts
from engine.counting.cluster_tasks import CountingOptions
from engine.counting.count import (
    ArraySums,
    NativePieceCounter,
    Tally,
    count_corpus,
    count_text,
    counter_for,
    counts_without,
    document_counts,
)
from engine.counting.counts_file import (
    CorpusCount,
    CountsMetadata,
    CountsReader,
    counts_of,
    packed_block,
    packed_blocks,
    written,
)
from engine.counting.examples import examples_for
from engine.counting.plain import (
    ChunkCounter,
    PlainCounter,
    count_pretokens_of,
    documents_in,
    joined,
)
