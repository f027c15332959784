"""From a vocabulary and merges to a tokenizer, or to the reason why they make none."""

from __future__ import annotations

from collections.abc import Mapping

from engine.core.errors import TokenizerFileError
from engine.core.gpt2_bytes import spell
from engine.encoding.tokenizer import Tokenizer
from engine.formats.guesses import (
    find_special_tokens,
    note_gaps,
    note_guessed_pattern,
    note_guessed_special_tokens,
)
from engine.formats.tokenizer_format import Opened, Overrides
from engine.formats.vocab_and_merges import VocabAndMerges
from engine.text.pretokenize import to_bytes


def open_vocab_and_merges(read: VocabAndMerges, overrides: Overrides, format: str) -> Opened:
    """The tokenizer of a vocabulary and merges.

    Args:
        read: what the files say.
        format: the name of the format that they are in.

    Raises:
        TokenizerFileError: vocabulary, merges and special tokens do not go together.
    """
    read.check_merges()
    names = overrides.special_tokens
    if names is None and read.special_tokens is not None:
        names = list(read.special_tokens)
    special_tokens = find_special_tokens(read.place, read.vocab, read.merges, names)
    special_tokens += [text for text in read.texts.values() if text not in special_tokens]
    ids = read.special_tokens if isinstance(read.special_tokens, Mapping) else {}
    tokenizer = Tokenizer(
        _with_special_tokens(read, ids),
        read.merges,
        ids if ids and set(ids) == set(special_tokens) else special_tokens,
        overrides.pattern or read.pattern or "gpt2",
    )
    _check_no_token_twice(read.place, tokenizer)
    notes = [*read.notes, *note_gaps(tokenizer.vocab)]
    if read.pattern is None:
        notes += note_guessed_pattern(overrides, files=read.files)
    if read.special_tokens is None:
        notes += note_guessed_special_tokens(overrides, special_tokens)
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
