"""Tokenizers that need no training to speak of: by words, by characters, by bytes.

They are what subword tokenizers are measured against: words are short sequences, but every new
word is unknown; bytes are never unknown, but many; characters stand between. To add one, write a
subclass of `BaselineTokenizer` and name it in `BASELINES`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import ClassVar, NamedTuple, Self

from engine.bpe.trainer import base_vocab, check_vocab_size
from engine.core.errors import UnknownTokenIdError, VocabSizeError
from engine.core.registry import Registry
from engine.text.patterns import PatternLike, as_pattern
from engine.text.pretokenize import (
    SpecialSplitter,
    check_special_tokens,
    to_bytes,
    to_text,
    without_stray_surrogates,
    words_in,
)


class Unit(NamedTuple):
    """A unit of a text and the id that it becomes. A special token is a unit, too.

    `known` is false for a unit that the vocab lacks: its id is that of the unknown token.
    """

    data: bytes
    token_id: int
    known: bool


class BaselineTokenizer(ABC):
    """Cuts a text into units and looks each up. A subclass says what a unit is.

    Args:
        vocab: id → bytes.
        special_tokens: strings of the vocab that are one id wherever they stand.
        pattern: what cuts a text into words, where words matter.
    """

    name: ClassVar[str]
    summary: ClassVar[str]
    granularity: ClassVar[str]
    unknown_token: ClassVar[str | None] = "<UNK>"
    """What a unit becomes that the vocab lacks; `None` where there can be no such unit."""
    joiner: ClassVar[bytes] = b""
    """What stands between two units when they are put together again."""

    def __init__(
        self,
        vocab: Mapping[int, bytes],
        special_tokens: Sequence[str] = (),
        pattern: PatternLike = "bert",
    ) -> None:
        self.vocab = dict(vocab)
        self.special_tokens = check_special_tokens(special_tokens)
        self.pattern = as_pattern(pattern)
        self._splitter = SpecialSplitter(self.special_tokens)
        self._ids = {unit: token_id for token_id, unit in self.vocab.items()}
        unknown = self.unknown_token
        self.unknown_id = None if unknown is None else self._ids[unknown.encode()]

    @abstractmethod
    def units(self, text: str) -> Iterable[bytes]:
        """The units of a text without special tokens."""

    @classmethod
    def train(
        cls,
        counts: Mapping[bytes, int],
        vocab_size: int | None = None,
        special_tokens: Sequence[str] = (),
        pattern: PatternLike = "bert",
    ) -> Self:
        """A tokenizer that knows the most frequent units of a corpus.

        Args:
            counts: pretoken → how often it occurs, as `count_pretokens` gives it.
            vocab_size: unknown token + special tokens + units, at the most; `None` for all units.
                Of units equally frequent the smaller bytes are taken first.
            special_tokens, pattern: as in the class.

        Raises:
            VocabSizeError: `vocab_size` has no room for the unknown and the special tokens.
        """
        first = [] if cls.unknown_token is None else [cls.unknown_token.encode()]
        first += map(to_bytes, check_special_tokens(special_tokens))
        first = list(dict.fromkeys(first))
        if vocab_size is not None and vocab_size < len(first):
            raise VocabSizeError(
                f"a vocabulary of {vocab_size} is too small; the unknown token and the special "
                f"tokens need at least {len(first)}"
            )
        # This one is only to cut text: its vocab is not known yet.
        cutter = cls(dict(enumerate(first)), special_tokens, pattern)
        totals: Counter[bytes] = Counter()
        for pretoken, count in counts.items():
            for unit in cutter.units(to_text(pretoken)) if count else ():
                totals[unit] += count
        by_frequency = sorted(totals, key=lambda unit: (-totals[unit], unit))
        distinct = list(dict.fromkeys((*first, *by_frequency)))
        return cls(dict(enumerate(distinct[:vocab_size])), special_tokens, pattern)

    @property
    def vocab_size(self) -> int:
        """How many units the vocab has."""
        return len(self.vocab)

    def explain(self, text: str) -> Iterator[Unit]:
        """The units of a text with their ids, and whether they are known."""
        for piece, special in self._splitter.split_text(without_stray_surrogates(text)):
            for unit in (to_bytes(piece),) if special else self.units(piece):
                token_id = self._ids.get(unit, self.unknown_id)
                assert token_id is not None, "without an unknown token every unit is in the vocab"
                yield Unit(unit, token_id, unit in self._ids)

    def encode(self, text: str) -> list[int]:
        """The token ids of a text."""
        return [unit.token_id for unit in self.explain(text)]

    def decode(self, ids: Iterable[int]) -> str:
        """The text of the ids; what became unknown stays so.

        Raises:
            UnknownTokenIdError: names the id that the vocab lacks.
        """
        try:
            units = [self.vocab[token_id] for token_id in ids]
        except KeyError as error:
            raise UnknownTokenIdError.of(error.args[0], len(self.vocab)) from None
        return self.joiner.join(units).decode("utf-8", "replace")

    def unknown_characters(self, text: str) -> int:
        """For how many characters of a text the unknown token stands."""
        return sum(len(to_text(unit.data)) for unit in self.explain(text) if not unit.known)

    def piece(self, token_id: int) -> bytes:
        """A unit as the vocab has it."""
        return self.vocab[token_id]


class ByteTokenizer(BaselineTokenizer):
    """The 256 bytes, as byte-level BPE has them before its first merge; nothing is unknown.

    >>> tokenizer = ByteTokenizer.train({}, special_tokens=["<s>"])
    >>> tokenizer.encode("é<s>"), tokenizer.decode([195, 169])
    ([195, 169, 256], 'é')
    """

    name = "byte"
    summary = "every byte is a token; no corpus is needed and nothing is unknown"
    granularity = "bytes"
    unknown_token = None

    @classmethod
    def train(
        cls,
        counts: Mapping[bytes, int],
        vocab_size: int | None = None,
        special_tokens: Sequence[str] = (),
        pattern: PatternLike = "bert",
    ) -> Self:
        """The 256 bytes and the special tokens, whatever the corpus is.

        Raises:
            VocabSizeError: `vocab_size` has no room for them.
        """
        check_special_tokens(special_tokens)
        if vocab_size is not None:
            check_vocab_size(vocab_size, special_tokens)
        return cls(dict(enumerate(base_vocab(special_tokens))), special_tokens, pattern)

    def units(self, text: str) -> Iterable[bytes]:
        return (bytes((byte,)) for byte in to_bytes(text))


class CharacterTokenizer(BaselineTokenizer):
    """Code points, whitespace included; one that the corpus does not have is `<UNK>`.

    A code point is not always what a reader calls a character: `é` may be one or two.

    >>> tokenizer = CharacterTokenizer.train({b"ab": 2, b"b": 1})
    >>> tokenizer.encode("abc"), tokenizer.decode([2, 1, 0])
    ([2, 1, 0], 'ab<UNK>')
    """

    name = "character"
    summary = "every code point is a token; those that the corpus lacks are <UNK>"
    granularity = "characters"

    def units(self, text: str) -> Iterable[bytes]:
        return map(to_bytes, text)


class WordTokenizer(BaselineTokenizer):
    """Words as the pattern cuts them, without whitespace; a new word is `<UNK>`.

    Decoding puts one space between two words, so spacing is lost, and so is an unknown word.

    >>> tokenizer = WordTokenizer.train({b"the": 2, b" ": 3, b"cat": 1}, 3)
    >>> tokenizer.encode("the cat  sat"), tokenizer.decode([1, 2, 0])
    ([1, 2, 0], 'the cat <UNK>')
    """

    name = "word"
    summary = "every word is a token; words that are not frequent enough are <UNK>"
    granularity = "words"
    joiner = b" "

    def units(self, text: str) -> Iterable[bytes]:
        for pretoken in self.pattern.split(text):
            yield from map(to_bytes, words_in(pretoken))


BASELINES: Registry[type[BaselineTokenizer]] = Registry(
    "tokenizer", {kind.name: kind for kind in (WordTokenizer, CharacterTokenizer, ByteTokenizer)}
)
"""A text is cut into words, characters or bytes, and each is looked up."""
