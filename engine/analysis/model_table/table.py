"""The comparison table: every kind of tokenizer on the same text.

Tokenizers learn from the first nine tenths of the corpus and are measured on the rest, or on a
text that somebody typed: on what they have learnt from, no word would be unknown.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from engine.analysis.model_table.kinds import KINDS, Candidate, GoOn, train_kind
from engine.analysis.model_table.measures import (
    Measures,
    Misspelling,
    MisspellingBehaviour,
    measure,
    measure_misspelled,
    misspellings,
    word_counts,
)
from engine.core.errors import UnfinishedError, VocabSizeError
from engine.text.pretokenize import SpecialSplitter, to_text

HELD_OUT = 0.1
MISSPELLED_WORDS = 100

CHINESE = "小猫喜欢坐在窗边，看着外面的雪花慢慢落下。它不知道什么是冬天，只觉得很冷。"
"""“The kitten likes to sit by the window and watch the snowflakes fall slowly. It does not know
what winter is, it only feels the cold.”"""

_SPACE = re.compile(rb"\s")
_CHARACTER = re.compile(rb"(?=[^\x80-\xbf])")


@dataclass(frozen=True)
class Row:
    """A tokenizer in the table.

    Attributes:
        unseen: what it makes of text that it has not learnt from.
        misspelled: of misspelled words.
        chinese: of a text in Chinese.
    """

    name: str
    granularity: str
    vocab_size: int
    unseen: Measures
    misspelled: MisspellingBehaviour
    chinese: Measures


@dataclass(frozen=True)
class Untrained:
    """A kind that cannot be trained that way, and why."""

    name: str
    reason: str


@dataclass(frozen=True)
class Texts:
    """What all rows of a table are measured on: see `Row`.

    `unseen` is what stands between special tokens.
    """

    unseen: tuple[str, ...]
    misspellings: tuple[Misspelling, ...]
    chinese: str = CHINESE

    @classmethod
    def of(
        cls,
        corpus: bytes,
        unseen: str,
        special_tokens: Sequence[str] = (),
        chinese: str = CHINESE,
    ) -> Texts:
        """The texts for a corpus that is learnt from, whose words are misspelled, and another."""
        splitter = SpecialSplitter(special_tokens)
        known = word_counts(_stretches(to_text(corpus), splitter))
        wrong = misspellings(known, MISSPELLED_WORDS)
        return cls(_stretches(unseen, splitter), tuple(wrong), chinese)


def _stretches(text: str, splitter: SpecialSplitter) -> tuple[str, ...]:
    return tuple(piece for piece, special in splitter.split_text(text) if not special)


def hold_out(
    corpus: bytes, special_tokens: Sequence[str] = (), share: float = HELD_OUT
) -> tuple[bytes, bytes]:
    """The corpus in two: what is learnt from, and at the most this share of it that is not.

    Cut behind a special token, or where there is none at whitespace, or else between characters.

    >>> hold_out(b"one two three four", share=0.3)
    (b'one two three ', b'four')
    """
    place = len(corpus) - int(share * len(corpus))
    for border in (SpecialSplitter(special_tokens).bytes_regex, _SPACE, _CHARACTER):
        found = border.search(corpus, place)
        if found is not None and found.end() < len(corpus):
            return corpus[: found.end()], corpus[found.end() :]
    return corpus, b""


def row_of(tokenizer: Candidate, texts: Texts) -> Row:
    """The row of one tokenizer."""
    return Row(
        tokenizer.name,
        tokenizer.granularity,
        tokenizer.vocab_size,
        measure(tokenizer, texts.unseen),
        measure_misspelled(tokenizer, texts.misspellings),
        measure(tokenizer, [texts.chinese]),
    )


def table_rows(
    corpus: bytes,
    vocab_size: int,
    special_tokens: Sequence[str] = (),
    typed: str | None = None,
    kinds: Iterable[str] = KINDS,
    chinese: str = CHINESE,
) -> Iterator[Row | Untrained]:
    """The rows of the table, each as soon as its tokenizer is trained and measured.

    Args:
        corpus: a text; without `typed` its last tenth is held out.
        vocab_size: for each kind that has a choice.
        typed: a text to measure on, in place of the end of the corpus.
        kinds: names in `KINDS`.

    >>> rows = table_rows(b"to be or not to be " * 9, 300, typed="to bee", kinds=["word", "byte"])
    >>> [(row.name, row.unseen.tokens, row.unseen.unknown_word_share) for row in rows]
    [('word', 2, 0.5), ('byte', 6, 0.0)]
    """
    learnt, rest = hold_out(corpus, special_tokens) if typed is None else (corpus, b"")
    unseen = to_text(rest) if typed is None else typed
    texts = Texts.of(learnt, unseen, special_tokens, chinese)
    for name in kinds:
        found = train_candidate(name, learnt, vocab_size, special_tokens)
        yield found if isinstance(found, Untrained) else row_of(found, texts)


def train_candidate(
    name: str,
    corpus: bytes,
    vocab_size: int,
    special_tokens: Sequence[str] = (),
    go_on: GoOn = lambda: True,
) -> Candidate | Untrained:
    """A tokenizer of one kind, or why there is none.

    >>> train_candidate("word", b"to be or not to be", 4).vocab_size
    4
    """
    try:
        return train_kind(name, corpus, vocab_size, special_tokens, go_on)
    except (VocabSizeError, UnfinishedError) as error:
        return Untrained(name, str(error))
