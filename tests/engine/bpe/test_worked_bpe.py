"""Byte-pair encoding by hand: count, tie, merge.

The corpus is the one of the lectures: *low* 5 times, *lower* twice, *widest* 3 times and *newest* 6
times. Read from top to bottom; each test is one part of the algorithm.
"""

from __future__ import annotations

from itertools import pairwise

import pytest

from engine import MergeStep, Timeline, Trainer

CORPUS = {b"low": 5, b"lower": 2, b"widest": 3, b"newest": 6}

COUNTS = {
    # pair: the words that contain it, each as often as it occurs
    (b"e", b"s"): 3 + 6,  # wid[es]t, new[es]t
    (b"s", b"t"): 3 + 6,  # wide[st], newe[st]
    (b"w", b"e"): 2 + 6,  # lo[we]r, ne[we]st
    (b"l", b"o"): 5 + 2,  # [lo]w, [lo]wer
    (b"o", b"w"): 5 + 2,  # l[ow], l[ow]er
    (b"n", b"e"): 6,
    (b"e", b"w"): 6,
    (b"w", b"i"): 3,
    (b"i", b"d"): 3,
    (b"d", b"e"): 3,
    (b"e", b"r"): 2,
}


def steps(merges: int, tie_rule: str = "lexicographic") -> list[MergeStep]:
    """Return the first merges of a training on the corpus."""
    return list(Trainer(CORPUS, 256 + merges, tie_rule=tie_rule).steps())


def test_count_the_pairs() -> None:
    counted: dict[tuple[bytes, bytes], int] = {}
    for word, occurrences in CORPUS.items():
        letters = [bytes([byte]) for byte in word]
        for pair in pairwise(letters):  # neighbours inside a word, never from word to word
            counted[pair] = counted.get(pair, 0) + occurrences
    assert counted == COUNTS

    frame = Timeline(CORPUS, steps(1)).frame  # step 0: nothing is merged yet
    for (left, right), count in COUNTS.items():
        assert frame.count_of((left[0], right[0])) == count


@pytest.mark.parametrize(
    ("tie_rule", "taken"),
    [
        # Of e+s and s+t, both 9 times, the one whose left token is greater: s > e.
        ("lexicographic", b"st"),
        # The one that occurs first in the corpus: in `widest`, e+s is before s+t.
        ("first-seen", b"es"),
    ],
)
def test_settle_a_tie(tie_rule: str, taken: bytes) -> None:
    (first,) = steps(1, tie_rule)
    assert first.count == 9
    assert {bytes(pair) for pair in first.tied} == {b"es", b"st"}
    assert first.token == taken


def test_merge_the_pair_in_every_word() -> None:
    first, second, third = steps(3)
    timeline = Timeline(CORPUS, [first, second, third])

    # Merge 1: s + t → st, the token 256. Each s+t becomes one token.
    assert (first.left, first.right, first.new_id) == (b"s", b"t", 256)
    w, i, d, e = b"wide"
    assert timeline.seek(1).tokens_of(b"widest") == (w, i, d, e, 256)
    # Only the pairs next to it change. Every s was in an s+t, so e+s is gone.
    assert {change.pair: (change.before, change.after) for change in first.changes} == {
        (ord("s"), ord("t")): (9, 0),
        (ord("e"), ord("s")): (9, 0),
        (ord("e"), 256): (0, 9),
    }

    # Merge 2: e + st → est, since e+st occurs where e+s did: 9 times, more than any other.
    assert (second.left, second.right, second.count) == (b"e", b"st", 9)
    assert timeline.seek(2).tokens_of(b"newest") == (ord("n"), ord("e"), ord("w"), 257)

    # Merge 3: o + w and l + o are both 7 times; o > l.
    assert (third.left, third.right, third.count) == (b"o", b"w", 7)
    assert timeline.seek(3).tokens_of(b"lower") == (ord("l"), 258, ord("e"), ord("r"))


def test_merge_from_left_to_right_without_overlap() -> None:
    # In aaaaa the pair a+a occurs 4 times, but merging takes two letters at a time: aa aa a.
    timeline = Timeline({b"aaaaa": 1}, Trainer({b"aaaaa": 1}, 257).steps())
    assert timeline.seek(1).merge is not None
    assert timeline.frame.tokens_of(b"aaaaa") == (256, 256, ord("a"))
