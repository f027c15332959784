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

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import regex

from engine.core.errors import PatternError
from engine.core.registry import Registry
from engine.text.typed_regex import LimitedRegex, compile_foreign


@dataclass(frozen=True)
class Alternative:
    """One branch of a pattern: a name for people and its regex."""

    name: str
    regex: str


@dataclass(frozen=True)
class Border:
    """A border between pretokens that two neighbouring bytes give away.

    It is a promise of a pattern: wherever a byte of `left` stands before one of `right`, the text
    may be cut between them (with `before_left`, before both), whatever is around them. Two facts
    make that true: a pretoken begins at the place, and no pretoken to its left depends on what
    follows it. Then both sides are texts in their own right, so *all* such places may be cut at
    once, and equal pieces have equal pretokens.
    """

    left: bytes
    right: bytes
    before_left: bool = False

    @property
    def regex(self) -> bytes:
        """Matches where the border stands, and takes no room."""
        left, right = _any_of(self.left), _any_of(self.right)
        return b"(?=%b%b)" % (left, right) if self.before_left else b"(?<=%b)(?=%b)" % (left, right)


def _any_of(some: bytes) -> bytes:
    """A regex for one of the bytes, in ranges: a thousand single ones take 10 ms to compile.

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


@dataclass(frozen=True)
class BorderTables:
    """Borders as two tables for `bytes.translate`: each border is one bit.

    Between two bytes stands a border if `left[first] & right[second]` is not 0; the bits of
    `before_left` speak of the place before the first.
    """

    left: bytes
    right: bytes
    before_left: int

    @classmethod
    def of(cls, borders: Sequence[Border]) -> BorderTables:
        """The tables of at the most eight borders."""
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
        """The tables as the kernel has them, one after the other."""
        return self.left + self.right + bytes((self.before_left,))


@dataclass(frozen=True)
class Pattern:
    r"""A pre-tokenization pattern.

    Attributes:
        name, summary: for people.
        alternatives: the branches, in the order in which they are tried.
        borders: places where the text may be cut in two and pretokenized piece by piece with the
            same result; none, if no such place is known. With them a corpus is read in chunks, and
            each different piece of text is looked at once; without, a document is kept whole.
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
        return _usable(self.name, self.source)

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
        return _usable(self.name, "|".join(f"({a.regex})" for a in self.alternatives))

    @cached_property
    def cut_regex(self) -> Any:
        """A regex over bytes that matches, with zero width, at the borders; `None` without any."""
        if not self.borders:
            return None
        return re.compile(b"|".join(border.regex for border in self.borders))


STAGED = "pre-tokenizer"
"""The name of the pattern where a pipeline's stages have cut already, and it cuts nothing more."""


# The bytes that borders are made of. A byte says too little about characters beyond ASCII, so the
# sets hold only what is sure: `AFTER_TEXT` has no byte that might end a space and `BEFORE_TEXT` no
# one that might begin one. Where nothing is sure there is no border, and a piece of text holds
# several pretokens: that is slower, not wrong.

SPACES = b"\t\n\v\f\r "
NEWLINES = b"\r\n"
BLANKS = b"\t\v\f "
LETTERS = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
DIGITS = b"0123456789"
PUNCTUATION = b"!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"


def without(some: bytes, others: bytes) -> bytes:
    """The bytes of a set that are not in another one."""
    return bytes(byte for byte in some if byte not in others)


_ASCII_TEXT = without(bytes(range(0x80)), SPACES)
SYMBOLS = without(_ASCII_TEXT, LETTERS + DIGITS)

# The spaces beyond ASCII begin with C2, E1, E2 or E3 and end in 80–8A, 9F, A0, A8, A9 or AF.
_MAY_BEGIN_A_SPACE = b"\xc2\xe1\xe2\xe3"
_MAY_END_A_SPACE = bytes((*range(0x80, 0x8B), 0x9F, 0xA0, 0xA8, 0xA9, 0xAF))
_BEYOND_ASCII = bytes(range(0x80, 0x100))
AFTER_TEXT = _ASCII_TEXT + without(_BEYOND_ASCII, _MAY_END_A_SPACE)
BEFORE_TEXT = _ASCII_TEXT + without(_BEYOND_ASCII, _MAY_BEGIN_A_SPACE)

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


PatternLike = Pattern | str | re.Pattern[str]
"""A pattern, its name, or a regex: typed, or compiled by `re` or `regex`."""

OWN = "own"
"""The name of every pattern that is a regex of somebody's own."""
_NAME = re.compile(r"[\w-]*")
"""A text of no more than this is meant as a name: as a regex it would match one word only."""
_FLAGS = {re.I: "i", re.M: "m", re.S: "s", re.X: "x", re.A: "a"}


def as_pattern(pattern: PatternLike) -> Pattern:
    r"""A pattern by its name or its regex; a `Pattern` is passed through.

    Raises:
        UnknownNameError: it is a name, and no pattern has it.
        PatternError: it is neither; or a regex that is broken, too slow, or captures groups.

    >>> as_pattern("gpt2").name, as_pattern(r" ?\w+|\W").split("hi you!")
    ('gpt2', ['hi', ' you', '!'])
    """
    if isinstance(pattern, Pattern):
        return pattern
    if isinstance(pattern, str) and (pattern in PATTERNS or _NAME.fullmatch(pattern)):
        return PATTERNS[pattern]
    source = pattern if isinstance(pattern, str) else _source_of(pattern)
    try:
        return own_pattern(source)
    except PatternError as error:
        where = "" if error.position is None else f" at character {error.position + 1}"
        raise PatternError(f"the regex {source[:60]}: {error}{where}", error.position) from None


@lru_cache(maxsize=64)
def own_pattern(source: str) -> Pattern:
    """The pattern that a regex is: a named one, if it is the regex of that.

    Raises:
        PatternError: it is broken, too slow, or captures groups.
    """
    named = next((each for each in PATTERNS.values() if each.source == source), None)
    if named is not None:
        return named
    if compile_foreign(source).groups:
        # `findall` would give what is in the groups instead of the pretokens.
        raise PatternError("it captures groups; write (?:…) in place of (…)")
    return Pattern(OWN, "a regex of its own", (Alternative("own regex", source),), ())


def _usable(name: str, source: str) -> Any:
    """A regex to cut with; one that is none of the named ones is bound in time."""
    return regex.compile(source) if name in PATTERNS else LimitedRegex(source)


def _source_of(compiled: object) -> str:
    """The regex of a compiled one, with its flags written into it."""
    source, flags = getattr(compiled, "pattern", None), getattr(compiled, "flags", 0)
    if not isinstance(source, str):
        kind = type(compiled).__name__
        raise PatternError(f"a pattern is a name or a regex of text, and this is of type {kind}")
    letters = "".join(letter for flag, letter in _FLAGS.items() if flags & flag)
    return f"(?{letters}){source}" if letters else source


def name_of(pattern: Pattern) -> str | None:
    """The name of the pattern that is this one; `None` if none of the named ones is.

    >>> name_of(PATTERNS["qwen2"])
    'qwen2'
    """
    same = (name for name, each in PATTERNS.items() if each.source == pattern.source)
    return next(same, None)


_ASSIGNED = regex.compile(r"\P{Cn}")


def newer_characters(text: str) -> list[str]:
    """The characters of a text that not all Unicode tables know, in the order of code points.

    >>> newer_characters("a漢ሴ"), len(newer_characters("\\U00011de0"))
    ([], 1)
    """
    if text.isascii():
        return []
    unknown = (each for each in set(text) if unicodedata.category(each) == "Cn")
    return sorted(each for each in unknown if _ASSIGNED.match(each))


def describe_newer(characters: list[str], most: int = 3) -> str:
    """What to know about such characters, as a clause; they are named, not shown.

    >>> describe_newer(["\\U00011de0"]).split(" than ")[0]
    'U+11DE0 is newer'
    """
    named = " ".join(f"U+{ord(each):04X}" for each in characters[:most])
    more = " …" if len(characters) > most else ""
    verb = "is" if len(characters) == 1 else "are"
    version = unicodedata.unidata_version.removesuffix(".0")
    return (
        f"{named}{more} {verb} newer than Unicode {version}: libraries with older tables may cut "
        "the text elsewhere"
    )
