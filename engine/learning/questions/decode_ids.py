"""Which text do these ids give?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Self

from engine.bpe.frame import Frame
from engine.core.errors import BpeError, QuestionError
from engine.core.wording import Sentence, say
from engine.encoding.typed_ids import read_ids
from engine.learning.questions.form import SPACE, Answer, Text
from engine.learning.questions.question import Level, Question, Wish

LINES, DRAWS = 200, 60
"""So many lines of the corpus are drawn from, so many times."""
FEWEST, MOST = 2, 4
"""Ids that are drawn."""
LONGEST = 64
"""Characters of an answer."""
ROWS = 10
"""Merges and single tokens to find the answer with, at the most."""


@dataclass(frozen=True)
class DecodeIds(Question[Frame]):
    """The text of ids, from the merges that made their tokens."""

    NAME = "decode"
    SUMMARY = "which text do these ids give?"
    OF = Frame
    MODEL = "BPE"

    frame: Frame
    ids: tuple[int, ...]
    text: str

    @classmethod
    def of(cls, frame: Frame, wish: Wish) -> Self:
        if wish.about is not None:
            try:
                ids = tuple(read_ids(wish.about))
                text = _text(frame.decode(ids))
            except BpeError as error:
                raise QuestionError(str(error)) from error
            if not ids or text is None or len(text) > LONGEST:
                raise QuestionError(
                    f"the ids {wish.about} give no text of 1 to {LONGEST} characters that can be "
                    "typed"
                )
            return cls(frame, ids, text)
        for _ in range(DRAWS):
            ids = _drawn(frame, wish)
            text = _text(frame.decode(ids))
            if text and len(ids) >= FEWEST and len(_makings(frame, ids)) <= ROWS:
                return cls(frame, ids, text)
        raise QuestionError(f"no short text of this corpus can be asked for at step {frame.step:,}")

    @property
    def asks(self) -> Sentence:
        return say(f"Which text do the ids {' '.join(map(str, self.ids))} give?")

    @property
    def advice(self) -> Sentence:
        return say(f"Take each apart until single characters are left; {SPACE} is a space.")

    @cached_property
    def given(self) -> tuple[Sentence, ...]:
        token = self.frame.any_token
        return tuple(
            say(f"{made} = {parts[0]} + {parts[1]}") if parts else say(f"{made} is ", token(made))
            for made, parts in _makings(self.frame, self.ids).items()
        )

    @property
    def form(self) -> Text:
        return Text(LONGEST)

    @property
    def answer(self) -> Answer:
        return self.text

    @property
    def facts(self) -> tuple[Sentence, ...]:
        parts: list[str | bytes] = []
        for token_id in self.ids:
            parts += [" + " if parts else "", self.frame.any_token(token_id), f" ({token_id})"]
        return say("the text is ", self.text.encode()), say("It is ", *parts[1:])

    def wrong(self, answer: Answer) -> tuple[Sentence, ...]:
        assert isinstance(answer, str)
        if answer.replace(" ", "") == self.text.replace(" ", ""):
            return (say("the letters are right, but spaces count."),)
        alike = next(
            (at for at, (a, b) in enumerate(zip(answer, self.text, strict=False)) if a != b),
            min(len(answer), len(self.text)),
        )
        if not alike:
            return (say("the first character is another one."),)
        end = "it goes on." if alike == len(answer) else "then it differs."
        return (say("right as far as ", self.text[:alike].encode(), ", ", end),)

    @property
    def hint(self) -> Sentence:
        return say(f"{self.ids[0]} is ", self.frame.any_token(self.ids[0]), ".")

    @property
    def level(self) -> Level:
        """By how many merges are to be taken apart."""
        merges = sum(1 for parts in _makings(self.frame, self.ids).values() if parts)
        return Level(min(merges // 2, 3))


def _drawn(frame: Frame, wish: Wish) -> tuple[int, ...]:
    """The ids of a few tokens side by side in the corpus."""
    lines = frame.excerpt.lines[:LINES]
    if not lines:
        raise QuestionError("no corpus is open; say which ids are to be decoded")
    line = [pretoken for pretoken in wish.chance.pick(lines) if not pretoken.special]
    if not line:
        return ()
    first = wish.chance.below(len(line))
    ids = [i for pretoken in line[first : first + 2] for i in frame.tokens_of(pretoken.bytes)]
    return tuple(ids[: FEWEST + wish.chance.below(MOST - FEWEST + 1)])


def _text(data: bytes) -> str | None:
    """The text of bytes if it can be typed."""
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return None
    return text if text.isprintable() and SPACE not in text else None


def _makings(frame: Frame, ids: Sequence[int]) -> dict[int, tuple[int, int] | None]:
    """Each id and those in it → the two that it is made of; `None` for a single token."""
    makings: dict[int, tuple[int, int] | None] = {}
    for token_id in _taken_apart(frame, ids):
        step = 0 if frame.is_special(token_id) else frame.step_making(token_id)
        makings[token_id] = frame.merge_at(step - 1).pair if step else None
    return dict(sorted(makings.items(), reverse=True))


def _taken_apart(frame: Frame, ids: Sequence[int]) -> Iterator[int]:
    waiting, seen = list(ids), set()
    while waiting:
        token_id = waiting.pop()
        if token_id in seen:
            continue
        seen.add(token_id)
        yield token_id
        if not frame.is_special(token_id) and (step := frame.step_making(token_id)):
            waiting += frame.merge_at(step - 1).pair
