"""The words that WordPiece is trained on, and the notation of their pieces.

A word is a pretoken without whitespace. Whitespace is lost, so decoding cannot restore a text
exactly. A piece that continues a word is written with `##` before it.

In training no word may begin with `##`, since its first piece would look like one that continues a
word; and none may hold a special token. So words are cut there: `##a` into `#` and `#a`. With the
pattern `bert` each `#` is a word by itself, so there is nothing to cut.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from engine.core.errors import SpecialTokenError
from engine.text.pretokenize import SpecialSplitter, to_bytes, to_text, words_in

CONTINUES = "##"
"""Prefix of a piece that continues a word."""


def count_words(counts: Mapping[bytes, int], special_tokens: Sequence[str]) -> dict[bytes, int]:
    r"""Count words by their pretokens, in order of first appearance; drop words with count 0.

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
    """Yield the words of a text without special tokens; none begins with `##`.

    >>> list(trainable_words(" low ##a"))
    ['low', '#', '#a']
    """
    for word in words_in(text):
        while word.startswith(CONTINUES):
            yield "#"
            word = word[1:]
        yield word


def inner(piece: str) -> str:
    """Return a piece as written where it continues a word."""
    return CONTINUES + piece


def joined(left: bytes, right: bytes) -> bytes:
    """Return the piece that two pieces make.

    >>> joined(b"##l", b"##ow")
    b'##low'
    """
    return left + bare(right)


def bare(piece: bytes) -> bytes:
    """Return the bytes of the corpus that a trained piece covers, without `##`."""
    return piece.removeprefix(CONTINUES.encode())
