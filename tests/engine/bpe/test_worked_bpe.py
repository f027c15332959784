"""Byte-pair encoding by hand: count, tie, merge, encoding by rank, and each trainer.

What is counted and merged first is the trainer `naive`; the others find the same pairs sooner.

The corpus is the one of the lectures: *low* 5 times, *lower* twice, *widest* 3 times and *newest* 6
times. Read from top to bottom; each test is one part of the algorithm.
"""

from itertools import pairwise

import pytest

from engine import MergeStep, Timeline, Tokenizer, Trainer
from engine.bpe.ties import TIE_RULES
from engine.bpe.trainers.algorithm import TrainingTask
from engine.bpe.trainers.fast import BucketQueue
from engine.bpe.trainers.indexed import PairIndex

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


def task() -> TrainingTask:
    """Return the task of a trainer: the corpus and a vocabulary of bytes."""
    vocab = [bytes([byte]) for byte in range(256)]
    return TrainingTask(CORPUS, vocab, TIE_RULES["lexicographic"], min_count=1)


S_T, E_S = (ord("s"), ord("t")), (ord("e"), ord("s"))


def test_an_index_leads_a_merge_to_the_words_that_hold_the_pair() -> None:
    """The trainer `indexed` by hand: pair → the words with it. Other words are not visited."""
    holders = {pair: [word for word in CORPUS if pair[0] + pair[1] in word] for pair in COUNTS}
    assert holders[b"s", b"t"] == [b"widest", b"newest"]

    counts = dict(COUNTS)
    for word in holders.pop((b"s", b"t")):
        # In both words e+s and s+t are lost, and e+st is new.
        counts[b"s", b"t"] -= CORPUS[word]
        counts[b"e", b"s"] -= CORPUS[word]
        counts[b"e", b"st"] = counts.get((b"e", b"st"), 0) + CORPUS[word]

    training = task()
    index = PairIndex(training)
    index.merge(S_T, training.join(S_T))
    assert index.pretokens_visited == 2
    spelled = {
        (training.vocab[left], training.vocab[right]): count
        for (left, right), count in index.counts.items()
    }
    assert spelled == {pair: count for pair, count in counts.items() if count}


def test_buckets_of_counts_give_the_best_pair_without_sorting() -> None:
    """The queue of the trainer `fast`: a bucket for each count. A docstring there has one step."""
    pairs = [b"es", b"st", b"we", b"ow"]
    counts = [9, 9, 8, 7]
    queue = BucketQueue(counts, key=lambda number: [-byte for byte in pairs[number]])
    # The bucket of 9 has e+s and s+t: the tie rule compares only these two.
    assert queue.pop() == 1
    counts[:2] = [0, 0]  # s+t has merged; its merge took every e+s away
    # The bucket of 9 is empty. That of 8 has only w+e.
    assert queue.pop() == 2
    counts[2] = 0
    # A new pair comes in, and o+w falls to 5: it is moved when its bucket is opened, not before.
    counts[3] = 5
    pairs.append(b"ne")
    counts.append(6)
    queue.push([4])
    assert queue.pop() == 4
    assert queue.pop() == 3
    assert queue.moved == 2  # e+s and o+w, each when its bucket was open


def test_encode_by_rank() -> None:
    # Of the merges that a word allows, the one that was learnt first is made first.
    merges = [(b"s", b"t"), (b"e", b"st"), (b"o", b"w"), (b"l", b"ow"), (b"w", b"est")]
    vocab = {byte: bytes([byte]) for byte in range(256)}
    vocab |= {256 + rank: left + right for rank, (left, right) in enumerate(merges)}
    tokenizer = Tokenizer(vocab, merges)

    shown = [
        (step.rank, [vocab[token_id] for token_id in step.after])
        for step in tokenizer.steps(b"lowest")
    ]
    assert shown == [
        # l o w e s t: s+t has rank 0, o+w has rank 2. The lower rank wins.
        (0, [b"l", b"o", b"w", b"e", b"st"]),
        # Now e+st has rank 1, still before o+w.
        (1, [b"l", b"o", b"w", b"est"]),
        # o+w (rank 2) is before w+est (rank 4): the w goes to the left.
        (2, [b"l", b"ow", b"est"]),
        (3, [b"low", b"est"]),
    ]
    assert tokenizer.encode("lowest") == [259, 257]
    assert tokenizer.encode("west") == [260]  # nothing takes the w away here
