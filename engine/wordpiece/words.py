"""The words that WordPiece is trained on, and how their pieces are written.

A word is a pretoken without whitespace; whitespace itself is lost, which is why decoding cannot
bring a text back exactly. A piece that continues a word is written behind `##`.

In training no word may begin with `##`, or a piece at its beginning would be written as one that
continues; and none may hold a special token. So words are cut there: `##a` into `#` and `#a`.
With the pattern `bert` there is nothing to cut, since each `#` is a word by itself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from engine.core.errors import SpecialTokenError
from engine.text.pretokenize import SpecialSplitter, to_bytes, to_text, words_in

CONTINUES = "##"
"""Stands before a piece that continues a word."""


def count_words(counts: Mapping[bytes, int], special_tokens: Sequence[str]) -> dict[bytes, int]:
    r"""Pretoken counts as word counts, in order of first appearance; words that occur 0 times go.

    >>> count_words({b"low": 2, b" low": 3, b"\n": 9, b" ##": 1}, [])
    {b'low': 5, b'#': 2}

    Raises:
        SpecialTokenError: a special token is written like a piece that continues a word.
    """
    for token in special_tokens:
        if token.startswith(CONTINUES):
            raise SpecialTokenError(
                f"the special token {token!r} reads as a piece inside of a word; let it begin "
                f"with something else than {CONTINUES}"
            )
    splitter = SpecialSplitter(special_tokens)
    words: Counter[bytes] = Counter()
    for pretoken, count in counts.items():
        if count:
            for stretch, special in splitter.split_text(to_text(pretoken)):
                for word in () if special else trainable_words(stretch):
                    words[to_bytes(word)] += count
    return dict(words)


def trainable_words(text: str) -> Iterator[str]:
    """The words of a text without special tokens, none beginning with `##`.

    >>> list(trainable_words(" low ##a"))
    ['low', '#', '#a']
    """
    for word in words_in(text):
        while word.startswith(CONTINUES):
            yield word[0]
            word = word[1:]
        yield word


def inner(piece: str) -> str:
    """A piece as it is written where it continues a word."""
    return CONTINUES + piece


def joined(left: bytes, right: bytes) -> bytes:
    """The piece that two pieces make.

    >>> joined(b"##l", b"##ow")
    b'##low'
    """
    return left + bare(right)


def bare(piece: bytes) -> bytes:
    """The bytes of the corpus that a trained piece stands for: without `##`."""
    return piece.removeprefix(CONTINUES.encode())
