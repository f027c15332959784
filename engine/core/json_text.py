"""Writing large JSON files for people, one value a line, as fast as without line ends."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import chain
from typing import Any

_CONTAINERS = {dict, list, tuple}


def indented_json(value: Any, margin: str = "\n") -> Iterator[str]:
    """Yield the parts of what `json.dumps(value, ensure_ascii=False, indent=2)` returns.

    That function writes indented values in Python, all others in C. So a table becomes one text
    here, with line ends as its separators.

    Args:
        margin: a line end and the indentation of the value.

    >>> print("".join(indented_json({"merges": [["a", "b"]]})))
    {
      "merges": [
        [
          "a",
          "b"
        ]
      ]
    }
    """
    if type(value) not in _CONTAINERS or not value:
        yield json.dumps(value, ensure_ascii=False)
        return
    inner = margin + "  "
    is_object = type(value) is dict
    values = value.values() if is_object else value
    kinds = set(map(type, values))
    yield "{" if is_object else "["
    yield inner
    if not kinds & _CONTAINERS:
        yield _joined(value, "," + inner)[1:-1]
    elif kinds <= {list, tuple} and not is_object and _are_rows(value):
        yield from _rows(value, inner)
    else:
        names = (json.dumps(key, ensure_ascii=False) + ": " for key in value if is_object)
        for place, each in enumerate(values):
            yield f",{inner}" * (place > 0) + next(names, "")
            yield from indented_json(each, inner)
    yield margin
    yield "}" if is_object else "]"


def _are_rows(lists: Any) -> bool:
    """Whether no list is empty or has another one in it."""
    kinds = set(map(type, chain.from_iterable(lists)))
    return all(lists) and not kinds & _CONTAINERS


def _rows(lists: Any, margin: str) -> Iterator[str]:
    """Yield lists of single values, each value on a line."""
    inner = margin + "  "
    # No text in JSON has such a line end, so those that separate can be found again.
    text = _joined(lists, "\r")[2:-2].replace("]\r[", f"{margin}],{margin}[{inner}")
    yield f"[{inner}"
    yield text.replace("\r", "," + inner)
    yield f"{margin}]"


def _joined(value: Any, separator: str) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(separator, ": "))
