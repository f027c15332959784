"""The known mistakes of trainers. To add one, add an entry to `CAUSES`.

An entry has a name, a sentence, and the trainers that make the mistake. Most are of two kinds:

    _habit             a mistake in counting pairs, in merging, or in keeping the counts
    readings.reading   a mistake in reading the corpus: a function makes the documents that are read
    Cause              any other: a function that gives the trainers to try

Functions of several lines are above the table, or in `readings`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain, pairwise

from engine.analysis.check import readings
from engine.analysis.check.claim import Assignment
from engine.analysis.check.mistaken_trainer import (
    EXACTLY,
    ORDERS,
    STRAY_PATTERNS,
    Cause,
    CountDelta,
    Deviation,
    DivergenceCase,
    Procedure,
    Slip,
    Word,
    recounted,
)
from engine.analysis.check.steps_file import ClaimedStep
from engine.core.events import Pair
from engine.core.registry import Registry, registry_of
from engine.core.wording import Sentence, say
from engine.encoding.merging import merge_pair
from engine.text.patterns import PATTERNS
from engine.text.pretokenize import to_bytes, to_text


# -- habits: how a trainer counts, merges, keeps its counts
def _habit(name: str, sentence: str, **habits: object) -> Cause:
    """Return a mistake in counting, merging or keeping the counts: other fields of `Habits`."""
    return _habits(name, sentence, {"": habits})


def _habits(name: str, sentence: str, variants: Mapping[str, Mapping[str, object]]) -> Cause:
    """Return such a mistake in several variants."""
    deviations = [
        Deviation(readings.variant_of(sentence, variant), partial(_with_habits, habits), variant)
        for variant, habits in variants.items()
    ]
    return Cause(name, sentence, lambda case: deviations)


def _with_habits(habits: Mapping[str, object], procedure: Procedure) -> Procedure:
    changed = replace(procedure.habits, **habits)  # type: ignore[arg-type]
    return replace(procedure, habits=changed)


def pairs_apart(word: Word) -> Iterator[Pair]:
    """Yield the pairs of neighbours; one that overlaps itself is counted without overlap.

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


def pairs_but_last(word: Word) -> Iterator[Pair]:
    """Return the pairs of neighbours without the last one, as of `range(len(word) - 2)`.

    >>> list(pairs_but_last([7, 8, 9]))
    [(7, 8)]
    """
    return pairwise(word[:-1])


def pairs_once(word: Word) -> Iterator[Pair]:
    """Return the different pairs of neighbours, each once.

    >>> list(pairs_once([7, 8, 7, 8]))
    [(7, 8), (8, 7)]
    """
    return iter(dict.fromkeys(pairwise(word)))


def merge_first_only(word: Word, pair: Pair, new_id: int) -> list[int]:
    """Replace only the first occurrence."""
    for place, adjacent in enumerate(pairwise(word)):
        if adjacent == pair:
            return [*word[:place], new_id, *word[place + 2 :]]
    return list(word)


def only_new_pairs(before: Word, after: Word, pair: Pair, new_id: int) -> Iterator[CountDelta]:
    """Count new pairs; the pairs that they took tokens from keep their old counts."""
    return ((come, +1) for come in pairwise(after) if new_id in come)


def only_old_pairs(before: Word, after: Word, pair: Pair, new_id: int) -> Iterator[CountDelta]:
    """Count old pairs down; pairs with the new token are never counted."""
    yield from ((gone, -1) for gone in pairwise(before))
    yield from ((left, +1) for left in pairwise(after) if new_id not in left)


def neighbours_before(
    before: Word, after: Word, pair: Pair, new_id: int, left: bool = True, right: bool = True
) -> Iterator[CountDelta]:
    """Take the neighbours of each occurrence from the word before the merge, those of some sides.

    Where two occurrences are adjacent (`abab`) the neighbour is about to merge, too: pairs are
    counted that will not be there, and the pair of the two new tokens is not.
    """
    position, last = 0, len(before) - 2
    while position <= last:
        if (before[position], before[position + 1]) != pair:
            position += 1
            continue
        yield pair, -1
        if position and left:
            yield (before[position - 1], pair[0]), -1
            yield (before[position - 1], new_id), +1
        if position < last and right:
            yield (pair[1], before[position + 2]), -1
            yield (new_id, before[position + 2]), +1
        position += 2


def left_merged_already(before: Word, after: Word, pair: Pair, new_id: int) -> Iterator[CountDelta]:
    """Take the left neighbour from the word that is being built.

    Where two occurrences are adjacent (`abab`) it is the new token already: its pair with `a` is
    subtracted, which was never counted.
    """
    yield from EXACTLY(before, after, pair, new_id)
    for adjacent in pairwise(after):
        if adjacent == (new_id, new_id):
            yield (new_id, pair[0]), -1


# -- patterns, and none


def _other_patterns(case: DivergenceCase) -> Iterator[Deviation]:
    for pattern in PATTERNS.values():
        if pattern != case.assignment.pattern and pattern.name != "none":
            sentence = say(OTHER_PATTERN, pattern=pattern.name, summary=say(pattern.summary))
            yield Deviation(sentence, partial(Procedure.cutting, pattern=pattern), pattern.name)


def _stray_patterns(case: DivergenceCase) -> Iterator[Deviation]:
    if case.is_small:
        for pattern in STRAY_PATTERNS:
            sentence = say("the text is cut by another pattern: {source}", source=pattern.source)
            yield Deviation(sentence, partial(Procedure.cutting, pattern=pattern), pattern.source)


_UNCUT = "pairs are counted across the borders of pretokens: each document is one long sequence"


def _no_pretokens(case: DivergenceCase) -> Iterator[Deviation]:
    # Each byte of a pretoken takes forty in memory. For a larger corpus, too, the report says
    # whether the pair crosses a border.
    if case.is_small and case.assignment.pattern.name != "none":
        yield Deviation(_UNCUT, lambda procedure: procedure.cutting(PATTERNS["none"]))


_UNWEIGHTED = "every distinct pretoken is counted once, not as often as it occurs"


def _each_once(here: Assignment, counts: Mapping[bytes, int]) -> Mapping[bytes, int]:
    return dict.fromkeys(counts, 1)


_RARE = "pretokens that occur rarely are not counted"


def _without_rare(here: Assignment, counts: Mapping[bytes, int], least: int) -> Mapping[bytes, int]:
    return {pretoken: count for pretoken, count in counts.items() if count >= least}


def _rare_lost(case: DivergenceCase) -> Iterator[Deviation]:
    for least in (2, 3, 5, 10):
        variant = f"count < {least}"
        recount = partial(_without_rare, least=least)
        change = partial(Procedure.recounting, recount=recount)
        yield Deviation(readings.variant_of(_RARE, variant), change, variant)


_CHARACTERS = "the merges start from characters, not from bytes"


# -- several merges from the same counts

ROUND = "several merges are made before the counts are looked at again"
ROUNDS = (*range(2, 21), 25, 32, 50, 64, 100)
"""Numbers of merges of a round that are tried."""


def _rounds(case: DivergenceCase) -> Iterator[Deviation]:
    tied = "all tied pairs are merged before the counts are looked at again"
    yield Deviation(say(tied), partial(_with_habits, {"merges_a_round": 0}), "tied")
    for number in ROUNDS if case.is_small else ():
        if number >= len(case.steps):
            return
        change = partial(_with_habits, {"merges_a_round": number})
        sentence = say("{n} merges are made before the counts are looked at again", n=str(number))
        yield Deviation(sentence, change, str(number))


# -- tie rules


OTHER_PATTERN = "the text is cut by another pattern, {pattern}: {summary}"
OTHER_RULE = "ties are decided by another rule, {rule}: {summary}"


def _tie_rules(case: DivergenceCase) -> Iterator[Deviation]:
    for rule in ORDERS if case.is_tie else ():
        if rule != case.assignment.tie_rule:
            sentence = say(OTHER_RULE, rule=rule.name, summary=say(rule.summary))
            yield Deviation(sentence, partial(replace, tie_rule=rule), rule.name)


# -- slips: the trainer is right, and a line of the list that it wrote is not
#
# A slip explains a divergence only if it explains everything: all merges but the lines in question
# are the rule's, in its order. So the rule's own list is made as far as the trainer's goes.
MOST_LINES = 50
"""Lines in a row that may be missing, or too many."""


def _place_of(
    step: ClaimedStep, steps: Sequence[ClaimedStep], before: int, most: int
) -> int | None:
    """Find the step with the same pair among the next ones after a place, as many as `most`."""
    start = before + 1
    following = enumerate(steps[start : start + most], start)
    return next((at for at, each in following if each.pair == step.pair), None)


def _missing(case: DivergenceCase) -> Iterator[Slip]:
    """Look for the trainer's pair a few lines further on in the rule's list."""
    first, steps = case.divergence, case.steps
    if case.is_tie and first == len(steps) - 1:
        return  # it took the other of two, and there is no later merge to confirm a slip
    rule = case.assignment.first_by_rule(len(steps) + MOST_LINES)
    last = _place_of(steps[first], rule, first, MOST_LINES)
    if last is not None:
        made = chain(rule[:first], rule[last:])
        one, several = "merge {n} of the rule is missing from yours", MISSING
        yield Slip(_lines(one, several, first, last), list(made), first - last)


def _too_many(case: DivergenceCase) -> Iterator[Slip]:
    """Look for the rule's pair a few lines further on in the trainer's list."""
    first, steps = case.divergence, case.steps
    rule = case.assignment.first_by_rule(len(steps))
    if first >= len(rule):
        return
    last = _place_of(rule[first], steps, first, MOST_LINES)
    if last is not None:
        made = chain(rule[:first], steps[first:last], rule[first:])
        one, several = "your merge {n} is a line too many", TOO_MANY
        yield Slip(_lines(one, several, first, last), list(made), last - first)


def _swapped(case: DivergenceCase) -> Iterator[Slip]:
    """Swap the rule's merge with the one that the trainer took, wherever the rule has that."""
    first, steps = case.divergence, case.steps
    rule = case.assignment.first_by_rule(len(steps))
    other = _place_of(steps[first], rule, first, len(steps))
    if other is not None:
        made = list(rule)
        made[first], made[other] = made[other], made[first]
        numbers = {"n": f"{first + 1:,}", "m": f"{other + 1:,}"}
        yield Slip(say("merges {n} and {m} are swapped", **numbers), made, 0)


def _reordered(case: DivergenceCase) -> Iterator[Slip]:
    """Compare the merges as a set: all are the rule's first ones, in another order.

    No trainer makes the order itself: a token is used before it is made, or lengths ascend.
    """
    rule = [step.pair for step in case.assignment.first_by_rule(len(case.steps))]
    made = [step.pair for step in case.steps]
    tokens = [left + right for left, right in made]
    is_early = any(
        len(part) > 1 and part not in tokens[:place]
        for place, pair in enumerate(made)
        for part in pair
    )
    lengths = [*map(len, tokens)]
    is_sorted = is_early or lengths == sorted(lengths)
    if is_sorted and made != rule and Counter(made) == Counter(rule):
        yield Slip(say(REORDERED), case.steps, 0)


REORDERED = "the merges are those of the rule, but in another order: sorted, or taken from a set"
MISSING = "merges {n} to {last} of the rule are missing from yours"
TOO_MANY = "your merges {n} to {last} are lines too many"


def _lines(one: str, several: str, first: int, last: int) -> Sentence:
    """Return the sentence about the merges from `first` to before `last`, both from 0."""
    n = f"{first + 1:,}"
    return say(one, n=n) if last == first + 1 else say(several, n=n, last=f"{last:,}")


# -- the table, from likely to unlikely; of causes that explain as much, the earlier is named first
CAUSES: Registry[str, Cause] = registry_of(
    "cause",
    Cause("tie-rule", "ties are decided by another rule", _tie_rules),
    _habit(
        "overlap",
        "a pair that overlaps itself is counted without overlap: once in aaa, not twice",
        pairs_of=pairs_apart,
        changes=recounted(pairs_apart),
    ),
    readings.reading(
        "special-counted",
        "the text of special tokens is counted: they are not cut out before counting",
        lambda here, documents: [here.text],
    ),
    Cause("special-captured", readings.CAPTURED, readings.captured, cost=1),
    Cause("border-crossed", _UNCUT, _no_pretokens, cost=1),
    _habits(
        "stale-heap",
        "a stale entry is taken from the heap: its count is not compared with the true one",
        {
            "pairs that are gone are skipped": {"changes": only_new_pairs, "skips_gone": True},
            "pairs that are gone merge again": {"checks_heap": False},
        },
    ),
    _habit(
        "not-lowered",
        "counts are never lowered: the pairs that a merge takes tokens from keep theirs",
        changes=only_new_pairs,
    ),
    _habit("not-entered", "pairs with the new token are never counted", changes=only_old_pairs),
    _habit(
        "not-updated",
        "the merge is applied, but the counts stay as they were at the start",
        changes=lambda *_: iter(()),
    ),
    _habit(
        "neighbours-before",
        "where two occurrences are adjacent, as in abab, each is given the other's "
        "old token for a neighbour",
        changes=neighbours_before,
    ),
    _habit(
        "left-merged-already",
        "where two occurrences are adjacent, as in abab, the second takes off a pair of the "
        "new token and a, which was never counted",
        changes=left_merged_already,
    ),
    _habits(
        "one-side",
        "after a merge the counts on one side of it are corrected, and not those on the other",
        {
            "the left side": {"changes": partial(neighbours_before, right=False)},
            "the right side": {"changes": partial(neighbours_before, left=False)},
        },
    ),
    _habit(
        "change-unweighted",
        "after a merge each distinct pretoken changes the counts by one, not as often as it occurs",
        weighs_changes=False,
    ),
    _habit(
        "once-a-word",
        "a pair is counted once in each pretoken, however often it occurs in it",
        pairs_of=pairs_once,
        changes=recounted(pairs_once),
    ),
    _habit(
        "last-pair-lost",
        "the last pair of each pretoken is not counted, as with range(len(word) - 2)",
        pairs_of=pairs_but_last,
        changes=recounted(pairs_but_last),
    ),
    Cause("merges-a-round", ROUND, _rounds),
    _habit(
        "from-the-right",
        "a pair that overlaps itself is merged from the right: aaa becomes a aa",
        merge_word=lambda word, pair, new_id: merge_pair(word[::-1], pair[::-1], new_id)[::-1],
    ),
    _habit(
        "first-only",
        "only the first occurrence in each pretoken is merged",
        merge_word=merge_first_only,
    ),
    Cause("pattern", "the text is cut by another pattern", _other_patterns, cost=1),
    readings.reading(
        "documents-joined",
        "documents are not kept apart: special tokens are removed, and the texts around them join",
        lambda here, documents: [b"".join(documents)],
    ),
    readings.reading(
        "special-spaced",
        "documents are not kept apart: a space takes the place of each special token",
        lambda here, documents: [b" ".join(documents)],
    ),
    readings.reading(
        "special-unescaped",
        "special tokens are given to re.split without re.escape, where | means `or`",
        readings.unescaped,
    ),
    readings.reading(
        "documents-stripped",
        "documents are stripped: the whitespace at their edges is lost",
        readings.each(lambda document: to_bytes(to_text(document).strip())),
    ),
    readings.reading(
        "newlines-translated",
        "the file is opened as text without newline='': every \\r\\n is read as \\n",
        readings.each(lambda document: document.replace(b"\r\n", b"\n").replace(b"\r", b"\n")),
    ),
    readings.reading(
        "line-by-line",
        "the corpus is read line by line: no pretoken goes on after a newline",
        readings.in_pieces(lambda document: re.findall(rb"[^\n]*\n|[^\n]+", document)),
    ),
    readings.reading(
        "newlines-lost",
        "the corpus is read in lines without their ends: newlines are never counted",
        readings.in_pieces(lambda document: document.split(b"\n")),
    ),
    readings.reading_variants(
        "newlines-removed",
        "all newlines are taken out",
        {
            "nothing in their place": readings.each(lambda document: document.replace(b"\n", b"")),
            "a space in their place": readings.each(lambda document: document.replace(b"\n", b" ")),
            "stripped lines joined": readings.each(
                lambda document: b"".join(readings.stripped_lines(document))
            ),
        },
    ),
    readings.reading(
        "first-document",
        "only the first document is counted: all after the first special token is lost",
        lambda here, documents: documents[:1],
    ),
    readings.reading_variants(
        "lines-stripped",
        "lines are stripped: the whitespace at their edges is lost",
        {
            "lines read one by one": readings.in_pieces(readings.stripped_lines),
            "lines joined again": readings.each(
                lambda document: b"\n".join(readings.stripped_lines(document))
            ),
            "lines of the whole file": readings.of_file(
                lambda text: b"\n".join(readings.stripped_lines(text))
            ),
        },
    ),
    readings.reading_variants(
        "whitespace-joined",
        "words are joined by single spaces, as by ' '.join(text.split()): other whitespace is lost",
        {
            "each document by itself": readings.each(readings.joined_by_spaces),
            "the whole corpus": readings.all_joined_by_spaces,
        },
    ),
    readings.reading_variants(
        "line-lost",
        "a line of the corpus is never read",
        {
            "the first line": readings.without_first_line,
            "the last line": readings.without_last_line,
        },
    ),
    Cause(
        "characters",
        _CHARACTERS,
        lambda case: (
            []
            if case.assignment.text.isascii()
            else [Deviation(_CHARACTERS, lambda procedure: replace(procedure, characters=True))]
        ),
        cost=1,
    ),
    readings.reading_variants(
        "bytes-replaced",
        "the file is decoded with errors='replace': invalid bytes become U+FFFD",
        readings.decoded_with("replace"),
    ),
    readings.reading_variants(
        "bytes-ignored",
        "the file is decoded with errors='ignore': invalid bytes are lost",
        readings.decoded_with("ignore"),
    ),
    Cause("only-ascii", readings.ONLY_ASCII, readings.only_ascii, cost=1),
    Cause("decoded-latin-1", readings.DECODED, readings.decoded, cost=1),
    Cause("encoded-latin-1", readings.ENCODED, readings.encoded, cost=1),
    readings.reading_variants(
        "normalized",
        "the text is normalized by unicodedata.normalize",
        {
            "NFC": readings.normalized("NFC"),
            "NFKC": readings.normalized("NFKC"),
            "NFD": readings.normalized("NFD"),
            "NFKD": readings.normalized("NFKD"),
        },
    ),
    readings.reading(
        "lower-cased",
        "the text is turned into lower case",
        readings.each(lambda document: to_bytes(to_text(document).lower())),
    ),
    Cause(
        "unweighted",
        _UNWEIGHTED,
        lambda case: [Deviation(_UNWEIGHTED, partial(Procedure.recounting, recount=_each_once))],
    ),
    Cause("rare-lost", _RARE, _rare_lost),
    Cause("missing-line", "lines of the list of merges are missing", _missing, cost=2),
    Cause("stray-pattern", "the text is cut by a pattern without a name", _stray_patterns, cost=2),
    Cause("chunk-borders", readings.CHUNKED, readings.chunk_borders, cost=2),
    Cause("last-chunk-lost", readings.LAST_LOST, readings.last_chunk_lost, cost=2),
    Cause("swapped-lines", "two lines of the list of merges are swapped", _swapped, cost=2),
    Cause("reordered", REORDERED, _reordered, cost=2),
    Cause("line-too-many", "the list of merges has lines that do not belong", _too_many, cost=2),
)

OF_LISTS = "missing-line", "swapped-lines", "line-too-many"
"""Causes that are found by comparing the list with the rule's."""
