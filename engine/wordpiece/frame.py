"""`WordPieceFrame`: a WordPiece training at one step, computed as far as somebody asks."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING

from engine.errors import UnknownTokenIdError
from engine.events import Pair
from engine.excerpt import Excerpt
from engine.patterns import Pattern
from engine.pretokenize import to_bytes
from engine.touched import TouchedPretoken, TouchedPretokens
from engine.vocabulary.vocabulary import Vocabulary
from engine.wordpiece.record import WordPieceStep
from engine.wordpiece.score import Score
from engine.wordpiece.scoreboard import Scoreboard, ScoredPair, TieOrder
from engine.wordpiece.statistics import WordPieceStatistics
from engine.wordpiece.ties import ScoreTieRule
from engine.wordpiece.tokenizer import WordPieceTokenizer
from engine.wordpiece.words import bare, trainable_words

if TYPE_CHECKING:
    from engine.wordpiece.timeline import WordPieceTimeline


class WordPieceFrame:
    """The state after the first `step` merges of a timeline. Immutable.

    Attributes:
        step: how many merges have been made.
        recorded_steps: how many steps the timeline had when the frame was taken.
    """

    def __init__(self, timeline: WordPieceTimeline, step: int, recorded_steps: int) -> None:
        self._timeline = timeline
        self._record = timeline.record
        self.step = step
        self.recorded_steps = recorded_steps

    def at(self, step: int) -> WordPieceFrame:
        """The state at another recorded step; the timeline's cursor stays where it is."""
        return WordPieceFrame(self._timeline, step, self.recorded_steps)

    def looks_like(self, other: WordPieceFrame) -> bool:
        """Whether both are the same step of the same timeline."""
        return self._timeline is other._timeline and self.step == other.step

    # -- the merge that led here, and the vocabulary

    @property
    def merge(self) -> WordPieceStep | None:
        """The merge that made this state; `None` at step 0."""
        return self._record[self.step - 1] if self.step else None

    def merge_at(self, index: int) -> WordPieceStep:
        """Any recorded step, by its place from 0."""
        return self._record[index]

    def step_of(self, pair: Pair) -> int | None:
        """The step that a pair is merged by, if one that is recorded does."""
        return self._timeline.step_of(pair)

    @property
    def tie_rule(self) -> ScoreTieRule:
        return self._record.tie_rule

    @property
    def min_count(self) -> int:
        """Pairs rarer than this do not merge."""
        return self._record.min_count

    @property
    def pattern(self) -> Pattern:
        """What cuts text that is to be encoded."""
        return self._timeline.pattern

    @property
    def first_id(self) -> int:
        """The id of the first merge: special tokens and characters come before it."""
        return self._record.first_id

    @property
    def vocab_size(self) -> int:
        """Special tokens and pieces at this step."""
        return self.first_id + self.step

    def token(self, piece_id: int) -> bytes:
        """A piece that exists at this step, as it is written.

        Raises:
            UnknownTokenIdError: it does not, or not yet.
        """
        if not self.has_token(piece_id):
            raise UnknownTokenIdError(
                f"there is no piece with the id {piece_id}; at step {self.step:,} the ids go "
                f"from 0 to {self.vocab_size - 1:,}"
            )
        return self._record.vocab[piece_id]

    def has_token(self, piece_id: int) -> bool:
        """Whether the piece exists at this step."""
        return 0 <= piece_id < self.vocab_size

    def any_token(self, piece_id: int) -> bytes:
        """A piece as it is written, even one that a later step makes."""
        return self._record.vocab[piece_id]

    def covers(self, piece_id: int) -> bytes:
        """The bytes of the corpus that any piece stands for: `##` is none of them."""
        return bare(self._record.vocab[piece_id])

    def is_special(self, piece_id: int) -> bool:
        return piece_id < len(self.special_tokens)

    def is_base(self, piece_id: int) -> bool:
        """Whether words are spelled in this piece at step 0."""
        return len(self.special_tokens) <= piece_id < self.first_id

    def step_making(self, piece_id: int) -> int:
        """The step that made a piece; 0 for those that were there from the start."""
        return max(self._record.rank_of(piece_id) + 1, 0)

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """The pieces at this step in columns, with their counts in the corpus."""
        return self._timeline.vocabulary_at(self.step, self.recorded_steps)

    @property
    def statistics(self) -> WordPieceStatistics:
        """The whole run in numbers, for charts."""
        return self._timeline.statistics

    @property
    def special_tokens(self) -> tuple[str, ...]:
        """They have the first ids, the unknown token among them."""
        return self._record.problem.special_tokens

    @property
    def unknown_token(self) -> str:
        return self._record.problem.unknown_token

    # -- the words

    @property
    def excerpt(self) -> Excerpt:
        """The beginning of the corpus."""
        return self._timeline.excerpt

    @property
    def distinct_words(self) -> int:
        return len(self._timeline.counts)

    def words_of(self, text: str) -> list[bytes]:
        """The words of a stretch of the corpus, as the training has taken them."""
        return [to_bytes(word) for word in trainable_words(text)]

    def tokens_of(self, word: bytes) -> tuple[int, ...]:
        """The pieces of a word as the merges have made them, by their ids.

        Not always what encoding gives: that takes the longest piece, whatever the merges were.
        """
        return self._timeline.segmenter.tokens_at(word, self.step)

    def pieces_of(self, word: bytes) -> list[bytes]:
        """The same as they are written."""
        return [self._record.vocab[token_id] for token_id in self.tokens_of(word)]

    def touched(self, limit: int | None = None) -> list[TouchedPretoken]:
        """The words that the merge changed, most frequent first."""
        return list(islice(self._touched, limit))

    def touched_within(self, seconds: float, limit: int) -> tuple[list[TouchedPretoken], bool]:
        """The first of them, as far as they are found in so long; and whether they all are."""
        return self._touched.first(limit, seconds)

    @cached_property
    def _touched(self) -> TouchedPretokens:
        return TouchedPretokens(self._timeline, self.merge)

    @property
    def token_count(self) -> int:
        """Pieces that the corpus has at this step."""
        return self.character_count - self._record.removed_by(self.step)

    @property
    def has_corpus(self) -> bool:
        """Whether there are words to count anything in."""
        return bool(self._timeline.counts)

    @property
    def character_count(self) -> int:
        """Pieces that the corpus has at step 0."""
        return self._record.problem.character_count

    @property
    def highest_count(self) -> int:
        """The count of the most frequent piece at step 0; no count is ever higher."""
        return max(self._record.problem.start_of_pieces, default=0)

    @property
    def pieces_per_word(self) -> float:
        """How many pieces a word of the corpus has on average; 0 without words."""
        words = self._timeline.word_count
        return self.token_count / words if words else 0.0

    # -- counts and scores

    def count_of(self, pair: Pair) -> int:
        """How often the pair stands side by side at this step."""
        score = self.score_of(pair)
        return 0 if score is None else score.count

    def count_of_piece(self, piece_id: int) -> int:
        """How often the piece stands in the corpus at this step."""
        self.token(piece_id)
        return int(self._record.piece_counts.at(self.step)[piece_id])

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
            self._record.vocab, lambda pair: self._timeline.first_place(pair, self.step)
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

    @property
    def tied_steps(self) -> Sequence[int]:
        """All recorded steps whose pair shared its score with another, in order."""
        return self._timeline.ties

    @property
    def ties_so_far(self) -> int:
        """How many of the merges up to here were tied."""
        return self._timeline.ties.until(self.step)

    def tied_step(self, direction: int) -> int | None:
        """The nearest step after (1) or before (−1) this one whose merge was tied."""
        return self._timeline.ties.nearest(self.step, direction)

    def top_pairs(self, limit: int) -> list[ScoredPair]:
        """The pairs of highest score, ties in the order of the rule; the first merges next."""
        return self._scoreboard.top(limit, self._order)

    @cached_property
    def most_frequent(self) -> ScoredPair | None:
        """What byte-pair encoding would merge here: the highest count, ties as the rule has them.

        `None` if no pair may merge.
        """
        return self._scoreboard.most_frequent(self._order)

    @property
    def next_pair(self) -> Pair | None:
        """The pair that merges next, whether that step is recorded or not; `None` at the end."""
        if self.step < self.recorded_steps:
            return self._record.pair_of(self.step)
        return None if self._timeline.is_complete else self._scoreboard.best(self._order)

    # -- encoding with the vocabulary of this step

    @cached_property
    def tokenizer(self) -> WordPieceTokenizer:
        """The tokenizer that this step has learnt."""
        problem = self._record.problem
        return WordPieceTokenizer(
            dict(enumerate(self._record.vocab[: self.vocab_size])),
            problem.special_tokens,
            problem.unknown_token,
            self._timeline.pattern,
        )
