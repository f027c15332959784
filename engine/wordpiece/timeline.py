"""`WordPieceTimeline`: the recorded steps of a WordPiece training with a cursor."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from itertools import pairwise

from engine.core.events import Pair
from engine.recording.merge_timeline import MergeTimeline
from engine.recording.segmentation import Segmenter
from engine.recording.vocabulary.vocabulary import Vocabulary
from engine.text.excerpt import Excerpt
from engine.text.patterns import Pattern, as_pattern
from engine.wordpiece.frame import WordPieceFrame
from engine.wordpiece.record import Record, WordPieceStep
from engine.wordpiece.statistics import ScoreTies, WordPieceStatistics
from engine.wordpiece.tokenizer import DEFAULT_PATTERN
from engine.wordpiece.vocabulary import PieceVocabularies
from engine.wordpiece.words import bare


class WordPieceTimeline(MergeTimeline[WordPieceFrame]):
    """The steps of a run and a place among them: step 0 is the words in single characters.

    Args:
        record: the record of the run.
        steps: the steps recorded so far, from the first.
        pattern: what cuts text that is to be encoded.
        excerpt: the beginning of the corpus, to be looked at.

    >>> from engine.wordpiece.trainer import WordPieceTrainer
    >>> trainer = WordPieceTrainer({b"hug": 10, b"hugs": 5, b"bun": 4}, 20)
    >>> timeline = WordPieceTimeline(trainer.record, trainer.steps())
    >>> timeline.forward().pieces_of(b"hugs"), timeline.back().pieces_of(b"hugs")
    ([b'h', b'##u', b'##gs'], [b'h', b'##u', b'##g', b'##s'])
    """

    record: Record

    def __init__(
        self,
        record: Record,
        steps: Iterable[WordPieceStep] = (),
        *,
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
        self.extend(steps)

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

    def _frame_at(self, step: int) -> WordPieceFrame:
        return WordPieceFrame(self, step, len(self))
