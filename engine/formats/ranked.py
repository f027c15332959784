"""From ranked tokens to a `Tokenizer` that encodes as tiktoken does with them, and back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set

from engine.alphabets import Alphabet, ByteAlphabet, WholeTokens
from engine.core.errors import VocabularyError
from engine.core.gpt2_bytes import spell
from engine.encoding.tokenizer import Tokenizer
from engine.formats.recover_merges import merges_of_ranks
from engine.formats.renumbering import made_by_merges
from engine.text.patterns import Pattern

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
    found = merges_of_ranks(ranks)
    vocab = {rank: token for token, rank in ranks.items()}
    alphabet: Alphabet = ByteAlphabet([ranks[bytes((byte,))] for byte in range(256)])
    if found.unmade:
        alphabet = WholeTokens(alphabet, {token: ranks[token] for token in found.unmade})
    made = Tokenizer(
        vocab, found.merges, special_ids, pattern, alphabet=alphabet, table=found.table
    )
    return made, _told_unmade(found.unmade)


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
        VocabularyError: there are none.
    """
    ranks = {
        token: token_id
        for token_id, token in tokenizer.vocab.items()
        if token_id not in tokenizer.special_ids
    }
    if len(ranks) + len(tokenizer.special_ids) < len(tokenizer.vocab):
        raise VocabularyError("two ids stand for the same bytes, and ranks can say only one")
    ranked, _ = tokenizer_of_ranks(ranks, {}, tokenizer.pattern)
    made = {token_id for _, token_id in ranked.merge_table.values()}
    spell_alike = _spelling(ranked, made) == _spelling(tokenizer, made)
    if not spell_alike or not _merge_alike(ranked, tokenizer):
        raise VocabularyError(
            "ranks cannot say what merges here: tokens are not numbered in the order of their "
            "merges, or are made by no merge of two tokens"
        )
    return ranks


def _merge_alike(ranked: Tokenizer, tokenizer: Tokenizer) -> bool:
    """Whether a tokenizer merges as its ranks do.

    It may list other pairs that join to a token, as tokenizer.json files made from ranks do: they
    never stand side by side (see `recover_merges`), so they count for nothing.
    """
    merges, known = made_by_merges(ranked), ranked.merge_table
    vocab = tokenizer.vocab
    theirs = made_by_merges(tokenizer)
    return merges == [each for each in theirs if each[0] in known] and all(
        vocab[left] + vocab[right] == vocab[made] for (left, right), made in theirs
    )


def _spelling(tokenizer: Tokenizer, made: Set[int]) -> tuple[object, ...]:
    """What a pretoken is before any merge; whole tokens that are made anyway do not count."""
    name, arguments = tokenizer.alphabet.as_message()
    if name != "whole":
        return (name, arguments), {}
    inner, whole = arguments
    return inner, {
        token: token_id
        for token, token_id in whole.items()
        if token_id not in made and len(token) > 1
    }
