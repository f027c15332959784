"""`WordPieceTrainer`: merges by score, one step at a time, and the record of these steps.

A score is made of three counts. So the record keeps two logs, of the pairs' counts and of the
pieces'; every score at every step follows from them (see `engine.recording.change_log`). Charts and
breakpoints need the winning scores of all steps at once, so these have columns of their own.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

from engine.bpe.trainer import StopReason
from engine.bpe.trainers.indexed import PairIndex
from engine.core.arrays import Ints
from engine.core.errors import VocabSizeError
from engine.core.events import Pair
from engine.encoding.alphabet import CharacterAlphabet
from engine.encoding.merging import count_pairs
from engine.recording.change_log import ChangeLog, GrowingArray, IntegerType
from engine.recording.merge_record import MergeRecord, MergeReport, PairNumbers, PairStep, copied
from engine.text.pretokenize import check_special_tokens, to_bytes, to_text
from engine.wordpiece.score import (
    DEFAULT_TIE_RULE,
    SCORE_TIE_RULES,
    Score,
    Scoreboard,
    ScoreTieRule,
    TieOrder,
)
from engine.wordpiece.words import CONTINUES, bare, count_words, inner, joined


class WordPieceInput:
    """The words of a corpus, spelled in characters, with their pairs.

    Args:
        counts: word → how often it occurs, in order of first appearance; no zeros.
        special_tokens: get the first ids, the unknown token among them.
        unknown_token: stands for what the vocabulary cannot spell.

    Attributes:
        vocab: id → piece as it is written: the special tokens, then the characters sorted (so
            `##a` before `a`), then a piece for each merge.
        alphabet: the characters and their ids.
        pairs: the numbers of the pairs, shared with the record.
        start: the count of each pair of characters, by its number.
        start_of_pieces: how often each piece stands in the words, by its id.
    """

    def __init__(
        self, counts: Mapping[bytes, int], special_tokens: Sequence[str], unknown_token: str
    ) -> None:
        self.counts = counts
        self.special_tokens = tuple(special_tokens)
        self.unknown_token = unknown_token
        characters = _characters(counts)
        self.vocab = [to_bytes(piece) for piece in (*special_tokens, *characters)]
        self.first_id = len(self.vocab)
        ids = {piece: len(special_tokens) + place for place, piece in enumerate(characters)}
        unknown = self.special_tokens.index(unknown_token)
        self.alphabet = CharacterAlphabet(ids, unknown=unknown, prefix=CONTINUES)
        words = self.spelled()
        pair_counts = count_pairs(words, counts.values())
        self.pairs = PairNumbers(pair_counts)
        self.start = list(pair_counts.values())
        self.start_of_pieces = self._count_pieces(words)

    @cached_property
    def character_count(self) -> int:
        """Pieces that the words are made of before any merge."""
        return sum(self.start_of_pieces)

    def spelled(self) -> list[list[int]]:
        """The words as lists of ids."""
        return [self.alphabet.spell(word) for word in self.counts]

    def _count_pieces(self, words: Iterable[Sequence[int]]) -> list[int]:
        totals = [0] * self.first_id
        for word, count in zip(words, self.counts.values(), strict=True):
            for token_id in word:
                totals[token_id] += count
        return totals

    def check_size(self, vocab_size: int) -> None:
        """Raises `VocabSizeError` if the special tokens and the characters do not fit."""
        if vocab_size < self.first_id:
            specials = len(self.special_tokens)
            ending = "" if specials == 1 else "s"
            raise VocabSizeError(
                f"a vocabulary of {vocab_size} is too small; pieces of one character "
                f"({self.first_id - specials}) and {specials} special token{ending} need at least "
                f"{self.first_id}"
            )

    def mergeable(self, pairs: Mapping[Pair, int]) -> Mapping[Pair, int]:
        """Of pairs with their counts, those that may merge: all of them."""
        return pairs

    def join(self, pair: Pair) -> int:
        """Add the piece that the pair makes to the vocab; its id."""
        self.vocab.append(joined(self.vocab[pair[0]], self.vocab[pair[1]]))
        return len(self.vocab) - 1

    def merge(
        self, pair: Pair, count: int, after: Mapping[Pair, int], occurrences: int, pretokens: int
    ) -> MergeReport:
        """The report of a step; `after` maps each pair whose count changed to its new count."""
        return MergeReport.of(self.pairs, pair, count, after, occurrences, pretokens)


def _characters(counts: Mapping[bytes, int]) -> list[str]:
    """The pieces of one character that spell the words."""
    pieces: set[str] = set()
    for word in map(to_text, counts):
        pieces.add(word[0])
        pieces.update(map(inner, word[1:]))
    return sorted(pieces)


# -- the steps, thin views of the record


class PieceChange(NamedTuple):
    """A piece whose count in the corpus a merge changed."""

    piece_id: int
    before: int
    after: int


class WordPieceStep(PairStep):
    """One merge of a WordPiece training: of the pair of the highest score."""

    __slots__ = ()

    record: WordPieceRecord

    @property
    def score(self) -> Score:
        """The score that won, with the three counts that it is made of."""
        return self.record.score_won(self.index)

    @property
    def count(self) -> int:
        """How often the pair stood side by side before this step."""
        return self.score.count

    def _shared_top(self) -> Iterable[Pair]:
        """The pairs of the top score."""
        return self.record.scoreboard(self.index).tied

    def _chosen_by(self) -> dict[str, object]:
        return {"score": [self.score.count, self.score.left, self.score.right]}

    @property
    def tied_count(self) -> int:
        """How many pairs `tied` are, known without a look at them."""
        return int(self.record.tied_between(self.index, self.index + 1)[0])

    @property
    def piece_changes(self) -> tuple[PieceChange, ...]:
        """The pieces whose count this step changed: its two parts, then the one it made."""
        return tuple(
            PieceChange(*change) for change in self.record.piece_counts.differences(self.index)
        )

    def as_dict(self) -> dict[str, object]:
        """The step as plain values for JSON; pieces in GPT-2's spelling of bytes."""
        changes = [list(change) for change in self.piece_changes]
        return {**super().as_dict(), "piece_changes": changes}

    def __repr__(self) -> str:
        return (
            f"<WordPieceStep {self.index}: {self.left!r} + {self.right!r} → {self.new_id}, "
            f"score {self.score}>"
        )


class WinningCounts(NamedTuple):
    """The counts that the winning scores were made of: of the pair, and of its two parts."""

    counts: array[int]
    lefts: array[int]
    rights: array[int]

    def append(self, count: int, left: int, right: int) -> None:
        """Those of one more step."""
        self.counts.append(count)
        self.lefts.append(left)
        self.rights.append(right)


class WordPieceRecord(MergeRecord[WordPieceStep]):
    """The steps of one WordPiece training.

    Attributes:
        input: the words, the vocabulary and the numbers of the pairs.
        tie_rule, min_count: by which pairs are chosen.
        piece_counts: the count of each piece, by its id.
    """

    pairs: PairNumbers

    def __init__(self, input: WordPieceInput, tie_rule: ScoreTieRule, min_count: int) -> None:
        super().__init__()
        self.input = input
        self.vocab = input.vocab
        self.first_id = input.first_id
        self.pairs = input.pairs
        self.tie_rule = tie_rule
        self.min_count = min_count
        self._now = list(input.start_of_pieces)
        # No count is ever higher than the number of characters.
        integers: IntegerType = "i" if sum(self._now) < 2**31 else "q"
        self.counts = ChangeLog(input.start, integers)
        self.piece_counts = ChangeLog(self._now, integers)
        self._lefts, self._rights = GrowingArray("i"), GrowingArray("i")
        self._note_new_pairs()
        self._won = WinningCounts(array("q"), array("q"), array("q"))
        self._tied = array("q")

    def _step(self, index: int) -> WordPieceStep:
        return WordPieceStep(self, index)

    def append(self, merge: MergeReport, tied: int) -> WordPieceStep:
        """Write one step down, whose piece the vocabulary holds already.

        `tied` is how many pairs had the score that won.
        """
        self._note_new_pairs()
        left, right = self.pairs[merge.number]
        self._won.append(merge.count, self._now[left], self._now[right])
        new_id = self.first_id + len(self)
        self._now.append(merge.occurrences)
        self._now[left] -= merge.occurrences
        self._now[right] -= merge.occurrences
        changed = sorted({left, right, new_id})
        self.piece_counts.append(changed, [self._now[piece] for piece in changed], new_id + 1)
        self.counts.append(merge.changed, merge.after, width=len(self.pairs))
        self.merged.append(merge.number)
        self._tied.append(tied)
        self.occurrences.append(merge.occurrences)
        self.removed.append(self.removed[-1] + merge.occurrences)
        self.pretokens.append(merge.pretokens)
        return WordPieceStep(self, len(self) - 1)

    def _note_new_pairs(self) -> None:
        pairs = self.pairs
        new = [pairs[number] for number in range(len(self._lefts), len(pairs))]
        self._lefts.extend([left for left, _ in new])
        self._rights.extend([right for _, right in new])

    def token(self, piece_id: int) -> bytes:
        """Any piece of the run, as it is written."""
        return self.vocab[piece_id]

    def covers(self, piece_id: int) -> bytes:
        """The bytes of the corpus that the piece stands for: `##` is none of them."""
        return bare(self.vocab[piece_id])

    def new_id(self, index: int) -> int:
        """The id of the piece that step `index` made."""
        return self.first_id + index

    def rank_of(self, piece_id: int) -> int:
        """The index of the step that made a piece; negative for one that none did."""
        return piece_id - self.first_id

    def score_won(self, index: int) -> Score:
        """The score by which step `index` was chosen."""
        won = self._won
        return Score(won.counts[index], won.lefts[index], won.rights[index])

    def scores_until(self, steps: int) -> tuple[Ints, Ints, Ints]:
        """The three counts of `score_won` of the first `steps` merges, at once."""
        counts, lefts, rights = (copied(column, steps) for column in self._won)
        return counts, lefts, rights

    def tied_between(self, start: int, stop: int) -> Ints:
        """How many pairs had the score that won, for steps `start` … `stop` − 1."""
        return np.array(self._tied[start:stop], dtype=np.int64)

    def parents_until(self, steps: int) -> tuple[Ints, Ints]:
        """The ids of the two pieces that each of the first `steps` merges joined."""
        merged, known = copied(self.merged, steps), len(self._lefts)
        lefts, rights = self._lefts.view(0, known)[merged], self._rights.view(0, known)[merged]
        return lefts.astype(np.int64), rights.astype(np.int64)

    def scoreboard(self, step: int) -> Scoreboard:
        """The pairs after the first `step` merges, with their scores."""
        counts = self.counts.at(step)
        pieces = self.piece_counts.at(step)
        numbers = np.flatnonzero(counts >= self.min_count)
        lefts = self._lefts.view(0, len(counts))[numbers]
        rights = self._rights.view(0, len(counts))[numbers]
        return Scoreboard(self.pairs, numbers, counts[numbers], pieces[lefts], pieces[rights])

    def score_of(self, pair: Pair, step: int) -> Score | None:
        """The score of any pair that stands side by side after the first `step` merges."""
        number = self.pairs.number_of(pair)
        counts = self.counts.at(step)
        if number is None or number >= len(counts) or not counts[number]:
            return None
        pieces = self.piece_counts.at(step)
        return Score(int(counts[number]), int(pieces[pair[0]]), int(pieces[pair[1]]))

    @property
    def nbytes(self) -> int:
        """Bytes that the record's columns take."""
        logs = self.counts.nbytes + self.piece_counts.nbytes
        return logs + self._lefts.nbytes + self._rights.nbytes + 8 * 8 * len(self)


BERT_SPECIAL_TOKENS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
UNKNOWN_TOKEN = "[UNK]"


class WordPieceTrainer:
    """One training run.

    Args:
        counts: pretoken → how often it occurs, in order of first appearance, as `count_pretokens`
            gives it; with the pattern `bert` the words are BERT's.
        vocab_size: special tokens + characters + merges, at the most.
        special_tokens: get the first ids.
        unknown_token: what a word becomes that cannot be spelled; put before the special tokens
            if it is none of them.
        tie_rule: a name in `SCORE_TIE_RULES`.
        min_count: pairs rarer than this do not merge, whatever their score.

    Raises:
        VocabSizeError: the special tokens and the characters alone are more than `vocab_size`.
        SpecialTokenError: one is empty, given twice, or reads as a piece inside of a word.

    The example of Hugging Face's course:

    >>> counts = {b"hug": 10, b"pug": 5, b"pun": 12, b"bun": 4, b"hugs": 5}
    >>> trainer = WordPieceTrainer(counts, 15, tie_rule="first-seen")
    >>> [(step.token, str(step.score)) for step in trainer.steps()][:2]
    [(b'##gs', '5 / (20 · 5)'), (b'hu', '15 / (15 · 36)')]
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
    ) -> None:
        if unknown_token not in special_tokens:
            special_tokens = (unknown_token, *special_tokens)
        check_special_tokens(special_tokens)
        rule = SCORE_TIE_RULES[tie_rule]
        words = count_words(counts, special_tokens)
        self.input = WordPieceInput(words, special_tokens, unknown_token)
        self.input.check_size(vocab_size)
        self.vocab_size = vocab_size
        self.record = WordPieceRecord(self.input, rule, max(1, min_count))
        self.stop_reason: StopReason | None = None

    @property
    def merges_wanted(self) -> int:
        """How many merges fill the vocabulary."""
        return self.vocab_size - self.record.first_id

    def steps(self) -> Iterator[WordPieceStep]:
        """The merges, best first. Stop pulling to stop; call once a run."""
        index = PairIndex(self.input)
        rule = self.record.tie_rule
        order = TieOrder(rule.then.make_key(self.input.vocab, index.first_seen), rule.by_count)
        while len(self.record) < self.merges_wanted:
            scoreboard = self.record.scoreboard(len(self.record))
            pair = scoreboard.best(order)
            if pair is None:
                break
            merge = index.merge(pair, self.input.join(pair))
            yield self.record.append(merge, scoreboard.leader_count)
        self.stop_reason = self._why_stopped()

    def _why_stopped(self) -> StopReason:
        if len(self.record) == self.merges_wanted:
            return StopReason.SIZE_REACHED
        pairs_left = self.record.counts.at(len(self.record)).any()
        return StopReason.TOO_RARE if pairs_left else StopReason.NO_PAIR_LEFT

    @property
    def vocab(self) -> dict[int, bytes]:
        """id → piece as it is written, as learnt so far."""
        return dict(enumerate(self.input.vocab[: self.record.first_id + len(self.record)]))
