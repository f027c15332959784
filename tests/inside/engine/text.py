# ruff: noqa: F401
"""Names inside `engine/text` that tests need: they know the room, not its modules."""

from __future__ import annotations

from engine.text import corpus, pretokenize, remote
from engine.text.corpus import (
    BLOCK,
    CHUNK,
    COUNTS,
    HEAD,
    Corpus,
    Reading,
    read_blocks,
    separator_of,
)
from engine.text.cutting import CutPieces, cutter_for, regex_cutter, scanner_for
from engine.text.excerpt import LONGEST_LINE, Excerpt
from engine.text.patterns import (
    AFTER_TEXT,
    BEFORE_TEXT,
    PATTERNS,
    Alternative,
    Border,
    BorderTables,
    Pattern,
    as_pattern,
    newer_characters,
)
from engine.text.pretokenize import (
    Chunk,
    ChunkCutter,
    Pretoken,
    SpecialSplitter,
    check_special_tokens,
    in_lower_case,
    pretokens,
    to_bytes,
    to_text,
    to_texts,
)
from engine.text.scripts import KIND_NAMES, OTHER, SCRIPTS, WRITTEN_WITHOUT_SPACES, ScriptTable
from engine.text.sources import PACKED_BLOCK, PARQUET, Stream, packing_of, unpacked
from engine.text.typed_regex import compile_typed
