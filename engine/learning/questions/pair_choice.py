"""Questions about the choice of a pair: which one merges next, and which one wins a tie.

The learner counts in words that the question shows; counts and bars come with the hint or the
answer. The wrong rows are the answers of common mistakes, so that an explanation can name them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from engine.bpe.frame import Frame
from engine.bpe.ties import TIE_RULES, TieRule
from engine.core.errors import QuestionError
from engine.core.events import Pair
from engine.core.wording import Sentence, amount, frequency, say
from engine.learning.questions.question import (
    Chance,
    Choice,
    Kind,
    Level,
    Option,
    Question,
    Request,
    Wrong,
    pair_words,
)
from engine.learning.questions.words_in_sight import (
    WordsInSight,
    all_words,
    first_words,
    sample_words,
)

CLOSE = 0.9
"""A choice is close if the second count is at least this share of the first."""
MOST_COMPARED = 64
"""Largest number of tied pairs among which other tie rules choose, too."""
MORE = 3
"""Number of frequent pairs to choose from, for each row: a sample cannot show all of them."""
LINES, MOST_ACROSS = 20, 4
"""Number of lines in which pairs across pretokens are counted, and of such pairs to draw from."""
DRAWS = 200
"""Number of draws of the wrong pairs."""
BY_ID = ("smallest-ids", "huggingface")
"""Tie rules whose key is a pair of ids, which the rows show."""

TIE_LOST = "took a tied pair that loses by the rule"


class PairMistake(NamedTuple):
    """A mistake that leads to a wrong pair: its name, "" for a mere guess, and a sentence."""

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
            count = self.sight.counts.get(pair, 0)
            template = "occurs {times} in these words" if count else "does not occur in these words"
        return say(template, times=frequency(count))

    def sentences(self) -> tuple[Sentence, ...]:
        """Return the words to count in, a row each."""
        return () if self.sight is None else self.sight.sentences(self.frame)

    def ids(self, pair: Pair) -> str:
        """Return the ids that a tie rule by ids compares; "" for other rules, or without a tie."""
        rule, tokens = self.frame.tie_rule, self.frame.run.record.ids.tokens
        if not self.tied or rule.name not in BY_ID:
            return ""
        first, second = rule.make_key(tokens, lambda pair: (0, 0))(pair)
        return f"ids {first}, {second}"


def _pose_next_pair(frame: Frame, request: Request) -> Question:
    """Ask which of some pairs merges next, with words to count in."""
    contest = _next_pair_contest(frame, request)
    right, pairs, sight = contest.right, contest.pairs, contest.sight
    assert sight is not None
    advice = say(
        "Count for yourself: these are all words, and how often each occurs."
        if sight.is_whole
        else "Count for yourself in this sample of words, with how often each occurs.",
        shorter="Count for yourself, in these words.",
    )
    counts = {pair: frame.count_of(pair) for pair in pairs}
    second = max((pair for pair in pairs if pair != right), key=lambda pair: sight.counts[pair])
    return Question(
        frame,
        say("Which pair merges next?"),
        Choice(
            tuple(
                Option(pair_words(frame, pair), revealed=f"{counts[pair]:,}", amount=counts[pair])
                for pair in pairs
            )
        ),
        contest.place,
        explain=lambda: why_next(contest),
        explain_wrong=lambda row: why_not_next(contest, pairs[row]),
        find_hints=lambda _: (
            say("{pair} {occurs}.", pair=pair_words(frame, second), occurs=contest.occurs(second)),
            say("the right one {occurs}.", occurs=contest.occurs(right)),
        ),
        advice=advice,
        given=contest.sentences(),
        find_level=lambda: _next_pair_level(frame, right),
        pairs=pairs,
        is_fair=contest.is_fair,
    )


def _pose_tie(frame: Frame, request: Request) -> Question:
    """Ask which of the tied pairs wins by the tie rule."""
    refuse_prescribed(frame)
    tied = _tied(frame)
    if not tied:
        raise QuestionError(f"no pair is tied with another at step {frame.step:,}")
    contest = _tie_contest(frame, tied, request)
    rule = frame.tie_rule
    return Question(
        frame,
        say(
            "{n} pairs occur {times} each: which one merges?",
            shorter="{n} pairs occur {times} each: which wins?",
            n=f"{len(tied):,}",
            times=frequency(frame.count_of(contest.right)),
        ),
        Choice(tuple(Option(pair_words(frame, pair), contest.ids(pair)) for pair in contest.pairs)),
        contest.place,
        explain=lambda: why_next(contest),
        explain_wrong=lambda row: _why_not_in_tie(contest, contest.pairs[row]),
        find_hints=lambda _: (_what_to_compare(contest), *_first_bytes(contest)),
        advice=by_rule(rule),
        given=contest.sentences(),
        find_level=lambda: Level.TIE,
        pairs=contest.pairs,
    )


NEXT_PAIR = Kind("next-pair", (Frame,), "BPE", _pose_next_pair)
TIE = Kind("tie", (Frame,), "BPE", _pose_tie)


def refuse_prescribed(frame: Frame) -> None:
    """Refuse frames where no count chooses the merges: a tokenizer's, or a fork's.

    Raises:
        QuestionError: it is such a frame, or no merge is left.
    """
    if frame.next_given:
        raise QuestionError("these merges are a tokenizer's; no count chose them")
    if frame.run.record.fork_rules is not None:
        raise QuestionError("this run is a fork; its merges do not follow from the counts alone")
    if frame.next_pair is None:
        raise QuestionError(f"no pair merges after step {frame.step:,}")


# -- the pairs to choose from, and the words to count in


def _next_pair_contest(frame: Frame, request: Request) -> Contest:
    refuse_prescribed(frame)
    if tied := _tied(frame):
        raise QuestionError(
            f"{len(tied):,} pairs are tied at step {frame.step:,}, and a rule decides; ask tie"
        )
    most, chance = max(2, request.rows), request.chance
    right, *top = (pair for pair, _ in frame.top_pairs(MORE * most))
    if not top:
        raise QuestionError(f"only one pair is left at step {frame.step:,}")
    sight = all_words(frame)
    mistakes = _mistakes_of_the_run(frame, right, tied)
    if sight is not None:
        mistakes = _mistakes_in_counting(frame, sight, right) | mistakes
    candidates = _filled(mistakes, top, MORE * most)
    is_fair = _is_fair(frame, right, candidates)
    others = _fair(frame, right, candidates, most - 1, mistakes, chance)
    pairs = [right, *others[: most - 1]]
    if sight is None:
        found = sample_words(frame, right, others, most, chance)
        if found is None:
            raise QuestionError("no few words of this corpus show which pair merges next")
        pairs, sight = found
        mistakes = _mistakes_in_counting(frame, sight, right, pairs) | mistakes
    return Contest(frame, right, tied, tuple(chance.shuffled(pairs)), mistakes, sight, is_fair)


def contest_in_words(
    frame: Frame, sight: WordsInSight, right: Pair, before: WordsInSight | None
) -> Contest:
    """Return a choice between all pairs of some words.

    Args:
        right: the pair that merges next.
        before: the words before the last merge; `None` if the learner did not make it.
    """
    counts = sight.counts
    tied = frozenset(pair for pair in counts if counts[pair] == counts[right])
    tied = tied if len(tied) > 1 else frozenset()
    mistakes = _mistakes_in_counting(frame, sight, right) | _mistakes_of_the_run(frame, right, tied)
    for pair in counts if before is not None else ():
        count = before.counts.get(pair, 0) if before is not None else 0
        if pair != right and count > counts[pair] and count >= counts[right]:
            merged = frame.merge_at(frame.step - 1).pair
            mistakes[pair] = _out_of_date(frame, count, merged)
    return Contest(frame, right, tied, tuple(counts), mistakes, sight)


def _tie_contest(frame: Frame, tied: frozenset[Pair], request: Request) -> Contest:
    """Return a choice between tied pairs; the words show which of them occurs first."""
    most = min(len(tied), max(2, request.rows))
    top = [pair for pair, _ in frame.top_pairs(most)]
    pairs = _filled([top[0], *_choices_of_other_rules(frame, tied)], top, most)
    sight = None if frame.tie_rule.static else all_words(frame) or first_words(frame, pairs)
    shuffled = tuple(request.chance.shuffled(pairs))
    return Contest(frame, top[0], tied, shuffled, _other_rules(frame, tied), sight)


def _fair(
    frame: Frame,
    right: Pair,
    others: Sequence[Pair],
    most: int,
    mistakes: Mapping[Pair, PairMistake],
    chance: Chance,
) -> list[Pair]:
    """Return other pairs, the first `most` drawn: no rule about names finds the right one.

    By its place in byte order, and by its length, it has any rank equally often, where that can be.
    If none is longer, or shorter, as many as can be are as long. Of draws that are as good, the one
    with the most mistakes is taken.
    """
    names = {pair: b"".join(map(frame.any_token, pair)) for pair in (right, *others)}
    most = min(most, len(others))
    wanted = [chance.below(most + 1), chance.below(most + 1)]
    lengths = [len(names[pair]) - len(names[right]) for pair in others]
    if not min(lengths) < 0 < max(lengths):
        wanted[1] = most * (min(lengths) >= 0)

    def unfairness(drawn: Sequence[Pair]) -> tuple[float, int]:
        name, rows = names[right], [names[pair] for pair in drawn]
        earlier = sum(row < name for row in rows)
        as_long = sum(len(row) == len(name) for row in rows)
        shorter = sum(len(row) < len(name) for row in rows) + as_long / 2
        distance = abs(earlier - wanted[0]) + 2 * abs(shorter - wanted[1])
        return distance, -len(mistakes.keys() & {*drawn})

    drawn = min((chance.shuffled(others)[:most] for _ in range(DRAWS)), key=unfairness)
    return _filled(drawn, others, len(others))


def _is_fair(frame: Frame, right: Pair, others: Sequence[Pair]) -> bool:
    """Whether a pair is neither the first nor the last of all by byte order or by length."""
    right_name, *names = (b"".join(map(frame.any_token, pair)) for pair in (right, *others))
    lengths = [*map(len, names)]
    is_between = min(names) < right_name < max(names)
    return is_between and min(lengths) <= len(right_name) <= max(lengths)


def _filled(first: Iterable[Pair], top: Sequence[Pair], most: int) -> list[Pair]:
    """Return the first pairs and then others, up to `most` different ones."""
    return list(dict.fromkeys((*first, *top)))[:most]


def _tied(frame: Frame) -> frozenset[Pair]:
    """Return the pairs that share the highest count; none if one has it alone."""
    tied = frame.queue.tied
    return frozenset(tied if len(tied) > 1 else ())


# -- the answers of common mistakes


def _mistakes_of_the_run(frame: Frame, right: Pair, tied: frozenset[Pair]) -> Mistakes:
    """Return pairs that win by an old count, by another tie rule, or across pretokens."""
    found = dict(_stale_counts(frame, right)) | _other_rules(frame, tied)
    across = PairMistake(
        "took a pair across two pretokens",
        say("It lies across two pretokens, and merges never cross their border."),
    )
    return found | dict.fromkeys(_across_pretokens(frame, right), across)


def _stale_counts(frame: Frame, right: Pair) -> Iterator[tuple[Pair, PairMistake]]:
    """Yield pairs that would win with their counts before the last merge."""
    if not frame.step:
        return
    before, highest = frame.at(frame.step - 1), frame.count_of(right)
    merged = frame.merge_at(frame.step - 1).pair
    for pair, count in before.top_pairs(4):
        if pair not in (merged, right) and count >= highest and count > frame.count_of(pair):
            yield pair, _out_of_date(frame, count, merged)


def _out_of_date(frame: Frame, count: int, merged: Pair) -> PairMistake:
    return PairMistake(
        "used a count from before the last merge",
        say(
            "It occurred {times} before merge {number}, {pair}: that count is out of date.",
            times=frequency(count),
            number=f"{frame.step:,}",
            pair=pair_words(frame, merged),
        ),
    )


def _choices_of_other_rules(frame: Frame, tied: frozenset[Pair]) -> dict[Pair, str]:
    """Return the tied pairs that other tie rules choose, with the name of such a rule."""
    if not 1 < len(tied) <= MOST_COMPARED:
        return {}
    choices = frame.queue.choices
    right = choices[frame.tie_rule.name]
    return {pair: name for name, pair in choices.items() if pair != right}


def _other_rules(frame: Frame, tied: frozenset[Pair]) -> Mistakes:
    return {
        pair: PairMistake(
            f"decided the tie by the rule {name}",
            say(
                "The rule {rule} takes it; here the rule is {own}.",
                rule=TIE_RULES[name].title,
                own=frame.tie_rule.title,
            ),
        )
        for pair, name in _choices_of_other_rules(frame, tied).items()
    }


def _across_pretokens(frame: Frame, right: Pair) -> list[Pair]:
    """Return pairs that occur only across pretokens: first those with a token of the right one."""
    across: Counter[Pair] = Counter()
    for line in frame.excerpt.lines[:LINES]:
        last: int | None = None
        for pretoken in line:
            ids = () if pretoken.special else frame.tokens_of(pretoken.bytes)
            if last is not None and ids:
                across[last, ids[0]] += 1
            last = ids[-1] if ids else None
    found = [pair for pair in across if not frame.count_of(pair)]
    found.sort(key=lambda pair: ({*right}.isdisjoint(pair), -across[pair], pair))
    return found[:MOST_ACROSS]


def _mistakes_in_counting(
    frame: Frame, sight: WordsInSight, right: Pair, pairs: Sequence[Pair] | None = None
) -> Mistakes:
    """Return pairs that win if the words in sight are counted wrongly.

    Args:
        pairs: the only pairs that are looked at; by default all in sight.
    """
    found: Mistakes = {}
    among = [pair for pair in sight.counts if pairs is None or pair in pairs]
    once = sight.counts_of_words_once
    example = max((word.count for word in sight.words), default=1)
    ahead = [pair for pair in among if once[pair] >= once[right] and pair != right]
    for pair in sorted(ahead, key=lambda pair: (-once[pair], pair))[: 2 if pairs is None else None]:
        found[pair] = PairMistake(
            "",
            say(
                "With each word counted once it would be among the first, but {n} × means {times}.",
                shorter="{n} × means {times}, not once.",
                n=f"{example:,}",
                times=amount(example, "time"),
            ),
        )
    if right[0] == right[1]:
        doubled = frame.any_token(right[0])
        apart = sum(_count_apart(word.tokens, right) * word.count for word in sight.words)
        for pair in among:
            if pair != right and sight.counts[pair] >= apart:
                found[pair] = PairMistake(
                    "",
                    say(
                        "In {text} the pair {pair} occurs twice: places may overlap.",
                        text=doubled * 3,
                        pair=pair_words(frame, right),
                    ),
                )
    return found


def _count_apart(tokens: Sequence[int], pair: Pair) -> int:
    """Count the places of a pair that do not overlap: (5, 5, 5) has (5, 5) once."""
    found = place = 0
    while place < len(tokens) - 1:
        is_there = (tokens[place], tokens[place + 1]) == pair
        found += is_there
        place += 2 if is_there else 1
    return found


# -- explanations


def _what_to_compare(contest: Contest) -> Sentence:
    """Say which tokens decide, if the tie rule compares bytes; else repeat what it prefers."""
    rule = contest.frame.tie_rule
    if rule.name != "lexicographic":
        return by_rule(rule)
    if len({left for left, _ in contest.pairs}) == 1:
        return say("all share the left token: compare the bytes of the right ones.")
    return say("compare the bytes of the left tokens.")


def _first_bytes(contest: Contest) -> tuple[Sentence, ...]:
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
        "Rule {rule}: {summary}.",
        shorter="{summary}.",
        rule=rule.title,
        summary=say(rule.in_short),
    )


def why_next(contest: Contest) -> tuple[Sentence, ...]:
    frame, right, tied = contest.frame, contest.right, contest.tied
    count, winner = frame.count_of(right), pair_words(frame, right)
    if tied:
        rival = next(pair for pair, _ in frame.top_pairs(2) if pair != right)
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
    name, why = ("", None) if mistake is None else mistake
    return Wrong(name or "took a pair that occurs less often", said, why)


def _mistake_in_tie(contest: Contest, pair: Pair) -> str:
    """Return the name of the mistake that leads to a tied pair."""
    token = contest.frame.any_token
    if pair == min(contest.tied, key=lambda tied: (token(tied[0]), token(tied[1]))):
        return "decided the tie by the alphabet"
    mistake = contest.mistakes.get(pair)
    return TIE_LOST if mistake is None else mistake.name or TIE_LOST


def _why_not_in_tie(contest: Contest, pair: Pair) -> Wrong:
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
    less, _, where = difference
    return say(
        "Another pair has a byte above {byte} = {value}{where}.",
        shorter="Another has a byte above {byte} = {value}.",
        byte=bytes((less,)),
        value=str(less),
        where=where,
    )


def _difference(frame: Frame, winner: Pair, rival: Pair) -> tuple[int, int, Sentence] | None:
    """Return the bytes in which two pairs differ, the lower one first, and their place.

    Returns:
        `None` if one token only goes on after the other, or if the tie rule compares no bytes.
    """
    if frame.tie_rule.name != "lexicographic":
        return None
    later, earlier = _different_tokens(frame, winner, rival)
    for place, (more, less) in enumerate(zip(later, earlier, strict=False)):
        if more != less:
            is_single = len(later) == len(earlier) == 1
            return less, more, say("") if is_single else say(" in place {n}", n=str(place + 1))
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
    less, more, where = difference
    return say(
        "{lower} = {less} < {higher} = {more}{where}",
        lower=bytes((less,)),
        less=str(less),
        higher=bytes((more,)),
        more=str(more),
        where=where,
    )


def _next_pair_level(frame: Frame, right: Pair) -> Level:
    """Return the difficulty of the choice: hardest if another pair led until the last merge."""
    if frame.step:
        before = frame.at(frame.step - 1)
        others = (pair for pair, _ in before.top_pairs(2) if pair != before.next_pair)
        led = next(others, right)
        if led != right and before.count_of(led) > frame.count_of(led):
            return Level.AFTER_LOSS
    counts = [count for _, count in frame.top_pairs(2)]
    return Level.CLOSE if counts[-1] >= CLOSE * counts[0] else Level.CLEAR
