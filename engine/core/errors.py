"""Everything that can go wrong, as one tree: catch `BpeError` to catch them all.

Each message is one line that says what is wrong, where, and what to do about it. A message may
quote a file name or a token: show it through a function that makes control characters visible.

A class is there for what a caller may want to tell from the rest. An error of the system is its
`__cause__`, where there is one.
"""

from __future__ import annotations

from typing import Self

LONGEST = 1000
"""Characters of a message. What is longer quotes too much of a foreign value."""


def bounded(message: str) -> str:
    """The message; a long one without its middle: where it is and what to do stand at the ends."""
    half = LONGEST // 2
    return message if len(message) <= LONGEST else f"{message[:half]} … {message[-half:]}"


class BpeError(Exception):
    """The root of every error that `engine` raises on purpose; its message is `bounded`."""

    def __init__(self, message: str = "") -> None:
        super().__init__(bounded(message))


class CorpusError(BpeError):
    """A corpus cannot be opened or read: missing, a directory, empty, changed while being read."""


class ClusterError(BpeError):
    """A cluster cannot be reached or used, or is gone."""


class UnknownNameError(BpeError, KeyError):
    """A pattern, tie rule, trainer, encoder or format is asked for by a name nobody registered.

    A `KeyError`, too, so that a registry is a mapping in every respect, `get` included.
    """

    __str__ = Exception.__str__  # KeyError would put the message in quotes


class SpecialTokenError(BpeError):
    """The special tokens are unusable: one is empty, or one is given twice."""


class SpecialTokenFoundError(SpecialTokenError):
    """A text holds a special token, and nobody said what it means there.

    Attributes:
        token: the special token.
        position: where it begins in the text, in bytes.
    """

    def __init__(self, message: str, token: str, position: int) -> None:
        super().__init__(message)
        self.token = token
        self.position = position


class PatternError(BpeError):
    """A regex is broken, or takes too long.

    Attributes:
        position: the character of the regex at which it is broken; `None` if that is no one place.
    """

    def __init__(self, message: str, position: int | None = None) -> None:
        super().__init__(message)
        self.position = position


class UnigramError(BpeError):
    """A Unigram model cannot be built, trained or used that way: an option or piece is wrong."""


class VocabSizeError(BpeError):
    """The vocabulary asked for has no room for the 256 bytes and the special tokens."""


class DropoutError(BpeError):
    """The probability of dropout is no probability, or its seed no number."""


class TokenLengthError(BpeError):
    """The bound on the length of tokens leaves nothing to merge."""


class VocabularyError(BpeError):
    """A vocab and its merges do not belong together, or a byte has no token."""


class UnknownTokenIdError(BpeError):
    """An id to decode is not in the vocab."""

    @classmethod
    def of(cls, token_id: int, size: int) -> Self:
        """The error for an id that a vocabulary lacks.

        Args:
            token_id: the id.
            size: how many tokens the vocabulary has.
        """
        return cls(f"there is no token with the id {token_id}; this vocabulary has {size:,} tokens")


class TextError(BpeError, TypeError):
    """What is to be encoded is no text."""


class TokenIdsError(BpeError):
    """What is to be decoded is no list of ids.

    Attributes:
        word: what in it is no id.
    """

    def __init__(self, message: str, word: str) -> None:
        super().__init__(message)
        self.word = word


class TokenizerFileError(BpeError):
    """A tokenizer file is missing, malformed or cut short."""


class ConversionError(BpeError):
    """A format cannot hold a tokenizer: what was written reads as another one."""


class ComparisonError(BpeError):
    """Tokenizers cannot be compared on a text."""


class OutputExistsError(BpeError):
    """Writing would overwrite a file, and nobody asked for that."""


class OutputError(BpeError):
    """A file cannot be written: no permission, no space, not a directory."""


class KernelMemoryError(BpeError, MemoryError):
    """The compiled kernel finds no memory for what it has to do."""


class HelperWarning(UserWarning):
    """A helper process died or could not be started; this process did its work instead."""


class TimelineError(BpeError):
    """A step is asked for that has not been recorded."""


class UnfinishedError(BpeError):
    """A training was stopped that has nothing to show before its end."""


class QueryError(BpeError):
    """A search cannot be carried out: its expression takes too long."""


class BreakpointError(BpeError):
    """A breakpoint cannot be understood, can never stop anything, or takes too long to check."""


class WhatIfError(BpeError):
    """A run cannot be forked that way: its pair or its document does not exist."""


class QuestionError(BpeError):
    """A question cannot be asked at a step: there is nothing of the kind, or it is undecided."""


class AnswerError(BpeError):
    """An answer is not of the form that its question asks for."""


class QuizFileError(BpeError):
    """A file of answers is missing or broken, or was made by another program or for another run."""


class StepsFileError(BpeError):
    """A file of steps, a line of JSON a merge, is missing, or a line of it is no step."""


class SessionFileError(BpeError):
    """A session file is missing, damaged, too large, or of a newer version."""
