"""Which pair merges next? Which of the tied pairs wins?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from engine.bpe.frame import Frame
from engine.core.errors import QuestionError
from engine.core.events import Pair
from engine.core.wording import Sentence, say, times
from engine.learning.questions.form import Answer, Choice, Option
from engine.learning.questions.question import (
    Level,
    PairQuestion,
    Wish,
    edged,
    pair_words,
    refuse_prescribed,
)
from engine.text.pretokenize import Pretoken

CLOSE = 0.9
"""A call is close if the second has this share of the first one's count."""
COUNTABLE = 160
"""Bytes of a corpus in which a learner counts without help."""


@dataclass(frozen=True)
class PairChoice(PairQuestion[Frame]):
    """One of these pairs is right.

    Attributes:
        pairs: in the order of their bytes, which tells nothing of their counts.
        right: the one that merges next.
        countable: whether the corpus is so small that a learner counts in it, and needs no bars.
    """

    OF = Frame
    MODEL = "BPE"

    frame: Frame
    pairs: tuple[Pair, ...]
    right: Pair
    countable: bool = False

    @classmethod
    def among(cls, frame: Frame, pairs: Sequence[Pair]) -> Self:
        """The question which of these pairs is next; the first of them is."""
        in_order = sorted(pairs, key=lambda pair: tuple(map(frame.any_token, pair)))
        excerpt = frame.excerpt
        is_small = excerpt.complete and bool(excerpt.lines) and frame.byte_count <= COUNTABLE
        return cls(frame, tuple(in_order), pairs[0], is_small)

    @property
    def form(self) -> Choice:
        return Choice(tuple(map(self._option, self.pairs)))

    def _option(self, pair: Pair) -> Option:
        count = self.frame.count_of(pair)
        amount = 0 if self.countable else count
        return Option(pair_words(self.frame, pair), told=f"{count:,}", amount=amount)

    @property
    def answer(self) -> Answer:
        return self.pairs.index(self.right)

    @property
    def tied(self) -> tuple[Pair, ...]:
        """The pairs that share the top count; none if it has one pair alone."""
        tied = self.frame.queue.tied
        return tied if len(tied) > 1 else ()

    @property
    def told_by_bars(self) -> bool:
        return not self.countable

    @property
    def facts(self) -> tuple[Sentence, ...]:
        frame, count = self.frame, self.frame.count_of(self.right)
        winner = pair_words(frame, self.right)
        if self.tied:
            return (
                say(*winner, f" wins the tie of {len(self.tied):,} at {count:,}."),
                _why_it_won(frame, self.right),
            )
        first = say(*winner, f" stands side by side {times(count)}.")
        _, *others = frame.top_pairs(2)
        if not others:
            return first, say("No other pair is left.")
        (second, behind), gap = others[0], count - others[0][1]
        words = ("Second is ", *pair_words(frame, second), f" with {behind:,}")
        return first, say(*words, f", {gap:,} fewer.", shorter=(*words, "."))

    def wrong(self, answer: Answer) -> tuple[Sentence, ...]:
        assert isinstance(answer, int)
        frame, pair = self.frame, self.pairs[answer]
        words, count = pair_words(frame, pair), times(frame.count_of(pair))
        if pair in self.tied:
            return (
                say(
                    *(*words, f" stands {count}, but so does another pair."),
                    shorter=(*words, f" has {count}, but not alone."),
                ),
                _rule(frame),
            )
        return (
            say(
                *(*words, f" stands {count}; another pair stands more often."),
                shorter=(*words, f" stands {count}; another, more."),
            ),
        )

    @property
    def hint(self) -> Sentence:
        if self.tied:
            rule = self.frame.tie_rule
            count = f"{len(self.tied):,}"
            return say(
                f"{count} are tied. Rule {rule.name}: {rule.in_short}.",
                shorter=(f"{count} tied: {rule.in_short}.",),
            )
        return self._side_of_right

    @property
    def _side_of_right(self) -> Sentence:
        """One token of the right pair: the left one, unless all pairs share it."""
        lefts = {left for left, _ in self.pairs}
        side, at = ("left", 0) if len(lefts) > 1 else ("right", 1)
        return say(f"its {side} token is ", self.frame.any_token(self.right[at]), ".")


class NextPair(PairChoice):
    """Which of the most frequent pairs merges next?"""

    NAME = "next-pair"
    SUMMARY = "which pair merges next?"

    @classmethod
    def of(cls, frame: Frame, wish: Wish) -> Self:
        refuse_prescribed(frame)
        pairs = [pair for pair, _ in frame.top_pairs(max(2, wish.rows))]
        if len(pairs) < 2:
            raise QuestionError(f"only one pair is left at step {frame.step:,}")
        return cls.among(frame, pairs)

    @property
    def asks(self) -> Sentence:
        return say("Which pair merges next?")

    @property
    def advice(self) -> Sentence:
        if self.countable:
            return say(
                "Count for yourself: the whole corpus is below.",
                shorter=("Count for yourself, in the corpus below.",),
            )
        if set(self.pairs) <= set(self.tied):
            name = self.frame.tie_rule.name
            return say(
                f"All of them stand equally often: the rule for ties, {name}, decides.",
                shorter=(f"All are tied: the rule {name} decides.",),
            )
        return say("The one that stands side by side most often.")

    @property
    def given(self) -> tuple[Sentence, ...]:
        """The corpus in tokens, where it is countable."""
        lines = self.frame.excerpt.lines if self.countable else ()
        return tuple(map(self._line, lines))

    def _line(self, line: Sequence[Pretoken]) -> Sentence:
        words: list[str | bytes] = []
        for pretoken in line:
            token = self.frame.any_token
            ids = () if pretoken.special else self.frame.tokens_of(pretoken.bytes)
            words += [*(edged(map(token, ids)) if ids else (pretoken.bytes,)), "│"]
        return say(*words)

    @property
    def level(self) -> Level:
        if self.tied:
            return Level.TIE
        if self._rival_lost_counts():
            return Level.AFTER_LOSS
        counts = [count for _, count in self.frame.top_pairs(2)]
        return Level.CLOSE if counts[-1] >= CLOSE * counts[0] else Level.CLEAR

    def _rival_lost_counts(self) -> bool:
        """Whether another pair stood before this one until the last merge took from it."""
        frame = self.frame
        if not frame.step:
            return False
        before = frame.at(frame.step - 1)
        others = (pair for pair, _ in before.top_pairs(2) if pair != before.next_pair)
        led = next(others, self.right)
        return led != self.right and before.count_of(led) > frame.count_of(led)


class TieWinner(PairChoice):
    """Which of the tied pairs does the tie rule take?"""

    NAME = "tie"
    SUMMARY = "several pairs stand equally often: which one wins?"

    @classmethod
    def of(cls, frame: Frame, wish: Wish) -> Self:
        refuse_prescribed(frame)
        count = len(frame.queue.tied)
        if count < 2:
            raise QuestionError(f"no pair is tied with another at step {frame.step:,}")
        return cls.among(frame, [pair for pair, _ in frame.top_pairs(min(count, wish.rows))])

    def _option(self, pair: Pair) -> Option:
        return Option(pair_words(self.frame, pair))  # their count is known: it is the same

    @property
    def asks(self) -> Sentence:
        count = self.frame.count_of(self.right)
        start = f"{len(self.tied):,} pairs stand {times(count)} each"
        return say(f"{start}: which one merges?", shorter=(f"{start}: which wins?",))

    @property
    def advice(self) -> Sentence:
        return _rule(self.frame)

    @property
    def level(self) -> Level:
        return Level.TIE

    def wrong(self, answer: Answer) -> tuple[Sentence, ...]:
        assert isinstance(answer, int)
        words = pair_words(self.frame, self.pairs[answer])
        return (say(*words, " loses to another pair that is tied with it."),)

    @property
    def hint(self) -> Sentence:
        return self._side_of_right


def _rule(frame: Frame) -> Sentence:
    """The tie rule, and who wins by it."""
    rule = frame.tie_rule
    return say(f"Rule {rule.name}: {rule.in_short}.", shorter=(f"{rule.in_short}.",))


def _why_it_won(frame: Frame, winner: Pair) -> Sentence:
    """What made the difference between the winner and the best of its rivals."""
    rival = next(pair for pair, _ in frame.top_pairs(2) if pair != winner)
    why = frame.why_first(winner, rival)
    return say(f"Rule {frame.tie_rule.name}: ", *why, ".", shorter=(*why, "."))
