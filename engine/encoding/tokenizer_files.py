"""The files of tokenizers, as a `Tokenizer` sees them: a socket for the formats above.

`Tokenizer.load`, `from_files` and `save` are methods of a class in this room, and their work is
that of `engine.formats`, which makes tokenizers. So this room says what it needs, formats have it,
and `engine/__init__.py`, which Python runs before any other module of ours, plugs it in. Formats
are imported when such a method is first called.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeAlias, TypeVar

if TYPE_CHECKING:  # `import engine` loads this module, and little else
    from engine.text.patterns import PatternLike

TokenizerT = TypeVar("TokenizerT")
AnyPath = str | os.PathLike[str]
Parts: TypeAlias = "tuple[Mapping[int, bytes], Sequence[tuple[bytes, bytes]], PatternLike | None]"
"""A vocab, its merges, and the pattern if the files have one."""


FormatName = Literal[
    "huggingface", "sentencepiece", "gguf-fields", "tiktoken", "minbpe", "course-json", "gpt2"
]
"""Name of a format that is written."""


class TokenizerFiles(ABC, Generic[TokenizerT]):
    """Reads and writes the files of tokenizers; `Tokenizer` says what the arguments are."""

    @abstractmethod
    def read(
        self,
        paths: Sequence[AnyPath],
        special_tokens: Sequence[str] | None,
        pattern: PatternLike | None,
    ) -> TokenizerT:
        """Return the tokenizer of a file, of a directory, or of a vocabulary and merges."""

    @abstractmethod
    def read_parts(
        self, vocab_path: AnyPath, merges_path: AnyPath, special_tokens: Sequence[str] | None
    ) -> Parts | None:
        """Return what is in two files, checked; `None` if only `read` can read them."""

    @abstractmethod
    def write(
        self, tokenizer: TokenizerT, path: AnyPath, format: str | None, overwrite: bool
    ) -> None:
        """Write a tokenizer; `None` is the default format."""


_find: Callable[[], TokenizerFiles[Any]]


def plug_in(find: Callable[[], TokenizerFiles[Any]]) -> None:
    """Have `tokenizer_files` return what this function returns; only `engine/__init__.py` does."""
    global _find
    _find = find


def tokenizer_files() -> TokenizerFiles[Any]:
    """Return what is plugged in."""
    return _find()
