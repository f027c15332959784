"""Words of the corpus to count pairs in: all of them, or a sample on which the same pair wins.

A question about counts shows these words instead of counts or bars, so the learner has to count.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
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
SAMPLES, SAMPLES_ALIKE, FEWEST_WORDS = 80, 20, 5
"""Number of samples that are drawn, of those in a row in which the words of the right pair have the
same places in the order of their counts, and the least number of words of each."""
LATEST, TRIED, FILLS = 3, 6, 40
"""Number of places where the first of those words can be, of pairs that are tried to be in more
words, and of words that are tried."""


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

    In each, its words have places in the order of the words' counts that chance draws: any but the
    first.

    Args:
        right: the only pair of the highest count in the corpus.
        others: pairs that may be chosen from.
    """
    own = _pool(frame, right)
    own = [word for word in own if len(word.pairs) > 2] or own

    @cache
    def pool_of(pair: Pair) -> list[SeenWord]:
        return [word for word in _pool(frame, pair) if right not in word.pairs]

    rest = [word for pair in others for word in pool_of(pair)]
    apart = [(word, pair) for pair in others for word in islice(_apart(frame, pair), MOST_APART)]
    for number in range(SAMPLES if rest else 0):
        if number % SAMPLES_ALIKE == 0:
            # Late places are drawn more often: samples with them are more often refused.
            first = 1 + int(LATEST * chance.share() ** 0.4)
            places = first, first + 1 + chance.below(MOST_WORDS - first - 1)
        sample = _Sample(right, chance.shuffled(own)[:2], places, chance)
        beside = [pair for word in sample.words for pair in word.pairs if pair != right]
        # One pair is in more words than the right one.
        for _ in range(TRIED):
            pair = chance.pick(beside if beside and chance.below(2) else others)
            if sample.add_words_of(pair, pool_of(pair), 3):
                break
        # The letters of a pair occur more often than the right pair.
        total = sample.counts[right]
        sample.add([word for word, pair in apart if word.count + sample.counts[pair] > total], 1)
        # Pairs beside the right one are in as many words.
        for _ in range(2):
            pair = chance.pick(beside or others)
            sample.add_words_of(pair, pool_of(pair), 2)
        sample.add(rest, MOST_WORDS)
        # A small corpus may have no better ones.
        if len(sample.words) >= (MOST_WORDS if number < SAMPLES // 2 else FEWEST_WORDS):
            yield WordsInSight(tuple(chance.shuffled(sample.words)), False)


class _Sample:
    """A sample of words that grows, while no pair gets ahead of the right one.

    Args:
        words: the words with the right pair.
        places: their places in the order of the words' counts.
    """

    def __init__(
        self, right: Pair, words: list[SeenWord], places: Sequence[int], chance: Chance
    ) -> None:
        self.words, self.counts = words, WordsInSight(tuple(words), False).counts
        self._most, self._chance = self.counts[right], chance
        self._limits = [word.count for word in words]
        # Number of words wanted before each of these words, and after them.
        self._free = [end - start - 1 for start, end in pairwise((-1, *places, MOST_WORDS))]

    def add_words_of(self, pair: Pair, pool: Sequence[SeenWord], number: int) -> bool:
        """Add words until a pair is in a number of words, and return whether it is."""
        number -= sum(pair in word.pairs for word in self.words)
        left = self._most - self.counts[pair]
        light = [word for word in pool if number * word.count < left and word not in self.words]
        return number <= 0 or (len(light) >= number and self.add(light, number))

    def add(self, pool: Sequence[SeenWord], number: int) -> bool:
        """Add a number of words of a pool, and return whether they were found."""
        for _ in range(FILLS if pool else 0):
            word = self._chance.pick(pool)
            gap = sum(limit > word.count for limit in self._limits)
            if not self._free[gap] or word in self.words:
                continue
            added = {pair: n * word.count for pair, n in word.pairs.items()}
            if all(self.counts[pair] + n < self._most for pair, n in added.items()):
                self.words.append(word)
                self.counts.update(added)
                self._free[gap] -= 1
                number -= 1
                if not number:
                    return True
        return False


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
