r"""The named pre-tokenization patterns, with a name for each alternative.

A pattern is a regex whose alternatives are tried in order. They are stored separately, so that a
screen can show *which* alternative cut a pretoken. Every named pattern covers any text completely:
its pretokens, joined, are the text.

Sources: GPT-2's `encoder.py` (gpt2), tiktoken's `openai_public.py` (cl100k, o200k), Llama 3's
tokenizer.model (llama3), the tokenizer.json of Qwen2 and Qwen3.5 (qwen2, qwen35), BERT's
`tokenization.py` (bert; its normalizer handles control characters, case and Chinese characters).
In the `regex` module `\s` and `\p{…}` mean the same as there: `\s` is Unicode's White_Space.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

from engine.core.errors import PatternError
from engine.core.registry import Registry, registry_of
from engine.core.slow_modules import regex


class Alternative(NamedTuple):
    """One branch of a pattern: its regex and a name to show."""

    name: str
    regex: str


class Border(NamedTuple):
    """A pair of byte sets between which a pattern always ends one pretoken and begins another.

    Wherever a byte of `left` is followed by a byte of `right`, the text may be cut between them
    (with `before_left`, before both), whatever surrounds them. This holds because a pretoken begins
    at that place and no pretoken to the left depends on the text after it. So *all* such places may
    be cut at once, both sides are texts of their own, and equal pieces have equal pretokens.
    """

    left: bytes
    right: bytes
    before_left: bool = False


def _any_of(some: bytes) -> bytes:
    """Return a character class of these bytes, written in ranges, which compile fast.

    >>> _any_of(b"abc7")
    b'[\\\\x37-\\\\x37\\\\x61-\\\\x63]'
    """
    ranges: list[tuple[int, int]] = []
    for byte in sorted(set(some)):
        if ranges and ranges[-1][1] == byte - 1:
            ranges[-1] = ranges[-1][0], byte
        else:
            ranges.append((byte, byte))
    return b"[%b]" % b"".join(b"\\x%02x-\\x%02x" % ends for ends in ranges)


class BorderTables(NamedTuple):
    """Borders as two tables for `bytes.translate`, in which each border is one bit.

    Two bytes have a border if `left[first] & right[second]` is not 0. The border is between them,
    or before the first for the bits in `before_left`.
    """

    left: bytes
    right: bytes
    before_left: int

    @classmethod
    def of(cls, borders: Sequence[Border]) -> BorderTables:
        """Make the tables of at most eight borders."""
        if len(borders) > 8:
            raise ValueError("a byte has room for eight borders")
        left, right, before_left = bytearray(256), bytearray(256), 0
        for place, border in enumerate(borders):
            for byte in border.left:
                left[byte] |= 1 << place
            for byte in border.right:
                right[byte] |= 1 << place
            before_left |= border.before_left << place
        return cls(bytes(left), bytes(right), before_left)

    @property
    def packed(self) -> bytes:
        """The tables in the layout that the kernel reads: left, right, `before_left`."""
        return self.left + self.right + bytes((self.before_left,))


class Mark(NamedTuple):
    """A text before which a pattern cuts, and nowhere else; the empty text cuts nothing.

    Attributes:
        in_runs: whether a run of marks is cut only before its first.
    """

    text: str
    in_runs: bool = False


class Pattern:
    r"""A pre-tokenization pattern.

    Attributes:
        name, summary: texts to show.
        alternatives: the branches, in the order in which they are tried.
        borders: places where cutting the text first does not change its pretokens; empty if no
            such place is known. With borders a corpus is read in chunks and each distinct piece is
            pretokenized once; without them a document is kept whole.
        mark: where the kernel cuts instead, for the same ids; `None` if no mark decides it.
    """

    def __init__(
        self,
        name: str,
        summary: str,
        alternatives: tuple[Alternative, ...],
        borders: tuple[Border, ...],
        mark: Mark | None = None,
    ) -> None:
        self.name, self.summary = name, summary
        self.alternatives, self.borders, self.mark = alternatives, borders, mark

    @property
    def _parts(self) -> tuple[object, ...]:
        return self.name, self.summary, self.alternatives, self.borders, self.mark

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Pattern) and self._parts == other._parts

    def __hash__(self) -> int:
        return hash(self._parts)

    def __repr__(self) -> str:
        return f"<Pattern {self.name}: {self.source}>"

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle without the compiled regexes; another process compiles what it needs."""
        return Pattern, self._parts

    @property
    def source(self) -> str:
        """The regex of all alternatives, as one string."""
        return "|".join(alternative.regex for alternative in self.alternatives)

    @cached_property
    def compiled(self) -> Any:
        """The compiled regex without groups: its `findall` returns the pretokens."""
        return _usable(self.name, self.source)

    def split(self, text: str) -> list[str]:
        """Cut a text into its pretokens, leaving out empty ones.

        A stretch of text that no alternative matches is a pretoken too.

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
        """A regex with a group for each alternative; the matching one is `match.lastindex - 1`."""
        return _usable(self.name, "|".join(f"({a.regex})" for a in self.alternatives))

    @cached_property
    def cut_regex(self) -> Any:
        """A regex that matches the borders in bytes with zero width; `None` without borders."""
        if not self.borders:
            return None
        regexes: list[bytes] = []
        for border in self.borders:
            form = b"(?=%b%b)" if border.before_left else b"(?<=%b)(?=%b)"
            regexes.append(form % (_any_of(border.left), _any_of(border.right)))
        return re.compile(b"|".join(regexes))


STAGED = "pre-tokenizer"
"""Name of the pattern that cuts nothing because a pipeline's stages have already cut."""


# Sets of bytes that borders are made of. One byte does not identify a character beyond ASCII, so
# the sets contain only certain bytes: `AFTER_TEXT` has no byte that can end a space, `BEFORE_TEXT`
# no byte that can begin one. A missing border makes a piece hold several pretokens, which is
# slower but not wrong.

SPACES = b"\t\n\v\f\r "
NEWLINES = b"\r\n"
BLANKS = b"\t\v\f "
LETTERS = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
DIGITS = b"0123456789"
PUNCTUATION = b"!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"


def without(some: bytes, others: bytes) -> bytes:
    """Return the bytes of one set that are not in the other."""
    return some.translate(None, others)


_ASCII_TEXT = without(bytes(range(0x80)), SPACES)
SYMBOLS = without(_ASCII_TEXT, LETTERS + DIGITS)

# The spaces beyond ASCII begin with C2, E1, E2 or E3 and end in 80–8A, 9F, A0, A8, A9 or AF.
_MAY_BEGIN_A_SPACE = b"\xc2\xe1\xe2\xe3"
_MAY_END_A_SPACE = bytes((*range(0x80, 0x8B), 0x9F, 0xA0, 0xA8, 0xA9, 0xAF))
_BEYOND_ASCII = bytes(range(0x80, 0x100))
AFTER_TEXT = _ASCII_TEXT + without(_BEYOND_ASCII, _MAY_END_A_SPACE)
BEFORE_TEXT = _ASCII_TEXT + without(_BEYOND_ASCII, _MAY_BEGIN_A_SPACE)

# In every pattern except `lines` and `none`, whitespace only begins a pretoken or fills a whole
# one, so it has a border before it. The lookaheads only follow runs of whitespace, so they do not
# affect a pretoken that ends in text. All patterns except `whitespace` join the last character of
# such a run to the text after it.
_TEXT_SPACE = Border(AFTER_TEXT, SPACES)
_LAST_SPACE = Border(SPACES, BEFORE_TEXT, before_left=True)

# Letters, digits and symbols are in different pretokens, except for the symbol that begins a word.
_LETTER_DIGIT = Border(LETTERS, DIGITS)
_LETTER_SYMBOL = Border(LETTERS, SYMBOLS)
_DIGIT_OTHER = Border(DIGITS, LETTERS + SYMBOLS)
_SYMBOL_DIGIT = Border(SYMBOLS, DIGITS)

# The newer patterns join newlines to the symbols before them. Within a pretoken, a newline is
# followed only by whitespace (and `/` in o200k). A run of whitespace that ends in a newline is cut
# in the same way before text and at the end. Only blanks are joined to the text after them.
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
        Border(without(SYMBOLS, b"'"), LETTERS + DIGITS),  # only `'` goes with letters after it
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
    "GPT-4: any case of contraction, numbers by three, newlines after symbols",
    # No `_LAST_BLANK`: cut there, the run before it would match `\s++$`, with its newlines.
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


def _llama3_like(
    name: str, summary: str, digits_name: str, digits: str, word: str = r"\p{L}", marks: str = ""
) -> Pattern:
    return _pattern(
        name,
        summary,
        (*_NEWER_BORDERS, _LAST_BLANK, _LETTER_SYMBOL),
        contraction=_ENGLISH_SUFFIX,
        letters=rf"[^\r\n\p{{L}}\p{{N}}]?{word}+",
        **{digits_name: digits},
        symbols=rf" ?[^\s\p{{L}}{marks}\p{{N}}]+[\r\n]*",
        whitespace_to_newlines=r"\s*[\r\n]+",
        whitespace_before_more=r"\s+(?!\S)",
        whitespace=r"\s+",
    )


_LLAMA3 = _llama3_like("llama3", "Llama 3: like cl100k", "up_to_three_digits", r"\p{N}{1,3}")
_QWEN2 = _llama3_like("qwen2", "Qwen 2: like llama3, every digit alone", "one_digit", r"\p{N}")
_QWEN35 = _llama3_like(
    "qwen35",
    "Qwen 3.5: like qwen2, marks belong to words",
    "one_digit",
    r"\p{N}",
    r"[\p{L}\p{M}]",
    r"\p{M}",
)
_WHITESPACE = _pattern(
    "whitespace",
    "runs of non-space and runs of whitespace, as in str.split but losing nothing",
    (_TEXT_SPACE, Border(SPACES, BEFORE_TEXT)),
    word=r"\S+",
    whitespace=r"\s+",
)
# BERT's punctuation: Unicode's, and the ASCII symbols that Unicode does not count as such.
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
_NO_NEWLINE = without(bytes(range(0x100)), b"\n")


def bert_pattern(punctuation: str) -> Pattern:
    """Return the pattern `bert` with other punctuation: a regex of one character."""
    return _pattern(
        "bert",
        _BERT.summary,
        _BERT.borders,
        punctuation=punctuation,
        word=rf"(?:(?!{punctuation})\S)+",
        whitespace=r"\s+",
    )


_LINES = _pattern(
    "lines",
    "lines: a whole line is one pretoken, the newlines after it another",
    (Border(_NO_NEWLINE, b"\n"), Border(b"\n", _NO_NEWLINE)),
    line=r"[^\n]+",
    newlines=r"\n+",
)
_NONE = Pattern(
    "none",
    "no pre-tokenization: a whole document is one pretoken",
    (Alternative("whole document", r"(?s:.+)"),),
    (),
    Mark(""),
)

PATTERNS: Registry[str, Pattern] = registry_of(
    "pattern", _GPT2, _CL100K, _O200K, _LLAMA3, _QWEN2, _QWEN35, _WHITESPACE, _BERT, _LINES, _NONE
)


PatternLike = Pattern | str | re.Pattern[str]
"""A pattern, its name, or a regex, as text for tiktoken or compiled by `re` or `regex`."""

LONGEST_REGEX = 1 << 15
"""Characters of the longest regex of a user or a file: ten times that of the longest in use."""
OWN = "own"
"""Name of every pattern that is a regex given by the user or by a file."""
_REGEXES_KEPT = 64
_NAME = re.compile(r"[\w-]*")
"""Texts that are read as a name: as a regex they would match only one word."""
_FLAGS = {re.I: "i", re.M: "m", re.S: "s", re.X: "x", re.A: "a"}


def as_pattern(pattern: PatternLike) -> Pattern:
    r"""Return the pattern of a name or a regex; a `Pattern` is returned as it is.

    Raises:
        UnknownNameError: no pattern has this name.
        PatternError: it is neither text nor a regex, or the regex is broken, too slow, or has
            capturing groups.

    >>> as_pattern("gpt2").name, as_pattern(r" ?\w+|\W").split("hi you!")
    ('gpt2', ['hi', ' you', '!'])
    """
    if isinstance(pattern, Pattern):
        return pattern
    if isinstance(pattern, str) and (pattern in PATTERNS or _NAME.fullmatch(pattern)):
        return PATTERNS[pattern]
    if isinstance(pattern, str):
        source = pattern
    else:  # a compiled regex: its flags are written into its source
        written, flags = getattr(pattern, "pattern", None), getattr(pattern, "flags", 0)
        if not isinstance(written, str):
            kind = type(pattern).__name__
            raise PatternError(
                f"a pattern is a name or a regex of text, and this is of type {kind}"
            )
        letters = "".join(letter for flag, letter in _FLAGS.items() if flags & flag)
        source = f"(?{letters}){written}" if letters else written
    try:
        return own_pattern(source, is_fancy=isinstance(pattern, str))
    except PatternError as error:
        where = "" if error.position is None else f" at character {error.position + 1}"
        raise PatternError(f"the regex {source[:60]}: {error}{where}", error.position) from None


@lru_cache(maxsize=_REGEXES_KEPT)
def own_pattern(source: str, *, is_fancy: bool = False) -> Pattern:
    """Return the pattern of a regex: the named pattern with this regex if there is one.

    Args:
        is_fancy: whether it is read as tiktoken reads it, and not as Python's `regex` does.

    Raises:
        PatternError: the regex is broken, too slow, or has capturing groups.
    """
    named = next((each for each in PATTERNS.values() if each.source == source), None)
    if named is not None:
        return named
    if len(source) > LONGEST_REGEX:
        raise PatternError(f"it is longer than {LONGEST_REGEX:,} characters")
    # A named pattern does without these.
    from engine.text.fancy_regex import in_regex_module
    from engine.text.typed_regex import compile_foreign

    source = in_regex_module(source) if is_fancy else source
    if compile_foreign(source).groups:
        # `findall` would return the groups instead of the pretokens.
        raise PatternError("it captures groups; write (?:…) instead of (…)")
    return Pattern(OWN, "a regex of its own", (Alternative("own regex", source),), ())


def _usable(name: str, source: str) -> Any:
    """Compile a regex for cutting, with a time limit unless it is a named pattern's."""
    if name in PATTERNS:
        return regex.compile(source)
    from engine.text.typed_regex import LimitedRegex  # as above

    return LimitedRegex(source)


def name_of(pattern: Pattern) -> str | None:
    """Return the name of the named pattern with the same regex; `None` if there is none.

    >>> name_of(PATTERNS["qwen2"])
    'qwen2'
    """
    return next((name for name, each in PATTERNS.items() if each.source == pattern.source), None)
