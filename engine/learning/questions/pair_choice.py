"""Questions about the choice of a pair: which one merges next, and which one wins a tie.

The learner counts in words that the question shows; counts and bars come with the hint or the
answer. The wrong rows are the answers of common mistakes, so that an explanation can name them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

from engine.bpe.frame import Frame
from engine.bpe.ties import TIE_RULES
from engine.core.errors import QuestionError
from engine.core.events import Pair
from engine.core.wording import amount, frequency, say
from engine.encoding.merging import merge_pair
from engine.learning.questions.answer_forms import Choice, Option
from engine.learning.questions.contest import (
    Contest,
    Mistakes,
    PairMistake,
    by_rule,
    first_bytes,
    what_to_compare,
    why_next,
    why_not_in_tie,
    why_not_next,
)
from engine.learning.questions.question import Chance, Kind, Level, Question, Request, pair_words
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
MOST_STALE = 4
"""Number of pairs that led before the last merge."""
DRAWS = 200
"""Number of draws of the wrong pairs."""


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
        explain_wrong=lambda row: why_not_in_tie(contest, contest.pairs[row]),
        find_hints=lambda _: (what_to_compare(contest), *first_bytes(contest)),
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
    earlier = Counter[Pair]() if before is None else before.counts
    for pair in counts:
        if earlier[pair] >= counts[right] > counts[pair]:
            merged = frame.merge_at(frame.step - 1).pair
            mistakes[pair] = _out_of_date(frame, earlier[pair], merged)
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
    for pair, count in before.top_pairs(MOST_STALE):
        if pair != merged and count >= highest > frame.count_of(pair):
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
    """Return the tied pairs that other tie rules choose, each with the first of these rules."""
    found: dict[Pair, str] = {}
    if 1 < len(tied) <= MOST_COMPARED and frame.tie_rule.name in frame.queue.choices:
        choices = frame.queue.choices
        for name, pair in choices.items():
            if pair != choices[frame.tie_rule.name]:
                found.setdefault(pair, name)
    return found


def _other_rules(frame: Frame, tied: frozenset[Pair]) -> Mistakes:
    mistakes: Mistakes = {}
    own = frame.tie_rule.title
    for pair, name in _choices_of_other_rules(frame, tied).items():
        rule = TIE_RULES[name].title
        said = say("The rule {rule} takes it; here the rule is {own}.", rule=rule, own=own)
        mistakes[pair] = PairMistake(f"decided the tie by a rule such as {name}", said)
    return mistakes


def _across_pretokens(frame: Frame, right: Pair) -> list[Pair]:
    """Return pairs that occur only across pretokens: first those with a token of the right one."""
    # A special token is a line by itself.
    lines = ([frame.tokens_of(each.bytes) for each in line] for line in frame.excerpt.lines[:LINES])
    both = (two for line in lines for two in pairwise(line))
    across = Counter((left[-1], right[0]) for left, right in both)
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
    example = max(word.count for word in sight.words)
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
    left, follower = right
    if left == follower:
        # Number of its places that do not overlap: (5, 5, 5) has (5, 5) once.
        apart = sum(
            (len(word.tokens) - len(merge_pair(word.tokens, right, -1))) * word.count
            for word in sight.words
        )
        for pair in among:
            if pair != right and sight.counts[pair] >= apart:
                found[pair] = PairMistake(
                    "",
                    say(
                        "In {text} the pair {pair} occurs twice: places may overlap.",
                        text=frame.any_token(left) * 3,
                        pair=pair_words(frame, right),
                    ),
                )
    return found


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
