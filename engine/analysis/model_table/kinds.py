"""The kinds of tokenizers that can be trained on one corpus, each as it usually is.

`train_kind` gives a `Candidate`: a tokenizer of any kind, seen in the one way that the table needs.
To add a kind, add an entry to `KINDS`.

What merges does not merge a pair that stands only once. In BPE that pair says nothing about any
other text; without pre-tokenization whole paragraphs would end up as one token. In WordPiece it has
the highest score of all, and would fill the vocabulary.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from engine.analysis.model_table.baselines import BASELINES, BaselineTokenizer
from engine.bpe.run import to_tokenizer
from engine.bpe.trainer import Trainer
from engine.core.errors import UnfinishedError
from engine.core.registry import Registry, registry_of
from engine.counting.count import count_text
from engine.encoding.tokenizer import Tokenizer
from engine.encoding.units import DEFAULT_UNITS, UNITS, UNKNOWN
from engine.text.pretokenize import (
    SpecialSplitter,
    to_bytes,
    to_text,
    without_stray_surrogates,
    words_in,
)
from engine.unigram.encoder import UnigramEncoder
from engine.unigram.pieces import SPACE
from engine.unigram.trainer import UnigramTrainer
from engine.wordpiece.tokenizer import WordPieceTokenizer
from engine.wordpiece.trainer import WordPieceTrainer

# -- the tokenizers


class Candidate(Protocol):
    """A tokenizer of any kind, as the table needs it.

    Attributes:
        name: of its kind.
        granularity: what a token is: words, subwords, bytes, …
        vocab_size: how many tokens it has.
        unknown_id: stands for what the vocabulary cannot spell; `None` if there is no such id.
    """

    @property
    def name(self) -> str: ...

    @property
    def granularity(self) -> str: ...

    @property
    def vocab_size(self) -> int: ...

    @property
    def unknown_id(self) -> int | None: ...

    def encode(self, text: str) -> Sequence[int]: ...

    def decode(self, ids: Iterable[int]) -> str: ...

    def piece(self, token_id: int) -> bytes:
        """A token as the vocabulary has it."""

    def unknown_characters(self, text: str) -> int:
        """For how many characters of a text the unknown token stands."""


@dataclass(frozen=True)
class BpeCandidate:
    """A `Tokenizer` as a candidate.

    Attributes:
        pieces: its tokens as people write them: `est</w>`, where decoding gives `est `.
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

    def unknown_characters(self, text: str) -> int:
        """Each unknown character is one unknown token."""
        return sum(token_id == self.unknown_id for token_id in self.encode(text))


def spaced_words(text: str) -> list[str]:
    """The words of a text as SentencePiece writes them, runs of whitespace as one space.

    >>> spaced_words("to  be")
    ['▁to', '▁be']
    """
    return [SPACE + word for word in words_in(text)]


class UnigramCandidate:
    """The pieces of a Unigram model as a candidate; the unknown token has the id 0.

    >>> candidate = UnigramCandidate([("<unk>", 0.0), ("▁hug", -1.0), ("s", -2.0)], [])
    >>> candidate.encode("hugs hug"), candidate.decode([1, 2, 1])
    ([1, 2, 1], 'hugs hug')
    """

    name = "unigram"
    granularity = "subwords"
    unknown_id = 0

    def __init__(self, pieces: Sequence[tuple[str, float]], special_tokens: Sequence[str]) -> None:
        self._texts = [text for text, _ in pieces]
        self._special_ids = {token: self._texts.index(token) for token in special_tokens}
        self._splitter = SpecialSplitter(special_tokens)
        self._encoder = UnigramEncoder(pieces, special=self._special_ids.values())

    @property
    def vocab_size(self) -> int:
        return len(self._texts)

    def encode(self, text: str) -> Sequence[int]:
        ids: list[int] = []
        for stretch, special in self._splitter.split_text(without_stray_surrogates(text)):
            if special:
                ids.append(self._special_ids[stretch])
            else:
                for word in spaced_words(stretch):
                    ids += self._encoder.encode(word)
        return ids

    def decode(self, ids: Iterable[int]) -> str:
        text = "".join(self._texts[token_id] for token_id in ids).replace(SPACE, " ")
        return to_bytes(text.removeprefix(" ")).decode("utf-8", "replace")

    def piece(self, token_id: int) -> bytes:
        return to_bytes(self._texts[token_id])

    def unknown_characters(self, text: str) -> int:
        """For how many characters the unknown token stands; the ▁ before a word is none of them."""
        stretches = self._splitter.split_text(without_stray_surrogates(text))
        words = (word for some, special in stretches if not special for word in spaced_words(some))
        return sum(
            edge.end - edge.start
            for word in words
            if self.unknown_id in self._encoder.encode(word)
            for edge in self._encoder.lattice(word).best.edges
            if edge.piece == self.unknown_id and edge.end > len(SPACE)
        )


# -- the kinds, and their training

Counts = Mapping[bytes, int]
GoOn = Callable[[], bool]
"""Asked between two steps of a training whether to make another one."""


MIN_COUNT = 2
"""How often a pair has to stand so that it merges."""


def _always() -> bool:
    return True


@dataclass(frozen=True)
class Kind:
    """A kind of tokenizer.

    Attributes:
        pattern: what cuts the corpus for it, a name in `PATTERNS`.
        train: pretoken counts, vocabulary size at the most, special tokens and whether to go on →
            a tokenizer.
        model: which training it is, whose steps can be watched: `bpe`, `wordpiece` or `unigram`;
            `None`: it has no steps.
        units: what its merges start from, a name in `UNITS`, if it is BPE.
    """

    name: str
    summary: str
    pattern: str
    train: Callable[[Counts, int, Sequence[str], GoOn], Candidate]
    model: str | None = None
    units: str = DEFAULT_UNITS


def train_kind(
    name: str,
    corpus: bytes,
    vocab_size: int,
    special_tokens: Sequence[str] = (),
    go_on: GoOn = _always,
) -> Candidate:
    """A tokenizer of one kind, trained on a text; one that merges may be stopped on the way.

    >>> train_kind("word", b"to be or not to be", 4).encode("to be and")
    [2, 1, 0]

    Raises:
        UnknownNameError: there is no such kind.
        VocabSizeError: the kind needs more tokens than that to begin with.
        UnfinishedError: `go_on` stopped a kind that has nothing to show before its end.
    """
    kind = KINDS[name]
    counts = count_text(corpus, kind.pattern, special_tokens)
    return kind.train(counts, vocab_size, special_tokens, go_on)


def _bpe(
    name: str,
    summary: str,
    pattern: str = "gpt2",
    units: str = DEFAULT_UNITS,
    granularity: str = "subwords",
) -> Kind:
    """BPE, by what it starts from and what cuts the corpus."""

    def train(
        counts: Counts, vocab_size: int, special_tokens: Sequence[str], go_on: GoOn
    ) -> Candidate:
        trainer = Trainer(counts, vocab_size, special_tokens, min_count=MIN_COUNT, units=units)
        for _ in trainer.steps():
            if not go_on():
                break
        record = trainer.record
        tokenizer = to_tokenizer(record, len(record), pattern)
        unknown = None if UNITS[units].spells_all else record.vocab.index(UNKNOWN)
        return BpeCandidate(tokenizer, trainer.vocab, name, granularity, unknown)

    return Kind(name, summary, pattern, train, "bpe", units)


def _train_wordpiece(
    counts: Counts, vocab_size: int, special_tokens: Sequence[str], go_on: GoOn
) -> Candidate:
    trainer = WordPieceTrainer(counts, vocab_size, special_tokens, min_count=MIN_COUNT)
    for _ in trainer.steps():
        if not go_on():
            break
    return WordPieceTokenizer(trainer.vocab, trainer.problem.special_tokens)


def _train_unigram(
    counts: Counts, vocab_size: int, special_tokens: Sequence[str], go_on: GoOn
) -> Candidate:
    words: Counter[str] = Counter()
    for pretoken, count in counts.items():
        for word in spaced_words(to_text(pretoken)):
            words[word] += count
    # The unknown token it has by itself, and a tokenizer opened over a corpus may name it.
    others = [token for token in special_tokens if token != UNKNOWN.decode()]
    trainer = UnigramTrainer(words, vocab_size, others)
    for _ in trainer.steps():
        if not go_on():
            raise UnfinishedError("it prunes down to its size, and was stopped before it had it")
    return UnigramCandidate(trainer.pieces, special_tokens)


def _baseline(tokenizer: type[BaselineTokenizer]) -> Kind:
    return Kind(
        tokenizer.name,
        tokenizer.summary,
        "bert",
        lambda counts, vocab_size, specials, _: tokenizer.train(counts, vocab_size, specials),
    )


KINDS: Registry[Kind] = registry_of(
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
        "characters, with </w> behind each word: est</w> is not est inside",
        "whitespace",
        "end-of-word",
    ),
    _bpe(
        "bpe-whole-text",
        "bytes, without pre-tokenization: merges go on across words and lines",
        "none",
        granularity="strings",
    ),
    Kind(
        "wordpiece",
        "the pair of highest score merges; the longest match encodes",
        "bert",
        _train_wordpiece,
        "wordpiece",
    ),
    Kind(
        "unigram",
        "the least useful pieces go; the likeliest segmentation encodes",
        "whitespace",
        _train_unigram,
        "unigram",
    ),
)
