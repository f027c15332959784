"""WordPiece: which pair has the best score?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from engine.core.errors import QuestionError
from engine.core.events import Pair
from engine.core.wording import Sentence, say
from engine.learning.questions.form import Answer, Choice, Option
from engine.learning.questions.question import Level, PairQuestion, Wish, pair_words
from engine.wordpiece.frame import WordPieceFrame
from engine.wordpiece.score import ScoredPair, score_text

CLOSE = 0.8
"""A call is close if the second has this share of the best score."""


@dataclass(frozen=True)
class BestScore(PairQuestion[WordPieceFrame]):
    """Which of these pairs merges next, from the counts that their scores are made of.

    Attributes:
        scored: the pairs with their scores, in the order of `pairs`.
    """

    NAME = "best-score"
    SUMMARY = "WordPiece: which pair has the best score?"
    OF = WordPieceFrame
    MODEL = "WordPiece"

    frame: WordPieceFrame
    pairs: tuple[Pair, ...]
    scored: tuple[ScoredPair, ...]
    right: ScoredPair

    @classmethod
    def of(cls, frame: WordPieceFrame, wish: Wish) -> Self:
        pairs = frame.top_pairs(max(2, wish.rows))
        if frame.next_pair is None:
            raise QuestionError(f"no pair merges after step {frame.step:,}")
        if len(pairs) < 2:
            raise QuestionError(f"only one pair is left at step {frame.step:,}")
        frequent = frame.most_frequent
        if frequent is not None and frequent.pair not in {each.pair for each in pairs}:
            pairs = [*pairs[:-1], frequent] if len(pairs) > 2 else [*pairs, frequent]
        in_order = sorted(pairs, key=lambda each: tuple(map(frame.any_token, each.pair)))
        return cls(frame, tuple(each.pair for each in in_order), tuple(in_order), pairs[0])

    @property
    def asks(self) -> Sentence:
        return say("Which pair merges next?")

    @property
    def advice(self) -> Sentence:
        return say(
            "The one of the highest score: its count ÷ (left count · right count).",
            shorter=("The highest score: count ÷ (left · right).",),
        )

    @property
    def form(self) -> Choice:
        return Choice(
            tuple(
                Option(pair_words(self.frame, each.pair), str(each.score), _value(each))
                for each in self.scored
            )
        )

    @property
    def answer(self) -> Answer:
        return self.scored.index(self.right)

    @property
    def tied(self) -> tuple[Pair, ...]:
        tied = self.frame.tied
        return tied if len(tied) > 1 else ()

    @property
    def told_by_bars(self) -> bool:
        """The fractions are there to compute with."""
        return False

    @property
    def facts(self) -> tuple[Sentence, ...]:
        frame, best = self.frame, self.right
        words = pair_words(frame, best.pair)
        if best.tied:
            rule = frame.tie_rule
            return (
                say(*words, f" wins the tie of {len(frame.tied):,} at {_value(best)}."),
                say(f"Rule {rule.name}: {rule.summary.split(';')[0]}."),
            )
        first = say(
            *(*words, f" has the highest score: {best.score} = {_value(best)}."),
            shorter=(*words, f" scores most: {_value(best)}."),
        )
        frequent = frame.most_frequent
        if frequent is None or frequent.pair == best.pair:
            return (first,)
        words = (*pair_words(frame, frequent.pair), f", scores {_value(frequent)}")
        return first, say(
            *("The most frequent pair, ", *words, ": its pieces are common anyway."),
            shorter=("The most frequent, ", *words, "."),
        )

    def wrong(self, answer: Answer) -> tuple[Sentence, ...]:
        assert isinstance(answer, int)
        frame, chosen = self.frame, self.scored[answer]
        words, value = pair_words(frame, chosen.pair), _value(chosen)
        if chosen.tied:
            rule = frame.tie_rule
            return (
                say(
                    *(*words, f" scores {value}, but so does another pair."),
                    shorter=(*words, f" scores {value}, but not alone."),
                ),
                say(
                    f"Rule {rule.name}: {rule.summary.split(';')[0]}.",
                    shorter=(f"Rule {rule.name}: {rule.summary.split(',')[0]}.",),
                ),
            )
        first = say(
            *(*words, f" scores {value}; another pair scores more."),
            shorter=(*words, f" scores {value}; another, more."),
        )
        if frame.most_frequent is not None and chosen.pair == frame.most_frequent.pair:
            return first, say("It is the most frequent pair; BPE would merge it.")
        return (first,)

    @property
    def hint(self) -> Sentence:
        if self.right.tied:
            rule = self.frame.tie_rule
            count = f"{len(self.frame.tied):,}"
            return say(
                f"{count} are tied. Rule {rule.name}: {rule.summary.split(';')[0]}.",
                shorter=(f"{count} tied: {rule.summary.split(',')[0]}.",),
            )
        return say("its left piece is ", self.frame.any_token(self.right.pair[0]), ".")

    @property
    def level(self) -> Level:
        if self.right.tied:
            return Level.TIE
        best, second = (each.score.value for each in self.frame.top_pairs(2))
        return Level.CLOSE if second >= CLOSE * best else Level.CLEAR


def _value(scored: ScoredPair) -> str:
    """The score in a few digits: 6.04·10⁻⁴."""
    return score_text(scored.score.value)
