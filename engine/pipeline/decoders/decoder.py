"""What a decoder is: it makes readable text of tokens, as they are spelled in the vocabulary."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable

from engine.pipeline.stage import Stage


class Decoder(Stage):
    """Changes a list of tokens; the last one's tokens, joined, are the text."""

    @abstractmethod
    def decode_tokens(self, tokens: list[str]) -> list[str]:
        """The tokens after this decoder; they may be more or fewer."""

    def decode(self, tokens: Iterable[str]) -> str:
        """The text.

        >>> from engine.pipeline.decoders import WordPiece
        >>> WordPiece().decode(["to", "##ken", "!"])
        'token!'
        """
        return "".join(self.decode_tokens(list(tokens)))
