r"""The named pre-tokenization patterns, alternative by alternative.

A pattern is a regex of alternatives tried in order. They are kept apart here so that a screen can
say *which* alternative cut a pretoken. Every named pattern covers any text completely: the
pretokens joined are the text.

Sources: GPT-2's `encoder.py` (gpt2), tiktoken's `openai_public.py` (cl100k, o200k), Llama 3's
tokenizer.model (llama3), Qwen2's tokenizer.json (qwen2), BERT's `tokenization.py` (bert; control
characters, case and Chinese characters are the matter of its normalizer). The `regex` module gives
`\s` and `\p{…}` the meaning they have there: `\s` is Unicode's White_Space.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import regex

from engine.core.registry import Registry
from engine.text.borders import (
    AFTER_TEXT,
    BEFORE_TEXT,
    BLANKS,
    DIGITS,
    LETTERS,
    NEWLINES,
    PUNCTUATION,
    SPACES,
    SYMBOLS,
    Border,
    without,
)


@dataclass(frozen=True)
class Alternative:
    """One branch of a pattern: a name for people and its regex."""

    name: str
    regex: str


@dataclass(frozen=True)
class Pattern:
    r"""A pre-tokenization pattern.

    `borders` are places where the text may be cut in two and pretokenized piece by piece with the
    same result, told by pairs of bytes; none, if no such place is known. See `engine.text.borders`.
    With them a corpus is read in chunks, and equal pieces of text are looked at once; without, a
    document is kept whole.
    """

    name: str
    summary: str
    alternatives: tuple[Alternative, ...]
    borders: tuple[Border, ...]

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled without the compiled regexes; a helper process compiles what it needs."""
        return Pattern, (self.name, self.summary, self.alternatives, self.borders)

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
        """A regex over bytes that matches, with zero width, at the borders; `None` without any."""
        if not self.borders:
            return None
        return regex.compile(b"|".join(border.regex for border in self.borders))


# In every pattern but `none`, whitespace stands only at the head of a pretoken or in pretokens made
# of whitespace alone, so a border stands before it; and what ends in text is not touched by the
# lookaheads, which only follow runs of whitespace. Of such a run, all patterns but `whitespace`
# leave the last character to the text behind it.
_TEXT_SPACE = Border(AFTER_TEXT, SPACES)
_LAST_SPACE = Border(SPACES, BEFORE_TEXT, before_left=True)

# Letters, digits and symbols go into different pretokens, but for the symbol that begins a word.
_LETTER_DIGIT = Border(LETTERS, DIGITS)
_LETTER_SYMBOL = Border(LETTERS, SYMBOLS)
_DIGIT_OTHER = Border(DIGITS, LETTERS + SYMBOLS)
_SYMBOL_DIGIT = Border(SYMBOLS, DIGITS)

# The newer patterns glue newlines to the symbols before them, but nothing follows a newline within
# a pretoken except more whitespace (and `/` in o200k), and a run of whitespace that ends in a
# newline is cut alike whether text or nothing comes next. Only blanks are left to the text behind.
_TEXT_BLANK = Border(AFTER_TEXT, BLANKS)
_LAST_BLANK = Border(BLANKS, BEFORE_TEXT, before_left=True)
_NEWLINE_TEXT = Border(NEWLINES, without(BEFORE_TEXT, b"/"))
_NEWER_BORDERS = (_TEXT_BLANK, _NEWLINE_TEXT, _LETTER_DIGIT, _DIGIT_OTHER, _SYMBOL_DIGIT)


def _pattern(name: str, summary: str, borders: tuple[Border, ...], **alternatives: str) -> Pattern:
    return Pattern(
        name,
        summary,
        tuple(Alternative(n.replace("_", " "), r) for n, r in alternatives.items()),
        borders,
    )


_ENGLISH_SUFFIX = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)"

_GPT2 = _pattern(
    "gpt2",
    "GPT-2: contractions, words with the space before them, numbers, symbols, whitespace",
    (
        *(_TEXT_SPACE, _LAST_SPACE, _LETTER_DIGIT, _LETTER_SYMBOL, _DIGIT_OTHER),
        Border(without(SYMBOLS, b"'"), LETTERS + DIGITS),  # only `'` goes with letters behind it
    ),
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
    # The contraction stays on the word.
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
    (_TEXT_SPACE, Border(SPACES, BEFORE_TEXT)),
    word=r"\S+",
    whitespace=r"\s+",
)
# BERT's notion of punctuation: Unicode's, and what ASCII has beside letters and digits.
_BERT_PUNCTUATION = r"\p{P}$+<=>^`|~"
_BERT = _pattern(
    "bert",
    "BERT: words, every punctuation mark alone, whitespace",
    (
        *(_TEXT_SPACE, Border(SPACES, BEFORE_TEXT)),
        *(Border(AFTER_TEXT, PUNCTUATION), Border(PUNCTUATION, BEFORE_TEXT)),
    ),
    punctuation=rf"[{_BERT_PUNCTUATION}]",
    word=rf"[^\s{_BERT_PUNCTUATION}]+",
    whitespace=r"\s+",
)
_NONE = _pattern(
    "none",
    "no pre-tokenization: a whole document is one pretoken",
    (),
    whole_document=r"(?s:.+)",
)

PATTERNS: Registry[Pattern] = Registry(
    "pattern",
    {p.name: p for p in (_GPT2, _CL100K, _O200K, _LLAMA3, _QWEN2, _WHITESPACE, _BERT, _NONE)},
)


def as_pattern(pattern: str | Pattern) -> Pattern:
    """A pattern by its name; a `Pattern` is passed through.

    Raises:
        UnknownNameError: no pattern has that name.
    """
    return pattern if isinstance(pattern, Pattern) else PATTERNS[pattern]


def name_of(pattern: Pattern) -> str | None:
    """The name of the pattern that is this one; `None` if none of the named ones is.

    >>> name_of(PATTERNS["qwen2"])
    'qwen2'
    """
    same = (name for name, each in PATTERNS.items() if each.source == pattern.source)
    return next(same, None)
