"""The ids of a text that is being typed."""

from __future__ import annotations

from itertools import chain

from engine.encoding.bounded_memo import Remembered
from engine.encoding.incremental import Retyping
from engine.encoding.text_encoder import TextEncoder
from engine.text.pretokenize import Pretoken, without_stray_surrogates

MEMORY = 1 << 22
"""Bytes for one generation of pretokens: those of a long text that is pasted more than once."""


class LiveEncoding:
    """Encodes texts of which each is the last one with a change; see `engine.encoding.incremental`.

    >>> from engine import Tokenizer
    >>> live = Tokenizer({byte: bytes([byte]) for byte in range(256)}, []).live()
    >>> live.encode("a b"), live.encode("a bc")
    ([97, 32, 98], [97, 32, 98, 99])
    """

    def __init__(self, encoder: TextEncoder) -> None:
        self._special_ids = encoder.special_ids
        encode = encoder.encoder.encode
        self._remembered = Remembered[bytes](lambda pretoken: tuple(encode(pretoken)), MEMORY)
        self._retyping = Retyping(
            encoder.pattern, encoder.splitter, self._ids_of, lambda ids, by: ids
        )

    def encode(self, text: str) -> list[int]:
        """What `Tokenizer.encode` gives, sooner."""
        return list(chain.from_iterable(self._retyping.update(without_stray_surrogates(text))))

    def _ids_of(self, pretoken: Pretoken) -> tuple[int, ...]:
        if pretoken.special:
            return (self._special_ids[pretoken.text],)
        return self._remembered[pretoken.bytes]
