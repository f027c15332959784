"""Opening and comparing tokenizers beside the screen; tells by messages, like the other jobs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from threading import Thread

from textual.message import Message

from bpe_tui.studies.comparison.numbers import Vocabularies
from engine.analysis.comparison import TextComparison, first_parting, overlap
from engine.core.errors import BpeError
from engine.encoding.tokenizer import Tokenizer


class TokenizersOpened(Message):
    """The tokenizers are there."""

    def __init__(self, tokenizers: Sequence[Tokenizer]) -> None:
        super().__init__()
        self.tokenizers = tokenizers


class TextCompared(Message):
    """The text is cut by all of them; `wish` is the number of the request."""

    def __init__(self, comparison: TextComparison, wish: int) -> None:
        super().__init__()
        self.comparison = comparison
        self.wish = wish


class VocabulariesCompared(Message):
    """It is known what the vocabularies and merges share."""

    def __init__(self, vocabularies: Vocabularies) -> None:
        super().__init__()
        self.vocabularies = vocabularies


class ComparisonFailed(Message):
    """A tokenizer cannot be opened."""

    def __init__(self, error: BpeError) -> None:
        super().__init__()
        self.error = error


class ComparisonJob:
    """Has threads of its own, which the end of the program does not wait for."""

    def __init__(self, post: Callable[[Message], object]) -> None:
        self._post = post

    def open(self, open_all: Callable[[], Sequence[Tokenizer]]) -> None:
        """Open tokenizers; answered by `TokenizersOpened`."""
        self._start(lambda: TokenizersOpened(open_all()))

    def compare(self, tokenizers: Sequence[Tokenizer], data: bytes, wish: int) -> None:
        """Cut a text by all; answered by `TextCompared`."""

        def compared() -> Message:
            comparison = TextComparison(tokenizers, data)
            _ = comparison.differences, comparison.fertility  # not on the screen's time
            return TextCompared(comparison, wish)

        self._start(compared)

    def compare_vocabularies(self, tokenizers: Sequence[Tokenizer]) -> None:
        """Compare vocabularies and merges; answered by `VocabulariesCompared`."""

        def compared() -> Message:
            partings = (first_parting(tokenizers[0], each) for each in tokenizers[1:])
            return VocabulariesCompared(Vocabularies(overlap(tokenizers), tuple(partings)))

        self._start(compared)

    def _start(self, work: Callable[[], Message]) -> None:
        def run() -> None:
            try:
                self._post(work())
            except BpeError as error:
                self._post(ComparisonFailed(error))

        Thread(target=run, name="comparison", daemon=True).start()
