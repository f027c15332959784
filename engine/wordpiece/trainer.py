"""`WordPieceTrainer`: pretoken counts in, merges by score out, one step at a time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from engine.bpe.trainer import StopReason
from engine.bpe.trainers.indexed import PairIndex
from engine.text.pretokenize import check_special_tokens
from engine.wordpiece.record import Problem, Record, WordPieceStep
from engine.wordpiece.score import DEFAULT_TIE_RULE, SCORE_TIE_RULES, TieOrder
from engine.wordpiece.words import count_words

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
        self.problem = Problem(words, special_tokens, unknown_token)
        self.problem.check_size(vocab_size)
        self.vocab_size = vocab_size
        self.record = Record(self.problem, rule, max(1, min_count))
        self.stop_reason: StopReason | None = None

    @property
    def merges_wanted(self) -> int:
        """How many merges fill the vocabulary."""
        return self.vocab_size - self.record.first_id

    def steps(self) -> Iterator[WordPieceStep]:
        """The merges, best first. Stop pulling to stop; call once a run."""
        index = PairIndex(self.problem)
        rule = self.record.tie_rule
        order = TieOrder(rule.then.make_key(self.problem.vocab, index.first_seen), rule.by_count)
        while len(self.record) < self.merges_wanted:
            scoreboard = self.record.scoreboard(len(self.record))
            pair = scoreboard.best(order)
            if pair is None:
                break
            merge = index.merge(pair, self.problem.join(pair))
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
        return dict(enumerate(self.problem.vocab[: self.record.first_id + len(self.record)]))
