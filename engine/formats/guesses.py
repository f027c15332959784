"""Special tokens of files that name them, and of files that do not."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import count

from engine.core.errors import PatternError, TokenizerFileError
from engine.core.gpt2_bytes import spell
from engine.text.patterns import PATTERNS, Alternative, Pattern
from engine.text.pretokenize import to_bytes
from engine.text.typed_regex import compile_foreign


def numbered(
    wished: Sequence[str] | None, told: Mapping[str, int], ids: Collection[int]
) -> dict[str, int]:
    """The special tokens with their ids: those that are wished, or else those that a file told.

    A token that the file did not tell gets the least id that is free: so p50k_base has its own in
    a gap of its ranks, and where there is no gap special tokens come behind all others. `ids` are
    those of the other tokens.

    >>> numbered(["<a>", "<b>"], {"<b>": 7}, [0, 2])
    {'<a>': 1, '<b>': 7}
    """
    if wished is None:
        return dict(told)
    taken = {*ids, *(told[token] for token in wished if token in told)}
    free = (token_id for token_id in count() if token_id not in taken)
    return {token: told[token] if token in told else next(free) for token in wished}


def find_special_tokens(
    place: str,
    vocab: Mapping[int, bytes],
    merges: Sequence[tuple[bytes, bytes]],
    told: Sequence[str] | None,
) -> list[str]:
    """The special tokens of a vocabulary that holds them among the others.

    Args:
        place: what an error names.
        told: what is known of them; with `None`, special are the tokens in angle or square
            brackets that no merge makes.

    Raises:
        TokenizerFileError: a token is neither special, nor a byte, nor made by a merge.
    """
    made = {left + right for left, right in merges}
    unmade = [token for token in vocab.values() if len(token) > 1 and token not in made]
    if told is None:
        told = [token.decode() for token in unmade if _looks_special(token)]
    special_bytes = set(map(to_bytes, told))
    orphans = [token for token in unmade if token not in special_bytes]
    if orphans:
        raise TokenizerFileError(
            f"{place}: no merge makes the token {spell(orphans[0])} (such tokens: "
            f"{len(orphans):,}); are the merges cut short, or is it a special token?"
        )
    return list(told)


_BRACKETS = {(b"<", b">"), (b"[", b"]")}


def _looks_special(token: bytes) -> bool:
    return (token[:1], token[-1:]) in _BRACKETS and is_text(token)


def is_text(token: bytes) -> bool:
    """Whether it is valid UTF-8."""
    try:
        token.decode()
    except UnicodeDecodeError:
        return False
    return True


# Patterns that a tokenizer file brings along as a regex.
#
# Libraries spell one and the same pattern in several ways: possessive or not, as one class or as an
# alternative. Those below cut every text as one of ours does, and go by its name; a test tries all
# short texts. minbpe calls its newer pattern GPT-4's, but it is llama3's: cl100k keeps whitespace
# at the end of a text together (`\s++$`), which minbpe's pattern cuts behind a newline.

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
