"""Unigram: which path through the lattice wins?"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import Self

from engine.core.errors import QuestionError
from engine.core.wording import Sentence, say
from engine.learning.questions.form import SPACE, Answer, Choice, Option
from engine.learning.questions.question import Level, Question, Wish, edged
from engine.text.pretokenize import to_bytes
from engine.unigram.frame import UnigramFrame
from engine.unigram.lattice import Path
from engine.unigram.pieces import spelled, unspelled

WORDS, DRAWS = 1000, 40
"""So many of the most frequent words are drawn from, so many times."""
SHORTEST, LONGEST = 3, 12
"""Characters of a word."""
MOST_PATHS, MOST_PIECES = 4, 5
APART, CLOSE = 0.05, 1.0
"""The best path is better by this at least: two decimals show it; and below that it is close."""


@dataclass(frozen=True)
class BestPath(Question[UnigramFrame]):
    """Which of these segmentations of a word has the greatest sum of scores?"""

    NAME = "best-path"
    SUMMARY = "Unigram: which path through a word wins?"
    OF = UnigramFrame
    MODEL = "Unigram"

    frame: UnigramFrame
    word: str
    paths: tuple[Path, ...]

    @classmethod
    def of(cls, frame: UnigramFrame, wish: Wish) -> Self:
        most = min(max(2, wish.rows), MOST_PATHS)
        if wish.about is not None:
            word = spelled(wish.about.replace(SPACE, " "))
            paths = frame.lattice(word).n_best(most) if 0 < len(word) <= 2 * LONGEST else []
            if len(paths) < 2 or paths[0].score - paths[1].score < APART:
                raise QuestionError(f"{wish.about} has no two paths of clearly different scores")
            return cls(frame, word, _ordered(word, paths))
        words = [
            word
            for word in islice(frame.words, WORDS)
            if SHORTEST <= len(word) <= LONGEST and word.isprintable()
        ]
        whole = None  # a word that is a piece itself: a little dull
        for _ in range(DRAWS if words else 0):
            word = wish.chance.pick(words)
            paths = [
                path for path in frame.lattice(word).n_best(most) if len(path.edges) <= MOST_PIECES
            ]
            if len(paths) > 1 and paths[0].score - paths[1].score >= APART:
                found = cls(frame, word, _ordered(word, paths))
                if len(paths[0].edges) > 1:
                    return found
                whole = whole or found
        if whole is not None:
            return whole
        raise QuestionError(f"no short word has two paths to choose from at step {frame.step:,}")

    @property
    def asks(self) -> Sentence:
        return say("Which path through ", _shown(self.word), " wins?")

    @property
    def advice(self) -> Sentence:
        return say("The greatest sum of scores: nearest to 0.")

    @property
    def form(self) -> Choice:
        return Choice(tuple(map(self._option, self.paths)))

    def _option(self, path: Path) -> Option:
        scores = " ".join(f"\u2212 {-edge.score:.2f}" for edge in path.edges)
        return Option(self._spelled(path), scores, f"\u2212{-path.score:.2f}")

    def _spelled(self, path: Path) -> tuple[str | bytes, ...]:
        return edged(_shown(self.word[edge.start : edge.end]) for edge in path.edges)

    @property
    def _best(self) -> Path:
        return max(self.paths, key=lambda path: path.score)

    @property
    def answer(self) -> Answer:
        return self.paths.index(self._best)

    @property
    def facts(self) -> tuple[Sentence, ...]:
        best = self._best
        second = sorted(path.score for path in self.paths)[-2]
        return (
            say(*self._spelled(best), f" has the greatest sum, \u2212{-best.score:.2f}."),
            say(f"The next one has \u2212{-second:.2f}, {best.score - second:.2f} less."),
        )

    def wrong(self, answer: Answer) -> tuple[Sentence, ...]:
        assert isinstance(answer, int)
        path = self.paths[answer]
        total = f"\u2212{-path.score:.2f}"
        spelled = self._spelled(path)
        return (
            say(
                *(*spelled, f" adds up to {total}; another path to more."),
                shorter=(*spelled, f" has {total}; another, more."),
            ),
        )

    @property
    def hint(self) -> Sentence:
        count = len(self._best.edges)
        return say(f"it has {count} piece{'' if count == 1 else 's'}.")

    @property
    def level(self) -> Level:
        best, second, *_ = sorted((path.score for path in self.paths), reverse=True)
        return Level.CLOSE if best - second < CLOSE else Level.CLEAR


def _ordered(word: str, paths: list[Path]) -> tuple[Path, ...]:
    """The paths by their pieces, which tells nothing of their scores."""
    return tuple(
        sorted(paths, key=lambda path: [word[edge.start : edge.end] for edge in path.edges])
    )


def _shown(text: str) -> bytes:
    """A piece as the corpus has it: a space for each ▁."""
    return to_bytes(unspelled(text))
