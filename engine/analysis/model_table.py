"""The model table: every kind of tokenizer, measured on the same text.

Tokenizers learn from the first nine tenths of the corpus and are measured on the rest, or on a
typed text: on the text that they learnt from, no word would be unknown.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from heapq import nsmallest
from itertools import chain, islice

from engine.analysis.measures import renyi_efficiency
from engine.analysis.tokenizer_kinds import ComparableTokenizer, GoOn, train_kind
from engine.core.errors import SpecialTokenError, UnfinishedError, VocabSizeError
from engine.text.patterns import PATTERNS
from engine.text.pretokenize import (
    SpecialSplitter,
    to_bytes,
    to_text,
    without_stray_surrogates,
    words_in,
)
from engine.text.scripts import WRITTEN_WITHOUT_SPACES, ScriptTable
from engine.unigram.units import SPACE

# -- a tokenizer on a text

_WHITESPACE = re.compile(r"\s+")
FREQUENT = 40
"""Number of most frequent tokens that are listed."""


class DecodingLoss(Enum):
    """A reason why decoding does not give the text back; the value describes it."""

    UNKNOWN = "what became unknown stays so"
    WHITESPACE = "the exact whitespace is not kept"
    SPACE_SIGN = "a ▁ of the text's own becomes a space"
    OTHER = "other characters come back"


@dataclass
class TextMeasures:
    """The counts of a text that a tokenizer has encoded, and their ratios: 0 for an empty text.

    Attributes:
        unknown_words: the number of words with an unknown token: out of vocabulary.
        unknown_spellings: these words, each once, the most frequent first.
        unknown_characters: the number of characters that unknown tokens replace.
        losses: why the decoded text differs; bytes that are not UTF-8 are ignored.
        frequent: (id, count) of the most frequent tokens, the lower id first among equals.
        renyi: the Rényi efficiency of the tokens.
        exact: whether decoding gives exactly the same text.
        unknown_word_share: the out-of-vocabulary rate.
    """

    tokens: int
    words: int
    characters: int
    bytes: int
    unknown_characters: int
    unknown_words: int
    unknown_spellings: tuple[str, ...]
    losses: tuple[DecodingLoss, ...]
    frequent: tuple[tuple[int, int], ...]
    renyi: float

    exact: bool = field(init=False)
    tokens_per_word: float = field(init=False)
    tokens_per_character: float = field(init=False)
    bytes_per_token: float = field(init=False)
    unknown_character_share: float = field(init=False)
    unknown_word_share: float = field(init=False)

    def __post_init__(self) -> None:
        self.exact = not self.losses
        self.tokens_per_word = _ratio(self.tokens, self.words)
        self.tokens_per_character = _ratio(self.tokens, self.characters)
        self.bytes_per_token = _ratio(self.bytes, self.tokens)
        self.unknown_character_share = _ratio(self.unknown_characters, self.characters)
        self.unknown_word_share = _ratio(self.unknown_words, self.words)


def _ratio(some: int, all_: int) -> float:
    return some / all_ if all_ else 0.0


def word_counts(stretches: Iterable[str]) -> Counter[str]:
    """Count the words of texts, with punctuation apart, independently of any tokenizer.

    >>> word_counts(["to be, or", "to"])
    Counter({'to': 2, 'be': 1, ',': 1, 'or': 1})
    """
    split = PATTERNS["bert"].split
    words: Counter[str] = Counter()
    for stretch in stretches:
        for pretoken in split(without_stray_surrogates(stretch)):
            words.update(words_in(pretoken))
    return words


def measure(tokenizer: ComparableTokenizer, stretches: Sequence[str]) -> TextMeasures:
    """Measure a tokenizer on a text, given as the stretches between special tokens.

    >>> from engine.analysis.tokenizer_kinds import train_kind
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
    losses: set[DecodingLoss] = set()
    for stretch, some in zip(stretches, ids, strict=True):
        losses |= _losses(tokenizer, stretch, some)
    return TextMeasures(
        tokens=counts.total(),
        words=words.total(),
        characters=sum(map(len, stretches)),
        bytes=sum(len(to_bytes(stretch)) for stretch in stretches),
        unknown_characters=sum(map(tokenizer.unknown_characters, stretches))
        if unknown in counts
        else 0,
        unknown_words=sum(words[word] for word in unknown_spellings),
        unknown_spellings=tuple(unknown_spellings),
        losses=tuple(loss for loss in DecodingLoss if loss in losses),
        frequent=tuple(
            nsmallest(FREQUENT, counts.items(), key=lambda token: (-token[1], token[0]))
        ),
        renyi=renyi_efficiency([*counts.values()], tokenizer.vocab_size),
    )


def _losses(tokenizer: ComparableTokenizer, text: str, ids: Sequence[int]) -> set[DecodingLoss]:
    """Find out why decoding does not give a text back."""
    given, back = to_bytes(text).decode("utf-8", "replace"), tokenizer.decode(ids)
    if back == given:
        return set()
    spaced = given.replace(SPACE, " ")
    letters, whitespace = _apart(back)
    losses = set()
    if tokenizer.unknown_id in ids:
        losses.add(DecodingLoss.UNKNOWN)
    elif letters != _apart(given)[0]:
        losses.add(DecodingLoss.SPACE_SIGN if letters == _apart(spaced)[0] else DecodingLoss.OTHER)
    if not losses or whitespace not in (_apart(given)[1], _apart(spaced)[1]):
        losses.add(DecodingLoss.WHITESPACE)
    return losses


def _apart(text: str) -> tuple[str, list[str]]:
    """Return a text without its whitespace, and the whitespace.

    >>> _apart("to  be ")
    ('tobe', ['  ', ' '])
    """
    return _WHITESPACE.sub("", text), _WHITESPACE.findall(text)


# -- a tokenizer on misspelled words
#
# A misspelled word has two letters swapped: `the` → `teh`. It is unknown to a word tokenizer, and
# subwords fall apart into smaller ones. Tokenizers of characters and bytes make as many tokens as
# before.

SHORTEST = 3
"""Letters of the shortest words that are misspelled: a swap in shorter ones may be another word."""


@dataclass(frozen=True)
class Misspelling:
    """A word and a wrong spelling of it."""

    word: str
    wrong: str


@dataclass(frozen=True)
class MisspelledWord:
    """The encodings of a word and of its misspelling by one tokenizer.

    Attributes:
        tokens, wrong_tokens: the number of tokens of each, after a space.
        unknown: whether the misspelling, or a part of it, is unknown.
    """

    misspelling: Misspelling
    tokens: int
    wrong_tokens: int
    unknown: bool


@dataclass(frozen=True)
class MisspellingBehaviour:
    """The encodings of all misspellings by one tokenizer; means are 0 if there are none.

    Attributes:
        tokens_per_word, wrong_tokens_per_word: the mean number of tokens of the words, spelled
            rightly, and of the misspellings.
        unknown_share: the share of the misspellings that are unknown.
    """

    words: tuple[MisspelledWord, ...]
    tokens_per_word: float
    wrong_tokens_per_word: float
    unknown_share: float


def swap_letters(word: str) -> str:
    """Swap two neighbours that differ: in the middle, or else as near before it as possible.

    >>> swap_letters("the"), swap_letters("little")
    ('teh', 'ltitle')
    """
    for place in range((len(word) + 1) // 2, 0, -1):
        if word[place - 1] != word[place]:
            return word[: place - 1] + word[place] + word[place - 1] + word[place + 1 :]
    return word


def misspellings(counts: Mapping[str, int], limit: int) -> list[Misspelling]:
    """Return misspellings of the most frequent words, at the most `limit`.

    Words whose misspelling is another word of the text are left out. So are words of scripts that
    are written without spaces, as Chinese is: there a word may be a whole sentence.

    >>> [made.wrong for made in misspellings({"the": 9, "form": 8, "from": 7, "cat": 1}, 5)]
    ['teh', 'cta']
    """
    words = [word for word in counts if len(word) >= SHORTEST and word.isalpha()]
    words.sort(key=lambda word: (-counts[word], word))
    table = ScriptTable()
    made = (
        Misspelling(word, wrong)
        for word in words
        if (wrong := swap_letters(word)) not in counts
        and WRITTEN_WITHOUT_SPACES.isdisjoint(table.kinds(word).tolist())
    )
    return list(islice(made, limit))


def measure_misspelled(
    tokenizer: ComparableTokenizer, wrong: Sequence[Misspelling]
) -> MisspellingBehaviour:
    """Encode the misspellings with a tokenizer."""
    measured = []
    for misspelling in wrong:
        # With a space, as inside a text: many tokenizers treat the first word of all differently.
        right_ids = tokenizer.encode(" " + misspelling.word)
        wrong_ids = tokenizer.encode(" " + misspelling.wrong)
        unknown = tokenizer.unknown_id is not None and tokenizer.unknown_id in wrong_ids
        measured.append(MisspelledWord(misspelling, len(right_ids), len(wrong_ids), unknown))
    return MisspellingBehaviour(
        tuple(measured),
        _ratio(sum(word.tokens for word in measured), len(measured)),
        _ratio(sum(word.wrong_tokens for word in measured), len(measured)),
        _ratio(sum(word.unknown for word in measured), len(measured)),
    )


# -- the table

HELD_OUT = 0.1
MISSPELLED_WORDS = 100

CHINESE = "小猫喜欢坐在窗边，看着外面的雪花慢慢落下。它不知道什么是冬天，只觉得很冷。"
"""“The kitten likes to sit by the window and watch the snowflakes fall slowly. It does not know
what winter is, it only feels the cold.”"""

_SPACE = re.compile(rb"\s")
_CHARACTER = re.compile(rb"(?=[^\x80-\xbf])")


@dataclass(frozen=True)
class KindRow:
    """A row of the table: a tokenizer, measured.

    Attributes:
        unseen: on text that it has not learnt from.
        misspelled: on misspelled words.
        chinese: on a text in Chinese.
    """

    name: str
    granularity: str
    vocab_size: int
    unseen: TextMeasures
    misspelled: MisspellingBehaviour
    chinese: TextMeasures


@dataclass(frozen=True)
class Untrained:
    """A kind that cannot be trained with these settings, and why."""

    name: str
    reason: str


@dataclass(frozen=True)
class MeasuredTexts:
    """The texts that all rows of a table are measured on, beside `CHINESE`: see `KindRow`.

    `unseen` is the stretches between special tokens.
    """

    unseen: tuple[str, ...]
    misspellings: tuple[Misspelling, ...]

    @classmethod
    def of(cls, corpus: bytes, unseen: str, special_tokens: Sequence[str] = ()) -> MeasuredTexts:
        """Return the texts: misspelled words of the corpus, and an unseen text."""
        known = word_counts(stretches_of(to_text(corpus), special_tokens))
        wrong = misspellings(known, MISSPELLED_WORDS)
        return cls(stretches_of(unseen, special_tokens), tuple(wrong))


def stretches_of(text: str, special_tokens: Sequence[str]) -> tuple[str, ...]:
    """Return the texts between the special tokens of a text."""
    pieces = SpecialSplitter(special_tokens).split_text(text)
    return tuple(piece for piece, special in pieces if not special and piece)


def hold_out(
    corpus: bytes, special_tokens: Sequence[str] = (), share: float = HELD_OUT
) -> tuple[bytes, bytes]:
    """Split the corpus in two: a text to learn from, and at the most this share to measure on.

    The cut is after a special token; if there is none at whitespace, or else between characters.

    >>> hold_out(b"one two three four", share=0.3)
    (b'one two three ', b'four')
    """
    place = len(corpus) - int(share * len(corpus))
    for border in (SpecialSplitter(special_tokens).bytes_regex, _SPACE, _CHARACTER):
        found = border.search(corpus, place)
        if found is not None and found.end() < len(corpus):
            return corpus[: found.end()], corpus[found.end() :]
    return corpus, b""


def row_of(tokenizer: ComparableTokenizer, texts: MeasuredTexts) -> KindRow:
    """Measure one tokenizer."""
    return KindRow(
        tokenizer.name,
        tokenizer.granularity,
        tokenizer.vocab_size,
        measure(tokenizer, texts.unseen),
        measure_misspelled(tokenizer, texts.misspellings),
        measure(tokenizer, [CHINESE]),
    )


def try_training(
    name: str,
    corpus: bytes,
    vocab_size: int,
    special_tokens: Sequence[str] = (),
    go_on: GoOn = lambda: True,
) -> ComparableTokenizer | Untrained:
    """Train a tokenizer of one kind, or return why that cannot be done.

    >>> try_training("word", b"to be or not to be", 4).vocab_size
    4
    """
    try:
        return train_kind(name, corpus, vocab_size, special_tokens, go_on)
    except (VocabSizeError, SpecialTokenError, UnfinishedError) as error:
        return Untrained(name, str(error))
