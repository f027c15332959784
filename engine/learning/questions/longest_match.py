"""WordPiece: into which pieces is this word cut?"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations, islice, pairwise
from typing import Self

from engine.core.errors import QuestionError
from engine.core.wording import Sentence, say
from engine.learning.questions.form import CUT, SPACE, Answer, Cuts
from engine.learning.questions.question import Level, Question, Wish, edged
from engine.text.pretokenize import to_bytes, to_text
from engine.wordpiece.encoder import Outcome
from engine.wordpiece.frame import WordPieceFrame
from engine.wordpiece.words import CONTINUES, inner

WORDS, DRAWS = 2000, 60
"""So many different words of the corpus are drawn from, and so many of them tried."""
SHORTEST, LONGEST = 4, 12
"""Characters of a word that is drawn."""
LONGEST_ASKED = 24
"""Characters of a word that somebody asks about."""


@dataclass(frozen=True)
class LongestMatch(Question[WordPieceFrame]):
    """The cuts of a word, from the pieces that fit in it.

    Attributes:
        ends: where its pieces end, the last one at the end of the word.
        fitting: where pieces of several characters would fit, taken or not.
    """

    NAME = "longest-match"
    SUMMARY = "WordPiece: into which pieces is this word cut?"
    OF = WordPieceFrame
    MODEL = "WordPiece"

    frame: WordPieceFrame
    word: str
    ends: tuple[int, ...]
    fitting: tuple[tuple[int, int], ...]

    @classmethod
    def of(cls, frame: WordPieceFrame, wish: Wish) -> Self:
        if wish.about is not None:
            found = cls._about(frame, wish.about, LONGEST_ASKED)
            if found is None:
                raise QuestionError(
                    f"{wish.about} is not one word of 2 to {LONGEST_ASKED} characters that are all "
                    "pieces"
                )
            return found
        words = [
            text
            for word in islice(frame.run.counts, WORDS)
            if SHORTEST <= len(text := to_text(word)) <= LONGEST
        ]
        fallback = None
        for _ in range(DRAWS if words else 0):
            found = cls._about(frame, wish.chance.pick(words), LONGEST)
            if found is None or not found.fitting or len(found.ends) < 2:
                continue
            if found.level > Level.CLEAR:
                return found
            fallback = fallback or found
        if fallback is None:
            raise QuestionError(f"no short word has longer pieces at step {frame.step:,}")
        return fallback

    @classmethod
    def _about(cls, frame: WordPieceFrame, word: str, longest: int) -> Self | None:
        """The question about a word, if it can be asked: each of its characters is a piece."""
        if not 2 <= len(word) <= longest or not word.isprintable() or {CUT, SPACE} & {*word}:
            return None
        tokenizer = frame.tokenizer
        explained = list(tokenizer.explain(word))
        if [(each.word, each.outcome) for each in explained] != [(word, Outcome.SPELLED)]:
            return None
        encoder = tokenizer.encoder
        fitting = [
            (start, end)
            for start, end in combinations(range(len(word) + 1), 2)
            if encoder.id_of(_written(word, start, end)) is not None
        ]
        spelled = encoder.spell(word)
        if spelled is None or sum(end - start == 1 for start, end in fitting) < len(word):
            return None
        longer = tuple(each for each in fitting if each[1] - each[0] > 1)
        return cls(frame, word, tuple(end for _, end in spelled), longer)

    @property
    def _pieces(self) -> list[bytes]:
        return [_piece(self.word, *span) for span in pairwise((0, *self.ends))]

    @property
    def asks(self) -> Sentence:
        return say("Into which pieces is ", self.word.encode(), " cut?")

    @property
    def advice(self) -> Sentence:
        return say(
            "From the left, the longest piece that fits, again and again. Behind the start of a "
            f"word a piece begins with {CONTINUES}.",
            shorter=("From the left, the longest piece that fits.",),
        )

    @property
    def given(self) -> tuple[Sentence, ...]:
        """The pieces that fit somewhere, in the order of what they are written as."""
        fitting = sorted({_piece(self.word, *span) for span in self.fitting})
        listed = [part for piece in fitting for part in (", ", piece)][1:]
        if not listed:
            return (say("No piece of several characters fits, only single ones."),)
        return (say("Pieces that fit somewhere: ", *listed, "; and each single character."),)

    @property
    def form(self) -> Cuts:
        return Cuts(self.word)

    @property
    def answer(self) -> tuple[int, ...]:
        return self.ends[:-1]

    @property
    def facts(self) -> tuple[Sentence, ...]:
        pieces = self._pieces
        then = [part for piece in pieces for part in (", then ", piece)][1:]
        count = f"{len(pieces)} piece{'' if len(pieces) == 1 else 's'}"
        return (
            say(self.word.encode(), f" is {count}: ", *edged(pieces), "."),
            say("First ", *then, ": each time the longest that fits."),
        )

    def wrong(self, answer: Answer) -> tuple[Sentence, ...]:
        assert isinstance(answer, tuple)
        start, end = self._first_wrong(answer)
        piece = _piece(self.word, start, end)
        if end - start > 1 and (start, end) not in self.fitting:
            return (say(piece, " is no piece of this vocabulary."),)
        return (say(piece, " is a piece, but a longer one fits there."),)

    def _first_wrong(self, answer: tuple[int, ...]) -> tuple[int, int]:
        """The first piece of an answer that is another one."""
        spans = pairwise((0, *answer, len(self.word)))
        right = set(pairwise((0, *self.ends)))
        return next(span for span in spans if span not in right)

    @property
    def hint(self) -> Sentence:
        return say("the first piece is ", self._pieces[0], ".")

    @property
    def level(self) -> Level:
        """By how many longer pieces fit that are not taken."""
        taken = set(pairwise((0, *self.ends)))
        return Level(min(sum(span not in taken for span in self.fitting), 3))


def _written(word: str, start: int, end: int) -> str:
    """A part of a word as a piece is written: `##` before it, unless the word begins there."""
    return inner(word[start:end]) if start else word[start:end]


def _piece(word: str, start: int, end: int) -> bytes:
    return to_bytes(_written(word, start, end))
