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
from engine.core.wording import Sentence, say
from engine.learning.questions.answer_forms import edged
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
"""Number of words to draw from for each pair, of words with it that are looked at, and of words to
search for them."""
DRAWS = 60


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


def sample_words(
    frame: Frame, right: Pair, others: Sequence[Pair], most: int, chance: Chance
) -> tuple[list[Pair], WordsInSight] | None:
    """Draw words in which the right pair occurs most often.

    Most draws look for a sample on which counting each word once leads to another pair.

    Args:
        right: the only pair of the highest count in the corpus.
        others: pairs to choose from; a pair that only one very frequent word has may be left out.
        most: largest number of pairs, with the right one.

    Returns:
        the pairs, the right one first, and the words; `None` if no few words show the answer.
    """
    pools = {right: list(islice(words_with(frame, right), POOL))}
    possible = sum(word.pairs[right] * word.count for word in pools[right])
    for pair in others:
        found = list(islice(words_with(frame, pair), FOUND))
        # Rare words, too: the right pair may have only rare ones.
        pool = found[:: max(len(found) // POOL, 1)]
        pool = [word for word in pool if word.pairs[pair] * word.count < possible]
        if pool or not found:
            pools[pair] = pool
    pairs = list(pools)[:most]
    while len(pairs) > 1:
        sight = _draw_sample({pair: pools[pair] for pair in pairs}, right, chance)
        if sight is not None:
            return pairs, sight
        pairs.pop()
    return None


def _draw_sample(
    pools: Mapping[Pair, list[SeenWord]], right: Pair, chance: Chance
) -> WordsInSight | None:
    """Draw words of each pool such that the right pair has the highest count; `None` if not."""
    others = [pair for pair in pools if pair != right]
    wants_trap = chance.below(len(pools)) > 0
    fallback: WordsInSight | None = None
    for _ in range(DRAWS):
        drawn: dict[SeenWord, None] = {}
        for pair, pool in pools.items():
            wanted = 1 + chance.below(3 if pair == right else 2)
            drawn.update(dict.fromkeys(chance.shuffled(pool)[:wanted]))
        sight = WordsInSight(tuple(chance.shuffled(drawn)), False)
        counts, once = sight.counts, sight.counts_of_words_once
        if len(drawn) > MOST_WORDS or any(counts[pair] >= counts[right] for pair in others):
            continue
        if wants_trap == any(once[pair] >= once[right] for pair in others):
            return sight
        fallback = fallback or sight
    return fallback


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
