"""What is asked to be opened: the options of the command line, in one value."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from engine.alphabets.units import DEFAULT_UNITS

if TYPE_CHECKING:
    pass

DEFAULT_VOCAB_SIZE = 10_000
DEFAULT_SPECIAL = ("<|endoftext|>",)


@dataclass(frozen=True)
class LeftOut:
    """A document that is not trained on: its number, counted with these special tokens."""

    document: int
    special_tokens: tuple[str, ...]


@dataclass(frozen=True)
class RunConfig:
    """A corpus and how to train on it. Names are those of the engine's registries.

    The options after `pattern` are BPE's, and some of them WordPiece's; `model` is a name in
    `bpe_tui.session.models`. Where nobody asks for a size, `vocab_size` is `None`.
    """

    corpus: str
    vocab_size: int | None = None
    special_tokens: tuple[str, ...] = DEFAULT_SPECIAL
    pattern: str = "gpt2"
    tie_rule: str = "lexicographic"
    trainer: str = "fast"
    min_count: int = 2
    cache: bool = True
    model: str = "bpe"
    max_token_length: int | None = None
    units: str = DEFAULT_UNITS
    left_out: tuple[LeftOut, ...] = ()
    """What a fork goes without."""
    first_step: int = 0
    """The step to go to as soon as it is recorded."""
    note: str = ""
    """What to say there; visible already."""

    @property
    def name(self) -> str:
        """What is opened, in a word."""
        return Path(self.corpus).name

    @property
    def size(self) -> int:
        """How large the vocabulary may become, where the model does not choose it itself."""
        return DEFAULT_VOCAB_SIZE if self.vocab_size is None else self.vocab_size


@dataclass(frozen=True)
class TokenizerConfig:
    """A tokenizer to be opened, and what to count its merges in.

    Attributes:
        paths: a file, a directory, vocabulary and merges, or the name of a known encoding.
        corpus: a text to replay the merges over; `None` for none.
        special_tokens, pattern: go before what the files say; `None` leaves it to them.
        otherwise: what to open if the file is no tokenizer after all; `None`: that is an error.
    """

    paths: tuple[str, ...]
    corpus: str | None = None
    special_tokens: tuple[str, ...] | None = None
    pattern: str | None = None
    cache: bool = True
    otherwise: RunConfig | None = None

    @property
    def name(self) -> str:
        """What is opened, in a word."""
        return Path(self.paths[0]).name


Config = RunConfig | TokenizerConfig
