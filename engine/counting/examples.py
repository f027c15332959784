"""Example lines: text with frequent pretokens that do not occur at the beginning of a corpus.

A counts file has only the beginning of its text, so a screen could not show other pretokens in
their text. Therefore the file has a line for each of the commonest other pretokens, too.

    the commonest pretokens ── read the corpus again until all are found ──> pretoken → a line

Each of these pretokens gets the line of its first occurrence, unless it occurs in the line of
another. A line is the text around the pretoken, within its line and document, up to a length. The
program that writes the file finds the lines, so a cluster's file has the same lines.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from itertools import islice

import numpy as np

from engine.core.arrays import Ints
from engine.core.events import WorkProgress
from engine.counting.count import count_text, counter_for
from engine.counting.plain import CorpusCount
from engine.text.corpus import Corpus
from engine.text.patterns import Pattern, PatternLike, as_pattern
from engine.text.pretokenize import SpecialSplitter, to_bytes, to_text

MOST = 1 << 13
"""Largest number of pretokens with a line."""
LONGEST = 1 << 8
"""Largest number of bytes of such a pretoken."""
AROUND = 48
"""Bytes of the line before the pretoken, and after it."""
WITHIN = 1 << 26
"""Bytes of the text that are read again: frequent pretokens come early in most texts."""
TRIES = 64
"""Number of places to try in a chunk: the bytes may be inside a longer pretoken."""


def pretokens_of_head(
    corpus: Corpus, pattern: PatternLike, special_tokens: Sequence[str]
) -> frozenset[bytes]:
    """Return the pretokens of the beginning of the corpus, which need no example."""
    return frozenset(count_text(corpus.head, pattern, special_tokens))


def commonest(pretokens: Sequence[bytes], counts: Ints, known: Collection[bytes]) -> list[int]:
    """Return the places of the pretokens that get a line, the most frequent first.

    Args:
        pretokens: in order of first appearance, which decides between equal counts.
        known: pretokens that need no line.

    >>> commonest([b"a", b"b", b"c", b"d"], np.array([1, 2, 2, 9]), {b"d"})
    [1, 2, 0]
    """
    places = np.argsort(-counts, kind="stable")
    wanted = (
        place
        for place in map(int, places)
        if len(pretokens[place]) <= LONGEST and pretokens[place] not in known
    )
    return list(islice(wanted, MOST))


def examples_for(
    corpus: Corpus,
    count: CorpusCount,
    pattern: PatternLike,
    special_tokens: Sequence[str] = (),
    on_work: Callable[[WorkProgress], None] | None = None,
) -> dict[bytes, bytes]:
    """Return the example lines of a corpus that has been counted; see `example_lines`."""
    if corpus.holds_counts:
        return dict(corpus.examples)
    pretokens = list(count.counts)
    counts = np.fromiter(count.counts.values(), np.int64, len(pretokens))
    places = commonest(pretokens, counts, pretokens_of_head(corpus, pattern, special_tokens))
    wanted = [pretokens[place] for place in places]
    return example_lines(corpus, wanted, pattern, special_tokens, on_work)


def example_lines(
    corpus: Corpus,
    wanted: Collection[bytes],
    pattern: PatternLike,
    special_tokens: Sequence[str] = (),
    on_work: Callable[[WorkProgress], None] | None = None,
) -> dict[bytes, bytes]:
    """Return pretoken → a line in which it occurs, for the wanted pretokens that are found.

    Reads the corpus again, up to `WITHIN` bytes of its text. A corpus that can be read only once,
    such as standard input, gives no lines.

    Raises:
        CorpusError: the corpus cannot be read.
    """
    found: dict[bytes, bytes] = {}
    left = set(wanted)
    if not left or corpus.is_read_once or corpus.head_is_all:
        return found
    pattern, splitter = as_pattern(pattern), SpecialSplitter(special_tokens)
    counter, length = counter_for(pattern, splitter), 0
    for chunk in corpus.chunks(pattern, splitter):
        place = 0  # new pretokens come in the order of the text, so the search goes on from here
        for pretoken in counter.count(chunk.data, chunk.continues).new_pretokens:
            if pretoken not in left:
                continue
            place, line, held = _line_with(pretoken, chunk.data, place, pattern, splitter)
            found.update((each, line) for each in held if each in left)
            left.difference_update(held, (pretoken,))  # no later chunk has it as new, found or not
        length += len(chunk.data)
        if not left or length >= WITHIN:
            break
        if on_work is not None:
            on_work(WorkProgress("looking for example lines", len(found), len(wanted)))
    return found


def _line_with(
    pretoken: bytes, text: bytes, start: int, pattern: Pattern, splitter: SpecialSplitter
) -> tuple[int, bytes, list[bytes]]:
    """Find a pretoken from `start` on; return its place, its line, and all pretokens of the line.

    If it is not found, the place is `start` and there are no pretokens.
    """
    place = start - 1
    for _ in range(TRIES):
        place = text.find(pretoken, place + 1)
        if place < 0:
            break
        line = _line_round(text, place, place + len(pretoken), splitter)
        held = list(map(to_bytes, pattern.split(to_text(line))))
        if pretoken in held:
            return place, line, held
    return start, b"", []


def _line_round(text: bytes, place: int, end: int, splitter: SpecialSplitter) -> bytes:
    r"""Return the text around `text[place:end]`, within its line and document.

    A longer line is cut between words.

    >>> _line_round(b"<s>so\nto be or not to be", 12, 14, SpecialSplitter(["<s>"]))
    b'to be or not to be'
    """
    first, last = max(place - AROUND, 0), min(end + AROUND, len(text))
    start, stop = first, last
    for special in splitter.bytes_regex.finditer(text, first, last):
        if special.end() <= place:
            start = special.end()
        elif special.start() >= end:
            stop = special.start()
            break
    start = max(start, text.rfind(b"\n", start, place) + 1)
    stop = stop if (newline := text.find(b"\n", end, stop)) < 0 else newline
    if start == first > 0:
        start = max(start, text.find(b" ", start, place))
    if stop == last < len(text):
        stop = stop if (space := text.rfind(b" ", end, stop)) < 0 else space
    while start < place and _is_inside_character(text, start):
        start += 1
    while stop > end and _is_inside_character(text, stop):
        stop -= 1
    return text[start:stop]


def _is_inside_character(text: bytes, place: int) -> bool:
    return place < len(text) and text[place] & 0xC0 == 0x80
