"""Questions about the number of tokens of the corpus after the next merge."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from engine.bpe.frame import Frame
from engine.core.errors import QuestionError
from engine.core.wording import Sentence, amount, edged, say
from engine.learning.questions.answer_forms import Number
from engine.learning.questions.counts import countable_merge, words_beside
from engine.learning.questions.question import (
    Chance,
    Kind,
    Level,
    Misconception,
    Question,
    Request,
    Wrong,
    joining,
    pair_words,
)
from engine.recording.affected_pretokens import AffectedPretoken
from engine.recording.playback import Player

MOST_WORDS = 5
"""Largest number of different words in which the pair may join: a learner counts them."""

OVERLAPS_ONE_IN, MOST_OVERLAPS, MOST_DRAWN_FROM = 3, 3, 400
"""Share of the questions about tokens left that are looked for where places overlap, as 1 of this
number; number of such steps to try, and of those to draw them from."""


def _pose_tokens_left(frame: Frame, request: Request) -> Question:
    """Ask for the number of tokens after the next merge, with the words in which it joins."""
    merge = countable_merge(frame, MOST_WORDS)
    following = frame.at(frame.step + 1)
    words = following.affected(MOST_WORDS)
    if saved_in(words) != frame.token_count - following.token_count:
        raise QuestionError("the next merge changes a word that is too long to show")
    pair = pair_words(frame, merge.pair)
    rows = [(word.count, word.before) for word in words]
    letters = b"".join(map(frame.any_token, merge.pair))

    def has_only_letters(ids: tuple[int, ...]) -> bool | None:
        return None if merge.pair in pairwise(ids) else letters in _text(frame, ids)

    most = max(word.count for word in words)
    rows += words_beside(frame, request.chance, has_only_letters, most)
    return Question(
        frame,
        say(
            "The corpus has {n}. How many will it have, once {pair} has merged?",
            n=amount(frame.token_count, "token"),
            pair=pair,
        ),
        Number(),
        following.token_count,
        explain=lambda: _why_left(frame, words),
        explain_wrong=lambda count: _why_not_left(frame, count, following.token_count),
        find_hints=lambda _: (
            say(
                "in {word} each + saves a token.", word=joining(frame, words[0].before, merge.pair)
            ),
        ),
        advice=say("All words with the pair are here. A token that has joined joins no other one."),
        given=tuple(
            say("{n} × {word}", n=f"{count:,}", word=edged(map(frame.any_token, ids)))
            for count, ids in request.chance.shuffled(rows)
        ),
        find_level=lambda: Level(min(len(words), len(Level)) - 1),
        facts=Joining(
            frame, words, sum(n * _places(letters, _text(frame, ids)) for n, ids in rows)
        ),
    )


@dataclass(frozen=True)
class Joining:
    """The words in which the next pair joins, and how often its letters are in those shown."""

    frame: Frame
    words: Sequence[AffectedPretoken]
    letters: int

    @property
    def tokens(self) -> int:
        """The number of tokens before the merge."""
        return self.frame.token_count

    @property
    def saved(self) -> int:
        """The number of tokens that the merge saves."""
        return saved_in(self.words)


def _text(frame: Frame, ids: Sequence[int]) -> bytes:
    return b"".join(map(frame.any_token, ids))


def _places(letters: bytes, text: bytes) -> int:
    """Return the number of places of some letters, also of those that overlap."""
    return sum(text.startswith(letters, at) for at in range(len(text)))


def saved_in(words: Sequence[AffectedPretoken]) -> int:
    """Return the number of tokens that a merge saves in these words."""
    return sum(word.count * (len(word.before) - len(word.after)) for word in words)


def _why_left(frame: Frame, words: Sequence[AffectedPretoken]) -> tuple[Sentence, ...]:
    merged = pair_words(frame, frame.merge_at(frame.step).pair)
    joins = []
    for word in words:
        each = len(word.before) - len(word.after)
        joins.append(f"{word.count:,}" if each == 1 else f"{word.count:,} × {each}")
    saved = saved_in(words)
    total = f" = {saved:,}" if len(words) > 1 or "×" in joins[0] else ""
    left = frame.token_count - saved
    return (
        say("{tokens} are left, {n} fewer.", tokens=amount(left, "token"), n=f"{saved:,}"),
        say(
            "Joins of {pair}: {places}; each saves one token.",
            pair=merged,
            places=f"{' + '.join(joins)}{total}",
        ),
    )


def _why_not_left(frame: Frame, count: int, left: int) -> Wrong:
    n = f"{count:,}"
    if count > left:
        return Wrong("took away too little", say("{n} is too many.", n=n))
    return Wrong("took away too much", say("{n} is too few.", n=n))


def _steps_with_overlaps(player: Player[Any], chance: Chance) -> list[int]:
    """Draw steps before merges with places that overlap, as of `a+a` in aaa; mostly none.

    A text has few of them: other draws hardly find one.
    """
    record = player.frame.run.record
    if chance.below(OVERLAPS_ONE_IN):
        return []
    doubles = (step for step in range(len(player)) if len({*record.pair_of(step)}) == 1)
    joins = ((step, record.removed[step + 1] - record.removed[step]) for step in doubles)
    found = [step for step, number in joins if number < player.frame.merge_at(step).count]
    return chance.shuffled(found[:MOST_DRAWN_FROM])[:MOST_OVERLAPS]


def _find_places(facts: Joining) -> list[int]:
    """Return the number of tokens if places that overlap all joined; nothing if none overlap."""
    places = facts.frame.merge_at(facts.frame.step).count
    return [facts.tokens - places] if places != facts.saved else []


def _find_words_once(facts: Joining) -> list[int]:
    return [facts.tokens - sum(len(word.before) - len(word.after) for word in facts.words)]


_MISCONCEPTIONS = (
    Misconception(
        "counted letters across the edges of tokens",
        lambda facts: [facts.tokens - facts.letters],
        say("Only two whole tokens side by side join, not letters of longer ones."),
    ),
    Misconception(
        "kept the tokens as they were before the merge",
        lambda facts: [facts.tokens],
        say("Each join makes one token of two."),
    ),
    Misconception(
        "gave what is saved, not what is left",
        lambda facts: [facts.saved],
        say("So many are saved; how many are left?"),
    ),
    Misconception(
        "took away two tokens for each join",
        lambda facts: [facts.tokens - 2 * facts.saved],
        say("Two tokens become one, so each join saves one."),
    ),
    Misconception(
        "counted each word once",
        _find_words_once,
        say("The number before × says how often a word occurs."),
    ),
    Misconception(
        "joined overlapping places",
        _find_places,
        say("Places overlap, and a token joins only once."),
    ),
)
TOKENS_LEFT = Kind(
    "tokens-left",
    (Frame,),
    "BPE",
    _pose_tokens_left,
    _MISCONCEPTIONS,
    draws=8,
    find_steps=_steps_with_overlaps,
)
