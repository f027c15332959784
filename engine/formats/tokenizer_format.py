"""`TokenizerFormat`, which recognises, reads and writes files, and values that formats share."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from operator import add
from pathlib import Path

from engine.core.errors import TokenizerFileError, bounded
from engine.core.gpt2_bytes import spell
from engine.encoding.tokenizer import Tokenizer
from engine.formats.source import TokenizerSource
from engine.text.patterns import PatternLike
from engine.text.pretokenize import to_bytes

TokenPairs = list[tuple[bytes, bytes]]
"""Merges in order of rank, each as its two tokens."""


@dataclass(frozen=True)
class Overrides:
    """Settings of the caller, which replace those in the files.

    With `None` the files decide, or the format's default if they say nothing.
    """

    special_tokens: Sequence[str] | None = None
    pattern: PatternLike | None = None


@dataclass(frozen=True)
class Opened:
    """A tokenizer that was read from files.

    Attributes:
        format: name of the format of the files.
        notes: what was recognised, guessed or ignored; a sentence each, without a full stop.
    """

    tokenizer: Tokenizer
    format: str
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "notes", tuple(map(bounded, self.notes)))


@dataclass(frozen=True)
class VocabAndMerges:
    """A vocabulary and merges in bytes, as files contain them, not yet checked.

    Attributes:
        place: the files, as errors name them.
        vocab: id → token.
        merges: pairs of tokens in order of rank.
        texts: id → special token that is not in the spelling of the other tokens.
        special_tokens: their texts, or text → id; `None` if the files do not list them.
        pattern: the pattern in the files; `None` if there is none.
        notes: how the files were read, a sentence each.
        merges_place, vocab_place: the two files, as errors about missing tokens name them.
        files: the beginning of a note about a missing pattern.
        has_merges: whether the files hold merges; without them no text can be encoded.
    """

    place: str
    vocab: Mapping[int, bytes]
    merges: Sequence[tuple[bytes, bytes]]
    texts: Mapping[int, str] = field(default_factory=dict)
    special_tokens: Sequence[str] | Mapping[str, int] | None = None
    pattern: PatternLike | None = None
    notes: Sequence[str] = ()
    merges_place: str = ""
    vocab_place: str = "the vocabulary"
    files: str = "the file names"
    has_merges: bool = True

    def check_merges(self) -> None:
        """Raise `TokenizerFileError` if a merge needs a token that the vocabulary lacks."""
        known = set(self.vocab.values())
        lefts, rights = zip(*self.merges, strict=True) if self.merges else ((), ())
        if known.issuperset(lefts + rights) and known.issuperset(map(add, lefts, rights)):
            return  # nearly always, and faster than checking one by one
        for rank, (left, right) in enumerate(self.merges):
            for token in (left, right, left + right):
                if token not in known:
                    raise TokenizerFileError(
                        f"{self.merges_place or self.place}: merge {rank + 1:,} "
                        f"({spell(left)[:60]} {spell(right)[:60]}) needs the token "
                        f"{spell(token)[:60]}, which {self.vocab_place} "
                        "does not have; do they belong together?"
                    )

    @property
    def all_tokens(self) -> dict[int, bytes]:
        """The vocabulary with the special tokens that are outside it, in bytes."""
        special = self.special_tokens if isinstance(self.special_tokens, Mapping) else {}
        return {
            **{token_id: to_bytes(text) for text, token_id in special.items()},
            **self.vocab,
            **{token_id: to_bytes(text) for token_id, text in self.texts.items()},
        }


@dataclass(frozen=True)
class TokenizerFormat:
    """A format of tokenizer files.

    Attributes:
        recognises: whether a source has this format, by its content, not by its name.
        load: reads a tokenizer. Missing settings are guessed, and a note says so.
        save: writes a tokenizer atomically: `save(tokenizer, path, overwrite)`; `None` if the
            format is only read.
        read: reads vocabulary and merges without checking them; `None` if the format holds more
            than these two.
        files: the names of the written files in the directory; empty for a single file.
        suffix: the end of the file's name; empty for a directory.
        prescribes_ids: whether ids must number bytes, merges and special tokens in this order.
        keeps_stages: whether it can describe changes of a text before it is cut.
    """

    name: str
    summary: str
    recognises: Callable[[TokenizerSource], bool]
    load: Callable[[TokenizerSource, Overrides], Opened]
    save: Callable[[Tokenizer, Path, bool], None] | None = None
    read: Callable[[TokenizerSource, Sequence[str] | None], VocabAndMerges] | None = None
    files: tuple[str, ...] = ()
    prescribes_ids: bool = False
    keeps_stages: bool = False
    suffix: str = ""

    def written(self, path: Path) -> list[Path]:
        """Return the files that saving to a path writes."""
        return [path / name for name in self.files] or [path]
