"""A choice between pairs: its facts, and what is said about each answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from engine.bpe.frame import Frame
from engine.bpe.ties import TieRule
from engine.core.events import Pair
from engine.core.wording import Sentence, frequency, say
from engine.learning.questions.question import Wrong, pair_words
from engine.learning.questions.words_in_sight import WordsInSight

BY_ID = ("smallest-ids", "huggingface")
"""Tie rules whose key is a pair of ids, which the rows show."""


class PairMistake(NamedTuple):
    """A mistake that leads to a wrong pair: its name, and a sentence."""

    name: str
    why: Sentence


Mistakes = dict[Pair, PairMistake]
"""A wrong pair → the mistake that leads to it."""


@dataclass(frozen=True)
class Contest:
    """The facts of a choice between pairs.

    Attributes:
        tied: the pairs that share the highest count; empty if one has it alone.
        pairs: the pairs to choose from, in the order of the rows.
        mistakes: the mistake behind some of them.
        sight: the words to count in; `None` if nothing is to be counted.
        is_fair: as of `Question`.
    """

    frame: Frame
    right: Pair
    tied: frozenset[Pair]
    pairs: tuple[Pair, ...]
    mistakes: Mapping[Pair, PairMistake]
    sight: WordsInSight | None
    is_fair: bool = True

    @property
    def place(self) -> int:
        """The row of the right pair."""
        return self.pairs.index(self.right)

    def occurs(self, pair: Pair) -> Sentence:
        """Return how often a pair occurs: in the sample, if the words are one."""
        if self.sight is None or self.sight.is_whole:
            count = self.frame.count_of(pair)
            template = "occurs {times}" if count else "does not occur"
        else:
            count = self.sight.counts[pair]
            template = "occurs {times} in these words" if count else "does not occur in these words"
        return say(template, times=frequency(count))

    def sentences(self) -> tuple[Sentence, ...]:
        """Return the words to count in, a row each."""
        return () if self.sight is None else self.sight.sentences(self.frame)

    def ids(self, pair: Pair) -> str:
        """Return the ids that a tie rule by ids compares; "" for other rules."""
        rule, tokens = self.frame.tie_rule, self.frame.run.record.ids.tokens
        if rule.name not in BY_ID:
            return ""
        first, second = rule.make_key(tokens, lambda pair: pair)(pair)
        return f"ids {first}, {second}"


def what_to_compare(contest: Contest) -> Sentence:
    """Say which tokens decide, if the tie rule compares bytes; else repeat what it prefers."""
    rule = contest.frame.tie_rule
    if rule.name != "lexicographic":
        return by_rule(rule)
    if len({left for left, _ in contest.pairs}) == 1:
        return say("all share the left token: compare the bytes of the right ones.")
    return say("compare the bytes of the left tokens.")


def first_bytes(contest: Contest) -> tuple[Sentence, ...]:
    """Return a hint with the first bytes of the tokens that decide, in the order of the rows."""
    if contest.frame.tie_rule.name != "lexicographic":
        return ()
    shares_left = len({left for left, _ in contest.pairs}) == 1
    tokens = [contest.frame.any_token(pair[shares_left]) for pair in contest.pairs]
    numbers: dict[bytes, int] = {token[:1]: token[0] for token in tokens if token}
    listed: list[str | bytes] = []
    for byte, number in numbers.items():
        listed += [", ", byte, f" = {number}"]
    return (say("their first bytes are {bytes}.", bytes=tuple(listed[1:])),)


def by_rule(rule: TieRule) -> Sentence:
    """Return what a tie rule prefers."""
    return say(
        "Rule {rule}: {summary}.", shorter="{summary}.", rule=rule.title, summary=say(rule.in_short)
    )


def why_next(contest: Contest) -> tuple[Sentence, ...]:
    frame, right, tied = contest.frame, contest.right, contest.tied
    count, winner = frame.count_of(right), pair_words(frame, right)
    if tied:
        rival = next(pair for pair, _ in frame.top_pairs(len(tied)) if pair != right)
        why = frame.tie_reason(right, rival)
        if (numbers := _compared(frame, right, rival)) is not None:
            why = say("{why}: {numbers}", why=why, numbers=numbers)
        rule = frame.tie_rule.title
        n, most = f"{len(tied):,}", f"{count:,}"
        return (
            say("{pair} wins the tie of {n} at {count}.", pair=winner, n=n, count=most),
            say("Rule {rule}: {why}.", shorter="{why}.", rule=rule, why=why),
        )
    first = say("{pair} occurs {times}.", pair=winner, times=frequency(count))
    return first, lead(frame, right, dict(frame.top_pairs(2)))


def lead(frame: Frame, right: Pair, counts: Mapping[Pair, int]) -> Sentence:
    """Return how far the count of the right pair is ahead of the second highest one."""
    others = [pair for pair in counts if pair != right]
    if not others:
        return say("No other pair is left.")
    second = max(others, key=lambda pair: (counts[pair], pair))
    return say(
        "Second is {pair} with {count}, {n} fewer.",
        shorter="Second is {pair} with {count}.",
        pair=pair_words(frame, second),
        count=f"{counts[second]:,}",
        n=f"{counts[right] - counts[second]:,}",
    )


def why_not_next(contest: Contest, pair: Pair) -> Wrong:
    """Explain why another pair merges."""
    words, occurs = pair_words(contest.frame, pair), contest.occurs(pair)
    if pair in contest.tied:
        return Wrong(
            _mistake_in_tie(contest, pair),
            say(
                "{pair} {occurs}, but so does another pair.",
                shorter="{pair} {occurs}, but not alone.",
                pair=words,
                occurs=occurs,
            ),
            _why_later(contest, pair),
        )
    said = say(
        "{pair} {occurs}; another pair occurs more often.",
        shorter="{pair} {occurs}; another, more.",
        pair=words,
        occurs=occurs,
    )
    mistake = contest.mistakes.get(pair)
    if mistake is None:
        return Wrong("took a pair that occurs less often", said)
    return Wrong(mistake.name, said, mistake.why)


def _mistake_in_tie(contest: Contest, pair: Pair) -> str:
    """Return the name of the mistake that leads to a tied pair."""
    token = contest.frame.any_token
    if pair == min(contest.tied, key=lambda tied: (token(tied[0]), token(tied[1]))):
        return "decided the tie by the alphabet"
    mistake = contest.mistakes.get(pair)
    return "took a tied pair that loses by the rule" if mistake is None else mistake.name


def why_not_in_tie(contest: Contest, pair: Pair) -> Wrong:
    loses = say(
        "{pair} loses to another pair that is tied with it.", pair=pair_words(contest.frame, pair)
    )
    return Wrong(_mistake_in_tie(contest, pair), loses, _why_later(contest, pair))


def _why_later(contest: Contest, pair: Pair) -> Sentence:
    """Explain why a tied pair loses, by a pair that goes before it and is not the right one.

    Where only the right one goes before it, it is named only if no other row is left to try.
    """
    reason = _why_behind(contest, pair)
    if (mistake := contest.mistakes.get(pair)) is None:
        return reason
    return say(
        "{mistake} {reason}",
        shorter="{shorter_reason}",
        mistake=mistake.why,
        reason=reason,
        shorter_reason=reason.shorter or reason,
    )


def _why_behind(contest: Contest, pair: Pair) -> Sentence:
    frame, right = contest.frame, contest.right
    ranked = [each for each, _ in frame.top_pairs(len(contest.pairs))]
    place = ranked.index(pair) if pair in ranked else len(ranked)
    before = [each for each in contest.pairs if each in ranked[:place]]
    known = [each for each in before if each != right]
    rival = known[0] if known else right if len(contest.pairs) == 2 else None
    if rival is not None:
        return say(
            "{rival} goes before it: {why}.",
            shorter="{rival}: {why}.",
            rival=pair_words(frame, rival),
            why=_compared(frame, rival, pair) or frame.tie_reason(rival, pair),
        )
    if (difference := _difference(frame, right, pair)) is None:
        return by_rule(frame.tie_rule)
    return say(
        "Another pair has a byte above {byte} = {value}{where}.",
        shorter="Another has a byte above {byte} = {value}.",
        byte=bytes((difference.less,)),
        value=str(difference.less),
        where=difference.where,
    )


class ByteDifference(NamedTuple):
    """The first bytes in which two tokens differ, and their place, if that needs to be said."""

    less: int
    more: int
    where: Sentence


def _difference(frame: Frame, winner: Pair, rival: Pair) -> ByteDifference | None:
    """Return the bytes in which two pairs differ.

    Returns:
        `None` if one token only goes on after the other, or if the tie rule compares no bytes.
    """
    if frame.tie_rule.name != "lexicographic":
        return None
    later, earlier = _different_tokens(frame, winner, rival)
    for place, (more, less) in enumerate(zip(later, earlier, strict=False)):
        if more != less:
            is_single = len(later) == len(earlier) == 1
            where = say("") if is_single else say(" in place {n}", n=str(place + 1))
            return ByteDifference(less, more, where)
    return None


def _different_tokens(frame: Frame, winner: Pair, rival: Pair) -> tuple[bytes, bytes]:
    at = 0 if winner[0] != rival[0] else 1
    return frame.any_token(winner[at]), frame.any_token(rival[at])


def _compared(frame: Frame, winner: Pair, rival: Pair) -> Sentence | None:
    """Compare the bytes in which two pairs differ; `None` if the tie rule compares no bytes.

    `com+e` and `cop+e` → `m = 109 < p = 112 in place 3`.
    """
    if frame.tie_rule.name != "lexicographic":
        return None
    difference = _difference(frame, winner, rival)
    if difference is None:
        later, earlier = _different_tokens(frame, winner, rival)
        return say("{longer} begins with {start} and goes on", longer=later, start=earlier)
    return say(
        "{lower} = {less} < {higher} = {more}{where}",
        lower=bytes((difference.less,)),
        less=str(difference.less),
        higher=bytes((difference.more,)),
        more=str(difference.more),
        where=difference.where,
    )
