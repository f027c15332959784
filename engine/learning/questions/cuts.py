"""Where does the pattern cut this text?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

from engine.analysis.explain.answers import cut_by
from engine.bpe.frame import Frame
from engine.core.errors import QuestionError
from engine.core.wording import Sentence, say
from engine.learning.questions.form import CUT, SPACE, Answer, Cuts
from engine.learning.questions.question import Level, Question, Wish
from engine.text.patterns import Pattern
from engine.text.pretokenize import Pretoken, SpecialSplitter, pretokens, to_bytes
from engine.unigram.frame import UnigramFrame

LINES = 200
"""So many lines of the corpus are drawn from, and `DRAWS` times."""
DRAWS = 60
LONGEST = 24
"""Characters of a text; each takes two cells."""
FEWEST = 3
"""Pretokens of a text that is drawn."""


@dataclass(frozen=True)
class PlaceCuts(Question[Any]):
    """Bars between the characters of a text, where pretokens end."""

    NAME = "cuts"
    SUMMARY = "where does the pattern cut this text?"
    OF = (Frame, UnigramFrame)
    MODEL = "BPE or Unigram"

    frame: Frame | UnigramFrame
    text: str
    pattern: Pattern
    pretokens: tuple[Pretoken, ...]

    @classmethod
    def of(cls, frame: Frame | UnigramFrame, wish: Wish) -> Self:
        pattern = frame.run.pattern
        if wish.about is not None:
            text = wish.about.replace(SPACE, " ")
            if problem := _why_unfit(text):
                raise QuestionError(f"{wish.about}: {problem}")
            return cls(frame, text, pattern, _cut(text, pattern))
        fallback = None
        for _ in range(DRAWS):
            text = _drawn(frame, wish)
            found = cls(frame, text, pattern, _cut(text, pattern))
            if _why_unfit(text) or len(found.pretokens) < FEWEST:
                continue
            if found.level > Level.CLEAR:
                return found
            fallback = fallback or found
        if fallback is None:
            raise QuestionError(f"the pattern {pattern.name} cuts no short text of this corpus")
        return fallback

    @property
    def asks(self) -> Sentence:
        name = self.pattern.name.encode("utf-8", "surrogateescape")
        return say("Where does the pattern ", name, " cut this text?")

    @property
    def advice(self) -> Sentence:
        return say("From the left, the first of these alternatives that matches takes its match.")

    @property
    def given(self) -> tuple[Sentence, ...]:
        return tuple(
            say(f"{place}. ", *_named(each.name), "   ", to_bytes(each.regex))
            for place, each in enumerate(self.pattern.alternatives, 1)
        )

    @property
    def form(self) -> Cuts:
        return Cuts(self.text)

    @property
    def answer(self) -> tuple[int, ...]:
        return tuple(pretoken.end for pretoken in self.pretokens[:-1])

    @property
    def facts(self) -> tuple[Sentence, ...]:
        cut: list[str | bytes] = []
        why: list[str | bytes] = []
        for pretoken in self.pretokens:
            cut += ["│", pretoken.bytes] if cut else [pretoken.bytes]
            why += [", " if why else "", pretoken.bytes, " (", *_named(cut_by(pretoken)), ")"]
        return say(*cut), say(*why[1:], ".")

    def wrong(self, answer: Answer) -> tuple[Sentence, ...]:
        assert isinstance(answer, tuple)
        right = self.answer
        extra = next((place for place in answer if place not in right), None)
        if extra is not None:
            around = self.text[extra - 1].encode(), "│", self.text[extra].encode()
            goes_on = next(piece for piece in self.pretokens if piece.start < extra < piece.end)
            return (
                say("no bar stands in ", *around, "."),
                say(*_named(cut_by(goes_on)), " goes on there."),
            )
        ends = [0, *answer, len(self.text)]
        missing = next(place for place in right if place not in answer)
        start = max(end for end in ends if end < missing)
        end = min(end for end in ends if end > missing)
        return (say("a bar is missing in this piece: ", to_bytes(self.text[start:end])),)

    @property
    def hint(self) -> Sentence:
        count = len(self.answer)
        first = self.pretokens[0]
        bars = f"{count} bar{'' if count == 1 else 's'}"
        return say(
            f"{bars}; the first piece is ", first.bytes, ", by ", *_named(cut_by(first)), "."
        )

    @property
    def level(self) -> Level:
        """By how many alternatives are at work."""
        return Level(min(len({cut_by(pretoken) for pretoken in self.pretokens}), 4) - 1)


def _drawn(frame: Frame | UnigramFrame, wish: Wish) -> str:
    """A stretch of the corpus that begins where a pretoken does."""
    lines: Sequence[Sequence[Pretoken]] = frame.excerpt.lines[:LINES]
    if not lines:
        raise QuestionError("no corpus is open; say which text is to be cut")
    line = wish.chance.pick(lines)
    text = ""
    for pretoken in line[wish.chance.below(len(line)) :]:
        if pretoken.special or len(text) + len(pretoken.text) > LONGEST:
            break
        text += pretoken.text
    return text


def _cut(text: str, pattern: Pattern) -> tuple[Pretoken, ...]:
    """The pretokens of the text alone, which need not be those that it has in the corpus."""
    return tuple(pretokens(text, pattern, SpecialSplitter(())))


def _why_unfit(text: str) -> str:
    """Why a text cannot be asked about; empty if it can."""
    if not 2 <= len(text) <= LONGEST:
        return f"a text to cut has 2 to {LONGEST} characters"
    if not text.isprintable() or CUT in text or SPACE in text:
        return f"a text to cut has no newline, no {CUT} and no {SPACE}"
    return ""


def _named(name: str) -> tuple[bytes | str, ...]:
    """The name of an alternative; a pattern of somebody else's may have any."""
    return (name,) if name.isascii() and name.isprintable() else (to_bytes(name),)
