"""Questions about the choice of a pair: which one merges next, and which one wins a tie.

The learner counts in words that the question shows; counts and bars come with the hint or the
answer. The wrong rows are the answers of common mistakes, so that an explanation can name them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise, zip_longest
from math import inf
from typing import Any

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
from engine.learning.questions.question import (
    Chance,
    FindAnswers,
    Kind,
    Level,
    Misconception,
    Question,
    Request,
    pair_words,
)
from engine.learning.questions.words_in_sight import (
    MOST_WORDS,
    Commonness,
    WordsInSight,
    all_words,
    first_words,
    samples_of_words,
)

CLOSE = 0.9
"""A choice is close if the second count is at least this share of the first."""
MOST_COMPARED, MOST_TIED, MOST_GOING_ON = 64, 2000, 2
"""Largest numbers of tied pairs among which other tie rules choose, and other bytes are compared;
number of pairs whose left token goes on after another one's."""
MORE = 5
"""Number of frequent pairs to choose from, for each row: a sample cannot show all of them."""
LINES, MOST_ACROSS = 20, 4
"""Number of lines in which pairs across pretokens are counted, and of such pairs to draw from."""
MOST_STALE = 4
"""Number of pairs that led before the last merge."""
SWAPS, FEWEST_OTHERS = 50, 3
"""Number of swaps of wrong pairs that are tried, and the least number of them."""
FAIR, UNFAIR, HOPELESS, FOUND = (0.0, 0.1), (0.0, 6.0), 20, 6
"""An unfairness that is good enough, and one that is too large for a quiz; the number of samples
after which no fair one is hoped for if none was found, and of found ones that are enough."""
LIKELY = 0.2
"""The chance that a guess about words may have."""
WEIGHTS = (1, 12, 3, 1, 3, 1)
"""Weights of guesses by the space at the start, the number of words, the first and the last place
in a word, shared words, and shared tokens."""
PLACES = [{*range(at, at + n)} for n in (1, 1, 1, 2, 3, 3) for at in range(MOST_WORDS - n + 1)]
"""Places of words in the order of their counts, which are guessed by; single ones weigh most."""


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
        facts=contest,
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
        is_fair=contest.is_fair,
        facts=contest,
    )


# -- misconceptions


Way = Callable[[Frame, WordsInSight, Sequence[Pair]], Mapping[Pair, int]]
"""A wrong way to count pairs in words."""


def _words_once(frame: Frame, sight: WordsInSight, pairs: Sequence[Pair]) -> Mapping[Pair, int]:
    return sight.counts_of_words_once


def _heaviest(frame: Frame, sight: WordsInSight, pairs: Sequence[Pair]) -> Mapping[Pair, int]:
    words = sorted(sight.words, key=lambda word: word.count)
    return Counter({pair: word.count for word in words for pair in word.pairs})


def _letters(frame: Frame, sight: WordsInSight, pairs: Sequence[Pair]) -> Mapping[Pair, int]:
    texts = [(word.count, b"".join(map(frame.any_token, word.tokens))) for word in sight.words]
    names = {pair: b"".join(map(frame.any_token, pair)) for pair in pairs}
    return {pair: sum(n * text.count(names[pair]) for n, text in texts) for pair in pairs}


WAYS_TO_COUNT = (_words_once, _heaviest, _letters)


def _rows_by(way: Way) -> FindAnswers:
    """Return the rows that a wrong way of counting in the words allows."""

    def find_rows(contest: Contest) -> list[int]:
        assert contest.sight is not None
        if way is _heaviest and len({word.count for word in contest.sight.words}) == 1:
            return [contest.place]  # no word occurs most often, so no other row follows the idea
        counts = way(contest.frame, contest.sight, contest.pairs)
        most = max(counts[pair] for pair in contest.pairs)
        return [row for row, pair in enumerate(contest.pairs) if counts[pair] == most]

    return find_rows


def _by_bytes(key: Callable[[bytes, bytes], bytes | tuple[bytes, bytes]]) -> FindAnswers:
    """Return the row that wins if other bytes are compared than the rule compares."""

    def find_row(contest: Contest) -> list[int]:
        if contest.frame.tie_rule.name != "lexicographic":
            return []
        token = contest.frame.any_token
        keys = [key(token(left), token(right)) for left, right in contest.pairs]
        return [keys.index(max(keys))]

    return find_row


WEIGHTS_IGNORED = Misconception(
    "counted each word once",
    _rows_by(_words_once),
    say("So counts who counts each word once; the number before × says how often it occurs."),
)
HEAVIEST_WORD = Misconception(
    "looked at the most frequent word only",
    _rows_by(_heaviest),
    say("It is in the word that occurs most often, but all words count together."),
)
LETTERS_COUNTED = Misconception(
    "counted letters across the edges of tokens",
    _rows_by(_letters),
    say("So counts who counts letters; only two whole tokens side by side are a pair."),
)
JOINED = Misconception(
    "compared the joined tokens, not first the left ones",
    _by_bytes(lambda left, right: left + right),
    say("It is last if both tokens are joined; the rule compares the left tokens by themselves."),
)
RIGHT_FIRST = Misconception(
    "compared the right tokens first",
    _by_bytes(lambda left, right: (right, left)),
    say("Its right token is the last one; the rule compares the left tokens first."),
)
NEXT_PAIR = Kind(
    "next-pair",
    (Frame,),
    "BPE",
    _pose_next_pair,
    (WEIGHTS_IGNORED, HEAVIEST_WORD, LETTERS_COUNTED),
    draws=2,
)
TIE = Kind("tie", (Frame,), "BPE", _pose_tie, (JOINED, RIGHT_FIRST))
FEWEST_TIED = 3
"""Least number of rows of a fair tie: of two the one that a wrong idea takes is the other one."""


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
    whole = sight is not None
    samples = [sight] if sight else samples_of_words(frame, right, candidates, chance)
    rows = _Rows(frame, right, most - 1, tuple(mistakes), chance)
    best: tuple[tuple[float, float], WordsInSight, list[Pair]] | None = None
    fair = 0
    for number, sample in enumerate(samples):
        if best is not None and (
            not is_fair or best[0] < FAIR or fair == FOUND or (number > HOPELESS and best[0][0])
        ):
            break
        counts = sample.counts
        # Pairs of the words are there, too: so no word decides alone.
        others = [pair for pair in _filled(candidates, list(counts), 99) if pair != right]
        lower = [pair for pair in others if whole or counts[pair] < counts[right]]
        if len(lower) >= min(most - 1, FEWEST_OTHERS):
            found = rows.drawn(lower, sample, best[0] if best else (9, inf))
            if found is not None:
                best = found[0], sample, found[1]
                fair += not best[0][0]
    if best is None:
        raise QuestionError("no few words of this corpus show which pair merges next")
    _, sight, others = best
    is_fair = is_fair and best[0] < UNFAIR
    pairs = [right, *others]
    if not whole:
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
            mistakes[pair] = _out_of_date(frame, earlier[pair], frame.merge_at(frame.step - 1).pair)
    return Contest(frame, right, tied, tuple(counts), mistakes, sight)


def _tie_contest(frame: Frame, tied: frozenset[Pair], request: Request) -> Contest:
    """Return a choice between tied pairs; the words show which of them occurs first."""
    most = min(len(tied), max(2, request.rows))
    top = [pair for pair, _ in frame.top_pairs(most)]
    traps = _wrongly_compared(frame, tied) if len(tied) <= MOST_TIED else []
    pairs = _filled([top[0], *traps, *_choices_of_other_rules(frame, tied)], top, most)
    sight = None if frame.tie_rule.static else all_words(frame) or first_words(frame, pairs)
    shuffled, mistakes = tuple(request.chance.shuffled(pairs)), _other_rules(frame, tied)
    is_fair = len(pairs) >= FEWEST_TIED
    return Contest(frame, top[0], tied, shuffled, mistakes, sight, is_fair)


def _wrongly_compared(frame: Frame, tied: Iterable[Pair]) -> list[Pair]:
    """Return the tied pairs that win if not the left tokens are compared first, but other bytes.

    Then come pairs whose left token goes on after another one's, as the right pair's does then.
    """
    if frame.tie_rule.name != "lexicographic":
        return []
    tokens = {pair: (frame.any_token(pair[0]), frame.any_token(pair[1])) for pair in tied}
    joined = max(tokens, key=lambda pair: b"".join(tokens[pair]))
    right_first = max(tokens, key=lambda pair: tokens[pair][::-1])
    lefts = sorted({left for left, _ in tokens.values()})
    longer = {after for before, after in pairwise(lefts) if after.startswith(before)}
    going_on = [pair for pair in tokens if tokens[pair][0] in longer]
    longest = max(tokens, key=lambda pair: len(b"".join(tokens[pair])))
    return [
        joined,
        right_first,
        longest,
        *sorted(going_on, key=tokens.__getitem__)[-MOST_GOING_ON:],
    ]


class _Rows:
    """Draws of wrong pairs to choose from, such that no rule about words or names finds the right.

    By its place in byte order, its length and its letters it has any rank equally often, if it can.
    """

    def __init__(
        self, frame: Frame, right: Pair, most: int, mistakes: Sequence[Pair], chance: Chance
    ) -> None:
        self._frame, self._right, self._chance = frame, right, chance
        self._most, self._wanted = most, [chance.share() for _ in range(4)]
        self._trap = [chance.pick(mistakes)] if mistakes and not chance.below(4) else []
        self._common = Commonness(frame)

    def drawn(
        self, others: Sequence[Pair], sight: WordsInSight, limit: tuple[float, float]
    ) -> tuple[tuple[float, float], list[Pair]] | None:
        """Return how unfair the fairest draw found is, and the draw.

        The first number is that of the wrong ways to count that lead to the right pair.

        Args:
            limit: `None` is returned unless a draw is less unfair.
        """
        frame, right, chance = self._frame, self._right, self._chance
        pairs = (right, *others)
        # Each wrong way to count finds another pair.
        found = (way(frame, sight, pairs) for way in WAYS_TO_COUNT)
        ahead = [{pair for pair in others if counts[pair] > counts[right]} for counts in found]
        misleading = sum(not each for each in ahead)
        if misleading > limit[0]:
            return None
        names = {pair: b"".join(map(frame.any_token, pair)) for pair in pairs}
        words = sorted(sight.words, key=lambda word: -word.count)
        within = {pair: {at for at, word in enumerate(words) if word.pairs[pair]} for pair in pairs}
        own = within[right]
        ranked = {
            pair: (
                names[pair],
                len(names[pair]),
                self._common.of(names[pair]),
                -min(within[pair], default=MOST_WORDS),
            )
            for pair in pairs
        }
        guessed = {
            pair: (
                (names[pair][:1] == b" ") == (names[right][:1] == b" "),
                len(within[pair]) == len(own),
                sum(word.tokens[:2] == pair for word in words),
                sum(word.tokens[-2:] == pair for word in words),
                *(len(within[pair] & places) for places in PLACES if places & own),
            )
            for pair in pairs
        }

        def unfairness(rows: Sequence[Pair]) -> float:
            rows = right, *rows
            columns = zip(*(ranked[pair] for pair in rows), strict=True)
            wanted = (share * (len(rows) - 1) for share in self._wanted)
            far = sum(abs(_rank(each) - rank) for each, rank in zip(columns, wanted, strict=True))
            guesses = [*zip(*(guessed[pair] for pair in rows), strict=True)]
            guesses[4:4] = [
                tuple(sum(not within[a].isdisjoint(within[b]) for b in rows) for a in rows),
                tuple(sum(not {*a}.isdisjoint(b) for b in rows) for a in rows),
            ]
            likely = zip_longest(WEIGHTS, map(_likely, guesses), fillvalue=1)
            return far / 8 + sum(weight * max(each - LIKELY, 0) for weight, each in likely)

        seen = [pair for pair in others if within[pair]]
        trap = [pair for pair in self._trap if pair in names]
        rows = [chance.pick(sorted(each)) for each in ahead if each] + chance.shuffled(seen)
        rows = _filled((pair for pair in rows if pair not in trap), others, self._most - len(trap))
        best = unfairness([*rows, *trap])
        for _ in range(0 if misleading else SWAPS):
            place, pair = chance.below(len(rows)), chance.pick(seen)
            swapped = [*rows[:place], pair, *rows[place + 1 :]]
            if pair in (*rows, *trap) or any(each.isdisjoint(swapped) for each in ahead):
                continue
            if (found_here := unfairness([*swapped, *trap])) < best:
                best, rows = found_here, swapped
        unfair = misleading, best
        return (unfair, [*rows, *trap]) if unfair < limit else None


def _rank(values: Sequence[Any]) -> float:
    """Return the rank of the first value, from 0; of equal ones the middle."""
    first, *others = values
    return sum(0.5 if value == first else float(value < first) for value in others)


def _likely(values: Sequence[int]) -> float:
    """Return how likely the first value is picked by who picks one of the highest."""
    return 1 / values.count(values[0]) if values[0] == max(values) else 0


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
            "counted each word once",
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
                    "left out places that overlap",
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
