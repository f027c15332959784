"""From a text that may hold special tokens to its ids: all that encoding needs of a tokenizer."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from importlib import import_module
from typing import Any

from engine.alphabets import Alphabet, from_message
from engine.encoding.encoders import ENCODERS
from engine.encoding.encoders.encoder import Encoder, MergeTable
from engine.text.patterns import Alternative, Pattern
from engine.text.pretokenize import SpecialSplitter, without_stray_surrogates


class TextEncoder:
    """Cuts out the special tokens, and has the encoder encode what is between them.

    Args:
        encoder: a name in `ENCODERS`.
        alphabet, table: what it is made of.
        special_ids: special token → its id.
        splitter: what cuts these tokens out, if it is not just that.
    """

    def __init__(
        self,
        encoder: str,
        alphabet: Alphabet,
        table: MergeTable,
        pattern: Pattern,
        special_ids: Mapping[str, int],
        splitter: SpecialSplitter | None = None,
    ) -> None:
        self.encoder: Encoder = ENCODERS[encoder](alphabet, table)
        self.pattern = pattern
        self.special_ids = special_ids
        self.splitter = splitter or SpecialSplitter(list(special_ids))
        self._encode_text = self.encoder.for_texts(pattern)

    def cutting(self, special_ids: Mapping[str, int]) -> TextEncoder:
        """One that cuts out these special tokens only, and shares all memories with this one."""
        other = copy(self)
        other.special_ids = special_ids
        other.splitter = self.splitter.only(special_ids.keys())
        return other

    def encode(self, text: str) -> list[int]:
        """The ids of a text."""
        ids: list[int] = []
        for piece, special in self.splitter.split_text(without_stray_surrogates(text)):
            if special:
                ids.append(self.special_ids[piece])
            else:
                ids += self._encode_text(piece)
        return ids

    def as_message(self) -> tuple[Any, ...]:
        """What a helper process makes an equal one of: plain values, which can be marshalled."""
        return (
            self.encoder.name,
            self.encoder.alphabet.as_message(),
            dict(self.encoder.table),
            [(alternative.name, alternative.regex) for alternative in self.pattern.alternatives],
            dict(self.special_ids),
            self._splitter_message(),
        )

    def _splitter_message(self) -> tuple[str, str, Any] | None:
        """The splitter with its class, which the other process imports; few tokenizers need one."""
        sections, kind = self.splitter.as_message(), type(self.splitter)
        return None if sections is None else (kind.__module__, kind.__name__, sections)

    @classmethod
    def from_message(cls, message: tuple[Any, ...]) -> TextEncoder:
        """The inverse of `as_message`; only the name of the pattern is lost."""
        encoder, alphabet, table, alternatives, special_ids, cutting = message
        pattern = Pattern("", "", tuple(Alternative(n, r) for n, r in alternatives), ())
        splitter = None
        if cutting is not None:
            module, kind, sections = cutting
            splitter = getattr(import_module(module), kind).from_message(sections)
        return cls(encoder, from_message(alphabet), table, pattern, special_ids, splitter)
