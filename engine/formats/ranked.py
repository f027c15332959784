"""From ranked tokens to a `Tokenizer` that encodes as tiktoken does with them, and back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from engine.alphabet import Alphabet, ByteAlphabet, WholeTokens
from engine.byte_chars import spell
from engine.errors import VocabularyError
from engine.formats.rank_merges import merges_of_ranks
from engine.formats.renumbering import made_by_merges
from engine.patterns import Pattern
from engine.tokenizer import Tokenizer

SHOWN = 3
"""Tokens that a note names before it says how many more there are."""


def tokenizer_of_ranks(
    ranks: Mapping[bytes, int],
    special_ids: Mapping[str, int],
    pattern: str | Pattern,
) -> tuple[Tokenizer, list[str]]:
    """The tokenizer whose ids are the ranks, and what is to be said about it.

    Args:
        ranks: token → rank; no rank twice.
        special_ids: special token → id.

    Raises:
        VocabularyError: a byte has no rank, or the tokens are too long.
    """
    missing = [byte for byte in range(256) if bytes((byte,)) not in ranks]
    if missing:
        raise VocabularyError(
            f"lacks {len(missing)} of the 256 single bytes, {bytes(missing[:1])!r} for one, "
            "without which not every text can be encoded; is it cut short?"
        )
    merges, unmade = merges_of_ranks(ranks)
    vocab = {rank: token for token, rank in ranks.items()}
    alphabet: Alphabet = ByteAlphabet([ranks[bytes((byte,))] for byte in range(256)])
    if unmade:
        alphabet = WholeTokens(alphabet, {token: ranks[token] for token in unmade})
    made = Tokenizer(vocab, merges, special_ids, pattern, alphabet=alphabet)
    return made, _told_unmade(unmade)


def _told_unmade(unmade: Sequence[bytes]) -> list[str]:
    if not unmade:
        return []
    shown = ", ".join(map(spell, unmade[:SHOWN])) + (", …" if len(unmade) > SHOWN else "")
    return [
        f"no merge can be found for {len(unmade):,} of its tokens ({shown}): "
        "only a pretoken that is just such a token becomes one"
    ]


def ranks_of(tokenizer: Tokenizer) -> dict[bytes, int]:
    """The ranks with which tiktoken encodes as the tokenizer does.

    Raises:
        VocabularyError: there are none: tokens are not numbered in the order of their merges, or
            pairs merge otherwise than by the rank of what they make.
    """
    ranks = {
        token: token_id
        for token_id, token in tokenizer.vocab.items()
        if token_id not in tokenizer.special_ids
    }
    if len(ranks) + len(tokenizer.special_ids) < len(tokenizer.vocab):
        raise VocabularyError("two ids stand for the same bytes, and ranks can say only one")
    if _merged(tokenizer_of_ranks(ranks, {}, tokenizer.pattern)[0]) != _merged(tokenizer):
        raise VocabularyError(
            "tokens are not numbered in the order of their merges, which ranks cannot say"
        )
    return ranks


def _merged(tokenizer: Tokenizer) -> tuple[object, ...]:
    """What decides how a pretoken is encoded."""
    merges = made_by_merges(tokenizer)
    name, arguments = tokenizer.alphabet.as_message()
    if name != "whole":
        return merges, (name, arguments), {}
    inner, whole = arguments
    made_already = {made for _, made in merges}
    return merges, inner, {t: i for t, i in whole.items() if i not in made_already}
