r"""The named pre-tokenization patterns, alternative by alternative.

A pattern is a regex of alternatives tried in order. They are kept apart here so that a screen can
say *which* alternative cut a pretoken. Every named pattern covers any text completely: the
pretokens joined are the text.

Sources: GPT-2's `encoder.py` (gpt2), tiktoken's `openai_public.py` (cl100k, o200k), Llama 3's
tokenizer.model (llama3), Qwen2's tokenizer.json (qwen2). The `regex` module gives `\s` and `\p{…}`
the meaning they have there: `\s` is Unicode's White_Space.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import regex

from engine.borders import (
    AFTER_TEXT,
    BEFORE_TEXT,
    BLANKS,
    DIGITS,
    LETTERS,
    NEWLINES,
    SPACES,
    SYMBOLS,
    Border,
    without,
)
from engine.registry import Registry


@dataclass(frozen=True)
class Alternative:
    """One branch of a pattern: a name for people and its regex."""

    name: str
    regex: str


@dataclass(frozen=True)
class Pattern:
    r"""A pre-tokenization pattern.

    `cut` is a regex over *bytes* matching (with zero width) at places where the text may be cut in
    two and pretokenized piece by piece with the same result; `None` where no such place exists.
    Two facts make one safe: a pretoken border stands there, and no pretoken to its left depends on
    what follows. See `BEFORE_SPACE` and `AFTER_NEWLINE`.

    `borders` are many more such places, told by pairs of bytes. With them, counting looks at equal
    pieces of text once; without, at the text as it stands.
    """

    name: str
    summary: str
    alternatives: tuple[Alternative, ...]
    cut: bytes | None
    borders: tuple[Border, ...] = ()

    @property
    def source(self) -> str:
        """The whole regex, as one string."""
        return "|".join(alternative.regex for alternative in self.alternatives)

    @cached_property
    def compiled(self) -> Any:
        """The regex without groups: `findall` gives the pretokens."""
        return regex.compile(self.source)

    def split(self, text: str) -> list[str]:
        """The pretokens of a text, none of them empty.

        Text that no alternative matches is kept, each stretch as one.

        >>> PATTERNS["gpt2"].split("don't stop")
        ['don', "'t", ' stop']
        """
        pieces: list[str] = self.compiled.findall(text)
        if sum(map(len, pieces)) == len(text):
            return list(filter(None, pieces))
        pieces, end = [], 0
        for match in self.compiled.finditer(text):
            pieces += [text[end : match.start()], match.group()]
            end = match.end()
        return list(filter(None, (*pieces, text[end:])))

    @cached_property
    def labelled(self) -> Any:
        """The regex with a group for each alternative: `match.lastindex - 1` says which matched."""
        return regex.compile("|".join(f"({a.regex})" for a in self.alternatives))

    @cached_property
    def cut_regex(self) -> Any:
        return None if self.cut is None else regex.compile(self.cut)


# A space after a character that is not whitespace. In every pattern but `none`, whitespace stands
# only at the head of a pretoken or in pretokens made of whitespace alone, so a border stands
# there; and what ends in a non-space is not touched by the lookaheads, which only follow runs of
# whitespace. The bytes listed end no whitespace character: visible ASCII, and the continuation
# bytes that no Unicode space has last (those have 80–8A, 9F, A0, A8, A9 or AF).
NOT_A_SPACE = rb"[\x21-\x7e\x8b-\x9e\xa1-\xa7\xaa-\xae\xb0-\xbf]"
BEFORE_SPACE = rb"(?<=" + NOT_A_SPACE + rb")(?= )"

# gpt2 and whitespace put no newline behind anything but whitespace, so the same holds there.
BEFORE_ANY_SPACE = rb"(?<=" + NOT_A_SPACE + rb")(?=[ \n\r\t])"

# The newer patterns glue newlines to the punctuation before them, but nothing follows a newline
# within a pretoken except more whitespace (and `/` in o200k), and a run of whitespace that ends in
# a newline is cut alike whether a letter or the end of the text comes next.
AFTER_NEWLINE = rb"(?<=\n)(?=[0-9A-Za-z\xc3-\xdf\xe4-\xf4])"

# Text before whitespace; and the last character of a run of whitespace, which every pattern but
# `whitespace` leaves to the text behind it.
_TEXT_SPACE = Border(AFTER_TEXT, SPACES)
_LAST_SPACE = Border(SPACES, BEFORE_TEXT, before_left=True)
_LETTER_DIGIT = Border(LETTERS, DIGITS)
_DIGIT_OTHER = Border(DIGITS, LETTERS + SYMBOLS)

# Only an apostrophe makes a pretoken together with the letters behind it.
_GPT2_BORDERS = (
    _TEXT_SPACE,
    _LAST_SPACE,
    _LETTER_DIGIT,
    _DIGIT_OTHER,
    Border(LETTERS, SYMBOLS),
    Border(without(SYMBOLS, b"'"), LETTERS + DIGITS),
)

# In the newer patterns any symbol may begin a word and newlines follow symbols; whitespace is cut
# behind its last newline first. `/` may follow a newline in o200k.
_NEWER_BORDERS = (
    Border(AFTER_TEXT, BLANKS),
    Border(NEWLINES, without(BEFORE_TEXT, b"/")),
    _LETTER_DIGIT,
    _DIGIT_OTHER,
    Border(SYMBOLS, DIGITS),
)
_LAST_BLANK = Border(BLANKS, BEFORE_TEXT, before_left=True)
_LETTER_SYMBOL = Border(LETTERS, SYMBOLS)


def _pattern(
    name: str, summary: str, cut: bytes | None, borders: tuple[Border, ...], **alternatives: str
) -> Pattern:
    return Pattern(
        name,
        summary,
        tuple(Alternative(n.replace("_", " "), r) for n, r in alternatives.items()),
        cut,
        borders,
    )


_NEWER_CUT = BEFORE_SPACE + rb"|" + AFTER_NEWLINE
_ENGLISH_SUFFIX = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)"

_GPT2 = _pattern(
    "gpt2",
    "GPT-2: contractions, words with the space before them, numbers, symbols, whitespace",
    BEFORE_ANY_SPACE,
    _GPT2_BORDERS,
    contraction=r"'(?:[sdmt]|ll|ve|re)",
    letters=r" ?\p{L}+",
    numbers=r" ?\p{N}+",
    symbols=r" ?[^\s\p{L}\p{N}]+",
    whitespace_before_more=r"\s+(?!\S)",
    whitespace=r"\s+",
)
_CL100K = _pattern(
    "cl100k",
    "GPT-4: any case of contraction, numbers by three, newlines behind symbols",
    _NEWER_CUT,
    # No `_LAST_BLANK`: what is before it would be whitespace at the end, newlines and all.
    (*_NEWER_BORDERS, _LETTER_SYMBOL),
    contraction=r"'(?i:[sdmt]|ll|ve|re)",
    letters=r"[^\r\n\p{L}\p{N}]?+\p{L}++",
    up_to_three_digits=r"\p{N}{1,3}+",
    symbols=r" ?[^\s\p{L}\p{N}]++[\r\n]*+",
    whitespace_at_the_end=r"\s++$",
    whitespace_to_a_newline=r"\s*[\r\n]",
    whitespace_before_more=r"\s+(?!\S)",
    whitespace=r"\s",
)
_O200K = _pattern(
    "o200k",
    "GPT-4o: words cut at lower → upper case, contractions kept on the word",
    _NEWER_CUT,
    (*_NEWER_BORDERS, _LAST_BLANK, Border(LETTERS, without(SYMBOLS, b"'"))),
    word_ending_in_lower_case=(
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+"
        + _ENGLISH_SUFFIX
        + "?"
    ),
    word_starting_in_upper_case=(
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*"
        + _ENGLISH_SUFFIX
        + "?"
    ),
    up_to_three_digits=r"\p{N}{1,3}",
    symbols=r" ?[^\s\p{L}\p{N}]+[\r\n/]*",
    whitespace_to_a_newline=r"\s*[\r\n]+",
    whitespace_before_more=r"\s+(?!\S)",
    whitespace=r"\s+",
)


def _llama3_like(name: str, summary: str, digits_name: str, digits: str) -> Pattern:
    return _pattern(
        name,
        summary,
        _NEWER_CUT,
        (*_NEWER_BORDERS, _LAST_BLANK, _LETTER_SYMBOL),
        contraction=_ENGLISH_SUFFIX,
        letters=r"[^\r\n\p{L}\p{N}]?\p{L}+",
        **{digits_name: digits},
        symbols=r" ?[^\s\p{L}\p{N}]+[\r\n]*",
        whitespace_to_newlines=r"\s*[\r\n]+",
        whitespace_before_more=r"\s+(?!\S)",
        whitespace=r"\s+",
    )


_LLAMA3 = _llama3_like("llama3", "Llama 3: like cl100k", "up_to_three_digits", r"\p{N}{1,3}")
_QWEN2 = _llama3_like("qwen2", "Qwen 2: like llama3, every digit alone", "one_digit", r"\p{N}")
_WHITESPACE = _pattern(
    "whitespace",
    "runs of non-space and runs of whitespace, as in str.split but losing nothing",
    BEFORE_ANY_SPACE,
    (_TEXT_SPACE, Border(SPACES, BEFORE_TEXT)),
    word=r"\S+",
    whitespace=r"\s+",
)
_NONE = _pattern(
    "none",
    "no pre-tokenization: a whole document is one pretoken",
    None,
    (),
    whole_document=r"(?s:.+)",
)

PATTERNS: Registry[Pattern] = Registry(
    "pattern",
    {p.name: p for p in (_GPT2, _CL100K, _O200K, _LLAMA3, _QWEN2, _WHITESPACE, _NONE)},
)


def as_pattern(pattern: str | Pattern) -> Pattern:
    """A pattern by its name; a `Pattern` is passed through.

    Raises:
        UnknownNameError: no pattern has that name.
    """
    return pattern if isinstance(pattern, Pattern) else PATTERNS[pattern]
