"""Pretokens as Unigram models spell them: a space is the visible character ▁ (U+2581).

SentencePiece does so, that no piece holds a blank and pieces joined give the text back; it also
puts a ▁ before the first word of a text, and this does not: a piece stands for the very characters
that the text has. A ▁ of the text's own comes back as a space.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from engine.text.pretokenize import to_text

SPACE = "▁"


def spelled(text: str) -> str:
    """A text with ▁ for each space.

    >>> spelled(" a cat")
    '▁a▁cat'
    """
    return text.replace(" ", SPACE)


def unspelled(text: str) -> str:
    """A text with a space for each ▁.

    >>> unspelled("▁a▁cat")
    ' a cat'
    """
    return text.replace(SPACE, " ")


def spelled_counts(counts: Mapping[bytes, int]) -> dict[str, int]:
    """How often each pretoken occurs, spelled so, the most frequent first.

    >>> spelled_counts({b" the": 3, b"a": 7, "▁the".encode(): 1})
    {'a': 7, '▁the': 4}
    """
    words: Counter[str] = Counter()
    for pretoken, count in counts.items():
        words[spelled(to_text(pretoken))] += count
    return dict(words.most_common())
