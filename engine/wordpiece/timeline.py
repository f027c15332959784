"""`WordPieceTimeline`: the recorded steps of a WordPiece training with a cursor."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from itertools import pairwise

from engine.errors import TimelineError
from engine.events import Pair
from engine.excerpt import Excerpt
from engine.patterns import Pattern, as_pattern
from engine.player import Player
from engine.pretoken_index import PretokenIndex
from engine.segmentation import Segmenter, Segments
from engine.wordpiece.frame import WordPieceFrame
from engine.wordpiece.record import Record, WordPieceStep
from engine.wordpiece.tokenizer import DEFAULT_PATTERN
from engine.wordpiece.words import bare


class WordPieceTimeline(Player[WordPieceFrame]):
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
        self.pattern = as_pattern(pattern)
        self.table: dict[Pair, tuple[int, int]] = {}
        self.segmenter: Segments = Segmenter(
            record.problem.alphabet, self.table, record.pair_of, record.rank_of
        )
        self.extend(steps)

    @cached_property
    def word_count(self) -> int:
        """Words of the corpus, each as often as it occurs."""
        return sum(self.counts.values())

    @cached_property
    def by_count(self) -> PretokenIndex:
        """The words, most frequent first."""
        return PretokenIndex(sorted(self.counts, key=self.counts.__getitem__, reverse=True))

    @cached_property
    def by_appearance(self) -> PretokenIndex:
        """The words in the order in which the corpus first has them."""
        return PretokenIndex(list(self.counts))

    def extend(self, steps: Iterable[WordPieceStep]) -> None:
        """Add steps at the end.

        Raises:
            TimelineError: a step is of another run, or not the next one.
        """
        for step in steps:
            if step.record is not self.record or step.index != len(self):
                raise TimelineError(
                    f"step {step.index} does not follow the {len(self)} steps recorded"
                )
            self.table[step.pair] = (step.index, step.new_id)
            self._add_step()

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

    def _frame_at(self, step: int) -> WordPieceFrame:
        return WordPieceFrame(self, step, len(self))
