"""Tokenizers that can be watched: training and encoding, every step of them.

>>> from engine import Timeline, Tokenizer, Trainer, count_pretokens, train_bpe
>>> vocab, merges = train_bpe("samples/handout.txt", 258, [], pattern="whitespace")
>>> merges
[(b's', b't'), (b'e', b'st')]
>>> Tokenizer(vocab, merges, pattern="whitespace").encode("lowest")
[108, 111, 119, 257]
>>> counts = count_pretokens("samples/handout.txt", pattern="whitespace")
>>> timeline = Timeline(counts, Trainer(counts, 258).steps())
>>> timeline.seek(1).tokens_of(b"newest")
(110, 101, 119, 101, 256)

`PATTERNS` and `TIE_RULES` are registries: a name → its pattern, a name → its tie rule.

The names in `__all__` are the public API, and a promise: modules may move, these names stay.
`import engine` loads none of them until it is used, so that helper processes start fast.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from engine.analysis.check.checking import check
    from engine.analysis.check.report import Report
    from engine.analysis.check.steps_file import StepRecorder
    from engine.analysis.fertility import parallel_texts
    from engine.analysis.text_comparison import TextComparison
    from engine.bpe.continuation import continue_bpe
    from engine.bpe.frame import Frame, Timeline
    from engine.bpe.linked_lists import Bigram, BigramState, LinkedLists
    from engine.bpe.phases import Phase, PhasedTrainer
    from engine.bpe.record import MergeStep
    from engine.bpe.ties import TIE_RULES
    from engine.bpe.trainer import StopReason, Trainer, train_bpe
    from engine.core.errors import (
        AnswerError,
        BpeError,
        BreakpointError,
        ClusterError,
        ComparisonError,
        ConversionError,
        CorpusError,
        CountsError,
        DropoutError,
        KernelMemoryError,
        OutputError,
        OutputExistsError,
        PatternError,
        PhaseError,
        QueryError,
        QuestionError,
        QuizFileError,
        SessionFileError,
        SpecialTokenError,
        SpecialTokenFoundError,
        StepsFileError,
        TailError,
        TextError,
        TimelineError,
        TokenIdsError,
        TokenizerFileError,
        TokenLengthError,
        UnfinishedError,
        UnigramError,
        UnknownNameError,
        UnknownTokenIdError,
        VocabSizeError,
        VocabularyError,
        WhatIfError,
    )
    from engine.core.events import (
        ChunkCounted,
        CountChange,
        CountProgress,
        EncodeStep,
        TrainProgress,
    )
    from engine.counting.chunk_boundaries import find_chunk_boundaries, find_even_cuts
    from engine.counting.chunk_log import ChunkLog
    from engine.counting.count import count_pretokens
    from engine.encoding.tail import Tail, find_tail
    from engine.encoding.tokenizer import Tokenizer
    from engine.encoding.traced import TracedEncoding
    from engine.learning.questions import ask
    from engine.pipeline.conversion import longest_match
    from engine.text.patterns import PATTERNS
    from engine.unigram.frame import UnigramTimeline
    from engine.unigram.textbook import TextbookTrainer
    from engine.unigram.trainer import UnigramTrainer

__docformat__ = "google"
"""How docstrings are written, for pdoc."""

__all__ = [  # noqa: RUF022 - the order of the reference: the way in first, errors last
    "train_bpe",
    "Tokenizer",
    "Trainer",
    "Timeline",
    "Frame",
    "MergeStep",
    "CountChange",
    "StopReason",
    "PATTERNS",
    "TIE_RULES",
    "count_pretokens",
    "CountProgress",
    "TrainProgress",
    "EncodeStep",
    "TracedEncoding",
    "longest_match",
    "find_tail",
    "Tail",
    "check",
    "Report",
    "StepRecorder",
    "TextComparison",
    "parallel_texts",
    "continue_bpe",
    "ask",
    "UnigramTrainer",
    "UnigramTimeline",
    "TextbookTrainer",
    "PhasedTrainer",
    "Phase",
    "LinkedLists",
    "Bigram",
    "BigramState",
    "find_chunk_boundaries",
    "find_even_cuts",
    "ChunkLog",
    "ChunkCounted",
    "BpeError",
    "AnswerError",
    "BreakpointError",
    "ClusterError",
    "ComparisonError",
    "ConversionError",
    "CorpusError",
    "CountsError",
    "DropoutError",
    "KernelMemoryError",
    "OutputError",
    "OutputExistsError",
    "PatternError",
    "PhaseError",
    "QueryError",
    "QuestionError",
    "QuizFileError",
    "SessionFileError",
    "SpecialTokenError",
    "SpecialTokenFoundError",
    "StepsFileError",
    "TailError",
    "TextError",
    "TimelineError",
    "TokenIdsError",
    "TokenLengthError",
    "TokenizerFileError",
    "UnfinishedError",
    "UnigramError",
    "UnknownNameError",
    "UnknownTokenIdError",
    "VocabSizeError",
    "VocabularyError",
    "WhatIfError",
]

_HOMES = {
    "PATTERNS": "engine.text.patterns",
    "TIE_RULES": "engine.bpe.ties",
    "Bigram": "engine.bpe.linked_lists",
    "BigramState": "engine.bpe.linked_lists",
    "ChunkCounted": "engine.core.events",
    "ChunkLog": "engine.counting.chunk_log",
    "CountChange": "engine.core.events",
    "CountProgress": "engine.core.events",
    "EncodeStep": "engine.core.events",
    "Frame": "engine.bpe.frame",
    "LinkedLists": "engine.bpe.linked_lists",
    "MergeStep": "engine.bpe.record",
    "Phase": "engine.bpe.phases",
    "PhasedTrainer": "engine.bpe.phases",
    "Report": "engine.analysis.check.report",
    "StepRecorder": "engine.analysis.check.steps_file",
    "StopReason": "engine.bpe.trainer",
    "Tail": "engine.encoding.tail",
    "TextComparison": "engine.analysis.text_comparison",
    "TextbookTrainer": "engine.unigram.textbook",
    "Timeline": "engine.bpe.frame",
    "Tokenizer": "engine.encoding.tokenizer",
    "TracedEncoding": "engine.encoding.traced",
    "TrainProgress": "engine.core.events",
    "Trainer": "engine.bpe.trainer",
    "UnigramTimeline": "engine.unigram.frame",
    "UnigramTrainer": "engine.unigram.trainer",
    "ask": "engine.learning.questions",
    "check": "engine.analysis.check.checking",
    "continue_bpe": "engine.bpe.continuation",
    "count_pretokens": "engine.counting.count",
    "find_chunk_boundaries": "engine.counting.chunk_boundaries",
    "find_even_cuts": "engine.counting.chunk_boundaries",
    "find_tail": "engine.encoding.tail",
    "parallel_texts": "engine.analysis.fertility",
    "longest_match": "engine.pipeline.conversion",
    "train_bpe": "engine.bpe.trainer",
}
"""Public name → the module that has it; every name that is not here is an error's."""


def __getattr__(name: str) -> Any:
    if name == "__version__":
        return import_module("importlib.metadata").version("bpe-tui")
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(import_module(_HOMES.get(name, "engine.core.errors")), name)
    globals()[name] = found  # the next time Python finds it without asking here
    return found


def __dir__() -> list[str]:
    return [*__all__, "__version__"]


if "pdoc" in sys.modules:  # it renders what is in the module already, and asks no `__getattr__`
    for _name in __all__:
        __getattr__(_name)
