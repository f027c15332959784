"""Words: what stands between whitespace."""

from __future__ import annotations

import regex

# `str.split` takes a few control characters for spaces, too, which no tokenizer's pattern does.
_WHITESPACE = regex.compile(r"\s+")


def words_in(text: str) -> list[str]:
    """The words of a text or a pretoken.

    >>> words_in(" low"), words_in(" ")
    (['low'], [])
    """
    return list(filter(None, _WHITESPACE.split(text)))
