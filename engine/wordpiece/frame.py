"""The run of a WordPiece training, its frame at one step, its vocabulary there, and its timeline.

A frame computes what is asked for.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from itertools import pairwise

import numpy as np

from engine.core.arrays import Floats, Ints
from engine.core.events import Pair
from engine.core.registry import Registry
from engine.core.wording import Words
from engine.recording.affected_pretokens import Segmenter
from engine.recording.playback import MergeFrame, MergeRun, MergeTimeline
from engine.recording.statistics import LEFT_OUT, MergeStatistics, TiedSteps
from engine.recording.token_table import NONE, MergeRows, TokenTable, sorted_positions
from engine.recording.vocabulary import COLUMNS, Vocabulary
from engine.text.excerpt import Excerpt
from engine.text.patterns import Pattern, PatternLike, as_pattern
from engine.text.pretokenize import to_bytes, to_text
from engine.wordpiece.score import Score, Scoreboard, ScoredPair, ScoreTieRule, TieOrder, estimates
from engine.wordpiece.tokenizer import DEFAULT_PATTERN, WordPieceTokenizer
from engine.wordpiece.trainer import WordPieceRecord, WordPieceStep
from engine.wordpiece.words import CONTINUES, bare, trainable_words


class WordPieceTable(TokenTable):
    """The pieces by row; a row is an id."""

    SIGN = CONTINUES.encode()

    @cached_property
    def lengths(self) -> Ints:
        """Characters of the text that each piece stands for."""
        return np.fromiter(map(len, self._texts), dtype=np.int64, count=len(self))

    @cached_property
    def reading_order(self) -> Ints:
        """The place of each piece sorted as text, without regard to case and `##`."""
        return sorted_positions([text.lower() for text in self._texts])

    @property
    def _texts(self) -> list[str]:
        return [to_text(bare(piece)) for piece in self.tokens]


def _score(vocabulary: Vocabulary) -> Ints:
    assert isinstance(vocabulary, WordPieceVocabulary)
    return vocabulary.score_order


class WordPieceVocabulary(Vocabulary):
    """The pieces at one step; they can be sorted by the score at which they merged, too.

    `winners` are the scores of its merges, by rank.
    """

    COLUMNS = Registry("column", {**COLUMNS, "score": _score})

    def __init__(
        self, table: WordPieceTable, size: int, merge_count: int, counts: Ints, winners: Floats
    ) -> None:
        super().__init__(table, size, merge_count, counts)
        self._winners = winners

    @property
    def score_order(self) -> Ints:
        """The place of each piece among the scores, from the lowest; `NONE` if none made it."""
        _, positions = np.unique(self._winners, return_inverse=True)
        order = np.full(len(self), NONE, dtype=np.int64)
        order[len(self) - len(positions) :] = positions
        return order


class WordPieceVocabularies:
    """`at(step)` for the training that `record` tells.

    >>> from engine.wordpiece.trainer import WordPieceTrainer
    >>> trainer = WordPieceTrainer({b"hug": 10, b"hugs": 5}, 10, ["[UNK]"])
    >>> steps = len(list(trainer.steps()))
    >>> vocabulary = WordPieceVocabularies(trainer.record).at(steps, steps)
    >>> [(vocabulary.token(row), vocabulary.count_of(row)) for row in range(len(vocabulary))][-3:]
    [(b'hu', 0), (b'hug', 10), (b'hugs', 5)]
    """

    def __init__(self, record: WordPieceRecord) -> None:
        self._record = record
        self._table: WordPieceTable | None = None

    def at(self, step: int, recorded_steps: int) -> WordPieceVocabulary:
        """The pieces after the first `step` merges, of so many that are recorded."""
        if self._table is None or len(self._table.merges) < step:
            self._table = self._table_of(recorded_steps)
        record = self._record
        counts = record.piece_counts.at(step).astype(np.int64)
        counts[: len(record.input.special_tokens)] = NONE
        winners = estimates(*record.scores_until(step))
        return WordPieceVocabulary(self._table, record.first_id + step, step, counts, winners)

    def _table_of(self, steps: int) -> WordPieceTable:
        record = self._record
        size = record.first_id + steps
        left, right = record.parents_until(steps)
        ids = np.arange(size, dtype=np.int64)
        return WordPieceTable(
            ids,
            record.vocab[:size],
            MergeRows(left, right, ids[record.first_id :], np.arange(steps, dtype=np.int64)),
            np.arange(len(record.input.special_tokens), dtype=np.int64),
            record.input.alphabet,
        )


class ScoreTies(TiedSteps):
    """The steps of a record at which several pairs shared the highest score.

    BPE finds its ties from the counts in one go; here a score rises and falls. But training looks
    at all scores at every step anyway, and has written down how many were the highest.

    >>> from engine.wordpiece.trainer import WordPieceTrainer
    >>> trainer = WordPieceTrainer({b"ab": 1, b"cd": 1}, 11)
    >>> [step.token for step in trainer.steps()], ScoreTies(trainer.record).steps.tolist()
    ([b'cd', b'ab'], [1])
    """

    def __init__(self, record: WordPieceRecord) -> None:
        super().__init__(record)
        self._record = record

    def pairs_at_top(self, start: int, stop: int) -> Ints:
        return self._record.tied_between(start, stop)


class WordPieceStatistics(MergeStatistics):
    """The series of one training. Pieces are so many characters long, `##` not counted.

    >>> from engine.wordpiece.frame import WordPieceTimeline
    >>> from engine.wordpiece.trainer import WordPieceTrainer
    >>> trainer = WordPieceTrainer({b"hug": 10, b"hugs": 5, b"bun": 4}, 16)
    >>> statistics = WordPieceTimeline(trainer.record, trainer.steps()).statistics
    >>> statistics.winning_scores(3).round(3).tolist(), statistics.winning_counts(3).tolist()
    ([0.067, 0.053, 0.25], [5, 15, 4])
    >>> statistics.pieces_per_word(3).round(2).tolist()
    [3.26, 3.0, 2.21, 2.0]
    """

    _record: WordPieceRecord

    def __init__(self, record: WordPieceRecord, ties: ScoreTies) -> None:
        super().__init__(record, record.input.counts, record.input.character_count, ties)

    def pieces_per_word(self, steps: int) -> Floats:
        """Pieces of a word on average at steps 0 … `steps`; 0 throughout without words."""
        words = int(self._unsorted.sum())
        if not words:
            return np.zeros(steps + 1)
        on_average: Floats = self.tokens_in_corpus(steps) / words
        return on_average

    def winning_scores(self, steps: int) -> Floats:
        """The score of the pair that merged, rounded, for each of the first `steps` merges."""
        return estimates(*self._record.scores_until(steps))

    def winning_counts(self, steps: int) -> Ints:
        """The count of the pair that merged, for each of the first `steps` merges."""
        return self._record.scores_until(steps)[0]

    def lengths_between(self, first: int, last: int) -> list[int]:
        specials = len(self._record.input.special_tokens)
        vocab = self._record.vocab
        return [
            LEFT_OUT if place < specials else len(to_text(bare(vocab[place])))
            for place in range(first, last)
        ]


class WordPieceRun(MergeRun):
    """The recorded merges of a WordPiece training.

    Args:
        record: what the steps are written down in.
        pattern: what cuts text that is to be encoded.
        excerpt: the beginning of the corpus, to be looked at.

    Attributes:
        statistics: the whole run in numbers, for charts.
    """

    record: WordPieceRecord

    def __init__(
        self,
        record: WordPieceRecord,
        pattern: PatternLike = DEFAULT_PATTERN,
        excerpt: Excerpt | None = None,
    ) -> None:
        super().__init__()
        self.excerpt = excerpt or Excerpt.of(b"")
        self.record = record
        self.counts = record.input.counts
        self.tokens_at_start = record.input.character_count
        self.pattern = as_pattern(pattern)
        self.table = {}
        self.segmenter = Segmenter(
            record.input.alphabet, self.table, record.pair_of, record.rank_of
        )
        self.ties = ScoreTies(record)
        self.statistics = WordPieceStatistics(record, self.ties)
        self._vocabularies = WordPieceVocabularies(record)

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


class WordPieceFrame(MergeFrame[WordPieceStep]):
    """The state after the first `step` merges of a run. Immutable.

    Its pretokens are words, its tokens pieces.

    Attributes:
        step: how many merges have been made.
        recorded_steps: how many steps the run had when the frame was taken.
    """

    TOKEN = "piece"

    run: WordPieceRun
    _record: WordPieceRecord

    # -- what the run is

    @property
    def tie_rule(self) -> ScoreTieRule:
        """What chooses among pairs of one score."""
        return self._record.tie_rule

    @property
    def min_count(self) -> int:
        """Pairs rarer than this do not merge."""
        return self._record.min_count

    @property
    def pattern(self) -> Pattern:
        """What cuts text that is to be encoded."""
        return self.run.pattern

    @property
    def statistics(self) -> WordPieceStatistics:
        """The whole run in numbers, for charts."""
        return self.run.statistics

    @property
    def special_tokens(self) -> tuple[str, ...]:
        """They have the first ids, the unknown token among them."""
        return self._record.input.special_tokens

    @property
    def unknown_token(self) -> str:
        """What a word becomes that the pieces cannot spell."""
        return self._record.input.unknown_token

    # -- the pieces and the words

    def is_special(self, piece_id: int) -> bool:
        """Whether a piece is a special token."""
        return piece_id < len(self.special_tokens)

    def is_base(self, piece_id: int) -> bool:
        """Whether a piece is a single character, there from the start."""
        return len(self.special_tokens) <= piece_id < self.first_id

    @property
    def distinct_words(self) -> int:
        """How many different words the corpus has."""
        return len(self.run.counts)

    def words_of(self, text: str) -> list[bytes]:
        """The words of a stretch of the corpus, as the training has taken them."""
        return [to_bytes(word) for word in trainable_words(text)]

    def pieces_of(self, word: bytes) -> list[bytes]:
        """The pieces of a word as the merges have made them: `tokens_of`, as they are written."""
        return [self._record.vocab[token_id] for token_id in self.tokens_of(word)]

    @property
    def character_count(self) -> int:
        """Pieces that the corpus has at step 0."""
        return self._record.input.character_count

    @property
    def highest_count(self) -> int:
        """The count of the most frequent piece at step 0; no count is ever higher."""
        return max(self._record.input.start_of_pieces, default=0)

    @property
    def pieces_per_word(self) -> float:
        """How many pieces a word of the corpus has on average; 0 without words."""
        words = self.run.word_count
        return self.token_count / words if words else 0.0

    # -- counts and scores

    def count_of(self, pair: Pair) -> int:
        """How often the pair stands side by side at this step."""
        score = self.score_of(pair)
        return 0 if score is None else score.count

    def score_of(self, pair: Pair) -> Score | None:
        """The pair's score; `None` if it stands nowhere side by side."""
        return self._record.score_of(pair, self.step)

    @cached_property
    def _scoreboard(self) -> Scoreboard:
        return self._record.scoreboard(self.step)

    @cached_property
    def _order(self) -> TieOrder:
        rule = self.tie_rule
        key = rule.then.make_key(
            self._record.vocab, lambda pair: self.run.first_place(pair, self.step)
        )
        return TieOrder(key, rule.by_count)

    @property
    def candidates(self) -> int:
        """How many different pairs may merge: those that stand often enough."""
        return len(self._scoreboard)

    @property
    def tied(self) -> tuple[Pair, ...]:
        """The pairs of the highest score, by their ids."""
        return tuple(sorted(self._scoreboard.tied))

    def top_pairs(self, limit: int) -> list[ScoredPair]:
        """The pairs of highest score, ties in the order of the rule; the first merges next."""
        return self._scoreboard.top(limit, self._order)

    @cached_property
    def most_frequent(self) -> ScoredPair | None:
        """What byte-pair encoding would merge here: the highest count, ties as the rule has them.

        `None` if no pair may merge.
        """
        return self._scoreboard.most_frequent(self._order)

    def why_first(self, winner: Pair, rival: Pair) -> Words:
        """Why the tie rule takes one pair before another of the same score, as a clause."""
        rule, counts = self.tie_rule, (self.count_of(winner), self.count_of(rival))
        if rule.by_count and counts[0] != counts[1]:
            return (f"it stands more often, {counts[0]:,} against {counts[1]:,}",)
        return rule.then.why_first(self._record.vocab, winner, rival)

    def _best_pair(self) -> Pair | None:
        return self._scoreboard.best(self._order)

    # -- encoding with the vocabulary of this step

    @cached_property
    def tokenizer(self) -> WordPieceTokenizer:
        """The tokenizer that this step has learnt."""
        input = self._record.input
        return WordPieceTokenizer(
            dict(enumerate(self._record.vocab[: self.vocab_size])),
            input.special_tokens,
            input.unknown_token,
            self.run.pattern,
        )


class WordPieceTimeline(MergeTimeline[WordPieceFrame]):
    """The steps of a run and a cursor among them: step 0 is the words in single characters.

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

    run: WordPieceRun
    record: WordPieceRecord

    def __init__(
        self,
        record: WordPieceRecord,
        steps: Iterable[WordPieceStep] = (),
        *,
        pattern: PatternLike = DEFAULT_PATTERN,
        excerpt: Excerpt | None = None,
    ) -> None:
        super().__init__(WordPieceRun(record, pattern, excerpt))
        self.extend(steps)

    @property
    def statistics(self) -> WordPieceStatistics:
        """The whole run in numbers, for charts."""
        return self.run.statistics

    def _frame_at(self, step: int) -> WordPieceFrame:
        return WordPieceFrame(self.run, step, len(self))
