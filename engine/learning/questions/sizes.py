"""Questions about sizes: the bytes of a text, the tokens of the corpus after the next merge."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from engine.bpe.frame import Frame
from engine.core.errors import QuestionError
from engine.core.wording import Sentence, amount, say
from engine.learning.questions.counts import countable_merge, words_beside
from engine.learning.questions.question import (
    CUT,
    SPACE,
    Kind,
    Level,
    Number,
    Question,
    Request,
    Wrong,
    edged,
    joining,
    pair_words,
)
from engine.recording.affected_pretokens import AffectedPretoken

# -- how many bytes a text has

LONGEST_COUNTED = 12
"""Characters of a text whose bytes are counted."""


def _pose_byte_count(frame: Frame, request: Request) -> Question:
    """Ask for the number of bytes of a text, from its code points."""
    text = request.subject.replace(SPACE, " ")
    if not 0 < len(text) <= LONGEST_COUNTED or not text.isprintable() or CUT in text:
        raise QuestionError(
            f"{request.subject}: a text to count has up to {LONGEST_COUNTED} characters that "
            f"can be shown, and no {CUT}"
        )
    sizes = byte_sizes(text)
    longest = max(text, key=lambda char: len(char.encode()))
    right = sum(sizes)
    return Question(
        frame,
        say("How many bytes is {text} in UTF-8?", text=text.encode()),
        Number(),
        right,
        explain=lambda: _why_bytes(text),
        explain_wrong=lambda count: _why_not_bytes(text, count),
        hint=say(
            "{character} alone is {n}.", character=longest.encode(), n=amount(max(sizes), "byte")
        ),
        advice=say(
            "Up to U+007F a character is one byte, up to U+07FF two, up to U+FFFF three, above "
            "that four.",
            shorter="To U+007F 1 byte, to U+07FF 2, to U+FFFF 3, above 4.",
        ),
        given=tuple(
            say("{character}   U+{code}", character=char.encode(), code=f"{ord(char):04X}")
            for char in dict.fromkeys(text)
        ),
    )


def byte_sizes(text: str) -> list[int]:
    """Return the number of bytes of each character: 'aä' → [1, 2]."""
    return [len(char.encode()) for char in text]


def _why_bytes(text: str) -> tuple[Sentence, ...]:
    parts: list[str | bytes] = []
    for char, size in zip(text, byte_sizes(text), strict=True):
        parts += [" + ", char.encode(), f" {size}"]
    total = sum(byte_sizes(text))
    return (
        say("{text} is {n}.", text=text.encode(), n=amount(total, "byte")),
        say("{sum} = {n}", sum=tuple(parts[1:]), n=str(total)),
    )


def _why_not_bytes(text: str, count: int) -> Wrong:
    sizes = byte_sizes(text)
    n, total = f"{count:,}", sum(sizes)
    if count == len(text) < total:
        some = "{n} is the number of characters, and some take several bytes."
        return Wrong("counted characters, not bytes", say(some, n=n))
    said = say("{n} is too many." if count > total else "{n} is too few.", n=n)
    why = say("Compare each code point with the limits.")
    return Wrong(_mistake_in_bytes(sizes, count), said, why)


def _mistake_in_bytes(sizes: Sequence[int], count: int) -> str:
    """Return the name of the mistake behind a wrong number of bytes."""
    if count == sum(min(size, 2) for size in sizes):
        return "took two bytes for each character beyond ASCII"
    return "counted too few bytes" if count < sum(sizes) else "counted too many bytes"


BYTE_COUNT = Kind("byte-count", (Frame,), "BPE", _pose_byte_count, finds_subject=False)

# -- how many tokens the corpus has after the next merge

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
        hint=say(
            "in {word} each + saves a token.", word=joining(frame, words[0].before, merge.pair)
        ),
        advice=say(
            "All words with the pair are here. A token that has joined joins no other one.",
            shorter="All words with the pair are here.",
        ),
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
        joins.append(f"{word.count:,}" if each == 1 else f"{word.count:,} · {each}")
    saved = saved_in(words)
    total = f" = {saved:,}" if len(words) > 1 or "·" in joins[0] else ""
    left = frame.token_count - saved
    return (
        say("{tokens} are left, {n} fewer.", tokens=amount(left, "token"), n=f"{saved:,}"),
        say(
            "{pair} joins in {places} places; each join saves one token.",
            pair=merged,
            places=f"{' + '.join(joins)}{total}",
        ),
    )


def _why_not_left(frame: Frame, count: int) -> Wrong:
    """Explain a wrong number of tokens by the mistake that leads to it."""
    left, n = frame.at(frame.step + 1).token_count, f"{count:,}"
    if (mistake := _mistake_in_tokens_left(frame, count)) in _WHY_NOT_LEFT:
        why = say(_WHY_NOT_LEFT[mistake])
        return Wrong(mistake, say("{n} is wrong: {why}", n=n, why=why))
    return Wrong(mistake, say("{n} is too many." if count > left else "{n} is too few.", n=n))


_NOTHING_GOES = "kept the tokens as they were before the merge"
_SAVED = "gave what is saved, not what is left"
_OVERLAPPING = "joined overlapping places"
_TWO_EACH = "took away two tokens for each join"
_ONCE = "counted each word once"
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
    other = "took away too little" if count > tokens - saved else "took away too much"
    return answers.get(count, other)


TOKENS_LEFT = Kind("tokens-left", (Frame,), "BPE", _pose_tokens_left)
