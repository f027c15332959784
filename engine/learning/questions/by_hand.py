"""Merges by hand: the learner makes the next steps of a run in a few words, and is graded by it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice, pairwise

from engine.bpe.frame import Frame
from engine.bpe.record import MergeStep
from engine.core.errors import QuestionError
from engine.core.events import Pair
from engine.core.wording import Sentence, amount, counted, edged, frequency, say
from engine.encoding.merging import merge_pair
from engine.learning.questions.answer_forms import END
from engine.learning.questions.contest import BY_ID, Contest, lead, why_next, why_not_next
from engine.learning.questions.merges_form import (
    CountedWord,
    Merges,
    Part,
    is_typeable,
    words_in_tokens,
)
from engine.learning.questions.pair_choice import CLOSE, contest_in_words, refuse_prescribed
from engine.learning.questions.question import (
    Chance,
    Kind,
    Level,
    Misconception,
    Question,
    Request,
    Wrong,
    in_turn,
    pair_words,
)
from engine.learning.questions.words_in_sight import (
    MOST_WORDS,
    SeenWord,
    WordsInSight,
    all_words,
    words_with,
)

FEWEST_MERGES, MERGES, MOST_MERGES = 2, 3, 5
"""Smallest and usual numbers of merges, and the largest that a question may name."""
FEWEST_PAIRS = 3
"""Smallest number of different pairs to choose the first one from."""
MOST_TOKENS = 80
"""Largest number of tokens of all words."""
POOL, RARE, SEARCHED = 12, 8, 120
"""Numbers of frequent and of rarer words to draw from for each merge, and of words to search for
them."""
DRAWS, MENDED = 16, 40
"""Numbers of draws, and of attempts to mend each."""


@dataclass(frozen=True)
class Exercise:
    """Merges to make in some words.

    Attributes:
        frame: the state before the first merge.
        words: the words at that state.
        merges: the number of merges.
    """

    frame: Frame
    words: WordsInSight
    merges: int

    @cached_property
    def states(self) -> tuple[WordsInSight, ...]:
        """The words before the first merge, and after each."""
        states = [self.words]
        for merge in range(self.merges):
            after = self.frame.at(self.frame.step + merge + 1)
            states.append(
                WordsInSight(
                    tuple(
                        SeenWord(after.tokens_of(word.text), word.count, word.text)
                        for word in self.words.words
                    ),
                    self.words.is_whole,
                )
            )
        return tuple(states)

    @cached_property
    def form(self) -> Merges:
        """The form of the answer."""
        token = self.frame.any_token
        words = (
            CountedWord(word.count, tuple(map(token, word.tokens))) for word in self.words.words
        )
        return Merges(tuple(words), self.merges)

    @cached_property
    def contests(self) -> tuple[Contest, ...]:
        """The choice of the pair of each merge."""
        return tuple(
            contest_in_words(
                self.frame.at(self.frame.step + merge),
                self.states[merge],
                self.pair(merge),
                self.states[merge - 1] if merge else None,
            )
            for merge in range(self.merges)
        )

    def tied(self, merge: int) -> int:
        """Return the number of pairs that share the highest count before a merge; 0 without tie."""
        counts = self.states[merge].counts
        sharing = list(counts.values()).count(counts[self.pair(merge)])
        return sharing if sharing > 1 else 0

    def pair(self, merge: int) -> Pair:
        """Return the pair of a merge, from 0."""
        return self.frame.merge_at(self.frame.step + merge).pair

    @cached_property
    def answer(self) -> Part:
        """The right answer, from the tokens that the run gives the words after each merge."""
        form, token = self.form, self.frame.any_token
        answer: Part = ()
        for merge, after in enumerate(self.states[1:]):
            joined = form.joined(answer)
            left, right = map(token, self.pair(merge))
            gap = next(gap for gap, pair in form.pairs(joined) if pair == (left, right))
            gone: list[int] = []
            for word, seen in enumerate(after.words):
                kept = form.gaps_between(word, tuple(map(token, seen.tokens)))
                gone += [gap for gap in form.gaps_of(word, joined) if gap not in kept]
            answer = (*answer, gap, END, *gone, END)
        return answer

    def pair_at(self, merge: int, gap: int) -> Pair:
        """Return the pair at a gap, before a merge."""
        gaps = [gap for gap, _ in self.form.pairs(self.form.joined(self.until(merge)))]
        pairs = [pair for word in self.states[merge].words for pair in pairwise(word.tokens)]
        return pairs[gaps.index(gap)]

    def until(self, merge: int) -> Part:
        """Return the part of the right answer before a merge."""
        return tuple(
            place for part in self.form.parts(self.answer)[: 2 * merge] for place in (*part, END)
        )


def _pose_make_merges(frame: Frame, request: Request) -> Question:
    """Ask to make the next merges in words: all of a small corpus, or a sample."""
    refuse_prescribed(frame)
    exercise = _exercise(frame, request)
    form, answer, rule = exercise.form, exercise.answer, frame.tie_rule
    advice = say("Each time, choose the pair that occurs most often, then replace it everywhere.")
    if any(map(exercise.tied, range(exercise.merges))):
        summary = say(rule.in_short)
        advice = say("{advice} Of tied pairs: {summary}.", advice=advice, summary=summary)
    return Question(
        frame,
        say(
            "Make the next merge yourself, in these words."
            if exercise.merges == 1
            else "Make the next {n} merges yourself, in these words.",
            n=str(exercise.merges),
        ),
        form,
        answer,
        explain=lambda: _why_merges(exercise),
        explain_wrong=lambda tried: _why_not(exercise, tried),
        explain_part=lambda tried: _why_part(exercise, tried),
        find_hints=lambda progress: (_hint(exercise, progress),),
        advice=advice,
        find_level=lambda: _level(exercise),
        steps=exercise.merges,
        facts=exercise,
    )


def _if_words_count_once(exercise: Exercise) -> list[Part]:
    """Return the right answer, if all merges are the same with each word counted once."""
    for merge, state in enumerate(exercise.states[:-1]):
        counts = state.counts_of_words_once
        if counts[exercise.pair(merge)] < max(counts.values()):
            return []
    return [exercise.answer]


MAKE_MERGES = Kind(
    "make-merges",
    (Frame,),
    "BPE",
    _pose_make_merges,
    (Misconception("counted each word once", _if_words_count_once),),
    draws=8,
)


# -- the words, and the number of merges


def _exercise(frame: Frame, request: Request) -> Exercise:
    left, wanted = frame.recorded_steps - frame.step, request.about
    if wanted is not None and wanted not in map(str, range(1, MOST_MERGES + 1)):
        raise QuestionError(f"{wanted}: say a number of merges from 1 to {MOST_MERGES}")
    most = min(MERGES, left) if wanted is None else int(wanted)
    least = FEWEST_MERGES if wanted is None else most
    if least > left:
        raise QuestionError(f"step {frame.step:,} has only {counted(left, 'merge')} after it")
    words, made = all_words(frame), None
    if words is not None:
        made = _made_in_all_words(frame, words, most)
    for number in reversed(range(least, most + 1)) if words is None else ():
        if (sample := _sample(frame, number, request.chance)) is not None:
            made = Exercise(frame, sample, number)
            break
    if made is None or made.merges < least or len(made.words.counts) < FEWEST_PAIRS:
        merges = counted(least, "merge")
        raise QuestionError(f"no few words of this corpus show {merges} after step {frame.step:,}")
    return made


def _made_in_all_words(frame: Frame, words: WordsInSight, most: int) -> Exercise | None:
    """Return the exercise in all words of a small corpus, up to a merge that they do not decide."""
    tokens = [token for word in words.words for token in word.tokens]
    if len(tokens) > MOST_TOKENS or not _is_typeable(frame, tokens):
        return None
    exercise = Exercise(frame, words, most)
    for merge in range(most):
        counts, pair = exercise.states[merge].counts, exercise.pair(merge)
        # Another pair may have the highest count if tokens have a largest length.
        is_beaten = pair not in counts or max(counts.values()) > counts[pair]
        if is_beaten or (exercise.tied(merge) and frame.tie_rule.name in BY_ID):
            return Exercise(frame, words, merge)
    return exercise


def _is_typeable(frame: Frame, tokens: Iterable[int]) -> bool:
    return all(is_typeable(frame.any_token(token)) for token in tokens)


def _sample(frame: Frame, merges: int, chance: Chance) -> WordsInSight | None:
    """Draw words in which the pair of each merge alone has the highest count; `None` if none fit.

    A draw is mended: where another pair has more, a word without it is added, or one with it goes.
    """
    events = [frame.merge_at(frame.step + merge) for merge in range(merges)]
    pools = [_pool(frame, frame.step + at, events) for at in range(merges)]
    if not all(pools):
        return None
    counts = {word: before for pool in pools for word, before in pool.items()}
    for _ in range(DRAWS):
        words = [word for pool in pools for word in chance.shuffled(list(pool))[:2]]
        for _ in range(MENDED):
            words = list(dict.fromkeys(words))
            found = _undecided([counts[word] for word in words], events)
            if found is None:
                seen = (SeenWord(frame.tokens_of(word), frame.counts[word], word) for word in words)
                return WordsInSight(tuple(chance.shuffled(list(seen))), False)
            at, rival = found
            more = [
                w for w, before in pools[at].items() if not before[at][rival] and w not in words
            ]
            if more and len(words) < MOST_WORDS and chance.below(2):
                words.append(chance.pick(more))
            else:
                rivals = [word for word in words if counts[word][at][rival]]
                words.remove(chance.pick(rivals or words))
                words = words or [chance.pick(list(pools[at]))]
    return None


Counts = tuple[Counter[Pair], ...]
"""For each merge, pair → its count by one word, before the merge."""


def _pool(frame: Frame, step: int, events: Sequence[MergeStep]) -> dict[bytes, Counts]:
    """Return whole words that have the pair of a step, with their counts."""
    later, pair = frame.at(step), events[step - frame.step].pair
    seen = [word for word in islice(words_with(later, pair), SEARCHED) if not word.is_part]
    seen.sort(key=lambda word: not _overlaps(word.tokens, pair))  # words with overlaps come first
    found = [word.text for word in seen]
    rare = found[POOL :: max((len(found) - POOL) // RARE, 1)]
    return {
        text: tuple(_counts_before(frame, text, events))
        for text in dict.fromkeys((*found[:POOL], *rare[:RARE]))
        if _is_typeable(frame, frame.tokens_of(text))
    }


def _counts_before(
    frame: Frame, text: bytes, events: Sequence[MergeStep]
) -> Iterator[Counter[Pair]]:
    tokens: Sequence[int] = frame.tokens_of(text)
    for event in events:
        pairs = Counter(pairwise(tokens))
        yield Counter({pair: number * frame.counts[text] for pair, number in pairs.items()})
        tokens = merge_pair(tokens, event.pair, event.new_id)


def _undecided(words: Sequence[Counts], events: Sequence[MergeStep]) -> tuple[int, Pair] | None:
    """Return the first merge that words do not lead to, and a pair that has as high a count.

    Returns:
        `None` if they lead to all merges, without a tie.
    """
    for at, event in enumerate(events):
        counts = Counter[Pair]()
        for word in words:
            counts.update(word[at])
        best = max(counts, key=lambda pair: (counts[pair], pair != event.pair), default=None)
        if best != event.pair:
            return at, best or event.pair
    return None


def _overlaps(tokens: Sequence[int], pair: Pair) -> bool:
    """Whether two places of a pair share a token, as of `a+a` in aaa."""
    left, right = pair
    return left == right and (left, left, left) in zip(tokens, tokens[1:], tokens[2:], strict=False)


def _level(exercise: Exercise) -> Level:
    """Return the difficulty: hardest if a pair overlaps itself."""
    level = Level.CLEAR
    for merge in range(exercise.merges):
        pair, state = exercise.pair(merge), exercise.states[merge]
        if any(_overlaps(word.tokens, pair) for word in state.words):
            return Level.AFTER_LOSS
        others = [count for each, count in state.counts.items() if each != pair]
        if exercise.tied(merge):
            level = max(level, Level.TIE)
        elif any(count >= CLOSE * state.counts[pair] for count in others):
            level = max(level, Level.CLOSE)
    return level


# -- explanations


def _why_part(exercise: Exercise, tried: Part) -> tuple[Sentence, ...]:
    """Explain an answer that is right so far; () for any other."""
    if not tried or tried != exercise.answer[: len(tried)]:
        return ()
    done = len(exercise.form.parts(tried))
    if done % 2:
        return _why_pair(exercise, exercise.contests[done // 2])
    made = exercise.frame.merge_at(exercise.frame.step + done // 2 - 1)
    token = exercise.frame.any_token(made.new_id)
    return (
        say(
            "{token} is one token now, in {places}.",
            token=token,
            places=_places(exercise, done // 2 - 1),
        ),
        say("Count again: its neighbours are in other pairs now."),
    )


def _why_pair(exercise: Exercise, contest: Contest) -> tuple[Sentence, ...]:
    """Explain why a pair merges: by the counts in the words, or by the tie rule."""
    assert contest.sight is not None
    if contest.tied:
        return why_next(contest)
    counts, right, frame = contest.sight.counts, contest.right, contest.frame
    said = say("{pair} {occurs}.", pair=pair_words(frame, right), occurs=contest.occurs(right))
    return said, lead(frame, right, counts)


def _places(exercise: Exercise, merge: int) -> Sentence:
    """Count the places in which a merge joins, and their words."""
    gaps, form = exercise.form.parts(exercise.answer)[2 * merge + 1], exercise.form
    words = {form.word_of(gap) for gap in gaps}
    return say(
        "{places} of {words}", places=amount(len(gaps), "place"), words=amount(len(words), "word")
    )


def _why_merges(exercise: Exercise) -> tuple[Sentence, ...]:
    """Name all merges, and the words that they lead to."""
    pairs = (pair_words(exercise.frame, exercise.pair(merge)) for merge in range(exercise.merges))
    words = words_in_tokens(exercise.form.words_at(exercise.form.joined(exercise.answer)))
    return (say("{pairs}.", pairs=in_turn(pairs)), say("The words are {words} then.", words=words))


def _hint(exercise: Exercise, progress: Part) -> Sentence:
    """Return a help for the part after those that are right."""
    done = len(exercise.form.parts(progress))
    if done >= 2 * exercise.merges:
        return say("all merges are made.")
    merge = done // 2
    pair, state = exercise.pair(merge), exercise.states[merge]
    if done % 2 == 0:
        times = frequency(state.counts[pair])
        if tied := exercise.tied(merge):
            return say(
                "{n} pairs are tied, each occurs {times}. Rule {rule} decides.",
                n=str(tied),
                times=times,
                rule=exercise.frame.tie_rule.title,
            )
        return say("the pair occurs {times}.", times=times)
    places = _places(exercise, merge)
    if any(_overlaps(word.tokens, pair) for word in state.words):
        return say("it joins in {places}; from the left, and each token joins once.", places=places)
    return say("it joins in {places}.", places=places)


def _why_not(exercise: Exercise, tried: Part) -> Wrong:
    """Explain the first wrong part of an answer."""
    form = exercise.form
    parts, right = form.parts(tried), form.parts(exercise.answer)
    pairs = zip(parts, right, strict=False)
    wrong = next((at for at, (one, other) in enumerate(pairs) if one != other), None)
    if wrong is None:
        return Wrong("stopped before the last merge", say("a pair has to be chosen."))
    merge = wrong // 2
    if wrong % 2 == 0:
        return why_not_next(exercise.contests[merge], exercise.pair_at(merge, parts[wrong][0]))
    return _why_not_replaced(exercise, merge, parts[wrong], right[wrong])


def _why_not_replaced(exercise: Exercise, merge: int, tried: Part, right: Part) -> Wrong:
    frame, form, pair = exercise.frame, exercise.form, exercise.pair(merge)
    joined = form.joined(exercise.until(merge))
    mistake, gap = _mistake_in_replacement(form, joined, tried, right)
    word = edged(form.tokens_of(form.word_of(gap), joined))
    name = pair_words(frame, pair)
    if mistake == ANOTHER_PAIR:
        other = pair_words(frame, exercise.pair_at(merge, gap))
        only = "{other} is another pair: only {pair} is replaced."
        return Wrong(mistake, say(only, other=other, pair=name))
    if mistake == TWICE:
        return Wrong(
            mistake,
            say("in {word} a token joins twice.", word=word),
            say("It becomes a part of one new token, so places that overlap do not both join."),
        )
    if mistake == NOT_FROM_THE_LEFT:
        overlaps = "in {word} the pair overlaps itself: it is replaced from the left."
        return Wrong(mistake, say(overlaps, word=word))
    return Wrong(
        mistake,
        say("in {word} a place of {pair} is left.", word=word, pair=name),
        say("A merge replaces its pair everywhere."),
    )


ANOTHER_PAIR = "replaced another pair, too"
TWICE = "joined one token twice, where the pair overlaps"
NOT_FROM_THE_LEFT = "replaced an overlap from the right"
IN_PART = "replaced the pair in part only"


def _mistake_in_replacement(
    form: Merges, joined: Collection[int], tried: Part, right: Part
) -> tuple[str, int]:
    """Return the name of the mistake in a wrong replacement, and a gap that shows it.

    Args:
        joined: the gaps that are joined before.
        tried, right: the gaps that the replacement joins, and those that the merge joins.
    """
    pairs = dict(form.pairs(joined))
    wanted = pairs[right[0]]
    for gap in tried:
        if pairs[gap] != wanted:
            return ANOTHER_PAIR, gap
    for word in range(len(form.words)):
        for one, other in pairwise(form.gaps_of(word, joined)):
            if one in tried and other in tried:
                return TWICE, one
    for gap in tried:
        if gap not in right:
            return NOT_FROM_THE_LEFT, gap
    return IN_PART, next(gap for gap in right if gap not in tried)
