"""Encode this word by hand: which two tokens join next?"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Self

from engine.bpe.frame import Frame
from engine.core.errors import QuestionError
from engine.core.wording import Sentence, Words, say
from engine.encoding.trace import Candidate, TracedMerge, candidates, trace_pretoken
from engine.learning.questions.form import SPACE, Answer, Joins
from engine.learning.questions.question import Grade, Level, Question, Wish, edged
from engine.text.pretokenize import to_bytes

WORDS = 2000
"""So many different words of the corpus are drawn from, and `DRAWS` of them tried."""
DRAWS = 60
SHORTEST, LONGEST = 3, 12
"""Bytes of a word that is drawn."""
FEWEST, MOST = 2, 6
"""Joins of a word that is drawn."""
LONGEST_ASKED = 24
"""Bytes of a word that somebody asks about."""


@dataclass(frozen=True)
class EncodeByHand(Question[Frame]):
    """The merges of a word, one after another, from their ranks."""

    NAME = "encode-by-hand"
    SUMMARY = "which two tokens of a word join next, and next, until none do?"
    OF = Frame
    MODEL = "BPE"

    frame: Frame
    word: bytes
    merges: tuple[TracedMerge, ...]

    @classmethod
    def of(cls, frame: Frame, wish: Wish) -> Self:
        if wish.about is not None:
            word = to_bytes(wish.about.replace(SPACE, " "))
            merges = trace_pretoken(frame.rules, word) if len(word) <= LONGEST_ASKED else ()
            if not merges:
                raise QuestionError(
                    f"no two tokens of {wish.about} merge at step {frame.step:,}, or it is longer "
                    f"than {LONGEST_ASKED} bytes"
                )
            return cls(frame, word, merges)
        words = [
            word
            for word in islice(frame.counts, WORDS)
            if SHORTEST <= len(word) <= LONGEST and _is_text(word)
        ]
        for _ in range(DRAWS if words else 0):
            word = wish.chance.pick(words)
            merges = trace_pretoken(frame.rules, word)
            if FEWEST <= len(merges) <= MOST:
                return cls(frame, word, merges)
        raise QuestionError(f"no short word takes {FEWEST} merges or more at step {frame.step:,}")

    @property
    def _before(self) -> tuple[int, ...]:
        return self.merges[0].step.before

    @property
    def asks(self) -> Sentence:
        return say("Encode ", self.word, " by hand: which two tokens join next?")

    @property
    def advice(self) -> Sentence:
        return say("The pair whose merge has the lowest rank; of two such, the left one.")

    @cached_property
    def given(self) -> tuple[Sentence, ...]:
        """The merges that come up, in the order of their bytes."""
        states = [self._before, *(merge.step.after for merge in self.merges)]
        found = {
            (candidate.pair, candidate.rank)
            for tokens in states
            for candidate in candidates(self.frame.rules, tokens)
        }
        token = self.frame.any_token
        rows = sorted((token(pair[0]), token(pair[1]), rank) for pair, rank in found)
        return tuple(say(left, " + ", right, f"   rank {rank:,}") for left, right, rank in rows)

    @property
    def form(self) -> Joins:
        return Joins(tuple(map(self.frame.any_token, self._before)))

    @property
    def answer(self) -> tuple[int, ...]:
        return tuple(merge.step.position for merge in self.merges)

    @property
    def facts(self) -> tuple[Sentence, ...]:
        after = self.merges[-1].step.after
        made: list[str | bytes] = []
        for merge in self.merges:
            left, right = map(self.frame.any_token, merge.step.pair)
            made += [", then " if made else "", left, " + ", right, f" (rank {merge.step.rank:,})"]
        count = f"{len(after):,} token{'' if len(after) == 1 else 's'}"
        return (
            say(self.word, f" is {count}: ", *edged(map(self.frame.any_token, after)), "."),
            say("First ", *made[1:], "."),
        )

    def grade(self, answer: Answer) -> Grade:
        assert isinstance(answer, tuple)
        right = self.answer
        if answer == right:
            return super().grade(answer)
        if answer == right[: len(answer)] and answer:
            return Grade(True, False, *self._joined(self.merges[len(answer) - 1]))
        return Grade(False, False, *self.wrong(answer))

    def _joined(self, merge: TracedMerge) -> tuple[Sentence, ...]:
        """What a right join is told, though more follow."""
        others = [lost for lost in merge.lost if lost.rank > merge.step.rank]
        first = say(*self._pair(merge.step.pair), f" joins, rank {merge.step.rank:,}.")
        if not others:
            return (first,)
        return first, say("Next best was ", *self._ranked(others[0]), ".")

    def wrong(self, answer: Answer) -> tuple[Sentence, ...]:
        assert isinstance(answer, tuple)
        right = self.answer
        first = next(
            (at for at, pair in enumerate(zip(answer, right, strict=False)) if len(set(pair)) > 1),
            min(len(answer), len(right)),
        )
        if first == len(answer):
            return (say("two tokens have to be named."),)
        if first == len(right):
            return (say("nothing joins any more: no pair that is left has a merge."),)
        step = self.merges[first].step
        place = answer[first]
        pair = step.before[place], step.before[place + 1]
        if pair == step.pair:
            return (say(*self._pair(pair), " joins, but from left to right: it stands before."),)
        merge = self.frame.rules.merge_of(pair)
        if merge is None:
            return (say(*self._pair(pair), " does not join: no merge joins them."),)
        ranked = self._ranked(Candidate(merge[0], place, pair, merge[1]))
        return (say(*ranked, " has to wait: another pair here has a lower rank."),)

    def _pair(self, pair: tuple[int, int]) -> Words:
        return self.frame.any_token(pair[0]), "│", self.frame.any_token(pair[1])

    def _ranked(self, candidate: Candidate) -> Words:
        return *self._pair(candidate.pair), f", rank {candidate.rank:,},"

    @property
    def hint(self) -> Sentence:
        left, right = map(self.frame.any_token, self.merges[0].step.pair)
        return say("the first to join are ", left, " and ", right, ".")

    @property
    def level(self) -> Level:
        return Level(min(max(len(self.merges) - FEWEST, 0), 3))


def _is_text(word: bytes) -> bool:
    """Whether it is whole characters that a terminal draws."""
    try:
        return word.decode().isprintable()
    except UnicodeDecodeError:
        return False
