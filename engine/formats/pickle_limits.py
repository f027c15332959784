"""How much a pickle may ask for, and what is said if it asks for more."""

from __future__ import annotations

from engine.core.errors import TokenizerFileError


class PickleError(TokenizerFileError):
    """A pickle is broken, or holds more than data."""


class Allowance:
    """What all pickles of a file may use together.

    Attributes:
        opcodes: a vocabulary of 200,000 tokens with its merges takes 2 ** 21.
        copied: bytes and items in what calls return.
    """

    def __init__(self, opcodes: int = 1 << 23, copied: int = 1 << 26) -> None:
        self.opcodes = opcodes
        self.copied = copied

    def use(self, opcodes: int = 0, copied: int = 0) -> None:
        """Raises `PickleError` when more is used than there is."""
        self.opcodes -= opcodes
        self.copied -= copied
        if self.opcodes < 0 or self.copied < 0:
            raise PickleError("asks for far more than a vocabulary needs")
