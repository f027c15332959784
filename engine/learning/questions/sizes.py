"""Questions about the number of tokens of the corpus after the next merge."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from engine.bpe.frame import Frame
from engine.core.errors import QuestionError
from engine.core.wording import Sentence, amount, say
from engine.learning.questions.answer_forms import Number, edged
from engine.learning.questions.counts import countable_merge, words_beside
from engine.learning.questions.question import (
    Kind,
    Level,
    Question,
    Request,
    Wrong,
    joining,
    pair_words,
)
from engine.recording.affected_pretokens import AffectedPretoken

MOST_WORDS = 5
"""Largest number of different words in which the pair may join: a learner counts them."""


def _pose_tokens_left(frame: Frame, request: Request) -> Question:
    """Ask for the number of tokens after the next merge, with the words in which it joins."""
    merge = countable_merge(frame, MOST_WORDS)
    following = frame.at(frame.step + 1)
    words = following.affected(MOST_WORDS)
    if saved_in(words) != frame.token_count - following.token_count:
        raise QuestionError("the next merge changes a word that is too long to show")
    pair = pair_words(frame, merge.pair)
    rows = [(word.count, word.before) for word in words]
    rows += words_beside(
        frame,
        request.chance,
        lambda ids: None if merge.pair in pairwise(ids) else not {*merge.pair}.isdisjoint(ids),
        max(word.count for word in words),
    )
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
        explain_wrong=lambda count: _why_not_left(frame, count),
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
    )


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


def _why_not_left(frame: Frame, count: int) -> Wrong:
    """Explain a wrong number of tokens by the mistake that leads to it."""
    n, mistake = f"{count:,}", _mistake_in_tokens_left(frame, count)
    if mistake in _WHY_NOT_LEFT:
        why = say(_WHY_NOT_LEFT[mistake])
        return Wrong(mistake, say("{n} is wrong: {why}", n=n, why=why))
    return Wrong(mistake, say("{n} is too many." if mistake == _LITTLE else "{n} is too few.", n=n))


_NOTHING_GOES = "kept the tokens as they were before the merge"
_SAVED = "gave what is saved, not what is left"
_OVERLAPPING = "joined overlapping places"
_TWO_EACH = "took away two tokens for each join"
_ONCE = "counted each word once"
_LITTLE, _MUCH = "took away too little", "took away too much"
_WHY_NOT_LEFT = {
    _NOTHING_GOES: "each join makes one token of two.",
    _SAVED: "so many are saved; how many are left?",
    _OVERLAPPING: "places overlap, and a token joins only once.",
    _TWO_EACH: "two tokens become one, so each join saves one.",
    _ONCE: "the number before × says how often a word occurs.",
}


def _mistake_in_tokens_left(frame: Frame, count: int) -> str:
    """Return the name of the mistake behind a wrong number of tokens after the next merge."""
    tokens, merge = frame.token_count, frame.merge_at(frame.step)
    words = frame.at(frame.step + 1).affected(MOST_WORDS)
    saved = saved_in(words)
    answers = {
        tokens: _NOTHING_GOES,
        saved: _SAVED,
        tokens - merge.count: _OVERLAPPING,
        tokens - 2 * saved: _TWO_EACH,
        tokens - sum(len(word.before) - len(word.after) for word in words): _ONCE,
    }
    return answers.get(count, _LITTLE if count > tokens - saved else _MUCH)


TOKENS_LEFT = Kind("tokens-left", (Frame,), "BPE", _pose_tokens_left)
