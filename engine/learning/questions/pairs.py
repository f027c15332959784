"""Questions about pairs and their counts: the next pair, a tie, a changed count, a stale entry."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice, pairwise

from engine.bpe.frame import Frame, QueueEntry
from engine.bpe.heap import claim_of
from engine.core.errors import QuestionError
from engine.core.events import CountChange, Pair
from engine.core.wording import Sentence, say, times
from engine.learning.questions.question import (
    Chance,
    Choice,
    Kind,
    Level,
    Number,
    Option,
    Question,
    Request,
    YesOrNo,
    edged,
    joining,
    named_pair,
    pair_words,
)
from engine.recording.affected_pretokens import AffectedPretoken, pair_changes
from engine.text.pretokenize import Pretoken
from engine.wordpiece.frame import WordPieceFrame

# -- which pair merges next, which of the tied pairs wins

CLOSE = 0.9
"""A choice is close if the second count is at least this share of the first."""
COUNTABLE = 160
"""Largest corpus, in bytes, in which a learner counts without help."""


def _pose_next_pair(frame: Frame, request: Request) -> Question:
    """Ask which of the most frequent pairs merges next.

    In a corpus small enough to count in, the corpus is given and the bars are hidden.
    """
    _refuse_prescribed(frame)
    ranked = [pair for pair, _ in frame.top_pairs(max(2, request.rows))]
    if len(ranked) < 2:
        raise QuestionError(f"only one pair is left at step {frame.step:,}")
    right, pairs, tied = ranked[0], _in_byte_order(frame, ranked), _tied(frame)
    excerpt, rule = frame.excerpt, frame.tie_rule
    is_countable = (
        request.shows_corpus
        and excerpt.complete
        and bool(excerpt.lines)
        and frame.byte_count <= COUNTABLE
    )
    if is_countable:
        advice = say(
            "Count for yourself: the whole corpus is below.",
            shorter=("Count for yourself, in the corpus below.",),
        )
    elif tied.issuperset(pairs):
        advice = say(
            f"All of them occur equally often: the rule for ties, {rule.name}, decides.",
            shorter=(f"All are tied: the rule {rule.name} decides.",),
        )
    else:
        advice = say("The pair that occurs most often.")
    hint = _token_of_right(frame, pairs, right)
    if tied:
        count = f"{len(tied):,}"
        hint = say(
            f"{count} are tied. Rule {rule.name}: {rule.in_short}.",
            shorter=(f"{count} tied: {rule.in_short}.",),
        )
    options = [
        Option(pair_words(frame, pair), revealed=f"{count:,}", amount=0 if is_countable else count)
        for pair, count in ((pair, frame.count_of(pair)) for pair in pairs)
    ]
    return Question(
        frame,
        say("Which pair merges next?"),
        Choice(tuple(options)),
        pairs.index(right),
        explain=lambda: _why_next(frame, right, tied),
        explain_wrong=lambda row: _why_not_next(frame, pairs[row], tied),
        hint=hint,
        advice=advice,
        given=tuple(
            _line_in_tokens(frame, line) for line in (excerpt.lines if is_countable else ())
        ),
        find_level=lambda: _next_pair_level(frame, right, tied),
        pairs=pairs,
        tied=tied,
        shows_bars=not is_countable,
    )


def _pose_tie(frame: Frame, request: Request) -> Question:
    """Ask which of the tied pairs wins by the tie rule."""
    _refuse_prescribed(frame)
    tied = _tied(frame)
    if not tied:
        raise QuestionError(f"no pair is tied with another at step {frame.step:,}")
    ranked = [pair for pair, _ in frame.top_pairs(min(len(tied), request.rows))]
    right, pairs, rule = ranked[0], _in_byte_order(frame, ranked), frame.tie_rule
    start = f"{len(tied):,} pairs occur {times(frame.count_of(right))} each"
    loses = " loses to another pair that is tied with it."
    return Question(
        frame,
        say(f"{start}: which one merges?", shorter=(f"{start}: which wins?",)),
        Choice(tuple(Option(pair_words(frame, pair)) for pair in pairs)),
        pairs.index(right),
        explain=lambda: _why_next(frame, right, tied),
        explain_wrong=lambda row: (say(*pair_words(frame, pairs[row]), loses),),
        hint=_token_of_right(frame, pairs, right),
        advice=say(f"Rule {rule.name}: {rule.in_short}.", shorter=(f"{rule.in_short}.",)),
        find_level=lambda: Level.TIE,
        pairs=pairs,
        tied=tied,
    )


def _refuse_prescribed(frame: Frame) -> None:
    """Raise a `QuestionError` where no count chooses the merges: a tokenizer's, or a fork's."""
    if frame.given:
        raise QuestionError("these merges are a tokenizer's; no count chose them")
    if frame.run.record.fork_rules is not None:
        raise QuestionError("this run is a fork; its merges do not follow from the counts alone")
    if frame.next_pair is None:
        raise QuestionError(f"no pair merges after step {frame.step:,}")


def _in_byte_order(frame: Frame, pairs: Sequence[Pair]) -> tuple[Pair, ...]:
    """Sort the pairs by their bytes, so that the order does not reveal their counts."""
    return tuple(sorted(pairs, key=lambda pair: tuple(map(frame.any_token, pair))))


def _tied(frame: Frame) -> frozenset[Pair]:
    """Return the pairs that share the highest count; none if one has it alone."""
    tied = frame.queue.tied
    return frozenset(tied if len(tied) > 1 else ())


def _token_of_right(frame: Frame, pairs: Sequence[Pair], right: Pair) -> Sentence:
    """Name the left token of the right pair, or the right one if all pairs share the left one."""
    side, at = ("left", 0) if len({left for left, _ in pairs}) > 1 else ("right", 1)
    return say(f"its {side} token is ", frame.any_token(right[at]), ".")


def _why_next(frame: Frame, right: Pair, tied: frozenset[Pair]) -> tuple[Sentence, ...]:
    count, winner = frame.count_of(right), pair_words(frame, right)
    if tied:
        rival = next(pair for pair, _ in frame.top_pairs(2) if pair != right)
        why = frame.why_first(right, rival)
        return (
            say(*winner, f" wins the tie of {len(tied):,} at {count:,}."),
            say(f"Rule {frame.tie_rule.name}: ", *why, ".", shorter=(*why, ".")),
        )
    first = say(*winner, f" occurs {times(count)}.")
    _, *others = frame.top_pairs(2)
    if not others:
        return first, say("No other pair is left.")
    (second, behind), gap = others[0], count - others[0][1]
    words = ("Second is ", *pair_words(frame, second), f" with {behind:,}")
    return first, say(*words, f", {gap:,} fewer.", shorter=(*words, "."))


def _why_not_next(frame: Frame, pair: Pair, tied: frozenset[Pair]) -> tuple[Sentence, ...]:
    words, count = pair_words(frame, pair), times(frame.count_of(pair))
    if pair in tied:
        rule = frame.tie_rule
        return (
            say(
                *(*words, f" occurs {count}, but so does another pair."),
                shorter=(*words, f" has {count}, but not alone."),
            ),
            say(f"Rule {rule.name}: {rule.in_short}.", shorter=(f"{rule.in_short}.",)),
        )
    return (
        say(
            *(*words, f" occurs {count}; another pair occurs more often."),
            shorter=(*words, f" occurs {count}; another, more."),
        ),
    )


def _line_in_tokens(frame: Frame, line: Sequence[Pretoken]) -> Sentence:
    words: list[str | bytes] = []
    for pretoken in line:
        ids = () if pretoken.special else frame.tokens_of(pretoken.bytes)
        words += [*(edged(map(frame.any_token, ids)) if ids else (pretoken.bytes,)), "│"]
    return say(*words)


def _next_pair_level(frame: Frame, right: Pair, tied: frozenset[Pair]) -> Level:
    """Return the difficulty of the choice: hardest if another pair led until the last merge."""
    if tied:
        return Level.TIE
    if frame.step:
        before = frame.at(frame.step - 1)
        others = (pair for pair, _ in before.top_pairs(2) if pair != before.next_pair)
        led = next(others, right)
        if led != right and before.count_of(led) > frame.count_of(led):
            return Level.AFTER_LOSS
    counts = [count for _, count in frame.top_pairs(2)]
    return Level.CLOSE if counts[-1] >= CLOSE * counts[0] else Level.CLEAR


NEXT_PAIR = Kind("next-pair", (Frame,), "BPE", _pose_next_pair)
TIE = Kind("tie", (Frame,), "BPE", _pose_tie)

# -- how the next merge changes the count of another pair

MergingFrame = Frame | WordPieceFrame

MOST_WORDS = 4
"""Largest number of different words in which the two pairs may meet: a learner counts them."""
MOST_PRETOKENS = 400
"""A merge that changes more different pretokens is not asked about: reading them takes long."""


def _pose_count_change(frame: MergingFrame, request: Request) -> Question:
    """Ask for the count of a pair after the next merge, with the words where the two meet."""
    if frame.step >= frame.recorded_steps:
        raise QuestionError(f"no merge follows step {frame.step:,}")
    merge = frame.merge_at(frame.step)
    if not merge.count:
        raise QuestionError("the next pair does not occur in this corpus, so no count changes")
    if merge.pretokens > MOST_PRETOKENS:
        raise QuestionError(
            f"the next merge changes {merge.pretokens:,} different words, too many to count"
        )
    about = None if request.about is None else named_pair(frame, request.about)
    found = list(_countable_changes(frame, about))
    if not found:
        raise QuestionError(
            "the next merge changes no other count by a few words"
            if about is None
            else f"the next merge does not change the count of {request.about} by a few words"
        )
    some_stay = [each for each in found if each[0].after]  # so that there is something to compute
    change, words = request.chance.pick(some_stay or found)
    pair, merged = pair_words(frame, change.pair), pair_words(frame, merge.pair)
    return Question(
        frame,
        say(
            *(*pair, f" occurs {times(change.before)}. How often will it, once "),
            *(*merged, " has merged?"),
        ),
        Number(),
        change.after,
        explain=lambda: _why_count(frame, change, words),
        explain_wrong=lambda count: _why_not_count(frame, change, count),
        hint=say("where ", *pair, " has a + beside it, it loses that place."),
        advice=say("They meet in these words only; the number is how often each occurs."),
        given=tuple(
            say(f"{word.count:,}  ", *joining(frame, word.before, merge.pair)) for word in words
        ),
        find_level=lambda: Level(min(len(words), MOST_WORDS) - 1),
    )


def _countable_changes(
    frame: MergingFrame, about: Pair | None
) -> Iterator[tuple[CountChange, tuple[AffectedPretoken, ...]]]:
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
            yield change, tuple(part.affected for part in causes)


def _why_count(
    frame: MergingFrame, change: CountChange, words: Sequence[AffectedPretoken]
) -> tuple[Sentence, ...]:
    pair, merged = change.pair, pair_words(frame, frame.merge_at(frame.step).pair)
    losses = []
    for word in words:
        lost = list(pairwise(word.before)).count(pair) - list(pairwise(word.after)).count(pair)
        losses.append(f"{word.count:,}" if lost == 1 else f"{lost} · {word.count:,}")
    fewer = change.before - change.after
    then = f"occurs {times(change.after)} then, {fewer:,} fewer"
    return (
        say(*pair_words(frame, pair), f" {then if change.after else 'no longer occurs'}."),
        say(*merged, f" takes a token of it in {' + '.join(losses)} places."),
    )


def _why_not_count(frame: MergingFrame, change: CountChange, count: int) -> tuple[Sentence, ...]:
    pair = pair_words(frame, change.pair)
    why = say("Where ", *pair, " has a + beside it, it loses that place.")
    if count == change.before:
        return say(*pair, " does not keep its count: the merge takes tokens of it."), why
    if count > change.after:
        return say(f"{count:,} is too many: the merge takes more of its places."), why
    return say(f"{count:,} is too few: the merge takes fewer of its places."), why


COUNT_CHANGE = Kind("count-change", (Frame, WordPieceFrame), "BPE or WordPiece", _pose_count_change)

# -- whether an entry of the lazily deleted heap is stale

ENTRIES, RECENT = 60, 60
"""Numbers of the most frequent pairs, and of the last merges, to draw from."""
STALE_DRAWS = 8
"""Number of draws in search of a stale entry; late in a run there are few."""
MERGES = 3
"""Number of merges to show, the last ones among them."""
MOST_READ = 200
"""Largest number of words, or of merges, to read in search of an example."""


def _pose_stale(frame: Frame, request: Request) -> Question:
    """Ask whether the count of an entry in the heap is out of date."""
    _refuse_prescribed(frame)
    if not frame.step:
        raise QuestionError("at step 0 every entry is true: nothing has merged yet")
    entry = _entry_to_ask(frame, request)
    merges = _merges_to_show(frame, entry)
    left, right = map(frame.any_token, entry.pair)
    words = (left, "│", right, f" {entry.recorded:,}")
    return Question(
        frame,
        say(
            *("The heap has the entry ", *words, ". Is it stale?"),
            shorter=("Entry ", *words, ": stale?"),
        ),
        YesOrNo(),
        entry.stale,
        explain=lambda: _why_stale_or_true(frame, entry, merges),
        explain_wrong=lambda stale: (
            say(f"{'no' if stale else 'a'} merge has changed its count since."),
        ),
        hint=say("look for ", left, "┊", right, " in the words: is one of them taken?"),
        advice=say("It is stale if a later merge changed the pair's count."),
        given=tuple(_merge_with_example(frame, index, entry.pair) for index in merges),
        find_level=lambda: Level.CLOSE if entry.stale else Level.CLEAR,
    )


def _entry_to_ask(frame: Frame, request: Request) -> QueueEntry:
    """Return the entry of the named pair; else draw a stale or any entry, equally likely."""
    if request.about is not None:
        entry = _entry_of(frame, named_pair(frame, request.about))
        if entry is None:
            raise QuestionError(f"{request.about} has no entry in the heap at step {frame.step:,}")
        return entry
    chance = request.chance
    for _ in range(STALE_DRAWS if chance.below(2) else 0):
        entry = _entry_of(frame, _recently_changed(frame, chance))
        if entry is not None and entry.stale:
            return entry
    entry = _entry_of(frame, chance.pick(frame.top_pairs(ENTRIES))[0])
    assert entry is not None  # every pair that occurs has an entry
    return entry


def _recently_changed(frame: Frame, chance: Chance) -> Pair:
    """Draw a pair whose count one of the last merges changed, except the merged pair."""
    record = frame.run.record
    index = frame.step - 1 - chance.below(min(RECENT, frame.step))
    numbers = sorted(record.counts.changes(index)[0].tolist())
    others = [number for number in numbers if number != record.merged[index]]
    return record.pairs[chance.pick(others or numbers)]


def _entry_of(frame: Frame, pair: Pair) -> QueueEntry | None:
    """Return the heap's entry of a pair; `None` if it has none."""
    record = frame.run.record
    number = record.pairs.number_of(pair)
    claim = 0 if number is None else claim_of(record, number, frame.step)
    return QueueEntry(pair, claim, frame.count_of(pair), 0, False) if claim else None


def _merges_to_show(frame: Frame, entry: QueueEntry) -> tuple[int, ...]:
    """Return the indices of some merges since the entry was right.

    First those that changed the count of a stale entry; the rest did not: one that has a token of
    the pair, then the last ones.
    """
    record = frame.run.record
    number = record.pairs.number_of(entry.pair)
    assert number is not None  # it has an entry
    states, counts = (found.tolist() for found in record.counts.history(number, frame.step))
    changing = [state - 1 for state in states if state]
    # A count only falls, so the entry was right up to the last state that had its count.
    right_at = [at for at, count in zip(states, counts, strict=True) if count == entry.recorded]
    since = right_at[-1] if right_at else 0
    shown = [index for index in changing if index >= since][-MERGES:] if entry.stale else []
    last = range(frame.step - 1, since - 1, -1)[:MOST_READ]
    others = [index for index in last if index not in set(changing)]
    own = set(entry.pair)
    near = [index for index in others if own & set(frame.merge_at(index).pair)][:1]
    others = near + [index for index in others if index not in near]
    return tuple(sorted(shown + others[: max(MERGES - len(shown), 0)]))


def _merge_with_example(frame: Frame, index: int, pair: Pair) -> Sentence:
    """Describe a merge by a word that shows what it took of the pair, or by any of its words."""
    merged = frame.merge_at(index).pair
    words = (f"merge {index + 1:,}: ", *pair_words(frame, merged))
    example = None
    for affected in islice(frame.at(index + 1).affected(MOST_READ), MOST_READ):
        example = example or affected
        if pair in pair_changes(affected):
            example = affected
            break
    if example is None:
        return say(*words)
    return say(*words, "   as in ", *joining(frame, example.before, merged))


def _why_stale_or_true(
    frame: Frame, entry: QueueEntry, merges: Sequence[int]
) -> tuple[Sentence, ...]:
    pair, record = pair_words(frame, entry.pair), frame.run.record
    if not entry.stale:
        return (say("it is true: ", *pair, f" still occurs {times(entry.count)}."),)
    first = say(
        *("it is stale: ", *pair, f" occurs {times(entry.count)} now, not {entry.recorded:,}.")
    )
    number = record.pairs.number_of(entry.pair)
    changed = [index for index in merges if number in record.counts.changes(index)[0]]
    if not changed:
        return (first,)
    merged = pair_words(frame, frame.merge_at(changed[0]).pair)
    return first, say(f"Merge {changed[0] + 1:,}, ", *merged, ", changed its count.")


STALE = Kind("stale", (Frame,), "BPE", _pose_stale)
