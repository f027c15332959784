"""What a tokenizer makes of a text, in numbers."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from heapq import nsmallest
from itertools import chain

from engine.analysis.model_table.candidate import SPACE, Contender
from engine.text.patterns import PATTERNS
from engine.text.pretokenize import to_bytes, without_stray_surrogates
from engine.text.scripts import words_in

_WHITESPACE = re.compile(r"\s+")
FREQUENT = 40
"""How many of the most frequent tokens are remembered."""


class Loss(Enum):
    """Why a text is another after decoding; the value says it in words."""

    UNKNOWN = "what became unknown stays so"
    WHITESPACE = "which whitespace stood where is not kept"
    SPACE_SIGN = "a ▁ of the text's own becomes a space"
    OTHER = "other characters come back"


@dataclass(frozen=True)
class Measures:
    """Counts of a text; what is unknown is what the tokenizer turned into its unknown token.

    Attributes:
        unknown_words: the words whose encoding holds an unknown token: out of vocabulary.
        unknown_spellings: these words, each once, the most frequent first.
        unknown_characters: those that an unknown token stands for.
        losses: in what the text that decoding gave was another; bytes that are no UTF-8 set aside.
        frequent: (id, count) of the most frequent tokens, the lower id first among equals.
    """

    tokens: int
    words: int
    characters: int
    bytes: int
    unknown_characters: int
    unknown_words: int
    unknown_spellings: tuple[str, ...]
    losses: tuple[Loss, ...]
    frequent: tuple[tuple[int, int], ...]

    @property
    def exact(self) -> bool:
        """Whether decoding gave the very same text."""
        return not self.losses

    @property
    def tokens_per_word(self) -> float:
        return _ratio(self.tokens, self.words)

    @property
    def tokens_per_character(self) -> float:
        return _ratio(self.tokens, self.characters)

    @property
    def bytes_per_token(self) -> float:
        return _ratio(self.bytes, self.tokens)

    @property
    def unknown_character_share(self) -> float:
        return _ratio(self.unknown_characters, self.characters)

    @property
    def unknown_word_share(self) -> float:
        """The out-of-vocabulary rate."""
        return _ratio(self.unknown_words, self.words)


def _ratio(some: int, all_: int) -> float:
    return some / all_ if all_ else 0.0


def word_counts(stretches: Iterable[str]) -> Counter[str]:
    """The words of texts, punctuation apart, with their counts: the same for every tokenizer.

    >>> word_counts(["to be, or", "to"])
    Counter({'to': 2, 'be': 1, ',': 1, 'or': 1})
    """
    split = PATTERNS["bert"].split
    words: Counter[str] = Counter()
    for stretch in stretches:
        for pretoken in split(without_stray_surrogates(stretch)):
            words.update(words_in(pretoken))
    return words


def measure(tokenizer: Contender, stretches: Sequence[str]) -> Measures:
    """Measure a text that special tokens, if there were any, have cut into stretches.

    >>> from engine.analysis.model_table.kinds import train_kind
    >>> found = measure(train_kind("word", b"to be or not to be", 9), ["to be asked to be"])
    >>> found.tokens, found.unknown_words, found.exact
    (5, 1, False)
    """
    ids = [tokenizer.encode(stretch) for stretch in stretches]
    words = word_counts(stretches)
    unknown = tokenizer.unknown_id
    counts = Counter(chain.from_iterable(ids))
    unknown_spellings: list[str] = []
    if unknown is not None:
        by_frequency = (word for word, _ in words.most_common())
        unknown_spellings = [word for word in by_frequency if unknown in tokenizer.encode(word)]
    losses: set[Loss] = set()
    for stretch, some in zip(stretches, ids, strict=True):
        losses |= _losses(tokenizer, stretch, some)
    return Measures(
        tokens=counts.total(),
        words=words.total(),
        characters=sum(map(len, stretches)),
        bytes=sum(len(to_bytes(stretch)) for stretch in stretches),
        unknown_characters=sum(map(tokenizer.unknown_characters, stretches))
        if unknown in counts
        else 0,
        unknown_words=sum(words[word] for word in unknown_spellings),
        unknown_spellings=tuple(unknown_spellings),
        losses=tuple(loss for loss in Loss if loss in losses),
        frequent=tuple(
            nsmallest(FREQUENT, counts.items(), key=lambda token: (-token[1], token[0]))
        ),
    )


def _losses(tokenizer: Contender, text: str, ids: Sequence[int]) -> set[Loss]:
    """Why decoding does not give a text back; none if it does."""
    given, back = to_bytes(text).decode("utf-8", "replace"), tokenizer.decode(ids)
    if back == given:
        return set()
    spaced = given.replace(SPACE, " ")
    letters, whitespace = _apart(back)
    losses = set()
    if tokenizer.unknown_id in ids:
        losses.add(Loss.UNKNOWN)
    elif letters != _apart(given)[0]:
        losses.add(Loss.SPACE_SIGN if letters == _apart(spaced)[0] else Loss.OTHER)
    if not losses or whitespace not in (_apart(given)[1], _apart(spaced)[1]):
        losses.add(Loss.WHITESPACE)
    return losses


def _apart(text: str) -> tuple[str, list[str]]:
    """A text without its whitespace, and the whitespace.

    >>> _apart("to  be ")
    ('tobe', ['  ', ' '])
    """
    return _WHITESPACE.sub("", text), _WHITESPACE.findall(text)
