"""What a tokenizer file format is: how it is recognised, read and written.

A format is a module of this folder with a `FORMAT`, and a line in the registry of `engine.formats`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from engine.core.errors import bounded
from engine.encoding.tokenizer import Tokenizer
from engine.formats.source import Source
from engine.formats.vocab_and_merges import VocabAndMerges
from engine.text.patterns import PatternLike


@dataclass(frozen=True)
class Overrides:
    """What the caller says of a tokenizer; it goes before what the files say.

    `None` leaves it to the files, and where they are silent to the format's custom.
    """

    special_tokens: Sequence[str] | None = None
    pattern: PatternLike | None = None


@dataclass(frozen=True)
class Opened:
    """A tokenizer as it was read.

    Attributes:
        tokenizer: ready to encode.
        format: the name of the format that it was in.
        notes: what a reader should know: what was recognised, guessed, or is not kept; a sentence
            each, without a full stop.
    """

    tokenizer: Tokenizer
    format: str
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "notes", tuple(map(bounded, self.notes)))


@dataclass(frozen=True)
class TokenizerFormat:
    """A way to write tokenizers down.

    Attributes:
        recognises: whether a source is in this format, by what is in it, not by its name.
        load: reads it; what neither the files nor the caller say is guessed, and told in a note.
        save: writes a tokenizer atomically: `save(tokenizer, path, overwrite)`; `None` if the
            format is only read.
        read: what the files say, though it may make no tokenizer; `None` if it is more than a
            vocabulary and merges.
        files: what is written, by their names in the directory; none if it is just one file.
        suffix: what the name of its file ends in; none of a directory.
        prescribes_ids: whether bytes, merges and special tokens have to be numbered in this order.
        keeps_stages: whether it says what happens to a text before it is cut.
    """

    name: str
    summary: str
    recognises: Callable[[Source], bool]
    load: Callable[[Source, Overrides], Opened]
    save: Callable[[Tokenizer, Path, bool], None] | None = None
    read: Callable[[Source, Sequence[str] | None], VocabAndMerges] | None = None
    files: tuple[str, ...] = ()
    prescribes_ids: bool = False
    keeps_stages: bool = False
    suffix: str = ""

    def written(self, path: Path) -> list[Path]:
        """The files that saving to a path writes."""
        return [path / name for name in self.files] or [path]
