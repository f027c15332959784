"""The known mistakes of trainers. To add one, add an entry to `CAUSES`.

An entry has a name, a sentence, and the trainers that make the mistake. Most are of two kinds:

    _habit     a mistake in counting pairs, in merging, or in keeping the counts
    _reading   a mistake in reading the corpus: a function makes the documents that were read
    Cause      any other: a function that gives the trainers to try

Functions of several lines are above the table, under the entry's kind.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain, pairwise

import regex

from engine.analysis.check.claim import Assignment
from engine.analysis.check.mistaken_trainer import (
    EXACTLY,
    LARGEST_TRIED,
    ORDERS,
    STRAY_PATTERNS,
    Cause,
    CountDelta,
    Deviation,
    DivergenceCase,
    DocumentReader,
    Documents,
    Procedure,
    Slip,
    Word,
    recounted,
)
from engine.analysis.check.steps_file import ClaimedStep
from engine.core.events import Pair
from engine.core.registry import Registry, registry_of
from engine.encoding.merging import merge_pair
from engine.text.patterns import PATTERNS
from engine.text.pretokenize import SpecialSplitter, to_bytes, to_text

# -- slips: the trainer is right, and a line of the list that it wrote is not
#
# A slip explains a divergence only if it explains everything: all merges but the lines in question
# are the rule's, in its order. So the rule's own list is made as far as the trainer's goes.

MOST_LINES = 50
"""Lines in a row that may be missing, or too many."""


def _place_of(step: ClaimedStep, steps: Sequence[ClaimedStep], start: int, end: int) -> int | None:
    """Find the step with the same pair between two places."""
    return next(
        (at for at, each in enumerate(steps[start:end], start) if each.pair == step.pair), None
    )


def _missing(case: DivergenceCase) -> Iterator[Slip]:
    """Look for the trainer's pair a few lines further on in the rule's list."""
    first, steps = case.divergence, case.steps
    if case.is_tie and first == len(steps) - 1:
        return  # it took the other of two, and there is no later merge to confirm a slip
    rule = case.assignment.first_by_rule(len(steps) + MOST_LINES)
    last = _place_of(steps[first], rule, first + 1, first + 1 + MOST_LINES)
    if last is not None:
        made = chain(rule[:first], rule[last:])
        merges, are, _ = _wording(first, last)
        yield Slip(f"{merges} of the rule {are} missing from yours", list(made), first - last)


def _too_many(case: DivergenceCase) -> Iterator[Slip]:
    """Look for the rule's pair a few lines further on in the trainer's list."""
    first, steps = case.divergence, case.steps
    rule = case.assignment.first_by_rule(len(steps))
    if first >= len(rule):
        return
    last = _place_of(rule[first], steps, first + 1, first + 1 + MOST_LINES)
    if last is not None:
        made = chain(rule[:first], steps[first:last], rule[first:])
        merges, are, lines = _wording(first, last)
        yield Slip(f"your {merges} {are} {lines} too many", list(made), last - first)


def _swapped(case: DivergenceCase) -> Iterator[Slip]:
    """Swap the rule's merge with the one that the trainer took, wherever the rule has that."""
    first, steps = case.divergence, case.steps
    rule = case.assignment.first_by_rule(len(steps))
    other = _place_of(steps[first], rule, first + 1, len(steps))
    if other is not None:
        made = list(rule)
        made[first], made[other] = made[other], made[first]
        yield Slip(f"merges {first + 1:,} and {other + 1:,} are swapped", made, 0)


def _wording(first: int, last: int) -> tuple[str, str, str]:
    """Return (`merges 35 to 37`, `are`, `lines`) for `first` to before `last`, both from 0."""
    if last == first + 1:
        return f"merge {first + 1:,}", "is", "a line"
    return f"merges {first + 1:,} to {last:,}", "are", "lines"


# -- habits: how a trainer counts, merges, keeps its counts
def _habit(name: str, sentence: str, **habits: object) -> Cause:
    """Return a mistake in counting, merging or keeping the counts: other fields of `Habits`."""

    def change(procedure: Procedure) -> Procedure:
        changed = replace(procedure.habits, **habits)  # type: ignore[arg-type]
        return replace(procedure, habits=changed)

    return Cause(name, sentence, lambda case: [Deviation(sentence, change)])


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


def neighbours_before(before: Word, after: Word, pair: Pair, new_id: int) -> Iterator[CountDelta]:
    """Take the neighbours of each occurrence from the word before the merge.

    Where two occurrences are adjacent (`abab`) the neighbour is about to merge, too: pairs are
    counted that will not be there, and the pair of the two new tokens is not.
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


def left_merged_already(before: Word, after: Word, pair: Pair, new_id: int) -> Iterator[CountDelta]:
    """Take the left neighbour from the word that is being built.

    Where two occurrences are adjacent (`abab`) it is the new token already: its pair with `a` is
    subtracted, which was never counted.
    """
    yield from EXACTLY(before, after, pair, new_id)
    yield from (((new_id, pair[0]), -1) for both in pairwise(after) if both == (new_id, new_id))


# -- readings: the corpus as a trainer may have read it
def _reading(name: str, sentence: str, *reads: DocumentReader) -> Cause:
    """Return a mistake in reading the corpus, in one or several variants."""

    def deviations(case: DivergenceCase) -> Iterator[Deviation]:
        here = case.assignment
        for read in reads:
            if read(here, here.documents) != here.documents:
                yield Deviation(sentence, lambda procedure, read=read: procedure.reading(read))  # type: ignore[misc]

    return Cause(name, sentence, deviations, cost=1)


def _each(change: Callable[[bytes], bytes]) -> DocumentReader:
    """Return a reading that changes each document by itself."""
    return lambda here, documents: [change(document) for document in documents]


def _in_pieces(cut: Callable[[bytes], Sequence[bytes]]) -> DocumentReader:
    """Return a reading that cuts each document into pieces and reads each piece by itself."""
    return lambda here, documents: [piece for document in documents for piece in cut(document)]


def _stripped_lines(document: bytes) -> list[bytes]:
    return [to_bytes(line.strip()) for line in to_text(document).split("\n")]


def _unescaped(here: Assignment, documents: Documents) -> Documents:
    """Split like `re.split("|".join(special_tokens), text)`: `<|e|>` cuts at `<`, `e` and `>`."""
    source = "|".join(here.special_tokens)
    try:
        pieces = regex.split(source, to_text(here.text), timeout=SECONDS_TO_SPLIT)
    except (regex.error, ValueError, TimeoutError):
        return documents
    return [to_bytes(piece) for piece in pieces if piece]


SECONDS_TO_SPLIT = 5.0


# Chunks: trainers cut a corpus into one for each process, or read a number of bytes at a time.

NUMBERS_OF_CHUNKS = (2, 3, 4, 6, 8, 10, 12, 16, 20, 24, 32, 64, 100)
SIZES_OF_CHUNKS = (1 << 10, 1 << 12, 1 << 13, 1 << 16, 1 << 20, 1 << 22, 1 << 24, 10**6, 10**7)

_CHUNKED = "the corpus is cut in chunks anywhere, also inside pretokens and special tokens"


def _chunk_borders(case: DivergenceCase) -> Iterator[Deviation]:
    text = case.assignment.text
    for number in NUMBERS_OF_CHUNKS:
        if number <= len(text):
            yield _chunked(f"{number} chunks", len(text) // number, number)
    for size in SIZES_OF_CHUNKS:
        if size < len(text):
            yield _chunked(f"chunks of {size:,} bytes", size, -(-len(text) // size))


def _chunked(variant: str, size: int, number: int) -> Deviation:
    def read(here: Assignment, documents: Documents) -> Documents:
        places = [*(size * place for place in range(number)), len(here.text)]
        chunks = (here.text[start:end] for start, end in pairwise(places))
        # A character that is cut in two is lost: chunks are decoded with errors="ignore".
        whole = (chunk.decode("utf-8", "ignore").encode() for chunk in chunks)
        cut = SpecialSplitter(here.special_tokens).documents
        return [document for chunk in whole for document in cut(chunk)]

    sentence = f"{_CHUNKED}: here in {variant}"
    return Deviation(sentence, lambda procedure: procedure.reading(read), variant)


_LAST_LOST = "the last chunk of the corpus is never counted"


def _last_chunk_lost(case: DivergenceCase) -> Iterator[Deviation]:
    here = case.assignment
    marks = [to_bytes(token) for token in here.special_tokens] or [b"\n", b""]
    ends: dict[int, int] = {}
    for number in NUMBERS_OF_CHUNKS:
        guess = len(here.text) // number * (number - 1)
        for mark in (*marks, b""):  # a chunk ends where the next document begins, or anywhere
            ends.setdefault(here.text.find(mark, guess), number)
    for end, number in ends.items():
        if end > 0:
            variant = f"{number} chunks"
            change = partial(Procedure.reading, read=partial(_read_up_to, end))
            yield Deviation(f"{_LAST_LOST}: here of {variant}", change, variant)


def _read_up_to(end: int, here: Assignment, documents: Documents) -> Documents:
    return SpecialSplitter(here.special_tokens).documents(here.text[:end])


# -- patterns, and none


def _other_patterns(case: DivergenceCase) -> Iterator[Deviation]:
    for pattern in PATTERNS.values():
        if pattern != case.assignment.pattern and pattern.name != "none":
            sentence = f"the text is cut by another pattern, {pattern.name}: {pattern.summary}"
            yield Deviation(sentence, partial(Procedure.cutting, pattern=pattern), pattern.name)


def _stray_patterns(case: DivergenceCase) -> Iterator[Deviation]:
    if len(case.assignment.text) <= LARGEST_TRIED:
        for pattern in STRAY_PATTERNS:
            sentence = f"the text is cut by another pattern: {pattern.source}"
            yield Deviation(sentence, partial(Procedure.cutting, pattern=pattern), pattern.source)


_UNCUT = "pairs are counted across the borders of pretokens: each document is one long sequence"


def _no_pretokens(case: DivergenceCase) -> Iterator[Deviation]:
    here = case.assignment
    # Each byte of a pretoken takes forty in memory. For a larger corpus, too, the report says
    # whether the pair crosses a border.
    if len(here.text) <= LARGEST_TRIED and here.pattern.name != "none":
        yield Deviation(_UNCUT, lambda procedure: procedure.cutting(PATTERNS["none"]))


_UNWEIGHTED = "every distinct pretoken is counted once, not as often as it occurs"
_CHARACTERS = "the merges start from characters, not from bytes"


# -- tie rules


def _tie_rules(case: DivergenceCase) -> Iterator[Deviation]:
    for rule in ORDERS if case.is_tie else ():
        if rule != case.assignment.tie_rule:
            sentence = f"ties are decided by another rule, {rule.name}: {rule.summary}"
            change = partial(replace, tie_rule=rule)
            yield Deviation(sentence, change, rule.name)


# -- the table, from mild to grave; of causes that explain as much, the earlier is named first
CAUSES: Registry[Cause] = registry_of(
    "cause",
    Cause("tie-rule", "ties are decided by another rule", _tie_rules),
    _habit(
        "overlap",
        "a pair that overlaps itself is counted without overlap: once in aaa, not twice",
        pairs_of=pairs_apart,
        changes=recounted(pairs_apart),
    ),
    _reading(
        "special-counted",
        "the text of special tokens is counted: they are not cut out before counting",
        lambda here, documents: [here.text],
    ),
    Cause("border-crossed", _UNCUT, _no_pretokens, cost=1),
    _habit(
        "stale-heap",
        "a stale entry is taken from the heap: its count is not compared with the true one",
        changes=only_new_pairs,
        skips_gone=True,
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
    _habit(
        "once-a-word",
        "a pair is counted once in each pretoken, however often it occurs in it",
        pairs_of=pairs_once,
        changes=recounted(pairs_once),
    ),
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
    _reading(
        "documents-joined",
        "documents are not kept apart: special tokens are removed, and the texts around them join",
        lambda here, documents: [b"".join(documents)],
    ),
    _reading(
        "special-spaced",
        "documents are not kept apart: a space takes the place of each special token",
        lambda here, documents: [b" ".join(documents)],
    ),
    _reading(
        "special-unescaped",
        "special tokens are given to re.split without re.escape, where | means `or`",
        _unescaped,
    ),
    _reading(
        "documents-stripped",
        "documents are stripped: the whitespace at their edges is lost",
        _each(lambda document: to_bytes(to_text(document).strip())),
    ),
    _reading(
        "line-by-line",
        "the corpus is read line by line: no pretoken goes on behind a newline",
        _in_pieces(lambda document: re.findall(rb"[^\n]*\n|[^\n]+", document)),
    ),
    _reading(
        "newlines-lost",
        "the corpus is read in lines without their ends: newlines are never counted",
        _in_pieces(lambda document: document.split(b"\n")),
    ),
    _reading(
        "newlines-translated",
        "the file is opened as text without newline='': every \\r\\n is read as \\n",
        _each(lambda document: document.replace(b"\r\n", b"\n").replace(b"\r", b"\n")),
    ),
    _reading(
        "lines-stripped",
        "lines are stripped: the whitespace at their edges is lost",
        _in_pieces(_stripped_lines),
        _each(lambda document: b"\n".join(_stripped_lines(document))),
    ),
    _reading(
        "bytes-replaced",
        "the file is decoded with errors='replace': invalid bytes become U+FFFD",
        _each(lambda document: document.decode("utf-8", "replace").encode()),
    ),
    _reading(
        "lower-cased",
        "the text is turned into lower case",
        _each(lambda document: to_bytes(to_text(document).lower())),
    ),
    Cause(
        "characters",
        _CHARACTERS,
        lambda case: (
            []
            if case.assignment.text.isascii()
            else [Deviation(_CHARACTERS, lambda procedure: replace(procedure, characters=True))]
        ),
    ),
    Cause(
        "unweighted",
        _UNWEIGHTED,
        lambda case: [Deviation(_UNWEIGHTED, lambda procedure: replace(procedure, weighs=False))],
    ),
    Cause("missing-line", "lines of the list of merges are missing", _missing, cost=1),
    Cause("swapped-lines", "two lines of the list of merges are swapped", _swapped, cost=1),
    Cause("line-too-many", "the list of merges has lines that do not belong", _too_many, cost=1),
    Cause("stray-pattern", "the text is cut by a pattern without a name", _stray_patterns, cost=2),
    Cause("chunk-borders", _CHUNKED, _chunk_borders, cost=2),
    Cause("last-chunk-lost", _LAST_LOST, _last_chunk_lost, cost=2),
)
