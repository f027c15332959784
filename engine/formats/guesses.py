r"""What files leave unsaid: special tokens, the pattern, ids; and opening a vocabulary and merges.

What is taken instead is told in notes, and each kind of note is written here, so that every format
tells of the same thing in the same words.

Patterns come as regexes. Libraries spell one and the same pattern in several ways: possessive or
not, as one class or as an alternative. Those below cut every text as one of ours does, and go by
its name; a test tries all short texts. minbpe calls its newer pattern GPT-4's, but it is llama3's:
cl100k keeps whitespace at the end of a text together (`\s++$`), minbpe cuts it behind a newline.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import count, islice

from engine.core.errors import TokenizerFileError, VocabularyError
from engine.core.gpt2_bytes import spell
from engine.encoding.alphabet import MissingMerges
from engine.encoding.tokenizer import Tokenizer
from engine.formats.tokenizer_format import Opened, Overrides
from engine.formats.vocab_and_merges import VocabAndMerges
from engine.text.patterns import PATTERNS, Pattern, own_pattern
from engine.text.pretokenize import to_bytes

# Special tokens


def number_special_tokens(
    given: Sequence[str] | None, in_file: Mapping[str, int], ids: Collection[int]
) -> dict[str, int]:
    """The special tokens with their ids: those that the caller gives, or else the file's.

    A token that the file does not have gets the least id that is free: so p50k_base has its own in
    a gap of its ranks, and where there is no gap special tokens come behind all others.

    Args:
        in_file: special token → id.
        ids: those of the other tokens.

    >>> number_special_tokens(["<a>", "<b>"], {"<b>": 7}, [0, 2])
    {'<a>': 1, '<b>': 7}
    """
    if given is None:
        return dict(in_file)
    taken = {*ids, *(in_file[token] for token in given if token in in_file)}
    free = (token_id for token_id in count() if token_id not in taken)
    return {token: in_file[token] if token in in_file else next(free) for token in given}


def find_special_tokens(
    place: str,
    vocab: Mapping[int, bytes],
    merges: Sequence[tuple[bytes, bytes]],
    known: Sequence[str] | None,
) -> list[str]:
    """The special tokens of a vocabulary that holds them among the others.

    Args:
        place: what an error names.
        known: the special tokens; with `None`, special are the tokens in angle or square brackets
            that no merge makes.

    Raises:
        TokenizerFileError: a token is neither special, nor a byte, nor made by a merge.
    """
    made = {left + right for left, right in merges}
    unmade = [token for token in vocab.values() if len(token) > 1 and token not in made]
    if known is None:
        known = [token.decode() for token in unmade if _looks_special(token)]
    special_bytes = set(map(to_bytes, known))
    orphans = [token for token in unmade if token not in special_bytes]
    if orphans:
        raise TokenizerFileError(
            f"{place}: no merge makes the token {spell(orphans[0])} (such tokens: "
            f"{len(orphans):,}); are the merges cut short, or is it a special token?"
        )
    return list(known)


_BRACKETS = {(b"<", b">"), (b"[", b"]")}


def _looks_special(token: bytes) -> bool:
    return (token[:1], token[-1:]) in _BRACKETS and is_text(token)


def is_text(token: bytes | str) -> bool:
    """Whether bytes are UTF-8; whether a text has no stray surrogates, so that UTF-8 can say it."""
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
    return own_pattern(source)


# Notes


def describe_pattern(pattern: Pattern) -> str:
    """A note about the pattern that a file brings along.

    >>> describe_pattern(pattern_of(r"\\S+|\\s+"))
    'its pattern is the one called whitespace here'
    """
    if PATTERNS.get(pattern.name) == pattern:
        return f"its pattern is the one called {pattern.name} here"
    return f"its pattern is none of the named ones: {pattern.source}"


def note_guessed_pattern(
    overrides: Overrides, taken: str = "GPT-2's", files: str = "the file names"
) -> list[str]:
    """A note about the pattern that is taken where files name none, unless the caller gives one.

    >>> note_guessed_pattern(Overrides())
    ["the file names no pattern; GPT-2's is taken; --pattern gives another one"]
    """
    if overrides.pattern:
        return []
    return [f"{files} no pattern; {taken} is taken; --pattern gives another one"]


def note_guessed_special_tokens(
    overrides: Overrides, taken: Iterable[str], why: str = "since no merge makes them"
) -> list[str]:
    """A note about the tokens taken for special where files name none, unless the caller does.

    >>> note_guessed_special_tokens(Overrides(), ["<s>", "</s>"])
    ['taken for special, since no merge makes them: <s> </s>']
    """
    names = [shorten(name, LONGEST_SHOWN) for name in taken]
    if overrides.special_tokens is not None or not names:
        return []
    more = f" and {len(names) - MOST_NAMED:,} more" if len(names) > MOST_NAMED else ""
    return [f"taken for special, {why}: {' '.join(names[:MOST_NAMED])}{more}"]


def shorten(name: str, most: int) -> str:
    """A name that a file gives, cut where it is longer than a note has room for."""
    return name if len(name) <= most else f"{name[: most - 1]}…"


MOST_NAMED, LONGEST_SHOWN = 16, 40
"""Special tokens that a note names, and characters of one."""
MOST_SHOWN = 3
"""Ids that a note shows before it leaves the others out."""


def note_gaps(token_ids: Iterable[int]) -> list[str]:
    """A note if some ids below the highest are missing, which harms nothing.

    >>> note_gaps([0, 1, 3])
    ['1 id below the highest stands for no token (2)']
    """
    known = set(token_ids)
    gaps = max(known) + 1 - len(known)
    if gaps == 0:
        return []
    missing = (token_id for token_id in count() if token_id not in known)
    shown = ", ".join(map(str, islice(missing, min(gaps, MOST_SHOWN))))
    ids = "1 id below the highest stands" if gaps == 1 else f"{gaps:,} ids below the highest stand"
    return [f"{ids} for no token ({shown}{', …' if gaps > MOST_SHOWN else ''})"]


def open_vocab_and_merges(read: VocabAndMerges, overrides: Overrides, format: str) -> Opened:
    """The tokenizer of a vocabulary and merges.

    Args:
        read: what the files say.
        format: the name of the format that they are in.

    Raises:
        TokenizerFileError: vocabulary, merges and special tokens do not go together.
    """
    if not read.has_merges:
        return _open_vocabulary(read, overrides, format)
    read.check_merges()
    names = overrides.special_tokens
    if names is None and read.special_tokens is not None:
        names = list(read.special_tokens)
    special_tokens = find_special_tokens(read.place, read.vocab, read.merges, names)
    special_tokens += [text for text in read.texts.values() if text not in special_tokens]
    ids = read.special_tokens if isinstance(read.special_tokens, Mapping) else {}
    numbered = ids if ids and set(ids) == set(special_tokens) else special_tokens
    pattern = overrides.pattern or read.pattern or "gpt2"
    try:
        tokenizer = Tokenizer(_with_special_tokens(read, ids), read.merges, numbered, pattern)
    except VocabularyError as error:
        raise TokenizerFileError(f"{read.place}: {error}") from error
    _check_no_token_twice(read.place, tokenizer)
    notes = [*read.notes, *note_gaps(tokenizer.vocab)]
    if read.pattern is None:
        notes += note_guessed_pattern(overrides, files=read.files)
    if read.special_tokens is None:
        notes += note_guessed_special_tokens(overrides, special_tokens)
    return Opened(tokenizer, format, tuple(notes))


_MARK = re.compile(rb"<\|[^|<>]+\|>|</?[a-z]+>|\[[A-Z]+\]")
"""What special tokens look like, where no merges tell what else may stand in brackets."""


def _open_vocabulary(read: VocabAndMerges, overrides: Overrides, format: str) -> Opened:
    """What can be looked at and decodes, and refuses a text: a vocabulary without its merges."""
    names, ids = overrides.special_tokens, read.special_tokens
    if names is None and ids is None:
        marks = [token.decode() for token in read.vocab.values() if _MARK.fullmatch(token)]
        names = [*marks, *(text for text in read.texts.values() if text not in marks)]
    vocab = _with_special_tokens(read, ids if isinstance(ids, Mapping) else {})
    missing = f"{read.place}: is a vocabulary, and its merges are missing"
    tokenizer = Tokenizer(
        vocab,
        [],
        ids if names is None else names,
        overrides.pattern or read.pattern or "gpt2",
        alphabet=MissingMerges(list(vocab), f"{missing}; no text can be encoded without them"),
        table={},
    )
    notes = [
        "a vocabulary without its merges: it can be looked at, and ids decode; no text is encoded",
        *read.notes,
        *note_gaps(tokenizer.vocab),
    ]
    if read.pattern is None:
        notes += note_guessed_pattern(overrides, files=read.files)
    if ids is None:
        notes += note_guessed_special_tokens(overrides, names or (), "by their brackets")
    return Opened(tokenizer, format, tuple(notes))


def _with_special_tokens(read: VocabAndMerges, ids: Mapping[str, int]) -> dict[int, bytes]:
    """The vocabulary with the special tokens that stand in it as text, or apart with their ids."""
    vocab = read.all_tokens
    for token, token_id in ids.items():
        if vocab.setdefault(token_id, to_bytes(token)) != to_bytes(token):
            raise TokenizerFileError(
                f"{read.place}: the special token {token!r} has the id {token_id} of another token"
            )
    return vocab


def _check_no_token_twice(place: str, tokenizer: Tokenizer) -> None:
    seen: dict[bytes, int] = {}
    special = tokenizer.special_ids
    for token_id, token in tokenizer.vocab.items():
        if token_id in special:
            continue
        if token in seen:
            raise TokenizerFileError(
                f"{place}: the ids {seen[token]} and {token_id} are the same token, {spell(token)}"
            )
        seen[token] = token_id
