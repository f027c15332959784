"""The kinds of tokenizers that can be trained on one corpus, each with its usual settings.

`train_kind` returns a `ComparableTokenizer`. To add a kind, add an entry to `KINDS`; if it has a
class of its own, name that in `ComparableTokenizer`.

A pair that occurs only once does not merge. In BPE it has no use in any other text; without
pre-tokenization whole paragraphs would become one token. In WordPiece it has the highest score of
all, and would fill the vocabulary.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from engine.analysis.baselines import BASELINES, BaselineTokenizer
from engine.bpe.run import to_tokenizer
from engine.bpe.trainer import Trainer
from engine.core.errors import UnfinishedError
from engine.core.registry import Registry, registry_of
from engine.counting.count import count_text
from engine.encoding.alphabet import DEFAULT_UNITS, UNITS, UNKNOWN, UnitsName
from engine.encoding.pretoken_encoder import BoundedMemo
from engine.encoding.tokenizer import Tokenizer
from engine.text.pretokenize import (
    SpecialSplitter,
    to_bytes,
    to_text,
    without_stray_surrogates,
    words_in,
)
from engine.unigram.lattice import Lattice, ids_of
from engine.unigram.pieces import PieceTable
from engine.unigram.trainer import UnigramTrainer
from engine.unigram.units import SPACE
from engine.wordpiece.tokenizer import WordPieceTokenizer
from engine.wordpiece.trainer import WordPieceTrainer


@dataclass(frozen=True)
class ComparableBpe:
    """A `Tokenizer` as a `ComparableTokenizer`.

    Attributes:
        pieces: its tokens as they are usually written: `est</w>`, which decodes to `est `.
    """

    tokenizer: Tokenizer
    pieces: Mapping[int, bytes]
    name: str = "bpe"
    granularity: str = "subwords"
    unknown_id: int | None = None

    @property
    def vocab_size(self) -> int:
        return len(self.pieces)

    def encode(self, text: str) -> Sequence[int]:
        return self.tokenizer.encode(text)

    def decode(self, ids: Iterable[int]) -> str:
        return self.tokenizer.decode(ids)

    def piece(self, token_id: int) -> bytes:
        return self.pieces[token_id]


def spaced_words(text: str) -> list[str]:
    """Return the words of a text as SentencePiece writes them, each with one space before it.

    >>> spaced_words("to  be")
    ['▁to', '▁be']
    """
    return [SPACE + word for word in words_in(text)]


MEMORY = 1 << 24
"""Largest size of a generation of remembered words, in bytes; there are two."""


class ComparableUnigram:
    """The pieces of a Unigram model as a `ComparableTokenizer`; the unknown token has the id 0.

    >>> tokenizer = ComparableUnigram([("<unk>", 0.0), ("▁hug", -1.0), ("s", -2.0)], [])
    >>> tokenizer.encode("hugs hug"), tokenizer.decode([1, 2, 1])
    ([1, 2, 1], 'hugs hug')
    """

    name = "unigram"
    granularity = "subwords"
    unknown_id = 0

    def __init__(self, pieces: Sequence[tuple[str, float]], special_tokens: Sequence[str]) -> None:
        self._texts = [text for text, _ in pieces]
        self.vocab_size = len(pieces)
        self._special_ids = {token: self._texts.index(token) for token in special_tokens}
        self._splitter = SpecialSplitter(special_tokens)
        scores = [score for _, score in pieces]
        table = PieceTable(self._texts, scores, self.unknown_id, self._special_ids.values())
        self._ids_of: BoundedMemo[str] = BoundedMemo(
            lambda word: ids_of(Lattice(word, table).best, table.unknown), MEMORY
        )

    def encode(self, text: str) -> Sequence[int]:
        ids: list[int] = []
        for stretch, special in self._splitter.split_text(without_stray_surrogates(text)):
            if special:
                ids.append(self._special_ids[stretch])
            else:
                for word in spaced_words(stretch):
                    ids += self._ids_of[word]
        return ids

    def decode(self, ids: Iterable[int]) -> str:
        text = "".join(self._texts[token_id] for token_id in ids).replace(SPACE, " ")
        return to_bytes(text.removeprefix(" ")).decode("utf-8", "replace")

    def piece(self, token_id: int) -> bytes:
        return to_bytes(self._texts[token_id])


ComparableTokenizer = BaselineTokenizer | ComparableBpe | ComparableUnigram | WordPieceTokenizer
"""A tokenizer of any kind, with all that the model table needs.

name, granularity    the name of its kind, and what tokens are: words, subwords, bytes, …
vocab_size           the number of its tokens
unknown_id           replaces text that the vocabulary cannot spell; `None` if there is no such id
encode, decode       from a text to ids and back
piece                the bytes of a token, by its id
"""


# -- the kinds, and their training
Counts = Mapping[bytes, int]
GoOn = Callable[[], bool]
"""Called between two steps of a training; false stops it."""
MIN_COUNT = 2
"""The least count of a pair that merges."""


class SubwordLearning(NamedTuple):
    """How a kind learns subwords, in a few words each.

    Attributes:
        start: the vocabulary before the first step.
        step: the work of a step.
        learnt: the result of the training.
        encoding: how a text is encoded with it.
    """

    start: str
    step: str
    learnt: str
    encoding: str


SUBWORDS = {
    "bpe": SubwordLearning(
        "small, 256 bytes or the characters",
        "merges the most frequent pair",
        "merges in their order",
        "applies the merges in that order",
    ),
    "wordpiece": SubwordLearning(
        "small, characters",
        "merges the pair of the highest score: count / (left × right)",
        "a vocabulary",
        "takes the longest piece that matches, from the left",
    ),
    "unigram": SubwordLearning(
        "large, frequent substrings",
        "removes the pieces whose loss costs least",
        "a probability for each piece",
        "finds the most probable segmentation (Viterbi)",
    ),
}
"""Model → how it learns."""


@dataclass(frozen=True)
class TokenizerKind:
    """A kind of tokenizer.

    Attributes:
        pattern: the pattern that cuts the corpus for it, a name in `PATTERNS`.
        train: (pretoken counts, largest vocabulary size, special tokens, whether to go on) →
            tokenizer.
        model: the training whose steps can be watched: `bpe`, `wordpiece` or `unigram`; `None` if
            it has no steps.
        units: for BPE the units that its merges start from, a name in `UNITS`.
    """

    name: str
    summary: str
    pattern: str
    train: Callable[[Counts, int, Sequence[str], GoOn], ComparableTokenizer]
    model: str | None = None
    units: UnitsName = DEFAULT_UNITS


def train_kind(
    name: str,
    corpus: bytes,
    vocab_size: int,
    special_tokens: Sequence[str] = (),
    go_on: GoOn = lambda: True,
) -> ComparableTokenizer:
    """Train a tokenizer of one kind on a text; one that merges may be stopped on the way.

    >>> train_kind("word", b"to be or not to be", 4).encode("to be and")
    [2, 1, 0]

    Raises:
        UnknownNameError: there is no such kind.
        VocabSizeError: the kind needs a larger vocabulary to begin with.
        UnfinishedError: `go_on` stopped a kind that has no tokenizer before its end.
    """
    kind = KINDS[name]
    counts = count_text(corpus, kind.pattern, special_tokens)
    return kind.train(counts, vocab_size, special_tokens, go_on)


def _bpe(
    name: str,
    summary: str,
    pattern: str = "gpt2",
    units: UnitsName = DEFAULT_UNITS,
    granularity: str = "subwords",
) -> TokenizerKind:
    """Return a kind of BPE, with the units that it starts from and the pattern."""

    def train(
        counts: Counts, vocab_size: int, special_tokens: Sequence[str], go_on: GoOn
    ) -> ComparableTokenizer:
        trainer = Trainer(counts, vocab_size, special_tokens, min_count=MIN_COUNT, units=units)
        for _ in trainer.steps():
            if not go_on():
                break
        record = trainer.record
        tokenizer = to_tokenizer(record, len(record), pattern)
        unknown = None if UNITS[units].spells_all else record.vocab.index(UNKNOWN)
        return ComparableBpe(tokenizer, trainer.vocab, name, granularity, unknown)

    return TokenizerKind(name, summary, pattern, train, "bpe", units)


def _train_wordpiece(
    counts: Counts, vocab_size: int, special_tokens: Sequence[str], go_on: GoOn
) -> ComparableTokenizer:
    trainer = WordPieceTrainer(counts, vocab_size, special_tokens, min_count=MIN_COUNT)
    for _ in trainer.steps():
        if not go_on():
            break
    return WordPieceTokenizer(trainer.vocab, trainer.task.special_tokens)


def _train_unigram(
    counts: Counts, vocab_size: int, special_tokens: Sequence[str], go_on: GoOn
) -> ComparableTokenizer:
    words: Counter[str] = Counter()
    for pretoken, count in counts.items():
        for word in spaced_words(to_text(pretoken)):
            words[word] += count
    # The trainer adds the unknown token, which the special tokens of an open tokenizer may include.
    others = [token for token in special_tokens if token != UNKNOWN.decode()]
    trainer = UnigramTrainer(words, vocab_size, others)
    for _ in trainer.steps():
        if not go_on():
            raise UnfinishedError("it prunes down to its size, and was stopped before it had it")
    return ComparableUnigram(trainer.pieces, special_tokens)


def _baseline(tokenizer: type[BaselineTokenizer]) -> TokenizerKind:
    """Return the kind of a baseline, which trains in one step."""
    return TokenizerKind(
        tokenizer.name,
        tokenizer.summary,
        "bert",
        lambda counts, vocab_size, specials, _: tokenizer.train(counts, vocab_size, specials),
    )


KINDS: Registry[str, TokenizerKind] = registry_of(
    "kind of tokenizer",
    *map(_baseline, BASELINES.values()),
    _bpe("bpe", "the most frequent pair merges, from bytes up: byte-level BPE (BBPE)"),
    _bpe(
        "bpe-characters",
        "the same merges from characters up; one that the corpus lacks is <unk>",
        units="characters",
    ),
    _bpe(
        "bpe-end-of-word",
        "characters, with </w> after each word: est</w> is not est inside",
        "whitespace",
        "end-of-word",
    ),
    _bpe(
        "bpe-whole-text",
        "bytes, without pre-tokenization: merges go on across words and lines",
        "none",
        granularity="strings",
    ),
    TokenizerKind(
        "wordpiece",
        "the pair of highest score merges; the longest match encodes",
        "bert",
        _train_wordpiece,
        "wordpiece",
    ),
    TokenizerKind(
        "unigram",
        "the least useful pieces go; the likeliest segmentation encodes",
        "whitespace",
        _train_unigram,
        "unigram",
    ),
)
