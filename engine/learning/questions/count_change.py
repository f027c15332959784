"""What becomes of this count when the next pair merges?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Self

from engine.bpe.frame import Frame
from engine.core.errors import QuestionError
from engine.core.events import CountChange, Pair
from engine.core.wording import Sentence, say, times
from engine.learning.questions.form import Answer, Number
from engine.learning.questions.question import (
    Level,
    Question,
    Wish,
    joining,
    named_pair,
    pair_words,
    refuse_without_next,
)
from engine.recording.affected_pretokens import AffectedPretoken
from engine.wordpiece.frame import WordPieceFrame

MergingFrame = Frame | WordPieceFrame

MOST_WORDS = 4
"""In so many different words the two pairs meet, at the most: a learner counts them."""
MOST_PRETOKENS = 400
"""A merge of more different pretokens is not asked about: to look through them takes long."""


@dataclass(frozen=True)
class CountAfter(Question[MergingFrame]):
    """How often a pair stands after the next merge, from the words where the two meet."""

    NAME = "count-change"
    SUMMARY = "what becomes of the count of a pair beside the merge?"
    OF = (Frame, WordPieceFrame)
    MODEL = "BPE or WordPiece"

    frame: MergingFrame
    change: CountChange
    words: tuple[AffectedPretoken, ...]

    @classmethod
    def of(cls, frame: MergingFrame, wish: Wish) -> Self:
        refuse_without_next(frame)
        merge = frame.merge_at(frame.step)
        if not merge.count:
            raise QuestionError("the next pair stands nowhere in this corpus, so no count changes")
        if merge.pretokens > MOST_PRETOKENS:
            raise QuestionError(
                f"the next merge changes {merge.pretokens:,} different words, too many to count"
            )
        about = None if wish.about is None else named_pair(frame, wish.about)
        found = list(_countable(frame, about))
        if not found:
            raise QuestionError(
                "the next merge changes no other count by a few words"
                if about is None
                else f"the next merge does not change the count of {wish.about} by a few words"
            )
        some_stay = [each for each in found if each[0].after]  # there is something to compute
        return cls(frame, *wish.chance.pick(some_stay or found))

    @property
    def merged(self) -> Pair:
        """The pair that merges."""
        return self.frame.merge_at(self.frame.step).pair

    @property
    def asks(self) -> Sentence:
        pair, merged = pair_words(self.frame, self.change.pair), pair_words(self.frame, self.merged)
        return say(
            *(*pair, f" stands {times(self.change.before)}. How often will it, once "),
            *(*merged, " has merged?"),
        )

    @property
    def advice(self) -> Sentence:
        return say("They meet in these words only; how often each occurs stands before it.")

    @property
    def given(self) -> tuple[Sentence, ...]:
        return tuple(
            say(f"{word.count:,}  ", *joining(self.frame, word.before, self.merged))
            for word in self.words
        )

    @property
    def form(self) -> Number:
        return Number()

    @property
    def answer(self) -> Answer:
        return self.change.after

    @property
    def facts(self) -> tuple[Sentence, ...]:
        _, before, after = self.change
        pair, merged = pair_words(self.frame, self.change.pair), pair_words(self.frame, self.merged)
        then = f"{times(after)} then, {before - after:,} fewer" if after else "nowhere then"
        return (
            say(*pair, f" stands {then}."),
            say(*merged, f" takes a token of it in {' + '.join(self._losses())} places."),
        )

    def _losses(self) -> Iterator[str]:
        """What each word takes from the count."""
        pair = self.change.pair
        for word in self.words:
            lost = list(pairwise(word.before)).count(pair) - list(pairwise(word.after)).count(pair)
            yield f"{word.count:,}" if lost == 1 else f"{lost} · {word.count:,}"

    def wrong(self, answer: Answer) -> tuple[Sentence, ...]:
        assert isinstance(answer, int)
        pair = pair_words(self.frame, self.change.pair)
        why = say("Where ", *pair, " has a + beside it, it loses that place.")
        if answer == self.change.before:
            return say(*pair, " does not keep its count: the merge takes tokens of it."), why
        if answer > self.change.after:
            return say(f"{answer:,} is too many: more of its places are gone."), why
        return say(f"{answer:,} is too few: not so many of its places are gone."), why

    @property
    def hint(self) -> Sentence:
        pair = pair_words(self.frame, self.change.pair)
        return say("where ", *pair, " has a + beside it, it loses that place.")

    @property
    def level(self) -> Level:
        return Level(min(len(self.words), MOST_WORDS) - 1)


def _countable(
    frame: MergingFrame, about: Pair | None
) -> Iterator[tuple[CountChange, tuple[AffectedPretoken, ...]]]:
    """The changes of the next merge that a few words are behind, the largest first."""
    after = frame.at(frame.step + 1)
    attribution = after.attribution
    attribution.read()
    merge = frame.merge_at(frame.step)
    for change in merge.changes:
        if change.pair == merge.pair or not change.before or about not in (None, change.pair):
            continue
        behind = attribution.behind(change.pair)
        # Very long pretokens are not looked at, so a part may be missing.
        is_all = sum(part.change for part in behind) == change.after - change.before
        if is_all and len(behind) <= MOST_WORDS:
            yield change, tuple(part.affected for part in behind)
