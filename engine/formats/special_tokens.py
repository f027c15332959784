"""Special tokens of files that name them, and of files that do not."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import count

from engine.core.errors import TokenizerFileError
from engine.core.gpt2_bytes import spell
from engine.text.pretokenize import to_bytes


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
