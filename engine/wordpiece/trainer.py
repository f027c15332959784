"""`WordPieceTrainer`: merges by score, one step at a time, and the record of these steps.

A score is made of three counts. So the record keeps two logs, of the pairs' counts and of the
pieces'; every score at every step follows from them (see `engine.recording.change_log`). Charts and
breakpoints need the winning scores of all steps at once, so these have columns of their own.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import ClassVar, NamedTuple

import numpy as np

from engine.bpe.trainer import StopReason
from engine.bpe.trainers.algorithm import PairTask
from engine.bpe.trainers.indexed import PairIndex
from engine.bpe.trainers.native import NativePairs
from engine.core.arrays import Ints
from engine.core.errors import VocabSizeError
from engine.core.events import Pair
from engine.core.registry import Registry, registry_of
from engine.encoding.alphabet import CharacterAlphabet
from engine.encoding.merging import count_pairs
from engine.native.merging import MOST_SCORED, STEP, Merger, can_merge
from engine.recording.change_log import ChangeLog, GrowingArray, IntegerType
from engine.recording.merge_record import MergeRecord, MergeReport, PairNumbers, PairStep, copied
from engine.recording.training_input import check_counts, check_size
from engine.text.pretokenize import to_bytes, to_texts
from engine.wordpiece.score import (
    DEFAULT_TIE_RULE,
    SCORE_TIE_RULES,
    Score,
    Scoreboard,
    ScoreTieRule,
    TieOrder,
)
from engine.wordpiece.words import CONTINUES, bare, count_words, inner, joined


class WordPieceTask(PairTask):
    """The words of a corpus, spelled in characters, and the merging of their pairs in Python.

    Args:
        counts: word → number of its occurrences, in order of first appearance; no zeros.
        special_tokens: get the first ids; include the unknown token.
        unknown_token: replaces a word that the vocabulary cannot spell.
        tie_rule: chooses among pairs of equal scores.
        min_count: rarer pairs are not merged.

    Attributes:
        vocab: id → piece as it is written: the special tokens, then the characters sorted (so
            `##a` before `a`), then a piece for each merge.
        alphabet: the characters and their ids.
        pairs: the numbers of the pairs, shared with the record.
        start: the count of each pair of characters, by its number.
        start_of_pieces: the count of each piece in the words, by its id.
        character_count: the number of pieces of the words before any merge.
    """

    name: ClassVar = "indexed"

    def __init__(
        self,
        counts: Mapping[bytes, int],
        special_tokens: Sequence[str],
        unknown_token: str,
        tie_rule: ScoreTieRule,
        min_count: int,
    ) -> None:
        self.counts = counts
        self.special_tokens = tuple(special_tokens)
        self.unknown_token = unknown_token
        self.tie_rule, self.min_count = tie_rule, min_count
        words = to_texts(list(counts))
        pieces = {word[0] for word in words} | {*map(inner, {*"".join(word[1:] for word in words)})}
        characters = sorted(pieces)
        self.vocab = [to_bytes(piece) for piece in (*special_tokens, *characters)]
        self.first_id = len(self.vocab)
        ids = {piece: len(special_tokens) + place for place, piece in enumerate(characters)}
        unknown = self.special_tokens.index(unknown_token)
        self.alphabet = CharacterAlphabet(ids, unknown=unknown, prefix=CONTINUES)
        self.spell = self.alphabet.spell
        self._count()
        self.character_count = sum(self.start_of_pieces)

    @staticmethod
    def can_solve(counts: Mapping[bytes, int], tie_rule: ScoreTieRule) -> bool:
        """Whether these words can be merged here by this tie rule."""
        return True

    def _count(self) -> None:
        """Count the pairs and the pieces of the words."""
        spelled = self.spelled()
        pair_counts = count_pairs(spelled, self.counts.values())
        self.pairs: PairNumbers = PairNumbers(pair_counts)
        self.start: Sequence[int] = list(pair_counts.values())
        self.start_of_pieces = [0] * self.first_id
        for ids_of_word, count in zip(spelled, self.counts.values(), strict=True):
            for token_id in ids_of_word:
                self.start_of_pieces[token_id] += count

    def merges(self, record: WordPieceRecord, wanted: int) -> Iterator[tuple[MergeReport, int]]:
        """Yield up to `wanted` merges, each with the number of pairs that have its score.

        The caller appends each to the record before it asks for the next.
        """
        index = PairIndex(self)
        rule = self.tie_rule
        order = TieOrder(rule.then.make_key(self.vocab, index.first_seen), rule.by_count)
        for step in range(wanted):
            scoreboard = record.scoreboard(step)
            pair = scoreboard.best(order)
            if pair is None:
                return
            yield index.merge(pair, self.join(pair)), len(scoreboard.leaders)

    def join(self, pair: Pair) -> int:
        """Add the piece that the pair makes to the vocab; return its id."""
        self.vocab.append(joined(self.vocab[pair[0]], self.vocab[pair[1]]))
        return len(self.vocab) - 1


class NativeTask(WordPieceTask):
    """A task whose pairs the kernel merges; its heap knows one tie rule."""

    name = "native"

    @staticmethod
    def can_solve(counts: Mapping[bytes, int], tie_rule: ScoreTieRule) -> bool:
        characters = sum(count * len(word) for word, count in counts.items())
        return tie_rule.name == "frequent" and characters < MOST_SCORED and can_merge(counts)

    def _count(self) -> None:
        merger = Merger(
            self.counts,
            self.vocab,
            self.tie_rule.then.name,
            min_count=self.min_count,
            spelled=self.spelled(),
            prefix=len(CONTINUES),
        )
        self.pairs = NativePairs(merger)
        self.start = merger.start.tolist()
        self.start_of_pieces = merger.uses.tolist()

    def merges(self, record: WordPieceRecord, wanted: int) -> Iterator[tuple[MergeReport, int]]:
        known, changes = self.pairs, 0
        assert isinstance(known, NativePairs)  # only an unpickled task has others
        for batch in known.merger.batches(wanted):
            first_change, first_pair = changes, len(known)
            for number, left, right, count, occurrences, pretokens, end, pairs, tied in zip(
                *map(batch.column, range(STEP)), strict=True
            ):
                new = slice(2 * (len(known) - first_pair), 2 * (pairs - first_pair))
                known.ids.extend(batch.pairs[new])
                self.join((left, right))
                changed = slice(changes - first_change, end - first_change)
                changes = end
                numbers, after = batch.changed[changed], batch.after[changed]
                yield MergeReport(number, count, numbers, after, occurrences, pretokens), tied


WORDPIECE_TRAINERS: Registry[str, type[WordPieceTask]] = registry_of(
    "trainer", NativeTask, WordPieceTask
)
"""Ways to find the merges, the fastest first; each is an oracle of the others."""


# -- the steps, thin views of the record


class PieceChange(NamedTuple):
    """A piece whose count in the corpus changed in a merge."""

    piece_id: int
    before: int
    after: int


class WordPieceStep(PairStep):
    """One merge of a WordPiece training: of the pair with the highest score."""

    __slots__ = ()

    record: WordPieceRecord

    @property
    def score(self) -> Score:
        """The winning score, with its three counts."""
        count, left, right = (column[self.index] for column in self.record.winning)
        return Score(count, left, right)

    @property
    def count(self) -> int:
        """The number of occurrences of the pair before this step."""
        return self.score.count

    def _shared_top(self) -> Iterable[Pair]:
        """Return the pairs with the highest score."""
        return self.record.scoreboard(self.index).tied

    def _chosen_by(self) -> dict[str, object]:
        return {"score": [self.score.count, self.score.left, self.score.right]}

    @property
    def piece_changes(self) -> tuple[PieceChange, ...]:
        """The pieces whose counts this step changed: its two parts, then the new one."""
        return tuple(
            PieceChange(*change) for change in self.record.piece_counts.differences(self.index)
        )

    def as_dict(self) -> dict[str, object]:
        """Return the step as plain values for JSON; pieces in GPT-2's spelling of bytes."""
        changes = [list(change) for change in self.piece_changes]
        return {**super().as_dict(), "piece_changes": changes}

    def __repr__(self) -> str:
        return (
            f"<WordPieceStep {self.index}: {self.left!r} + {self.right!r} → {self.new_id}, "
            f"score {self.score}>"
        )


class WordPieceRecord(MergeRecord[WordPieceStep]):
    """The steps of one WordPiece training.

    Attributes:
        task: the words, the vocabulary and the numbers of the pairs.
        tie_rule, min_count: decide which pairs merge.
        piece_counts: the count of each piece, by its id.
        winning: the counts in each winning score: of the pair, and of its left and right part.
        tied_counts: the number of pairs with the winning score, for each step.
    """

    pairs: PairNumbers
    _step_type = WordPieceStep

    def __init__(self, task: WordPieceTask) -> None:
        super().__init__()
        self.task = task
        self.vocab = task.vocab
        self.first_id = task.first_id
        self.pairs = task.pairs
        self.tie_rule, self.min_count = task.tie_rule, task.min_count
        self._now = list(task.start_of_pieces)
        # No count is higher than the number of characters.
        integers: IntegerType = "i" if sum(self._now) < 2**31 else "q"
        self.counts = ChangeLog(task.start, integers)
        self.piece_counts = ChangeLog(self._now, integers)
        self._lefts, self._rights = GrowingArray("i"), GrowingArray("i")
        self._note_new_pairs()
        self.winning = array("q"), array("q"), array("q")
        self.tied_counts = array("q")

    def append(self, merge: MergeReport, tied: int) -> WordPieceStep:
        """Record one step, whose piece is in the vocabulary already.

        `tied` is the number of pairs with the winning score.
        """
        self._note_new_pairs()
        left, right = self.pairs[merge.number]
        winning = merge.count, self._now[left], self._now[right]
        for column, count in zip(self.winning, winning, strict=True):
            column.append(count)
        new_id = self.first_id + len(self)
        self._now.append(merge.occurrences)
        self._now[left] -= merge.occurrences
        self._now[right] -= merge.occurrences
        changed = sorted({left, right, new_id})
        self.piece_counts.append(changed, [self._now[piece] for piece in changed], new_id + 1)
        self.counts.append(merge.changed, merge.after, width=len(self.pairs))
        self.merged.append(merge.number)
        self.tied_counts.append(tied)
        self.occurrences.append(merge.occurrences)
        self.removed.append(self.removed[-1] + merge.occurrences)
        self.pretokens.append(merge.pretokens)
        return WordPieceStep(self, len(self) - 1)

    def _note_new_pairs(self) -> None:
        pairs = self.pairs
        new = [pairs[number] for number in range(len(self._lefts), len(pairs))]
        self._lefts.extend([left for left, _ in new])
        self._rights.extend([right for _, right in new])

    def covers(self, piece_id: int) -> bytes:
        """Return the bytes of the corpus that the piece covers, without `##`."""
        return bare(self.vocab[piece_id])

    def scores_until(self, steps: int) -> tuple[Ints, Ints, Ints]:
        """Return the three counts of the winning scores of the first `steps` merges."""
        counts, lefts, rights = (copied(column, steps) for column in self.winning)
        return counts, lefts, rights

    def parents_until(self, steps: int) -> tuple[Ints, Ints]:
        """Return the ids of the two pieces that each of the first `steps` merges joined."""
        merged, known = copied(self.merged, steps), len(self._lefts)
        lefts, rights = self._lefts.view(0, known)[merged], self._rights.view(0, known)[merged]
        return lefts.astype(np.int64), rights.astype(np.int64)

    def scoreboard(self, step: int, left_out: bool = False) -> Scoreboard:
        """Return the pairs that may merge after the first `step` merges, with their scores.

        With `left_out`, the pairs that occur too rarely instead.
        """
        counts = self.counts.at(step)
        pieces = self.piece_counts.at(step)
        is_rare = counts < self.min_count
        numbers = np.flatnonzero((counts > 0) & is_rare if left_out else ~is_rare)
        lefts = self._lefts.view(0, len(counts))[numbers]
        rights = self._rights.view(0, len(counts))[numbers]
        return Scoreboard(self.pairs, numbers, counts[numbers], pieces[lefts], pieces[rights])

    def score_of(self, pair: Pair, step: int) -> Score | None:
        """Return the score of a pair after `step` merges; `None` if it does not occur."""
        number = self.pairs.number_of(pair)
        counts = self.counts.at(step)
        if number is None or number >= len(counts) or not counts[number]:
            return None
        pieces = self.piece_counts.at(step)
        return Score(int(counts[number]), int(pieces[pair[0]]), int(pieces[pair[1]]))


BERT_SPECIAL_TOKENS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
UNKNOWN_TOKEN = "[UNK]"


class WordPieceTrainer:
    """One training run.

    Args:
        counts: pretoken → number of its occurrences, in order of first appearance, as
            `count_pretokens` gives it; with the pattern `bert` the words are BERT's.
        vocab_size: the greatest number of special tokens, characters and merges together.
        special_tokens: get the first ids.
        unknown_token: replaces a word that cannot be spelled; put before the special tokens if it
            is not one of them.
        tie_rule: a name in `SCORE_TIE_RULES`.
        min_count: pairs rarer than this do not merge, whatever their score.
        trainer: a name in `WORDPIECE_TRAINERS`; `indexed` replaces `native` without a kernel, and
            for a tie rule or counts that the kernel does not know.

    Raises:
        VocabSizeError: the special tokens and the characters alone are more than `vocab_size`.
        SpecialTokenError: one is empty, given twice, or reads as a piece inside of a word.

    The example of Hugging Face's course:

    >>> counts = {b"hug": 10, b"pug": 5, b"pun": 12, b"bun": 4, b"hugs": 5}
    >>> trainer = WordPieceTrainer(counts, 15, tie_rule="first-seen")
    >>> [(step.token, str(step.score)) for step in trainer.steps()][:2]
    [(b'##gs', '5 / (20 × 5)'), (b'hu', '15 / (15 × 36)')]
    """

    def __init__(
        self,
        counts: Mapping[bytes, int],
        vocab_size: int,
        special_tokens: Sequence[str] = BERT_SPECIAL_TOKENS,
        *,
        unknown_token: str = UNKNOWN_TOKEN,
        tie_rule: str = DEFAULT_TIE_RULE,
        min_count: int = 1,
        trainer: str = NativeTask.name,
    ) -> None:
        if unknown_token not in special_tokens:
            special_tokens = (unknown_token, *special_tokens)
        check_size(vocab_size)
        rule = SCORE_TIE_RULES[tie_rule]
        check_counts(counts)
        words = count_words(counts, special_tokens)
        kind = WORDPIECE_TRAINERS[trainer]
        kind = kind if kind.can_solve(words, rule) else WordPieceTask
        self.task = kind(words, special_tokens, unknown_token, rule, max(1, min_count))
        if vocab_size < (smallest := self.task.first_id):
            specials = len(self.task.special_tokens)
            ending = "" if specials == 1 else "s"
            raise VocabSizeError(
                f"a vocabulary of {vocab_size} is too small; pieces of one character "
                f"({smallest - specials}) and {specials} special token{ending} need at least "
                f"{smallest}"
            )
        self.vocab_size = vocab_size
        self.record = WordPieceRecord(self.task)
        self.merges_wanted = vocab_size - self.record.first_id
        """Merges that fill the vocabulary."""
        self.stop_reason: StopReason | None = None

    def steps(self) -> Iterator[WordPieceStep]:
        """Yield the merges, best first. Stop pulling to stop; call once a run."""
        for merge, tied in self.task.merges(self.record, self.merges_wanted):
            yield self.record.append(merge, tied)
        if len(self.record) == self.merges_wanted:
            self.stop_reason = StopReason.SIZE_REACHED
        elif self.record.counts.at(len(self.record)).any():
            self.stop_reason = StopReason.TOO_RARE
        else:
            self.stop_reason = StopReason.NO_PAIR_LEFT

    @property
    def vocab(self) -> dict[int, bytes]:
        """id → piece as it is written, as learnt so far."""
        return dict(enumerate(self.task.vocab[: self.record.first_id + len(self.record)]))
