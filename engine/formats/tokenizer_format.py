"""What a tokenizer file format is: how it is recognised, read and written.

A format is a module of this folder with a `FORMAT`, and a line in the registry of `engine.formats`.
"""

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
class VocabAndMerges:
    """What files say.

    Attributes:
        place: what errors name.
        vocab: id → token.
        merges: pairs of tokens in order of rank.
        texts: id → token that can only be special: a text that is not spelled as the others are.
        special_tokens: their texts, or text → id; `None` if the files do not say.
        pattern: what cuts texts; `None` if the files do not say.
        notes: what a reader should know of how it was read.
        merges_place, vocab_place: what errors name if the two do not go together.
        files: how a note begins about what is not there.
        has_merges: whether there are any to read; else it is a vocabulary to look at.
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
        """Raises `TokenizerFileError` if a merge needs a token that the vocabulary lacks."""
        known = set(self.vocab.values())
        lefts, rights = zip(*self.merges, strict=True) if self.merges else ((), ())
        if known.issuperset(lefts + rights) and known.issuperset(map(add, lefts, rights)):
            return  # as it is nearly always, and quicker than one by one
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
        """The vocabulary with what can only be special, as bytes."""
        special = self.special_tokens if isinstance(self.special_tokens, Mapping) else {}
        return {
            **{token_id: to_bytes(text) for text, token_id in special.items()},
            **self.vocab,
            **{token_id: to_bytes(text) for token_id, text in self.texts.items()},
        }


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
    recognises: Callable[[TokenizerSource], bool]
    load: Callable[[TokenizerSource, Overrides], Opened]
    save: Callable[[Tokenizer, Path, bool], None] | None = None
    read: Callable[[TokenizerSource, Sequence[str] | None], VocabAndMerges] | None = None
    files: tuple[str, ...] = ()
    prescribes_ids: bool = False
    keeps_stages: bool = False
    suffix: str = ""

    def written(self, path: Path) -> list[Path]:
        """The files that saving to a path writes."""
        return [path / name for name in self.files] or [path]
