"""Every byte is a token."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Self

from engine.baselines.simple_tokenizer import SimpleTokenizer
from engine.bpe.trainer import base_vocab, check_vocab_size
from engine.text.patterns import Pattern
from engine.text.pretokenize import check_special_tokens, to_bytes


class ByteTokenizer(SimpleTokenizer):
    """The 256 bytes, as byte-level BPE has them before its first merge; nothing is unknown.

    >>> tokenizer = ByteTokenizer.train({}, special_tokens=["<s>"])
    >>> tokenizer.encode("é<s>"), tokenizer.decode([195, 169])
    ([195, 169, 256], 'é')
    """

    name = "byte"
    summary = "every byte is a token; no corpus is needed and nothing is unknown"
    granularity = "bytes"
    unknown_token = None

    @classmethod
    def train(
        cls,
        counts: Mapping[bytes, int],
        vocab_size: int | None = None,
        special_tokens: Sequence[str] = (),
        pattern: str | Pattern = "bert",
    ) -> Self:
        """The same tokenizer whatever the corpus is; `vocab_size` need only have room for it."""
        check_special_tokens(special_tokens)
        if vocab_size is not None:
            check_vocab_size(vocab_size, special_tokens)
        return cls(dict(enumerate(base_vocab(special_tokens))), special_tokens, pattern)

    def units(self, text: str) -> Iterable[bytes]:
        return (bytes((byte,)) for byte in to_bytes(text))
