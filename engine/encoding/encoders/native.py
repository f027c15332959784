"""What `Cached` does, by the kernel: in C, where it could be compiled.

To know what it does read `fast` and `engine.encoding.piece_encoder`. The kernel cuts at the
pattern's borders in place of spaces, and has one memory, of pieces.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property

from engine.encoding.alphabet import ByteAlphabet, WholeTokens
from engine.encoding.encoders.encoder import (
    EncodeAroundSpecial,
    TokenIds,
    encode_around_special,
)
from engine.encoding.encoders.fast import Cached
from engine.native.encoding import MOST, KernelEncoder, can_encode
from engine.text.cutting import cutter_for
from engine.text.patterns import BorderTables, Pattern
from engine.text.pretokenize import SpecialSplitter, to_bytes, to_text


class Native(Cached):
    """The default. For texts only; single pretokens are left to `Cached`.

    So is all that the kernel cannot do: an alphabet that is not bytes, a pattern without borders,
    ids beyond its integers.
    """

    name = "native"
    summary = "what `cached` does, in C; the default where it could be compiled"

    def for_texts(self, pattern: Pattern) -> Callable[[str], list[int]]:
        """As in every encoder; the function keeps its memory from one text to the next."""
        return _TextsInKernel(self, pattern, super().for_texts(pattern)).encode

    def around_special(self, pattern: Pattern) -> EncodeAroundSpecial:
        """As in every encoder; likewise."""
        return _TextsInKernel(self, pattern, super().for_texts(pattern)).encode_around_special


class _TextsInKernel:
    """Encodes texts in the kernel, or in Python where it must.

    Args:
        in_python: encodes a text without special tokens.
    """

    def __init__(
        self, encoder: Native, pattern: Pattern, in_python: Callable[[str], list[int]]
    ) -> None:
        self._encoder = encoder
        self._pattern = pattern
        self._in_python = in_python

    @cached_property
    def _kernel(self) -> KernelEncoder | None:
        """Made for the first text: some tokenizers are given none. `None` if it cannot do it."""
        alphabet, whole = self._encoder.alphabet, dict[bytes, int]()
        if isinstance(alphabet, WholeTokens):
            whole, alphabet = dict(alphabet.whole), alphabet.inner
        borders, table = self._pattern.borders, self._encoder.table
        if not (borders and isinstance(alphabet, ByteAlphabet)):
            return None
        if not can_encode(self._encoder.alphabet.token_ids, table):
            return None
        tables, cut = BorderTables.of(borders), cutter_for(self._pattern)
        return KernelEncoder(tables.packed, alphabet.token_ids, table, whole, cut)

    def encode(self, text: str) -> list[int]:
        """The ids of a text without special tokens."""
        if self._kernel is not None and len(data := to_bytes(text)) <= MOST:
            return self._kernel.ids(data).tolist()
        return self._in_python(text)

    def encode_around_special(
        self, text: str, splitter: SpecialSplitter, special_ids: Mapping[str, int]
    ) -> TokenIds:
        """The ids of a text: the kernel gets all of it at once, special tokens included."""
        if self._kernel is not None and splitter.is_of_bytes:
            data, specials = to_bytes(text), list[tuple[int, int, int]]()
            for found in splitter.bytes_regex.finditer(data):
                specials.append((*found.span(), special_ids[to_text(found.group())]))
            if len(data) <= MOST and all(0 <= token_id < MOST for *_, token_id in specials):
                return self._kernel.ids(data, specials)
        return encode_around_special(self.encode, text, splitter, special_ids)
