"""The files of tokenizers, as a `Tokenizer` sees them: a socket for the formats above.

`Tokenizer.load`, `from_files` and `save` are methods of a class in this room, and their work is
that of `engine.formats`, which makes tokenizers. So `engine/__init__.py`, which Python runs before
any other module of ours, plugs the formats in. They are imported when such a method is first
called.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

FormatName = Literal[
    "huggingface", "sentencepiece", "gguf-fields", "tiktoken", "minbpe", "course-json", "gpt2"
]
"""Name of a format that is written."""

_find: Callable[[], Any]


def plug_in(find: Callable[[], Any]) -> None:
    """Have `formats` return the module that this function returns; only `engine` does."""
    global _find
    _find = find


def formats() -> Any:
    """Return the module `engine.formats`."""
    return _find()
