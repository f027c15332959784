"""Words of the corpus to count pairs in: all of them, or a sample on which the same pair wins.

A question about counts shows these words instead of counts or bars, so the learner has to count.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import islice, pairwise
from math import inf

from engine.bpe.frame import Frame
from engine.core.events import Pair
from engine.core.wording import Sentence, edged, say
from engine.learning.questions.question import Chance
from engine.text.pretokenize import to_bytes, to_text

TokensOf = Callable[[bytes], tuple[int, ...]]
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
POOL, FOUND, SEARCHED = 6, 30, 600
"""Number of frequent words to draw from for each pair, of words with it that are looked at, and of
words to search for them."""
MOST_APART, SEARCHED_APART = 6, 40
"""Number of words that have the letters of a pair and not the pair, and of words to search."""
SAMPLES, SAMPLES_ALIKE, FEWEST_WORDS = 80, 60, 5
"""Number of samples that are drawn, of those first ones in which the words of the right pair have
the same places, and the least number of words of each."""
OFTEN = {(1, 4): 1, (1, 5): 2, (1, 6): 3, (2, 3): 3, (2, 4): 4, (2, 5): 4, (2, 6): 8}
OFTEN |= {(3, 4): 3, (3, 5): 9, (3, 6): 7}
OWN_PLACES = [places for places, often in OFTEN.items() for _ in range(often)]
"""Places of those two words in the order of all counts: the more often, the harder to fill."""
TRIED, TWINS, FILLS = 12, 12, 15
"""Number of pairs that are tried as a trap, of those that are to be in as many words as the right
one, and of words that are tried."""


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
    """Draw samples of words in which the right pair has the highest count.

    It is in two words, and traps are set for who counts wrongly: another pair is in the heavier
    word of two, and its letters occur more often; one more pair is in three words.

    Args:
        right: the only pair of the highest count in the corpus.
        others: pairs that may be chosen from.
    """
    tokens_of = cache(frame.tokens_of)  # many pairs are in the same words
    own = _pool(frame, right, tokens_of)
    own = [word for word in own if len(word.pairs) > 2] or own

    @cache
    def pool_of(pair: Pair) -> list[SeenWord]:
        return [word for word in _pool(frame, pair, tokens_of) if right not in word.pairs]

    rest = [word for pair in others for word in pool_of(pair)]
    apart = [
        (word, pair)
        for pair in others
        for word in islice(_apart(frame, pair, tokens_of), MOST_APART)
        if right not in word.pairs
    ]
    places = chance.pick(OWN_PLACES)
    for number in range(SAMPLES if rest else 0):
        # A small corpus may have no better ones.
        is_last_hope = number >= SAMPLES_ALIKE
        if is_last_hope:
            places = chance.pick(OWN_PLACES)
        sample = _Sample(right, chance.shuffled(own)[:2], places, chance)
        trapped = any(
            sample.add_trap(word, pool_of(pair))
            for word, pair in (chance.pick(apart) for _ in range(TRIED if apart else 0))
        )
        sample.fill(rest, 1)
        beside = [pair for word in sample.words for pair in word.pairs if pair != right]
        # One pair is in more words than the right one.
        trapped = trapped and any(
            sample.add_words_of(pair, pool_of(pair), 3)
            for pair in (
                chance.pick(beside if beside and chance.below(2) else others) for _ in range(TRIED)
            )
        )
        if not trapped and not is_last_hope:
            continue
        # Other pairs are in as many words: some in heavier ones than the lighter of its two.
        for tried in range(TWINS):
            pair = chance.pick(beside if beside and chance.below(2) else others)
            sample.add_words_of(pair, pool_of(pair), 2, sample.lightest * (tried % 2))
        sample.fill(rest)
        if len(sample.words) >= (FEWEST_WORDS if is_last_hope else MOST_WORDS):
            yield WordsInSight(tuple(chance.shuffled(sample.words)), False)


class _Sample:
    """A sample of words that grows, while no pair gets ahead of the right one.

    Args:
        words: the two words with the right pair.
        places: their places in the order of the counts of all words.
    """

    def __init__(
        self, right: Pair, words: list[SeenWord], places: Sequence[int], chance: Chance
    ) -> None:
        self.words, self.counts = words, WordsInSight(tuple(words), False).counts
        self._most, self._chance = self.counts[right], chance
        self._texts = {word.text for word in words}
        self._heaviest, self.lightest = (of(word.count for word in words) for of in (max, min))
        self._bounds = inf, self._heaviest, self.lightest, 0
        # Number of words wanted before each of these words, and after them.
        self._free = [end - start - 1 for start, end in pairwise((-1, *places, MOST_WORDS))]

    def add_trap(self, apart: SeenWord, pool: Sequence[SeenWord]) -> bool:
        """Add a word with the letters of a pair only, and a heavy and a light word with the pair.

        So the pair is ahead for who counts letters, and for who looks at the largest number.
        """
        heavy = [word for word in pool if self._heaviest < word.count < self._most]
        if not heavy:
            return False
        first = self._chance.pick(heavy)
        left = self._most - first.count
        light = [word for word in pool if left - apart.count < word.count < left]
        return bool(light) and self.add([apart, first, self._chance.pick(light)])

    def add_words_of(
        self, pair: Pair, pool: Sequence[SeenWord], number: int, above: int = 0
    ) -> bool:
        """Add words with counts above some number until a pair is in as many words as wanted.

        Returns:
            whether it is.
        """
        number -= sum(pair in word.pairs for word in self.words)
        left = self._most - self.counts[pair]
        light = [
            word
            for word in pool
            if above < word.count < left / max(number, 1) and word.text not in self._texts
        ]
        return number <= 0 or (
            len(light) >= number and self.add(self._chance.shuffled(light)[:number])
        )

    def add(self, words: Sequence[SeenWord]) -> bool:
        """Add words, all or none, and return whether there is room for them."""
        new = [word for word in words if word.text not in self._texts]
        gaps = Counter(map(self._gap, new))
        if any(self._free[gap] < number for gap, number in gaps.items()):
            return False
        counts = WordsInSight(tuple(new), False).counts
        if any(self.counts[pair] + n >= self._most for pair, n in counts.items()):
            return False
        self.words += new
        self.counts.update(counts)
        self._texts |= {word.text for word in new}
        for gap, number in gaps.items():
            self._free[gap] -= number
        return True

    def fill(self, pool: Sequence[SeenWord], gaps: int = 3) -> None:
        """Add words until none is wanted in the first gaps, or a few tries have failed."""
        for gap in range(gaps):
            least, limit = self._bounds[gap + 1], self._bounds[gap]
            there = [word for word in pool if least <= word.count < limit]
            for _ in range(FILLS if there else 0):
                if not self._free[gap]:
                    break
                self.add([self._chance.pick(there)])

    def _gap(self, word: SeenWord) -> int:
        """Return how many words with the right pair are more frequent than a word."""
        return (word.count < self._heaviest) + (word.count < self.lightest)


def _pool(frame: Frame, pair: Pair, tokens_of: TokensOf) -> list[SeenWord]:
    """Return frequent and rarer words with a pair."""
    found = list(islice(words_with(frame, pair, tokens_of), FOUND))
    return [*found[:POOL], *found[POOL :: max(len(found) // POOL, 1)]]


def _apart(frame: Frame, pair: Pair, tokens_of: TokensOf) -> Iterator[SeenWord]:
    """Yield words with the letters of a pair, but in other tokens: `b┊ut` has no u+t."""
    for _, word in islice(frame.run.by_count.containing(_joined(frame, pair)), SEARCHED_APART):
        tokens = tokens_of(word) if len(word) <= SHORT else ()
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


def words_with(frame: Frame, pair: Pair, tokens_of: TokensOf | None = None) -> Iterator[SeenWord]:
    """Yield words with a pair, most frequent first; of long words the parts around the pair.

    Args:
        tokens_of: returns the tokens of a word in the frame, if something remembers them.
    """
    tokens_of = tokens_of or frame.tokens_of
    for _, word in islice(frame.run.by_count.containing(_joined(frame, pair)), SEARCHED):
        count = frame.counts[word]
        if len(word) <= SHORT:
            tokens = tokens_of(word)
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
