"""What pickles call by name and is nothing but data.

A pickle is a program: it may name any function of any module, and `pickle.load` calls it. Here a
name is only ever looked up in this table; nothing is imported. Old protocols have no opcode for
bytes and sets and call functions for them, and courses like `defaultdict` and `Counter`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def _encoded(text: str, encoding: str = "utf-8") -> bytes:
    """`_codecs.encode`: bytes in protocols 0 to 2."""
    if encoding not in ("latin1", "latin-1", "utf-8"):
        raise ValueError(f"text is not encoded as {encoding!r} in pickles")
    return text.encode(encoding)


def _bytes(*arguments: Any) -> bytes:
    """`bytes()`; with arguments also as protocols before 3 call it."""
    match arguments:
        case () | (bytes(),):
            return b"".join(arguments)
        case (list(numbers),):
            return bytes(numbers)
        case (str(text), "latin-1" | "latin1"):
            return text.encode("latin-1")
    raise ValueError("bytes are made of text in latin-1 or of a list of numbers")


def _dict(*pairs: Any) -> dict[Any, Any]:
    """`OrderedDict` and `Counter`: an ordinary dict will do."""
    match pairs:
        case ():
            return {}
        case (dict(made),):
            return dict(made)
    raise ValueError("a dict is made of nothing or of a dict")


def _default_dict(factory: object = None, *pairs: Any) -> dict[Any, Any]:
    return _dict(*pairs)


def _never(*arguments: Any) -> Any:
    raise ValueError("a type is only named, for a defaultdict")


_BUILTINS: dict[str, Callable[..., Any]] = {
    "bytes": _bytes,
    "bytearray": _bytes,
    **dict.fromkeys(("int", "long", "list", "str", "dict"), _never),
}
NAMES: dict[str, Callable[..., Any]] = {
    "_codecs encode": _encoded,
    "collections OrderedDict": _dict,
    "collections Counter": _dict,
    "collections defaultdict": _default_dict,
    **{f"builtins {name}": function for name, function in _BUILTINS.items()},
    **{f"__builtin__ {name}": function for name, function in _BUILTINS.items()},
}
"""`module name` → what stands for it here; Python 2 calls `builtins` `__builtin__`."""
