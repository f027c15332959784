"""Encodings by their name, through tiktoken if it is installed: `gpt2`, `tiktoken:o200k_base`.

tiktoken fetches the ranks when they are asked for, and keeps them; nothing else here does. It is
imported when a name asks for it, not before.
"""

from __future__ import annotations

import re
from difflib import get_close_matches
from typing import TYPE_CHECKING

from engine.core.errors import TokenizerFileError
from engine.formats.guesses import describe_pattern, number_special_tokens, pattern_of
from engine.formats.ranks import tokenizer_of_ranks
from engine.formats.source import Source
from engine.formats.tokenizer_format import Opened, Overrides, TokenizerFormat

if TYPE_CHECKING:
    import tiktoken

PREFIX = "tiktoken:"
NAMES = (
    *("gpt2", "r50k_base", "p50k_base", "p50k_edit"),
    *("cl100k_base", "o200k_base", "o200k_harmony"),
)
"""Those that tiktoken itself has; its plugins may have more, to be asked for with the prefix."""

_LOOKS_LIKE_A_NAME = re.compile(r"[\w.-]+")


def recognises(source: Source) -> bool:
    """Whether it is a name of tiktoken's; it is asked only where there is no file of that name."""
    name = source.given[0]
    return len(source.given) == 1 and (name.startswith(PREFIX) or name in NAMES)


def load(source: Source, overrides: Overrides) -> Opened:
    encoding = _encoding(source.given[0].removeprefix(PREFIX))
    ranks = encoding._mergeable_ranks
    pattern = overrides.pattern or pattern_of(encoding._pat_str)
    given, in_file = overrides.special_tokens, encoding._special_tokens
    specials = number_special_tokens(given, in_file, ranks.values())
    tokenizer, notes = tokenizer_of_ranks(ranks, specials, pattern)
    if overrides.pattern is None:
        notes.insert(0, describe_pattern(tokenizer.pattern))
    return Opened(tokenizer, FORMAT.name, tuple(notes))


def _encoding(name: str) -> tiktoken.Encoding:
    try:
        import tiktoken
    except ImportError:
        raise TokenizerFileError(
            f"{name}: encodings by name need tiktoken, which is not installed; install it "
            f"(pip install 'bpe-tui[tiktoken]'), or open a file such as {name}.tiktoken"
        ) from None
    known = tiktoken.list_encoding_names()
    if name not in known:
        raise TokenizerFileError(
            f"{name}: tiktoken has no encoding of this name{_near(name, known)}"
        )
    try:
        return tiktoken.get_encoding(name)
    except OSError as error:  # so are all errors of the library that fetches
        raise TokenizerFileError(
            f"{name}: its ranks are not on this machine and cannot be fetched "
            f"({type(error).__name__}); set TIKTOKEN_CACHE_DIR to a directory in which tiktoken "
            "has kept them where there was a network, or open a .tiktoken file"
        ) from error
    except ValueError as error:  # the digest of what was fetched or kept is wrong
        raise TokenizerFileError(f"{name}: tiktoken refuses the ranks it has: {error}") from error


def _near(name: str, known: list[str]) -> str:
    near = get_close_matches(name, known, n=1)
    return f"; did you mean {near[0]}?" if near else f"; it has {', '.join(sorted(known))}"


def describe_near_name(name: str) -> str:
    """A hint for a path that does not exist and might be a misspelt name.

    >>> describe_near_name("cl100k")
    '; did you mean the encoding cl100k_base?'
    """
    near = get_close_matches(name, NAMES, n=1) if _LOOKS_LIKE_A_NAME.fullmatch(name) else []
    return f"; did you mean the encoding {near[0]}?" if near else ""


FORMAT = TokenizerFormat(
    "tiktoken-name",
    "the name of an encoding that tiktoken has, such as cl100k_base",
    recognises,
    load,
)
