"""Every character is a token."""

from __future__ import annotations

from collections.abc import Iterable

from engine.baselines.simple_tokenizer import SimpleTokenizer
from engine.text.pretokenize import to_bytes


class CharacterTokenizer(SimpleTokenizer):
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
