"""Questions about encoding: which two tokens of a word join next."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Any

from engine.bpe.frame import Frame
from engine.core.errors import QuestionError
from engine.core.wording import Sentence, amount, edged, say
from engine.encoding.rules import Candidate, TracedMerge, candidates, trace_pretoken
from engine.learning.questions.answer_forms import END, SPACE, Joins, is_printable
from engine.learning.questions.question import (
    FindAnswers,
    Kind,
    Level,
    Misconception,
    Question,
    Request,
    Wrong,
    in_turn,
    pair_words,
)
from engine.learning.questions.words_in_sight import Commonness
from engine.text.pretokenize import to_bytes

WORDS = 2000
"""Number of different words of the corpus to draw from."""
DRAWS = 60
SHORTEST, LONGEST = 3, 12
"""Bytes of a word that is drawn."""
FEWEST_JOINS, MOST_JOINS = 2, 6
"""Joins of a word that is drawn."""
LONGEST_ASKED = 24
"""Largest number of bytes of a word that is named."""
STOPPED = "stopped before the last merge"


def _pose_encode_by_hand(frame: Frame, request: Request) -> Question:
    """Ask for the merges of a word, one after another, from the numbers of its merges."""
    if request.about is not None:
        word = to_bytes(request.about.replace(SPACE, " "))
        if len(word) > LONGEST_ASKED:
            raise QuestionError(f"{request.about} is longer than {LONGEST_ASKED} bytes")
        merges = trace_pretoken(frame.rules, word)
        if not merges:
            raise QuestionError(f"no two tokens of {request.about} merge at step {frame.step:,}")
    else:
        word, merges = _word_to_encode(frame, request)
    token, steps = frame.any_token, [merge.step for merge in merges]
    states = [steps[0].before, *(step.after for step in steps)]
    ranked = {
        (token(candidate.pair[0]), token(candidate.pair[1]), candidate.rank)
        for tokens in states
        for candidate in candidates(frame.rules, tokens)
    }
    cells = max(len(f"{rank + 1:,}") for *_, rank in ranked)
    answer = tuple(step.position for step in steps)
    if len(states[-1]) > 1:
        answer = (*answer, END)
    return Question(
        frame,
        say("Encode “{word}” by hand, merge by merge, until none applies.", word=word),
        Joins(tuple(map(token, states[0]))),
        answer,
        explain=lambda: _why_joins(frame, word, merges),
        explain_wrong=lambda places: _why_not_joins(frame, merges, answer, places),
        explain_part=lambda places: (
            _why_join(frame, merges[len(places) - 1])
            if places and places == answer[: len(places)]
            else ()
        ),
        find_hints=lambda places: _hints_at_join(frame, merges, len(places)),
        advice=say("Next is the pair whose merge came first; of two such, the left one."),
        given=tuple(
            say("merge {n}   {left} + {right}", left=left, right=right, n=f"{rank + 1:>{cells},}")
            for left, right, rank in sorted(ranked)
        ),
        find_level=lambda: Level(min(max(len(merges) - FEWEST_JOINS, 0), 3)),
        facts=Encoding(frame, states[0], answer),
    )


@dataclass(frozen=True)
class Encoding:
    """A word in its first tokens, and the places at which they join."""

    frame: Frame
    tokens: tuple[int, ...]
    answer: tuple[int, ...]


Key = Callable[[Frame, Candidate], Any]
"""Takes a pair that could join; the one with the highest value joins first."""


def _joined_by(key: Key) -> FindAnswers:
    """Return the joins that a wrong order leads to."""

    def find_joins(facts: Encoding) -> list[tuple[int, ...]]:
        frame, tokens, places = facts.frame, facts.tokens, tuple[int, ...]()
        while found := candidates(frame.rules, tokens):
            best = max(found, key=partial(key, frame))
            places = (*places, best.position)
            after = tokens[best.position + 2 :]
            tokens = (*tokens[: best.position], best.token_id, *after)
        return [(*places, END) if len(tokens) > 1 else places]

    return find_joins


def _shortest(frame: Frame, candidate: Candidate) -> tuple[int, float]:
    return -len(frame.any_token(candidate.token_id)), _letters_count(frame, candidate)


def _letters_count(frame: Frame, candidate: Candidate) -> float:
    """Return how often the letters at the edge of two tokens are neighbours in the corpus."""
    left, right = map(frame.any_token, candidate.pair)
    return Commonness(frame).of(left[-1:] + right[:1])


def _word_to_encode(frame: Frame, request: Request) -> tuple[bytes, tuple[TracedMerge, ...]]:
    words = [
        word
        for word in islice(frame.counts, WORDS)
        if SHORTEST <= len(word) <= LONGEST and is_printable(word)
    ]
    # The first join is at any place equally often: neither "always the first two" nor "always the
    # last two" is a good guess.
    wanted, fallback = request.chance.share(), None
    for _ in range(DRAWS if words else 0):
        word = request.chance.pick(words)
        merges = trace_pretoken(frame.rules, word)
        if not FEWEST_JOINS <= len(merges) <= MOST_JOINS or not _needs_ranks(merges):
            continue
        first = merges[0].step
        if first.position == int(wanted * (len(first.before) - 1)):
            return word, merges
        fallback = fallback or (word, merges)
    if fallback is None:
        raise QuestionError(f"in no short word do merges compete at step {frame.step:,}")
    return fallback


def _needs_ranks(merges: Sequence[TracedMerge]) -> bool:
    """Whether merges compete, and neither the leftmost nor the rightmost place is always right."""
    places = [(merge.step.position, len(merge.step.before) - 2) for merge in merges]
    return (
        any(merge.lost for merge in merges)
        and any(place != 0 for place, _ in places)
        and any(place != last for place, last in places)
    )


def _why_joins(frame: Frame, word: bytes, merges: Sequence[TracedMerge]) -> tuple[Sentence, ...]:
    after = merges[-1].step.after
    return (
        say(
            "{word} is {n}: {tokens}.",
            word=word,
            n=amount(len(after), "token"),
            tokens=edged(map(frame.any_token, after)),
        ),
        say("First {joins}.", joins=in_turn(_join(frame, merge) for merge in merges)),
    )


def _join(frame: Frame, merge: TracedMerge) -> Sentence:
    left, right = map(frame.any_token, merge.step.pair)
    return say("{left} + {right} (merge {n})", left=left, right=right, n=f"{merge.step.rank + 1:,}")


def _hints_at_join(frame: Frame, merges: Sequence[TracedMerge], done: int) -> tuple[Sentence, ...]:
    """Return how many pairs of the list are there after some joins, then one that has to wait."""
    if done == len(merges):
        return (say("look for each pair of neighbours in the list: is one of them there?"),)
    step = merges[done].step
    waiting = [each for each in candidates(frame.rules, step.before) if each.rank > step.rank]
    number = len({each.rank for each in waiting}) + 1
    hint = say("pairs of the list that can join now: {n}.", n=str(number))
    if not waiting:
        return (hint,)
    pair = pair_words(frame, waiting[-1].pair)
    return hint, say("{pair}, merge {n}, has to wait.", pair=pair, n=f"{waiting[-1].rank + 1:,}")


def _why_join(frame: Frame, merge: TracedMerge) -> tuple[Sentence, ...]:
    """Explain one right join, though more follow."""
    rank = merge.step.rank
    pair = pair_words(frame, merge.step.pair)
    first = say("{pair} joins: merge {n}.", pair=pair, n=f"{rank + 1:,}")
    others = [lost for lost in merge.lost if lost.rank > rank]
    if not others:
        return (first,)
    second, n = others[0], f"{others[0].rank + 1:,}"
    return first, say("Next best was {pair}, merge {n}.", pair=pair_words(frame, second.pair), n=n)


def _why_not_joins(
    frame: Frame, merges: Sequence[TracedMerge], right: tuple[int, ...], places: tuple[int, ...]
) -> Wrong:
    """Explain the first wrong join of an answer."""
    first = next(
        (at for at, pair in enumerate(zip(places, right, strict=False)) if len(set(pair)) > 1),
        min(len(places), len(right)),
    )
    if first == len(places):
        return Wrong(STOPPED, say("the place of two tokens has to be named."))
    if first >= len(merges):
        return Wrong(
            "went on after the last merge",
            say("nothing joins any more: no pair that is left has a merge."),
        )
    step, place = merges[first].step, places[first]
    best = say("here is a pair of merge {n}", n=f"{step.rank + 1:,}")
    if place == END:
        return Wrong(STOPPED, say("it goes on: {best}.", best=best))
    pair = step.before[place], step.before[place + 1]
    words = pair_words(frame, pair)
    if pair == step.pair:
        wrong = "{pair} joins, but from left to right: one further left comes first."
        return Wrong("joined a pair further right first", say(wrong, pair=words))
    merge = frame.rules.merge_of(pair)
    if merge is None:
        wrong = "{pair} does not join: no merge joins them; {best}."
        return Wrong("joined two tokens that no merge joins", say(wrong, pair=words, best=best))
    wrong = "{pair}, merge {n}, has to wait: {best}, which comes first."
    return Wrong(
        "joined a pair of a later merge first",
        say(wrong, pair=words, n=f"{merge[0] + 1:,}", best=best),
    )


ENCODE_BY_HAND = Kind(
    "encode-by-hand",
    (Frame,),
    "BPE",
    _pose_encode_by_hand,
    (
        Misconception("joined the leftmost pair first", _joined_by(lambda _, at: -at.position)),
        Misconception("joined the rightmost pair first", _joined_by(lambda _, at: at.position)),
        Misconception("joined the most frequent letters first", _joined_by(_letters_count)),
        Misconception("joined the shortest token first", _joined_by(_shortest)),
        Misconception(
            "joined the longest token first",
            _joined_by(lambda frame, at: len(frame.any_token(at.token_id))),
        ),
    ),
    draws=8,
)
