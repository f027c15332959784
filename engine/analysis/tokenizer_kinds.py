"""The kinds of tokenizers that can be trained on one corpus, each with its usual settings.

`train_kind` returns a `ComparableTokenizer`. To add a kind, add an entry to `KINDS`.

A pair that occurs only once does not merge. In BPE it has no use in any other text; without
pre-tokenization whole paragraphs would become one token. In WordPiece it has the highest score of
all, and would fill the vocabulary.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

from engine.bpe.trainer import Trainer, base_vocab, check_vocab_size
from engine.core.errors import UnfinishedError, VocabSizeError
from engine.core.registry import Registry, registry_of
from engine.counting.count import count_text
from engine.encoding.alphabet import DEFAULT_UNITS, UNITS, UNKNOWN, CharacterAlphabet, UnitsName
from engine.encoding.tokenizer import Tokenizer
from engine.formats.own_pipelines import wordpiece_pipeline
from engine.pipeline import decoders, pretokenizers
from engine.pipeline.added_tokens import AddedToken
from engine.pipeline.as_tokenizer import tokenizer_of
from engine.pipeline.models import Unigram, WordLevel
from engine.pipeline.pipeline import Pipeline
from engine.pipeline.sentencepiece import SURROGATE
from engine.recording.training_input import check_size
from engine.text.pretokenize import (
    SpecialSplitter,
    check_special_tokens,
    to_bytes,
    to_text,
    without_stray_surrogates,
    words_in,
)
from engine.unigram.trainer import UnigramTrainer
from engine.unigram.units import SPACE
from engine.wordpiece.tokenizer import WordPieceTokenizer
from engine.wordpiece.trainer import WordPieceTrainer


@dataclass(frozen=True)
class KindTokenizer:
    """A tokenizer of a kind, with all that the model table needs.

    Attributes:
        tokenizer: encodes and decodes texts.
        pieces: id → token as it is usually written: `est</w>`, which decodes to `est `.
        name, granularity: the name of its kind, and what tokens are: words, subwords, bytes, …
        unknown_id: replaces text that the vocabulary cannot spell; `None` if there is no such id.
    """

    tokenizer: Tokenizer
    pieces: Mapping[int, bytes]
    name: str
    granularity: str
    unknown_id: int | None = None

    @property
    def vocab_size(self) -> int:
        """The number of its tokens."""
        return len(self.pieces)

    def encode(self, text: str) -> Sequence[int]:
        """Return the ids of a text."""
        return self.tokenizer.encode(without_stray_surrogates(text))

    def decode(self, ids: Iterable[int]) -> str:
        """Return the text of ids."""
        return self.tokenizer.decode(ids)

    def piece(self, token_id: int) -> bytes:
        """Return the bytes of a token."""
        return self.pieces[token_id]


CODE_POINTS, SURROGATES = 0x110000, range(0xD800, 0xE000)
REPLACEMENT = 0xFFFD
"""Unicode's own number for what cannot be read."""


class UnicodeTokenizer:
    """Code points with Unicode's numbers as ids, as Python's `ord` gives them.

    A code point is not always what a reader calls a character: `é` may be one or two. Special
    tokens follow all code points. Surrogates are numbers without a character.

    >>> tokenizer = UnicodeTokenizer(["<s>"])
    >>> tokenizer.encode("你a<s>"), tokenizer.decode([20320, 97])
    ([20320, 97, 1114112], '你a')
    """

    name = "character"
    granularity = "characters"
    unknown_id = None

    def __init__(self, special_tokens: Sequence[str]) -> None:
        self._special = list(check_special_tokens(special_tokens))
        self._splitter = SpecialSplitter(self._special)
        self.vocab_size = CODE_POINTS - len(SURROGATES) + len(self._special)

    def encode(self, text: str) -> Sequence[int]:
        """Return the ids of a text; a byte that is not UTF-8 is U+FFFD."""
        ids: list[int] = []
        for stretch, special in self._splitter.split_text(without_stray_surrogates(text)):
            numbers = [CODE_POINTS + self._special.index(stretch)] if special else map(ord, stretch)
            ids += (REPLACEMENT if number in SURROGATES else number for number in numbers)
        return ids

    def decode(self, ids: Iterable[int]) -> str:
        """Return the text of ids."""
        return b"".join(map(self.piece, ids)).decode()

    def piece(self, token_id: int) -> bytes:
        """Return the bytes of a character or a special token."""
        if token_id < CODE_POINTS:
            return chr(token_id).encode()
        return to_bytes(self._special[token_id - CODE_POINTS])


ComparableTokenizer = KindTokenizer | UnicodeTokenizer


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
        tokenizer = record.to_tokenizer(len(record), pattern)
        unknown = None if UNITS[units].spells_all else record.vocab.index(UNKNOWN)
        return KindTokenizer(tokenizer, trainer.vocab, name, granularity, unknown)

    return TokenizerKind(name, summary, pattern, train, "bpe", units)


def _train_wordpiece(
    counts: Counts, vocab_size: int, special_tokens: Sequence[str], go_on: GoOn
) -> ComparableTokenizer:
    trainer = WordPieceTrainer(counts, vocab_size, special_tokens, min_count=MIN_COUNT)
    for _ in trainer.steps():
        if not go_on():
            break
    learnt = WordPieceTokenizer(trainer.vocab, trainer.task.special_tokens)
    return _in_stages("wordpiece", "subwords", wordpiece_pipeline(learnt))


def _train_unigram(
    counts: Counts, vocab_size: int, special_tokens: Sequence[str], go_on: GoOn
) -> ComparableTokenizer:
    words: Counter[str] = Counter()
    for pretoken, count in counts.items():
        for word in words_in(to_text(pretoken)):
            words[SPACE + word] += count  # as SentencePiece writes words
    # The trainer adds the unknown token, which the special tokens of an open tokenizer may include.
    others = [token for token in special_tokens if token != UNKNOWN.decode()]
    trainer = UnigramTrainer(words, vocab_size, others)
    for _ in trainer.steps():
        if not go_on():
            raise UnfinishedError("it prunes down to its size, and was stopped before it had it")
    spaces = pretokenizers.Metaspace(prepend_scheme="always", split=False)
    stages = Pipeline(
        Unigram([piece for piece in trainer.pieces if not SURROGATE.search(piece[0])], 0),
        tuple(map(AddedToken, special_tokens)),
        pre_tokenizer=pretokenizers.Sequence([pretokenizers.WhitespaceSplit(), spaces]),
        decoder=decoders.Metaspace(prepend_scheme="always", split=False),
    )
    return _in_stages("unigram", "subwords", stages)


def _in_stages(name: str, granularity: str, stages: Pipeline) -> ComparableTokenizer:
    """Return the tokenizer of a pipeline, whose model has an unknown token."""
    pieces = {token_id: text.encode() for text, token_id in stages.model.vocab.items()}
    return KindTokenizer(tokenizer_of(stages), pieces, name, granularity, stages.model.unknown_id)


def _most_frequent(
    counts: Counts,
    units: Callable[[str], Iterable[str]],
    vocab_size: int,
    special_tokens: Sequence[str],
) -> dict[str, int]:
    """Number the unknown token, the special tokens, and the most frequent units of a corpus.

    Among equally frequent units the smaller bytes are first.

    >>> _most_frequent({b"the cat": 2, b"the": 1}, str.split, 3, [])
    {'<UNK>': 0, 'the': 1, 'cat': 2}

    Raises:
        VocabSizeError: the size has no room for the unknown and the special tokens.
    """
    check_size(vocab_size)
    first = dict.fromkeys((LOOKED_UP_UNKNOWN, *check_special_tokens(special_tokens)))
    if vocab_size < len(first):
        raise VocabSizeError(
            f"a vocabulary of {vocab_size} is too small; the unknown token and the special "
            f"tokens need at least {len(first)}"
        )
    totals: Counter[str] = Counter()
    for pretoken, count in counts.items():
        for unit in units(to_text(pretoken)):
            totals[unit] += count
    by_frequency = sorted(totals, key=lambda unit: (-totals[unit], to_bytes(unit)))
    readable = (unit for unit in by_frequency if not SURROGATE.search(unit))
    tokens = dict.fromkeys((*first, *readable))
    return {token: token_id for token_id, token in enumerate(islice(tokens, vocab_size))}


def _train_words(
    counts: Counts, vocab_size: int, special_tokens: Sequence[str], _: GoOn
) -> ComparableTokenizer:
    vocab = _most_frequent(counts, words_in, vocab_size, special_tokens)
    stages = Pipeline(
        WordLevel(vocab, LOOKED_UP_UNKNOWN),
        tuple(map(AddedToken, special_tokens)),
        pre_tokenizer=pretokenizers.BertPreTokenizer(),
    )
    return _in_stages("word", "words", stages)


def _train_characters(
    counts: Counts, vocab_size: int, special_tokens: Sequence[str], _: GoOn
) -> ComparableTokenizer:
    ids = _most_frequent(counts, iter, vocab_size, special_tokens)
    vocab = {token_id: token.encode() for token, token_id in ids.items()}
    characters = {token: token_id for token, token_id in ids.items() if len(token) == 1}
    alphabet = CharacterAlphabet(characters, unknown=0)
    tokenizer = Tokenizer(vocab, [], special_tokens, "bert", alphabet=alphabet)
    return KindTokenizer(tokenizer, vocab, "seen-character", "characters", 0)


def _train_bytes(
    _: Counts, vocab_size: int, special_tokens: Sequence[str], __: GoOn
) -> ComparableTokenizer:
    check_vocab_size(vocab_size, special_tokens)
    vocab = dict(enumerate(base_vocab(special_tokens)))
    return KindTokenizer(Tokenizer(vocab, [], special_tokens), vocab, "byte", "bytes")


LOOKED_UP_UNKNOWN = "<UNK>"
"""The token of words and characters that are not in the vocabulary."""

KINDS: Registry[str, TokenizerKind] = registry_of(
    "kind of tokenizer",
    TokenizerKind(
        "word",
        "every word is a token; words that are not frequent enough are <UNK>",
        "bert",
        _train_words,
    ),
    TokenizerKind(
        "character",
        "every code point is a token, by Unicode's number; nothing is unknown, few are used",
        "bert",
        lambda _, __, special_tokens, ___: UnicodeTokenizer(special_tokens),
    ),
    TokenizerKind(
        "seen-character",
        "every code point of the corpus is a token; those that it lacks are <UNK>",
        "bert",
        _train_characters,
    ),
    TokenizerKind(
        "byte",
        "every byte is a token; no corpus is needed and nothing is unknown",
        "bert",
        _train_bytes,
    ),
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
