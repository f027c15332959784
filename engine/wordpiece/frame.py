"""The run of a WordPiece training, its frame at one step, its vocabulary there, and its timeline.

A frame computes most things only when they are needed.

In the vocabulary a piece is searched for as it is written, `##` included. Its length is that of its
text without `##`, in characters; it is sorted by that text.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from math import log2

import numpy as np

from engine.core.arrays import Floats, Ints
from engine.core.events import Pair
from engine.core.wording import Sentence, say
from engine.encoding.merging import NONE
from engine.recording.affected_pretokens import Segmenter
from engine.recording.playback import MergeFrame, MergeRun, MergeTimeline
from engine.recording.statistics import LEFT_OUT, MergeStatistics, TiedSteps
from engine.recording.token_table import MergeRows, TokenTable, sorted_positions
from engine.recording.vocabulary import Vocabulary
from engine.text.excerpt import Excerpt
from engine.text.patterns import PatternLike, as_pattern
from engine.text.pretokenize import to_bytes, to_text
from engine.wordpiece.score import Score, Scoreboard, ScoredPair, TieOrder, estimates
from engine.wordpiece.tokenizer import DEFAULT_PATTERN, WordPieceTokenizer
from engine.wordpiece.trainer import WordPieceRecord, WordPieceStep
from engine.wordpiece.words import bare, trainable_words


class WordPieceTable(TokenTable):
    """The pieces in rows; the row is the id."""

    @cached_property
    def lengths(self) -> Ints:
        """Characters of the text of each piece."""
        return np.fromiter(map(len, self._texts), dtype=np.int64, count=len(self))

    @cached_property
    def reading_order(self) -> Ints:
        """The place of each piece sorted as text, without regard to case and `##`."""
        return sorted_positions([text.lower() for text in self._texts])

    @property
    def _texts(self) -> list[str]:
        return [to_text(bare(piece)) for piece in self.tokens]


class WordPieceVocabulary(Vocabulary):
    """The pieces at one step; they can also be sorted by the score at which they merged.

    `winners` are the scores of its merges, by rank.

    >>> from engine.wordpiece.trainer import WordPieceTrainer
    >>> trainer = WordPieceTrainer({b"hug": 10, b"hugs": 5}, 10, ["[UNK]"])
    >>> timeline = WordPieceTimeline(trainer.record, trainer.steps())
    >>> vocabulary = timeline.seek(len(timeline)).vocabulary
    >>> [(vocabulary.token(row), vocabulary.count_of(row)) for row in range(len(vocabulary))][-3:]
    [(b'hu', 0), (b'hug', 10), (b'hugs', 5)]
    """

    def __init__(
        self, table: WordPieceTable, size: int, merge_count: int, counts: Ints, winners: Floats
    ) -> None:
        super().__init__(table, size, merge_count, counts)
        self.winners = winners

    @property
    def score_order(self) -> Ints:
        """The place of each piece among the scores, from the lowest; `NONE` for a base piece."""
        _, positions = np.unique(self.winners, return_inverse=True)
        order = np.full(len(self), NONE, dtype=np.int64)
        order[len(self) - len(positions) :] = positions
        return order


class ScoreTies(TiedSteps):
    """The steps of a record at which several pairs shared the highest score.

    BPE finds all of its ties from the counts at once; here a score rises and falls. But training
    looks at all scores at every step anyway, and records the number of highest ones.

    >>> from engine.wordpiece.trainer import WordPieceTrainer
    >>> trainer = WordPieceTrainer({b"ab": 1, b"cd": 1}, 11)
    >>> [step.token for step in trainer.steps()], ScoreTies(trainer.record).steps.tolist()
    ([b'cd', b'ab'], [1])
    """

    _recorded: WordPieceRecord

    def pairs_at_top(self, start: int, stop: int) -> Ints:
        return np.array(self._recorded.tied_counts[start:stop], dtype=np.int64)


class WordPieceStatistics(MergeStatistics):
    """The numbers of one training, by step. Lengths are in characters, without `##`.

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

    def __init__(self, record: WordPieceRecord) -> None:
        super().__init__(record, record.task.counts, record.task.character_count)

    def pieces_per_word(self, steps: int) -> Floats:
        """Return the mean number of pieces of a word at steps 0 … `steps`; 0 without words."""
        words = int(self._unsorted.sum())
        if not words:
            return np.zeros(steps + 1)
        on_average: Floats = self.tokens_in_corpus(steps) / words
        return on_average

    def winning_scores(self, steps: int) -> Floats:
        """Return the rounded scores of the merged pairs, for the first `steps` merges."""
        return estimates(*self._record.scores_until(steps))

    def winning_counts(self, steps: int) -> Ints:
        """Return the counts of the merged pairs, for the first `steps` merges."""
        return self._record.scores_until(steps)[0]

    def lengths_between(self, first: int, last: int) -> list[int]:
        specials = len(self._record.task.special_tokens)
        vocab = self._record.vocab
        return [
            LEFT_OUT if place < specials else len(to_text(bare(vocab[place])))
            for place in range(first, last)
        ]


class WordPieceRun(MergeRun):
    """The recorded merges of a WordPiece training.

    Args:
        record: holds the steps.
        pattern: cuts text that is to be encoded.
        excerpt: the beginning of the corpus, for the screen.

    Attributes:
        statistics: the whole run in numbers, for charts.
        word_count: the number of words of the corpus, repetitions included.
        highest_piece_count: the count of the most frequent piece at step 0; none is ever higher.
    """

    record: WordPieceRecord

    def __init__(
        self,
        record: WordPieceRecord,
        pattern: PatternLike = DEFAULT_PATTERN,
        excerpt: Excerpt | None = None,
    ) -> None:
        self.excerpt = excerpt or Excerpt.of(b"")
        self.record = record
        self.counts = record.task.counts
        self.tokens_at_start = record.task.character_count
        self.pattern = as_pattern(pattern)
        self.table = {}
        self.segmenter = Segmenter(record.task.alphabet, self.table, record.pair_of, record.rank_of)
        self.ties = ScoreTies(record)
        self.statistics = WordPieceStatistics(record)
        self.word_count = sum(self.counts.values())
        self.highest_piece_count = max(record.task.start_of_pieces, default=0)
        self._table: WordPieceTable | None = None

    def first_place(self, pair: Pair, step: int) -> tuple[int, int]:
        """Return the first place of a pair after `step` merges: (index of the word, position).

        Raises:
            KeyError: it does not occur.
        """
        left, right = (bare(self.record.vocab[piece]) for piece in pair)
        for place, word in self.by_appearance.containing(left + right):
            for position, adjacent in enumerate(pairwise(self.segmenter.tokens_at(word, step))):
                if adjacent == pair:
                    return place, position
        raise KeyError(pair)

    def vocabulary_at(self, step: int, recorded_steps: int) -> Vocabulary:
        record = self.record
        special_tokens = len(record.task.special_tokens)
        if self._table is None or len(self._table.merges) < step:
            size = record.first_id + recorded_steps
            left, right = record.parents_until(recorded_steps)
            ids, ranks = np.arange(size, dtype=np.int64), np.arange(recorded_steps, dtype=np.int64)
            self._table = WordPieceTable(
                ids,
                record.vocab[:size],
                MergeRows(left, right, ids[record.first_id :], ranks),
                np.arange(special_tokens, dtype=np.int64),
                record.task.alphabet,
            )
        counts = record.piece_counts.at(step).astype(np.int64)
        counts[:special_tokens] = NONE
        winners = estimates(*record.scores_until(step))
        return WordPieceVocabulary(self._table, record.first_id + step, step, counts, winners)


class WordPieceFrame(MergeFrame[WordPieceStep]):
    """The state after the first `step` merges of a run. Immutable.

    Its pretokens are words, its tokens pieces.

    Attributes:
        tie_rule: chooses among pairs with the same score.
        min_count: pairs rarer than this do not merge.
        pattern: cuts text that is to be encoded.
        statistics: the whole run in numbers, for charts.
        special_tokens: have the first ids; the unknown token is one of them.
        unknown_token: replaces a word that the pieces cannot spell.
        distinct_words: the number of distinct words in the corpus.
        character_count: the number of pieces in the corpus at step 0.
        highest_count: the count of the most frequent piece at step 0; none is ever higher.
        pieces_per_word: the mean number of pieces of a word of the corpus; 0 without words.
    """

    TOKEN = "piece"

    run: WordPieceRun
    _record: WordPieceRecord

    def __init__(self, run: WordPieceRun, step: int, recorded_steps: int) -> None:
        super().__init__(run, step, recorded_steps)
        record = run.record
        self.tie_rule = record.tie_rule
        self.min_count = record.min_count
        self.pattern = run.pattern
        self.statistics = run.statistics
        self.special_tokens = record.task.special_tokens
        self.unknown_token = record.task.unknown_token
        self.distinct_words = len(run.counts)
        self.character_count = record.task.character_count
        self.highest_count = run.highest_piece_count
        self.pieces_per_word = self.token_count / run.word_count if run.word_count else 0.0

    # -- the pieces and the words

    def is_special(self, piece_id: int) -> bool:
        """Whether a piece is a special token."""
        return piece_id < len(self.special_tokens)

    def is_base(self, piece_id: int) -> bool:
        """Whether a piece is a single character, there from the start."""
        return len(self.special_tokens) <= piece_id < self.first_id

    def words_of(self, text: str) -> list[bytes]:
        """Return the words of a stretch of the corpus, as the training takes them."""
        return [to_bytes(word) for word in trainable_words(text)]

    def pieces_of(self, word: bytes) -> list[bytes]:
        """Return the pieces of a word after the merges, as they are written."""
        return [self._record.vocab[token_id] for token_id in self.tokens_of(word)]

    # -- counts and scores

    def count_of(self, pair: Pair) -> int:
        """Return the number of occurrences of the pair at this step."""
        score = self.score_of(pair)
        return 0 if score is None else score.count

    def score_of(self, pair: Pair) -> Score | None:
        """Return the pair's score; `None` if it does not occur."""
        return self._record.score_of(pair, self.step)

    @cached_property
    def scoreboard(self) -> Scoreboard:
        """The pairs that may merge, with their scores."""
        return self._record.scoreboard(self.step)

    @cached_property
    def left_out(self) -> Scoreboard:
        """The pairs that occur, but less often than `min_count`: they may not merge."""
        return self._record.scoreboard(self.step, left_out=True)

    @cached_property
    def best_left_out(self) -> ScoredPair | None:
        """The pair of highest score that `min_count` leaves out; `None` if it leaves out none.

        >>> from engine.wordpiece.trainer import WordPieceTrainer
        >>> trainer = WordPieceTrainer({b"aaaa": 1}, 9, min_count=2)
        >>> frame = WordPieceTimeline(trainer.record).frame
        >>> [str(each.score) for each in (*frame.top_pairs(9), frame.best_left_out)]
        ['2 / (3 × 3)', '1 / (1 × 3)']
        """
        return next(iter(self.top_left_out(1)), None)

    def top_left_out(self, limit: int) -> list[ScoredPair]:
        """Return the pairs of the highest scores that `min_count` leaves out, best first."""
        return self.left_out.top(limit, TieOrder(lambda pair: pair, True))

    @property
    def pair_total(self) -> int:
        """Number of adjacent pairs in the corpus: a word of n pieces has n - 1."""
        return self.token_count - self.run.word_count

    def ratio_of(self, score: Score) -> Fraction:
        """Return P(ab) / (P(a) × P(b)) of a pair, given its score at this step.

        P(a) is the count of a divided by the number of pieces in the corpus, P(ab) the count of ab
        divided by the number of adjacent pairs. So the ratio is the score times one number, the
        same for all pairs: pieces² / pairs. Its logarithm is the pointwise mutual information.

        >>> from engine.wordpiece.trainer import WordPieceTrainer
        >>> frame = WordPieceTimeline(WordPieceTrainer({b"aaaa": 1}, 9).record).frame
        >>> frame.token_count, frame.pair_total, frame.ratio_of(Score(1, 1, 3))
        (4, 3, Fraction(16, 9))
        """
        return score.value * self.token_count**2 / max(self.pair_total, 1)

    def pmi_of(self, score: Score) -> float:
        """Return the pointwise mutual information in bits: the logarithm of `ratio_of`."""
        ratio = self.ratio_of(score)
        return log2(ratio.numerator) - log2(ratio.denominator)

    @cached_property
    def _order(self) -> TieOrder:
        rule = self.tie_rule
        key = rule.then.make_key(
            self._record.vocab, lambda pair: self.run.first_place(pair, self.step)
        )
        return TieOrder(key, rule.by_count)

    @property
    def tied(self) -> tuple[Pair, ...]:
        """The pairs of the highest score, by their ids."""
        return tuple(sorted(self.scoreboard.tied))

    def top_pairs(self, limit: int) -> list[ScoredPair]:
        """Return the pairs of the highest score, ties in the order of the rule; the first merges
        next.
        """
        return self.scoreboard.top(limit, self._order)

    @cached_property
    def most_frequent(self) -> ScoredPair | None:
        """The pair that byte-pair encoding would merge here: the one of the highest count.

        `None` if no pair may merge.
        """
        return self.scoreboard.most_frequent(self._order)

    def tie_reason(self, winner: Pair, rival: Pair) -> Sentence:
        """Return the reason why the tie rule takes one pair before another, as a clause.

        Args:
            winner: the pair that goes first.
            rival: a pair of the same score.
        """
        rule, counts = self.tie_rule, (self.count_of(winner), self.count_of(rival))
        if rule.by_count and counts[0] != counts[1]:
            more, less = (f"{count:,}" for count in counts)
            return say("it occurs more often, {more} against {less}", more=more, less=less)
        return rule.then.reason(self._record.vocab, winner, rival)

    def _best_pair(self) -> Pair | None:
        return self.scoreboard.best(self._order)

    # -- encoding with the vocabulary of this step

    @cached_property
    def tokenizer(self) -> WordPieceTokenizer:
        """The tokenizer learnt up to this step."""
        task = self._record.task
        return WordPieceTokenizer(
            dict(enumerate(self._record.vocab[: self.vocab_size])),
            task.special_tokens,
            task.unknown_token,
            self.run.pattern,
        )


class WordPieceTimeline(MergeTimeline[WordPieceFrame]):
    """The steps of a run and a cursor among them; at step 0 words are single characters.

    Args:
        record: the record of the run.
        steps: the steps recorded so far, from the first.
        pattern: cuts text that is to be encoded.
        excerpt: the beginning of the corpus, for the screen.

    Attributes:
        statistics: the whole run in numbers, for charts.

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
        self.statistics = self.run.statistics
        self.extend(steps)

    def _frame_at(self, step: int) -> WordPieceFrame:
        return WordPieceFrame(self.run, step, len(self))
