"""Unigram: which piece goes first?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple, Self

from engine.core.errors import QuestionError
from engine.core.wording import Sentence, say
from engine.learning.questions.form import Answer, Choice, Option
from engine.learning.questions.question import Level, Question, Wish
from engine.text.pretokenize import to_bytes
from engine.unigram.frame import UnigramFrame
from engine.unigram.pieces import unspelled
from engine.unigram.record import Pruned, PruneRule, PruneStep

CLEAR, SURE = 2.0, 1.2
"""The second piece costs so many times as much as the first: a clear gap, or at least no doubt."""
DRAWN_FROM, DRAWS = 300, 20
"""So many of the pieces that go are drawn from, so many times."""


class Candidate(NamedTuple):
    """A piece that goes.

    Attributes:
        measure: what it is chosen by: what its removal adds to the loss, or its score.
        used: how often the corpus is expected to use it.
        lost: how much lower the score of the best other segmentation of its text is.
    """

    text: str
    measure: float
    score: float
    used: float
    lost: float


@dataclass(frozen=True)
class FirstToGo(Question[UnigramFrame]):
    """Which of these pieces does the next prune remove before the others?"""

    NAME = "first-to-go"
    SUMMARY = "Unigram: which piece goes first?"
    OF = UnigramFrame
    MODEL = "Unigram"

    frame: UnigramFrame
    candidates: tuple[Candidate, ...]
    rule: PruneRule

    @classmethod
    def of(cls, frame: UnigramFrame, wish: Wish) -> Self:
        step = frame.leads_on
        if not isinstance(step, PruneStep):
            raise QuestionError(f"after step {frame.step:,} no prune follows; ask before one")
        pruned = [piece for piece in step.pruned if piece.text.isprintable()][:DRAWN_FROM]
        candidates = list(_candidates(frame, pruned, step.rule))
        for _ in range(DRAWS):
            chosen: list[Candidate] = []
            for candidate in wish.chance.shuffled(candidates):
                if all(_apart(candidate.measure, other.measure) for other in chosen):
                    chosen.append(candidate)
                if len(chosen) == max(2, wish.rows):
                    break
            chosen.sort(key=lambda candidate: candidate.text)
            found = cls(frame, tuple(chosen), step.rule)
            if len(chosen) > 1 and found._can_be_computed:
                return found
        raise QuestionError("the pieces that go next cost about the same; ask at another step")

    @property
    def _can_be_computed(self) -> bool:
        """Whether the numbers that are given lead to the piece that really goes first."""
        if self.rule is PruneRule.SCORE:
            return True
        estimates = [candidate.used * candidate.lost for candidate in self.candidates]
        least, *others = sorted(estimates)
        is_first = estimates.index(least) == self.answer
        return is_first and all(least * SURE <= other for other in others)

    @property
    def asks(self) -> Sentence:
        return say("Which of these pieces goes first?")

    @property
    def advice(self) -> Sentence:
        if self.rule is PruneRule.SCORE:
            return say("The one of the lowest score.")
        return say(
            "The one that costs least: how often it is used · by what its score is better.",
            shorter=("Least: times used · what is lost each time.",),
        )

    @property
    def form(self) -> Choice:
        return Choice(tuple(map(self._option, self.candidates)))

    def _option(self, candidate: Candidate) -> Option:
        if self.rule is PruneRule.SCORE:
            note, told = "", _signed(candidate.score)
        else:
            note = f"{candidate.used:,.1f} · {candidate.lost:.2f}"
            told = f"+{candidate.measure:.2g}"
        return Option((_shown(candidate.text),), note, told)

    @property
    def _right(self) -> Candidate:
        return min(self.candidates, key=lambda candidate: candidate.measure)

    @property
    def answer(self) -> Answer:
        return self.candidates.index(self._right)

    @property
    def facts(self) -> tuple[Sentence, ...]:
        text = _shown(self._right.text)
        second = sorted(candidate.measure for candidate in self.candidates)[1]
        if self.rule is PruneRule.SCORE:
            return (
                say(text, f" has the lowest score, {_signed(self._right.score)}."),
                say(f"The next one has {_signed(second)}."),
            )
        others = [self.frame.alternative(self._right.text)]
        stand_in = others[0].edges if others[0] is not None else ()
        parts: list[str | bytes] = []
        for edge in stand_in:
            piece = _shown(self._right.text[edge.start : edge.end])
            parts += ["┊", piece] if parts else [piece]
        return (
            say(text, f" raises the loss least, by {self._right.measure:.2g}."),
            say(
                *(*parts, f" stand in for it. The next one raises it by {second:.2g}."),
                shorter=(f"The next one raises it by {second:.2g}.",),
            ),
        )

    def wrong(self, answer: Answer) -> tuple[Sentence, ...]:
        assert isinstance(answer, int)
        chosen = self.candidates[answer]
        text = _shown(chosen.text)
        if self.rule is PruneRule.SCORE:
            score = _signed(chosen.score)
            longer, shorter = f" has the score {score}; another has a lower one.", f" has {score};"
        else:
            cost = f"{chosen.measure:.2g}"
            longer = f" raises the loss by {cost}; another raises it less."
            shorter = f" costs {cost};"
        return (say(text, longer, shorter=(text, f"{shorter} another, less.")),)

    @property
    def hint(self) -> Sentence:
        most = max(self.candidates, key=lambda candidate: candidate.measure)
        return say(_shown(most.text), " is the last of them to go.")

    @property
    def level(self) -> Level:
        first, second, *_ = sorted(candidate.measure for candidate in self.candidates)
        if self.rule is PruneRule.LOSS and second > CLEAR * first:
            return Level.CLEAR
        return Level.CLOSE


def _candidates(frame: UnigramFrame, pruned: list[Pruned], rule: PruneRule) -> Iterator[Candidate]:
    for piece in pruned:
        index = frame.index_of(piece.number)
        instead = frame.alternative(piece.text)
        if index is None or instead is None:
            continue
        used, lost = float(frame.expected_counts[index]), piece.score - instead.score
        if rule is PruneRule.SCORE:
            yield Candidate(piece.text, piece.score, piece.score, used, lost)
        elif piece.loss_increase > 0 and used >= 1 and lost > 0:
            yield Candidate(piece.text, piece.loss_increase, piece.score, used, lost)


def _apart(one: float, other: float) -> bool:
    """Whether two measures differ so much that no machine rounds them the other way round."""
    return abs(one - other) > 0.02 * max(abs(one), abs(other))


def _signed(score: float) -> str:
    return f"{score:.2f}".replace("-", "\u2212")


def _shown(text: str) -> bytes:
    """A piece as the corpus has it: a space for each ▁."""
    return to_bytes(unspelled(text))
