"""Example lines: where frequent pretokens stand that the beginning of a corpus lacks.

A screen can show of a file of counts only what text is in it: the beginning. So the file holds a
line for each of the commonest pretokens that do not stand there, too.

    the commonest pretokens ── read the corpus again until all are found ──> pretoken → a line

Of these pretokens each gets a line when it appears for the first time, unless it stands in the line
of another. A line is the text round it, as far as the line of the text and the document go, and
not too long. Whoever writes the file does this, so a cluster's file has the same lines.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from itertools import islice

import numpy as np

from engine.core.arrays import Ints
from engine.core.events import WorkProgress
from engine.counting.count import count_text, counter_for
from engine.counting.counts_file import CorpusCount
from engine.text.corpus import Corpus
from engine.text.patterns import Pattern, PatternLike, as_pattern
from engine.text.pretokenize import SpecialSplitter, to_bytes, to_text

MOST = 1 << 13
"""Pretokens that get a line."""
LONGEST = 1 << 8
"""Bytes of such a pretoken."""
AROUND = 48
"""Bytes of the line before and behind it."""
WITHIN = 1 << 26
"""Bytes of the text that are read again: frequent pretokens come early in most texts."""
TRIES = 64
"""Places of a chunk that are looked at: those of a short pretoken may be inside longer ones."""


def pretokens_of_head(
    corpus: Corpus, pattern: PatternLike, special_tokens: Sequence[str]
) -> frozenset[bytes]:
    """The pretokens that need no example, since the beginning of the corpus is shown."""
    return frozenset(count_text(corpus.head, pattern, special_tokens))


def commonest(pretokens: Sequence[bytes], counts: Ints, known: Collection[bytes]) -> list[int]:
    """The places of the pretokens that get a line, the most frequent first.

    Args:
        pretokens: in order of first appearance, which decides between equal counts.
        known: those that need none.

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
    """The example lines of a corpus that has been counted; see `example_lines`."""
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
    """Pretoken → a line that holds it, of those that are wanted and found.

    Reads the corpus again, up to `WITHIN` bytes of its text; of one that can be read only once,
    such as standard input, there are no lines. Where the beginning is all, none are wanted.

    Raises:
        CorpusError: it cannot be read.
    """
    found: dict[bytes, bytes] = {}
    left = set(wanted)
    if not left or corpus.is_read_once or corpus.head_is_all:
        return found
    pattern, splitter = as_pattern(pattern), SpecialSplitter(special_tokens)
    counter, length = counter_for(pattern, splitter), 0
    for chunk in corpus.chunks(pattern, splitter):
        place = 0  # new pretokens are told in the order in which they stand in the text
        for pretoken in counter.count(chunk.data, chunk.continues).new_pretokens:
            if pretoken not in left:
                continue
            place, line, held = _line_with(pretoken, chunk.data, place, pattern, splitter)
            found.update((each, line) for each in held if each in left)
            left.difference_update(held, (pretoken,))  # it is not told again, found or not
        length += len(chunk.data)
        if not left or length >= WITHIN:
            break
        if on_work is not None:
            on_work(WorkProgress("looking for example lines", len(found), len(wanted)))
    return found


def _line_with(
    pretoken: bytes, text: bytes, start: int, pattern: Pattern, splitter: SpecialSplitter
) -> tuple[int, bytes, list[bytes]]:
    """A pretoken's place at or behind `start`, its line, and all pretokens of that line.

    If none is found, the place is `start`, and there are no pretokens.
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
    r"""What stands round `text[place:end]` in its line and document, cut between words if it is.

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
