"""Every word is a token."""

from __future__ import annotations

from collections.abc import Iterable

from engine.baselines.simple_tokenizer import SimpleTokenizer
from engine.text.pretokenize import to_bytes
from engine.text.words import words_in


class WordTokenizer(SimpleTokenizer):
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
