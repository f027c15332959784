r"""Settings that files may leave out: special tokens, pattern, ids; and the notes about them.

Notes are written here, so that every format describes the same guess in the same words.

Files hold patterns as regexes. Libraries spell the same pattern in several ways: possessive or not,
as one class or as an alternative. The spellings below cut every text like a named pattern and get
its name; a test tries all short texts. minbpe calls its newer pattern GPT-4's, but it is llama3's:
cl100k keeps whitespace at the end of a text together (`\s++$`), minbpe cuts it after a newline.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import count, islice

from engine.formats.tokenizer_format import Overrides
from engine.text.patterns import PATTERNS, Pattern, own_pattern

# Special tokens


def number_special_tokens(
    given: Sequence[str] | None, in_file: Mapping[str, int], ids: Collection[int]
) -> dict[str, int]:
    """Return special token → id, for the tokens that the caller gives, or else for the file's.

    A token that the file lacks gets the lowest free id. So p50k_base gets its own in a gap of the
    ranks; without a gap the special tokens come after all others.

    Args:
        given: the caller's special tokens; `None` for the file's.
        in_file: special token → id.
        ids: the ids of the other tokens.

    >>> number_special_tokens(["<a>", "<b>"], {"<b>": 7}, [0, 2])
    {'<a>': 1, '<b>': 7}
    """
    if given is None:
        return dict(in_file)
    taken = {*ids, *(in_file[token] for token in given if token in in_file)}
    free = (token_id for token_id in count() if token_id not in taken)
    return {token: in_file[token] if token in in_file else next(free) for token in given}


def is_text(token: bytes | str) -> bool:
    """Whether bytes are valid UTF-8, or a text can be encoded as UTF-8."""
    try:
        token.decode() if isinstance(token, bytes) else token.encode()
    except UnicodeError:
        return False
    return True


# Patterns

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
"""Regex → name of the pattern that cuts every text in the same way."""


def pattern_of(source: str, *, is_fancy: bool = False) -> Pattern:
    r"""Return the named pattern that the regex spells, or else a pattern of its own.

    >>> pattern_of(r"\S+|\s+").name, pattern_of(r"\w+").name
    ('whitespace', 'own')

    Raises:
        PatternError: it is no regex, is too large or too slow, or has capturing groups.
    """
    if source in OTHER_SPELLINGS:
        return PATTERNS[OTHER_SPELLINGS[source]]
    return own_pattern(source, is_fancy=is_fancy)


# The pattern that the tokens fit

_CANDIDATES = ("gpt2", "qwen2", "qwen35", "o200k", "llama3", "cl100k")
"""Patterns to choose from; the first is taken of those that fit equally well."""
_TOKENS_TRIED = 20_000
_TOLERANCE = 0.002
"""Fraction of the tokens that may cross a cut: some files were trained with one more regex."""


def likely_pattern(tokens: Iterable[bytes]) -> str:
    """Return the name of the pattern that the tokens fit best, preferring GPT-2's.

    >>> likely_pattern([b" low", b" 1999"]), likely_pattern([b"(low", b"199"])
    ('gpt2', 'o200k')
    """
    texts = _some_texts(tokens)
    cut: dict[str, float] = {}
    for name in _CANDIDATES:
        cut[name] = _cut_share(name, texts)
        if not cut[name]:
            break  # none is better
    least = min(cut.values())
    return next(name for name in cut if cut[name] <= least + _TOLERANCE)


def fits_better(pattern: str, tokens: Iterable[bytes]) -> bool:
    """Whether the tokens fit a pattern better than GPT-2's."""
    texts = _some_texts(tokens)
    return _cut_share(pattern, texts) < _cut_share("gpt2", texts)


def _some_texts(tokens: Iterable[bytes]) -> list[str]:
    """Return the texts of tokens from all parts, without incomplete characters."""
    every = list(tokens)
    chosen = every[:: len(every) // _TOKENS_TRIED + 1]
    return list(filter(None, (token.decode("utf-8", "ignore") for token in chosen)))


def _cut_share(pattern: str, texts: Sequence[str]) -> float:
    """Return the fraction of the tokens that a pattern would cut."""
    match = PATTERNS[pattern].compiled.match
    cut = ((found := match(text)) is None or found.end() < len(text) for text in texts)
    return sum(cut) / len(texts) if texts else 0.0


# Notes


def describe_pattern(pattern: Pattern) -> str:
    """Return a note about the pattern in a file.

    >>> describe_pattern(pattern_of(r"\\S+|\\s+"))
    'its pattern is the one called whitespace here'
    """
    if PATTERNS.get(pattern.name) == pattern:
        return f"its pattern is the one called {pattern.name} here"
    return f"its pattern is none of the named ones: {pattern.source}"


def note_guessed_pattern(
    overrides: Overrides, taken: str = "GPT-2's", files: str = "the file names"
) -> list[str]:
    """Return a note about the default pattern, unless the caller gives one.

    >>> note_guessed_pattern(Overrides())
    ["the file names no pattern; GPT-2's is taken; --pattern gives another one"]
    """
    if overrides.pattern:
        return []
    return [f"{files} no pattern; {taken} is taken; --pattern gives another one"]


def note_likely_pattern(
    overrides: Overrides, likely: str, files: str = "the file names"
) -> list[str]:
    """Return a note about the pattern that the tokens fit best, unless the caller gives one.

    >>> note_likely_pattern(Overrides(), "qwen2")[0][:50]
    'the file names no pattern; qwen2, which its tokens'
    """
    better = f"{likely}, which its tokens fit better than GPT-2's,"
    return note_guessed_pattern(overrides, "GPT-2's" if likely == "gpt2" else better, files)


def note_guessed_special_tokens(
    overrides: Overrides, taken: Iterable[str], why: str = "since no merge makes them"
) -> list[str]:
    """Return a note about the tokens guessed to be special, unless the caller names them.

    >>> note_guessed_special_tokens(Overrides(), ["<s>", "</s>"])
    ['taken for special, since no merge makes them: <s> </s>']
    """
    most = LONGEST_SHOWN
    names = [name if len(name) <= most else f"{name[: most - 1]}…" for name in taken]
    if overrides.special_tokens is not None or not names:
        return []
    more = f" and {len(names) - MOST_NAMED:,} more" if len(names) > MOST_NAMED else ""
    return [f"taken for special, {why}: {' '.join(names[:MOST_NAMED])}{more}"]


def note_unmade(unmade: Mapping[bytes, str]) -> list[str]:
    """Return a note about tokens that no merge makes, if there are any.

    Args:
        unmade: token → its spelling.

    >>> note_unmade({b"PAD": "PAD"})
    ['no merge makes this token, so no text gets it: PAD']
    """
    if not unmade:
        return []
    tokens = list(unmade.values())
    shown = " ".join(token[:LONGEST_SHOWN] for token in tokens[:MOST_SHOWN])
    if len(tokens) == 1:
        return [f"no merge makes this token, so no text gets it: {shown}"]
    more = " …" if len(tokens) > MOST_SHOWN else ""
    return [f"no merge makes these {len(tokens):,} tokens, so no text gets them: {shown}{more}"]


def note_template(added: Iterable[str]) -> list[str]:
    """Return a note about the special tokens that a template adds to a text, if it adds any.

    >>> note_template(["[CLS]", "[SEP]"])
    ['its template adds [CLS] [SEP] to a text; encode does so with --template']
    """
    names = " ".join(added)
    return [f"its template adds {names} to a text; encode does so with --template"] * bool(names)


MOST_NAMED, LONGEST_SHOWN = 16, 40
"""Number of special tokens that a note names, and of characters of each."""
MOST_SHOWN = 3
"""Number of ids that a note shows before `…`."""


def note_gaps(token_ids: Iterable[int]) -> list[str]:
    """Return a note if some ids below the highest are missing, which is harmless.

    >>> note_gaps([0, 1, 3])
    ['1 id below the highest has no token (2)']
    """
    known = set(token_ids)
    gaps = max(known) + 1 - len(known)
    if gaps == 0:
        return []
    missing = (token_id for token_id in count() if token_id not in known)
    shown = ", ".join(map(str, islice(missing, min(gaps, MOST_SHOWN))))
    ids = "1 id below the highest has" if gaps == 1 else f"{gaps:,} ids below the highest have"
    return [f"{ids} no token ({shown}{', …' if gaps > MOST_SHOWN else ''})"]
