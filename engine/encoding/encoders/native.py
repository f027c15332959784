"""What `Cached` does, by the kernel: in C, where it could be compiled.

To know what it does read `fast` and `engine.encoding.piece_encoder`. The kernel cuts at the
pattern's borders in place of spaces, and has one memory, of pieces.
"""

from __future__ import annotations

from collections.abc import Callable

from engine.encoding.alphabet import ByteAlphabet, WholeTokens
from engine.encoding.encoders.fast import Cached
from engine.native.encoding import MOST, KernelEncoder, can_encode
from engine.text.cutting import cutter_for
from engine.text.patterns import BorderTables, Pattern
from engine.text.pretokenize import to_bytes


class Native(Cached):
    """The default. For whole texts only; single pretokens are left to `Cached`.

    So is all that the kernel cannot do: an alphabet that is not bytes, a pattern without borders,
    ids beyond its integers.
    """

    name = "native"
    summary = "what `cached` does, in C; the default where it could be compiled"

    def for_texts(self, pattern: Pattern) -> Callable[[str], list[int]]:
        """As in every encoder; the function keeps its memory from one text to the next."""
        made: list[KernelEncoder | None] = []  # for the first text: some tokenizers get none
        in_python = super().for_texts(pattern)

        def encode(text: str) -> list[int]:
            if not made:
                made.append(self._in_kernel(pattern))
            data = to_bytes(text)
            if made[0] is None or len(data) > MOST:
                return in_python(text)
            return made[0].ids(data).tolist()

        return encode

    def _in_kernel(self, pattern: Pattern) -> KernelEncoder | None:
        alphabet, whole = self.alphabet, dict[bytes, int]()
        if isinstance(alphabet, WholeTokens):
            whole, alphabet = dict(alphabet.whole), alphabet.inner
        if not (pattern.borders and isinstance(alphabet, ByteAlphabet)):
            return None
        if not can_encode(self.alphabet.token_ids, self.table):
            return None
        borders = BorderTables.of(pattern.borders).packed
        return KernelEncoder(borders, alphabet.token_ids, self.table, whole, cutter_for(pattern))
