r"""Patterns that a tokenizer file brings along as a regex.

Libraries spell one and the same pattern in several ways: possessive or not, as one class or as an
alternative. Those below cut every text as one of ours does, and go by its name; a test tries all
short texts. minbpe calls its newer pattern GPT-4's, but it is llama3's: cl100k keeps whitespace at
the end of a text together (`\s++$`), which minbpe's pattern cuts behind a newline.
"""

from __future__ import annotations

from engine.core.errors import PatternError
from engine.text.patterns import PATTERNS, Alternative, Pattern
from engine.text.typed_regex import compile_foreign

OTHER_SPELLINGS: dict[str, str] = {
    # OpenAI's release of GPT-2.
    r"'s|'t|'re|'ve|'m|'ll|'d| ?[\p{L}]+| ?[\p{N}]+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+": "gpt2",
    r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+": "gpt2",
    # tiktoken's gpt2, r50k_base and p50k_base.
    r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s": "gpt2",
    # minbpe's GPT4_SPLIT_PATTERN.
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]++[\r\n]*"
    r"|\s*[\r\n]|\s+(?!\S)|\s+": "llama3",
    # minbpe's BasicTokenizer cuts nothing.
    "": "none",
}
"""regex → the name of the pattern that cuts alike."""

_KNOWN = OTHER_SPELLINGS | {pattern.source: name for name, pattern in PATTERNS.items()}


def pattern_of(source: str) -> Pattern:
    r"""A named pattern if the regex is a spelling of one, else a pattern of its own.

    >>> pattern_of(r"\S+|\s+").name, pattern_of(r"\w+").name
    ('whitespace', 'own')

    Raises:
        PatternError: it is no regex, would take too much to compile, or has groups to capture.
    """
    if source in _KNOWN:
        return PATTERNS[_KNOWN[source]]
    if compile_foreign(source).groups:
        # `findall` would give what is in the groups instead of the pretokens.
        raise PatternError("it captures groups; write (?:…) in place of (…)")
    return Pattern("own", "the file's own regex", (Alternative("own regex", source),), ())


def told_pattern(pattern: Pattern) -> str:
    """A note about the pattern that a file brings along.

    >>> told_pattern(pattern_of(r"\\S+|\\s+"))
    'its pattern is the one called whitespace here'
    """
    if PATTERNS.get(pattern.name) == pattern:
        return f"its pattern is the one called {pattern.name} here"
    return f"its pattern is none of the named ones: {pattern.source}"
