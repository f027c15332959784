"""A vocabulary and merges: what GPT-2's two files hold, and what solutions of courses keep.

Each format that holds just these reads them into a `VocabAndMerges`, in bytes, whatever the
spelling. It is what the files say, and need not make sense: who checks a trainer takes the values
as they are. `open_vocab_and_merges` makes the tokenizer of them, or says why there is none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from operator import add

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
from engine.text.patterns import Pattern
from engine.text.pretokenize import to_bytes


@dataclass(frozen=True)
class VocabAndMerges:
    """What files say.

    Attributes:
        place: what errors name.
        vocab: id → token.
        merges: pairs of tokens in order of rank.
        texts: id → token that can only be special: a text that is not spelled as the others are.
        special_tokens: their texts, or text → id; `None` if the files do not say.
        pattern: what cuts texts; `None` if the files do not say.
        notes: what a reader should know of how it was read.
        merges_place, vocab_place: what errors name if the two do not go together.
        files: how a note begins about what is not there.
    """

    place: str
    vocab: Mapping[int, bytes]
    merges: Sequence[tuple[bytes, bytes]]
    texts: Mapping[int, str] = field(default_factory=dict)
    special_tokens: Sequence[str] | Mapping[str, int] | None = None
    pattern: str | Pattern | None = None
    notes: Sequence[str] = ()
    merges_place: str = ""
    vocab_place: str = "the vocabulary"
    files: str = "the file names"

    def check_merges(self) -> None:
        """Raises `TokenizerFileError` if a merge needs a token that the vocabulary lacks."""
        known = set(self.vocab.values())
        lefts, rights = zip(*self.merges, strict=True) if self.merges else ((), ())
        if known.issuperset(lefts + rights) and known.issuperset(map(add, lefts, rights)):
            return  # as it is nearly always, and quicker than one by one
        for rank, (left, right) in enumerate(self.merges):
            for token in (left, right, left + right):
                if token not in known:
                    raise TokenizerFileError(
                        f"{self.merges_place or self.place}: merge {rank + 1:,} ({spell(left)} "
                        f"{spell(right)}) needs the token {spell(token)}, which {self.vocab_place} "
                        "does not have; do they belong together?"
                    )


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
    vocab = {**read.vocab, **{token_id: to_bytes(text) for token_id, text in read.texts.items()}}
    for token, token_id in ids.items():
        if vocab.setdefault(token_id, to_bytes(token)) != to_bytes(token):
            raise TokenizerFileError(
                f"{read.place}: the special token {token!r} has the id {token_id} of another token"
            )
    return vocab


def _check_no_token_twice(place: str, tokenizer: Tokenizer) -> None:
    seen: dict[bytes, int] = {}
    for token_id, token in tokenizer.vocab.items():
        if token_id in tokenizer.special_ids:
            continue
        if token in seen:
            raise TokenizerFileError(
                f"{place}: the ids {seen[token]} and {token_id} are the same token, {spell(token)}"
            )
        seen[token] = token_id
