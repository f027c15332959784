"""The kernel: what takes the most time, in plain C. It is optional: Python can do all that it does.

The C files beside this one are compiled while the package is installed, where there is a compiler.
`kernel.h` says what they share; each other header says what is true of its structures. They know
nothing of Python and are called through ctypes, so other threads run meanwhile. Only this room
calls them; whatever comes back is copied before the next call.
"""

from __future__ import annotations

import ctypes
import os
from array import array
from ctypes import c_char_p, c_int32, c_int64, c_uint64, c_void_p, string_at
from pathlib import Path

LIBRARY = "kernel.library"
"""Named so that nobody takes it for a module of Python: it is none."""
SWITCH = "BPE_TUI_KERNEL"
"""The environment variable that leaves the kernel out: `BPE_TUI_KERNEL=no`."""

VERSION = 2
"""What `kernel_version` has to say: a library of an older version, left behind in a checkout, has
functions of these names that want or give something else."""

_SIGNATURES: dict[str, tuple[object, ...]] = {
    "kernel_version": (c_int64,),
    "counter_new": (c_void_p, c_char_p, c_char_p, c_void_p, c_int64, c_uint64),
    "counter_free": (None, c_void_p),
    "counter_count": (c_int64, c_void_p, c_char_p, c_int64),
    "counter_numbers": (c_void_p, c_void_p),
    "counter_counts": (c_void_p, c_void_p),
    "counter_filled": (c_int64, c_void_p),
    "counter_unclear": (c_int64, c_void_p),
    "counter_unclear_stretches": (c_void_p, c_void_p),
    "counter_new_pieces": (c_int64, c_void_p),
    "counter_new_sizes": (None, c_void_p, c_void_p),
    "counter_new_text": (c_void_p, c_void_p),
    "encoder_new": (
        *(c_void_p, c_char_p, c_void_p, c_void_p, c_void_p),
        *(c_int64, c_int64, c_uint64),
    ),
    "encoder_free": (None, c_void_p),
    "encoder_add_whole": (c_int64, c_void_p, c_char_p, c_int64, c_int32),
    "encoder_read": (c_int64, c_void_p, c_char_p, c_int64, c_int64, c_void_p, c_int64),
    "encoder_new_pieces": (c_int64, c_void_p),
    "encoder_new_sizes": (None, c_void_p, c_void_p),
    "encoder_new_text": (c_void_p, c_void_p),
    "encoder_learn": (c_int64, c_void_p, c_void_p, c_int64),
    "encoder_tell": (c_int64, c_void_p),
    "encoder_ids": (c_void_p, c_void_p),
    "merger_new": (
        *(c_void_p, c_char_p, c_void_p, c_void_p, c_int64, c_int64),
        *(c_char_p, c_void_p, c_int64, c_int64, c_uint64),
    ),
    "merger_finish": (None, c_void_p),
    "merger_free": (None, c_void_p),
    "merger_run": (c_int64, c_void_p, c_int64, c_int64),
    "merger_number_of": (c_int64, c_void_p, c_int32, c_int32),
    "merger_steps": (c_void_p, c_void_p),
    "merger_changed": (c_void_p, c_void_p),
    "merger_after": (c_void_p, c_void_p),
    "merger_pairs": (c_void_p, c_void_p),
    "merger_counts": (c_void_p, c_void_p),
    "merger_pair_count": (c_int64, c_void_p),
    "scanner_new": (c_void_p, c_char_p),
    "scanner_free": (None, c_void_p),
    "scanner_add_page": (c_int64, c_void_p, c_int64, c_char_p),
    "scanner_missing_page": (c_int64, c_void_p, c_char_p, c_int64, c_void_p),
    "scanner_cut": (c_int64, c_void_p, c_char_p, c_void_p, c_int64),
    "scanner_lengths": (c_void_p, c_void_p),
    "scanner_counts": (c_void_p, c_void_p),
    "tally_new": (c_void_p, c_uint64),
    "tally_free": (None, c_void_p),
    "tally_learn": (c_int64, c_void_p, c_int64, c_char_p, c_void_p, c_void_p, c_int64),
    "tally_add": (c_int64, c_void_p, c_int64, c_void_p, c_void_p, c_int64),
    "tally_distinct": (c_int64, c_void_p),
    "tally_counts": (None, c_void_p, c_int64, c_void_p, c_void_p),
    "tally_text": (c_void_p, c_void_p),
}
"""function → the type of its result, and those of its arguments."""


def _load() -> ctypes.CDLL | None:
    path = Path(__file__).with_name(LIBRARY)
    if os.environ.get(SWITCH) == "no" or not path.exists():
        return None
    try:
        library = ctypes.CDLL(str(path))
        for name, (result, *arguments) in _SIGNATURES.items():
            function = getattr(library, name)
            function.restype, function.argtypes = result, arguments
    except (OSError, AttributeError):
        return None  # of another machine, or of an older version
    return library if library.kernel_version() == VERSION else None


KERNEL = _load()
"""The library; `None` where there is none, or it is switched off."""


def kernel() -> ctypes.CDLL:
    """The library, for who has made sure that it is there.

    Raises:
        RuntimeError: it is not.
    """
    if KERNEL is None:
        raise RuntimeError("there is no compiled kernel here; look at `KERNEL` first")
    return KERNEL


def address(numbers: array[int]) -> int:
    """Where an array keeps its numbers."""
    return numbers.buffer_info()[0]


PADDING = bytes(8)
"""What has to stand behind a text that the kernel reads word by word."""


def copied(at: int, size: int) -> bytes:
    """A copy of the bytes at an address, which may be none if there are no bytes."""
    return string_at(at, size) if size else b""


def integers_at(at: int, length: int, kind: str = "q") -> array[int]:
    """A copy of the integers at an address: of 64 bits, or of another `kind` of array."""
    integers = array(kind)
    integers.frombytes(copied(at, length * integers.itemsize))
    return integers


def random_seed() -> int:
    """64 random bits for a hash table, so that nobody can foresee where a key goes."""
    return int.from_bytes(os.urandom(8), "little")
