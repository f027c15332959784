"""What is asked to be opened: the options of the command line, in one value."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from engine.core.errors import TokenizerFileError
from engine.encoding.units import DEFAULT_UNITS

DEFAULT_VOCAB_SIZE = 10_000
DEFAULT_SPECIAL = ("<|endoftext|>",)


@dataclass(frozen=True)
class LeftOut:
    """A document that is not trained on: its number, counted with these special tokens."""

    document: int
    special_tokens: tuple[str, ...]


@dataclass(frozen=True)
class Claimed:
    """What a trainer has written, to be checked against the rule.

    Attributes:
        paths: vocabulary and merges, or one path that holds both.
        are_steps: it is one file of steps instead, in lines of JSON.
        vocab_size: the size that was asked for; `None` if any number of merges will do.
    """

    paths: tuple[str, ...]
    are_steps: bool = False
    vocab_size: int | None = None

    @property
    def name(self) -> str:
        """What is checked, in a word or two."""
        return " and ".join(Path(path).name or path for path in self.paths)


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
    claimed: Claimed | None = None
    """What to check on the corpus."""

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


def why_unchecked(config: Config) -> str | None:
    """Why no merges can be checked against what is open; `None` if they can."""
    if not isinstance(config, RunConfig):
        return (
            "Merges are checked against what is trained here, and this is a tokenizer's. "
            "Press o and open the corpus that your trainer was given."
        )
    if config.corpus == "-":
        return "Standard input has been read to its end; a check needs the corpus in a file."
    if config.model != "bpe" or config.units != DEFAULT_UNITS:
        return "Merges are checked against BPE on bytes, which this is not."
    return None


NOTHING = RunConfig("")
"""Stands for what is open before anything is."""

# Is it a tokenizer or a corpus? What is in it decides, not what it is called.

HEAD = 1 << 12
"""Bytes that are looked at to tell."""


def config_for(run: RunConfig) -> Config:
    """`run` if its corpus is one; else the tokenizer that was given in place of a corpus."""
    if run.corpus == "-" or _is_surely_text(run.corpus):
        return run
    from engine.formats import is_tokenizer  # slow to import, and seldom needed

    path = Path(run.corpus)
    try:
        if not is_tokenizer(run.corpus):
            return run
    except (TokenizerFileError, OSError, ValueError):
        return run  # the corpus says what is wrong
    otherwise = run if path.is_file() else None
    return TokenizerConfig((run.corpus,), cache=run.cache, otherwise=otherwise)


def over(config: TokenizerConfig, corpus: str) -> TokenizerConfig:
    """What opens a tokenizer, with its merges counted in a corpus."""
    return replace(config, corpus=corpus, otherwise=None)


def _is_surely_text(name: str) -> bool:
    """Whether a file begins with a line of words, as no tokenizer does.

    That spares a corpus the question to every format, which would be felt before the first frame.
    """
    try:
        with Path(name).open("rb") as file:
            first = file.read(HEAD).partition(b"\n")[0]
    except (OSError, ValueError):
        return False
    return first[:1].isalpha() and len(first.split()) > 2
