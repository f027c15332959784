"""Tokenizers that only look up: a text cut into words, characters or bytes, each with its id.

They need no training to speak of. Words make short sequences, but every new word is unknown; bytes
are never unknown, but many; characters are between the two. To add one, write a subclass of
`BaselineTokenizer` and name it in `BASELINES`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import ClassVar, Self

from engine.bpe.trainer import base_vocab, check_vocab_size
from engine.core.errors import UnknownTokenIdError, VocabSizeError
from engine.core.registry import Registry
from engine.recording.training_input import check_size
from engine.text.patterns import PatternLike, as_pattern
from engine.text.pretokenize import (
    SpecialSplitter,
    check_special_tokens,
    to_bytes,
    to_text,
    without_stray_surrogates,
    words_in,
)


class BaselineTokenizer(ABC):
    """A tokenizer that cuts a text into units and looks each up; subclasses define the units.

    Args:
        vocab: id → bytes.
        special_tokens: strings of the vocab that are one id wherever they occur.
        pattern: cuts a text into words, if the units are words.
    """

    name: ClassVar[str]
    summary: ClassVar[str]
    granularity: ClassVar[str]
    unknown_token: ClassVar[str | None] = "<UNK>"
    """The token for units outside the vocab; `None` if all units are in it."""
    joiner: ClassVar[bytes] = b""
    """The bytes between two units in a decoded text."""

    def __init__(
        self,
        vocab: Mapping[int, bytes],
        special_tokens: Sequence[str] = (),
        pattern: PatternLike = "bert",
    ) -> None:
        self.vocab: Mapping[int, bytes] = dict(vocab)
        self.vocab_size = len(self.vocab)
        self.special_tokens = check_special_tokens(special_tokens)
        self.pattern = as_pattern(pattern)
        self._splitter = SpecialSplitter(self.special_tokens)
        self._ids = {unit: token_id for token_id, unit in self.vocab.items()}
        unknown = self.unknown_token
        self.unknown_id = None if unknown is None else self._ids[unknown.encode()]

    @abstractmethod
    def units(self, text: str) -> Iterable[bytes]:
        """Return the units of a text without special tokens."""

    @classmethod
    def train(
        cls,
        counts: Mapping[bytes, int],
        vocab_size: int | None = None,
        special_tokens: Sequence[str] = (),
        pattern: PatternLike = "bert",
    ) -> Self:
        """Return a tokenizer with the most frequent units of a corpus.

        Args:
            counts: pretoken → count, as `count_pretokens` gives it.
            vocab_size: unknown token + special tokens + units, at the most; `None` for all units.
                Among equally frequent units the smaller bytes are first.
            special_tokens, pattern: as in the class.

        Raises:
            VocabSizeError: `vocab_size` has no room for the unknown and the special tokens.
        """
        if vocab_size is not None:
            check_size(vocab_size)
        first = [] if cls.unknown_token is None else [cls.unknown_token.encode()]
        first += map(to_bytes, check_special_tokens(special_tokens))
        first = list(dict.fromkeys(first))
        if vocab_size is not None and vocab_size < len(first):
            raise VocabSizeError(
                f"a vocabulary of {vocab_size} is too small; the unknown token and the special "
                f"tokens need at least {len(first)}"
            )
        # This tokenizer only cuts text: the vocab is not known yet.
        cutter = cls(dict(enumerate(first)), special_tokens, pattern)
        totals: Counter[bytes] = Counter()
        for pretoken, count in counts.items():
            for unit in cutter.units(to_text(pretoken)) if count else ():
                totals[unit] += count
        by_frequency = sorted(totals, key=lambda unit: (-totals[unit], unit))
        distinct = list(dict.fromkeys((*first, *by_frequency)))
        return cls(dict(enumerate(distinct[:vocab_size])), special_tokens, pattern)

    def known_units(self, text: str) -> Iterator[tuple[bytes, int | None]]:
        """Yield the units of a text, special tokens too, with their ids; `None` for an unknown."""
        for piece, special in self._splitter.split_text(without_stray_surrogates(text)):
            for unit in (to_bytes(piece),) if special else self.units(piece):
                yield unit, self.id_of(unit)

    def id_of(self, unit: bytes) -> int | None:
        """Return the id of a unit; `None` if it is not in the vocab."""
        return self._ids.get(unit)

    def encode(self, text: str) -> list[int]:
        """Return the token ids of a text."""
        ids = (self.unknown_id if i is None else i for _, i in self.known_units(text))
        return [token_id for token_id in ids if token_id is not None]

    def decode(self, ids: Iterable[int]) -> str:
        """Return the text of the ids; unknown tokens stay unknown.

        Raises:
            UnknownTokenIdError: an id is not in the vocab.
        """
        try:
            units = [self.vocab[token_id] for token_id in ids]
        except KeyError as error:
            raise UnknownTokenIdError.of(error.args[0], len(self.vocab)) from None
        return self.joiner.join(units).decode("utf-8", "replace")

    def piece(self, token_id: int) -> bytes:
        """Return the bytes of a unit."""
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
        """Return the tokenizer of the 256 bytes and the special tokens, for any corpus.

        Raises:
            VocabSizeError: `vocab_size` has no room for them.
        """
        if vocab_size is not None:
            check_vocab_size(vocab_size, special_tokens)
        return cls(dict(enumerate(base_vocab(special_tokens))), special_tokens, pattern)

    def units(self, text: str) -> Iterable[bytes]:
        return (bytes((byte,)) for byte in to_bytes(text))


CODE_POINTS, SURROGATES = 0x110000, range(0xD800, 0xE000)
REPLACEMENT = 0xFFFD
"""Unicode's own number for what cannot be read."""


class CodePoints(Mapping[int, bytes]):
    """Unicode's characters by their numbers, and special tokens after them: id → bytes.

    Surrogates are numbers without a character.
    """

    def __init__(self, special_tokens: Sequence[str]) -> None:
        self._special = [to_bytes(token) for token in special_tokens]

    def __getitem__(self, token_id: int) -> bytes:
        if 0 <= token_id < CODE_POINTS and token_id not in SURROGATES:
            return chr(token_id).encode()
        if not 0 <= token_id - CODE_POINTS < len(self._special):
            raise KeyError(token_id)
        return self._special[token_id - CODE_POINTS]

    def __iter__(self) -> Iterator[int]:
        last = CODE_POINTS + len(self._special)
        return chain(range(SURROGATES.start), range(SURROGATES.stop, last))

    def __len__(self) -> int:
        return CODE_POINTS - len(SURROGATES) + len(self._special)


class CharacterTokenizer(BaselineTokenizer):
    """Code points with Unicode's numbers as ids, as Python's `ord` gives them.

    A code point is not always what a reader calls a character: `é` may be one or two.

    >>> tokenizer = CharacterTokenizer.train({}, special_tokens=["<s>"])
    >>> tokenizer.encode("你a<s>"), tokenizer.decode([20320, 97])
    ([20320, 97, 1114112], '你a')
    """

    name = "character"
    summary = "every code point is a token, by Unicode's number; nothing is unknown, few are used"
    granularity = "characters"
    unknown_token = None

    def __init__(
        self,
        vocab: Mapping[int, bytes],
        special_tokens: Sequence[str] = (),
        pattern: PatternLike = "bert",
    ) -> None:
        super().__init__({}, special_tokens, pattern)
        self.vocab, self.vocab_size = vocab, len(vocab)
        self._special_ids = {
            to_bytes(token): CODE_POINTS + place for place, token in enumerate(self.special_tokens)
        }

    @classmethod
    def train(
        cls,
        counts: Mapping[bytes, int],
        vocab_size: int | None = None,
        special_tokens: Sequence[str] = (),
        pattern: PatternLike = "bert",
    ) -> Self:
        """Return the tokenizer of Unicode and the special tokens, for any corpus and size."""
        return cls(CodePoints(check_special_tokens(special_tokens)), special_tokens, pattern)

    def units(self, text: str) -> Iterable[bytes]:
        return map(to_bytes, text)

    def id_of(self, unit: bytes) -> int | None:
        if unit in self._special_ids:
            return self._special_ids[unit]
        number = ord(to_text(unit))
        return None if number in SURROGATES else number  # it stands for a byte that is not UTF-8

    def encode(self, text: str) -> list[int]:
        return [REPLACEMENT if i is None else i for _, i in self.known_units(text)]


class SeenCharacterTokenizer(BaselineTokenizer):
    """Code points of a corpus, whitespace included; any other is `<UNK>`.

    >>> tokenizer = SeenCharacterTokenizer.train({b"ab": 2, b"b": 1})
    >>> tokenizer.encode("abc"), tokenizer.decode([2, 1, 0])
    ([2, 1, 0], 'ab<UNK>')
    """

    name = "seen-character"
    summary = "every code point of the corpus is a token; those that it lacks are <UNK>"
    granularity = "characters"

    def units(self, text: str) -> Iterable[bytes]:
        return map(to_bytes, text)


class WordTokenizer(BaselineTokenizer):
    """Words that the pattern cuts, without whitespace; a new word is `<UNK>`.

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


BASELINES: Registry[str, type[BaselineTokenizer]] = Registry(
    "tokenizer",
    {
        kind.name: kind
        for kind in (WordTokenizer, CharacterTokenizer, SeenCharacterTokenizer, ByteTokenizer)
    },
)
"""The baselines by name."""
