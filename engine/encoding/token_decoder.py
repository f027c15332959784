"""From ids to bytes and text in the kernel, where it is compiled."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

from engine.core.slow_modules import np
from engine.encoding.numbered_parts import PipelineLike
from engine.native.decoding import KernelDecoder


def _leave(ids: Any) -> None:
    """Leave ids to the general way."""


class TokenDecoder:
    """The fast ways to decode; each returns `None` where the general way has to be taken.

    Args:
        vocab: id → its bytes.
        pipeline: makes the text, if its decoder is more than the bytes.
    """

    def __init__(self, vocab: Mapping[int, bytes], pipeline: PipelineLike | None) -> None:
        self._vocab, self._pipeline = vocab, pipeline

    @cached_property
    def _kernel(self) -> KernelDecoder | None:
        return KernelDecoder(self._vocab) if KernelDecoder.fits(self._vocab) else None

    @cached_property
    def _bytes_of_list(self) -> Callable[[Any], bytes | None]:
        return _leave if self._kernel is None else self._kernel.bytes_of

    @cached_property
    def text_of(self) -> Callable[[Any], str | None]:
        """Return the text of a list of ids."""
        if self._pipeline is None:
            return _leave if self._kernel is None else self._kernel.text_of
        return self._pipeline.fast_decode or _leave

    def bytes_of(self, ids: Any) -> bytes | None:
        """Return the bytes of ids in a list or an array."""
        if type(ids) is list or self._kernel is None:
            return self._bytes_of_list(ids)
        in_32_bits = _in_32_bits(ids)
        return None if in_32_bits is None else self._kernel.bytes_of_array(in_32_bits)


def _in_32_bits(ids: Any) -> array[int] | None:
    """Return an array of whole numbers as 32-bit integers; `None` if it is something else."""
    if isinstance(ids, array):
        return ids if ids.typecode == "i" else None
    if type(ids).__module__ != "numpy" or not isinstance(ids, np.ndarray):
        return None
    if ids.ndim != 1 or ids.dtype.kind not in "iu":
        return None
    if ids.dtype.itemsize > 2 and ids.size and not 0 <= int(ids.min()) <= int(ids.max()) < 2**31:
        return None
    numbers = array("i")
    numbers.frombytes(ids.astype("<i4").tobytes())
    return numbers
