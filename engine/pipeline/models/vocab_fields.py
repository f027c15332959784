"""Reading the `vocab` of a model: an object of tokens with their ids."""

from __future__ import annotations

from engine.pipeline.json_fields import Fields, well_formed

LARGEST_ID = (1 << 32) - 1
"""Hugging Face's library keeps an id in 32 bits."""


def read_vocab(fields: Fields) -> dict[str, int]:
    """token → id.

    Raises:
        TokenizerFileError: an id is no whole number, too large, or given twice.
    """
    vocab = dict(fields.inner("vocab").value)
    well_formed("".join(vocab), fields.path("vocab"))
    of_id: dict[int, str] = {}
    for token, token_id in vocab.items():
        if type(token_id) is not int or token_id < 0:
            raise fields.error("vocab", f"the id of {token[:60]!r} is no whole number")
        if token_id > LARGEST_ID:
            raise fields.error("vocab", f"the id of {token[:60]!r} is larger than {LARGEST_ID:,}")
        if token_id in of_id:
            both = f"{of_id[token_id][:60]!r} and {token[:60]!r}"
            raise fields.error("vocab", f"the id {token_id} is given to {both}")
        of_id[token_id] = token
    return vocab


def known_unknown(fields: Fields, vocab: dict[str, int]) -> str:
    """The `unk_token`, which has to be in the vocab."""
    token = fields.text("unk_token")
    if token not in vocab:
        what = f"{token[:60]!r} is not in the vocab, so nothing stands for what cannot be spelled"
        raise fields.error("unk_token", what)
    return token
