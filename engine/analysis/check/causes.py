"""The known mistakes of trainers. To add one, add an entry to `CAUSES`.

An entry has a name, a sentence, and the trainers that make the mistake. Most are of one kind:

    _habit     a mistake in counting pairs, in merging, or in keeping the counts
    _reading   a mistake in reading the corpus: a function makes the text that was read instead
    Cause      any other: a function that gives the trainers to try

Functions of several lines stand above the table, under the entry's kind.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain, pairwise

from engine.analysis.check.assignment import Assignment, steps_of
from engine.analysis.check.explanation import Case, Cause, Deviation
from engine.analysis.check.mistaken_trainer import (
    ORDERS,
    Change,
    Habits,
    Word,
    merges_with_habits,
    recounted,
)
from engine.analysis.check.steps_file import ClaimedStep
from engine.bpe.ties import TieRule
from engine.bpe.trainers import DEFAULT_TRAINER, algorithm_for, heap
from engine.core.events import Pair
from engine.core.registry import Registry, registry_of
from engine.counting.count import count_text
from engine.encoding.merging import merge_pair
from engine.text.patterns import PATTERNS, Pattern
from engine.text.pretokenize import to_text

# -- habits: how a trainer counts, merges, keeps its counts


def _habit(name: str, sentence: str, habits: Habits) -> Cause:
    """A mistake in counting, merging or keeping the counts."""

    def deviations(case: Case) -> Iterator[Deviation]:
        yield Deviation(sentence, lambda: merges_with_habits(case.assignment.problem(), habits))

    return Cause(name, sentence, deviations)


def pairs_apart(word: Word) -> Iterator[Pair]:
    """The pairs of neighbours, a pair that overlaps itself counted without overlap.

    >>> list(pairs_apart([7, 7, 7]))
    [(7, 7)]
    """
    last: Pair | None = None
    for pair in pairwise(word):
        if pair == last:
            last = None
        else:
            yield pair
            last = pair


def merge_from_the_right(word: Word, pair: Pair, new_id: int) -> list[int]:
    """Replace the pair from right to left.

    >>> merge_from_the_right([6, 6, 6], (6, 6), 300)
    [6, 300]
    """
    return merge_pair(word[::-1], pair[::-1], new_id)[::-1]


def merge_first_only(word: Word, pair: Pair, new_id: int) -> list[int]:
    """Replace only the first occurrence, as `list.index` finds it."""
    for place, adjacent in enumerate(pairwise(word)):
        if adjacent == pair:
            return [*word[:place], new_id, *word[place + 2 :]]
    return list(word)


def only_new_pairs(before: Word, after: Word, pair: Pair, new_id: int) -> Iterator[Change]:
    """New pairs are counted; the pairs that they took tokens from keep their old counts."""
    return ((come, +1) for come in pairwise(after) if new_id in come)


def only_old_pairs(before: Word, after: Word, pair: Pair, new_id: int) -> Iterator[Change]:
    """Old pairs are counted down; those with the new token are never counted."""
    yield from ((gone, -1) for gone in pairwise(before))
    yield from ((left, +1) for left in pairwise(after) if new_id not in left)


def no_changes(before: Word, after: Word, pair: Pair, new_id: int) -> Iterator[Change]:
    """The counts stay as they were at the start."""
    return iter(())


def neighbours_before(before: Word, after: Word, pair: Pair, new_id: int) -> Iterator[Change]:
    """The neighbours of each occurrence are read from the word as it was.

    Where two occurrences stand side by side (`abab`) the neighbour is about to merge, too: pairs
    are counted that will not be there, and the pair of the two new tokens is not.
    """
    position, last = 0, len(before) - 2
    while position <= last:
        if (before[position], before[position + 1]) != pair:
            position += 1
            continue
        yield pair, -1
        if position:
            yield (before[position - 1], pair[0]), -1
            yield (before[position - 1], new_id), +1
        if position < last:
            yield (pair[1], before[position + 2]), -1
            yield (new_id, before[position + 2]), +1
        position += 2


# -- readings: the corpus as a trainer may have read it


def _reading(name: str, sentence: str, read: Callable[[Assignment, bytes], bytes]) -> Cause:
    """A mistake in reading the corpus.

    Args:
        read: assignment and a mark → the text that the trainer reads. The mark parts documents. It
            stands nowhere in the corpus, so it can be cut out as a special token is.
    """

    def deviations(case: Case) -> Iterator[Deviation]:
        here = case.assignment
        mark = b"\0document\0"
        while mark in here.text:
            mark += b"\0"
        text = read(here, mark)
        if text != mark.join(here.documents):
            yield Deviation(sentence, lambda: _by_rule(here, text, here.pattern, to_text(mark)))

    return Cause(name, sentence, deviations)


def _by_rule(
    assignment: Assignment, text: bytes, pattern: Pattern, *special_tokens: str
) -> Iterator[ClaimedStep]:
    """The merges that the rule takes on another text, or with another pattern."""
    return _by_rule_on(assignment, count_text(text, pattern, special_tokens))


def _by_rule_on(assignment: Assignment, counts: Mapping[bytes, int]) -> Iterator[ClaimedStep]:
    """The merges that the rule takes with other pretoken counts."""
    algorithm = algorithm_for(DEFAULT_TRAINER, assignment.tie_rule)
    return steps_of(algorithm, assignment.problem(counts))


# -- patterns, and none


def _other_patterns(case: Case) -> Iterator[Deviation]:
    here = case.assignment
    for pattern in PATTERNS.values():
        if pattern != here.pattern and pattern.name != "none":
            sentence = f"the text is cut by another pattern, {pattern.name}: {pattern.summary}"
            run = partial(_by_rule, here, here.text, pattern, *here.special_tokens)
            yield Deviation(sentence, run, pattern.name)


LARGEST_UNCUT = 1 << 23
"""Bytes of the largest corpus that is tried without pretokens: each byte takes forty in memory.

Of a larger one the report still says where a pair crosses a border.
"""
_UNCUT = "pairs are counted across the borders of pretokens: each document is one long sequence"


def _no_pretokens(case: Case) -> Iterator[Deviation]:
    here = case.assignment
    if len(here.text) <= LARGEST_UNCUT and here.pattern.name != "none":
        none = PATTERNS["none"]
        yield Deviation(_UNCUT, partial(_by_rule, here, here.text, none, *here.special_tokens))


_UNWEIGHTED = "every distinct pretoken is counted once, not as often as it occurs"


def _unweighted(case: Case) -> Iterator[Deviation]:
    once = dict.fromkeys(case.assignment.counts, 1)
    yield Deviation(_UNWEIGHTED, partial(_by_rule_on, case.assignment, once))


# -- tie rules


def _tie_rules(case: Case) -> Iterator[Deviation]:
    others = (rule for rule in ORDERS if rule != case.assignment.tie_rule)
    for rule in others if case.is_tie else ():
        sentence = f"ties are decided by another rule, {rule.name}: {rule.summary}"
        yield Deviation(sentence, partial(_by_tie_rule, case.assignment, rule), rule.name)


def _by_tie_rule(assignment: Assignment, rule: TieRule) -> Iterator[ClaimedStep]:
    # `heap` knows where a pair stands first, even if the rule asks only once.
    return steps_of(heap.ALGORITHM, assignment.problem(tie_rule=rule))


# -- the table; of causes that explain as much, the earlier is named first


# -- slips in the list of merges: the trainer is right, and a line of what it wrote is not
#
# A slip explains a divergence only if it explains everything: all merges but the lines in question
# are the rule's, in its order. So the rule's own list is made as far as the trainer's goes.

MOST_LINES = 50
"""Lines in a row that may be missing, or too many."""


def _place_of(step: ClaimedStep, steps: Sequence[ClaimedStep], start: int, end: int) -> int | None:
    """Where a step's pair is among others."""
    return next(
        (at for at, each in enumerate(steps[start:end], start) if each.pair == step.pair), None
    )


def _missing(case: Case) -> Iterator[Deviation]:
    """The pair that the trainer takes is the rule's some merges later."""
    first, steps = case.divergence, case.steps
    if case.is_tie and first == len(steps) - 1:
        return  # it took the other of two, and nothing behind it says more
    rule = case.assignment.first_by_rule(len(steps) + MOST_LINES)
    last = _place_of(steps[first], rule, first + 1, first + 1 + MOST_LINES)
    if last is not None:
        made = chain(rule[:first], rule[last:])
        sentence = f"{_lines(first, last)} of the rule {_are(last - first)} missing from yours"
        yield Deviation(sentence, partial(iter, list(made)), lines=first - last)


def _too_many(case: Case) -> Iterator[Deviation]:
    """The pair that the rule takes is the trainer's some merges later."""
    first, steps = case.divergence, case.steps
    rule = case.assignment.first_by_rule(len(steps))
    if first >= len(rule):
        return
    last = _place_of(rule[first], steps, first + 1, first + 1 + MOST_LINES)
    if last is not None:
        made = chain(rule[:first], steps[first:last], rule[first:])
        many = "a line" if last == first + 1 else "lines"
        sentence = f"your {_lines(first, last)} {_are(last - first)} {many} too many"
        yield Deviation(sentence, partial(iter, list(made)), lines=last - first)


def _swapped(case: Case) -> Iterator[Deviation]:
    """The trainer takes the rule's pair elsewhere, and there the rule takes the trainer's."""
    first, steps = case.divergence, case.steps
    rule = case.assignment.first_by_rule(len(steps))
    other = _place_of(steps[first], rule, first + 1, len(steps))
    if other is not None:
        made = list(rule)
        made[first], made[other] = made[other], made[first]
        sentence = f"merges {first + 1:,} and {other + 1:,} stand in each other's place"
        yield Deviation(sentence, partial(iter, made), lines=0)


def _lines(first: int, last: int) -> str:
    """Merges from `first` to before `last`, both from 0: `merge 35`, `merges 35 to 37`."""
    one = last == first + 1
    return f"merge {first + 1:,}" if one else f"merges {first + 1:,} to {last:,}"


def _are(count: int) -> str:
    return "is" if count == 1 else "are"


CAUSES: Registry[Cause] = registry_of(
    "cause",
    Cause("tie-rule", "ties are decided by another rule", _tie_rules),
    _habit(
        "overlap",
        "a pair that overlaps itself is counted without overlap: once in aaa, not twice",
        Habits(pairs_of=pairs_apart, changes=recounted(pairs_apart)),
    ),
    _reading(
        "special-counted",
        "the text of special tokens is counted: they are not cut out before counting",
        lambda here, mark: here.text,
    ),
    Cause("border-crossed", _UNCUT, _no_pretokens),
    _habit(
        "stale-heap",
        "a stale entry is taken from the heap: its count is not compared with the true one",
        Habits(changes=only_new_pairs, skips_gone=True),
    ),
    _habit(
        "not-lowered",
        "counts are never lowered: the pairs that a merge takes tokens from keep theirs",
        Habits(changes=only_new_pairs),
    ),
    _habit(
        "not-entered",
        "pairs with the new token are never counted",
        Habits(changes=only_old_pairs),
    ),
    _habit(
        "not-updated",
        "the merge is applied, but the counts stay as they were at the start",
        Habits(changes=no_changes),
    ),
    _habit(
        "neighbours-before",
        "where two occurrences stand side by side, as in abab, each is given the other's "
        "old token for a neighbour",
        Habits(changes=neighbours_before),
    ),
    _habit(
        "from-the-right",
        "a pair that overlaps itself is merged from the right: aaa becomes a aa",
        Habits(merge_word=merge_from_the_right),
    ),
    _habit(
        "first-only",
        "only the first occurrence in each pretoken is merged",
        Habits(merge_word=merge_first_only),
    ),
    Cause("pattern", "the text is cut by another pattern", _other_patterns),
    _reading(
        "documents-joined",
        "documents are not kept apart: special tokens are removed, and what stood around "
        "them joins",
        lambda here, mark: b"".join(here.documents),
    ),
    _reading(
        "documents-stripped",
        "documents are stripped: the whitespace at their edges is lost",
        lambda here, mark: mark.join(document.strip() for document in here.documents),
    ),
    _reading(
        "line-by-line",
        "the corpus is read line by line: no pretoken goes on behind a newline",
        lambda here, mark: mark.join(here.documents).replace(b"\n", b"\n" + mark),
    ),
    _reading(
        "newlines-lost",
        "the corpus is read in lines without their ends: newlines are never counted",
        lambda here, mark: mark.join(here.documents).replace(b"\n", mark),
    ),
    _reading(
        "newlines-translated",
        "the file is opened as text without newline='': every \\r\\n is read as \\n",
        lambda here, mark: mark.join(here.documents).replace(b"\r\n", b"\n").replace(b"\r", b"\n"),
    ),
    _reading(
        "bytes-replaced",
        "the file is decoded with errors='replace': invalid bytes become U+FFFD",
        lambda here, mark: mark.join(here.documents).decode("utf-8", "replace").encode(),
    ),
    Cause("unweighted", _UNWEIGHTED, _unweighted),
    Cause("missing-line", "lines of the list of merges are missing", _missing),
    Cause("swapped-lines", "two lines of the list of merges are swapped", _swapped),
    Cause("line-too-many", "the list of merges has lines that do not belong", _too_many),
)
