"""Questions about the counts of pairs: a count after the next merge, a stale entry of the heap."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import islice, pairwise
from typing import NamedTuple

from engine.bpe.frame import Frame
from engine.bpe.pair_queue import QueueEntry
from engine.core.errors import QuestionError
from engine.core.events import Pair
from engine.core.wording import Sentence, Words, frequency, say
from engine.encoding.merging import merge_pair
from engine.learning.questions.answer_forms import Number, YesOrNo
from engine.learning.questions.pair_choice import refuse_prescribed
from engine.learning.questions.question import (
    Chance,
    Kind,
    Level,
    Misconception,
    Question,
    Request,
    Wrong,
    joining,
    named_pair,
    pair_words,
)
from engine.learning.questions.words_in_sight import words_with
from engine.recording.affected_pretokens import AffectedPretoken, pair_changes
from engine.recording.merge_record import CountChange, PairStep

# -- how the next merge changes the count of another pair

Row = tuple[int, tuple[int, ...]]
"""The count of a word, and its tokens."""

MOST_WORDS = 4
"""Largest number of different words in which the two pairs may meet: a learner counts them."""
MOST_BESIDE, POOL = 2, 8
"""Largest number of words shown beside those that are asked about, and of words to draw from."""
MOST_SEARCHED, LONGEST_BESIDE = 2000, 24
"""Number of words to search for them, and the largest number of bytes of such a word."""
MOST_PRETOKENS = 400
"""A merge that changes more different pretokens is not asked about: reading them takes long."""


class Countable(NamedTuple):
    """A change of a count, and the few words that cause it."""

    change: CountChange
    words: tuple[AffectedPretoken, ...]


class Asked(NamedTuple):
    """A change to ask about, and the rows to show; `are_all` if these are all words with it."""

    about: Countable
    rows: list[Row]
    are_all: bool


def _pose_count_change(frame: Frame, request: Request) -> Question:
    """Ask for the count of a pair after the next merge, with the words where the two meet."""
    merge = countable_merge(frame, MOST_PRETOKENS)
    about = None if request.about is None else named_pair(frame, request.about)
    found = [
        each
        for each in _countable_changes(frame, about)
        if each.change.after or about is not None  # none is left: only if it is asked for
    ]
    if not found:
        raise QuestionError(
            "the next merge changes no other count by a few words"
            if about is None
            else f"the next merge does not change the count of {request.about} by a few words"
        )
    asked = next(_askable(frame, found, request), None)
    if asked is None:
        raise QuestionError("one number alone would be the answer, or lead to it")
    change, words = asked.about
    pair, merged = pair_words(frame, change.pair), pair_words(frame, merge.pair)
    asks = "How often will {pair} occur, once {merged} has merged?"
    advice = "These are all words with it; the number is how often each occurs."
    if not asked.are_all:
        asks = "{pair} occurs {times}. How often will it, once {merged} has merged?"
        advice = "Only in these words can it lose a place; the number is how often each occurs."
    return Question(
        frame,
        say(asks, pair=pair, merged=merged, times=frequency(change.before)),
        Number(),
        change.after,
        explain=lambda: _why_count(frame, change, words),
        explain_wrong=lambda count: _why_not_count(frame, change, count),
        find_hints=lambda _: (
            say("where {pair} has a + beside it, it loses that place.", pair=pair),
        ),
        advice=say(advice),
        given=tuple(
            say("{n} × {word}", n=f"{count:,}", word=joining(frame, ids, merge.pair))
            for count, ids in request.chance.shuffled(asked.rows)
        ),
        find_level=lambda: Level(min(len(words), MOST_WORDS) - 1),
        facts=ChangeFacts(change, merge.pair, asked.rows),
    )


def _askable(frame: Frame, found: Sequence[Countable], request: Request) -> Iterator[Asked]:
    """Yield changes to ask about, unless one number of the rows, or their sum, is the answer."""
    merged = frame.merge_at(frame.step).pair
    for about in request.chance.shuffled(found):
        change, words = about
        rows = _all_words_with(frame, change.pair)
        if len(rows) > (1 if request.about else 2):  # of two numbers the answer would be one
            yield Asked(about, rows, True)
            continue
        # Without words that keep the pair, subtracting all numbers would do.
        most = max(word.count for word in words)
        rows = [(word.count, word.before) for word in words]
        rows += _untouched_words(frame, change.pair, merged, request.chance, most)
        lost, counts = change.before - change.after, [count for count, _ in rows]
        if request.about is not None or not (lost in counts or lost == sum(counts)):
            yield Asked(about, rows, False)


def _all_words_with(frame: Frame, pair: Pair) -> list[Row]:
    """Return all words with a pair, and their counts; [] if they are many or long."""
    words = list(islice(words_with(frame, pair), MOST_WORDS + MOST_BESIDE))
    seen = sum(word.pairs[pair] * word.count for word in words)
    if seen != frame.count_of(pair) or any(word.is_part for word in words):
        return []
    return [(word.count, word.tokens) for word in words]


def countable_merge(frame: Frame, most: int) -> PairStep:
    """Return the next merge, if the different words that it changes are at most `most`.

    Raises:
        QuestionError: there is none, its pair does not occur, or it changes more words.
    """
    if frame.step >= frame.recorded_steps:
        raise QuestionError(f"no merge follows step {frame.step:,}")
    merge = frame.merge_at(frame.step)
    if not merge.count:
        raise QuestionError("the next pair does not occur in this corpus, so it changes nothing")
    if merge.pretokens > most:
        raise QuestionError(
            f"the next merge changes {merge.pretokens:,} different words, too many to count"
        )
    return merge


def words_beside(
    frame: Frame,
    chance: Chance,
    is_near: Callable[[tuple[int, ...]], bool | None],
    count: int,
    part: bytes = b"",
) -> list[tuple[int, tuple[int, ...]]]:
    """Draw one or two short words, with their counts, that the next merge leaves as they are.

    Any number of them is more frequent than the words that it changes, so the largest or the
    smallest count is no better guess than another.

    Args:
        is_near: takes a word in tokens; true for words to prefer, `None` for those to leave out.
        count: the largest count of the words that the merge changes.
        part: what a word needs to hold, before its tokens are looked at.
    """
    rows: dict[tuple[bool, bool], list[tuple[int, tuple[int, ...]]]] = {
        (near, above): [] for near in (True, False) for above in (True, False)
    }
    for word in frame.run.by_count.pretokens[:MOST_SEARCHED]:
        if not 1 < len(word) <= LONGEST_BESIDE or part not in word:
            continue
        if (number := frame.run.counts[word]) != count:
            ids = frame.tokens_of(word)
            if (near := is_near(ids)) is not None:
                rows[near, number > count].append((number, ids))
    # The words whose counts are the nearest, on each side.
    above, below = (
        [*chance.shuffled(rows[True, side][of_pool]), *chance.shuffled(rows[False, side][of_pool])]
        for side, of_pool in ((True, slice(-POOL, None)), (False, slice(POOL)))
    )
    wanted = 1 + chance.below(MOST_BESIDE)
    higher = chance.below(wanted + 1)
    return [*above[:higher], *below, *above[higher:]][:wanted]


def _untouched_words(
    frame: Frame, pair: Pair, merged: Pair, chance: Chance, count: int
) -> list[tuple[int, tuple[int, ...]]]:
    """Draw words in which a pair occurs and the next merge takes none of it.

    Words in which the merge joins other tokens are preferred.
    """

    def joins_others(ids: tuple[int, ...]) -> bool | None:
        before = list(pairwise(ids))
        if pair not in before:
            return None
        after = list(pairwise(merge_pair(ids, merged, -1)))
        return merged in before if before.count(pair) == after.count(pair) else None

    joined = frame.any_token(pair[0]) + frame.any_token(pair[1])
    return words_beside(frame, chance, joins_others, count, joined)


def _countable_changes(frame: Frame, about: Pair | None) -> Iterator[Countable]:
    """Yield each change of the next merge that a few words cause, with these; largest first."""
    attribution = frame.at(frame.step + 1).attribution
    attribution.read()
    merge = frame.merge_at(frame.step)
    for change in merge.changes:
        if change.pair == merge.pair or not change.before or about not in (None, change.pair):
            continue
        causes = attribution.behind(change.pair)
        # Very long pretokens are not looked at, so a part may be missing.
        is_all = sum(part.change for part in causes) == change.after - change.before
        if is_all and len(causes) <= MOST_WORDS:
            yield Countable(change, tuple(part.affected for part in causes))


def _why_count(
    frame: Frame, change: CountChange, words: Sequence[AffectedPretoken]
) -> tuple[Sentence, ...]:
    pair, merged = change.pair, pair_words(frame, frame.merge_at(frame.step).pair)
    losses = []
    for word in words:
        lost = list(pairwise(word.before)).count(pair) - list(pairwise(word.after)).count(pair)
        losses.append(f"{word.count:,}" if lost == 1 else f"{lost} × {word.count:,}")
    name = pair_words(frame, pair)
    then = say("{pair} no longer occurs.", pair=name)
    if change.after:
        then = say(
            "{pair} occurs {times} then, {n} fewer.",
            pair=name,
            times=frequency(change.after),
            n=f"{change.before - change.after:,}",
        )
    places = " + ".join(losses)
    return then, say("{merged} takes {places} of its places.", merged=merged, places=places)


def _why_not_count(frame: Frame, change: CountChange, count: int) -> Wrong:
    pair = pair_words(frame, change.pair)
    why, n = say("Where {pair} has a + beside it, it loses that place.", pair=pair), f"{count:,}"
    if count == change.before:
        kept = "{pair} does not keep its count: the merge takes tokens of it."
        return Wrong("kept the count as it was before the merge", say(kept, pair=pair), why)
    if count > change.after:
        said = say("{n} is too many: the merge takes more of its places.", n=n)
        return Wrong("took away too little", said, why)
    said = say("{n} is too few: the merge takes fewer of its places.", n=n)
    return Wrong("took away too much", said, why)


class ChangeFacts(NamedTuple):
    """A change to ask about: the merged pair, and the rows that are shown."""

    change: CountChange
    merged: Pair
    rows: Sequence[Row]


def _each_join_takes(facts: ChangeFacts) -> list[int]:
    """Return the counts if each join, or each word with one, took a place of the pair."""
    change, merged, rows = facts
    joins = sum(n * (len(ids) - len(merge_pair(ids, merged, -1))) for n, ids in rows)
    words = sum(n for n, ids in rows if merged in pairwise(ids))
    return [change.before - joins, change.before - words]


def _only_untouched(facts: ChangeFacts) -> list[int]:
    return [sum(n for n, ids in facts.rows if facts.merged not in pairwise(ids))]


COUNT_CHANGE = Kind(
    "count-change",
    (Frame,),
    "BPE",
    _pose_count_change,
    (
        Misconception(
            "took each join for a loss",
            _each_join_takes,
            say("A join takes a place of the pair only if it takes one of the two tokens."),
        ),
        Misconception("kept only the words without a join", _only_untouched),
        Misconception(
            "gave what is lost, not what is left",
            lambda facts: [facts.change.before - facts.change.after],
        ),
    ),
    draws=8,
)

# -- whether an entry of the lazily deleted heap is stale

ENTRIES, RECENT = 60, 60
"""Numbers of the most frequent pairs, and of the last merges, to draw from."""
DRAWS = 8
"""Number of recently changed pairs to draw."""
MERGES = 3
"""Number of merges to show, the last ones among them."""
MOST_WITH = 60
"""Number of words with a pair in which merges are looked for that leave it alone."""
MOST_READ = 200
"""Largest number of words, or of merges, to read in search of an example."""


def _pose_stale(frame: Frame, request: Request) -> Question:
    """Ask whether the count of an entry in the heap is out of date."""
    refuse_prescribed(frame)
    if not frame.step:
        raise QuestionError("at step 0 every entry is true: nothing has merged yet")
    entry = _entry_to_ask(frame, request)
    examples = _examples(frame, entry)
    merges = _merges_to_show(frame, entry, examples, request.chance)
    left, right = map(frame.any_token, entry.pair)
    words = (*pair_words(frame, entry.pair), f" {entry.recorded:,}")
    return Question(
        frame,
        say("The heap has the entry {entry}. Is it stale?", entry=words),
        YesOrNo(),
        entry.stale,
        explain=lambda: _why_stale_or_true(frame, entry, merges),
        explain_wrong=lambda stale: (
            Wrong("took a true entry for stale", say("no merge has changed its count since."))
            if stale
            else Wrong("took a stale entry for true", say("a merge has changed its count since."))
        ),
        find_hints=lambda _: (
            say("look for {pair} in the words: is one of them taken?", pair=(left, "┊", right)),
        ),
        advice=say("It is stale if a later merge changed the pair's count."),
        given=tuple(
            _said_merge(frame, index, examples.get(index) or _example(frame, index, entry.pair))
            for index in merges
        ),
        find_level=lambda: Level.CLOSE,  # the same for both answers, so it reveals none
        facts=(frame, entry.pair, merges),
    )


def _entry_to_ask(frame: Frame, request: Request) -> QueueEntry:
    """Return the entry of the named pair; else draw a stale or a true entry, equally likely.

    Where only one of them is found, none is asked about: its answer could be guessed.
    """
    if request.about is not None:
        entry = frame.queue.entry_of(named_pair(frame, request.about))
        if entry is None:
            raise QuestionError(f"{request.about} has no entry in the heap at step {frame.step:,}")
        return entry
    chance = request.chance
    recent = (_recently_changed(frame, chance) for _ in range(DRAWS))
    often = chance.shuffled(pair for pair, _ in frame.top_pairs(ENTRIES))
    found = map(frame.queue.entry_of, dict.fromkeys((*recent, *often)))
    drawn = [entry for entry in found if entry is not None]
    stale = [entry for entry in drawn if entry.stale]
    # Both are as long, so the length of a name says nothing.
    for each in drawn if stale else ():
        alike = [entry for entry in stale if _length(frame, entry) == _length(frame, each)]
        if not each.stale and alike and _examples(frame, each):
            return chance.pick([alike[0], each])
    raise QuestionError(f"no stale and true entries alike were found at step {frame.step:,}")


def _length(frame: Frame, entry: QueueEntry) -> int:
    return len(b"".join(map(frame.any_token, entry.pair)))


def _recently_changed(frame: Frame, chance: Chance) -> Pair:
    """Draw a pair whose count one of the last merges changed, except the merged pair."""
    index = frame.step - 1 - chance.below(min(RECENT, frame.step))
    pairs = sorted(change.pair for change in frame.merge_at(index).changes)
    return chance.pick([pair for pair in pairs if pair != frame.merge_at(index).pair] or pairs)


def _examples(frame: Frame, entry: QueueEntry) -> dict[int, Words | None]:
    """Return merges since an entry was right that show the answer, each with a word.

    For a stale entry these are the merges that changed its count. For a true one they join a token
    of the pair to the same side, and leave the pair alone in a word with it: `a┊t┊t+i` for a, t.
    """
    pair, (changing, since) = entry.pair, _changes_of(frame, entry)
    if entry.stale:
        return {at: _example(frame, at, pair) for at in changing if at >= since}
    found = dict[int, Words | None]()
    for word in islice(words_with(frame, pair), MOST_WITH):
        for step in () if word.is_part else frame.rules.steps(word.text):
            before, after = list(pairwise(step.before)), list(pairwise(step.after))
            reaches = step.pair[0] == pair[1] or step.pair[1] == pair[0]
            is_since = step.rank >= since and step.pair != pair
            if reaches and is_since and 0 < before.count(pair) == after.count(pair):
                found.setdefault(step.rank, joining(frame, step.before, step.pair))
    return found


def _changes_of(frame: Frame, entry: QueueEntry) -> tuple[list[int], int]:
    """Return the merges that changed a pair's count, and the last state with its entry's count."""
    record = frame.run.record
    number = record.pairs.number_of(entry.pair)
    assert number is not None  # it has an entry
    states, counts = (found.tolist() for found in record.counts.history(number, frame.step))
    right_at = [at for at, count in zip(states, counts, strict=True) if count == entry.recorded]
    first = record.counts.first
    return [state - 1 for state in states if state > first], right_at[-1] if right_at else first


def _merges_to_show(
    frame: Frame, entry: QueueEntry, examples: Collection[int], chance: Chance
) -> tuple[int, ...]:
    """Return one merge that shows the answer, then others that do not, the later ones first."""
    changing, since = _changes_of(frame, entry)
    shown = [chance.pick(sorted(examples))] if examples else []
    recent = range(max(since, frame.step - MOST_READ), frame.step)
    others = [index for index in recent if index not in {*changing, *shown}]
    drawn = sorted(chance.shuffled(others), key=lambda index: index < max(shown, default=0))
    return tuple(sorted((*shown, *drawn[: MERGES - len(shown)])))


def _example(frame: Frame, index: int, pair: Pair) -> Words | None:
    """Return a word that shows what a merge took of the pair, or any of its words."""
    words = frame.at(index + 1).affected(MOST_READ)
    if not words:
        return None
    example = next((word for word in words if pair in pair_changes(word)), words[0])
    return joining(frame, example.before, frame.merge_at(index).pair)


def _said_merge(frame: Frame, index: int, word: Words | None) -> Sentence:
    """Describe a merge, by a word in which it joins if there is one."""
    number, words = f"{index + 1:,}", pair_words(frame, frame.merge_at(index).pair)
    if word is None:
        return say("merge {number}: {pair}", number=number, pair=words)
    return say("merge {number}: {pair}   as in {word}", number=number, pair=words, word=word)


def _why_stale_or_true(
    frame: Frame, entry: QueueEntry, merges: Sequence[int]
) -> tuple[Sentence, ...]:
    pair = pair_words(frame, entry.pair)
    if not entry.stale:
        count = frequency(entry.count)
        return (say("it is true: {pair} still occurs {times}.", pair=pair, times=count),)
    first = say(
        "it is stale: {pair} occurs {times} now, not {old}.",
        pair=pair,
        times=frequency(entry.count),
        old=f"{entry.recorded:,}",
    )
    for index in merges:
        merge = frame.merge_at(index)
        if any(change.pair == entry.pair for change in merge.changes):
            merged, number = pair_words(frame, merge.pair), f"{index + 1:,}"
            changed = "Merge {number}, {pair}, changed its count."
            return first, say(changed, number=number, pair=merged)
    return (first,)


def _any_shares(facts: tuple[Frame, Pair, Sequence[int]]) -> list[bool]:
    """Return whether a merge that is shown has a token of the pair."""
    frame, pair, merges = facts
    return [any({*pair} & {*frame.merge_at(index).pair} for index in merges)]


STALE = Kind(
    "stale",
    (Frame,),
    "BPE",
    _pose_stale,
    (
        Misconception(
            "took any merge with a token of the pair for a change",
            _any_shares,
            say("A merge changes its count only where it takes a token from the pair itself."),
        ),
    ),
)
