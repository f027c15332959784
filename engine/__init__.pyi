# ruff: noqa: I001
"""The public names, in the order of the reference: the way in first, errors last.

Type checkers read this file, and `__init__.py` takes from it where each name is.
"""

from engine.bpe.trainer import train_bpe as train_bpe
from engine.encoding.tokenizer import Tokenizer as Tokenizer
from engine.bpe.trainer import Trainer as Trainer
from engine.bpe.frame import Timeline as Timeline
from engine.bpe.frame import Frame as Frame
from engine.bpe.record import MergeStep as MergeStep
from engine.recording.merge_record import CountChange as CountChange
from engine.bpe.trainer import StopReason as StopReason
from engine.text.patterns import PATTERNS as PATTERNS
from engine.bpe.ties import TIE_RULES as TIE_RULES
from engine.bpe.ties import TieRuleName as TieRuleName
from engine.bpe.trainers import TRAINERS as TRAINERS
from engine.bpe.trainers.algorithm import TrainerName as TrainerName
from engine.encoding.alphabet import UnitsName as UnitsName
from engine.encoding.tokenizer_files import FormatName as FormatName
from engine.counting.count import count_pretokens as count_pretokens
from engine.core.events import CountProgress as CountProgress
from engine.bpe.trainer import TrainProgress as TrainProgress
from engine.encoding.encoders import EncodeStep as EncodeStep
from engine.encoding.traced import TracedEncoding as TracedEncoding
from engine.pipeline.as_tokenizer import longest_match as longest_match
from engine.analysis.why_not import why_not as why_not
from engine.encoding.id_files import write_ids as write_ids
from engine.formats import convert as convert
from engine.analysis.check.checking import check as check
from engine.analysis.check.report import Report as Report
from engine.analysis.check.steps_file import StepRecorder as StepRecorder
from engine.analysis.text_comparison import TextComparison as TextComparison
from engine.bpe.what_if import fork as fork
from engine.bpe.what_if import ForkChange as ForkChange
from engine.bpe.continuation import continue_bpe as continue_bpe
from engine.learning.questions import ask as ask
from engine.unigram.trainer import UnigramTrainer as UnigramTrainer
from engine.unigram.frame import UnigramTimeline as UnigramTimeline
from engine.unigram.textbook import TextbookTrainer as TextbookTrainer
from engine.bpe.phases import PhasedTrainer as PhasedTrainer
from engine.bpe.phases import Phase as Phase
from engine.counting.chunk_boundaries import find_chunk_boundaries as find_chunk_boundaries
from engine.core.errors import BpeError as BpeError
from engine.core.errors import AnswerError as AnswerError
from engine.core.errors import ArgumentError as ArgumentError
from engine.core.errors import BreakpointError as BreakpointError
from engine.core.errors import ChatError as ChatError
from engine.core.errors import ComparisonError as ComparisonError
from engine.core.errors import ConversionError as ConversionError
from engine.core.errors import CorpusError as CorpusError
from engine.core.errors import CountsError as CountsError
from engine.core.errors import KernelMemoryError as KernelMemoryError
from engine.core.errors import OutputError as OutputError
from engine.core.errors import OutputExistsError as OutputExistsError
from engine.core.errors import PatternError as PatternError
from engine.core.errors import PhaseError as PhaseError
from engine.core.errors import QueryError as QueryError
from engine.core.errors import QuestionError as QuestionError
from engine.core.errors import QuizFileError as QuizFileError
from engine.core.errors import SpecialTokenError as SpecialTokenError
from engine.core.errors import SpecialTokenFoundError as SpecialTokenFoundError
from engine.core.errors import StepsFileError as StepsFileError
from engine.core.errors import TextError as TextError
from engine.core.errors import TimelineError as TimelineError
from engine.core.errors import TokenIdsError as TokenIdsError
from engine.core.errors import TokenLengthError as TokenLengthError
from engine.core.errors import TokenizerFileError as TokenizerFileError
from engine.core.errors import UnfinishedError as UnfinishedError
from engine.core.errors import UnigramError as UnigramError
from engine.core.errors import UnknownNameError as UnknownNameError
from engine.core.errors import UnknownTokenIdError as UnknownTokenIdError
from engine.core.errors import VocabSizeError as VocabSizeError
from engine.core.errors import VocabularyError as VocabularyError
from engine.core.errors import WhatIfError as WhatIfError

__version__: str
