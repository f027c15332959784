"""Words of the corpus to count pairs in: all of them, or a sample on which the same pair wins.

A question about counts shows these words instead of counts or bars, so the learner has to count.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice, pairwise

from engine.bpe.frame import Frame
from engine.core.events import Pair
from engine.core.wording import Sentence, edged, say
from engine.learning.questions.question import Chance
from engine.text.pretokenize import to_bytes, to_text

MOST_WORDS = 8
"""Largest number of words to count in."""
SHORT = 24
"""Bytes of a word that is shown whole; of a longer one a part is shown."""
LONGEST_READ = 2000
"""Length of the beginning of a long word, in characters; parts are taken from it."""
COUNTABLE = 160
"""Largest corpus, in bytes, that is shown whole even if its words are long."""
BESIDE = 3
"""Number of tokens on each side of a pair in a part of a long word."""
POOL, FOUND, SEARCHED = 6, 60, 600
"""Number of frequent words to draw from for each pair, of words with it that are looked at, and of
words to search for them."""
MOST_APART, SEARCHED_APART = 6, 40
"""Number of words that have the letters of a pair and not the pair, and of words to search."""
SAMPLES, FEWEST_WORDS, MOST_ABOVE = 80, 5, 3
"""Number of samples that are drawn, and the least number of words of each; of those that occur more
often than any with the right pair, the largest number that is added on purpose."""


@dataclass(frozen=True)
class SeenWord:
    """A word in its tokens, or a part of a long one.

    Attributes:
        count: number of occurrences of the word in the corpus.
        text: the bytes of the word.
    """

    tokens: tuple[int, ...]
    count: int
    text: bytes
    is_part: bool = False

    @cached_property
    def pairs(self) -> Counter[Pair]:
        """Pair → its number of occurrences in the word."""
        return Counter(pairwise(self.tokens))


@dataclass(frozen=True)
class WordsInSight:
    """The words that a question shows.

    Attributes:
        is_whole: whether they are all words of the corpus that have a pair at the start.
    """

    words: tuple[SeenWord, ...]
    is_whole: bool

    @cached_property
    def counts(self) -> Counter[Pair]:
        """Pair → its count in these words."""
        counts: Counter[Pair] = Counter()
        for word in self.words:
            counts.update({pair: number * word.count for pair, number in word.pairs.items()})
        return counts

    @cached_property
    def counts_of_words_once(self) -> Mapping[Pair, int]:
        """Pair → its count if each word is counted once, a common mistake."""
        counts: Counter[Pair] = Counter()
        for word in self.words:
            counts.update(word.pairs)
        return counts

    @cached_property
    def most(self) -> int:
        """The highest number of occurrences of a word."""
        return max(word.count for word in self.words)

    def sentences(self, frame: Frame) -> tuple[Sentence, ...]:
        """Return a row for each word: `5 × l┊ow`."""
        most = max(len(f"{word.count:,}") for word in self.words)
        return tuple(
            say(
                "{n} × …{word}…" if word.is_part else "{n} × {word}",
                n=f"{word.count:>{most},}",
                word=edged(map(frame.any_token, word.tokens)),
            )
            for word in self.words
        )


def all_words(frame: Frame) -> WordsInSight | None:
    """Return all words of a small corpus, in the order of their appearance; else `None`."""
    counts = frame.counts
    start = frame.at(0)
    # A long word is not taken apart, which may take seconds.
    found = (w for w in counts if len(w) > COUNTABLE or len(start.tokens_of(w)) > 1)
    words = list(islice(found, MOST_WORDS))
    if next(found, None) is not None:
        return None
    if any(len(word) > SHORT for word in words) and frame.byte_count > COUNTABLE:
        return None
    return WordsInSight(
        tuple(SeenWord(frame.tokens_of(word), counts[word], word) for word in words), True
    )


def samples_of_words(
    frame: Frame, right: Pair, others: Sequence[Pair], chance: Chance
) -> Iterator[WordsInSight]:
    """Draw samples of words in which the right pair occurs.

    In each, some words occur more often than those with the right pair, and others less often.

    Args:
        right: the only pair of the highest count in the corpus.
        others: pairs that may be chosen from.
    """
    own = _pool(frame, right)
    pools = {
        pair: [word for word in _pool(frame, pair) if right not in word.pairs] for pair in others
    }
    rest = [(word, pair) for pair, pool in pools.items() for word in pool]
    apart = [(word, pair) for pair in others for word in islice(_apart(frame, pair), MOST_APART)]
    for _ in range(SAMPLES if rest else 0):
        words = chance.shuffled(own)[: 2 + chance.below(2)]
        words_with_right = len(words)
        largest = max(word.count for word in words)
        total = sum(word.pairs[right] * word.count for word in words)
        above = [each for each in rest if largest < each[0].count < total]
        for _ in range(1 + chance.below(MOST_ABOVE) if above else 0):
            word, pair = chance.pick(above)
            words += [word] * (word not in words)
        if above:
            _add(words, pools, pair, words_with_right, total, chance)
        # One pair is in more words than the right one.
        cap = chance.pick((largest, total))
        _add(words, pools, chance.pick(others), words_with_right + 1, cap, chance)
        # The letters of a pair occur more often than the right pair.
        counts = WordsInSight(tuple(words), False).counts
        letters = [each for each, pair in apart if counts[pair] < total < each.count + counts[pair]]
        words += [chance.pick(letters)] if letters else []
        # Others are in as many words as the right one.
        for pair in (chance.pick(others), chance.pick(others)):
            _add(words, pools, pair, words_with_right, cap, chance)
        words = list(dict.fromkeys(words))[:MOST_WORDS]
        if len(words) >= FEWEST_WORDS:
            yield WordsInSight(tuple(chance.shuffled(words)), False)


def _add(
    words: list[SeenWord],
    pools: Mapping[Pair, Sequence[SeenWord]],
    pair: Pair,
    number: int,
    total: int,
    chance: Chance,
) -> None:
    """Add words with a pair until it is in a number of words, with a count below `total`."""
    left = total - sum(word.pairs[pair] * word.count for word in words)
    for _ in range(number - sum(word.pairs[pair] > 0 for word in words)):
        fitting = [each for each in pools[pair] if each.count < left and each not in words]
        if fitting:
            words.append(chance.pick(fitting))
            left -= words[-1].count * words[-1].pairs[pair]


def _pool(frame: Frame, pair: Pair) -> list[SeenWord]:
    """Return frequent and rarer words with a pair."""
    found = list(islice(words_with(frame, pair), FOUND))
    return [*found[:POOL], *found[POOL :: max(len(found) // POOL, 1)]]


def _apart(frame: Frame, pair: Pair) -> Iterator[SeenWord]:
    """Yield words with the letters of a pair, but in other tokens: `b┊ut` has no u+t."""
    letters = _joined(frame, pair)
    for _, word in islice(frame.run.by_count.containing(letters), SEARCHED_APART):
        tokens = frame.tokens_of(word) if len(word) <= SHORT else ()
        if len(tokens) > 1 and pair not in pairwise(tokens):
            yield SeenWord(tokens, frame.counts[word], word)


def first_words(frame: Frame, pairs: Sequence[Pair]) -> WordsInSight | None:
    """Return the first word of the corpus for each pair, in the order of their appearance."""
    found: dict[bytes, SeenWord] = {}
    for pair in pairs:
        for _, word in frame.run.by_appearance.containing(_joined(frame, pair)):
            if len(word) > SHORT:  # a part of a long word does not show what is first in it
                return None
            tokens = frame.tokens_of(word)
            if pair in pairwise(tokens):
                found[word] = SeenWord(tokens, frame.counts[word], word)
                break
    return WordsInSight(tuple(found[word] for word in frame.counts if word in found), False)


def words_with(frame: Frame, pair: Pair) -> Iterator[SeenWord]:
    """Yield words with a pair, most frequent first; of long words the parts around the pair."""
    for _, word in islice(frame.run.by_count.containing(_joined(frame, pair)), SEARCHED):
        count = frame.counts[word]
        if len(word) <= SHORT:
            tokens = frame.tokens_of(word)
            if pair in pairwise(tokens):
                yield SeenWord(tokens, count, word)
            continue
        tokens = frame.tokens_of(to_bytes(to_text(word)[:LONGEST_READ]))
        end = 0
        for place, found in enumerate(pairwise(tokens)):
            if found == pair and place >= end:
                start, end = max(place - BESIDE, end), place + 2 + BESIDE
                end += tokens[end - 1 : end + 1] == pair  # no pair is cut apart
                yield SeenWord(tokens[start:end], count, word, True)


def _joined(frame: Frame, pair: Pair) -> bytes:
    return b"".join(map(frame.any_token, pair))


class Commonness:
    """How common the letters of a text are in a corpus: neighbours of few letters are rare."""

    def __init__(self, frame: Frame) -> None:
        self._start = frame.at(0)

    def of_text(self, text: str) -> float:
        """Return how often two letters of a text are neighbours in the corpus, on average."""
        return self.of(to_bytes(text))

    def of(self, data: bytes) -> float:
        """Return it for bytes."""
        ids = [self._start.id_of(data[at : at + 1]) for at in range(len(data))]
        pairs = [(left, right) for left, right in pairwise(ids) if None not in (left, right)]
        return sum(map(self._start.count_of, pairs)) / max(len(pairs), 1)  # type: ignore[arg-type]
