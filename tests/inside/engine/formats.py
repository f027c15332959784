# ruff: noqa: F401
"""Names inside `engine/formats` that tests need: they know the room, not its modules."""

from __future__ import annotations

from engine.formats import (
    FORMATS,
    PROBE,
    WRITABLE,
    convert,
    course_files,
    is_tokenizer,
    open_tokenizer,
    save,
    tokenizer_format,
)
from engine.formats.course_files import _read_python
from engine.formats.gguf_cuts import CUTS
from engine.formats.gguf_cuts import NAMES as PRE_NAMES
from engine.formats.guesses import OTHER_SPELLINGS, pattern_of
from engine.formats.rank_files import known_ranks, likely_pattern, likely_ranks, read_ranks
from engine.formats.ranks import RankedMerges, merges_of_ranks, ranks_of, tokenizer_of_ranks
from engine.formats.safe_pickle import (
    MOST_BYTES,
    Allowance,
    PickledObject,
    PickleError,
    PickleMachine,
    load_pickles,
)
from engine.formats.sentencepiece_model import ProtobufError, fields_in
from engine.formats.source import LARGEST, TokenizerSource, read_json
from engine.formats.tokenizer_format import Opened, renumbered
from engine.formats.tokenizer_json import ADDED, CONFIG, SPECIAL, save_pieces
