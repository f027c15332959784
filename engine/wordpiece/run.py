"""`WordPieceRun`: what is recorded of a WordPiece training, and what its frames are made of."""

from __future__ import annotations

from functools import cached_property
from itertools import pairwise

from engine.core.events import Pair
from engine.recording.merge_frame import MergeRun
from engine.recording.segmentation import Segmenter
from engine.recording.vocabulary import Vocabulary
from engine.text.excerpt import Excerpt
from engine.text.patterns import Pattern, as_pattern
from engine.wordpiece.record import Record
from engine.wordpiece.statistics import ScoreTies, WordPieceStatistics
from engine.wordpiece.tokenizer import DEFAULT_PATTERN
from engine.wordpiece.vocabulary import PieceVocabularies
from engine.wordpiece.words import bare


class WordPieceRun(MergeRun):
    """The recorded merges of a WordPiece training.

    Args:
        record: what the steps are written down in.
        pattern: what cuts text that is to be encoded.
        excerpt: the beginning of the corpus, to be looked at.

    Attributes:
        statistics: the whole run in numbers, for charts.
    """

    record: Record

    def __init__(
        self,
        record: Record,
        pattern: str | Pattern = DEFAULT_PATTERN,
        excerpt: Excerpt | None = None,
    ) -> None:
        super().__init__()
        self.excerpt = excerpt or Excerpt((), complete=True)
        self.record = record
        self.counts = record.problem.counts
        self.tokens_at_start = record.problem.character_count
        self.pattern = as_pattern(pattern)
        self.table = {}
        self.segmenter = Segmenter(
            record.problem.alphabet, self.table, record.pair_of, record.rank_of
        )
        self.ties = ScoreTies(record)
        self.statistics = WordPieceStatistics(record, self.ties)
        self._vocabularies = PieceVocabularies(record)

    @cached_property
    def word_count(self) -> int:
        """Words of the corpus, each as often as it occurs."""
        return sum(self.counts.values())

    def first_place(self, pair: Pair, step: int) -> tuple[int, int]:
        """Where a pair first stands after so many steps: (index of the word, position in it).

        Raises:
            KeyError: it stands nowhere.
        """
        left, right = (bare(self.record.vocab[piece]) for piece in pair)
        for place, word in self.by_appearance.containing(left + right):
            for position, adjacent in enumerate(pairwise(self.segmenter.tokens_at(word, step))):
                if adjacent == pair:
                    return place, position
        raise KeyError(pair)

    def vocabulary_at(self, step: int, recorded_steps: int) -> Vocabulary:
        return self._vocabularies.at(step, recorded_steps)
