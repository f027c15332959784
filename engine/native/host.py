"""Functions of Python that the kernel calls to read a `str` and make a list: see `texts.c`.

All of it is in the stable ABI, which is the same for all versions of CPython. Other Pythons, and
CPython without its global lock, take the way over `KernelEncoder.ids`.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable
from ctypes import (
    POINTER,
    Structure,
    byref,
    c_char_p,
    c_int,
    c_int64,
    c_ssize_t,
    c_void_p,
    py_object,
)
from typing import Any

from engine.native import KERNEL, KernelObject

_NAMES = (
    *("Py_IncRef", "Py_DecRef", "PyLong_AsVoidPtr", "PyUnicode_GetLength"),
    *("PyUnicode_AsUTF8String", "PyBytes_AsString", "PyBytes_Size", "PyLong_FromLong"),
    *("PyList_New", "PyList_Size", "PyList_GetItem", "PyList_SetItem", "PyList_Append"),
    *("PyErr_Clear", "PyErr_NoMemory", "PyErr_CheckSignals"),
    *("PyLong_AsLong", "PyBytes_FromStringAndSize", "PyUnicode_DecodeUTF8"),
    *("PyEval_SaveThread", "PyEval_RestoreThread"),
)
"""Functions of the stable ABI, in the order of `Host` in `texts.c`, after `None` and `int`."""

_ONE_ARGUMENT = 0x0008
"""METH_O: the function gets one object and returns an object."""


class _MethodDefinition(Structure):
    """CPython's `PyMethodDef`, which is part of the stable ABI."""

    _fields_ = (("name", c_char_p), ("function", c_void_p), ("flags", c_int), ("doc", c_char_p))


def _set_host() -> bool:
    """Give the kernel the addresses of Python's functions; return whether that was possible."""
    has_lock: Callable[[], bool] = getattr(sys, "_is_gil_enabled", lambda: True)
    if KERNEL is None or sys.implementation.name != "cpython" or not has_lock():
        return False
    try:
        functions = [ctypes.cast(getattr(ctypes.pythonapi, name), c_void_p) for name in _NAMES]
    except AttributeError:
        return False
    addresses = id(None), id(int), *(each.value for each in functions)
    KERNEL.host_set((c_void_p * len(addresses))(*addresses))
    return True


IS_SET = _set_host()
"""Whether the functions of `texts.c` may be called."""

_as_utf_8: Any = None


def utf_8_of(text: str) -> tuple[c_char_p, int] | None:
    """Return the UTF-8 of a text that Python keeps with it, and the size in bytes.

    An ASCII text is its own UTF-8; another is encoded once, as long as it lives. `None` if Python
    keeps none, or if half a character has none.
    """
    if _as_utf_8 is None:
        return None
    size = c_ssize_t()
    try:
        return c_char_p(_as_utf_8(text, byref(size))), size.value
    except UnicodeEncodeError:
        return None


append_numbers: Any = None
"""(numbers, list, address of ids, their number): append the integers of the ids to the list."""
bytes_of_array: Any = None
"""(tokens, address of ids, their number): return the bytes of the ids, None if one has no token."""
if KERNEL is not None and IS_SET:
    _library = ctypes.PyDLL("", handle=KERNEL._handle)  # the same library, called with the GIL
    append_numbers = _library.numbers_append
    append_numbers.argtypes = (c_void_p, py_object, c_void_p, c_int64)
    append_numbers.restype = c_int64
    bytes_of_array = _library.tokens_bytes_of_array
    bytes_of_array.argtypes = (c_void_p, c_void_p, c_int64)
    bytes_of_array.restype = py_object
    _as_utf_8 = ctypes.pythonapi.PyUnicode_AsUTF8AndSize
    _as_utf_8.argtypes = py_object, POINTER(c_ssize_t)
    _as_utf_8.restype = c_void_p

_DEFINITIONS = {
    name: _MethodDefinition(
        name.encode(), ctypes.cast(getattr(KERNEL, name), c_void_p), _ONE_ARGUMENT
    )
    for name in ("texts_encode", "texts_encode_all", "tokens_bytes", "tokens_text")
    if IS_SET
}


def function(name: str, texts: KernelObject) -> Callable[[Any], Any]:
    """Return a function of `texts.c` as a function of Python, which costs less than ctypes.

    Args:
        name: a name in `_DEFINITIONS`.
        texts: the structure that it works on; it lives as long as the function.
    """
    prototype = ctypes.PYFUNCTYPE(py_object, POINTER(_MethodDefinition), py_object, py_object)
    make = prototype(("PyCFunction_NewEx", ctypes.pythonapi))
    made: Callable[[Any], Any] = make(byref(_DEFINITIONS[name]), texts.handle, texts)
    return made
