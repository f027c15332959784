"""Opening a vocabulary and merges: GPT-2's two files, and what solutions of courses keep."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from engine.core.errors import TokenizerFileError, VocabularyError, errors_at
from engine.core.gpt2_bytes import spell
from engine.encoding.alphabet import MissingMerges
from engine.encoding.tokenizer import Tokenizer
from engine.formats import guesses
from engine.formats.not_tokenizers import OF_COUNTS, are_counts
from engine.formats.tokenizer_format import TRY_CHECK, Opened, Overrides, VocabAndMerges
from engine.text.pretokenize import to_bytes


def open_vocab_and_merges(read: VocabAndMerges, overrides: Overrides, format: str) -> Opened:
    """Make a tokenizer of a vocabulary and merges that were read from files.

    Args:
        format: name of the format of the files.

    Raises:
        TokenizerFileError: vocabulary, merges and special tokens do not fit together.
    """
    if not read.has_merges:
        return _open_vocabulary(read, overrides, format)
    read.check_merges()
    names = overrides.special_tokens
    if names is None and read.special_tokens is not None:
        names = list(read.special_tokens)
    made = read.vocab
    if read.unmade:
        made = {i: token for i, token in made.items() if token not in read.unmade}
    special_tokens = find_special_tokens(read, made, names)
    special_tokens = list(dict.fromkeys([*special_tokens, *read.texts.values()]))
    doubled = _doubled(read.vocab)
    captured = [token.decode() for token in doubled if names is None and _MARK.fullmatch(token)]
    special_tokens += [token for token in captured if token not in special_tokens]
    ids = read.special_tokens if isinstance(read.special_tokens, Mapping) else {}
    numbered = ids if set(ids) == set(special_tokens) else special_tokens
    likely = "" if overrides.pattern or read.pattern else guesses.likely_pattern(made.values())
    pattern = overrides.pattern or read.pattern or likely
    with errors_at(read.place, VocabularyError):
        tokenizer = Tokenizer(_with_special_tokens(read, ids), read.merges, numbered, pattern)
    notes = [*read.notes, *_note_doubled(doubled), *guesses.note_gaps(tokenizer.vocab)]
    if likely:
        notes += guesses.note_likely_pattern(overrides, likely, read.files)
    if read.special_tokens is None:
        unmade = [token for token in special_tokens if token not in captured]
        notes += guesses.note_guessed_special_tokens(overrides, unmade)
        notes += guesses.note_guessed_special_tokens(
            overrides, captured, "although merges make them"
        )
    notes += guesses.note_unmade(read.unmade)
    return Opened(tokenizer, format, tuple(notes))


def _doubled(vocab: Mapping[int, bytes]) -> dict[bytes, list[int]]:
    """Return the tokens that several ids have, with these."""
    ids: defaultdict[bytes, list[int]] = defaultdict(list)
    if len(set(vocab.values())) == len(vocab):
        return ids
    for token_id, token in vocab.items():
        ids[token].append(token_id)
    return {token: same for token, same in ids.items() if len(same) > 1}


def _note_doubled(doubled: Mapping[bytes, Sequence[int]]) -> Iterator[str]:
    """Yield a note about the first token that several ids have."""
    for token, ids in islice(doubled.items(), 1):
        more = f" (such tokens: {len(doubled):,})" if len(doubled) > 1 else ""
        yield (
            f"a mistake: the ids {ids[0]} and {ids[1]} are the same token, "
            f"{spell(token)[:60]}{more}; {TRY_CHECK}"
        )


_BRACKETS = {(b"<", b">"), (b"[", b"]")}

_MARK = re.compile(rb"<\|[^|<>]+\|>|</?[a-z]+>|\[[A-Z]+\]")
"""The form of special tokens in a vocabulary without merges, which may hold other brackets."""


def _open_vocabulary(read: VocabAndMerges, overrides: Overrides, format: str) -> Opened:
    """Make a tokenizer without merges, which decodes ids and refuses to encode texts."""
    names, ids = overrides.special_tokens, read.special_tokens
    if names is None and ids is None:
        marks = [token.decode() for token in read.vocab.values() if _MARK.fullmatch(token)]
        names = list(dict.fromkeys([*marks, *read.texts.values()]))
    if are_counts(read.all_tokens.keys()):
        raise TokenizerFileError(f"{read.place}: is {OF_COUNTS}")
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
        *guesses.note_gaps(tokenizer.vocab),
    ]
    if read.pattern is None:
        notes += guesses.note_guessed_pattern(overrides, files=read.files)
    if ids is None:
        notes += guesses.note_guessed_special_tokens(overrides, names or (), "by their brackets")
    return Opened(tokenizer, format, tuple(notes))


def _with_special_tokens(read: VocabAndMerges, ids: Mapping[str, int]) -> dict[int, bytes]:
    """Return the vocabulary with all special tokens: those in it as text and those in `ids`."""
    vocab = read.all_tokens
    for token, token_id in ids.items():
        if vocab.setdefault(token_id, to_bytes(token)) != to_bytes(token):
            raise TokenizerFileError(
                f"{read.place}: the special token {token!r} has the id {token_id} of another token"
            )
    return vocab


def is_bracketed(token: bytes) -> bool:
    """Whether a token has angle or square brackets around it."""
    return (token[:1], token[-1:]) in _BRACKETS


def find_special_tokens(
    read: VocabAndMerges, vocab: Mapping[int, bytes], known: Sequence[str] | None
) -> list[str]:
    """Return the special tokens of a vocabulary that holds them among the others.

    Args:
        read: the vocabulary and the merges.
        vocab: the tokens that merges or special tokens should make.
        known: the special tokens; with `None`, the tokens in angle or square brackets that no
            merge makes are special.

    Raises:
        TokenizerFileError: a token is neither special nor a byte, and no merge makes it.
    """
    unmade = [token for token_id, token in read.never_made.items() if token_id in vocab]
    if known is None:
        known = [
            token.decode() for token in unmade if is_bracketed(token) and guesses.is_text(token)
        ]
    special_bytes = set(map(to_bytes, known))
    orphans = [token for token in unmade if token not in special_bytes]
    if orphans:
        raise TokenizerFileError(
            f"{read.place}: no merge makes the token {spell(orphans[0])} (such tokens: "
            f"{len(orphans):,}); are the merges cut short, or is it a special token?"
            f"{read.advice}"
        )
    return list(known)
