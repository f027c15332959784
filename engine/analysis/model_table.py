"""The model table: every kind of tokenizer, measured on the same text.

Tokenizers learn from the first nine tenths of the corpus and are measured on the rest: on the text
that they learnt from, no word would be unknown.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import chain

from engine.analysis.tokenizer_kinds import KINDS, ComparableTokenizer, GoOn, train_kind
from engine.core.errors import SpecialTokenError, UnfinishedError, VocabSizeError
from engine.text.patterns import PATTERNS
from engine.text.pretokenize import SpecialSplitter, to_bytes, without_stray_surrogates, words_in

# -- a tokenizer on a text


@dataclass
class TextMeasures:
    """The counts of a text that a tokenizer has encoded, and their ratios: 0 for an empty text.

    Attributes:
        unknown_words: the number of words with an unknown token: out of vocabulary.
        unknown_spellings: these words, each once, the most frequent first.
        exact: whether decoding gives exactly the same text, but for bytes that are not UTF-8.
        unknown_word_share: the out-of-vocabulary rate.
    """

    tokens: int
    words: int
    bytes: int
    unknown_words: int
    unknown_spellings: tuple[str, ...]
    exact: bool

    tokens_per_word: float = field(init=False)
    bytes_per_token: float = field(init=False)
    unknown_word_share: float = field(init=False)

    def __post_init__(self) -> None:
        self.tokens_per_word = _ratio(self.tokens, self.words)
        self.bytes_per_token = _ratio(self.bytes, self.tokens)
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
    unknown_spellings: list[str] = []
    if unknown is not None:
        by_frequency = (word for word, _ in words.most_common())
        unknown_spellings = [word for word in by_frequency if unknown in tokenizer.encode(word)]
    exact = all(
        tokenizer.decode(some) == to_bytes(stretch).decode("utf-8", "replace")
        for stretch, some in zip(stretches, ids, strict=True)
    )
    return TextMeasures(
        tokens=sum(map(len, ids)),
        words=words.total(),
        bytes=sum(len(to_bytes(stretch)) for stretch in stretches),
        unknown_words=sum(words[word] for word in unknown_spellings),
        unknown_spellings=tuple(unknown_spellings),
        exact=exact,
    )


def cut_by_kind(
    tokenizer: ComparableTokenizer, text: str, special_tokens: Sequence[str] = ()
) -> list[list[bytes]]:
    """Cut a text as a tokenizer of a kind does: the pieces of each pretoken.

    >>> from engine.analysis.tokenizer_kinds import train_kind
    >>> cut_by_kind(train_kind("word", b"to be or not to be", 9), "to be")
    [[b'to'], [b'be']]
    """
    split = PATTERNS[KINDS[tokenizer.name].pattern].split
    pieces = SpecialSplitter(special_tokens).split_text(without_stray_surrogates(text))
    pretokens = chain(*([piece] if special else split(piece) for piece, special in pieces))
    found = ([tokenizer.piece(each) for each in tokenizer.encode(part)] for part in pretokens)
    return [pieces for pieces in found if pieces]


# -- the table

HELD_OUT = 0.1

_SPACE = re.compile(rb"\s")
_CHARACTER = re.compile(rb"(?=[^\x80-\xbf])")


@dataclass(frozen=True)
class KindRow:
    """A row of the table: a tokenizer, measured.

    Attributes:
        unseen: on text that it has not learnt from.
    """

    name: str
    granularity: str
    vocab_size: int
    unseen: TextMeasures


@dataclass(frozen=True)
class Untrained:
    """A kind that cannot be trained with these settings, and why."""

    name: str
    reason: str


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


def row_of(tokenizer: ComparableTokenizer, stretches: Sequence[str]) -> KindRow:
    """Measure one tokenizer on a text, given as for `measure`."""
    return KindRow(
        tokenizer.name, tokenizer.granularity, tokenizer.vocab_size, measure(tokenizer, stretches)
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
