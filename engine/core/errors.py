"""The errors of `engine`, as one tree: `except BpeError` catches them all.

Each message is one line that says what is wrong, where, and what to do about it. A message may
quote a file name or a token: show it through a function that makes control characters visible.

An error has a class of its own if a caller may want to handle it separately. If the operating
system raised the original error, it is the `__cause__`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Self

from engine.core.wording import counted

LONGEST = 700
"""Most characters of a message; a longer one quotes too much of a foreign value."""


def bounded(message: str) -> str:
    """Cut the middle out of a long message: its ends say where the error is and what to do.

    >>> len(bounded("a" * 700)), len(bounded("a" * 701))
    (700, 699)
    """
    half = (LONGEST - len(" … ")) // 2
    return message if len(message) <= LONGEST else f"{message[:half]} … {message[-half:]}"


class BpeError(Exception):
    """The root of every error that `engine` raises on purpose; its message is `bounded`."""

    def __init__(self, message: str = "") -> None:
        super().__init__(bounded(message))


class ArgumentError(BpeError, TypeError):
    """An argument has a type that the function does not take, or is a number too small."""


class CorpusError(BpeError):
    """A corpus cannot be opened or read: missing, a directory, empty, changed while being read."""


class UnknownNameError(BpeError, KeyError):
    """The name of a pattern, tie rule, trainer, encoder or format is not registered.

    It is a `KeyError`, too, as a registry is a `dict`.
    """

    __str__ = Exception.__str__  # KeyError puts the message in quotes


class SpecialTokenError(BpeError):
    """The special tokens are unusable: one is empty, or one is given twice."""


class SpecialTokenFoundError(SpecialTokenError):
    """A text contains a special token, and the caller did not say how to encode it.

    Attributes:
        token: the special token.
        position: its start in the text, in bytes.
    """

    def __init__(self, message: str, token: str = "", position: int = 0) -> None:
        super().__init__(message)
        self.token = token
        self.position = position


class PatternError(BpeError):
    """A regex is broken, or takes too long.

    Attributes:
        position: the index of the character at which the regex is broken; `None` if unknown.
    """

    def __init__(self, message: str, position: int | None = None) -> None:
        super().__init__(message)
        self.position = position


class UnigramError(BpeError):
    """A Unigram model cannot be built, trained or used: an option or a piece is wrong."""


class VocabSizeError(BpeError):
    """The requested vocabulary has no room for the 256 bytes and the special tokens."""


class PhaseError(BpeError):
    """The phases of a training are unreadable, too few, or do not grow."""


class CountsError(BpeError):
    """The counts to train on are too large: their sums do not fit into 64 bits."""


class TokenLengthError(BpeError):
    """The maximum token length is too small to merge anything."""


class VocabularyError(BpeError):
    """A vocab and its merges do not belong together, or a byte has no token."""


class UnknownTokenIdError(BpeError):
    """An id to decode is not in the vocabulary."""

    @classmethod
    def of(cls, token_id: int, size: int) -> Self:
        """Return the error for an id without a token.

        Args:
            token_id: the missing id.
            size: number of tokens of the vocabulary.
        """
        has = counted(size, "token")
        return cls(f"there is no token with the id {token_id}; this vocabulary has {has}")


class TextError(BpeError, TypeError):
    """The argument to encode is not a text."""


class TokenIdsError(BpeError):
    """The argument to decode is not a list of ids.

    Attributes:
        word: the part of it that is not an id.
    """

    def __init__(self, message: str, word: str = "") -> None:
        super().__init__(message)
        self.word = word


class TokenizerFileError(BpeError):
    """A tokenizer file is missing, malformed or cut short."""


@contextmanager
def errors_at(place: object, *kinds: type[BpeError]) -> Iterator[None]:
    """Turn errors inside into `TokenizerFileError`s that begin with the place.

    Args:
        kinds: further errors to turn, such as `VocabularyError`.
    """
    turned: tuple[type[BpeError], ...] = (TokenizerFileError, *kinds)
    try:
        yield
    except turned as error:
        raise TokenizerFileError(f"{place}: {str(error).removeprefix(f'{place}: ')}") from None


class ConversionError(BpeError):
    """A format cannot represent a tokenizer: the written file would load as another one."""


class ChatError(BpeError):
    """Messages are none, or a chat template cannot make a text of them."""


class ComparisonError(BpeError):
    """Tokenizers cannot be compared on a text."""


class OutputExistsError(BpeError):
    """A file exists already, and the caller did not allow overwriting it."""


class OutputError(BpeError):
    """A file cannot be written: no permission, no space, not a directory."""


class KernelMemoryError(BpeError, MemoryError):
    """The compiled kernel cannot get enough memory."""


class TimelineError(BpeError):
    """The requested step has not been recorded."""


class UnfinishedError(BpeError):
    """A training was stopped, and it has no result before its end."""


class QueryError(BpeError):
    """A search is given up: its expression takes too long."""


class BreakpointError(BpeError):
    """A breakpoint cannot be understood, can never stop anything, or takes too long to check."""


class WhatIfError(BpeError):
    """A run cannot be forked as requested: its pair or its document does not exist."""


class QuestionError(BpeError):
    """A question cannot be asked at a step: it would have no answer there, or several."""


class AnswerError(BpeError):
    """An answer is not of the form that its question asks for."""


class QuizFileError(BpeError):
    """A file of answers is missing or broken, or was made by another program or for another run."""


class StepsFileError(BpeError):
    """A file of steps (one line of JSON for each merge) is missing, or a line is not a step."""
