"""The kernel: counting, training, encoding, decoding in plain C, as fast forms of code in Python.

It is optional: without it Python does all of the work. The C files beside this one are compiled
while the package is installed, where there is a compiler. `kernel.h` has what they share; each
other header has the invariants of its structures. The C code is called through ctypes, so other
threads run meanwhile, and does not know Python. The exception is `texts.c`, which makes lists for
Python: it encodes a short text in less time than a call through ctypes takes. `host.py` prepares
it.
Only this room calls the kernel, and copies each result before the next call.
"""

from __future__ import annotations

import ctypes
import os
from array import array
from ctypes import c_char_p, c_int32, c_int64, c_uint64, c_void_p, string_at
from struct import error as StructError
from struct import unpack_from

from engine.core.errors import KernelMemoryError

LIBRARY = "kernel.library"
"""The file name. No Python module ends so, since the library is not an extension module."""
SWITCH = "BPE_TUI_KERNEL"
"""The environment variable that switches the kernel off, `BPE_TUI_KERNEL=no`, or its vectors,
`BPE_TUI_KERNEL=plain`."""

VERSION = 10
"""The version that `kernel_version` must return. An older library, left behind in a checkout, may
have functions of the same names with other arguments or results."""

_OBJECTS = (
    *("counter", "encoder", "merger", "normalizer", "numbers", "rules", "scanner", "specials"),
    *("tally", "texts", "tokens"),
)
"""The kinds of objects that functions make; each has a function that frees one."""
_NUMBERS = (
    *("counter_filled", "counter_unclear", "counter_new_pieces", "encoder_forget"),
    *("encoder_id_count", "encoder_pending", "merger_pop", "merger_find_ties"),
    *("merger_pair_count", "tally_distinct"),
)
"""The functions that return a number about an object."""
_ARRAYS = (
    *("counter_numbers", "counter_counts", "counter_unclear_stretches"),
    *("counter_new_text", "encoder_ids", "encoder_pending_sizes", "encoder_pending_text"),
    *("encoder_busy", "merger_ties", "merger_steps", "merger_changed", "merger_after"),
    *("merger_pairs", "merger_counts", "merger_uses", "scanner_lengths", "scanner_counts"),
    "tally_text",
)
"""The functions that return the address of an array of an object."""

_SIGNATURES: dict[str, tuple[object, ...]] = {
    **{f"{kind}_free": (None, c_void_p) for kind in _OBJECTS},
    **dict.fromkeys(_NUMBERS, (c_int64, c_void_p)),
    **dict.fromkeys(_ARRAYS, (c_void_p, c_void_p)),
    "kernel_version": (c_int64,),
    "counter_new": (c_void_p, c_char_p, c_char_p, c_void_p, c_int64, c_uint64),
    "counter_count": (c_int64, c_void_p, c_char_p, c_int64),
    "counter_new_sizes": (None, c_void_p, c_void_p),
    "rules_new": (c_void_p, c_char_p, c_void_p, c_void_p, c_void_p, c_int64, c_uint64),
    "rules_highest": (c_int64, c_void_p, c_int64),
    "normalizer_new": (
        *(c_void_p, c_void_p, c_int64, c_char_p, c_int64),
        *(c_char_p, c_void_p, c_int64, c_int64, c_int64),
    ),
    "normalizer_run": (c_int64, c_void_p, c_char_p, c_int64, c_void_p),
    "rules_add_whole": (c_int64, c_void_p, c_char_p, c_int64, c_int32),
    "gpt2_read": (
        *(c_int64, c_char_p, c_int64, c_char_p, c_int64),
        *(c_void_p, c_void_p, c_uint64),
    ),
    "ranks_read": (c_int64, c_char_p, c_void_p, c_void_p, c_void_p),
    "ranks_split": (c_int64, c_char_p, c_void_p, c_void_p, c_int64, c_void_p, c_uint64),
    "rules_set_mark": (None, c_void_p, c_char_p, c_int64, c_int64),
    "rules_set_units": (
        *(c_int64, c_void_p, c_char_p, c_void_p, c_void_p, c_int64, c_void_p, c_void_p),
    ),
    "specials_new": (c_void_p, c_char_p, c_void_p, c_void_p, c_int64),
    "encoder_new": (c_void_p, c_void_p, c_void_p, c_int64),
    "encoder_encode": (c_int64, c_void_p, c_void_p, c_char_p, c_int64, c_int64),
    "encoder_learn": (c_int64, c_void_p, c_void_p, c_int64),
    "host_set": (None, c_void_p),
    "numbers_new": (c_void_p, c_void_p, c_int64),
    "texts_new": (c_void_p, c_void_p, c_void_p, c_void_p),
    "tokens_new": (c_void_p, c_char_p, c_void_p, c_int64),
    "merger_new": (
        *(c_void_p, c_void_p, c_int64, c_void_p, c_void_p, c_int64),
        *(c_void_p, c_void_p, c_uint64),
    ),
    "merger_finish": (None, c_void_p),
    "merger_run": (c_int64, c_void_p, c_int64, c_int64),
    "merger_number_of": (c_int64, c_void_p, c_int32, c_int32),
    "merger_first_cell": (c_int64, c_void_p, c_int64),
    "merger_merge": (c_int64, c_void_p, c_int64),
    "scanner_new": (c_void_p, c_char_p),
    "scanner_add_page": (c_int64, c_void_p, c_int64, c_char_p),
    "scanner_missing_page": (c_int64, c_void_p, c_char_p, c_int64, c_void_p),
    "scanner_cut": (c_int64, c_void_p, c_char_p, c_void_p, c_int64),
    "tally_new": (c_void_p, c_uint64),
    "tally_learn": (c_int64, c_void_p, c_int64, c_char_p, c_void_p, c_void_p, c_int64),
    "tally_add": (c_int64, c_void_p, c_int64, c_void_p, c_void_p, c_int64),
    "tally_counts": (None, c_void_p, c_int64, c_void_p, c_void_p),
}
"""function → the type of its result, then the types of its arguments."""


_ELF_CLASSES = {
    1: ("16sHHIIIIIHHHHHH", "IIIIIIII", 1, 4),
    2: ("16sHHIQQQIHHHHHH", "IIQQQQQQ", 2, 5),
}
"""Class of an ELF file (32 or 64 bits) → the fields of its header and of a segment; the places of
a segment's start and size among its fields."""


def _is_cut_short(path: str) -> bool:
    """Whether a library for Linux ends before its segments or its table of sections do.

    Linux maps such a file and kills the process at the first page that is missing. The loaders of
    other systems check their files themselves.
    """
    with open(path, "rb") as file:
        head, size = file.read(4096), os.fstat(file.fileno()).st_size
    if not head.startswith(b"\x7fELF"):
        return False
    try:
        header, segment, start, length = _ELF_CLASSES[head[4]]
        order = "<" if head[5] == 1 else ">"
        fields = unpack_from(order + header, head)
        segments, sections, segment_size, segment_count, section_size, section_count = (
            fields[at] for at in (5, 6, 9, 10, 11, 12)
        )
        ends: list[int] = [sections + section_size * section_count]
        for number in range(segment_count):
            found = unpack_from(order + segment, head, segments + segment_size * number)
            ends.append(found[start] + found[length])
    except (IndexError, KeyError, StructError):
        return True
    return max(ends) > size


def load_kernel(path: str) -> tuple[ctypes.CDLL | None, str]:
    """Load a library; return it, or `None` and the reason why there is no kernel."""
    if os.environ.get(SWITCH) == "no":
        return None, f"switched off by {SWITCH}=no"
    if not os.path.exists(path):
        return None, "not compiled here"
    again = "install the program again"
    try:
        if _is_cut_short(path):
            return None, f"{LIBRARY} is cut short; {again}"
        library = ctypes.CDLL(path)
        for name, (result, *arguments) in _SIGNATURES.items():
            function = getattr(library, name)
            function.restype, function.argtypes = result, arguments
    except (OSError, AttributeError):  # damaged, for another machine, or of an older version
        return None, f"{LIBRARY} cannot be loaded; {again}"
    if library.kernel_version() != VERSION:
        return None, f"{LIBRARY} is of another version; {again}"
    return library, ""


KERNEL, WHY_NO_KERNEL = load_kernel(os.path.join(os.path.dirname(__file__), LIBRARY))
"""The library; `None` where there is none that works, and then the reason."""

FAILED = -1
"""The result of a function of the kernel that found no memory."""

PADDING = bytes(8)
"""Bytes that must follow a text, since the kernel reads it in words of 8 bytes."""


class KernelObject:
    """A structure that the kernel keeps, freed together with this object.

    Args:
        kind: the beginning of the names of its functions: `counter` for `counter_new`.
        memory_error: message of the error if there is not enough memory.
        arguments: of the function that makes it.

    Raises:
        KernelMemoryError: there is not enough memory for it.
        RuntimeError: there is no kernel.
    """

    def __init__(self, kind: str, memory_error: str, *arguments: object) -> None:
        if KERNEL is None:
            raise RuntimeError("there is no compiled kernel here; look at `KERNEL` first")
        self.kernel, self._kind, self._memory_error = KERNEL, kind, memory_error
        self.handle: int | None = getattr(self.kernel, f"{kind}_new")(*arguments)
        if not self.handle:
            raise KernelMemoryError(memory_error)

    def call(self, function: str, *arguments: object) -> int:
        """Call a function of the kernel on this structure; return its number or address.

        Raises:
            KernelMemoryError: there is not enough memory.
        """
        if self.handle is None:
            raise KernelMemoryError(self._memory_error)
        result: int | None = getattr(self.kernel, function)(self.handle, *arguments)
        if result == FAILED:
            raise KernelMemoryError(self._memory_error)
        return result or 0

    def integers(self, function: str, length: int, kind: str = "q", skipped: int = 0) -> array[int]:
        """Copy the integers that a function points to, without the first `skipped`."""
        integers = array(kind)
        size = integers.itemsize
        integers.frombytes(copied(self.call(function) + skipped * size, length * size))
        return integers

    def free(self) -> None:
        """Free the structure; it cannot be used any more."""
        handle, self.handle = self.handle, None
        if handle:
            getattr(self.kernel, f"{self._kind}_free")(handle)

    def __del__(self) -> None:
        if hasattr(self, "handle"):
            self.free()


def address(numbers: array[int] | array[float]) -> int:
    """Return the memory address of an array's numbers."""
    return numbers.buffer_info()[0]


def copied(at: int, size: int) -> bytes:
    """Copy bytes at an address, which may be 0 if `size` is 0."""
    return string_at(at, size) if size else b""


def random_seed() -> int:
    """Return 64 random bits for a hash table, so that no file can be made whose keys collide."""
    return int.from_bytes(os.urandom(8), "little")
