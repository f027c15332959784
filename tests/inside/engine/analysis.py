# ruff: noqa: F401
"""Names inside `engine/analysis` that tests need: they know the room, not its modules."""

from __future__ import annotations

from engine.analysis.baselines import (
    BASELINES,
    ByteTokenizer,
    CharacterTokenizer,
    SeenCharacterTokenizer,
    WordTokenizer,
)
from engine.analysis.breakpoint_list import BreakpointList
from engine.analysis.breakpoints import (
    Breakpoint,
    Matching,
    parse,
    quoted,
    unquoted,
)
from engine.analysis.check.causes import CAUSES
from engine.analysis.check.checking import check_claim
from engine.analysis.check.claim import Assignment, Claim, read_claim
from engine.analysis.check.steps_file import LONGEST_LINE, ClaimedStep, read_steps, read_token
from engine.analysis.encoder_comparison import GoesBack, Greedy, TooGreedy, lockstep
from engine.analysis.fertility import (
    ParallelTexts,
    fertility,
    parallel_texts,
    premiums_over_english,
)
from engine.analysis.inspection import (
    PIECE_FILTERS,
    TOKEN_KIND_NAMES,
    Inspection,
    UnigramInspection,
    numbers_of,
    token_kinds,
)
from engine.analysis.measures import (
    MOST_WAYS,
    RenyiEfficiency,
    Segmentations,
    fewest_tokens,
    renyi_efficiency,
)
from engine.analysis.model_table import (
    CHINESE,
    DecodingLoss,
    KindRow,
    Misspelling,
    TextMeasures,
    Untrained,
    hold_out,
    measure,
    measure_misspelled,
    misspellings,
    swap_letters,
    table_rows,
    try_training,
)
from engine.analysis.pair_history import PairHistory, pair_history
from engine.analysis.pattern_lab import split_alternatives, try_pattern
from engine.analysis.text_comparison import (
    TextComparison,
    _spells,
    cut_text,
    first_merge_difference,
    overlap,
    token_spans,
)
from engine.analysis.tokenizer_kinds import ComparableTokenizer, train_kind
from engine.analysis.why import Explanation, explain
from engine.analysis.why_not import (
    Answer,
    Beaten,
    BorderInside,
    Merged,
    NoMerge,
    NoSuchToken,
    NotInText,
    OneToken,
    PairBeaten,
    SpecialToken,
    TakenApart,
    Unreachable,
    occurrences,
    parts_asked,
    why_not,
    why_not_merged,
)
